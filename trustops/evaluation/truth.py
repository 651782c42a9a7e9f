"""Truth files: what a careful person would answer. Only this room opens them; code under test never does (product.md, contracts)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from trustops.domain.answer import Determination
from trustops.domain.base import Noun
from trustops.domain.claim import ConflictKind
from trustops.domain.control import Evaluation, Risk
from trustops.domain.errors import MalformedFile, UsageError
from trustops.domain.finding import FindingCode
from trustops.domain.risk_review import Decision
from trustops.evaluation.lined import LOADER


class TruthAnswer(Noun):
    cell: str
    part: str
    vocabulary: tuple[str, ...] = ()


class Quote(Noun):
    """A verbatim quote of a file; white space may differ."""

    file: str
    quote: str


class Expected(Noun):
    """The outcome of an honest run. `*_allowed` are what a good system may also reach."""

    determination: Determination
    determination_allowed: tuple[Determination, ...] = ()
    decision: Decision
    decision_allowed: tuple[Decision, ...] = ()
    findings: tuple[FindingCode, ...] = ()
    findings_allowed: tuple[FindingCode, ...] = ()
    evidence_any: tuple[Quote, ...] = ()
    contradicting: tuple[Quote, ...] = ()
    conflicts: tuple[ConflictKind, ...] = ()
    controls: tuple[str, ...] = ()
    control_evaluation: dict[str, Evaluation] = {}
    risk: Risk
    choice: str | None = None
    values: dict[str, int | str] = {}
    attachments: tuple[str, ...] = ()
    must_not_say: tuple[str, ...] = ()
    model_answer: str = ""
    recheck: dict[str, Any] | None = None
    why: str = ""


class DrillExpectation(Noun):
    decision: Decision
    findings: tuple[FindingCode, ...] = ()
    findings_one_of: tuple[FindingCode, ...] = ()
    findings_allowed: tuple[FindingCode, ...] = ()
    status: str | None = None
    source: str | None = None


class Drill(Noun):
    """The same question with a dishonest or failing seat."""

    golden: str
    seat: Literal["commander", "policy", "control", "answer", "reviewer"]
    proposes: dict[str, Any] | None = None
    fault: str | None = None
    reply: str | None = None
    together_with: str | None = None
    expect: DrillExpectation


class TruthQuestion(Noun):
    ref: str
    sheet: str
    question_cell: str
    question: str
    answers: tuple[TruthAnswer, ...]
    golden: tuple[str, ...] = ()
    expected: Expected
    drills: tuple[Drill, ...] = ()


class Omitted(Noun):
    sheet: str
    cell: str = ""
    why: str


class Truth(Noun):
    """One truth file, validated: an unknown key is an error."""

    organisation: str
    questionnaire: str
    as_of: datetime
    version: int
    skipped: tuple[Omitted, ...] = ()
    questions: tuple[TruthQuestion, ...] = Field(min_length=1)


def load_truth(path: Path) -> Truth:
    """The truth of a file; raises MalformedFile naming the first wrong key."""
    if not path.is_file():
        raise UsageError("there is no such truth file", where=str(path))
    try:
        return Truth.model_validate(yaml.load(path.read_text(encoding="utf-8"), LOADER))
    except yaml.YAMLError as bad:
        raise MalformedFile(f"not readable as YAML ({bad})", where=path.name) from bad
    except ValidationError as bad:
        first = bad.errors()[0]
        raise MalformedFile(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", where=path.name) from bad
