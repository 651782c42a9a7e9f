"""The answer library: what was promised earlier. Exported answers enter it when a person adds them, and a person withdraws them.

Nothing enters by itself and nothing without approval: what is added are the answers of one export, and only approved answers leave.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from trustops.checks.consistency import opposing
from trustops.domain.answer import AnswerVersion
from trustops.domain.chain import sha256
from trustops.domain.errors import Refused, UnknownName
from trustops.domain.evidence import PriorAnswer
from trustops.operations.editing import editor
from trustops.operations.fetching import export_named
from trustops.operations.office import Office
from trustops.operations.recalling import recalls
from trustops.operations.timing import present
from trustops.ports import ExportRecord, StoredReview
from trustops.workflow.casework import material_claims

HEADER = ("Question", "Answer", "Answered on", "Customer", "Owner", "Review by", "Source review")
LEAST = 2
"""Words that two earlier answers must share to be compared: a person looks at each pair, so that rather too many are shown."""
_LEAD = re.compile(r"\s*(?:(yes|是)|(no|否))(?![^\W\d_])", re.IGNORECASE)


def entries(office: Office) -> tuple[PriorAnswer, ...]:
    """All earlier answers as the files say now; withdrawn ones are marked."""
    withdrawn = office.ledger.withdrawals()
    return tuple(a.model_copy(update={"withdrawn": a.id in withdrawn}) for a in office.reader.read_answers(office.workspace))


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
        office.ledger.append_withdrawal(answer, by=person, at=present(office), reason=reason)
    return found


def expired(office: Office, today: date) -> tuple[PriorAnswer, ...]:
    """Earlier answers whose review date is past, and that nobody withdrew."""
    return tuple(a for a in entries(office) if a.review_by is not None and a.review_by < today and not a.withdrawn)


def expire(office: Office, today: date, *, by: str) -> tuple[PriorAnswer, ...]:
    """Withdraws every earlier answer whose review date is past, in the name of a person; all of them or none."""
    person = editor(office, by)
    with office.ledger.writing(durable=True):
        found = expired(office, today)
        for answer in found:
            reason = f"its review date {answer.review_by} is past"
            office.ledger.append_withdrawal(answer.id, by=person, at=present(office), reason=reason)
    return found


@dataclass(frozen=True, slots=True)
class Added:
    """What entered the library, and which answers of the export did not, since they no longer hold."""

    file: Path
    answers: tuple[str, ...]
    left_out: tuple[str, ...]


def add(office: Office, export: str, *, by: str, owner: str, review_by: date) -> Added:
    """Writes the answers of an export to the folder of earlier answers, with owner, review date and source. Raises UnknownName for no
    such export, Refused where it was added already or none of its answers holds."""
    person = editor(office, by)
    review, record = export_named(office, export)
    untrue = {(r.review, r.question, r.version) for r in recalls(office)}
    sent = [(str(a["question"]), int(str(a["version"]))) for a in record.answers]
    holding = [pair for pair in sent if (review.id, *pair) not in untrue]
    file = office.workspace / "answers" / f"{record.at:%Y-%m-%d}-{_slug(record.to)}-{record.id.lower()}.csv"
    if file.exists():
        raise Refused("the answers of this export are in the library already", where=file.name)
    if not holding:
        raise Refused("none of its answers holds today", where=record.id, remedy="`trustops recall` says why.")
    versions = [_version(office, review, *pair) for pair in holding]
    data = _table(review, record, versions, owner, review_by)
    file.parent.mkdir(exist_ok=True)
    with office.bundles.waiting() as files:
        files.write({file: data})
        with office.ledger.writing(durable=True):
            payload = {"export": record.id, "file": file.name, "sha256": sha256(data), "owner": owner, "review_by": review_by.isoformat()}
            office.ledger.append_audit("library_added", actor=person, payload=payload, at=office.clock.now())
        files.place()
    return Added(file, tuple(ref for ref, _ in holding), tuple(ref for ref, version in sent if (ref, version) not in holding))


def _version(office: Office, review: StoredReview, ref: str, version: int) -> AnswerVersion:
    return next(a for a in office.ledger.answers(review.id, ref) if a.version == version)


def _table(review: StoredReview, record: ExportRecord, versions: Iterable[AnswerVersion], owner: str, review_by: date) -> bytes:
    asked = {question.ref: question.text for question in review.questionnaire.questions}
    written = io.StringIO(newline="")
    rows = csv.writer(written)
    rows.writerow(HEADER)
    for version in versions:
        rows.writerow(
            (asked[version.question], version.text, record.at.date().isoformat(), record.to, owner, review_by.isoformat(), review.id)
        )
    return written.getvalue().encode()


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "customer"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two earlier answers that cannot stand beside each other. `kind` is CONTRADICTION or DUPLICATE; `words` are what clashes."""

    kind: str
    left: PriorAnswer
    right: PriorAnswer
    words: tuple[str, str]


def conflicts(office: Office) -> tuple[Pair, ...]:
    """Contradictions and duplicates among the earlier answers that nobody withdrew. Not seen: a bare "Yes" against a sentence that denies
    it under another question."""
    held = [a for a in entries(office) if not a.withdrawn]
    told = [(a, material_claims(a.answer, office.names)) for a in held]
    found = []
    for at, (left, mine) in enumerate(told):
        for right, theirs in told[at + 1 :]:
            words = opposing(mine, theirs, office.names, LEAST) or _leads(left, right)
            if words:
                found.append(Pair("CONTRADICTION", left, right, words))
            elif _plain(left.question) == _plain(right.question) and _plain(left.answer) == _plain(right.answer):
                found.append(Pair("DUPLICATE", left, right, (left.answer, right.answer)))
    return tuple(found)


def _leads(left: PriorAnswer, right: PriorAnswer) -> tuple[str, str] | None:
    """The same question, once with yes and once with no."""
    if _plain(left.question) != _plain(right.question):
        return None
    a, b = _LEAD.match(left.answer), _LEAD.match(right.answer)
    return (left.answer, right.answer) if a and b and bool(a[1]) is not bool(b[1]) else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
