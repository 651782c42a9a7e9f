"""The audit chain as nouns: its records, and how a walk along it ended."""

from __future__ import annotations

from pydantic import JsonValue

from trustops.domain.base import Noun
from trustops.domain.chain import digest, link


class AuditRecord(Noun):
    """One link of the audit chain (architecture.md, "Audit trail"). `payload` is None where it was redacted or is kept apart."""

    chain: str
    seq: int
    prev: str
    at: str
    kind: str
    actor: str
    payload_sha256: str
    hash: str
    payload: dict[str, JsonValue] | None = None

    def problem(self) -> str:
        """What is wrong with this record by itself, in words; empty where nothing is."""
        fields = self.model_dump(exclude={"hash", "payload"}, warnings=False)
        try:
            if self.payload is not None and digest(self.payload) != self.payload_sha256:
                return "its payload is not the one that its digest names"
            return "" if link(**fields) == self.hash else "its content was changed after it was written"
        except ValueError as bad:
            return f"it cannot be read ({bad})"


class ChainState(Noun):
    """How a walk along the audit chain ended. `head` is the hash of the last record that fits."""

    ok: bool
    records: int
    head: str
    redacted: int = 0
    bad_seq: int | None = None
    problem: str = ""
