"""Redacting: words that should never have been written are taken out of the books, by an admin and with a reason.

What can go are the words that people wrote beside a decision: the reason of a rejection or of a withdrawal, and the note of what entered
the library. What an approval, an edit or an export covers cannot: what left stands on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from trustops.domain.approval import Identity, Role
from trustops.domain.audit import AuditRecord
from trustops.domain.credential import Scope
from trustops.domain.errors import NotAllowed, Refused, UnknownName
from trustops.operations.office import Office
from trustops.operations.signing_in import identity_of
from trustops.operations.timing import present

REDACTABLE = frozenset({"rejected", "withdrawn", "library_added"})
SIGNING_IN = (
    "token_issued",
    "token_revoked",
    "password_set",
    "password_removed",
    "link_issued",
    "signed_in",
    "signed_out",
    "sign_in_failed",
)
WHY_NOT = {
    "approved": "an approval's digest is what exports stand on",
    "approved_earlier": "an approval's digest is what exports stand on",
    "edited": "an edit's digest is what approvals stand on, and there are no words in it",
    "exported": "what left is on record for good: the customer holds it, and its bundle names this record",
    "redacted": "what was redacted, by whom and why stays on record",
    **dict.fromkeys(SIGNING_IN, "who could sign in is what authenticated approvals stand on"),
}


@dataclass(frozen=True, slots=True)
class Redacted:
    """What was taken out, and the record that says so. `again`: it was gone before, and only the file was wiped."""

    record: AuditRecord
    by: AuditRecord
    again: bool


def redact(office: Office, seq: int, *, by: str, reason: str) -> Redacted:
    """Takes the payload of one audit record out of the books and wipes the ledger's file. Doing it again wipes the file again.

    Raises NotAllowed for anybody but an admin, UnknownName where there is no such record, Refused for one that must stay, and
    Unavailable where the file could not be wiped yet.
    """
    _admin(office, by)
    if not reason.strip():
        raise Refused("a redaction needs a reason", where=f"record {seq}", remedy="Say with --reason why; the reason stays on record.")
    with office.ledger.writing(durable=True):
        records = {record.seq: record for record in office.ledger.audit()}
        record = records.get(seq)
        if record is None:
            raise UnknownName(f"there is no record {seq}", where=office.organisation, remedy="`trustops audit list` shows them.")
        before = next((r for r in records.values() if r.kind == "redacted" and (r.payload or {}).get("record") == seq), None)
        if before is None:
            _permitted(record)
            told = office.ledger.redact(record, by=by, at=present(office), reason=reason.strip())
    office.ledger.erase()
    return Redacted(record, before or told, before is not None)


def _permitted(record: AuditRecord) -> None:
    if record.kind not in REDACTABLE:
        why = WHY_NOT.get(record.kind, "nothing in it was written by a person beside a decision")
        raise Refused(f"a record of the kind {record.kind!r} is not redacted: {why}", where=f"record {record.seq}")
    if record.payload is None or record.problem():
        raise Refused(f"it is not as it was written ({record.problem() or 'its payload is gone'})", where=f"record {record.seq}")


def _admin(office: Office, by: str) -> None:
    identity = identity_of(office, by, Scope.ADMIN)
    if office.people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} is no admin of this organisation", remedy="See [people] in trustops.toml.")
    if office.rules.authenticated_only and identity is not Identity.AUTHENTICATED:
        raise NotAllowed("this organisation wants people authenticated", remedy="Set TRUSTOPS_TOKEN or give --sign-in.")
