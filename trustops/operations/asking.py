"""Asking: a customer's follow-up to a question. It becomes a question of its own, with a case of its own, and is worked, judged, approved
and exported like any other; what went before is context for the seats and evidence for nobody.
"""

from __future__ import annotations

import csv
import io
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustops.domain.answer import AnswerVersion
from trustops.domain.chain import sha256
from trustops.domain.errors import NothingCleared, Refused, StaleVersion, TrustOpsError, UnknownName, UsageError
from trustops.domain.question import Exchange, Follows, Question, Questionnaire
from trustops.domain.trust_review import QuestionStatus
from trustops.facts.hidden import invisible, mixed_alphabets
from trustops.operations.books import open_books
from trustops.operations.exporting import Exported, export
from trustops.operations.office import Office
from trustops.operations.standing import Standing, standing
from trustops.ports import StoredReview

LONGEST = 2_000
"""Characters of a follow-up."""
MOST = 50
"""Follow-ups to one question; who asks more asks something else by now."""
HEADER = ("ID", "Question", "Answer")


@dataclass(frozen=True, slots=True)
class Turn:
    """One follow-up with where it stands. `reasons` say why it may not leave, and are empty where it may; `text` is there only where it has
    left, on record."""

    case: StoredReview
    question: Question
    standing: Standing
    text: str
    reasons: tuple[str, ...]


def ask(office: Office, review: StoredReview, ref: str, text: str, seen: str | None = None) -> StoredReview:
    """The case of a follow-up, ready to be run: the one that there is for these words, or a new one.

    `review` and `ref` name the question, or an earlier follow-up to it; `seen` is the digest of the answer to it that the person read,
    empty where there was none, and None where nobody says. Raises UsageError for a text that cannot be a question, UnknownName for one
    that is not there, Refused where it was never answered, StaleVersion where its answer is another one than was seen.
    """
    asked = readable(text)
    root, parent = root_of(office, review, ref)
    if parent not in office.ledger.latest_records(root.id):
        raise Refused(
            "nobody can follow up on a question that was never answered",
            where=parent,
            remedy="`trustops review` or `recheck` runs it first.",
        )
    with office.ledger.writing(durable=True):
        _must_be(office, review, ref, seen)
        before = conversation(office, root, parent)
        known = next((case for case in before if case.questionnaire.questions[0].text == asked), None)
        if known is not None:
            return known
        if len(before) >= MOST:
            raise Refused(f"there are {MOST} follow-ups to it already", where=parent, remedy="Take the rest in as a questionnaire.")
        case, data = _case(office, root, parent, asked, before)
        office.ledger.put_blob(data)
        office.ledger.append_review(case)
    return case


def _must_be(office: Office, review: StoredReview, ref: str, seen: str | None) -> None:
    """A customer asks back about what a person read: another answer by now may have made the question idle."""
    versions = office.ledger.answers(review.id, ref) if seen is not None else ()
    if seen is not None and (versions[-1].digest if versions else "") != seen:
        raise StaleVersion("the answer is another one now", where=ref, remedy="Read it again, then ask.")


def readable(text: str) -> str:
    """The words of a follow-up without the space around them; raises UsageError for what nobody can read as a question."""
    asked = text.strip()
    where = "the follow-up"
    if not asked or not any(character.isalnum() for character in asked):
        raise UsageError("there is nothing to answer", where=where, remedy="Write the customer's question.")
    if len(asked) > LONGEST:
        remedy = "Ask one thing at a time, or take it in as a questionnaire."
        raise UsageError(f"it has {len(asked)} characters, and {LONGEST} are read", where=where, remedy=remedy)
    if invisible(asked) or any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in asked):
        raise UsageError("it holds characters that nobody sees", where=where, remedy="Type the question instead of copying it.")
    if mixed := mixed_alphabets(asked):
        raise UsageError(f"{mixed[0]!r} mixes alphabets that look alike", where=where, remedy="Type the question instead of copying it.")
    return asked


def root_of(office: Office, review: StoredReview, ref: str) -> tuple[StoredReview, str]:
    """The review and question with which the conversation began."""
    if all(question.ref != ref for question in review.questionnaire.questions):
        raise UnknownName(f"there is no question {ref!r}", where=review.questionnaire.file, remedy="`trustops status` lists the refs.")
    if review.follows is None:
        return review, ref
    root = office.ledger.get_review(review.follows.review)
    if root is None:
        raise TrustOpsError("the review that it follows is not on record", where=review.id, remedy="Restore the ledger from a backup.")
    return root, review.follows.question


def conversation(office: Office, root: StoredReview, ref: str) -> tuple[StoredReview, ...]:
    """The follow-ups to a question so far, oldest first."""
    mine = [case for case in office.ledger.follow_ups(root.id) if case.follows is not None and case.follows.question == ref]
    return tuple(sorted(mine, key=lambda case: case.follows.number if case.follows else 0))


def _case(office: Office, root: StoredReview, parent: str, asked: str, before: tuple[StoredReview, ...]) -> tuple[StoredReview, bytes]:
    """A file of one question, read back as any customer's file is, and its case."""
    number = len(before) + 1
    ref = f"{parent}+{number}"
    data = _file(ref, asked)
    name = f"{Path(root.questionnaire.file).stem}.follow-up-{number}.csv"
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / name
        path.write_bytes(data)
        read: Questionnaire = office.formats.read(path)
    if len(read.questions) != 1 or read.questions[0].text != asked or not read.questions[0].answers:
        raise UsageError("it cannot be read back as one question", where="the follow-up", remedy="Write it as one plain sentence.")
    question = read.questions[0].model_copy(update={"ref": ref, "conversation": tuple(_so_far(office, root, parent, before))})
    case = StoredReview(
        id=f"F-{sha256(root.id.encode() + data)[:12]}",
        organisation=office.organisation,
        questionnaire=read.model_copy(update={"questions": (question,)}),
        created_at=office.clock.now(),
        follows=Follows(review=root.id, question=parent, number=number),
    )
    return case, data


def _file(ref: str, asked: str) -> bytes:
    written = io.StringIO(newline="")
    csv.writer(written).writerows([HEADER, (ref, asked, "")])
    return written.getvalue().encode()


def _so_far(office: Office, root: StoredReview, parent: str, before: tuple[StoredReview, ...]) -> Iterator[Exchange]:
    """Every turn with what the customer was told: only what left is part of a conversation with a customer."""
    first = next(question for question in root.questionnaire.questions if question.ref == parent)
    yield Exchange(asked=first.text, answered=_told(office, root, parent))
    for case in before:
        question = case.questionnaire.questions[0]
        yield Exchange(asked=question.text, answered=_told(office, case, question.ref))


def _told(office: Office, review: StoredReview, ref: str) -> str:
    sent = [str(a["digest"]) for export in office.ledger.exports(review.id) for a in export.answers if a["question"] == ref]
    versions: dict[str, AnswerVersion] = {version.digest: version for version in office.ledger.answers(review.id, ref)}
    return versions[sent[-1]].text if sent and sent[-1] in versions else ""


def turns(office: Office, root: StoredReview, ref: str) -> tuple[Turn, ...]:
    """Where every follow-up to a question stands, at one moment."""
    with office.ledger.reading():
        return tuple(turn(office, case) for case in conversation(office, root, ref))


def turn(office: Office, case: StoredReview) -> Turn:
    """One follow-up as it stands now."""
    question = case.questionnaire.questions[0]
    books = open_books(office, case, only=frozenset([question.ref]))
    now = standing(office, books, question.ref)
    cleared = now.gate.state == "OPEN"
    answer = books.answers.get(question.ref) if cleared and now.status is QuestionStatus.EXPORTED else None
    return Turn(case, question, now, answer.text if answer else "", () if cleared else tuple(now.gate.reasons))


def turn_report(now: Turn) -> dict[str, Any]:
    """One follow-up for machines: what was asked, what was said before, and where it stands."""
    follows = now.case.follows
    return {
        "ref": now.question.ref,
        "review": now.case.id,
        "follows": follows.model_dump() if follows else None,
        "conversation": [turn.model_dump() for turn in now.question.conversation],
        "status": now.standing.status.value,
        "cleared": not now.reasons,
        "blocked_because": list(now.reasons),
        "text": now.text or None,
    }


def conversation_report(office: Office, review: StoredReview, ref: str) -> dict[str, Any]:
    """The follow-ups to a question, or to the one that it follows, oldest first."""
    root, parent = root_of(office, review, ref)
    found = [{**turn_report(each), "asked": each.question.text} for each in turns(office, root, parent)]
    return {"review": root.id, "question": parent, "follow_ups": found}


def send(office: Office, case: StoredReview, out: Path, *, to: str, by: str = "") -> tuple[Exported, Turn]:
    """The answer to a follow-up leaves, through the export and its gate. Raises NothingCleared with the gate's reasons, and nothing is
    written then."""
    try:
        made = export(office, case, out, to=to, by=by)
    except NothingCleared as stays:
        now = turn(office, case)
        why = ", ".join(now.reasons) or stays.message
        remedy = f"`trustops show {now.question.ref}` says what each of them waits for."
        raise NothingCleared(f"it may not leave: {why}", where=now.question.ref, remedy=remedy) from stays
    return made, turn(office, case)
