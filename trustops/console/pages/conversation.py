"""The conversation around a question: what it follows, what was asked after it, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass

from trustops.console.pages.case import findings
from trustops.console.pages.standings import question_address
from trustops.domain.answer import AnswerVersion
from trustops.domain.finding import Finding
from trustops.domain.question import Question
from trustops.operations.asking import conversation, root_of
from trustops.operations.books import current_answer, open_books
from trustops.operations.office import Office
from trustops.operations.standing import Standing, standing
from trustops.ports import StoredReview


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up as the page of its question shows it; `findings` are those that stand against its newest attempt."""

    question: Question
    address: str
    now: Standing
    decision: str
    answer: AnswerVersion | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The question with which a conversation began."""

    ref: str
    address: str
    number: int


def root(office: Office, review: StoredReview, ref: str) -> Root | None:
    """What a follow-up follows; None for a question of a questionnaire."""
    if review.follows is None:
        return None
    first, parent = root_of(office, review, ref)
    return Root(parent, question_address(first.id, parent), review.follows.number)


def follow_ups(office: Office, review: StoredReview, ref: str) -> tuple[FollowUp, ...]:
    """The follow-ups to a question of a questionnaire, oldest first and at one moment; a follow-up's own page leads back there instead."""
    if review.follows:
        return ()
    with office.ledger.reading():
        return tuple(_follow_up(office, case) for case in conversation(office, review, ref))


def _follow_up(office: Office, case: StoredReview) -> FollowUp:
    asked = case.questionnaire.questions[0]
    books = open_books(office, case, only=frozenset([asked.ref]))
    record = books.records.get(asked.ref)
    return FollowUp(
        question=asked,
        address=question_address(case.id, asked.ref),
        now=standing(office, books, asked.ref),
        decision=record.result.decision.value if record else "",
        answer=current_answer(books, asked.ref),
        findings=findings(record.result.findings) if record else (),
    )
