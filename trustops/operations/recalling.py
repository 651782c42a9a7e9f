"""Recalling: answers that left and no longer hold, who has them, and what changed. Code judges, on today's facts; nothing is written here.

What counts is the version that a customer has: the newest one that was exported to that customer. A rule set that changed by itself is no
change of the facts; what its findings say of the same words is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from trustops.checks.drift import evaluate
from trustops.domain.answer import AnswerVersion, BoundPassage
from trustops.domain.approval import Verdict
from trustops.domain.control import Evaluation
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.facts.split import split
from trustops.facts.words import words
from trustops.operations.books import Books, instant_of, open_books
from trustops.operations.differing import in_words
from trustops.operations.office import Office
from trustops.operations.standing import standing
from trustops.ports import ExportRecord, QuestionRecord, StoredReview

UNKNOWABLE = frozenset({Evaluation.STALE, Evaluation.UNAVAILABLE})
"""Evaluations that say nobody can tell: such an answer is not wrong, it is not confirmed."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Who has the answer, since when, by which export."""

    to: str
    at: datetime
    export: str


@dataclass(frozen=True, slots=True)
class Change:
    """What changed: the reading or the text as it was and as it is; `after` is empty where it is gone."""

    what: str
    before: str = ""
    after: str = ""
    unknowable: bool = False


@dataclass(frozen=True, slots=True)
class Recall:
    """An answer that left. `state` is NOT_TRUE, or NOT_CONFIRMED where a reading is only too old or missing."""

    review: str
    file: str
    question: str
    version: int
    text: str
    received_by: tuple[Receipt, ...]
    state: str
    changes: tuple[Change, ...]
    remedy: str


def recalls(office: Office, unread: frozenset[str] = frozenset()) -> tuple[Recall, ...]:
    """Every exported answer of every review that no longer holds, oldest review first. `unread` are controls whose sources were just
    asked and gave nothing."""
    newest = office.ledger.latest_review()
    found = []
    for review in sorted(office.ledger.reviews(), key=lambda each: each.created_at):
        exports = office.ledger.exports(review.id)
        if not exports:
            continue
        books = open_books(office, review, unread)
        for (ref, version), receipts in sorted(_held(exports).items()):
            name = ref if newest and review.id == newest.id else f"{review.id}:{ref}"
            recall = _recall(office, books, ref, version, tuple(receipts), name)
            if recall is not None:
                found.append(recall)
    return tuple(found)


def to_correct(office: Office, found: Iterable[Recall]) -> tuple[tuple[StoredReview, tuple[str, ...]], ...]:
    """The questions that need a correction, by review: what is not true any more and has no newer version that may leave. What is only not
    confirmed needs a reading, not other words."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for one in found:
        if one.state == "NOT_TRUE" and one.remedy.startswith("trustops recheck") and one.question not in wanted[one.review]:
            wanted[one.review].append(one.question)
    reviews = {review.id: review for review in office.ledger.reviews()}
    return tuple((reviews[name], tuple(refs)) for name, refs in wanted.items() if refs)


def _held(exports: Iterable[ExportRecord]) -> Mapping[tuple[str, int], list[Receipt]]:
    """Who has which version: a later export to the same customer replaces an earlier one."""
    has: dict[tuple[str, str], tuple[int, Receipt]] = {}
    for export in sorted(exports, key=lambda each: each.at):
        for answer in export.answers:
            has[export.to, str(answer["question"])] = int(str(answer["version"])), Receipt(export.to, export.at, export.id)
    found: dict[tuple[str, int], list[Receipt]] = defaultdict(list)
    for (_, ref), (version, receipt) in has.items():
        found[ref, version].append(receipt)
    return found


def _recall(office: Office, books: Books, ref: str, version: int, receipts: tuple[Receipt, ...], name: str) -> Recall | None:
    answer = next((a for a in office.ledger.answers(books.review.id, ref) if a.version == version), None)
    record = _record_of(office, books.review, ref, version)
    if answer is None or record is None:
        return None
    changes = tuple(_changes(office, books, record, answer, max(receipt.at for receipt in receipts)))
    if not changes:
        return None
    state = "NOT_CONFIRMED" if all(change.unknowable for change in changes) else "NOT_TRUE"
    file, text = books.review.questionnaire.file, answer.text
    return Recall(books.review.id, file, ref, version, text, receipts, state, changes, _remedy(office, books, answer, state, name))


def _record_of(office: Office, review: StoredReview, ref: str, version: int) -> QuestionRecord | None:
    """The newest attempt that stood for this version."""
    found = [r for r in office.ledger.records(review.id, ref) if r.version is not None and r.version <= version]
    return found[-1] if found else None


def _changes(office: Office, books: Books, record: QuestionRecord, answer: AnswerVersion, left: datetime) -> Iterator[Change]:
    at = instant_of(office, books.runs.get(record.run))
    readings = list(_readings(office, books, answer, at))
    yield from readings
    reworded = _reworded(office, books, answer)
    texts = list(_texts(office, books, record, answer, reworded))
    yield from texts
    told = [change.what for change in (*readings, *texts)] + (["INVALID_CITATION", "UNCITED_CLAIM"] if texts else [])
    confirming = books.confirming
    lines = confirming.differences(record, answer, at, reworded) if reworded else confirming.of(record, answer, at).differences
    for line in lines:
        if not any(line.startswith(what) for what in told):
            yield Change(line, unknowable=line.startswith(("STALE_CONTROL_SNAPSHOT", "CONTROL_UNAVAILABLE")))
    yield from _by_people(books, answer, left)


def _readings(office: Office, books: Books, answer: AnswerVersion, at: datetime) -> Iterator[Change]:
    controls = {control.id: control for control in office.controls}
    for bound in answer.readings:
        control = controls.get(bound.control)
        now = evaluate(control, books.snapshots.get(bound.control), at) if control else None
        held = now is not None and now.evaluation is Evaluation.PASS and now.snapshot is not None
        if held and now and now.snapshot and dict(now.snapshot.values) == dict(bound.values) and now.control.scope == bound.scope:
            continue
        after = in_words(now).removeprefix("is ")
        yield Change(f"control {bound.control}", bound.in_words, after, unknowable=now is not None and now.evaluation in UNKNOWABLE)


def _reworded(office: Office, books: Books, answer: AnswerVersion) -> dict[str, Passage]:
    """Today's passage by the former exhibit, where a file was written anew around every word that was cited from it."""
    found = {}
    for passage in answer.passages:
        quotes = [_plain(quote) for quote in _quotes(answer, passage)]
        if passage.sha256 not in books.held and quotes:
            here = [p for p in office.index.passages() if p.document.path == passage.file]
            now = next((p for p in here if all(quote in _plain(p.text) for quote in quotes)), None)
            if now is not None:
                found[passage.exhibit] = now
    return found


def _quotes(answer: AnswerVersion, passage: BoundPassage) -> list[str]:
    return list(dict.fromkeys(c.quote for claim in answer.claims for c in claim.citations if c.exhibit == passage.exhibit))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _texts(
    office: Office, books: Books, record: QuestionRecord, answer: AnswerVersion, reworded: Mapping[str, Passage]
) -> Iterator[Change]:
    for passage in answer.passages:
        if passage.sha256 not in books.held and passage.exhibit not in reworded:
            before = _cited(record, answer, passage)
            what = f"the text cited from {passage.file}, {passage.locator}"
            yield Change(what, before, _became(office, record, passage, before))


def _cited(record: QuestionRecord, answer: AnswerVersion, passage: BoundPassage) -> str:
    exhibit = record.dossier.exhibits.get(passage.exhibit)
    text = exhibit.answer if isinstance(exhibit, PriorAnswer) else getattr(exhibit, "text", "")
    return " … ".join(_quotes(answer, passage)) or text


def _became(office: Office, record: QuestionRecord, passage: BoundPassage, before: str) -> str:
    """The sentence of the same file today that shares most of the cited words, and at least half; empty where none does."""
    if isinstance(record.dossier.exhibits.get(passage.exhibit), PriorAnswer):
        return ""
    told = words(before, office.names)
    lines = [span.text for p in office.index.passages() if p.document.path == passage.file for span in split(p.text)]
    ranked = [(len(told & words(line, office.names)), line) for line in lines]
    shared, line = max(ranked, default=(0, ""))
    return line if shared >= 2 and 2 * shared >= len(told) else ""


def _by_people(books: Books, answer: AnswerVersion, left: datetime) -> Iterator[Change]:
    """What was said of these words since they left: a rejection, a block of a newer attempt, a sentence beside them that clashes."""
    approval = books.approvals.get(answer.question)
    if approval is not None and approval.verdict is Verdict.REJECTED and approval.digest == answer.computed_digest():
        yield Change(f"it was rejected by {approval.by}", after=approval.reason)
    newest = books.records.get(answer.question)
    if newest is not None and newest.decided_at > left and newest.result.decision.value == "BLOCK":
        codes = sorted({finding.code.value for finding in newest.result.findings if finding.blocks})
        yield Change("a newer attempt is blocked", after=", ".join(codes))
    for clash in books.clashing:
        if answer.digest in clash.digests:
            other = clash.right if clash.left == answer.question else clash.left
            yield Change(f"it cannot be true beside the answer to {other}", clash.sentences[0], clash.sentences[1])


def _remedy(office: Office, books: Books, answer: AnswerVersion, state: str, name: str) -> str:
    """The next command. A correction goes the way of every answer: rules, a person, the gate."""
    current = books.answers.get(answer.question)
    if current is not None and current.version > answer.version and standing(office, books, answer.question).gate.state == "OPEN":
        return f"Version {current.version} may leave: trustops export {books.review.id}"
    if state == "NOT_CONFIRMED":
        return "trustops controls collect"
    return f"trustops recheck {name}"
