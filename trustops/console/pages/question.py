"""The question page: everything that a person needs to stand behind an answer, or to see why nobody can."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.pages import case, words
from trustops.console.pages.conversation import follow_ups, root
from trustops.console.pages.drawing import draw, path
from trustops.console.pages.forms import flash
from trustops.console.pages.progress import following
from trustops.console.pages.quotes import Piece, compared
from trustops.console.pages.standings import mode_word, newest_run, question_address, question_named
from trustops.console.pages.visitor import Visitor, visitor
from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.approval import ApprovalStatus
from trustops.operations.asking import LONGEST
from trustops.operations.books import current_answer, open_books, proof_of
from trustops.operations.differing import OF_FACTS, since_checked
from trustops.operations.standing import Standing, standing
from trustops.ports import QuestionRecord, StoredReview

NOTHING = ((), ())


@dataclass(frozen=True, slots=True)
class Version:
    """One version in the list of versions."""

    answer: AnswerVersion
    current: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions beside each other."""

    left: int
    right: int
    text: tuple[Piece, ...]
    determinations: tuple[str, str]


def question(request: Request) -> Response:
    """One question of a review; 404 where there is none."""
    found = visitor(request)
    office = found.office
    review = review_named(office, request.path_params["review"])
    asked = question_named(review, request.path_params["ref"])
    books = open_books(office, review, only=frozenset([asked.ref]))
    now, record, answer = standing(office, books, asked.ref), books.records.get(asked.ref), current_answer(books, asked.ref)
    calls, skills = books.calls.get((record.run, asked.ref), NOTHING) if record else NOTHING
    versions = office.ledger.answers(review.id, asked.ref)
    changed = set(now.gate.reasons) & OF_FACTS
    return draw(
        request,
        "question.html",
        here="reviews",
        mode=mode_word([now.mode.value] if record else [], found.mode),
        done=flash(request, words.DONE),
        review=review,
        question=asked,
        now=now,
        record=record,
        answer=answer,
        exhibits=case.exhibits(record.dossier, answer) if record else (),
        conflicts=case.conflicts(record) if record else (),
        readings=case.readings(record.dossier) if record else (),
        findings=case.findings(record.result.findings) if record else (),
        trace=case.trace(record, calls, skills) if record else (),
        proof=proof_of(books, record) if record else None,
        versions=[Version(v, answer is not None and v.version == answer.version) for v in reversed(versions)],
        compared=_compared(request, versions),
        approval=books.approvals.get(asked.ref),
        changed=since_checked(office, books, answer, changed) if answer and changed and now.approval is not ApprovalStatus.LOCKED else (),
        choices=case.choices(asked),
        determinations=[each.value for each in Determination],
        follows=root(office, review, asked.ref),
        follow_ups=follow_ups(office, review, asked.ref),
        longest=LONGEST,
        trace_address=path("runs", record.run, "trace", asked.ref) if record else "",
        why_not=_why_not(found, now, record, answer),
        **_neighbours(review, asked.ref),
        **_run(found, request, review, asked.ref),
    )


def _compared(request: Request, versions: tuple[AnswerVersion, ...]) -> Compared | None:
    """The two versions that the address names, else the last two; None where there are not two."""
    if len(versions) < 2:
        return None
    known = {version.version: version for version in versions}
    left, right = (known.get(_number(request.query_params.get(name, ""))) for name in ("from", "to"))
    left, right = left or versions[-2], right or versions[-1]
    told = (left.determination.value, right.determination.value)
    return Compared(left.version, right.version, compared(left.text, right.text), told)


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 7 else 0


def _why_not(found: Visitor, now: Standing, record: QuestionRecord | None, answer: AnswerVersion | None) -> str:
    """Why this visitor cannot approve now, in a sentence; empty where they can. The gate judges again whatever stands here."""
    if record is None or answer is None:
        return "There is no answer to approve."
    if now.approval is ApprovalStatus.LOCKED:
        return "It is blocked: nobody can approve it. Each finding says what to do."
    if now.approval is ApprovalStatus.APPROVED:
        return "This version is approved."
    if not found.may_approve:
        return f"Approving takes the role approver or admin; you are {found.role.value}."
    second = found.office.rules.second_person_for_all or record.risk == "HIGH"
    if second and answer.author == found.person:
        return "You wrote this version; another approver must approve it."
    return ""


def _neighbours(review: StoredReview, ref: str) -> dict[str, str]:
    refs = [each.ref for each in review.questionnaire.questions]
    at = refs.index(ref)
    return {
        "before": question_address(review.id, refs[at - 1]) if at else "",
        "after": question_address(review.id, refs[at + 1]) if at + 1 < len(refs) else "",
        "place": str(at + 1),
    }


def _run(found: Visitor, request: Request, review: StoredReview, ref: str) -> dict[str, object]:
    """The run that works on this question now, where there is one."""
    run = newest_run(found.office, review)
    if run is None or run.state != "RUNNING" or ref not in run.questions:
        return {"going": None, "seats": ()}
    progress = following(request).of(found.office, run)
    return {"going": None if ref in progress.decided else run, "seats": progress.seats_of(ref)}
