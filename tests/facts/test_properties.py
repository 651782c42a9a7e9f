"""Properties that hold for any text: the reader never raises, and its spans are the characters they claim."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facts.conftest import NAMES
from trustops.facts import (
    Deadline,
    Fact,
    Frequency,
    Quantity,
    Scope,
    Version,
    asks,
    clauses,
    closure_facts,
    implies,
    is_open,
    language,
    limiters,
    proposition,
    read,
    relation,
    split,
    subtract_months,
    words,
)
from trustops.facts.page import normalise
from trustops.facts.sentence import WINDOW, windows

WORDS = st.sampled_from(
    " ".join(
        (
            "all every no not never unless except within at least 30 days two thirds of staff TLS 1.2 or higher every 90 is was will must",
            "between 3 May 2026 SOC 2 Type II customers . , ; ? 99.9 % $ 5 million",
            "不 所有 每年 至少 一次 员工 在 24 小时内 除 外 2026年5月 仅 中国 三 十 （ ）",
        )
    ).split(" ")
)
PROSE = st.lists(WORDS, max_size=14).map(" ".join) | st.lists(WORDS, max_size=14).map("".join)
TEXTS = st.text(max_size=60) | PROSE
ANY = (
    st.text(st.characters(), max_size=60) | st.text(st.sampled_from("\ud800\udfff\u202e\u200b\x00½²٣一年 1.-/%（('\n"), max_size=40) | PROSE
)
"""Any code points, lone surrogates included, and the marks that patterns stumble over."""


@settings(max_examples=40, deadline=None)
@given(ANY, st.sampled_from(["policy", "contract", "questionnaire", "record", "audit_report"]))
def test_reading_never_raises_and_spans_hold_their_surface(text: str, doc: str) -> None:
    for fact in read(text, NAMES, doc).facts:
        assert 0 <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end].strip() == fact.surface.strip()
        assert fact.to_label()["kind"] == fact.kind


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_splitting_loses_no_character_and_overlaps_nowhere(text: str) -> None:
    for spans in (split(text), clauses(text)):
        assert all(text[span.start : span.end] == span.text for span in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))
    assert "".join(text.split()) == "".join("".join(span.text for span in split(text)).split())


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_questions_of_any_form_are_read(text: str) -> None:
    assert asks(text)
    assert is_open(text) in (True, False)
    asked = proposition(text, NAMES)
    assert all(text[fact.start : fact.end].strip() == fact.surface.strip() for fact in asked.facts)
    assert language(text) in ("en", "zh")
    assert closure_facts(asked) is not None
    assert limiters(asked) is not None
    assert words(text, NAMES) == words(text, NAMES)


@settings(max_examples=30, deadline=None)
@given(PROSE, PROSE)
def test_implication_is_reflexive_and_a_relation_always_answers(one: str, other: str) -> None:
    first, second = read(one, NAMES), read(other, NAMES)
    assert all(implies(fact, fact) == "PROVES" for fact in first.facts)
    assert all(implies(left, right) in ("PROVES", "OPPOSES", "SILENT") for left in first.facts for right in second.facts)
    assert relation(first, second, names=NAMES).verdict in ("PROVES", "OPPOSES", "SILENT")


GROUPS = [
    "all_workforce",
    "employees",
    "contractors",
    "administrators",
    "privileged_users",
    "all_systems",
    "production_systems",
    "endpoints",
]


def test_the_scope_lattice_is_transitive() -> None:
    scopes = [Scope(0, 1, "x", "all", group, group) for group in GROUPS]
    for one in scopes:
        for two in scopes:
            for three in scopes:
                if implies(one, two) == "PROVES" and implies(two, three) == "PROVES":
                    assert implies(one, three) == "PROVES"


@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)), st.integers(0, 60))
def test_months_are_subtracted_to_a_real_day(instant: date, count: int) -> None:
    earlier = subtract_months(instant, count)
    assert (instant.year * 12 + instant.month) - (earlier.year * 12 + earlier.month) == count


@given(ANY)
def test_normalising_twice_is_normalising_once_and_moves_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert len(once) == len(text)


COMPARATORS = st.sampled_from(["at_least", "at_most", "less_than", "more_than", "exactly", "about", "between"])
NUMBERS = st.integers(1, 12).map(Fraction) | st.fractions(Fraction(1, 4), 9, max_denominator=4)
UNITS = st.sampled_from(["minute", "hour", "day", "week", "month", "year", "percent", "count:door"])


@st.composite
def quantities(draw: st.DrawFn, comparators: st.SearchStrategy[str] = COMPARATORS, units: st.SearchStrategy[str] = UNITS) -> Quantity:
    comparator, low = draw(comparators), draw(NUMBERS)
    value = (low, low + draw(NUMBERS)) if comparator == "between" else (low,)
    return Quantity(0, 1, "x", comparator, value, draw(units))  # type: ignore[arg-type]


@st.composite
def deadlines(draw: st.DrawFn) -> Deadline:
    unit = draw(st.sampled_from(["minute", "hour", "day", "week", "month", "year"]))
    comparator = draw(st.sampled_from(["at_most", "at_least", "less_than", "exactly"]))
    return Deadline(0, 1, "x", comparator, (draw(NUMBERS),), unit, "not_stated", draw(st.sampled_from(["after", "before"])))  # type: ignore[arg-type]


RATES = st.builds(
    lambda comparator, count, unit: Frequency(0, 1, "x", comparator, f"P{count}{unit}"),
    st.sampled_from(["at_least", "at_most", "exactly", "about"]),
    st.integers(1, 12),
    st.sampled_from("DWMY"),
)
VERSIONS = st.builds(
    lambda comparator, major, minor: Version(0, 1, "x", "TLS", comparator, f"{major}.{minor}"),
    st.sampled_from(["at_least", "at_most", "less_than", "more_than", "exactly"]),
    st.integers(0, 3),
    st.integers(0, 12),
)
MEASURED = quantities() | deadlines() | RATES | VERSIONS


@settings(max_examples=300)
@given(MEASURED)
def test_a_measured_fact_implies_itself(fact: Fact) -> None:
    assert implies(fact, fact) == "PROVES"


SETS = st.sampled_from(["at_least", "at_most", "less_than", "more_than", "exactly", "between"])
"""Comparators of one exact set of values; "about" has soft ends."""


def holds(fact: Quantity, value: Fraction) -> bool:
    """The oracle: whether a value satisfies a quantity, by its words alone."""
    low = fact.value[0]
    return {
        "at_least": value >= low,
        "at_most": value <= low,
        "less_than": value < low,
        "more_than": value > low,
        "exactly": value == low,
        "between": low <= value <= fact.value[-1],
    }[fact.comparator]


PLAIN = quantities(SETS, st.sampled_from(["percent", "percent", "percent", "count:door"]))


@settings(max_examples=500)
@given(PLAIN, PLAIN, st.lists(NUMBERS | st.fractions(0, 30, max_denominator=8), max_size=8))
def test_a_proof_holds_for_every_value_and_an_opposition_for_none(premise: Quantity, claim: Quantity, values: list[Fraction]) -> None:
    verdict = implies(premise, claim)
    both = [value for value in [*values, *premise.value, *claim.value] if holds(premise, value) and holds(claim, value)]
    against = [value for value in [*values, *premise.value, *claim.value] if holds(premise, value) and not holds(claim, value)]
    if premise.unit != claim.unit:
        assert verdict == "SILENT"
    elif verdict == "PROVES":
        assert not against
    elif verdict == "OPPOSES":
        assert not both


@settings(max_examples=500)
@given(PLAIN, PLAIN, PLAIN)
def test_proofs_of_quantities_are_transitive_and_shut_out_oppositions(one: Quantity, two: Quantity, three: Quantity) -> None:
    if implies(one, two) == "PROVES" and implies(two, three) == "PROVES":
        assert implies(one, three) == "PROVES"
    if implies(one, two) == "PROVES" and implies(two, three) == "OPPOSES":
        assert implies(one, three) == "OPPOSES"
    if implies(one, two) == "PROVES":
        assert implies(two, one) != "OPPOSES"


@settings(max_examples=300)
@given(RATES, RATES, RATES)
def test_proofs_of_rates_are_never_turned_into_their_opposite(one: Frequency, two: Frequency, three: Frequency) -> None:
    if implies(one, two) == "PROVES" and implies(two, three) == "PROVES":
        assert implies(one, three) != "OPPOSES"


LONG = st.builds(
    lambda piece, times: (piece * times)[: 4 * WINDOW],
    st.text(st.sampled_from("aé不 ,。\n\u3000"), min_size=1, max_size=9),
    st.integers(0, 4 * WINDOW),
)


@settings(max_examples=60, deadline=None)
@given(LONG)
def test_an_endless_sentence_is_read_in_bounded_pieces_that_lose_nothing(text: str) -> None:
    pieces = windows(text)
    assert "".join(piece for _, piece in pieces) == text
    assert all(text[start : start + len(piece)] == piece and len(piece) <= WINDOW for start, piece in pieces)
    assert len(pieces) <= 1 + 2 * len(text) // WINDOW


def test_facts_of_an_endless_sentence_stand_where_they_claim() -> None:
    text = "The gates are checked every 30 days, and " * 120
    found = read(text, NAMES).facts
    assert sum(fact.kind == "frequency" for fact in found) == 120
    assert all(text[fact.start : fact.end].strip() == fact.surface.strip() for fact in found)
