"""The payload's exhibits as domain nouns again, read into statements with their stance to each ask."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from trustops.domain.chain import sha256
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Document, Passage, PriorAnswer
from trustops.domain.question import Question
from trustops.facts.asked import Ask, asks_of
from trustops.facts.nouns import Names
from trustops.facts.sentence import read
from trustops.facts.testimony import Statement, newest_answers, read_dossier
from trustops.facts.verdict import Stance, stance
from trustops.facts.words import words

BRIEF = 12
"""Content words that a sentence may hold before what it says beside the ask counts against quoting it."""


@dataclass(frozen=True, slots=True)
class Sided:
    """A statement and how it stands to one ask."""

    statement: Statement
    stance: Stance

    own: int
    wanted: bool

    @property
    def weight(self) -> tuple[int, int, int, int]:
        """Which statement to quote first: one that gives the wanted kind of fact and shares more of the ask in its own words without
        saying much else (in tenths, so that equal ones stay equal), is of higher authority, is shorter."""
        told = self.stance.shared + self.own + 2 * self.wanted
        aside = max(0, len(self.statement.sentence.words) - BRIEF)
        return 10 * told - aside, self.own, self.statement.authority, -len(self.statement.text)


def side(statement: Statement, ask: Ask, names: Names) -> Sided:
    """A statement with its stance and what makes it worth quoting."""
    wanted = any(fact.kind in ask.wants for fact in statement.sentence.facts)
    return Sided(statement, stance(statement, ask, names), len(statement.sentence.words & ask.words), wanted)


def statements(payload: dict[str, Any], names: Names) -> tuple[tuple[Ask, ...], tuple[Statement, ...]]:
    """The asks and every statement of documents and earlier answers in the payload."""
    question = payload["question"]
    asks = asks_of(question["text"], names)
    priors = tuple(_prior(view) for view in payload.get("prior_answers", ()))
    dossier = Dossier(
        question=Question(ref=question["ref"], text=question["text"], sheet="", cell=""),
        asks=tuple(ask.text for ask in asks),
        passages=tuple(_passage(view) for view in payload.get("passages", ())),
        prior_answers=priors,
    )
    today = date.fromisoformat(payload["today"]) if "today" in payload else date.max.replace(year=9998)
    told = read_dossier(dossier, names, today=today, newest=newest_answers(priors, asks, names))
    return asks, (*told.statements, *(_reading(view, names) for view in payload.get("readings", ()) if view["says"]))


def sided(ask: Ask, found: tuple[Statement, ...], names: Names) -> list[Sided]:
    """Eligible statements that say something about the ask, best first."""
    sides = [side(s, ask, names) for s in found if s.eligible]
    return sorted((one for one in sides if one.stance.reads != "SILENT"), key=lambda one: one.weight, reverse=True)


def _reading(view: dict[str, Any], names: Names) -> Statement:
    """A control reading as the sentence that code wrote; a stale one states nothing."""
    sentence = read(view["says"], names, "reading")
    against = () if view["evaluation"] in ("PASS", "DRIFT") else (view["evaluation"],)
    context = words(f"{view['title']} {view['control'].replace('-', ' ')}", names)
    return Statement(view["id"], view["control"], "reading", "reading", 6, 0, len(view["says"]), sentence, context, against=against)


def _passage(view: dict[str, Any]) -> Passage:
    document = Document(
        path=view["file"],
        title=view["title"],
        kind=view["kind"],
        effective=view["effective"],
        expires=view["expires"],
        classification=view["classification"],
        products=tuple(view["products"]),
    )
    return Passage(
        id=view["id"],
        document=document,
        heading=tuple(view["heading"]),
        text=view["text"],
        locator="",
        concealed=view["concealed"],
        sha256=sha256(view["text"].encode()),
    )


def _prior(view: dict[str, Any]) -> PriorAnswer:
    return PriorAnswer(
        id=view["id"],
        file=view["file"],
        locator="",
        question=view["question"],
        answer=view["answer"],
        answered_on=view["answered_on"],
        sha256=sha256(view["answer"].encode()),
    )
