"""Harm: a cell says what the answer does not say, or what its list does not allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trustops.catalogue
from tests.checks.bench import codes
from trustops.checks.form import LONGEST, form_findings
from trustops.domain.answer import Determination
from trustops.domain.question import AnswerCell, CellValue, PartKind
from trustops.facts.vocabulary import meaning_of, member_for

YES, NO, PARTIAL, NOT_APPLICABLE, UNKNOWN = Determination
LISTS = (("Yes", "No"), ("Yes", "No", "N/A"), ("Yes", "Partial", "No", "N/A"), ("是", "否", "不适用"), ("Compliant", "Not compliant"))


def choice(*members: str) -> AnswerCell:
    return AnswerCell(part="choice", sheet="Tab", cell="E9", kind=PartKind.CHOICE, vocabulary=members)


def cell(kind: PartKind) -> AnswerCell:
    return AnswerCell(part=kind.value, sheet="Tab", cell="F9", kind=kind)


def written(at: AnswerCell, text: str) -> CellValue:
    return CellValue(part=at.part, sheet=at.sheet, cell=at.cell, value=text, kind=at.kind)


CHOICES = [
    pytest.param(YES, ("Yes", "No"), "Yes", True, id="yes says yes"),
    pytest.param(YES, ("Yes", "No"), "No", False, id="no where the answer is yes"),
    pytest.param(NO, ("Yes", "No"), "Yes", False, id="yes where the answer is no"),
    pytest.param(PARTIAL, ("Yes", "No"), "Yes", False, id="yes where the answer is partial"),
    pytest.param(PARTIAL, ("Yes", "No"), None, False, id="partial has no member in a yes/no list"),
    pytest.param(NOT_APPLICABLE, ("Yes", "No"), None, False, id="not applicable has no member in a yes/no list"),
    pytest.param(PARTIAL, ("Yes", "Partial", "No"), "Partial", True, id="partial says partial"),
    pytest.param(YES, ("Yes", "No"), "yes", False, id="a member in another letter case is refused, not repaired"),
    pytest.param(YES, ("Yes", "No"), "Yes ", False, id="a member with a blank is refused, not repaired"),
    pytest.param(YES, ("Yes", "No"), "Y", False, id="a word that means yes but is no member"),
    pytest.param(YES, ("Yes", "No"), "Yes, with limits", False, id="a member with a remark"),
    pytest.param(YES, ("Yes", "No"), "", False, id="an empty choice"),
    pytest.param(NO, ("Yes", "No", "N/A"), "N/A", False, id="not applicable where the answer is no"),
    pytest.param(YES, ("Gold", "Silver"), "Gold", False, id="a list whose members mean nothing known"),
    pytest.param(YES, ("Gold", "Silver"), None, False, id="a list that cannot say yes"),
    pytest.param(YES, ("是", "否"), "是", True, id="a Chinese yes"),
    pytest.param(UNKNOWN, ("Yes", "No", "N/A"), None, True, id="an unknown leaves the cell empty"),
    pytest.param(UNKNOWN, ("Yes", "No", "N/A"), "N/A", False, id="an unknown written as N/A"),
    pytest.param(UNKNOWN, ("Yes", "No"), "No", False, id="an unknown written as No"),
]


@pytest.mark.parametrize(("determination", "members", "value", "fits"), CHOICES)
def test_a_choice_says_the_determination_or_is_refused(
    determination: Determination, members: tuple[str, ...], value: str | None, fits: bool
) -> None:
    at = choice(*members)
    found = form_findings(determination, [at], [] if value is None else [written(at, value)])
    assert codes(found) == ([] if fits else ["ANSWER_FORM"])
    assert all(f.blocks and f.exhibits == ("Tab!E9",) and "Tab!E9" in f.summary for f in found)


@pytest.mark.parametrize("members", LISTS)
def test_an_unknown_never_becomes_a_member(members: tuple[str, ...]) -> None:
    assert member_for(UNKNOWN, members) is None
    assert all(form_findings(UNKNOWN, [choice(*members)], [written(choice(*members), member)]) for member in members)


def test_no_word_of_the_shipped_vocabularies_means_unknown() -> None:
    text = Path(trustops.catalogue.__file__).with_name("vocabularies.yaml").read_text(encoding="utf-8")
    assert "UNKNOWN:" not in text
    assert all(meaning_of(word) is None for word in ("Unknown", "unknown", "To be confirmed", "TBD", "?", ""))


@given(st.lists(st.text(max_size=20), max_size=6, unique=True), st.sampled_from(list(Determination)))
def test_a_member_filled_in_by_code_always_says_the_determination(members: list[str], determination: Determination) -> None:
    found = member_for(determination, members)
    assert found is None or (found in members and meaning_of(found) is determination and determination is not UNKNOWN)


@given(st.sampled_from(LISTS), st.sampled_from(list(Determination)), st.text(max_size=12))
def test_no_value_outside_the_list_is_accepted(members: tuple[str, ...], determination: Determination, value: str) -> None:
    found = form_findings(determination, [choice(*members)], [written(choice(*members), value)])
    assert found or (value in members and meaning_of(value) is determination)


OTHERS = [
    pytest.param(PartKind.NUMBER, "30", True, id="a number"),
    pytest.param(PartKind.NUMBER, "-0.5", True, id="a negative decimal"),
    pytest.param(PartKind.NUMBER, "30 days", False, id="a number with a unit"),
    pytest.param(PartKind.NUMBER, "1,5", False, id="a comma for a point"),
    pytest.param(PartKind.NUMBER, "", False, id="no number"),
    pytest.param(PartKind.NUMBER, "1e9", False, id="an exponent"),
    pytest.param(PartKind.NUMBER, "=1+1", False, id="a formula"),
    pytest.param(PartKind.NUMBER, "30\n", False, id="a number and a line break"),
    pytest.param(PartKind.NUMBER, "３０", False, id="digits that a workbook does not take"),
    pytest.param(PartKind.DATE, "2031-02-28", True, id="a date"),
    pytest.param(PartKind.DATE, "2031-02-30", False, id="a day that does not exist"),
    pytest.param(PartKind.DATE, "28.02.2031", False, id="a date in another order"),
    pytest.param(PartKind.DATE, "soon", False, id="a word for a date"),
    pytest.param(PartKind.TEXT, "x" * LONGEST, True, id="as long as a cell can hold"),
    pytest.param(PartKind.TEXT, "x" * (LONGEST + 1), False, id="longer than a cell can hold"),
    pytest.param(PartKind.TEXT, "=HYPERLINK(1)", True, id="a text that looks like a formula is text"),
]


@pytest.mark.parametrize(("kind", "value", "fits"), OTHERS)
def test_a_value_fits_its_kind_of_cell_or_is_refused(kind: PartKind, value: str, fits: bool) -> None:
    assert bool(form_findings(YES, [cell(kind)], [written(cell(kind), value)])) is not fits


def test_every_cell_that_does_not_fit_is_named() -> None:
    at = [choice("Yes", "No"), cell(PartKind.NUMBER)]
    assert len(form_findings(YES, at, [written(at[0], "Maybe"), written(at[1], "many")])) == 2


def box(meaning: str, *label: str) -> AnswerCell:
    part = f"tick_{meaning}" if meaning else "tick"
    return AnswerCell(part=part, sheet="Tab", cell=f"G{len(meaning)}", kind=PartKind.TICK, vocabulary=label)


TICKS = [
    pytest.param(YES, {"yes": "x"}, True, id="yes ticked for yes"),
    pytest.param(NO, {"no": "x"}, True, id="no ticked for no"),
    pytest.param(NO, {"yes": "x"}, False, id="yes ticked where the answer is no"),
    pytest.param(NO, {"yes": "x", "no": "x"}, False, id="both ticked"),
    pytest.param(YES, {"yes": "We encrypt everything"}, False, id="words in a box"),
    pytest.param(PARTIAL, {}, False, id="no box says partial"),
    pytest.param(PARTIAL, {"no": "x"}, False, id="no ticked where the answer is partial"),
    pytest.param(UNKNOWN, {}, True, id="an unknown leaves both empty"),
    pytest.param(UNKNOWN, {"no": "x"}, False, id="an unknown ticked as no"),
]


@pytest.mark.parametrize(("determination", "ticked", "fits"), TICKS)
def test_a_tick_says_the_determination_or_is_refused(determination: Determination, ticked: dict[str, str], fits: bool) -> None:
    boxes = [box("yes"), box("no")]
    values = [written(at, ticked[name]) for name, at in zip(("yes", "no"), boxes, strict=True) if name in ticked]
    assert (not form_findings(determination, boxes, values)) is fits


@pytest.mark.parametrize("determination", [YES, NO, PARTIAL])
def test_a_box_with_words_of_its_own_is_not_ticked(determination: Determination) -> None:
    item = box("", "We use TLS 1.3 everywhere")
    assert set(codes(form_findings(determination, [item], [written(item, "x")]))) == {"ANSWER_FORM"}
    assert not form_findings(determination, [item], [])
