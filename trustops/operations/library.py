"""The answer library: a person withdraws an earlier promise; nothing else retires it."""

from __future__ import annotations

from trustops.domain.errors import Refused, UnknownName
from trustops.domain.evidence import PriorAnswer
from trustops.operations.editing import editor
from trustops.operations.office import Office


def withdraw(office: Office, answer: str, *, by: str, reason: str) -> PriorAnswer:
    """Withdraws one earlier answer, with a reason; it cannot be withdrawn twice."""
    person = editor(office, by)
    if not reason.strip():
        raise Refused("a withdrawal needs a reason", where=answer, remedy="Give --reason.")
    found = next((a for a in office.reader.read_answers(office.workspace) if a.id == answer), None)
    if found is None:
        raise UnknownName(f"there is no earlier answer {answer!r}", remedy="`trustops library list` shows their ids.")
    with office.ledger.writing(durable=True):
        if answer in office.ledger.withdrawals():
            raise Refused("it is withdrawn already", where=answer)
        office.ledger.append_withdrawal(answer, by=person, at=office.clock.now(), reason=reason)
    return found
