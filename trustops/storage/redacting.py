"""Redacting: the one verb that takes something out of the books. What was taken out, by whom and why is a record of the chain.

A payload of the audit chain goes, and with it the words of the row that it repeats. Everything else of that row stays, and so does the
digest in the chain. In SQLite the triggers that refuse UPDATE and DELETE are off inside this transaction only, which no other writer can
enter; in PostgreSQL three functions of the tables' owner do it, and nothing else (rowlevel.py).
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import delete, update
from sqlalchemy.engine import Connection

from trustops.domain.audit import AuditRecord
from trustops.domain.chain import digest
from trustops.domain.errors import Unavailable
from trustops.storage import tables as t
from trustops.storage.answers import APPROVALS
from trustops.storage.audit import CHAIN, AuditLedger
from trustops.storage.rowlevel import erase as erase_rows
from trustops.storage.rowlevel import take_out
from trustops.storage.sqlite import erase as erase_file
from trustops.storage.sqlite import unlocked

WORDS = "[redacted]"


class RedactingLedger(AuditLedger):
    """Takes the payload of one audit record out of the books, for good."""

    def redact(self, record: AuditRecord, *, by: str, at: datetime, reason: str) -> AuditRecord:
        """The payload, and the words of the row that it repeats. What it was taken out of stays in the chain by its digest."""
        with self.writing(durable=True), self._connection() as connection:
            if connection.dialect.name == "postgresql":
                take_out(connection, record, self._verdict_of(record), WORDS)
            else:
                with unlocked(connection, "audit_payloads", "approvals", "withdrawals"):
                    self._reworded(connection, record)
                    mine = (t.audit_payloads.c.org == self.org, t.audit_payloads.c.chain == CHAIN, t.audit_payloads.c.seq == record.seq)
                    connection.execute(delete(t.audit_payloads).where(*mine))
            told: dict[str, JsonValue] = {"record": record.seq, "payload_sha256": record.payload_sha256, "reason": reason}
            return self.append_audit("redacted", actor=by, payload=told, at=at)

    def _reworded(self, connection: Connection, record: AuditRecord) -> None:
        """The reason in the ledger's own row of a rejection or a withdrawal."""
        payload = record.payload or {}
        if (verdict := self._verdict_of(record)) is not None:
            seq, kept = verdict
            review, question = str(payload.get("review")), str(payload.get("question"))
            mine = (t.approvals.c.org == self.org, t.approvals.c.review == review, t.approvals.c.question == question)
            body = json.dumps({**kept, "reason": WORDS}, ensure_ascii=False)
            connection.execute(update(t.approvals).where(*mine, t.approvals.c.seq == seq).values(body=body))
        elif record.kind == "withdrawn":
            named = t.withdrawals.c.prior_answer == str(payload.get("prior_answer"))
            connection.execute(update(t.withdrawals).where(t.withdrawals.c.org == self.org, named).values(reason=WORDS))

    def _verdict_of(self, record: AuditRecord) -> tuple[int, dict[str, Any]] | None:
        """The rejection that a record repeats, with its number; None where it repeats none."""
        payload = record.payload or {}
        if record.kind != "rejected":
            return None
        review, question = str(payload.get("review")), str(payload.get("question"))
        verdicts = [kept for row in self.all(APPROVALS, review=review) if (kept := json.loads(row.body))["question"] == question]
        numbered = enumerate(verdicts, start=1)
        return next(((seq, kept) for seq, kept in numbered if digest({"review": review, **kept}) == record.payload_sha256), None)

    def erase(self) -> None:
        """Rewrites what is on the disk, so that nothing of what was taken out is left in free pages or in SQLite's log. Raises Unavailable
        where that cannot be done now; then it can be repeated."""
        postgres = self.engine.dialect.name == "postgresql"
        if why := (erase_rows if postgres else erase_file)(self.engine):
            raise _held(why)


def _held(why: str) -> Unavailable:
    return Unavailable(
        f"it is out of the books, and the old bytes are still in the ledger's file ({why})",
        remedy="Stop the other process, then repeat the same command: it wipes them.",
    )
