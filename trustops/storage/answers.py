"""Answer versions, approvals and exports."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval, Confirmation
from trustops.ports import ExportRecord
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given
from trustops.storage.decoded import answer_of, approval_of

NEWEST_ANSWERS = select(t.answers.c.body).where(t.answers.c.org == ORG, t.answers.c.review == given("review")).order_by(t.answers.c.version)
ANSWERS = NEWEST_ANSWERS.where(t.answers.c.question == given("question"))
APPROVALS = select(t.approvals.c.body).where(t.approvals.c.org == ORG, t.approvals.c.review == given("review")).order_by(t.approvals.c.seq)
LAST_APPROVAL = select(func.max(t.approvals.c.seq)).where(
    t.approvals.c.org == ORG, t.approvals.c.review == given("review"), t.approvals.c.question == given("question")
)
CONFIRMATIONS = select(t.confirmations.c.body).where(t.confirmations.c.org == ORG, t.confirmations.c.review == given("review"))
CONFIRMED = CONFIRMATIONS.where(*(t.confirmations.c[name] == given(name) for name in ("question", "digest", "basis")))
PLACEMENTS = select(t.placements.c.export).where(t.placements.c.org == ORG)
EXPORTS = select(t.exports.c.body).where(t.exports.c.org == ORG, t.exports.c.review == given("review")).order_by(t.exports.c.at)


class AnswerLedger(Book):
    """Answer versions, approvals and exports of the reviews."""

    def append_answer(self, review: str, answer: AnswerVersion) -> None:
        """A second row of the same version is refused by the key: two editors cannot both become version 4."""
        body = answer.model_dump_json()
        self.add(t.answers, review=review, question=answer.question, version=answer.version, digest=answer.digest, body=body)

    def latest_answers(self, review: str) -> dict[str, AnswerVersion]:
        """The newest version of each question, by ref."""
        found = self.all(NEWEST_ANSWERS, review=review)
        return {answer.question: answer for row in found if (answer := answer_of(row.body))}

    def answers(self, review: str, question: str) -> tuple[AnswerVersion, ...]:
        """All versions of one question, oldest first."""
        found = self.all(ANSWERS, review=review, question=question)
        return tuple(answer_of(row.body) for row in found)

    def append_approval(self, review: str, approval: Approval) -> None:
        with self.writing(durable=True):
            seq = (self.all(LAST_APPROVAL, review=review, question=approval.question)[0][0] or 0) + 1
            body = approval.model_dump_json()
            self.add(t.approvals, review=review, question=approval.question, seq=seq, digest=approval.digest, body=body)

    def latest_approvals(self, review: str) -> dict[str, Approval]:
        """The newest approval or rejection of each question, by ref."""
        found = self.all(APPROVALS, review=review)
        return {approval.question: approval for row in found if (approval := approval_of(row.body))}

    def append_confirmation(self, review: str, confirmation: Confirmation) -> bool:
        """What was found for a version on a state of the facts. False where that is on record already; nothing changes then."""
        with self.writing():
            key = {name: getattr(confirmation, name) for name in ("question", "digest", "basis")}
            if self.all(CONFIRMED, review=review, **key):
                return False
            self.add(t.confirmations, review=review, **key, body=confirmation.model_dump_json())
            return True

    def confirmations(self, review: str) -> tuple[Confirmation, ...]:
        """Everything that was reconfirmed or lapsed, in no order."""
        return tuple(Confirmation.model_validate_json(row.body) for row in self.all(CONFIRMATIONS, review=review))

    def append_export(self, export: ExportRecord) -> None:
        self.add(t.exports, id=export.id, review=export.review, at=export.at.isoformat(), body=export.model_dump_json())

    def append_placement(self, export: str, *, at: datetime) -> None:
        """An export's files are in place; noting it again changes nothing."""
        with self.writing():
            if export not in self.placements():
                self.add(t.placements, export=export, at=at.isoformat())

    def placements(self) -> frozenset[str]:
        """Ids of the exports whose files are in place."""
        return frozenset(str(row.export) for row in self.all(PLACEMENTS))

    def exports(self, review: str) -> tuple[ExportRecord, ...]:
        return tuple(ExportRecord.model_validate_json(row.body) for row in self.all(EXPORTS, review=review))
