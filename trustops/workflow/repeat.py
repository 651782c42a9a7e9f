"""Repeat: searches, compare and verify once more for an answer that stands, on today's facts and without a model (invariant 1).

What the seats contributed is kept: their searches, the controls they named, the conflicts they reported, the words of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trustops.checks.drift import evaluate
from trustops.domain.answer import AnswerVersion
from trustops.domain.claim import Citation, Conflict
from trustops.domain.control import ControlReading, Risk
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.finding import FindingCode
from trustops.domain.opinion import AnswerDraft, DraftClaim, DraftPart
from trustops.domain.question import Question
from trustops.facts.asked import asks_of
from trustops.facts.queries import rule_queries
from trustops.ports import QuestionRecord
from trustops.skills.list_controls import list_controls
from trustops.skills.read_passage import read_passage
from trustops.skills.search_answers import search_answers
from trustops.skills.search_evidence import search_evidence
from trustops.team.policy import ANSWERS, EVIDENCE, Found, Search, both_ways, united
from trustops.workflow import casework
from trustops.workflow.desk import Shelf
from trustops.workflow.state import Verified


def repeat(
    shelf: Shelf, record: QuestionRecord, answer: AnswerVersion, renamed: Mapping[str, str] | None = None
) -> tuple[Dossier, Verified]:
    """The dossier and the verdict of code as they would be today for the same words. `renamed` gives today's id of exhibits whose text is
    another one, and is to be cited in their place."""
    question = record.dossier.question
    dossier = casework.seal(shelf, question, _found(shelf, question, record.searches), _readings(shelf, record))
    reported = [Conflict.model_validate(row) for row in record.conflicts]
    case = casework.open_case(shelf, dossier, reported, Risk(record.risk), record.searches)
    offline = any(f.code is FindingCode.OFFLINE_DRAFT for f in answer.findings)
    draft = _draft(answer, {**_moved(record.dossier, dossier), **(renamed or {})})
    return dossier, casework.verify(shelf, case, draft, author=answer.author, offline=offline)


def _found(shelf: Shelf, question: Question, searches: Iterable[Search]) -> Found:
    """The rules' searches as they are today, and those that were made."""
    ruled = both_ways(rule_queries(question.text, asks_of(question.text, shelf.names), shelf.names))
    every = [*ruled, *(s for s in searches if s not in ruled and s[0] in (*EVIDENCE, *ANSWERS))]
    return united([(search, search in ruled, _searched(shelf, search)) for search in every])


def _searched(shelf: Shelf, search: Search) -> Sequence[Passage | PriorAnswer]:
    skill, query = search
    if skill in ANSWERS:
        return search_answers(shelf.index, query)
    return read_passage(shelf.index, query) if skill == "read-passage" else search_evidence(shelf.index, query)


def _readings(shelf: Shelf, record: QuestionRecord) -> tuple[ControlReading, ...]:
    """Controls by rule and those in the sealed dossier. A reading that says the same as then stands as it was then: it is bound by
    its values, and an answer that names its day stays true."""
    before = {reading.control.id: reading for reading in record.dossier.readings}
    ruled = {control.id for control in list_controls(shelf.controls, record.dossier.question.text[:2000])}
    mapped = [evaluate(c, shelf.snapshots.get(c.id), shelf.at) for c in shelf.controls if c.id in ruled | before.keys()]
    return tuple(before[r.control.id] if _same(before.get(r.control.id), r) else r for r in mapped)


def _same(before: ControlReading | None, now: ControlReading) -> bool:
    if before is None or before.control != now.control or before.evaluation is not now.evaluation:
        return False
    return (before.snapshot.values if before.snapshot else None) == (now.snapshot.values if now.snapshot else None)


def _moved(before: Dossier, now: Dossier) -> dict[str, str]:
    """Today's id of each exhibit by its former one, where the same text stands under another id: a file that was moved."""
    today = {e.sha256: key for key, e in now.exhibits.items() if isinstance(e, (Passage, PriorAnswer))}
    former = {key: e.sha256 for key, e in before.exhibits.items() if isinstance(e, (Passage, PriorAnswer)) and key not in now.exhibits}
    return {key: today[sha] for key, sha in former.items() if sha in today}


def _draft(answer: AnswerVersion, moved: dict[str, str]) -> AnswerDraft:
    """The answer as a draft again; the rules judge it anew."""

    def cited(citation: Citation) -> Citation:
        return citation.model_copy(update={"exhibit": moved.get(citation.exhibit, citation.exhibit)})

    claims = tuple(DraftClaim(text=c.text, basis=c.basis, citations=tuple(map(cited, c.citations))) for c in answer.claims)
    return AnswerDraft.model_construct(
        determinations=tuple(ask.determination for ask in answer.asks),
        text=answer.text,
        pivot=answer.pivot,
        parts=tuple(DraftPart(part=value.part, value=value.value) for value in answer.cells),
        attachments=answer.attachments,
        claims=claims,
    )
