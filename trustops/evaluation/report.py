"""What an evaluation reached, and the gates it must pass (evaluation.md, "Metrics" and "Report")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trustops.evaluation.grade import Graded, Rate, upper_bound
from trustops.evaluation.harness import Evaluation


@dataclass(frozen=True, slots=True)
class GateLine:
    """One figure against what is wanted of it."""

    name: str
    value: str
    wanted: str
    ok: bool


def gates(told: Evaluation) -> tuple[GateLine, ...]:
    """The figures that must hold; a missing one is not a pass."""
    figures = told.figures
    false_pass = figures["false pass"]
    bound = 100 * upper_bound(false_pass.hits, false_pass.of)
    blocking = figures["blocking decisions with an expected code"]
    lines = [
        GateLine("false pass", f"{false_pass} (95 % bound {bound:.1f} %)", "0", false_pass.hits == 0),
        GateLine("blocking decisions with an expected code", str(blocking), "all", blocking.hits == blocking.of),
        _least("determination accuracy", figures["determination accuracy"], 0.65),
        GateLine("citation validity", *_validity(told.graded)),
        _least("required evidence hit rate", figures["required evidence hit rate"], 0.90),
        _most("spurious conflicts on conflict-free questions", figures["spurious conflicts on conflict-free questions"], 0.03),
        _least("unblocked answers exportable after approval", figures["unblocked answers exportable after approval"], 0.40),
    ]
    if told.rechecked:
        good = Rate(sum(g.decision_right and g.determination_right for g in told.rechecked), len(told.rechecked))
        lines.append(GateLine("rechecks with new snapshots", str(good), "all", good.hits == good.of))
    if told.drills:
        held = Rate(sum(d.ok for d in told.drills), len(told.drills))
        lines.append(GateLine("drills that end as expected", str(held), "all", held.hits == held.of))
    if told.answers:
        lines.append(_most("model answers that the rules block", blocked_model_answers(told.answers), 0.10))
    return tuple(lines)


def blocked_model_answers(answers: tuple[Graded, ...]) -> Rate:
    """Honest answers that the rules block, of those that truth lets pass."""
    passing = [g for g in answers if g.expected.decision.value != "BLOCK"]
    return Rate(sum((g.actual.get("decision") or "BLOCK") == "BLOCK" for g in passing), len(passing))


def _least(name: str, rate: Rate, floor: float) -> GateLine:
    return GateLine(name, str(rate), f">= {100 * floor:.0f} %", rate.share is not None and rate.share >= floor)


def _most(name: str, rate: Rate, ceiling: float) -> GateLine:
    return GateLine(name, str(rate), f"<= {100 * ceiling:.0f} %", rate.share is not None and rate.share <= ceiling)


def _validity(graded: tuple[Graded, ...]) -> tuple[str, str, bool]:
    """Citations of answers that could leave: each must be in the dossier, verbatim. Code checks it; here the findings are counted."""
    leaving = [g for g in graded if (g.actual.get("decision") or "BLOCK") != "BLOCK"]
    cited = sum(len(g.actual.get("citations", ())) for g in leaving)
    wrong = sum(f["code"] == "INVALID_CITATION" for g in leaving for f in g.actual.get("findings", ()))
    placed = sum(bool(c["file"]) for g in leaving for c in g.actual.get("citations", ()))
    rate = Rate(placed - wrong, cited)
    return str(rate), "100 %", rate.of > 0 and rate.hits == rate.of


def as_document(told: Evaluation) -> dict[str, Any]:
    """The evaluation for machines."""
    return {
        "truth": told.truth.organisation,
        "questions": len(told.graded),
        "commands": told.commands,
        "gates": [{"name": g.name, "value": g.value, "wanted": g.wanted, "ok": g.ok} for g in gates(told)],
        "figures": {name: {"hits": rate.hits, "of": rate.of} for name, rate in told.figures.items()},
        "rows": [_row(g) for g in told.graded],
        "rechecked": [_row(g) for g in told.rechecked],
        "drills": [
            {"ref": d.ref, "golden": d.drill.golden, "decision": d.decision, "codes": list(d.codes), "ok": d.ok, "why": d.why}
            for d in told.drills
        ],
        "model_answers": [_row(g) | {"blocked_by": sorted(_blocking(g))} for g in told.answers],
    }


def _blocking(graded: Graded) -> set[str]:
    return {f["code"] for f in graded.actual.get("findings", ()) if f["severity"] == "BLOCKING" and f["source"] != "MODEL"}


def _row(graded: Graded) -> dict[str, Any]:
    return {
        "ref": graded.ref,
        "determination": graded.actual.get("determination"),
        "expected_determination": graded.expected.determination.value,
        "decision": graded.actual.get("decision"),
        "expected_decision": graded.expected.decision.value,
        "determination_right": graded.determination_right,
        "decision_right": graded.decision_right,
        "false_pass": graded.false_pass,
        "false_block": graded.false_block,
        "evidence_hit": graded.evidence_hit,
        "codes": sorted({f["code"] for f in graded.actual.get("findings", ())}),
    }
