"""Approving and rejecting: one person, one answer version, everything its digest covers (invariants 1, 2, 11 and 12)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import MAY_APPROVE, Approval, ApprovalStatus, Identity, Role, Validity, Verdict
from trustops.domain.credential import Scope
from trustops.domain.errors import Locked, NotAllowed, Refused, StaleVersion, UnknownName
from trustops.operations.books import Books, current_answer, instant_of, mode_of, open_books
from trustops.operations.differing import OF_FACTS, between, since_checked
from trustops.operations.office import Office
from trustops.operations.signing_in import identity_of
from trustops.operations.standing import Standing, standing
from trustops.operations.timing import present
from trustops.ports import StoredReview

OF_APPROVAL = frozenset(
    {
        "NOT_APPROVED",
        "REJECTED",
        "APPROVAL_STALE",
        "APPROVAL_EXPIRED",
        "APPROVAL_NOT_YET",
        "APPROVER_NOT_ALLOWED",
        "IDENTITY_NOT_AUTHENTICATED",
        "SECOND_PERSON_NEEDED",
    }
)
"""Reasons of the gate that an approval itself settles; any other one is a reason not to approve."""


def approve(
    office: Office,
    review: StoredReview,
    ref: str,
    version: int | None,
    *,
    by: str,
    digest: str | None = None,
) -> Approval:
    """Approves the current version of one question, for everything that its digest covers (`covered` says it in words).

    `version`, and `digest` where one is given, must name what is current: approving something else than what one saw is refused with
    StaleVersion, which names every difference. So is a version whose facts changed since it was checked. The same approval by the
    same person again is the first one, and nothing is written.
    """
    role, identity = _approver(office, by)
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        answer = _current(books, ref)
        _same(office, books, answer, version, digest)
        _not_blocked(office, books, ref, answer)
        _second_person(office, books, ref, answer, by)
        return _given(office, books, answer, by, identity) or _record(office, books, answer, by, role, identity, Verdict.APPROVED)


def approve_green(office: Office, review: StoredReview, *, by: str, seen: Mapping[str, str] | None = None) -> tuple[Approval, ...]:
    """Approves every PASS answer that is pending, each recorded by itself. HIGH, PARTIAL and warned answers are never among them. With
    `seen` only those whose digest is the one that the person saw, by ref."""
    role, identity = _approver(office, by)
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        return tuple(
            _record(office, books, books.answers[ref], by, role, identity, Verdict.APPROVED)
            for ref in sorted(books.records)
            if _green(office, books, ref, by) and (seen is None or seen.get(ref) == books.answers[ref].digest)
        )


def reject(office: Office, review: StoredReview, ref: str, *, by: str, reason: str) -> Approval:
    """Rejects the current version of one question, with a reason that the analyst will read."""
    role, identity = _approver(office, by)
    if not reason.strip():
        raise Refused("a rejection needs a reason", where=ref, remedy="Say with --reason what must change.")
    with office.ledger.writing(durable=True):
        books = open_books(office, review)
        answer, newest = _current(books, ref), books.approvals.get(ref)
        told = (Verdict.REJECTED, answer.digest, by, identity, reason)
        if newest is not None and (newest.verdict, newest.digest, newest.by, newest.identity, newest.reason) == told:
            return newest  # the same rejection again, after a crash or a second click
        return _record(office, books, answer, by, role, identity, Verdict.REJECTED, reason)


def covered(office: Office, review: StoredReview, approval: Approval) -> tuple[str, ...]:
    """What an approval stands for, in words; all of it is in the digest. Empty where its version is not on record."""
    versions = office.ledger.answers(review.id, approval.question)
    return next((_in_words(version) for version in versions if version.version == approval.version), ())


def _in_words(answer: AnswerVersion) -> tuple[str, ...]:
    readings = (f"{r.control} {r.in_words}" for r in answer.readings)
    warnings = sorted({f.code.value for f in answer.findings})
    return (
        f"{answer.determination.value}: “{answer.text}”",
        f"cells {', '.join(v.cell for v in answer.cells) or 'none'}",
        f"{len(answer.claims)} claims on {len(answer.passages)} cited texts",
        f"readings {', '.join(readings) or 'none'}",
        f"findings {', '.join(warnings) or 'none'}",
        f"rules {answer.gate_version}",
    )


def _approver(office: Office, by: str) -> tuple[Role, Identity]:
    """Role and identity of who approves or rejects."""
    identity, role = identity_of(office, by, Scope.APPROVE), office.people.get(by)
    if role is None:
        raise NotAllowed(f"{by!r} is not among the people of this organisation", remedy="Enter the person under [people] in trustops.toml.")
    if role not in MAY_APPROVE:
        raise NotAllowed(f"{by} is {role.value} and may not approve", remedy="Ask somebody with the role approver or admin.")
    if office.rules.authenticated_only and identity is not Identity.AUTHENTICATED:
        raise NotAllowed(
            "this organisation accepts authenticated approvals only",
            remedy="`--by` alone is asserted: set TRUSTOPS_TOKEN or give --sign-in. `trustops people issue NAME` makes a token.",
        )
    return role, identity


def _current(books: Books, ref: str) -> AnswerVersion:
    record, answer = books.records.get(ref), current_answer(books, ref)
    if record is None:
        raise UnknownName(
            f"there is no decided question {ref!r}", where=books.review.questionnaire.file, remedy="`trustops status` lists them."
        )
    if answer is None:
        raise Locked("no answer was drafted, so there is nothing to approve", where=ref, remedy="Run `trustops recheck` for it.")
    if books.digest(answer) != answer.digest:
        raise Refused(
            f"version {answer.version} is not as it was written: its digest is another one",
            where=ref,
            remedy="Somebody changed the ledger's file. Restore it from a backup; `trustops doctor` checks the audit chain.",
        )
    return answer


def _same(office: Office, books: Books, answer: AnswerVersion, version: int | None, digest: str | None) -> None:
    ref = answer.question
    if version is None:
        raise StaleVersion("which version is meant?", where=ref, remedy=f"Write {ref}@{answer.version}.")
    if version == answer.version and (digest is None or answer.digest.startswith(digest)):
        return
    seen = next((v for v in office.ledger.answers(books.review.id, ref) if v.version == version), None)
    changed = f": {'; '.join(between(seen, answer))}" if seen is not None and seen.version != answer.version else ""
    named = f"version {version}" if version != answer.version else f"digest {digest}"
    raise StaleVersion(
        f"{named} is not the current one, that is {answer.version} with digest {answer.digest[:16]}{changed}",
        where=ref,
        remedy=f"Read it with `trustops show {ref}`, then approve {ref}@{answer.version}.",
    )


def _not_blocked(office: Office, books: Books, ref: str, answer: AnswerVersion) -> None:
    now = standing(office, books, ref)
    reasons = _against(office, books, now, ref, answer)
    codes = sorted({f.code.value for f in books.records[ref].result.findings if f.blocks})
    if codes or now.approval is ApprovalStatus.LOCKED:
        told = ", ".join(codes or reasons) or "the decision"
        raise Locked(f"blocked by {told}", where=ref, remedy=f"`trustops show {ref}` says what to do about each finding.")
    if reasons and set(reasons) <= OF_FACTS:
        told = "; ".join(since_checked(office, books, answer, reasons))
        raise StaleVersion(
            f"version {answer.version} was checked on other facts: {told}", where=ref, remedy=f"`trustops recheck {ref}` answers it anew."
        )
    if reasons:
        raise Locked(f"blocked by {', '.join(reasons)}", where=ref, remedy=f"Run `trustops recheck {ref}`.")


def _against(office: Office, books: Books, now: Standing, ref: str, answer: AnswerVersion) -> tuple[str, ...]:
    """The gate's reasons that no approval settles. An approval is given on today's facts, so they are confirmed here first."""
    record = books.records[ref]
    stands = books.confirming.of(record, answer, instant_of(office, books.runs.get(record.run)), books.digest(answer)).stands
    found = [reason for reason in now.gate.reasons if reason not in OF_APPROVAL]
    return tuple(dict.fromkeys(found if stands else [*found, "NOT_RECONFIRMED"]))


def _green(office: Office, books: Books, ref: str, by: str) -> bool:
    """Whether an answer may be approved in bulk: PASS, waiting, and nothing at all against it."""
    now, answer = standing(office, books, ref), current_answer(books, ref)
    if books.records[ref].result.decision.value != "PASS" or answer is None or books.digest(answer) != answer.digest:
        return False
    if now.approval not in (ApprovalStatus.PENDING, ApprovalStatus.INVALIDATED):
        return False
    own = office.rules.second_person_for_all and answer.author == by
    return not own and not _against(office, books, now, ref, answer)


def _second_person(office: Office, books: Books, ref: str, answer: AnswerVersion, by: str) -> None:
    needed = office.rules.second_person_for_all or books.records[ref].risk == "HIGH"
    if needed and answer.author == by:
        raise NotAllowed("nobody approves the own edit of this answer", where=ref, remedy="Ask another approver.")


def _given(office: Office, books: Books, answer: AnswerVersion, by: str, identity: Identity) -> Approval | None:
    """The same approval, where it is in force already."""
    newest = books.approvals.get(answer.question)
    if newest is None or newest.verdict is not Verdict.APPROVED or newest.validity(office.clock.now()) is not Validity.IN_FORCE:
        return None
    same = (newest.digest, newest.version, newest.by, newest.identity) == (answer.digest, answer.version, by, identity)
    return newest if same else None


def _record(
    office: Office, books: Books, answer: AnswerVersion, by: str, role: Role, identity: Identity, verdict: Verdict, reason: str = ""
) -> Approval:
    now = present(office)
    approval = Approval(
        question=answer.question,
        version=answer.version,
        digest=books.digest(answer),
        verdict=verdict,
        by=by,
        role=role,
        identity=identity,
        at=now,
        reason=reason,
        execution_mode=mode_of(books, books.records[answer.question]).value,
        expires_at=now + timedelta(days=office.rules.approval_days) if verdict is Verdict.APPROVED else None,
    )
    office.ledger.append_approval(books.review.id, approval)
    office.ledger.append_event(
        books.records[answer.question].run, verdict.value.lower(), question=answer.question, data={"version": answer.version, "by": by}
    )
    return approval
