"""Harm: an answer leaves to a question that the answers beside it switch off, and contradicts them in the customer's file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.conftest import House
from trustops.domain.answer import Determination
from trustops.domain.errors import NothingCleared
from trustops.domain.question import AnswerNeeded, Condition
from trustops.operations.approving import approve
from trustops.operations.exporting import Exported, export
from trustops.ports import StoredReview


def conditional(house: House, value: str, *, negated: bool = False, meaning: bool = False) -> StoredReview:
    """The review with K-2 asked only where K-1's cell says so."""
    first, second, *others = house.review.questionnaire.questions
    cell = first.answers[0]
    need = AnswerNeeded(sheet=cell.sheet, cell=cell.cell, value=value, negated=negated, meaning=meaning)
    second = second.model_copy(update={"condition": Condition(text="Only where K-1 says so.", needs=((need,),))})
    changed = house.review.questionnaire.model_copy(update={"questions": (first, second, *others)})
    return house.review.model_copy(update={"questionnaire": changed})


def sent(house: House, review: StoredReview, out: Path, *refs: str) -> Exported:
    for ref in refs:
        approve(house.office, house.review, ref, 1, by="Ana")
    return export(house.office, review, out, to="Customer")


def cells(path: Path) -> dict[str, list[str]]:
    return {row[0]: row for row in csv.reader(path.read_text(encoding="utf-8").splitlines())}


@pytest.mark.parametrize("need", [("never said", False, False), ("YES", True, True)])
def test_an_answer_on_a_closed_branch_stays_behind(need: tuple[str, bool, bool], house: House, tmp_path: Path) -> None:
    review = conditional(house, need[0], negated=need[1], meaning=need[2])
    made = sent(house, review, tmp_path / "out", "K-1", "K-2")
    assert made.exported == ("K-1",)
    reasons = dict(made.withheld)["K-2"]
    assert [reason.partition(":")[0] for reason in reasons] == ["BRANCH_OFF"]
    assert "Only where K-1 says so." in made.gap_register.read_text(encoding="utf-8")
    before, after = cells(house.folder / "questionnaire.csv"), cells(made.file)
    assert after["K-2"] == before["K-2"]
    assert "K-2" not in [answer["question"] for answer in json.loads(made.receipt.read_text(encoding="utf-8"))["answers"]]


def test_an_answer_on_an_open_branch_leaves_and_the_receipt_names_the_condition(house: House, tmp_path: Path) -> None:
    made = sent(house, conditional(house, "YES", meaning=True), tmp_path / "out", "K-1", "K-2")
    assert made.exported == ("K-1", "K-2")
    told = {answer["question"]: answer.get("condition") for answer in json.loads(made.receipt.read_text(encoding="utf-8"))["answers"]}
    assert told == {"K-1": None, "K-2": "Only where K-1 says so."}


def test_what_depends_on_a_cell_that_stays_empty_stays_too(house: House, tmp_path: Path) -> None:
    """K-1 is not approved: its cell stays empty, and a formula that waits for it keeps K-2 switched off."""
    before = len(house.office.ledger.exports(house.review.id))
    with pytest.raises(NothingCleared):
        sent(house, conditional(house, "", negated=True), tmp_path / "out", "K-2")
    assert len(house.office.ledger.exports(house.review.id)) == before
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_told_leaves(house: House, tmp_path: Path) -> None:
    """K-1 says yes and is not approved; whether K-2 is asked is for the customer to see."""
    made = sent(house, conditional(house, "YES", meaning=True), tmp_path / "out", "K-2")
    assert made.exported == ("K-2",)


def test_not_applicable_is_the_honest_answer_to_what_is_not_asked(house: House) -> None:
    from trustops.operations.books import open_books
    from trustops.operations.branches import on_open_branches
    from trustops.operations.exporting import _gate_all
    from trustops.operations.standing import standing

    review = conditional(house, "never said")
    for ref in ("K-1", "K-2"):
        approve(house.office, house.review, ref, 1, by="Ana")
    books = open_books(house.office, review)
    questions = review.questionnaire.questions
    cleared, _ = _gate_all(books, {q.ref: standing(house.office, books, q.ref) for q in questions})
    answers = {**books.answers, "K-2": books.answers["K-2"].model_copy(update={"determination": Determination.NOT_APPLICABLE})}
    left, withheld = on_open_branches(questions, cleared, answers)
    assert ([c.question for c in left], withheld) == (["K-1", "K-2"], [])
