"""A bench for finders: one invented museum shop, its papers and readings, made in a line each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import sha256
from trustops.domain.claim import Citation, Claim
from trustops.domain.control import Control, ControlReading, ControlSource, Expectation, Measure, Risk, Snapshot
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Classification, Document, EvidenceKind, Passage, PriorAnswer
from trustops.domain.finding import Finding
from trustops.domain.question import AnswerCell, PartKind, Question
from trustops.facts.asked import Ask, asks_of
from trustops.facts.nouns import Names, Sentence
from trustops.facts.sentence import read
from trustops.facts.testimony import Statement, Testimony, newest_answers, read_dossier

NAMES = Names(
    own=("Lanternhall",), products=("Lanternhall Tickets",), affiliates=("Lanternhall Nordic",), subcontractors=("Castor Haulage",)
)
TODAY = date(2031, 6, 15)
AT = datetime(2031, 6, 15, 9, 30, tzinfo=UTC)


def document(path: str = "evidence/paper.md", **changes: Any) -> Document:
    """A shareable policy in force."""
    given: dict[str, Any] = {
        "path": path,
        "title": "",
        "kind": EvidenceKind.POLICY,
        "effective": date(2031, 1, 1),
        "expires": date(2032, 1, 1),
        "classification": Classification.SHAREABLE,
    }
    return Document(**{**given, **changes})


def passage(
    text: str,
    path: str = "evidence/paper.md",
    *,
    name: str = "",
    heading: tuple[str, ...] = (),
    concealed: bool = False,
    **changes: Any,
) -> Passage:
    """One passage of a document; `changes` are the document's."""
    held = document(path, **changes)
    key = name or f"P-{sha256((path + text).encode())[:8]}"
    return Passage(id=key, document=held, heading=heading, text=text, locator="line 1", concealed=concealed, sha256=sha256(text.encode()))


def prior(question: str, answer: str, *, on: date | None = date(2030, 5, 1), name: str = "A-1", withdrawn: bool = False) -> PriorAnswer:
    """An answer given to an earlier customer."""
    digest = sha256(answer.encode())
    return PriorAnswer(
        id=name,
        file=f"answers/{name}.csv",
        locator="row 2",
        question=question,
        answer=answer,
        answered_on=on,
        withdrawn=withdrawn,
        sha256=digest,
    )


def control(name: str = "vault-doors", **changes: Any) -> Control:
    """A ratio that must be whole, read from a file."""
    given: dict[str, Any] = {
        "id": name,
        "title": "Vault doors that are locked",
        "topics": ("vault doors",),
        "scope": "all_vaults",
        "measure": Measure(ratio=("locked", "doors")),
        "expect": Expectation(equals=1),
        "max_age": timedelta(hours=24),
        "risk": Risk.LOW,
        "source": ControlSource(collector="file", path="snapshots/vault-doors.json"),
    }
    return Control(**{**given, **changes})


def snapshot(values: dict[str, Any], name: str = "vault-doors", *, at: datetime = AT - timedelta(hours=1), version: int = 1) -> Snapshot:
    """A reading that was taken an hour before the run."""
    return Snapshot(
        control=name,
        version=version,
        observed_at=at,
        collected_at=at,
        values=values,
        collector="file",
        source_mode=SourceMode.RECORDED,
        sha256=sha256(repr(values).encode()),
    )


def dossier(question: str, *exhibits: Passage | PriorAnswer | ControlReading) -> Dossier:
    """A sealed case file for one question with a yes/no cell and a text cell."""
    cells = (
        AnswerCell(part="choice", sheet="S", cell="C2", kind=PartKind.CHOICE, vocabulary=("Yes", "No")),
        AnswerCell(part="text", sheet="S", cell="D2", kind=PartKind.TEXT),
    )
    return Dossier(
        question=Question(ref="L-1", text=question, sheet="S", cell="B2", answers=cells),
        asks=tuple(ask.text for ask in asks(question)),
        passages=tuple(e for e in exhibits if isinstance(e, Passage)),
        prior_answers=tuple(e for e in exhibits if isinstance(e, PriorAnswer)),
        readings=tuple(e for e in exhibits if isinstance(e, ControlReading)),
    )


def asks(question: str) -> tuple[Ask, ...]:
    """What the question asks, by rules."""
    return asks_of(question, NAMES)


def hearing(question: str, *exhibits: Passage | PriorAnswer | ControlReading) -> Testimony:
    """The exhibits read into statements, as compare does."""
    case = dossier(question, *exhibits)
    return read_dossier(case, NAMES, today=TODAY, newest=newest_answers(case.prior_answers, asks(question), NAMES))


def statements(question: str, *texts: str, **changes: Any) -> tuple[Statement, ...]:
    """One document a text, all eligible."""
    papers = [passage(text, f"evidence/paper-{at}.md", name=f"P-{at}", **changes) for at, text in enumerate(texts)]
    return hearing(question, *papers).statements


def said(*texts: str) -> list[Sentence]:
    """Sentences of an answer."""
    return [read(text, NAMES, "answer") for text in texts]


def claim(text: str, *citations: tuple[str, str]) -> Claim:
    """A claim with (exhibit, quote) pairs."""
    return Claim(text=text, citations=tuple(Citation(exhibit=exhibit, quote=quote) for exhibit, quote in citations))


def codes(findings: Iterable[Finding]) -> list[str]:
    """The codes, in order."""
    return [finding.code.value for finding in findings]
