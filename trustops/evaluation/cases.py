"""Golden cases: a small organisation, one question and what must come of it (evaluation.md, "Golden cases"). Files in golden/."""

from __future__ import annotations

import csv
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, UnknownName
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.lined import first_error
from trustops.roster import shipped


class GivenDocument(Noun):
    """One evidence file with its register entry; `text` is Markdown."""

    path: str
    text: str
    title: str = ""
    kind: str = "policy"
    effective: date | None = None
    expires: date | None = None
    classification: str = "shareable"


class GivenAnswer(Noun):
    question: str
    answer: str
    customer: str = "Earlier Customer Ltd"
    answered_on: date


class Given(Noun):
    """What stands before the question is asked."""

    organisation: str = "Northgate Software Ltd"
    products: tuple[str, ...] = ()
    documents: tuple[GivenDocument, ...] = ()
    prior_answers: tuple[GivenAnswer, ...] = ()
    controls: tuple[dict[str, Any], ...] = ()
    snapshots: dict[str, dict[str, Any]] = {}
    question: str
    seats: dict[str, dict[str, Any]] = {}


class ExpectedFinding(Noun):
    """A code and the exhibit that must show it: a file, a control's snapshot id or a seat."""

    code: str
    exhibit: str = ""


class Outcome(Noun):
    """What must come of it; what is left out is not looked at."""

    conflicts: tuple[str, ...] | None = None
    control_evaluation: dict[str, str] = {}
    findings: tuple[ExpectedFinding, ...] = ()
    no_blocking: bool = False
    determination: str | None = None
    decision: str | tuple[str, ...]
    review_status: str | None = None
    decision_source: str | None = None
    approval: str | None = None
    export_gate: str | None = None


class Recheck(Noun):
    """What changes before the recheck, and what must come of it then."""

    snapshots: dict[str, dict[str, Any]] = {}
    expect: Outcome


class GoldenCase(Noun):
    """A case of kind golden (or one in its shape), with what it gives and expects read as nouns."""

    case: str
    title: str
    level: int = Field(ge=1, le=6)
    as_of: datetime
    given: Given
    expect: Outcome
    recheck: Recheck | None = None


def load_case(name: str) -> GoldenCase:
    """A golden case by its id (Q-005) or by a file; raises UnknownName with the ids there are."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else shipped("golden") / f"{name.lower()}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem.upper() for p in shipped("golden").glob("*.yaml")))
        raise UnknownName(f"there is no golden case {name!r}", remedy=f"There are {known}.")
    cases = load_cases(path)
    if len(cases) != 1:
        raise MalformedFile(f"{len(cases)} cases in one file", where=path.name, remedy="Give a file that holds one.")
    return golden_case(cases[0], where=path.name)


def golden_case(case: Case, *, where: str = "") -> GoldenCase:
    """The case with `input` (what stands before the question) and `expect` (with `recheck`) as nouns; MalformedFile names the key."""
    given = {key: value for key, value in case.input.items() if key != "as_of"}
    wanted = {key: value for key, value in case.expect.items() if key != "recheck"}
    whole = {"case": case.case_id, "title": case.title, "level": case.level, "as_of": case.input.get("as_of"), "given": given}
    try:
        return GoldenCase.model_validate(whole | {"expect": wanted, "recheck": case.expect.get("recheck")})
    except ValidationError as bad:
        place, told = first_error(bad)
        key = ".".join(map(str, place)).replace("given.", "input.", 1)
        remedy = "golden/q-005.yaml shows what a golden case may hold."
        raise MalformedFile(f"{case.case_id}: {key}: {told}", where=where, remedy=remedy) from bad


def build_workspace(case: GoldenCase, folder: Path) -> Path:
    """Writes the organisation of a case as a workspace; returns the questionnaire's path."""
    given = case.given
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evidence").mkdir(exist_ok=True)
    products = json.dumps(list(given.products))
    people = '\n[people]\n"Ana Reviewer" = "approver"\n'
    (folder / "trustops.toml").write_text(
        f'[organisation]\nid = "golden"\nname = "{given.organisation}"\nproducts = {products}\n{people}', encoding="utf-8"
    )
    for document in given.documents:
        path = folder / "evidence" / document.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text, encoding="utf-8")
    entries = [_entry(document) for document in given.documents]
    (folder / "evidence.yaml").write_text(yaml.safe_dump(entries, sort_keys=False), encoding="utf-8")
    (folder / "controls.yaml").write_text(yaml.safe_dump(list(given.controls), sort_keys=False), encoding="utf-8")
    write_snapshots(folder, given.snapshots)
    _write_answers(folder, given)
    questionnaire = folder / "questionnaire.csv"
    with questionnaire.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), (case.case, given.question, "")])
    return questionnaire


def write_snapshots(folder: Path, snapshots: dict[str, dict[str, Any]]) -> None:
    """Snapshot files for the file collector; one of None leaves no file."""
    (folder / "snapshots").mkdir(exist_ok=True)
    for control, body in snapshots.items():
        text = json.dumps({"control": control, **body}, default=str)
        (folder / "snapshots" / f"{control}.json").write_text(text, encoding="utf-8")


def _entry(document: GivenDocument) -> dict[str, Any]:
    found = document.model_dump(exclude={"text"}, exclude_none=True) | {"path": f"evidence/{document.path}"}
    return {key: value for key, value in found.items() if value != ""}


def _write_answers(folder: Path, given: Given) -> None:
    if not given.prior_answers:
        return
    (folder / "answers").mkdir(exist_ok=True)
    with (folder / "answers" / "earlier.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("question", "answer", "customer", "answered_on"))
        writer.writerows((a.question, a.answer, a.customer, a.answered_on.isoformat()) for a in given.prior_answers)
