"""Exporting: cleared answers go into a copy of the customer's own file; receipt, bundle, gap register beside it (invariants 1, 2, 8, 11).

What left is kept: the same export again gives the same receipt, file and bundle, byte for byte.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from trustops.domain.approval import MAY_EXPORT
from trustops.domain.chain import digest, sha256
from trustops.domain.credential import Scope
from trustops.domain.errors import NotAllowed, NothingCleared, TrustOpsError, UsageError
from trustops.domain.evidence import Classification
from trustops.domain.export import ClearedAnswer, ExportGate, clear
from trustops.domain.question import PartChanges
from trustops.operations.books import Books, open_books
from trustops.operations.branches import on_open_branches
from trustops.operations.bundling import bundle, complete_chain, receipt_bytes
from trustops.operations.collecting import collect_snapshots, unread
from trustops.operations.gap_register import write_gap_register
from trustops.operations.indexing import index_evidence
from trustops.operations.office import Office
from trustops.operations.oscal import assessment_results
from trustops.operations.reconfirming import reconfirm
from trustops.operations.signing_in import identity_of
from trustops.operations.standing import Standing, standing
from trustops.operations.timing import present
from trustops.ports import ExportRecord, StoredReview, Waiting

COMPANION = {".pdf": ".xlsx", ".ods": ".xlsx"}
"""Formats that are read only: their answers leave in a file of another format."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made. `withheld` names every question that stayed, with the gate's reasons."""

    file: Path
    receipt: Path
    bundle: Path
    signed: bool
    gap_register: Path
    assessment_results: Path
    exported: tuple[str, ...]
    withheld: tuple[tuple[str, tuple[str, ...]], ...]
    parts: PartChanges
    execution_mode: str


def export(office: Office, review: StoredReview, out: Path, *, to: str, by: str = "") -> Exported:
    """Judges the gate anew, records the export and writes its files. Nothing cleared: refused, and nothing is written. The same answers
    to the same customer again give the same export and no second record. `by` is who sends it.

    The files are an outbox: synced under other names before the record's transaction ends, renamed after it, and then noted as placed.
    What fails earlier leaves neither file nor record; a crash after it leaves a record without all its files, never a file without a
    record, and the same export again puts them in place.
    """
    by = _sender(office, by)
    original = office.ledger.get_blob(review.questionnaire.sha256)
    if original is None or sha256(original) != review.questionnaire.sha256:
        raise TrustOpsError("the customer's original file is not in the ledger as it was taken in", where=review.questionnaire.file)
    present(office)  # a clock that went back would make of every reading one from the future, and that would go on record
    silent = refresh(office, review)
    with office.bundles.waiting() as files:
        try:
            record, made = _recorded(office, review, original, out, to, by, files, silent)
        except OSError as bad:
            reason = bad.strerror or str(bad)
            raise UsageError(f"the export cannot be written ({reason})", where=str(out), remedy="Nothing is recorded; try again.") from bad
        _place(office, record, out, files)
    return made


def _recorded(
    office: Office, review: StoredReview, original: bytes, out: Path, to: str, by: str, files: Waiting, silent: frozenset[str]
) -> tuple[ExportRecord, Exported]:
    """The export's transaction: what the gate lets through is on record, and its files wait on the disk. `silent` are the controls whose
    sources gave nothing."""
    with office.ledger.writing(durable=True):
        present(office)
        _whole(office)
        books = open_books(office, review, silent)
        standings = {q.ref: standing(office, books, q.ref) for q in review.questionnaire.questions}
        cleared, withheld = _gate_all(books, standings)
        cleared, unfit = _fitting(office, review.questionnaire.file, original, cleared)
        cleared, off = on_open_branches(review.questionnaire.questions, cleared, books.answers)
        unfit += off
        withheld += unfit
        standings |= {ref: replace(standings[ref], gate=ExportGate(state="BLOCKED", reasons=reasons)) for ref, reasons in unfit}
        if not cleared:
            raise NothingCleared(
                "no answer is cleared, so nothing was written",
                where=review.questionnaire.file,
                remedy="`trustops status` shows what each question waits for; approve first.",
            )
        key = digest({"review": review.id, "to": to, "answers": [[c.question, c.digest] for c in cleared]})[:12]
        sent = _sent_before(office, books, key) or _send(office, books, standings, cleared, withheld, original, to, key, by)
        return sent.record, _written(office, books, standings, sent, tuple(withheld), out, key, files)


def _sender(office: Office, by: str) -> str:
    """Who sends it: the person who signed in, or who was named; empty where nobody was."""
    by = by or office.signed_in
    if by and (identity_of(office, by, Scope.REVIEW), office.people.get(by))[1] not in MAY_EXPORT:
        raise NotAllowed(f"{by!r} may not export", remedy="Enter the person under [people] in trustops.toml as analyst, approver or admin.")
    return by


def refresh(office: Office, review: StoredReview) -> frozenset[str]:
    """Evidence and readings as they are today, and what they mean for the approvals: what was changed on the disk since the last run
    leaves nothing behind that says otherwise. Gives the controls whose sources gave nothing: their last readings no longer count."""
    index_evidence(office)
    silent = unread(office, collect_snapshots(office, office.as_of or office.clock.now())[0])
    reconfirm(office, review, silent)
    return silent


@dataclass(frozen=True, slots=True)
class _Sent:
    """What leaves, as recorded."""

    record: ExportRecord
    answered: bytes
    attachments: Mapping[str, bytes]


def _whole(office: Office) -> None:
    """Nothing is sealed over a chain that somebody changed."""
    state = office.ledger.verify_chain()
    if not state.ok:
        raise TrustOpsError(
            f"the audit chain is broken at {state.problem}",
            where=office.organisation,
            remedy="Find out who wrote to the ledger's file, and restore it from a backup.",
        )


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


def _fitting(
    office: Office, file: str, original: bytes, cleared: list[ClearedAnswer]
) -> tuple[list[ClearedAnswer], list[tuple[str, tuple[str, ...]]]]:
    """The answers whose every cell takes its value, and those that stay behind as a whole because one of theirs does not."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / Path(file).name
        source.write_bytes(original)
        found = office.formats.refusals(source, [value for answer in cleared for value in answer.cells]) if cleared else ()
    why = {refused.cell_key: f"CELL_REFUSED: {refused.sheet}!{refused.cell}: {refused.why} {refused.remedy}".strip() for refused in found}
    unfit = [(c.question, reasons) for c in cleared if (reasons := tuple(why[v.cell_key] for v in c.cells if v.cell_key in why))]
    stay = {ref for ref, _ in unfit}
    return [answer for answer in cleared if answer.question not in stay], unfit


def _sent_before(office: Office, books: Books, key: str) -> _Sent | None:
    """The same export as it was recorded, with the bytes that left; None where there is none, or its bytes were not kept."""
    record = next((known for known in books.exports if known.id == f"X-{key}"), None)
    if record is None:
        return None
    answered = office.ledger.get_blob(record.sha256)
    listed = record.receipt.get("attachments")
    attached = {str(a["file"]): str(a["sha256"]) for a in listed if isinstance(a, dict)} if isinstance(listed, list) else {}
    kept = {name: data for name, sha in attached.items() if (data := office.ledger.get_blob(sha)) is not None}
    if answered is None or len(kept) != len(attached):
        raise TrustOpsError(
            "this export was made by an earlier version, which did not keep what it sent",
            where=record.file,
            remedy="Name the customer differently with --to to export anew.",
        )
    return _Sent(record, answered, kept)


def _send(
    office: Office,
    books: Books,
    standings: dict[str, Standing],
    cleared: Sequence[ClearedAnswer],
    withheld: Sequence[tuple[str, tuple[str, ...]]],
    original: bytes,
    to: str,
    key: str,
    by: str,
) -> _Sent:
    """Makes the answered file, keeps it, and records the export."""
    review = books.review
    name = Path(review.questionnaire.file)
    target = f"{name.stem}.answered-{key}{COMPANION.get(name.suffix.lower(), name.suffix)}"
    answered, parts = _answer(office, name.name, target, original, cleared)
    attachments = _attachments(office, cleared)
    mode = "LIVE_AI" if all(standings[c.question].mode.value == "LIVE_AI" for c in cleared) else "TEST"
    receipt: dict[str, JsonValue] = {
        "review": review.id,
        "organisation": review.organisation,
        "to": to,
        "execution_mode": mode,
        "original": {"file": review.questionnaire.file, "sha256": review.questionnaire.sha256},
        "answered": {"file": target, "sha256": sha256(answered)},
        "parts": parts.model_dump(mode="json"),
        "answers": _answers(office, books, cleared),
        "withheld": [{"question": ref} for ref, _ in withheld],  # why is the organisation's own matter: it stands in the gap register
        "attachments": [{"file": path, "sha256": sha256(data)} for path, data in attachments.items()],
    }
    for data in (answered, *attachments.values()):
        office.ledger.put_blob(data)
    return _Sent(_record(office, books, cleared, receipt, key, by), answered, attachments)


def _answer(office: Office, name: str, target: str, original: bytes, cleared: Sequence[ClearedAnswer]) -> tuple[bytes, PartChanges]:
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch) / name, Path(scratch) / target
        source.write_bytes(original)
        parts = office.formats.write(source, made, [value for answer in cleared for value in answer.cells])
        return made.read_bytes(), parts


def _attachments(office: Office, cleared: Sequence[ClearedAnswer]) -> dict[str, bytes]:
    """Figures leave as files beside the workbook, by their path's last name; where two have one name, the digest tells them apart."""
    found: dict[str, bytes] = {}
    for path in sorted({path for answer in cleared for path in answer.attachments}):
        data, name = (office.workspace / path).read_bytes(), re.sub(r"[\x00-\x1f\x7f-\x9f\\\\/:*?\"<>|]", "_", Path(path).name)
        if found.get(f"attachments/{name}", data) != data:
            name = f"{sha256(data)[:8]}-{name}"
        found[f"attachments/{name}"] = data
    return found


def _answers(office: Office, books: Books, cleared: Sequence[ClearedAnswer]) -> list[JsonValue]:
    """One entry an answer. Passages that are not shareable stand by their hash alone: their file's name may tell too much."""
    shareable = {p.id for p in office.index.passages() if p.document.classification is Classification.SHAREABLE}
    conditions = {q.ref: q.condition.text for q in books.review.questionnaire.questions if q.condition}
    return [
        {
            "question": c.question,
            "version": c.version,
            "digest": c.digest,
            "cells": [f"{value.sheet}!{value.cell}" for value in c.cells],
            "approved_by": c.approved_by,
            "identity": c.identity,
            "cited": [
                {"file": p.file, "locator": p.locator, "sha256": p.sha256} if p.exhibit in shareable else {"sha256": p.sha256}
                for p in books.answers[c.question].passages
            ],
            "readings": [{"control": r.control, "evaluation": r.evaluation} for r in books.answers[c.question].readings],
            **({"condition": conditions[c.question]} if c.question in conditions else {}),
        }
        for c in cleared
    ]


def _record(
    office: Office, books: Books, cleared: Sequence[ClearedAnswer], receipt: dict[str, JsonValue], key: str, by: str
) -> ExportRecord:
    answered = receipt["answered"]
    assert isinstance(answered, dict)
    record = ExportRecord(
        id=f"X-{key}",
        review=books.review.id,
        at=office.clock.now(),
        to=str(receipt["to"]),
        by=by,
        file=str(answered["file"]),
        sha256=str(answered["sha256"]),
        answers=tuple({"question": c.question, "version": c.version, "digest": c.digest} for c in cleared),
        execution_mode=str(receipt["execution_mode"]),
        receipt=receipt,
    )
    complete_chain(office, books.review.id, [(c.question, c.digest) for c in cleared])
    office.ledger.append_export(record)
    for run in {books.records[c.question].run for c in cleared}:
        mine = [c.question for c in cleared if books.records[c.question].run == run]
        office.ledger.append_event(run, "exported", data={"export": record.id, "to": record.to, "questions": list(mine)})
    return record


def _written(
    office: Office,
    books: Books,
    standings: dict[str, Standing],
    sent: _Sent,
    withheld: tuple[tuple[str, tuple[str, ...]], ...],
    out: Path,
    key: str,
    files: Waiting,
) -> Exported:
    """All files at once, under other names; the bundle is the last."""
    record = sent.record
    file, receipt, bundled = out / record.file, out / f"receipt-{key}.json", out / f"bundle-{key}.zip"
    with tempfile.TemporaryDirectory() as scratch:
        gaps = write_gap_register(books, standings, Path(scratch), key).name
        register = {out / path.name: path.read_bytes() for path in sorted(Path(scratch).iterdir())}
    oscal = out / f"assessment-results-{key}.json"
    beside = {out / f"attachments-{key}" / Path(name).name: data for name, data in sent.attachments.items()}
    results, packed = assessment_results(office, books, record), bundle(office, record, sent.answered, sent.attachments)
    files.write({file: sent.answered, receipt: receipt_bytes(record.receipt), oscal: results, **register, **beside, bundled: packed})
    return Exported(
        file=file,
        receipt=receipt,
        bundle=bundled,
        signed=office.signer.public_key() is not None,
        gap_register=out / gaps,
        assessment_results=oscal,
        exported=tuple(str(a["question"]) for a in record.answers),
        withheld=withheld,
        parts=PartChanges.model_validate(record.receipt["parts"]),
        execution_mode=record.execution_mode,
    )


def _place(office: Office, record: ExportRecord, out: Path, files: Waiting) -> None:
    """Renames the files and notes that they are in place."""
    try:
        files.place()
    except OSError as bad:
        raise UsageError(
            f"the export {record.id} is on record, and its files could not all be put in place ({bad.strerror or bad})",
            where=str(out),
            remedy="Run the same export again: it puts the same files in place.",
        ) from bad
    with office.ledger.writing(durable=True):
        office.ledger.append_placement(record.id, at=office.clock.now())


def unplaced(office: Office, review: StoredReview) -> tuple[ExportRecord, ...]:
    """Exports on record whose files were not all put in place: a crash came between, or the disk refused."""
    placed = office.ledger.placements()
    return tuple(record for record in office.ledger.exports(review.id) if record.id not in placed)
