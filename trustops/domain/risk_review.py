"""How a decision is made (product.md): the verdict starts as BLOCK and only complete, clean input lifts it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from trustops.domain.answer import Determination
from trustops.domain.base import Noun
from trustops.domain.control import Risk
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.opinion import ReviewerOpinion, Unavailable


class Decision(StrEnum):
    PASS = "PASS"
    APPROVAL_REQUIRED = "APPROVAL_REQUIRED"
    BLOCK = "BLOCK"


class ReviewStatus(StrEnum):
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


class DecisionSource(StrEnum):
    MODEL = "MODEL"
    RULES = "RULES"
    SYSTEM_FAIL_CLOSED = "SYSTEM_FAIL_CLOSED"


class RiskReviewResult(Noun):
    """What decide concludes. The defaults are the verdict of a review that never happened."""

    status: ReviewStatus = ReviewStatus.FAILED
    decision: Decision = Decision.BLOCK
    source: DecisionSource = DecisionSource.SYSTEM_FAIL_CLOSED
    findings: tuple[Finding, ...] = ()


def unavailable_findings(seats: Iterable[Unavailable]) -> tuple[Finding, ...]:
    """A blocking finding for every seat that gave nothing usable."""
    return tuple(_unavailable(seat) for seat in seats)


def _unavailable(failed: Unavailable) -> Finding:
    reviewer = failed.seat == "reviewer"
    return Finding(
        code=FindingCode.REVIEWER_UNAVAILABLE if reviewer else FindingCode.AGENT_UNAVAILABLE,
        severity=Severity.BLOCKING,
        source=FindingSource.SYSTEM,
        summary=f"The {failed.seat} seat gave no usable result ({failed.reason}{': ' + failed.detail if failed.detail else ''}).",
        exhibits=(failed.seat,),
        remedy="Run `trustops recheck` for this question; `trustops doctor` tests the connection to the model.",
    )


def _routes(finding: Finding) -> bool:
    """A warning routes to a person, except an injection on a passage that the answer does not cite."""
    return finding.code is not FindingCode.SUSPECTED_INJECTION or finding.cited


def conclude(
    findings: Iterable[Finding],
    *,
    seats: Iterable[object | Unavailable | None],
    reviewer: ReviewerOpinion | Unavailable | None,
    risk: Risk,
    determination: Determination | None,
) -> RiskReviewResult:
    """The decision. `seats` are the results of the other four seats; anything missing or unavailable means BLOCK.

    On a tie of reasons SYSTEM_FAIL_CLOSED > RULES > MODEL. The reviewer may only make the outcome stricter.
    """
    others = list(seats)
    failed = [seat for seat in [*others, reviewer] if isinstance(seat, Unavailable)]
    all_findings = (*findings, *unavailable_findings(failed))
    missing = len(others) != 4 or any(seat is None for seat in others) or determination is None
    if not isinstance(reviewer, ReviewerOpinion) or failed or missing:
        status = ReviewStatus.COMPLETED if isinstance(reviewer, ReviewerOpinion) else ReviewStatus.FAILED
        return RiskReviewResult(status=status, findings=all_findings)
    decision, source = _verdict(all_findings, reviewer, risk, determination)
    return RiskReviewResult(status=ReviewStatus.COMPLETED, decision=decision, source=source, findings=all_findings)


def _verdict(
    findings: tuple[Finding, ...], reviewer: ReviewerOpinion, risk: Risk, determination: Determination | None
) -> tuple[Decision, DecisionSource]:
    blocking = [finding for finding in findings if finding.blocks]
    if blocking:
        sources = {finding.source for finding in blocking}
        if FindingSource.SYSTEM in sources:
            return Decision.BLOCK, DecisionSource.SYSTEM_FAIL_CLOSED
        return Decision.BLOCK, DecisionSource.RULES if FindingSource.RULES in sources else DecisionSource.MODEL
    if reviewer.decision == "BLOCK" or determination is Determination.UNKNOWN:
        return Decision.BLOCK, DecisionSource.RULES if determination is Determination.UNKNOWN else DecisionSource.MODEL
    if risk is Risk.HIGH or determination is Determination.PARTIAL or any(_routes(f) for f in findings):
        return Decision.APPROVAL_REQUIRED, DecisionSource.RULES
    if reviewer.decision == "APPROVAL_REQUIRED":
        return Decision.APPROVAL_REQUIRED, DecisionSource.MODEL
    return Decision.PASS, DecisionSource.RULES
