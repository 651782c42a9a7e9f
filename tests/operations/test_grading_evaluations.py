"""Harm: what a seat did in known cases counts as work for customers, the same evaluation counts twice, or a script's work as a seat's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.conftest import House
from trustops.cli.keeping_grades import keep_grades
from trustops.domain.scores import EVALUATION
from trustops.operations.grading import Task, grade_all
from trustops.operations.grading_evaluations import evaluated, keep_evaluated
from trustops.operations.reputing import in_evaluations, reputation_row, reputations
from trustops.operations.trusting import assess_all, assess_one
from trustops.operations.vouching import last_grades, verify_scores

Books = Callable[[], dict[str, int]]


def tasks(house: House, case: str = "kestrel/honest") -> tuple[Task, ...]:
    (run,) = house.office.ledger.runs(house.review.id)
    return evaluated(house.office, run.id, case)


def test_an_evaluation_moves_no_score_of_product_runs(house: House) -> None:
    grade_all(house.office)
    office = replace(house.office, clock=_Still(house.office.clock.now()))
    before, stood = assess_all(office), [reputation_row(each) for each in reputations(office)]
    poor = tuple(replace(task, scores=dict.fromkeys(task.scores, 0.0)) for task in tasks(house))
    assert keep_evaluated(office, poor).made == len(poor) > 20
    assert assess_all(office) == before
    after = reputations(office)
    assert [reputation_row(each) for each in after if each.mode != EVALUATION] == stood
    assert {each.reputation.score for each in after if each.mode == EVALUATION} == {0.0}
    assert verify_scores(office).bad == ()


def test_a_workspace_with_evaluations_alone_knows_nothing_of_a_seats_work(house: House) -> None:
    before = assess_one(house.office, "reviewer")
    keep_evaluated(house.office, tasks(house))
    found = assess_one(house.office, "reviewer")
    assert (found.evaluations, found.mode, found.trust) == (0, "", before.trust)
    (apart,) = in_evaluations(house.office, "reviewer")
    assert (apart.reputation.evaluation_count, apart.mode, apart.model) == (4, EVALUATION, "extractive rules")


def test_the_same_evaluation_counts_once_and_the_caller_is_told(house: House, books: Books) -> None:
    made = tasks(house)
    assert keep_evaluated(house.office, made).made == len(made)
    kept = books()
    again = keep_evaluated(house.office, tasks(house))
    assert (again.made, again.of, books()) == (0, len(made), kept)


def test_another_case_or_another_score_is_another_evaluation(house: House) -> None:
    first, other = tasks(house), tasks(house, "kestrel/other")
    names = {task.id("Kestrel") for task in first}
    assert len(names) == len(first)
    assert not names & {task.id("Kestrel") for task in other}


def test_a_grade_says_who_served_it_and_leads_to_no_case_of_the_workspace(house: House) -> None:
    keep_evaluated(house.office, tasks(house))
    for grade in last_grades(house.office, "policy", 10):
        assert (grade.kept.mode, grade.kept.origin, grade.kept.model) == (EVALUATION, "SCRIPTED", "extractive rules")
        assert (grade.kept.run, grade.review, grade.question, grade.problem) == ("", "", "", "")
        assert grade.kept.about.startswith("evaluation/kestrel/honest/K-")


def test_a_folder_without_a_store_gets_none_by_being_evaluated(house: House, tmp_path: Path) -> None:
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "trustops.toml").write_text('organisation = "Shipped"\n', encoding="utf-8")
    assert keep_grades(tmp_path / "shipped", tasks(house)) is None
    assert [path.name for path in (tmp_path / "shipped").iterdir()] == ["trustops.toml"]


class _Still:
    """A clock that stands, so that two looks may be compared."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at
