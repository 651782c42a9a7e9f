"""The questionnaire suite: every question is found, its answer goes where the customer meant it, and its text stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from trustops.evaluation.case import Case
from trustops.evaluation.lined import parsed
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.evaluation.truth import load_truth
from trustops.roster import shipped
from trustops.testing.layouts import book

PUBLIC = {
    "qramm_120_questions.xlsx": (120, "F2", "M2"),
    "qramm_assessment_toolkit.xlsx": (120, "E9", "G9"),
    "trustdeck_acme_demo.xlsx": (15, "C2", "D2"),
    "trustdeck_acme_demo.csv": (15, "C2", "D2"),
    "trustdeck_caiq_lite_124.csv": (124, "D2", "E2"),
}
"""Public questionnaires: how many questions they hold, and the cells of the first one."""
Where = tuple[str, str]


def data_folder() -> Path:
    """The questionnaires of the tests; a wheel has none."""
    return shipped("golden").parent / "tests" / "data" / "questionnaires"


def questionnaire_cases() -> tuple[Case, ...]:
    """The shipped organisations' workbooks; from a checkout also the layouts and the public files."""
    found = [
        _case(f"workbook/{name}", {"workbook": name}, f"{name}: every question and cell of its truth") for name in ("acme", "brightwell")
    ]
    folder = data_folder()
    if folder.is_dir():
        _, layouts = parsed(folder / "layouts.yaml")
        found += [_case(f"layout/{each['name'].replace(' ', '-')}", {"layout": each}, f"layout {each['name']}") for each in layouts]
        found += [_case(f"public/{name}", {"file": name}, f"{name}: {PUBLIC[name][0]} questions") for name in PUBLIC]
    return tuple(found)


def _case(name: str, given: Mapping[str, Any], title: str) -> Case:
    case_id = "".join(c if c.isascii() and (c.isalnum() or c in "/._-") else "-" for c in name)
    return Case(
        case_id=case_id,
        title=title,
        level=4,
        dimension="questionnaire",
        kind="parse",
        source="golden/ and tests/data/questionnaires",
        input=dict(given),
        expect={"questions": "all"},
    )


def play_questionnaire(case: Case, bench: Bench) -> Outcome:
    """Reads the file as `parse` does and compares each question with what a person read."""
    folder = bench.folder(case.case_id)
    if "workbook" in case.input:
        home = shipped("golden") / case.input["workbook"]
        questions = load_truth(home / "truth.yaml").questions
        truth = {(q.sheet, q.question_cell): (_primary((a.part, a.cell) for a in q.answers), q.question) for q in questions}
        return _compared(case, bench, next(home.glob("questionnaire.*")), truth)
    if "layout" in case.input:
        layout = case.input["layout"]
        file = book(layout).save(folder / "layout.xlsx")
        sheet = layout["sheets"][0]["name"]
        wanted = {(sheet, cell): (_primary(parts.items()), "") for cell, parts in layout["expect"].items()}
        return _compared(case, bench, file, wanted, by_cell=True)
    return _public(case, bench)


def _read(bench: Bench, file: Path) -> list[Any]:
    """The questions that `parse` finds, in an organisation that has nothing else."""
    if "empty house" not in bench.kept:
        house = bench.folder("house")
        (house / "evidence").mkdir()
        (house / "trustops.toml").write_text('[organisation]\nid = "empty"\nname = "Empty Ltd"\n', encoding="utf-8")
        bench.kept["empty house"] = house
    with bench.office(bench.kept["empty house"]) as office:
        return list(office.formats.read(file).questions)


def _compared(case: Case, bench: Bench, file: Path, truth: Mapping[Where, tuple[str, str]], *, by_cell: bool = False) -> Outcome:
    asked = _read(bench, file)
    found = {("" if by_cell else q.sheet, q.cell): q for q in asked}
    wanted = {("" if by_cell else sheet, cell): told for (sheet, cell), told in truth.items()}
    missed = [cell for cell in wanted if cell not in found]
    placed = [cell for cell, (answer, _) in wanted.items() if cell in found and _first(found[cell]) == answer]
    told = [cell for cell, (_, text) in wanted.items() if text and cell in found]
    changed = [cell for cell in told if " ".join(found[cell].text.split()) != " ".join(wanted[cell][1].split())]
    scores = [_score("question_recall", case, len(wanted) - len(missed), len(wanted))]
    scores.append(_score("primary_cell_mapping_accuracy", case, len(placed), len(wanted)))
    if told:
        scores.append(_score("original_text_mutation", case, len(changed), len(told)))
    steps = (
        step("questions missed", "none", ", ".join(map(str, missed)) or "none"),
        step("questions that are none", 0, len(set(found) - set(wanted))),
        step("primary answer cell", f"{len(wanted)} right", f"{len(placed)} right"),
        step("texts that differ", "none", ", ".join(map(str, changed)) or "none"),
    )
    return Outcome(steps, tuple(scores))


def _primary(parts: Iterable[tuple[str, str]]) -> str:
    """The cell of the choice where there is one, else the first answer cell."""
    cells = list(parts)
    return next((cell for part, cell in cells if part == "choice"), cells[0][1] if cells else "")


def _first(question: Any) -> str:
    return _primary((answer.part, answer.cell) for answer in question.answers)


def _public(case: Case, bench: Bench) -> Outcome:
    name = case.input["file"]
    count, question, answer = PUBLIC[name]
    asked = _read(bench, data_folder() / name)
    refs = {q.ref for q in asked}
    steps = (
        step("questions", count, len(asked)),
        step("refs that differ", count, len(refs)),
        step("first question", question, asked[0].cell if asked else "none"),
        step("its answer", answer, _first(asked[0]) if asked else "none"),
        step("questions without an answer cell", 0, sum(not q.answers for q in asked)),
    )
    return Outcome(steps, (_score("question_recall", case, min(len(asked), count), count),))


def _score(metric: str, case: Case, hits: int, of: int) -> Score:
    return Score(metric=metric, case_id=case.case_id, amount=Decimal(hits), of=of, authority=Authority.GOLDEN_TRUTH)


SUITE = Suite("questionnaire", "parse recall and mapping on workbooks, layouts and public files", questionnaire_cases, play_questionnaire)
