"""Reusing: an earlier answer to the same or a similar question, held against today's facts. A proposal and no shortcut.

What is proposed is judged by the same rules as any draft, and taking it is a person's edit: rules and Reviewer look again, and a person
approves. The earlier answer itself proves nothing; each of its sentences is shown with what a document says today. Nothing is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from trustops.checks.support import best_support
from trustops.domain.answer import Determination
from trustops.domain.claim import Basis, Citation, Conflict
from trustops.domain.control import Risk
from trustops.domain.errors import UnknownName
from trustops.domain.evidence import PriorAnswer
from trustops.domain.opinion import AnswerDraft, DraftClaim
from trustops.facts.backing import says_verbatim
from trustops.facts.nouns import Sentence
from trustops.facts.testimony import Statement
from trustops.facts.words import words
from trustops.operations.books import instant_of
from trustops.operations.office import Office
from trustops.operations.shelving import shelf
from trustops.ports import QuestionRecord, StoredReview
from trustops.workflow import casework
from trustops.workflow.desk import Shelf
from trustops.workflow.state import Case

ALIKE = Fraction(1, 3)
"""Least share of common words of two questions: a proposal that does not fit costs a glance, one that is not made costs a search."""
LEADS = (
    (Determination.PARTIAL, re.compile(r"\s*(?:in part|partly|partially|部分)", re.IGNORECASE)),
    (Determination.NOT_APPLICABLE, re.compile(r"\s*(?:not applicable|n/a|不适用)", re.IGNORECASE)),
    (Determination.NO, re.compile(r"\s*(?:no(?![^\W\d_])|否)", re.IGNORECASE)),
    (Determination.YES, re.compile(r"\s*(?:yes(?![^\W\d_])|是)", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of the earlier answer, and the sentence of today's dossier that is nearest to it. `state` is SAID (word for word),
    SUPPORTED, or NOT_SAID; `today` is empty where no document in force speaks of it."""

    text: str
    state: str
    today: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An earlier answer as a draft for this question. `same` where it was asked word for word; `blocked_by` are the findings that would
    block it, `cite` the exhibits it rests on."""

    prior: PriorAnswer
    same: bool
    likeness: Fraction
    determination: Determination
    lines: tuple[Line, ...]
    cite: tuple[str, ...]
    blocked_by: tuple[str, ...]


def proposals(office: Office, review: StoredReview, ref: str) -> tuple[Proposal, ...]:
    """Earlier answers that were found for a question, the likest question first. Raises UnknownName where it was never decided."""
    record = office.ledger.latest_records(review.id).get(ref)
    if record is None:
        raise UnknownName(
            f"there is no decided question {ref!r}", where=review.questionnaire.file, remedy="`trustops review` runs it first."
        )
    run = office.ledger.get_run(record.run)
    desk = shelf(office, instant_of(office, run), office.ledger.latest_snapshots())
    case = _case(desk, record)
    withdrawn = office.ledger.withdrawals()
    found = [
        _proposal(desk, case, prior, likeness)
        for prior in record.dossier.prior_answers
        if prior.id not in withdrawn and not prior.withdrawn
        if (likeness := _likeness(prior.question, record.dossier.question.text)) >= ALIKE
    ]
    return tuple(sorted(found, key=lambda p: (not p.same, -p.likeness, bool(p.blocked_by), p.prior.id)))


def _case(desk: Shelf, record: QuestionRecord) -> Case:
    reported = [Conflict.model_validate(row) for row in record.conflicts]
    return casework.open_case(desk, record.dossier, reported, Risk(record.risk), record.searches)


def _likeness(left: str, right: str) -> Fraction:
    mine, theirs = words(left), words(right)
    return Fraction(len(mine & theirs), len(mine | theirs)) if mine | theirs else Fraction(0)


def _plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _proposal(desk: Shelf, case: Case, prior: PriorAnswer, likeness: Fraction) -> Proposal:
    eligible = [s for s in case.testimony.statements if s.eligible and s.kind == "passage"]
    said = casework.material_claims(prior.answer, desk.names)
    lines = tuple(_line(sentence, eligible) for sentence in said)
    support = tuple(dict.fromkeys(s for sentence in said for s in best_support(sentence, eligible)[0]))
    determination = _determination(prior.answer)
    draft = _draft(prior, determination, support, len(case.asks))
    findings = casework.verify(desk, case, draft, author="library").findings
    blocked = tuple(dict.fromkeys(f"{f.code.value}: {f.summary}" for f in findings if f.blocks))
    return Proposal(
        prior,
        _plain(prior.question) == _plain(case.dossier.question.text),
        likeness,
        determination,
        lines,
        tuple(dict.fromkeys(s.exhibit for s in support)),
        blocked,
    )


def _line(sentence: Sentence, eligible: Sequence[Statement]) -> Line:
    verbatim = next((s for s in eligible if says_verbatim(s, sentence)), None)
    if verbatim is not None:
        return Line(sentence.text, "SAID", verbatim.text, verbatim.source)
    support, covered = best_support(sentence, eligible)
    near = support[0] if support else _nearest(sentence, eligible)
    state = "SUPPORTED" if covered and support else "NOT_SAID"
    return Line(sentence.text, state, near.text if near else "", near.source if near else "")


def _nearest(sentence: Sentence, eligible: Iterable[Statement]) -> Statement | None:
    best = max(eligible, key=lambda s: len(s.anchors & sentence.words), default=None)
    return best if best is not None and best.anchors & sentence.words else None


def _determination(answer: str) -> Determination:
    """What the earlier answer said; one that opens with neither word answers what was asked."""
    return next((meaning for meaning, lead in LEADS if lead.match(answer)), Determination.YES)


def _draft(prior: PriorAnswer, determination: Determination, support: Sequence[Statement], asks: int) -> AnswerDraft:
    citations = tuple(Citation(exhibit=s.exhibit, quote=s.text) for s in support)
    groups = [citations[at : at + 6] for at in range(0, len(citations), 6)] or [()]
    claims = tuple(DraftClaim(text=prior.answer, basis=Basis.POLICY, citations=group) for group in groups)
    return AnswerDraft(determinations=(determination,) * max(1, asks), text=prior.answer, pivot="", parts=(), attachments=(), claims=claims)
