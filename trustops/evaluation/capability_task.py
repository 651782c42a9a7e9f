"""What a capability case gives: a question with its cells, documents and earlier answers beside the organisation's, or a long dossier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from trustops.domain.base import Noun
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile
from trustops.domain.evidence import Classification, Document, EvidenceKind, Passage, PriorAnswer
from trustops.domain.question import Exchange, PartKind
from trustops.evaluation.case import Case
from trustops.evaluation.cases import GivenAnswer, GivenDocument
from trustops.evaluation.lined import first_error
from trustops.facts.nouns import Names
from trustops.facts.words import words
from trustops.ports import EvidenceIndex

T = TypeVar("T")
FILLER = (
    "The {n} planting bed in the courtyard was moved by {m} metres after the spring meeting of the garden committee.",
    "Menu {n} of the canteen lists soup, bread and {m} kinds of salad for the summer weeks.",
    "Parking bay {n} is reserved for bicycles, and {m} hooks were added below the stairs.",
    "Choir rehearsal {n} takes place in room {m}, and notes are lent out at the reception.",
)


class Cell(Noun):
    """An answer cell of the task."""

    part: str = "answer"
    kind: PartKind = PartKind.TEXT
    vocabulary: tuple[str, ...] = ()
    longest: int = 0


class Pad(Noun):
    """A long dossier: so many tokens of unrelated passages, and where among them what the searches found stands."""

    tokens: int = Field(ge=1000, le=128_000)
    place: Literal["start", "middle", "end"]


class Supplied(Noun):
    """A skill that is let in by force: its text in the task of a seat."""

    text: str
    seat: Literal["commander", "policy", "control", "answer", "reviewer"] = "answer"


class DirectCall(Noun):
    """A call of a skill by a seat outside of any plan."""

    seat: str
    skill: str
    query: str


class Task(Noun):
    """What a capability case gives (`input`)."""

    question: str = Field(min_length=1)
    cells: tuple[Cell, ...] = (Cell(),)
    conversation: tuple[Exchange, ...] = ()
    documents: tuple[GivenDocument, ...] = ()
    prior_answers: tuple[GivenAnswer, ...] = ()
    alone: bool = False
    """Without the demo organisation's documents, earlier answers and controls."""
    seats: dict[str, dict[str, Any]] = {}
    """By seat: `plan` (Commander's, in place of its own), `proposes`, `reply` (any JSON or text), `invalid_first`, `fails` (a kind)."""
    model: Literal["", "obedient", "hostile"] = ""
    pad: Pad | None = None
    supplied: Supplied | None = None
    calls: tuple[DirectCall, ...] = ()


def task_of(case: Case) -> Task:
    """A case's input; raises MalformedFile with its key."""
    try:
        return Task.model_validate(case.input)
    except ValidationError as bad:
        place, told = first_error(bad)
        key = ".".join(map(str, place))
        remedy = f"A task holds {', '.join(Task.model_fields)}."
        raise MalformedFile(f"{case.case_id}: input.{key}: {told}", where="golden/capability", remedy=remedy) from bad


def index_of(base: EvidenceIndex, task: Task) -> EvidenceIndex:
    """The index as the task's searches find it."""
    made: EvidenceIndex = base
    if task.documents or task.prior_answers or task.alone:
        passages = tuple(passage for document in task.documents for passage in _passages(document))
        made = Beside(None if task.alone else base, passages, tuple(_prior(a, at) for at, a in enumerate(task.prior_answers)))
    return Padded(made, task.pad) if task.pad is not None else made


def _passages(given: GivenDocument) -> tuple[Passage, ...]:
    """One passage a paragraph."""
    document = Document(
        path=f"evidence/{given.path}",
        title=given.title or given.path,
        kind=EvidenceKind(given.kind),
        effective=given.effective,
        expires=given.expires,
        classification=Classification(given.classification),
        sha256=sha256(given.text.encode()),
    )
    blocks = [block.strip() for block in given.text.split("\n\n") if block.strip() and not block.startswith("#")]
    return tuple(_passage(document, block, at) for at, block in enumerate(blocks))


def _passage(document: Document, text: str, at: int) -> Passage:
    name = sha256(f"{document.path}:{at}:{text}".encode())[:12]
    return Passage(id=f"P-{name}", document=document, text=text, locator=f"paragraph {at + 1}", sha256=sha256(text.encode()))


def _prior(given: GivenAnswer, at: int) -> PriorAnswer:
    told = f"{given.question}:{given.answer}"
    return PriorAnswer(
        id=f"A-{sha256(told.encode())[:12]}",
        file="answers/earlier.csv",
        locator=f"row {at + 2}",
        question=given.question,
        answer=given.answer,
        customer=given.customer,
        answered_on=given.answered_on,
        sha256=sha256(told.encode()),
    )


class Beside:
    """An index with a few passages and earlier answers beside another one (or alone); what shares most words comes first."""

    def __init__(self, base: EvidenceIndex | None, passages: tuple[Passage, ...], priors: tuple[PriorAnswer, ...]) -> None:
        self._base, self._passages, self._priors = base, passages, priors

    def rebuild(self, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer]) -> None:
        """Nothing: it is made for one task."""

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]:
        found = _best(query, [(p, " ".join((*p.heading, p.document.title, p.text))) for p in self._passages])
        rest = self._base.search(query, limit=limit) if self._base is not None else ()
        return tuple(dict.fromkeys((*found, *rest)))[:limit]

    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]:
        found = _best(query, [(a, f"{a.question} {a.answer}") for a in self._priors])
        rest = self._base.search_prior(query, limit=limit) if self._base is not None else ()
        return tuple(dict.fromkeys((*found, *rest)))[:limit]

    def get_passage(self, id: str) -> Passage | None:
        own = next((passage for passage in self._passages if passage.id == id), None)
        return own or (self._base.get_passage(id) if self._base is not None else None)

    def passages(self) -> tuple[Passage, ...]:
        return (*self._passages, *(self._base.passages() if self._base is not None else ()))

    def prior_answers(self) -> tuple[PriorAnswer, ...]:
        return (*self._priors, *(self._base.prior_answers() if self._base is not None else ()))

    def digest(self) -> str:
        return sha256("".join(p.sha256 for p in self.passages()).encode())


def _best(query: str, held: Sequence[tuple[T, str]]) -> list[T]:
    asked = words(query, Names())
    ranked = sorted(((len(asked & words(text, Names())), -at) for at, (_, text) in enumerate(held)), reverse=True)
    return [held[-at][0] for shared, at in ranked if shared]


class Padded(Beside):
    """Every search finds what it found, at the start, in the middle or at the end of so many tokens of unrelated passages."""

    def __init__(self, base: EvidenceIndex, pad: Pad) -> None:
        super().__init__(base, (), ())
        self._filler, self._place = fillers(pad.tokens), pad.place

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]:
        found = super().search(query, limit=limit)
        at = {"start": 0, "middle": len(self._filler) // 2, "end": len(self._filler)}[self._place]
        return (*self._filler[:at], *found, *self._filler[at:])


def fillers(tokens: int) -> tuple[Passage, ...]:
    """Unrelated passages of about so many tokens (four characters each), the same every time."""
    document = Document(path="evidence/house-notes.md", title="House notes", kind=EvidenceKind.RECORD, sha256=sha256(b"house notes"))
    made: list[Passage] = []
    size = 0
    while size < tokens * 4:
        at = len(made)
        lines = [FILLER[(at + line) % len(FILLER)].format(n=7 * at + line + 1, m=3 * line + 2) for line in range(20)]
        made.append(_passage(document, "\n".join(lines), at))
        size += len(made[-1].text)
    return tuple(made)
