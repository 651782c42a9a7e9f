"""Harm: what a customer reads in one language is not what the evidence says in another."""

from __future__ import annotations

import pytest

from tests.checks.bench import NAMES, codes, statements
from trustops.checks.language import language_findings, pivoted

QUESTION = "Is visitor footage kept for 30 days?"
ENGLISH = statements(QUESTION, "Visitor footage is kept for 30 days.")
CHINESE = statements(QUESTION, "访客录像保留30天。")

CASES = [
    pytest.param(
        "是的，访客录像保留30天。", "Yes, visitor footage is kept for 30 days.", ["CROSS_LANGUAGE"], id="a pivot that says the same"
    ),
    pytest.param("是的，访客录像保留30天。", "", ["MISSING_EVIDENCE"], id="no pivot"),
    pytest.param("是的，访客录像保留30天。", "访客录像保留30天。", ["MISSING_EVIDENCE"], id="a pivot in the answer's own language"),
    pytest.param(
        "是的，访客录像保留90天。", "Yes, visitor footage is kept for 30 days.", ["MISSING_EVIDENCE"], id="another number in the answer"
    ),
    pytest.param(
        "是的，访客录像保留30天。", "Yes, visitor footage is kept for 90 days.", ["MISSING_EVIDENCE"], id="another number in the pivot"
    ),
    pytest.param("访客录像不保留30天。", "Visitor footage is kept for 30 days.", ["MISSING_EVIDENCE"], id="a denial lost in the pivot"),
    pytest.param(
        "访客录像保留30天。", "Visitor footage is kept for 30 days with TLS 1.3.", ["MISSING_EVIDENCE"], id="a fact added in the pivot"
    ),
    pytest.param(
        "所有访客录像始终保留30天。", "Visitor footage is kept for 30 days.", ["MISSING_EVIDENCE"], id="an absolute lost in the pivot"
    ),
    pytest.param("Yes. Visitor footage is kept for 30 days.", "", [], id="one language all through"),
    pytest.param("", "", [], id="no text at all"),
]


@pytest.mark.parametrize(("text", "pivot", "expected"), CASES)
def test_an_answer_in_another_language_stands_only_with_a_faithful_pivot(text: str, pivot: str, expected: list[str]) -> None:
    assert codes(language_findings(text, pivot, ENGLISH, NAMES)) == expected


def test_chinese_evidence_for_an_english_answer_needs_a_pivot_too() -> None:
    assert codes(language_findings("Yes. Visitor footage is kept for 30 days.", "", CHINESE, NAMES)) == ["MISSING_EVIDENCE"]
    assert codes(language_findings("Yes. Visitor footage is kept for 30 days.", "访客录像保留30天。", CHINESE, NAMES)) == ["CROSS_LANGUAGE"]


def test_a_faithful_pivot_warns_and_an_unfaithful_one_blocks() -> None:
    (warned,) = language_findings("访客录像保留30天。", "Visitor footage is kept for 30 days.", ENGLISH, NAMES)
    (blocked,) = language_findings("访客录像保留31天。", "Visitor footage is kept for 30 days.", ENGLISH, NAMES)
    assert (warned.blocks, blocked.blocks) == (False, True)


def test_rules_run_on_the_pivot_only_where_it_is_another_language() -> None:
    assert pivoted("访客录像保留30天。", "Visitor footage is kept for 30 days.")
    assert not pivoted("Kept for 30 days.", "Held for 30 days.")
    assert not pivoted("Kept for 30 days.", "  ")
