"""Exporting: cleared answers go into a copy of the customer's own file; receipt and gap register beside it (invariants 1, 2, 8, 11)."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trustops.domain.chain import digest, sha256
from trustops.domain.errors import NothingCleared, TrustOpsError
from trustops.domain.export import ClearedAnswer, clear
from trustops.domain.question import PartChanges
from trustops.operations.gap_register import write_gap_register
from trustops.operations.office import Office
from trustops.operations.standing import Books, Standing, open_books, standing
from trustops.ports import ExportRecord, StoredReview


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made. `withheld` names every question that stayed, with the gate's reasons."""

    file: Path
    receipt: Path
    gap_register: Path
    exported: tuple[str, ...]
    withheld: tuple[tuple[str, tuple[str, ...]], ...]
    parts: PartChanges
    execution_mode: str


def export(office: Office, review: StoredReview, out: Path, *, to: str) -> Exported:
    """Writes the file and records the export in one transaction, in which the gate is judged anew. Nothing cleared: refused, and
    nothing is written. The same answers to the same customer again give the same export and no second record."""
    original = office.ledger.get_blob(review.questionnaire.sha256)
    if original is None or sha256(original) != review.questionnaire.sha256:
        raise TrustOpsError("the customer's original file is not in the ledger as it was taken in", where=review.questionnaire.file)
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        standings = {q.ref: standing(office, books, q.ref) for q in review.questionnaire.questions}
        cleared, withheld = _gate_all(books, standings)
        if not cleared:
            raise NothingCleared(
                "no answer is cleared, so nothing was written",
                where=review.questionnaire.file,
                remedy="`trustops status` shows what each question waits for; approve first.",
            )
        return _write(office, books, standings, cleared, withheld, original, out, to)


def _gate_all(books: Books, standings: dict[str, Standing]) -> tuple[list[ClearedAnswer], list[tuple[str, tuple[str, ...]]]]:
    cleared, withheld = [], []
    for ref, now in standings.items():
        answer, approval = books.answers.get(ref), books.approvals.get(ref)
        result = clear(
            now.seen,
            question=ref,
            version=answer.version if answer else 0,
            digest=answer.digest if answer else "",
            cells=answer.cells if answer else (),
            attachments=answer.attachments if answer else (),
            approved_by=approval.by if approval else "",
            identity=approval.identity.value if approval else "",
        )
        if isinstance(result, ClearedAnswer):
            cleared.append(result)
        else:
            withheld.append((ref, result.reasons))
    return cleared, withheld


def _write(
    office: Office,
    books: Books,
    standings: dict[str, Standing],
    cleared: Sequence[ClearedAnswer],
    withheld: Sequence[tuple[str, tuple[str, ...]]],
    original: bytes,
    out: Path,
    to: str,
) -> Exported:
    out.mkdir(parents=True, exist_ok=True)
    review = books.review
    key = digest({"review": review.id, "to": to, "answers": [[c.question, c.digest] for c in cleared]})[:12]
    name = Path(review.questionnaire.file)
    target = out / f"{name.stem}.answered-{key}{name.suffix}"
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / name.name
        source.write_bytes(original)
        parts = office.formats.write(source, target, [value for answer in cleared for value in answer.cells])
    attached = _attach(office, cleared, out)
    mode = "LIVE_AI" if all(standings[c.question].mode.value == "LIVE_AI" for c in cleared) else "TEST"
    receipt = _receipt(books, cleared, withheld, target, parts, attached, to, mode)
    receipt_path = out / f"receipt-{key}.json"
    receipt_path.write_text(json.dumps(receipt, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    gaps = write_gap_register(books, standings, out, key)
    if all(known.id != f"X-{key}" for known in books.exports):
        _record(office, books, cleared, target, to, mode, receipt, key)
    refs = tuple(c.question for c in cleared)
    return Exported(target, receipt_path, gaps, refs, tuple(withheld), parts, mode)


def _attach(office: Office, cleared: Sequence[ClearedAnswer], out: Path) -> list[dict[str, JsonValue]]:
    """Figures leave as files beside the workbook, by their path's last name and digest."""
    listed: list[dict[str, JsonValue]] = []
    for path in sorted({path for answer in cleared for path in answer.attachments}):
        source = office.workspace / path
        folder = out / "attachments"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(source, folder / source.name)
        listed.append({"file": f"attachments/{source.name}", "sha256": sha256(source.read_bytes())})
    return listed


def _receipt(
    books: Books,
    cleared: Sequence[ClearedAnswer],
    withheld: Sequence[tuple[str, tuple[str, ...]]],
    target: Path,
    parts: PartChanges,
    attached: list[dict[str, JsonValue]],
    to: str,
    mode: str,
) -> dict[str, JsonValue]:
    answers: list[JsonValue] = [
        {
            "question": c.question,
            "version": c.version,
            "digest": c.digest,
            "cells": [f"{value.sheet}!{value.cell}" for value in c.cells],
            "approved_by": c.approved_by,
            "identity": c.identity,
            "cited": [{"file": p.file, "locator": p.locator, "sha256": p.sha256} for p in books.answers[c.question].passages],
            "readings": [{"control": r.control, "evaluation": r.evaluation} for r in books.answers[c.question].readings],
        }
        for c in cleared
    ]
    return {
        "review": books.review.id,
        "organisation": books.review.organisation,
        "to": to,
        "execution_mode": mode,
        "original": {"file": books.review.questionnaire.file, "sha256": books.review.questionnaire.sha256},
        "answered": {"file": target.name, "sha256": sha256(target.read_bytes())},
        "parts": {"identical": parts.identical, "changed": list(parts.changed)},
        "answers": answers,
        "withheld": [{"question": ref, "reasons": list(reasons)} for ref, reasons in withheld],
        "attachments": list(attached),
    }


def _record(
    office: Office,
    books: Books,
    cleared: Sequence[ClearedAnswer],
    target: Path,
    to: str,
    mode: str,
    receipt: dict[str, JsonValue],
    key: str,
) -> None:
    answers = tuple({"question": c.question, "version": c.version, "digest": c.digest} for c in cleared)
    record = ExportRecord(
        id=f"X-{key}",
        review=books.review.id,
        at=office.clock.now(),
        to=to,
        file=target.name,
        sha256=sha256(target.read_bytes()),
        answers=answers,
        execution_mode=mode,
        receipt=receipt,
    )
    office.ledger.append_export(record)
    for run in {books.records[c.question].run for c in cleared}:
        mine = [c.question for c in cleared if books.records[c.question].run == run]
        office.ledger.append_event(run, "exported", data={"export": record.id, "to": to, "questions": list(mine)})
