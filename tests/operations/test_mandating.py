"""Harm: somebody's word about an agent counts as live work, counts twice, or half a file is taken in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import House
from trustops.domain.errors import MalformedFile, NotAllowed, RuleBroken
from trustops.operations.mandating import take_mandates
from trustops.operations.reputing import reputations
from trustops.operations.trusting import assess_one
from trustops.operations.vouching import last_grades, verify_scores

Books = Callable[[], dict[str, int]]


def line(**changes: Any) -> dict[str, Any]:
    told = {"mandate": "M-1", "issuer": "procurement", "agent": "acme-ai", "outcome": "fulfilled", "completed_at": "2026-11-20T10:00:00Z"}
    return {**told, **changes}


def written(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "mandates.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(("outcome", "composite"), [("fulfilled", 1.0), ("partial", 0.7), ("failed", 0.4), ("violated", 0.0)])
def test_an_outcome_is_an_evaluation_by_its_own_rubric(house: House, tmp_path: Path, outcome: str, composite: float) -> None:
    told = take_mandates(house.office, written(tmp_path, line(outcome=outcome)), by="Bo")
    assert (told.made, told.of) == (1, 1)
    (grade,) = last_grades(house.office, "acme-ai", 5)
    assert grade.kept.composite == pytest.approx(composite)
    assert (grade.kept.mode, grade.kept.origin, grade.kept.body["evaluatedBy"]) == ("TEST", "STATED", "Bo")
    assert (grade.problem, grade.review, grade.question) == ("", "", "")
    assert verify_scores(house.office).bad == ()


def test_somebodys_word_never_counts_as_live_work(house: House, tmp_path: Path) -> None:
    take_mandates(house.office, written(tmp_path, *(line(mandate=f"M-{n}") for n in range(5))), by="Bo")
    assert {each.mode for each in reputations(house.office, "acme-ai")} == {"TEST"}
    assert assess_one(house.office, "acme-ai").mode == "TEST"


def test_the_same_mandate_counts_once(house: House, tmp_path: Path, books: Books) -> None:
    path = written(tmp_path, line(), line(mandate="M-2"), line(issuer="legal"))
    assert take_mandates(house.office, path, by="Bo").made == 3
    before = books()
    assert take_mandates(house.office, path, by="Ana").made == 0
    assert books() == before


@pytest.mark.parametrize(
    ("lines", "rule", "where"),
    [
        ((line(), line(mandate="M-2", outcome="splendid")), "form", "line 2"),
        ((line(), "{"), "form", "line 2"),
        ((line(), line(mandate="M-2", score=1.0)), "form", "line 2"),
        ((line(agent=""),), "form", "line 1"),
        ((line(completed_at="2026-11-20T10:00:00"),), "form", "line 1"),
        ((line(), line(mandate="M-2", completed_at="2999-01-01T00:00:00Z")), "future", "line 2"),
        ((line(), line(outcome="failed")), "replay", "line 2"),
        ((line(), line()), "replay", "line 2"),
        ((), "form", "mandates.jsonl"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_whole(
    house: House, tmp_path: Path, books: Books, lines: tuple[Any, ...], rule: str, where: str
) -> None:
    before = books()
    with pytest.raises(RuleBroken) as refused:
        take_mandates(house.office, written(tmp_path, *lines), by="Bo")
    assert (refused.value.rule, where in refused.value.where) == (rule, True)
    assert books() == before


def test_a_mandate_on_record_cannot_end_otherwise_later(house: House, tmp_path: Path, books: Books) -> None:
    take_mandates(house.office, written(tmp_path, line(outcome="violated")), by="Bo")
    before = books()
    with pytest.raises(RuleBroken, match="otherwise"):
        take_mandates(house.office, written(tmp_path, line()), by="Bo")
    assert books() == before


def test_who_may_not_edit_vouches_for_nothing(house: House, tmp_path: Path, books: Books) -> None:
    before = books()
    for nobody in ("Cy", "Zoe"):
        with pytest.raises(NotAllowed):
            take_mandates(house.office, written(tmp_path, line()), by=nobody)
    with pytest.raises(MalformedFile):
        take_mandates(house.office, tmp_path / "nowhere.jsonl", by="Bo")
    assert books() == before
