"""One question's case as its page shows it: what would be said, what it rests on, what stands against it, and who did what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from trustops.checks.drift import expectation_text
from trustops.console.pages.quotes import Piece, quoted
from trustops.domain.answer import AnswerVersion
from trustops.domain.authenticity import SEATS
from trustops.domain.control import ControlReading
from trustops.domain.dossier import Dossier, exhibit_place, exhibit_text
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.finding import Finding
from trustops.domain.question import PartKind, Question
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.ports import QuestionRecord


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Something of the dossier: `pieces` is its text with the quotes marked, `kind` passage, earlier answer or reading."""

    id: str
    kind: str
    file: str
    locator: str
    heading: str
    about: str
    pieces: tuple[Piece, ...]
    cited: bool
    withdrawable: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a conflict."""

    exhibit: str
    file: str
    locator: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """Two quotes that cannot both be relied on."""

    kind: str
    resolved: bool
    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Reading:
    """A control's reading in the dossier."""

    control: str
    title: str
    evaluation: str
    value: str
    expected: str
    why: str
    source_mode: str
    snapshot: int | None
    observed_at: Any


@dataclass(slots=True)
class Seat:
    """A seat's part of the trace: its outcome, what it called, what it asked a model."""

    name: str
    outcome: str = ""
    skills: list[SkillInvocation] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)


def exhibits(dossier: Dossier, answer: AnswerVersion | None) -> tuple[Exhibit, ...]:
    """Everything in the dossier, what the answer cites first and in the order in which it does."""
    quotes: dict[str, list[str]] = defaultdict(list)
    for citation in (c for claim in (answer.claims if answer else ()) for c in claim.citations):
        quotes[citation.exhibit].append(citation.quote)
    order = [*(name for name in quotes if name in dossier.exhibits), *(name for name in dossier.exhibits if name not in quotes)]
    return tuple(_exhibit(name, dossier, quotes.get(name, ())) for name in order)


def _exhibit(name: str, dossier: Dossier, quotes: Sequence[str]) -> Exhibit:
    held = dossier.exhibits[name]
    file, locator = exhibit_place(held)
    kind = "passage" if isinstance(held, Passage) else "earlier answer" if isinstance(held, PriorAnswer) else "reading"
    return Exhibit(
        id=name,
        kind=kind,
        file=file,
        locator=locator,
        heading=" › ".join(held.heading) if isinstance(held, Passage) else held.question if isinstance(held, PriorAnswer) else "",
        about=_about(held),
        pieces=quoted(exhibit_text(held), quotes),
        cited=bool(quotes),
        withdrawable=isinstance(held, PriorAnswer) and not held.withdrawn,
    )


def _about(held: Passage | PriorAnswer | ControlReading) -> str:
    if isinstance(held, Passage):
        document = held.document
        until = f", until {document.expires}" if document.expires else ""
        told = f"{document.kind.value.replace('_', ' ')}, {document.effective or 'undated'}{until}, {document.classification.value}"
        return f"{told}, hidden from a reader" if held.concealed else told
    if isinstance(held, PriorAnswer):
        return f"given to {held.customer or 'a customer'}, {held.answered_on or 'undated'}{', withdrawn' if held.withdrawn else ''}"
    return f"{held.control.title}, {held.evaluation.value}"


def conflicts(record: QuestionRecord) -> tuple[Clash, ...]:
    """The conflicts of the case, both sides with their whole text and the quote in it."""
    return tuple(
        Clash(str(row["kind"]), bool(row.get("resolved")), _side(record.dossier, row["left"]), _side(record.dossier, row["right"]))
        for row in record.conflicts
    )


def _side(dossier: Dossier, told: Any) -> Side:
    held, quote = dossier.exhibits.get(str(told["exhibit"])), str(told["quote"])
    if held is None:
        return Side(str(told["exhibit"]), "", "", (Piece(quote, "quote"),))
    pieces = quoted(exhibit_text(held), [quote])
    if all(piece.kind == "" for piece in pieces):
        pieces = (Piece(quote, "quote"),)
    return Side(str(told["exhibit"]), *exhibit_place(held), pieces)


def readings(dossier: Dossier) -> tuple[Reading, ...]:
    """The readings of the case."""
    return tuple(
        Reading(
            control=each.control.id,
            title=each.control.title,
            evaluation=each.evaluation.value,
            value=each.value,
            expected=expectation_text(each.control.expect, ratio=each.control.measure.ratio is not None),
            why=each.why,
            source_mode=each.snapshot.source_mode.value if each.snapshot else "",
            snapshot=each.snapshot.version if each.snapshot else None,
            observed_at=each.snapshot.observed_at if each.snapshot else None,
        )
        for each in dossier.readings
    )


def findings(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, what blocks first; of two that say the same, the one of the rules."""
    unique = {(f.code, f.summary): f for f in sorted(found, key=lambda f: f.source.value == "MODEL", reverse=True)}
    return tuple(sorted(unique.values(), key=lambda f: (not f.blocks, f.code.value)))


def trace(record: QuestionRecord, calls: Sequence[ModelCall], skills: Sequence[SkillInvocation]) -> tuple[Seat, ...]:
    """Who did what, seat by seat, in the order of the machine."""
    seats = {name: Seat(name) for name in SEATS}
    for task in record.agent_tasks:
        seats.setdefault(str(task["seat"]), Seat(str(task["seat"]))).outcome = str(task["outcome"])
    for call in calls:
        seats.setdefault(call.seat, Seat(call.seat)).calls.append(call)
    for skill in skills:
        seats.setdefault(skill.seat, Seat(skill.seat)).skills.append(skill)
    return tuple(seats.values())


def choices(question: Question) -> tuple[str, ...]:
    """The words that the question's list takes, empty where it has none."""
    return next((part.vocabulary for part in question.answers if part.kind is PartKind.CHOICE), ())
