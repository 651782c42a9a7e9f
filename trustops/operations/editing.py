"""Editing: a person's version. Unchanged sentences keep their citations, others need one; rules and Reviewer look again."""

from __future__ import annotations

from collections.abc import Sequence

from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.approval import MAY_EDIT
from trustops.domain.claim import Basis, Citation
from trustops.domain.dossier import exhibit_text
from trustops.domain.errors import NotAllowed, UnknownName, UsageError
from trustops.domain.opinion import AnswerDraft, DraftClaim, DraftPart
from trustops.domain.question import PartKind
from trustops.facts.split import split
from trustops.operations.office import Office
from trustops.ports import QuestionRecord


def editor(office: Office, by: str) -> str:
    """The person's name, where the person may edit."""
    role = office.people.get(by)
    if role is None or role not in MAY_EDIT:
        raise NotAllowed(f"{by!r} may not edit answers", remedy="Enter the person under [people] in trustops.toml as analyst, approver or admin.")
    return by


def edited_draft(
    record: QuestionRecord,
    before: AnswerVersion | None,
    *,
    text: str,
    choice: str | None,
    determination: Determination | None,
    cite: Sequence[str],
) -> AnswerDraft:
    """The person's words as a draft, to be checked like any other. `cite` names exhibits of the question's dossier."""
    kept = {claim.text: claim for claim in before.claims} if before else {}
    added = tuple(Citation(exhibit=name, quote=_whole(record, name)) for name in cite)
    claims = []
    for span in split(text):
        sentence = span.text
        known = kept.get(sentence) or next((c for t, c in kept.items() if t in sentence), None)
        citations = known.citations if known else added
        claims.append(DraftClaim(text=sentence, basis=known.basis if known else Basis.POLICY, citations=citations[:6]))
    if added and before:  # what is cited now is offered to every sentence; code picks what supports it
        claims = [c.model_copy(update={"citations": tuple(dict.fromkeys((*c.citations, *added)))[:6]}) for c in claims]
    verdicts = tuple([determination] * len(record.asks or ("",))) if determination else tuple(a.determination for a in before.asks) if before else ()
    if not verdicts:
        raise UsageError("there is no earlier version to take the determination from", where=record.question, remedy="Give --determination.")
    return AnswerDraft(determinations=verdicts, text=text, pivot="", parts=_parts(record, before, choice), attachments=(), claims=tuple(claims))


def _whole(record: QuestionRecord, name: str) -> str:
    exhibit = record.dossier.exhibits.get(name)
    if exhibit is None:
        raise UnknownName(f"{name!r} is not in the dossier of this question", where=record.question, remedy="`trustops show` lists its exhibits.")
    return exhibit_text(exhibit)[:4000]


def _parts(record: QuestionRecord, before: AnswerVersion | None, choice: str | None) -> tuple[DraftPart, ...]:
    kept = {v.part: v.value for v in before.cells if v.kind not in (PartKind.TEXT, PartKind.CHOICE)} if before else {}
    if choice is not None:
        part = next((a.part for a in record.dossier.question.answers if a.kind is PartKind.CHOICE), "choice")
        kept[part] = choice
    return tuple(DraftPart(part=part, value=value) for part, value in kept.items())


