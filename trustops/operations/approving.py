"""Approving and rejecting: one person, one answer version, everything its digest covers (invariants 1, 2 and 12)."""

from __future__ import annotations

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import MAY_APPROVE, Approval, ApprovalStatus, Identity, Role, Verdict
from trustops.domain.errors import Locked, NotAllowed, Refused, StaleVersion, UnknownName
from trustops.operations.office import Office
from trustops.operations.standing import Books, mode_of, open_books, standing
from trustops.ports import StoredReview

OF_APPROVAL = frozenset(
    {"NOT_APPROVED", "REJECTED", "APPROVAL_STALE", "APPROVER_NOT_ALLOWED", "IDENTITY_NOT_AUTHENTICATED", "SECOND_PERSON_NEEDED"}
)
"""Reasons of the gate that an approval itself settles; any other one is a reason not to approve."""


def approve(
    office: Office, review: StoredReview, ref: str, version: int | None, *, by: str, identity: Identity = Identity.ASSERTED
) -> Approval:
    """Approves the current version of one question. `version` must name it: approving something else than what one saw is refused."""
    role = _approver(office, by, identity)
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        answer = _current(books, ref)
        _same(answer, version)
        _not_blocked(office, books, ref)
        _second_person(office, books, ref, answer, by)
        return _record(office, books, answer, by, role, identity, Verdict.APPROVED)


def approve_green(office: Office, review: StoredReview, *, by: str, identity: Identity = Identity.ASSERTED) -> tuple[Approval, ...]:
    """Approves every PASS answer that is pending, each recorded by itself. HIGH, PARTIAL and warned answers are never among them."""
    role = _approver(office, by, identity)
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        done = []
        for ref, record in sorted(books.records.items()):
            now = standing(office, books, ref)
            if record.result.decision.value != "PASS" or now.approval not in (ApprovalStatus.PENDING, ApprovalStatus.INVALIDATED):
                continue
            if set(now.gate.reasons) - OF_APPROVAL or (office.rules.second_person_for_all and books.answers[ref].author == by):
                continue
            done.append(_record(office, books, books.answers[ref], by, role, identity, Verdict.APPROVED))
    return tuple(done)


def reject(office: Office, review: StoredReview, ref: str, *, by: str, reason: str, identity: Identity = Identity.ASSERTED) -> Approval:
    """Rejects the current version of one question, with a reason that the analyst will read."""
    role = _approver(office, by, identity)
    if not reason.strip():
        raise Refused("a rejection needs a reason", where=ref, remedy="Say with --reason what must change.")
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        return _record(office, books, _current(books, ref), by, role, identity, Verdict.REJECTED, reason)


def _approver(office: Office, by: str, identity: Identity) -> Role:
    role = office.people.get(by)
    if role is None:
        raise NotAllowed(f"{by!r} is not among the people of this organisation", remedy="Enter the person under [people] in trustops.toml.")
    if role not in MAY_APPROVE:
        raise NotAllowed(f"{by} is {role.value} and may not approve", remedy="Ask somebody with the role approver or admin.")
    if office.rules.authenticated_only and identity is not Identity.AUTHENTICATED:
        raise NotAllowed(
            "this organisation accepts authenticated approvals only",
            remedy="`--by` is asserted: approve where one signs in, or take require_authenticated_approval back.",
        )
    return role


def _current(books: Books, ref: str) -> AnswerVersion:
    answer, record = books.answers.get(ref), books.records.get(ref)
    if record is None:
        raise UnknownName(
            f"there is no decided question {ref!r}", where=books.review.questionnaire.file, remedy="`trustops status` lists them."
        )
    if answer is None or record.version is None:
        raise Locked("no answer was drafted, so there is nothing to approve", where=ref, remedy="Run `trustops recheck` for it.")
    return answer


def _same(answer: AnswerVersion, version: int | None) -> None:
    if version is None:
        raise StaleVersion("which version is meant?", where=answer.question, remedy=f"Write {answer.question}@{answer.version}.")
    if version != answer.version:
        raise StaleVersion(
            f"version {version} is not the current one, that is {answer.version}",
            where=answer.question,
            remedy=f"Read it with `trustops show {answer.question}`, then approve {answer.question}@{answer.version}.",
        )


def _not_blocked(office: Office, books: Books, ref: str) -> None:
    now = standing(office, books, ref)
    open_reasons = [reason for reason in now.gate.reasons if reason not in OF_APPROVAL]
    if now.approval is ApprovalStatus.LOCKED or open_reasons:
        codes = sorted({f.code.value for f in books.records[ref].result.findings if f.blocks})
        raise Locked(
            f"blocked by {', '.join(codes or open_reasons)}",
            where=ref,
            remedy=f"`trustops show {ref}` says what to do about each finding." if codes else f"Run `trustops recheck {ref}`.",
        )


def _second_person(office: Office, books: Books, ref: str, answer: AnswerVersion, by: str) -> None:
    needed = office.rules.second_person_for_all or books.records[ref].risk == "HIGH"
    if needed and answer.author == by:
        raise NotAllowed("nobody approves the own edit of this answer", where=ref, remedy="Ask another approver.")


def _record(
    office: Office, books: Books, answer: AnswerVersion, by: str, role: Role, identity: Identity, verdict: Verdict, reason: str = ""
) -> Approval:
    approval = Approval(
        question=answer.question,
        version=answer.version,
        digest=answer.computed_digest(),
        verdict=verdict,
        by=by,
        role=role,
        identity=identity,
        at=office.clock.now(),
        reason=reason,
        execution_mode=mode_of(books, books.records[answer.question]).value,
    )
    office.ledger.append_approval(books.review.id, approval)
    office.ledger.append_event(
        books.records[answer.question].run, verdict.value.lower(), question=answer.question, data={"version": answer.version, "by": by}
    )
    return approval
