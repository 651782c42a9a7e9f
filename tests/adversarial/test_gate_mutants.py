"""Harm: a line of the gate or of the decision is weakened by a later change, an answer leaves that must not, and no test notices.

Each mutant of the two functions must differ from the specification in at least one row; survivors are named.
"""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.adversarial.mutants import Mutant, function, mutants
from trustops.domain import export, risk_review
from trustops.domain.answer import Determination
from trustops.domain.control import Risk
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.opinion import OpinionFinding, ReviewerOpinion, Unavailable
from trustops.testing.gate_table import LEAVES, SPACE, may_leave

MUTANTS_AT_LEAST = {"gate": 60, "conclude": 30, "_verdict": 35, "_routes": 4}
EQUIVALENT = (
    # an unavailable seat is a blocking finding of the system as well: BLOCK on both ways
    "term 1 removed: not isinstance(reviewer, ReviewerOpinion) or failed or missing",
)
"""Changes that no input can tell apart, each with its reason; the list may not grow without one."""


# -- the gate ------------------------------------------------------------------------------------------------------------


GateRow = tuple[export.GateInput, bool, bool]
"""What the gate sees, whether it leaves, and whether one fact alone is wrong, so that there is one reason."""


def gate_rows() -> list[GateRow]:
    """A row that leaves; every row that differs from such a one in one or two facts; and a thousand of the whole space."""
    good = {name: sorted(LEAVES.get(name, frozenset(SPACE[name])), key=str)[-1] for name in SPACE}
    found = [good]
    for left, right in itertools.combinations(SPACE, 2):
        found += [{**good, left: a, right: b} for a in SPACE[left] for b in SPACE[right]]
    found += [{**good, name: junk} for name in SPACE for junk in (None, "junk")]
    chance = random.Random(20)
    found += [{name: chance.choice(values) for name, values in SPACE.items()} for _ in range(1000)]
    unique = {tuple(map(str, row.values())): row for row in found}
    alone = {tuple(map(str, {**good, name: value}.values())) for name in LEAVES for value in SPACE[name] if value not in LEAVES[name]}
    return [(export.GateInput(**row), may_leave(row), key in alone) for key, row in unique.items()]


def gate_holds(space: Mapping[str, Any], rows: Sequence[GateRow]) -> bool:
    for seen, leaves, alone in rows:
        told = space["gate"](seen)
        if (told.state == "OPEN") is not leaves or (alone and len(told.reasons) != 1):
            return False
    return True


# -- the decision --------------------------------------------------------------------------------------------------------


def finding(code: FindingCode, severity: Severity, source: FindingSource, *, cited: bool = False) -> Finding:
    return Finding(code=code, severity=severity, source=source, summary="s", exhibits=(), remedy="r", cited=cited)


BLOCKS = {source: finding(FindingCode.OVERCOMMITMENT, Severity.BLOCKING, source) for source in FindingSource}
WARNS = finding(FindingCode.CROSS_LANGUAGE, Severity.WARNING, FindingSource.RULES)
UNCITED_ORDER = finding(FindingCode.SUSPECTED_INJECTION, Severity.WARNING, FindingSource.RULES)
CITED_ORDER = finding(FindingCode.SUSPECTED_INJECTION, Severity.WARNING, FindingSource.RULES, cited=True)
RULES, MODEL, SYSTEM = FindingSource.RULES, FindingSource.MODEL, FindingSource.SYSTEM
FINDINGS: tuple[tuple[Finding, ...], ...] = (
    (),
    (UNCITED_ORDER,),
    (CITED_ORDER,),
    (WARNS,),
    (WARNS, UNCITED_ORDER),
    (BLOCKS[MODEL],),
    (BLOCKS[RULES], BLOCKS[MODEL]),
    (BLOCKS[SYSTEM], BLOCKS[RULES], WARNS),
)
GONE = Unavailable(seat="policy", reason="timeout")
SEATS: tuple[tuple[object, ...], ...] = (
    ("a", "b", "c", "d"),
    ("a", "b", "c"),
    ("a", "b", "c", "d", "e"),
    ("a", None, "c", "d"),
    ("a", GONE, "c", "d"),
)
BLOCKED = OpinionFinding(code=FindingCode.OVERCOMMITMENT, severity=Severity.BLOCKING, summary="s", exhibits=())
REVIEWERS: tuple[ReviewerOpinion | Unavailable | None, ...] = (
    ReviewerOpinion(decision="PASS", findings=()),
    ReviewerOpinion(decision="APPROVAL_REQUIRED", findings=()),
    ReviewerOpinion(decision="BLOCK", findings=(BLOCKED,)),
    Unavailable(seat="reviewer", reason="empty"),
    None,
)
Told = tuple[str, str, str, frozenset[str]]


def decided(findings: tuple[Finding, ...], seats: Any, reviewer: Any, risk: Risk, determination: Determination | None) -> Told:
    """The specification's conclusion, written from product.md ("How a decision is made") and apart from the product's code."""
    gone = {"AGENT_UNAVAILABLE" for seat in seats if isinstance(seat, Unavailable)}
    gone |= {"REVIEWER_UNAVAILABLE"} if isinstance(reviewer, Unavailable) else set()
    spoke = isinstance(reviewer, ReviewerOpinion)
    sources = {f.source.value for f in findings if f.severity is Severity.BLOCKING}
    status, codes = "COMPLETED" if spoke else "FAILED", frozenset({f.code.value for f in findings} | gone)
    if not spoke or gone or len(seats) != 4 or None in seats or determination is None or "SYSTEM" in sources:
        return status, "BLOCK", "SYSTEM_FAIL_CLOSED", codes
    unknown = determination is Determination.UNKNOWN
    if "RULES" in sources or (unknown and "MODEL" not in sources):
        return status, "BLOCK", "RULES", codes
    if sources or reviewer.decision == "BLOCK":
        return status, "BLOCK", "MODEL", codes
    routed = any(f.code is not FindingCode.SUSPECTED_INJECTION or f.cited for f in findings)
    if risk is Risk.HIGH or determination is Determination.PARTIAL or routed:
        return status, "APPROVAL_REQUIRED", "RULES", codes
    return (status, "APPROVAL_REQUIRED", "MODEL", codes) if reviewer.decision == "APPROVAL_REQUIRED" else (status, "PASS", "RULES", codes)


Row = tuple[tuple[Finding, ...], tuple[object, ...], Any, Risk, Determination | None]


def decision_rows() -> list[tuple[Row, Told]]:
    rows = list(itertools.product(FINDINGS, SEATS, REVIEWERS, Risk, [*Determination, None]))
    random.Random(20).shuffle(rows)
    return [(row, decided(*row)) for row in rows]


def decision_holds(space: Mapping[str, Any], rows: Sequence[tuple[Row, Told]]) -> bool:
    return all(_concluded(space["conclude"], row) == told for row, told in rows)


def _concluded(conclude: Callable[..., risk_review.RiskReviewResult], row: Row) -> Told:
    findings, seats, reviewer, risk, determination = row
    result = conclude(findings, seats=seats, reviewer=reviewer, risk=risk, determination=determination)
    return result.status.value, result.decision.value, result.source.value, frozenset(f.code.value for f in result.findings)


# -- killing -------------------------------------------------------------------------------------------------------------

JUDGES: dict[str, tuple[Any, Callable[[], Any], Callable[[Mapping[str, Any], Any], bool]]] = {
    "gate": (export, gate_rows, gate_holds),
    "conclude": (risk_review, decision_rows, decision_holds),
    "_verdict": (risk_review, decision_rows, decision_holds),
    "_routes": (risk_review, decision_rows, decision_holds),
}


def survives(mutant: Mutant, module: Any, holds: Callable[[Mapping[str, Any], Any], bool], rows: Any) -> bool:
    """True for a mutant that agrees with every row. One that raises is noticed as well."""
    try:
        return holds(mutant.within(module), rows)
    except Exception:  # noqa: BLE001  a mutant may fail in any way
        return False


@pytest.mark.parametrize("name", JUDGES)
def test_every_weakened_copy_of_gate_and_decision_is_noticed(name: str) -> None:
    module, make_rows, holds = JUDGES[name]
    rows = make_rows()
    assert holds(vars(module), rows), "the unchanged function must agree with the specification"
    made = list(mutants(function(inspect.getsource(module), name)))
    survivors = [m.what for m in made if survives(m, module, holds, rows)]
    unexplained = [what for what in survivors if not _explained(what)]
    assert not unexplained, f"{len(unexplained)} of {len(made)} survive:\n" + "\n".join(unexplained)
    assert len(made) >= MUTANTS_AT_LEAST[name]


def _explained(what: str) -> bool:
    return any(what.endswith(line) for line in EQUIVALENT)


def kinds() -> Iterator[str]:
    yield from ("removed", "negated", "folded", "and for or", "Is to IsNot", "exchanged")


def test_the_mutants_are_of_every_kind() -> None:
    made = [m.what for name, (module, _, _) in JUDGES.items() for m in mutants(function(inspect.getsource(module), name))]
    assert [kind for kind in kinds() if not any(kind in what for what in made)] == []
