"""Harm: a paper that is no longer, or not yet, in force supports an answer."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.checks.bench import TODAY, asks, codes, document, hearing, passage
from trustops.checks.freshness import freshness_findings, passages_by_source
from trustops.domain.evidence import ATTESTED, EvidenceKind

QUESTION = "Are smoke detectors tested every month?"
TEXT = "Smoke detectors are tested every month."

DATES = [
    pytest.param({"expires": TODAY}, True, id="the last day counts"),
    pytest.param({"expires": date(2031, 6, 14)}, False, id="expired yesterday"),
    pytest.param({"effective": TODAY}, True, id="the first day counts"),
    pytest.param({"effective": date(2031, 6, 16)}, False, id="begins tomorrow"),
    pytest.param({"effective": None}, True, id="only an end"),
    pytest.param({"expires": None}, True, id="only a beginning"),
    pytest.param({"effective": date(2031, 6, 16), "expires": date(2031, 6, 14)}, False, id="ends before it begins"),
]


@pytest.mark.parametrize(("changes", "counts"), DATES)
def test_a_paper_counts_from_its_first_to_its_last_day(changes: dict[str, Any], counts: bool) -> None:
    assert document(**changes).in_force(TODAY) is counts


@pytest.mark.parametrize("kind", list(EvidenceKind))
def test_an_undated_attestation_is_expired_and_any_other_undated_paper_warns(kind: EvidenceKind) -> None:
    told = hearing(QUESTION, passage(TEXT, kind=kind, effective=None, expires=None))
    papers = {"evidence/paper.md": document(kind=kind, effective=None, expires=None)}
    (finding,) = freshness_findings(told.statements, (), papers)
    expected = ("EXPIRED_EVIDENCE", True) if kind in ATTESTED else ("UNDATED_EVIDENCE", False)
    assert (finding.code.value, finding.blocks) == expected
    assert bool(told.eligible()) is (kind not in ATTESTED)


def found(*, cited: bool, **changes: Any) -> list[str]:
    held = passage(TEXT, **changes)
    told = hearing(QUESTION, held).statements
    return codes(freshness_findings(told if cited else (), () if cited else told, passages_by_source([held])))


def test_an_expired_paper_blocks_where_it_is_cited_and_where_it_alone_would_have_proved() -> None:
    assert found(cited=True, expires=date(2031, 1, 2)) == ["EXPIRED_EVIDENCE"]
    assert found(cited=False, expires=date(2031, 1, 2)) == ["EXPIRED_EVIDENCE"]


def test_an_undated_paper_that_is_not_cited_says_nothing() -> None:
    assert found(cited=True, effective=None, expires=None) == ["UNDATED_EVIDENCE"]
    assert found(cited=False, effective=None, expires=None) == []


def test_a_paper_in_force_raises_nothing() -> None:
    assert found(cited=True) == []


def test_a_paper_is_named_once_however_often_it_is_cited() -> None:
    held = passage(f"{TEXT}\nA spare detector is kept.", expires=date(2031, 1, 2))
    told = hearing(QUESTION, held).statements
    assert len(told) == 2
    (finding,) = freshness_findings(told, told, passages_by_source([held]))
    assert finding.cited
    assert "expired on 2031-01-02" in finding.summary


def test_the_day_of_the_run_decides_not_the_day_of_the_machine() -> None:
    assert asks(QUESTION)
    assert document(effective=date(1999, 1, 1), expires=date(1999, 2, 1)).in_force(date(1999, 1, 15))
