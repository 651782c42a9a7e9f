"""Listing: what is in a workspace as rows for machines, the same over HTTP and on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from trustops.checks.drift import evaluate, expectation_text
from trustops.domain.control import ControlReading, Snapshot
from trustops.domain.evidence import Document, PriorAnswer
from trustops.domain.question import Questionnaire
from trustops.operations.collecting import collect_snapshots
from trustops.operations.library import Pair
from trustops.operations.office import Office
from trustops.operations.recalling import Recall

BRIEF = ("id", "file", "locator", "customer", "answered_on", "owner", "review_by", "question", "answer")


def document_rows(office: Office) -> list[dict[str, Any]]:
    """Every document with kind, dates, classification and number of passages, as the folder says now."""
    read = office.reader.read_folder(office.workspace)
    counts = Counter(p.document.path for p in read.passages)
    return [
        {
            "path": d.path,
            "title": d.title,
            "kind": d.kind.value,
            "effective": d.effective.isoformat() if d.effective else None,
            "expires": d.expires.isoformat() if d.expires else None,
            "classification": d.classification.value,
            "passages": counts[d.path],
        }
        for d in read.documents
    ]


def evidence_problems(office: Office, today: date) -> tuple[int, list[dict[str, str]]]:
    """How many documents there are, and what is expired, undated or could not be read."""
    read = office.reader.read_folder(office.workspace)
    problems = [{"file": d.path, "what": _dated(d, today)} for d in read.documents if _dated(d, today)]
    problems += [{"file": n.file, "what": f"{n.where} {n.what} {n.remedy}".strip()} for n in read.notices]
    return len(read.documents), problems


def _dated(document: Document, today: date) -> str:
    if document.effective is None and document.expires is None:
        return "undated"
    return "" if document.in_force(today) else f"not in force (effective {document.effective}, expires {document.expires})"


def readings(office: Office, at: datetime, *, collect: bool) -> tuple[list[ControlReading], tuple[str, ...]]:
    """Every control with its reading at an instant, and what went wrong while collecting. Without `collect` it is the newest on record."""
    snapshots: Mapping[str, Snapshot]
    notices: tuple[str, ...]
    snapshots, notices = collect_snapshots(office, at) if collect else (office.ledger.latest_snapshots(), ())
    return [evaluate(control, snapshots.get(control.id), at) for control in office.controls], notices


def control_row(reading: ControlReading) -> dict[str, Any]:
    """One control with its reading."""
    return {
        "id": reading.control.id,
        "title": reading.control.title,
        "evaluation": reading.evaluation.value,
        "reading": reading.value,
        "expected": expectation_text(reading.control.expect, ratio=reading.control.measure.ratio is not None),
        "snapshot_version": reading.snapshot.version if reading.snapshot else None,
        "source_mode": reading.snapshot.source_mode.value if reading.snapshot else None,
        "why": reading.why,
    }


def recall_row(one: Recall) -> dict[str, Any]:
    """One answer that left and no longer holds."""
    row = asdict(one)
    row["received_by"] = [{"to": r.to, "at": r.at.isoformat(), "export": r.export} for r in one.received_by]
    row["changes"] = [{"what": c.what, "before": c.before, "after": c.after} for c in one.changes]
    return row


def brief(answer: PriorAnswer) -> dict[str, Any]:
    """An earlier answer without what only its file needs."""
    return {name: getattr(answer, name) for name in BRIEF}


def pair_rows(found: Iterable[Pair]) -> list[dict[str, Any]]:
    """Earlier answers that contradict or repeat each other."""
    return [{"kind": p.kind, "left": brief(p.left), "right": brief(p.right), "words": list(p.words)} for p in found]


def parse_report(found: Questionnaire) -> dict[str, Any]:
    """The contract of `parse --json`."""
    questions = [
        {
            "ref": q.ref,
            "text": q.text,
            "sheet": q.sheet,
            "cell": q.cell,
            "section": q.section,
            "hidden": q.hidden,
            "answers": [
                {"part": a.part, "cell": a.cell, "kind": a.kind.value, "vocabulary": list(a.vocabulary), "filled": a.filled}
                for a in q.answers
            ],
            "condition": q.condition.text if q.condition else None,
            "confidence": q.confidence / 100,
        }
        for q in found.questions
    ]
    skipped = [{"where": s.where, "what": s.what, "why": s.why} for s in found.skipped]
    mappings = [{**m.model_dump(), "confidence": m.confidence / 100} for m in found.mappings]
    return {"file": found.file, "format": found.format, "questions": questions, "skipped": skipped, "mappings": mappings}
