"""Redacting: the one verb that takes something out of the books. What was taken out, by whom and why is a record of the chain.

A payload of the audit chain goes, and with it the words of the row that it repeats. Everything else of that row stays, and so does the
digest in the chain. The triggers that refuse UPDATE and DELETE are off inside this transaction only, which no other writer can enter.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import delete, text, update

from trustops.domain.audit import AuditRecord
from trustops.domain.chain import digest
from trustops.domain.errors import Unavailable
from trustops.storage import tables as t
from trustops.storage.answers import APPROVALS
from trustops.storage.audit import CHAIN, AuditLedger

WORDS = "[redacted]"


class RedactingLedger(AuditLedger):
    """Takes the payload of one audit record out of the books, for good."""

    def redact(self, record: AuditRecord, *, by: str, at: datetime, reason: str) -> AuditRecord:
        """The payload, and the words of the row that it repeats. What it was taken out of stays in the chain by its digest."""
        with self.writing(durable=True):
            with self._unlocked("audit_payloads", "approvals", "withdrawals") as connection:
                self._reworded(connection, record)
                mine = (t.audit_payloads.c.org == self.org, t.audit_payloads.c.chain == CHAIN, t.audit_payloads.c.seq == record.seq)
                connection.execute(delete(t.audit_payloads).where(*mine))
            told: dict[str, JsonValue] = {"record": record.seq, "payload_sha256": record.payload_sha256, "reason": reason}
            return self.append_audit("redacted", actor=by, payload=told, at=at)

    def _reworded(self, connection: Any, record: AuditRecord) -> None:
        """The reason in the ledger's own row of a rejection or a withdrawal."""
        payload = record.payload or {}
        if record.kind == "rejected":
            review, question = str(payload.get("review")), str(payload.get("question"))
            verdicts = [kept for row in self.all(APPROVALS, review=review) if (kept := json.loads(row.body))["question"] == question]
            for seq, kept in enumerate(verdicts, start=1):
                if digest({"review": review, **kept}) == record.payload_sha256:
                    mine = (t.approvals.c.org == self.org, t.approvals.c.review == review, t.approvals.c.question == question)
                    body = json.dumps({**kept, "reason": WORDS}, ensure_ascii=False)
                    connection.execute(update(t.approvals).where(*mine, t.approvals.c.seq == seq).values(body=body))
        elif record.kind == "withdrawn":
            named = t.withdrawals.c.prior_answer == str(payload.get("prior_answer"))
            connection.execute(update(t.withdrawals).where(t.withdrawals.c.org == self.org, named).values(reason=WORDS))

    @contextmanager
    def _unlocked(self, *tables: str) -> Iterator[Any]:
        """Without the triggers of these tables; they are back before the transaction ends, whatever happens in between."""
        with self._connection() as connection:
            query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN (SELECT value FROM json_each(:names))")
            triggers = connection.execute(query, {"names": json.dumps(tables)}).all()
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
            for name, _ in triggers:
                connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
            yield connection
            for _, sql in triggers:
                connection.exec_driver_sql(sql)

    def erase(self) -> None:
        """Rewrites the file, so that nothing of what was taken out is left in free pages or in the log. Raises Unavailable where another
        process has it open in the middle of something; then it can be repeated."""
        with self.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            try:
                raw.execute("PRAGMA secure_delete=ON")
                raw.execute("VACUUM")
                busy, log, moved = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as held:
                raise _held(str(held)) from held
        if busy or log != moved:
            raise _held("another process reads it")


def _held(why: str) -> Unavailable:
    return Unavailable(
        f"it is out of the books, and the old bytes are still in the ledger's file ({why})",
        remedy="Stop the other process, then repeat the same command: it wipes them.",
    )
