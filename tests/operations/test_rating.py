"""Harm: a program or somebody else fills in what people are asked, or a spreadsheet runs what a rater wrote."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest

from tests.conftest import House
from trustops.domain.credential import Scope
from trustops.domain.errors import NotAllowed, TrustOpsError, UsageError
from trustops.domain.rating import Criterion
from trustops.operations.rating import HEADER, Row, blank, rate, read_table, table

Count = Callable[[], dict[str, int]]
GOOD: Row = ("K-1", {Criterion.CLARITY: 4}, "")


def ana(house: House) -> House:
    return house.with_office(signed_in="Ana", scopes=frozenset(Scope))


def line(**cells: str) -> bytes:
    written = io.StringIO(newline="")
    rows = csv.writer(written)
    rows.writerow(HEADER)
    rows.writerow([cells.get(name, "") for name in HEADER])
    return written.getvalue().encode()


def test_a_person_who_signed_in_rates_and_it_is_kept_for_good(house: House) -> None:
    made = rate(ana(house).office, house.review, [GOOD, ("", {Criterion.UI_READABILITY: 5}, "Fine.")], by="Ana", way="page")
    assert house.office.ledger.ratings(house.review.id) == made
    assert [(r.rater, r.identity.value, r.question) for r in made] == [("Ana", "authenticated", "K-1"), ("Ana", "authenticated", "")]


@pytest.mark.parametrize("by", ["", "Ana", "Nobody"])
def test_nobody_rates_who_did_not_sign_in(house: House, books: Count, by: str) -> None:
    before = books()
    with pytest.raises(NotAllowed):
        rate(house.office, house.review, [GOOD], by=by, way="page")
    assert books() == before


def test_nobody_rates_in_another_name(house: House, books: Count) -> None:
    before = books()
    with pytest.raises(NotAllowed, match="Ana signed in"):
        rate(ana(house).office, house.review, [GOOD], by="Bo", way="page")
    with pytest.raises(NotAllowed, match="in the name of 'Bo'"):
        read_table(line(question="K-1", rater="Bo", clarity="4"), "Ana")
    assert books() == before


BAD: list[list[Row]] = [
    [],
    [("K-9", {Criterion.CLARITY: 4}, "")],
    [("K-1", {}, "")],
    [("K-1", {Criterion.CLARITY: 0}, "")],
    [("K-1", {Criterion.CLARITY: 6}, "")],
    [("K-1", {Criterion.CLARITY: 4}, "x" * 2001)],
    [GOOD, ("K-9", {Criterion.CLARITY: 4}, "")],
]


@pytest.mark.parametrize("rows", BAD, ids=str)
def test_one_wrong_row_keeps_none(house: House, books: Count, rows: list[Row]) -> None:
    before = books()
    with pytest.raises(UsageError):
        rate(ana(house).office, house.review, rows, by="Ana", way="table")
    assert books() == before


def test_the_blank_table_has_every_question_and_no_score(house: House) -> None:
    rows = list(csv.reader(io.StringIO(blank(house.review).decode())))
    assert tuple(rows[0]) == HEADER
    assert [row[0] for row in rows[1:]] == ["", "K-1", "K-2", "K-3", "K-4"]
    assert {cell for row in rows[1:] for cell in row[1:]} == {""}
    assert read_table(blank(house.review), "Ana") == ()


def test_a_table_comes_back_as_it_was_filled_in(house: House) -> None:
    rows = read_table(line(question="K-1", rater="Ana", clarity="4", answer_accuracy=" 5 ", comment="Good, “clear”."), "Ana")
    assert rows == (("K-1", {Criterion.CLARITY: 4, Criterion.ANSWER_ACCURACY: 5}, "Good, “clear”."),)
    made = rate(ana(house).office, house.review, rows, by="Ana", way="table")
    assert made[0].way == "table"
    assert read_table(table(made), "Ana") == rows


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"question,clarity\nK-1,4\n",
        b"\xff\xfe",
        line(question="K-1", clarity="0"),
        line(question="K-1", clarity="6"),
        line(question="K-1", clarity="4.0"),
        line(question="K-1", clarity="five"),
        line(question="K-1", clarity="٤"),
        line(question="K-1", clarity="4") + b"K-2,Ana\n",
        line(question="K-1", clarity="4") + b'"K-2\n',
    ],
    ids=lambda data: data[-20:].hex() if isinstance(data, bytes) else str(data),
)
def test_a_table_that_is_none_is_refused_with_its_place(data: bytes) -> None:
    with pytest.raises(TrustOpsError) as refused:
        read_table(data, "Ana")
    assert refused.value.where or refused.value.remedy


def test_a_comment_is_no_formula_in_the_next_spreadsheet(house: House) -> None:
    made = rate(ana(house).office, house.review, [("K-1", {Criterion.CLARITY: 1}, "=HYPERLINK(1)")], by="Ana", way="page")
    assert b"'=HYPERLINK(1)" in table(made)
    assert read_table(table(made), "Ana")[0][2] == "=HYPERLINK(1)"
