"""Sessions of browsers: when each was opened, last used and ended. Nothing is updated: a use and an end are rows of their own."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select

from trustops.domain.session import Held, Session
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

ONE = select(t.sessions.c.body).where(t.sessions.c.org == ORG, t.sessions.c.id == given("id"))
OF = select(t.sessions.c.id).where(t.sessions.c.org == ORG, t.sessions.c.person == given("person")).order_by(t.sessions.c.at)
MARKS = (
    select(t.session_marks.c.kind, t.session_marks.c.at)
    .where(t.session_marks.c.org == ORG, t.session_marks.c.session == given("id"))
    .order_by(t.session_marks.c.seq)
)
LAST = select(func.max(t.session_marks.c.seq)).where(t.session_marks.c.org == ORG, t.session_marks.c.session == given("id"))


class SessionLedger(Book):
    """Sessions by the digest of their secret."""

    def append_session(self, session: Session) -> None:
        """A person signed in."""
        self.add(t.sessions, id=session.id, person=session.person, at=session.at.isoformat(), body=session.model_dump_json())

    def mark_session(self, id: str, kind: str, *, at: datetime) -> None:
        """`seen` or `ended`; the caller says when it is worth a row."""
        with self.writing():
            seq = (self.all(LAST, id=id)[0][0] or 0) + 1
            self.add(t.session_marks, session=id, seq=seq, kind=kind, at=at.isoformat())

    def get_session(self, id: str) -> Held | None:
        """The session as it stands; None where there is none of this digest."""
        with self.reading():
            found = self.all(ONE, id=id)
            if not found:
                return None
            session = Session.model_validate_json(found[0].body)
            marks = self.all(MARKS, id=id)
        seen = [datetime.fromisoformat(mark.at) for mark in marks if mark.kind == "seen"]
        return Held(session=session, seen=max([session.at, *seen]), ended=any(mark.kind == "ended" for mark in marks))

    def sessions(self, person: str) -> tuple[Held, ...]:
        """All sessions that a person ever had, oldest first."""
        with self.reading():
            return tuple(held for row in self.all(OF, person=person) if (held := self.get_session(row.id)) is not None)
