"""The labelled answers of tests/data/answers, each tried before the gate (scheme: README.md there).

An honest answer cites all its sentences, as a careful drafter does. A near-lie may choose: it has left when any choice leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.adversarial.judge import AT, Attempt, Court, House, draft, selections
from trustops.checks.drift import evaluate
from trustops.domain.answer import Determination
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import sha256
from trustops.domain.claim import Citation
from trustops.domain.control import Control, ControlReading, ControlSource, Expectation, Measure, Risk, Snapshot
from trustops.domain.evidence import Classification, Document, EvidenceKind, Passage
from trustops.facts.nouns import Names

FOLDER = Path(__file__).parents[1] / "data" / "answers"


@dataclass(frozen=True, slots=True)
class Case:
    """One question, the sentences that may be cited, an answer, and whether it should pass."""

    id: str
    kind: str
    honest: bool
    attempt: Attempt
    house: House


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a case, and what blocked it."""

    case: Case
    left: bool
    codes: tuple[str, ...]


def cases(name: str = "own.yaml") -> tuple[Case, ...]:
    """All cases of a file."""
    told = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    meta = told["meta"]
    names = Names(own=tuple(meta["own"]), products=tuple(meta["products"]), subcontractors=tuple(meta["subcontractors"]))
    return tuple(_case(entry, names) for entry in told["cases"])


def _case(entry: Mapping[str, Any], names: Names) -> Case:
    papers = tuple(_paper(paper, at) for at, paper in enumerate(entry["ev"]))
    readings = (_reading(entry["reading"]),) if "reading" in entry else ()
    attempt = Attempt(entry["class"], entry["q"], Determination(entry["d"]), entry["a"])
    return Case(entry["id"], entry["class"], entry["label"] == "pass", attempt, House(names, papers, readings=readings))


def _paper(given: str | Mapping[str, Any], at: int) -> Passage:
    told: Mapping[str, Any] = {"text": given} if isinstance(given, str) else given
    held = Document(
        path=f"evidence/paper-{at}.md",
        title="",
        kind=EvidenceKind(told.get("kind", "policy")),
        effective=AT.date().replace(year=2030),
        expires=AT.date().replace(year=2032),
        classification=Classification.SHAREABLE,
    )
    text = told["text"]
    return Passage(
        id=f"P-{at}", document=held, heading=tuple(told.get("head", ())), text=text, locator="line 1", sha256=sha256(text.encode())
    )


def _reading(told: Mapping[str, Any]) -> ControlReading:
    """A fresh passing reading: `days` is a value, `ratio` a part and a whole."""
    ratio = "ratio" in told
    control = Control(
        id="reading",
        title=told["title"],
        topics=(told["topic"],),
        measure=Measure(ratio=("held", "whole")) if ratio else Measure(value="days"),
        expect=Expectation(equals=1) if ratio else Expectation(at_most=10_000),
        max_age=timedelta(hours=24),
        risk=Risk.LOW,
        source=ControlSource(collector="file", path="snapshots/reading.json"),
    )
    values: dict[str, Any] = dict(zip(("held", "whole"), told["ratio"], strict=True)) if ratio else {"days": told["days"]}
    when = AT - timedelta(hours=1)
    snapshot = Snapshot(
        control=control.id, version=1, observed_at=when, collected_at=when, values=values, collector="file",
        source_mode=SourceMode.RECORDED, sha256=sha256(repr(values).encode()),
    )  # fmt: skip
    return evaluate(control, snapshot, AT)


def tried(case: Case) -> Tried:
    """The case before the gate."""
    court = Court(case.house)
    opened = court.case(case.attempt)
    everything = tuple(Citation(exhibit=s.exhibit, quote=s.text) for s in opened.testimony.statements if s.eligible)
    choices: Iterable[tuple[Citation, ...]] = [everything] if case.honest else [everything, *selections(opened, case.attempt)]
    codes: tuple[str, ...] = ()
    for cited in choices:
        left, codes = court.judge(opened, draft(opened, case.attempt, cited))
        if left:
            return Tried(case, True, codes)
    return Tried(case, False, codes)
