"""Properties that hold for any text: the reader never raises, and its spans are the characters they claim."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facts.conftest import NAMES
from trustops.facts import (
    Scope,
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


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.sampled_from(["policy", "contract", "questionnaire", "record", "audit_report"]))
def test_reading_never_raises_and_spans_hold_their_surface(text: str, doc: str) -> None:
    for fact in read(text, NAMES, doc).facts:
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
