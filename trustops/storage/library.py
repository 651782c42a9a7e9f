"""The answer library's withdrawals, what was indexed when, and the files themselves by digest."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from trustops.domain.chain import sha256
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

WITHDRAWN = select(t.withdrawals.c.prior_answer).where(t.withdrawals.c.org == ORG)
LAST_INDEX = select(t.indexes.c.seq, t.indexes.c.digest).where(t.indexes.c.org == ORG).order_by(t.indexes.c.seq.desc()).limit(1)
BLOB = select(t.blobs.c.data).where(t.blobs.c.org == ORG, t.blobs.c.sha256 == given("sha256"))


class LibraryLedger(Book):
    """Withdrawals, what was indexed, and blobs."""

    def append_withdrawal(self, prior_answer: str, *, by: str, at: datetime, reason: str) -> None:
        self.add(t.withdrawals, prior_answer=prior_answer, by=by, at=at.isoformat(), reason=reason)

    def withdrawals(self) -> frozenset[str]:
        """Ids of earlier answers that a person withdrew."""
        return frozenset(row.prior_answer for row in self.all(WITHDRAWN))

    def append_index(self, digest: str, *, at: datetime, passages: int) -> None:
        """What is indexed from now on; indexing the same again changes nothing."""
        with self.writing():
            last = self.all(LAST_INDEX)
            if not last or last[0].digest != digest:
                self.add(t.indexes, seq=last[0].seq + 1 if last else 1, digest=digest, at=at.isoformat(), passages=passages)

    def put_blob(self, data: bytes) -> str:
        """Keeps bytes by digest; keeping the same bytes again changes nothing."""
        name = sha256(data)
        with self.writing():  # looked for under the write lock, so that two who keep the same bytes do not meet
            if self.get_blob(name) is None:
                self.add(t.blobs, sha256=name, data=data)
        return name

    def get_blob(self, sha256: str) -> bytes | None:
        found = self.all(BLOB, sha256=sha256)
        return found[0].data if found else None
