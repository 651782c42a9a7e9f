"""Reconfirming: after the index or a reading changed, approved answers are judged anew by code, and what was found is on record."""

from __future__ import annotations

from pydantic import JsonValue

from trustops.domain.approval import Confirmation, Verdict
from trustops.operations.books import Books, current_answer, instant_of, open_books
from trustops.operations.office import Office
from trustops.ports import StoredReview


def reconfirm(office: Office, review: StoredReview, unread: frozenset[str] = frozenset()) -> tuple[Confirmation, ...]:
    """Every approved current version on today's facts. What stands gives the event `approval_reconfirmed`, what does not
    `approval_lapsed`; both once for a state of the facts. Without an approval, or where nothing changed, nothing is done. `unread` are
    controls whose sources gave nothing."""
    if not office.ledger.latest_approvals(review.id):
        return ()
    books = open_books(office, review, unread)
    found = _approved(office, books)  # before the transaction: repeating takes time that no other writer should wait for
    with office.ledger.writing(durable=True):
        for confirmation in found:
            if not office.ledger.append_confirmation(review.id, confirmation):
                continue
            kind = "approval_reconfirmed" if confirmation.stands else "approval_lapsed"
            run = books.records[confirmation.question].run
            data: dict[str, JsonValue] = {"digest": confirmation.digest, "differences": list(confirmation.differences)}
            office.ledger.append_event(run, kind, question=confirmation.question, data=data)
    return tuple(found)


def _approved(office: Office, books: Books) -> list[Confirmation]:
    found = []
    for ref, approval in sorted(books.approvals.items()):
        record, answer = books.records.get(ref), current_answer(books, ref)
        if record is None or answer is None or approval.verdict is not Verdict.APPROVED or approval.digest != books.digest(answer):
            continue
        at = instant_of(office, books.runs.get(record.run))
        confirmation = books.confirming.of(record, answer, at, approval.digest)
        if confirmation.basis != record.basis:
            found.append(confirmation)
    return found
