"""The audit chain: who approved, rejected, edited, withdrew and exported what, each record bound to the one before it.

Every verb that a person answers for is written here a second time, in the same transaction. `hash` is SHA-256 over the RFC 8785 bytes
of the record (`domain/chain.py`); the payload stands in a table of its own, so that it can be redacted without breaking the chain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import select

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval
from trustops.domain.audit import AuditRecord, ChainState
from trustops.domain.chain import digest, genesis, link
from trustops.domain.credential import Credential
from trustops.domain.session import Link, Password, Session
from trustops.ports import ExportRecord
from trustops.storage import tables as t
from trustops.storage.answers import AnswerLedger
from trustops.storage.book import ORG
from trustops.storage.library import LibraryLedger
from trustops.storage.people import PeopleLedger
from trustops.storage.sessions import SessionLedger

CHAIN = "audit"
MINE = (t.audit.c.org == ORG, t.audit.c.chain == CHAIN)
LAST = select(t.audit).where(*MINE).order_by(t.audit.c.seq.desc()).limit(1)
PAYLOAD_OF = (
    (t.audit.c.org == t.audit_payloads.c.org) & (t.audit.c.chain == t.audit_payloads.c.chain) & (t.audit.c.seq == t.audit_payloads.c.seq)
)
ALL = (
    select(t.audit, t.audit_payloads.c.body)
    .select_from(t.audit.outerjoin(t.audit_payloads, PAYLOAD_OF))
    .where(*MINE)
    .order_by(t.audit.c.seq)
)
EXPORTS = select(t.exports.c.id, t.exports.c.at).where(t.exports.c.org == ORG).order_by(t.exports.c.at)
SHOWN = 12
"""Characters of a session's digest that the chain repeats."""
SEATS = "agents"
"""Author of the versions that the seats wrote; every other author is a person, and the version an edit."""


class AuditLedger(AnswerLedger, LibraryLedger, PeopleLedger, SessionLedger):
    """The verbs of answers, library and people, each with its audit record in the same transaction."""

    def append_answer(self, review: str, answer: AnswerVersion) -> None:
        with self.writing():
            super().append_answer(review, answer)
            if answer.author != SEATS:
                self.append_audit("edited", actor=answer.author, payload={"review": review, **_version(answer)}, at=answer.created_at)

    def append_approval(self, review: str, approval: Approval) -> None:
        with self.writing(durable=True):
            super().append_approval(review, approval)
            payload = {"review": review, **approval.model_dump(mode="json")}
            self.append_audit(approval.verdict.value.lower(), actor=approval.by, payload=payload, at=approval.at)

    def append_withdrawal(self, prior_answer: str, *, by: str, at: datetime, reason: str) -> None:
        with self.writing():
            super().append_withdrawal(prior_answer, by=by, at=at, reason=reason)
            self.append_audit("withdrawn", actor=by, payload={"prior_answer": prior_answer, "reason": reason}, at=at)

    def append_credential(self, credential: Credential) -> None:
        """The hash is not in the chain: who made a token for whom is."""
        with self.writing(durable=True):
            super().append_credential(credential)
            kind = "token_revoked" if credential.revoked else "token_issued"
            told: dict[str, JsonValue] = {"person": credential.person, "id": credential.id, "label": credential.label}
            told |= {"scopes": [scope.value for scope in credential.scopes]}
            self.append_audit(kind, actor=credential.by, payload=told, at=credential.at)

    def append_password(self, password: Password) -> None:
        """The hash is not in the chain: who set whose password is."""
        with self.writing(durable=True):
            super().append_password(password)
            kind = "password_set" if password.argon2 else "password_removed"
            self.append_audit(kind, actor=password.by, payload={"person": password.person}, at=password.at)

    def append_link(self, link: Link) -> None:
        """That it was used is told by the password that was set with it."""
        with self.writing(durable=True):
            super().append_link(link)
            if not link.used:
                told: dict[str, JsonValue] = {"person": link.person, "until": link.expires_at.isoformat()}
                self.append_audit("link_issued", actor=link.by, payload=told, at=link.at)

    def append_session(self, session: Session) -> None:
        """A sign-in. What stands in the chain opens nothing: it is the beginning of a digest."""
        with self.writing(durable=True):
            super().append_session(session)
            told: dict[str, JsonValue] = {"session": session.id[:SHOWN], "how": session.how}
            self.append_audit("signed_in", actor=session.person, payload=told, at=session.at)

    def mark_session(self, id: str, kind: str, *, at: datetime) -> None:
        """The end of a session is on record, its uses are not."""
        with self.writing():
            super().mark_session(id, kind, at=at)
            held = self.get_session(id) if kind == "ended" else None
            if held is not None:
                self.append_audit("signed_out", actor=held.session.person, payload={"session": id[:SHOWN]}, at=at)

    def append_export(self, export: ExportRecord) -> None:
        with self.writing():
            super().append_export(export)
            payload = export.model_dump(mode="json", exclude={"receipt", "at"})
            self.append_audit("exported", actor=export.by, payload={**payload, "receipt_sha256": digest(export.receipt)}, at=export.at)

    def append_audit(self, kind: str, *, actor: str, payload: Mapping[str, JsonValue], at: datetime) -> AuditRecord:
        """The next record of the chain. Number and predecessor are taken under the write lock."""
        with self.writing():
            last = self.all(LAST)
            seq, prev = (last[0].seq + 1, last[0].hash) if last else (1, genesis(self.org, CHAIN))
            made = _sealed(seq, prev, at.astimezone(UTC).isoformat(), kind, actor, dict(payload))
            self.add(t.audit, **made.model_dump(exclude={"payload"}))
            self.add(t.audit_payloads, chain=CHAIN, seq=seq, body=json.dumps(made.payload, ensure_ascii=False))
        return made

    def audit(self) -> tuple[AuditRecord, ...]:
        """The whole chain, oldest first. A redacted payload is None."""
        return tuple(_record(dict(row._mapping)) for row in self.all(ALL))

    def latest_audit(self) -> AuditRecord | None:
        """The newest record without its payload, None where nothing is on record."""
        last = self.all(LAST)
        return _record({**last[0]._mapping, "body": None}) if last else None

    def verify_chain(self) -> ChainState:
        """Walks the chain from its genesis; the first record that does not fit is named by its number."""
        prev, records = genesis(self.org, CHAIN), self.audit()
        for seq, record in enumerate(records, start=1):
            problem = _problem(record, seq, prev)
            if problem:
                return _broken(seq, prev, problem)
            prev = record.hash
        told, gone = _redacted(records), [record.seq for record in records if record.payload is None]
        secret = next((seq for seq in gone if seq not in told), None)
        if secret is not None:
            return _broken(secret, prev, "its payload is gone, and no record says who redacted it")
        missing = self._not_in_chain(records)
        if missing:
            return _broken(len(records) + 1, prev, f"the export {missing} is on record and not in the chain, which was cut at its end")
        return ChainState(ok=True, records=len(records), head=prev, redacted=len(gone))

    def _not_in_chain(self, records: Sequence[AuditRecord]) -> str:
        """The first export since the chain began that the chain does not name; empty where it names all."""
        told = {str(record.payload.get("id")) for record in records if record.kind == "exported" and record.payload is not None}
        if not records:
            return ""
        since = datetime.fromisoformat(records[0].at)
        return next((str(row.id) for row in self.all(EXPORTS) if row.id not in told and datetime.fromisoformat(row.at) >= since), "")


def _redacted(records: Sequence[AuditRecord]) -> set[object]:
    """Numbers of the records whose payload a later record says was redacted."""
    return {record.payload.get("record") for record in records if record.kind == "redacted" and record.payload is not None}


def _broken(seq: int, head: str, problem: str) -> ChainState:
    return ChainState(ok=False, records=seq - 1, head=head, bad_seq=seq, problem=f"record {seq}: {problem}")


def _version(answer: AnswerVersion) -> dict[str, JsonValue]:
    return {"question": answer.question, "version": answer.version, "digest": answer.digest}


def _sealed(seq: int, prev: str, at: str, kind: str, actor: str, payload: dict[str, JsonValue]) -> AuditRecord:
    body = digest(payload)
    hashed = link(chain=CHAIN, seq=seq, prev=prev, at=at, kind=kind, actor=actor, payload_sha256=body)
    return AuditRecord(chain=CHAIN, seq=seq, prev=prev, at=at, kind=kind, actor=actor, payload_sha256=body, hash=hashed, payload=payload)


def _record(row: Mapping[str, Any]) -> AuditRecord:
    """As it stands in the file, unchecked: the walk along the chain says what is wrong with it."""
    kept: dict[str, Any] = {name: row[name] for name in AuditRecord.model_fields if name != "payload"}
    body = row["body"]
    try:
        payload = None if body is None else json.loads(str(body))
    except ValueError:
        payload = {"unreadable": str(body)}
    return AuditRecord.model_construct(**kept, payload=payload)


def _problem(record: AuditRecord, seq: int, prev: str) -> str:
    """What does not fit, in words; empty where all does. The row may hold anything: somebody may have written past the ledger."""
    if record.seq != seq:
        return f"number {record.seq} stands in its place, so a record was removed or renumbered"
    if record.prev != prev:
        return "it does not follow the record before it"
    return record.problem()
