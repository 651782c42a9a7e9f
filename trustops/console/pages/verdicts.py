"""What a person does with an answer: approve, reject, edit, recheck, or ask what a customer asks back. Each form names the digest that the
person saw."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from trustops.console.finding import review_named
from trustops.console.following_up import begun
from trustops.console.pages.drawing import path, seen_next
from trustops.console.pages.forms import Form, form
from trustops.console.pages.standings import question_address, question_named
from trustops.console.pages.visitor import Visitor, approving, visitor
from trustops.console.problems import Problem
from trustops.domain.answer import Determination
from trustops.domain.errors import StaleVersion, UsageError
from trustops.operations.approving import approve, reject
from trustops.operations.editing import edit_answer
from trustops.ports import StoredReview

FIELDS = ("verb", "digest", "version", "reason", "text", "choice", "determination", "cite", "back")


async def decide(request: Request) -> Response:
    """One verb on one question. Raises Problem 401 unsigned, NotAllowed, Locked, and StaleVersion where the answer is another one now."""
    found = visitor(request)
    review, ref = await asyncio.to_thread(_named, found, request.path_params)
    sent = await form(request, *FIELDS)
    if sent.one("verb") == "ask":
        return await _ask(found, review, ref, sent)
    verbs = {"approve": _approve, "reject": _reject, "edit": _edit, "recheck": _recheck}
    verb = verbs.get(sent.one("verb"))
    if verb is None:
        raise Problem(422, "this is nothing that can be done with an answer", where="verb", remedy="Reload the page.")
    done = await verb(request, found, review, ref, sent)
    back = path("reviews", review.id, "queue") if sent.one("back") == "queue" else question_address(review.id, ref)
    return seen_next(back, done)


def _named(found: Visitor, named: dict[str, str]) -> tuple[StoredReview, str]:
    review = review_named(found.office, named["review"])
    return review, question_named(review, named["ref"]).ref


async def _approve(request: Request, found: Visitor, review: StoredReview, ref: str, sent: Form) -> str:
    approving(request)
    version, digest = sent.needed("version", "which version is meant?"), sent.needed("digest", "which answer is meant?")
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 7 else 0
    await asyncio.to_thread(approve, found.office, review, ref, number, by=found.person, digest=digest)
    return "approved"


async def _reject(request: Request, found: Visitor, review: StoredReview, ref: str, sent: Form) -> str:
    approving(request)
    reason, digest = sent.needed("reason", "a rejection needs a reason"), sent.needed("digest", "which answer is meant?")

    def decide() -> None:
        with found.office.ledger.writing(durable=True):
            _same(found, review, ref, digest)
            reject(found.office, review, ref, by=found.person, reason=reason)

    await asyncio.to_thread(decide)
    return "rejected"


async def _edit(request: Request, found: Visitor, review: StoredReview, ref: str, sent: Form) -> str:
    del request
    text = sent.needed("text", "an answer needs words")
    before = await asyncio.to_thread(_same, found, review, ref, sent.one("digest"))
    determination = sent.one("determination")
    if determination and determination not in Determination.__members__:
        raise UsageError(f"{determination[:40]!r} is no determination", where="determination", remedy="Choose one of the list.")
    kept = await edit_answer(
        found.office,
        review,
        ref,
        by=found.person,
        text=text,
        choice=sent.one("choice") or None,
        determination=Determination(determination) if determination else None,
        cite=sent.every("cite"),
    )
    return "unchanged" if kept.version == before else "edited"


async def _recheck(request: Request, found: Visitor, review: StoredReview, ref: str, sent: Form) -> str:
    del request, sent
    await found.runs.start(review, [ref])
    return "started"


async def _ask(found: Visitor, review: StoredReview, ref: str, sent: Form) -> Response:
    """Leads to the page of the follow-up, which shows its run."""
    text = sent.needed("text", "what does the customer ask?")
    case, _ = await begun(found.office, found.runs, review, ref, text, sent.one("digest"))
    return seen_next(question_address(case.id, case.questionnaire.questions[0].ref), "asked")


def _same(found: Visitor, review: StoredReview, ref: str, digest: str) -> int:
    """The number of the current version, which must be the one that was seen. An empty digest: there was none."""
    versions = found.office.ledger.answers(review.id, ref)
    current = versions[-1] if versions else None
    if (current.digest if current else "") != digest:
        raise StaleVersion("the answer is another one now", where=ref, remedy="Reload the question's page, read it again, then decide.")
    return current.version if current else 0
