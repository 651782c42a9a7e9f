"""Harm: an answer passes although a seat is missing, a rule blocks, or a person should have looked."""

from __future__ import annotations

from itertools import combinations
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trustops.domain.answer import Determination
from trustops.domain.authenticity import SEATS
from trustops.domain.control import Risk
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity, severity_of
from trustops.domain.opinion import OpinionFinding, ReviewerOpinion, Unavailable
from trustops.domain.risk_review import Decision, RiskReviewResult, conclude

REASONS = get_args(Unavailable.model_fields["reason"].annotation)
CONTENT = ("PASS", "APPROVAL_REQUIRED", "BLOCK")
OTHERS = ("commander", "policy", "control", "answer")
FINE = object()
YES, NO, PARTIAL, NOT_APPLICABLE, UNKNOWN = Determination


def finding(code: str = "OVERCOMMITMENT", *, source: str = "RULES", cited: bool = False, severity: Severity | None = None) -> Finding:
    named = FindingCode(code)
    return Finding(code=named, severity=severity or severity_of(named), source=FindingSource(source), summary="s", cited=cited)


def opinion(decision: Any = "PASS") -> ReviewerOpinion:
    severity = Severity.BLOCKING if decision == "BLOCK" else Severity.WARNING
    seen = OpinionFinding(code=FindingCode.OVERCOMMITMENT, severity=severity, summary="s", exhibits=())
    return ReviewerOpinion(decision=decision, findings=() if decision == "PASS" else (seen,))


def concluded(
    *findings: Finding,
    seats: tuple[object, ...] = (FINE,) * 4,
    reviewer: Any = None,
    risk: Risk = Risk.LOW,
    determination: Determination | None = YES,
) -> RiskReviewResult:
    return conclude(findings, seats=seats, reviewer=reviewer or opinion(), risk=risk, determination=determination)


def told(result: RiskReviewResult) -> tuple[str, str, str]:
    return result.status.value, result.decision.value, result.source.value


def test_a_review_that_never_happened_blocks() -> None:
    assert told(RiskReviewResult()) == ("FAILED", "BLOCK", "SYSTEM_FAIL_CLOSED")


def test_complete_clean_input_passes_and_nothing_else_does() -> None:
    assert told(concluded()) == ("COMPLETED", "PASS", "RULES")


@pytest.mark.parametrize("reason", REASONS)
def test_a_reviewer_that_fails_in_any_way_blocks(reason: Any) -> None:
    result = concluded(reviewer=Unavailable(seat="reviewer", reason=reason, detail="words"))
    assert told(result) == ("FAILED", "BLOCK", "SYSTEM_FAIL_CLOSED")
    assert [(f.code.value, f.source.value, f.blocks) for f in result.findings] == [("REVIEWER_UNAVAILABLE", "SYSTEM", True)]
    assert result.findings[0].remedy


@pytest.mark.parametrize("wrong", [None, "PASS", {"decision": "PASS"}, 0, True], ids=repr)
def test_what_is_no_opinion_of_a_reviewer_blocks(wrong: Any) -> None:
    result = conclude((), seats=(FINE,) * 4, reviewer=wrong, risk=Risk.LOW, determination=YES)
    assert told(result) == ("FAILED", "BLOCK", "SYSTEM_FAIL_CLOSED")


MISSING = [places for size in (1, 2, 3, 4) for places in combinations(range(4), size)]


@pytest.mark.parametrize("places", MISSING, ids=lambda places: "+".join(OTHERS[at] for at in places))
@pytest.mark.parametrize("how", ["missing", "unavailable"])
def test_any_other_seat_without_a_result_blocks(places: tuple[int, ...], how: str) -> None:
    lost = {at: None if how == "missing" else Unavailable(seat=OTHERS[at], reason="timeout") for at in places}
    seats = tuple(lost.get(at, FINE) for at in range(4))
    result = concluded(seats=seats)
    assert (result.decision.value, result.source.value) == ("BLOCK", "SYSTEM_FAIL_CLOSED")
    expected = [] if how == "missing" else ["AGENT_UNAVAILABLE"] * len(places)
    assert [f.code.value for f in result.findings] == expected


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_another_number_of_seats_than_the_machine_has_blocks(count: int) -> None:
    assert len(SEATS) == 5
    assert concluded(seats=(FINE,) * count).decision is Decision.BLOCK


def test_an_answer_without_a_determination_blocks() -> None:
    assert told(concluded(determination=None)) == ("COMPLETED", "BLOCK", "SYSTEM_FAIL_CLOSED")


def test_an_unknown_blocks() -> None:
    assert told(concluded(determination=UNKNOWN)) == ("COMPLETED", "BLOCK", "RULES")


ROUTES = [
    pytest.param({"risk": Risk.HIGH}, (), "APPROVAL_REQUIRED", id="HIGH risk"),
    pytest.param({"risk": Risk.MEDIUM}, (), "PASS", id="MEDIUM risk"),
    pytest.param({"determination": PARTIAL}, (), "APPROVAL_REQUIRED", id="PARTIAL"),
    pytest.param({"determination": NO}, (), "PASS", id="NO"),
    pytest.param({"determination": NOT_APPLICABLE}, (), "PASS", id="NOT_APPLICABLE"),
    *(
        pytest.param({}, (finding(code, cited=False),), "APPROVAL_REQUIRED", id=code)
        for code in ("UNDATED_EVIDENCE", "NOT_MEASURED", "CROSS_LANGUAGE", "OFFLINE_DRAFT")
    ),
    pytest.param({}, (finding("CONTRADICTION", severity=Severity.WARNING),), "APPROVAL_REQUIRED", id="a resolved contradiction"),
    pytest.param({}, (finding("SUSPECTED_INJECTION", cited=True),), "APPROVAL_REQUIRED", id="injection on a cited passage"),
    pytest.param({}, (finding("SUSPECTED_INJECTION", cited=False),), "PASS", id="injection on an uncited passage"),
    pytest.param(
        {"risk": Risk.HIGH}, (finding("SUSPECTED_INJECTION", cited=False),), "APPROVAL_REQUIRED", id="injection uncited, HIGH risk"
    ),
]


@pytest.mark.parametrize(("changes", "findings", "decision"), ROUTES)
def test_what_a_person_must_decide_goes_to_a_person(changes: dict[str, Any], findings: tuple[Finding, ...], decision: str) -> None:
    assert told(concluded(*findings, **changes)) == ("COMPLETED", decision, "RULES")


@pytest.mark.parametrize("code", [code for code in FindingCode if severity_of(code) is Severity.BLOCKING])
@pytest.mark.parametrize("decision", CONTENT)
def test_no_opinion_lifts_a_blocking_finding(code: FindingCode, decision: str) -> None:
    result = concluded(finding(code.value), reviewer=opinion(decision))
    assert (result.decision.value, result.source.value) == ("BLOCK", "RULES")
    assert finding(code.value) in result.findings


STRICTER = [
    pytest.param("BLOCK", (), {}, "BLOCK", "MODEL", id="the reviewer blocks alone"),
    pytest.param("APPROVAL_REQUIRED", (), {}, "APPROVAL_REQUIRED", "MODEL", id="the reviewer wants a person"),
    pytest.param("APPROVAL_REQUIRED", (), {"risk": Risk.HIGH}, "APPROVAL_REQUIRED", "RULES", id="both want a person: RULES win the tie"),
    pytest.param("PASS", (), {"risk": Risk.HIGH}, "APPROVAL_REQUIRED", "RULES", id="the reviewer cannot lower HIGH risk"),
    pytest.param("BLOCK", (), {"determination": UNKNOWN}, "BLOCK", "RULES", id="unknown and a blocking reviewer: RULES win the tie"),
    pytest.param("BLOCK", ("RULES",), {}, "BLOCK", "RULES", id="rules and reviewer block"),
    pytest.param("BLOCK", ("MODEL",), {}, "BLOCK", "MODEL", id="the reviewer's own finding"),
    pytest.param("BLOCK", ("MODEL", "RULES"), {}, "BLOCK", "RULES", id="model and rules: RULES win the tie"),
    pytest.param("PASS", ("MODEL", "RULES", "SYSTEM"), {}, "BLOCK", "SYSTEM_FAIL_CLOSED", id="all three: SYSTEM wins the tie"),
    pytest.param("PASS", ("SYSTEM", "MODEL"), {}, "BLOCK", "SYSTEM_FAIL_CLOSED", id="system and model: SYSTEM wins the tie"),
]


@pytest.mark.parametrize(("reviewer", "sources", "changes", "decision", "source"), STRICTER)
def test_the_reviewer_makes_it_only_stricter_and_the_strongest_source_is_named(
    reviewer: str, sources: tuple[str, ...], changes: dict[str, Any], decision: str, source: str
) -> None:
    result = concluded(*(finding(source=name) for name in sources), reviewer=opinion(reviewer), **changes)
    assert (result.decision.value, result.source.value) == (decision, source)


STRICT = {"PASS": 0, "APPROVAL_REQUIRED": 1, "BLOCK": 2}
FINDINGS = st.lists(
    st.builds(
        finding,
        st.sampled_from([code.value for code in FindingCode]),
        source=st.sampled_from(["RULES", "MODEL", "SYSTEM"]),
        cited=st.booleans(),
    ),
    max_size=4,
)


@given(FINDINGS, FINDINGS, st.sampled_from(CONTENT), st.sampled_from(list(Risk)), st.sampled_from(list(Determination)))
def test_more_findings_and_a_stricter_reviewer_never_make_it_milder(
    first: list[Finding], more: list[Finding], decision: str, risk: Risk, determination: Determination
) -> None:
    less = concluded(*first, reviewer=opinion("PASS"), risk=Risk.LOW, determination=determination)
    full = concluded(*first, *more, reviewer=opinion(decision), risk=risk, determination=determination)
    assert STRICT[full.decision.value] >= STRICT[less.decision.value]
    assert set(first) <= set(full.findings)


WRONG = [
    pytest.param("PASS", ["WARNING"], id="PASS with a warning"),
    pytest.param("PASS", ["BLOCKING"], id="PASS with a blocking finding"),
    pytest.param("BLOCK", [], id="BLOCK without a finding"),
    pytest.param("BLOCK", ["WARNING"], id="BLOCK with a warning alone"),
    pytest.param("APPROVAL_REQUIRED", ["BLOCKING"], id="APPROVAL_REQUIRED with a blocking finding"),
    pytest.param("MAYBE", [], id="no decision of the enum"),
    pytest.param("pass", [], id="another letter case"),
    pytest.param(None, [], id="null"),
]


@pytest.mark.parametrize(("decision", "severities"), WRONG)
def test_an_opinion_that_disagrees_with_itself_is_none(decision: Any, severities: list[str]) -> None:
    seen = [{"code": "OVERCOMMITMENT", "severity": s, "summary": "s", "exhibits": []} for s in severities]
    with pytest.raises(ValidationError):
        ReviewerOpinion.model_validate({"decision": decision, "findings": seen})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"decision": "PASS"},
        {"findings": []},
        {"decision": "PASS", "findings": [], "note": ""},
        {"decision": "BLOCK", "findings": [{"code": "RUDENESS", "severity": "BLOCKING", "summary": "s", "exhibits": []}]},
        {"decision": "BLOCK", "findings": [{"code": "OVERCOMMITMENT", "severity": "BLOCKING", "exhibits": []}]},
        [],
        "PASS",
    ],
    ids=["nothing", "no findings", "no decision", "an unknown key", "an unknown code", "a finding without words", "a list", "a word"],
)
def test_partial_or_foreign_json_is_no_opinion(body: Any) -> None:
    with pytest.raises(ValidationError):
        ReviewerOpinion.model_validate(body)
