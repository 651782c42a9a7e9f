"""Covering: which questions of a review rest on evidence, on a control and on a fresh reading, and whose the gaps are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from trustops.checks.drift import CODES, REMEDIES, evaluate
from trustops.domain.answer import AnswerVersion
from trustops.domain.control import Control, ControlReading, Evaluation, Risk
from trustops.domain.evidence import Passage
from trustops.domain.finding import Finding, FindingCode
from trustops.domain.question import Question
from trustops.operations.books import Books, current_answer, open_books
from trustops.operations.office import Office
from trustops.ports import QuestionRecord, StoredReview
from trustops.skills.list_controls import list_controls

FRESH = frozenset({Evaluation.PASS, Evaluation.DRIFT})
"""A reading that is young enough to judge by, whatever it says."""
LACKING = {
    FindingCode.CONTRADICTION: "contradicted",
    FindingCode.EXPIRED_EVIDENCE: "expired",
    FindingCode.MISSING_EVIDENCE: "missing",
}
"""Findings that leave a question without evidence, worst first."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What is missing, and whose it is: of the control, of the document that the finding is about, or of the nearest document; empty where
    none of them names anybody."""

    code: str
    what: str
    owner: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A control that speaks to a question, as it is on record now."""

    id: str
    evaluation: str
    snapshot_version: int | None
    observed_at: str | None
    owner: str


@dataclass(frozen=True, slots=True)
class Row:
    """One question. `evidence` is cited, contradicted, expired, missing or not_run; `fresh` says that all its controls are."""

    ref: str
    text: str
    risk: str | None
    evidence: str
    documents: tuple[str, ...]
    controls: tuple[Measured, ...]
    fresh: bool
    gaps: tuple[Gap, ...]


def coverage(office: Office, review: StoredReview, at: datetime) -> tuple[Row, ...]:
    """Every question of a review, on the readings that are on record at this instant."""
    books = open_books(office, review)
    return tuple(_row(office, books, question, at) for question in review.questionnaire.questions)


def totals(rows: Sequence[Row]) -> dict[str, int]:
    """How many questions have what."""
    return {
        "questions": len(rows),
        "with_evidence": sum(row.evidence == "cited" for row in rows),
        "with_a_control": sum(bool(row.controls) for row in rows),
        "with_fresh_snapshots": sum(row.fresh for row in rows),
        "with_gaps": sum(bool(row.gaps) for row in rows),
        "gaps_without_owner": sum(not gap.owner for row in rows for gap in row.gaps),
    }


def _row(office: Office, books: Books, question: Question, at: datetime) -> Row:
    record, answer = books.records.get(question.ref), current_answer(books, question.ref)
    readings = [evaluate(control, books.snapshots.get(control.id), at) for control in _controls(office, question, record)]
    evidence = _evidence(record, answer)
    return Row(
        ref=question.ref,
        text=question.text,
        risk=record.risk if record else None,
        evidence=evidence,
        documents=tuple(dict.fromkeys(p.file for p in answer.passages)) if answer and evidence == "cited" else (),
        controls=tuple(_measured(reading) for reading in readings),
        fresh=bool(readings) and all(reading.evaluation in FRESH for reading in readings),
        gaps=(*_of_evidence(record, answer, question.ref), *_of_controls(record, readings)),
    )


def _controls(office: Office, question: Question, record: QuestionRecord | None) -> list[Control]:
    """By topic, framework id and what the attempt's seat named; all in the catalogue's order."""
    seen = {reading.control.id for reading in record.dossier.readings} if record else set()
    named = {control.id for control in list_controls(office.controls, question.text[:2000])}
    return [control for control in office.controls if control.id in seen | named]


def _found(record: QuestionRecord, answer: AnswerVersion | None) -> list[Finding]:
    every = [*record.result.findings, *(answer.findings if answer else ())]
    return [finding for code in LACKING for finding in every if finding.code is code and finding.blocks]


def _evidence(record: QuestionRecord | None, answer: AnswerVersion | None) -> str:
    if record is None:
        return "not_run"
    lacking = _found(record, answer)
    if lacking:
        return LACKING[lacking[0].code]
    return "cited" if answer is not None and answer.passages else "missing"


def _of_evidence(record: QuestionRecord | None, answer: AnswerVersion | None, ref: str) -> Iterator[Gap]:
    if record is None:
        yield Gap("NOT_RUN", "no attempt was made", "", f"trustops recheck {ref}")
        return
    told: dict[tuple[str, str], Gap] = {}
    for finding in _found(record, answer):  # the rules may find one thing in the answer and in the result
        gap = Gap(finding.code.value, finding.summary, _owner(record, finding), finding.remedy)
        known = told.setdefault((gap.code, gap.what), gap)
        if gap.owner and not known.owner:
            told[gap.code, gap.what] = gap
    yield from told.values()
    if not told and (answer is None or not answer.passages):
        yield Gap("MISSING_EVIDENCE", "no document is cited", _nearest(record), "Put a document that says it into evidence/, then recheck.")


def _owner(record: QuestionRecord, finding: Finding) -> str:
    """Of the first document that the finding is about."""
    held = (record.dossier.exhibits.get(name) for name in finding.exhibits)
    owners = [exhibit.document.owner if isinstance(exhibit, Passage) else getattr(exhibit, "owner", "") for exhibit in held if exhibit]
    return next((owner for owner in owners if owner), "") or _nearest(record)


def _nearest(record: QuestionRecord) -> str:
    """Whoever owns the document that was found first: nobody else is nearer to what is missing."""
    return next((passage.document.owner for passage in record.dossier.passages if passage.document.owner), "")


def _of_controls(record: QuestionRecord | None, readings: Sequence[ControlReading]) -> Iterator[Gap]:
    for reading in readings:
        if reading.evaluation in CODES:
            what, remedy = f"{reading.control.id}: {reading.why}", REMEDIES[reading.evaluation]
            yield Gap(CODES[reading.evaluation].value, what, reading.control.owner, remedy)
    if not readings and record is not None and record.risk == Risk.HIGH.value:
        remedy = "Add a control with a source to controls.yaml (`trustops controls list --starter` shows some)."
        yield Gap(FindingCode.NOT_MEASURED.value, "high risk, and no control speaks to it", _nearest(record), remedy)


def _measured(reading: ControlReading) -> Measured:
    snapshot = reading.snapshot
    observed = snapshot.observed_at.isoformat() if snapshot else None
    return Measured(reading.control.id, reading.evaluation.value, snapshot.version if snapshot else None, observed, reading.control.owner)
