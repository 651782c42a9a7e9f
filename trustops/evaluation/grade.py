"""Grading a review's report against truth, by labels only (product.md, "Rules of grading"). Never uses facts/."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trustops.evaluation.truth import Expected, Quote, Truth, TruthQuestion


@dataclass(frozen=True, slots=True)
class Rate:
    """A numerator over a denominator; without a denominator it is NOT_MEASURED."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        return f"{self.hits}/{self.of} ({100 * self.hits / self.of:.0f} %)" if self.of else "NOT_MEASURED"


@dataclass(frozen=True, slots=True)
class Graded:
    """One question: what was expected, what came, and each judgement."""

    ref: str
    expected: Expected
    actual: Mapping[str, Any]
    determination_right: bool
    decision_right: bool
    false_pass: bool
    false_block: bool
    over_routed: bool
    evidence_hit: bool | None
    contradicting_found: tuple[int, int]
    spurious_conflict: bool | None
    said: tuple[str, ...] = ()
    why: tuple[str, ...] = field(default=())


def grade(truth: Truth, report: Mapping[str, Any]) -> tuple[Graded, ...]:
    """Every question of the truth against the report of a run."""
    actual = {entry["ref"]: entry for entry in report["questions"]}
    return tuple(grade_question(question, actual.get(question.ref) or {}) for question in truth.questions)


def grade_question(question: TruthQuestion, actual: Mapping[str, Any]) -> Graded:
    """One question; what a run did not report counts as blocked and unknown."""
    expected = question.expected
    determination = actual.get("determination") or "UNKNOWN"
    right = determination in {expected.determination.value, *(d.value for d in expected.determination_allowed)}
    decision = actual.get("decision") or "BLOCK"
    codes = {f["code"] for f in actual.get("findings", ())}
    blocking = {f["code"] for f in actual.get("findings", ()) if f["severity"] == "BLOCKING"}
    wanted = {code.value for code in expected.findings} or {code.value for code in expected.findings_allowed}
    allowed = {code.value for code in (*expected.findings, *expected.findings_allowed)}
    good = {expected.decision.value, *(d.value for d in expected.decision_allowed)}
    truth_blocks = expected.decision.value == "BLOCK"
    exportable = decision != "BLOCK"
    blocked_rightly = not exportable and "BLOCK" in good and (not truth_blocks or bool(codes & wanted))
    over = expected.decision.value == "PASS" and decision == "APPROVAL_REQUIRED"
    return Graded(
        ref=question.ref,
        expected=expected,
        actual=actual,
        determination_right=right,
        decision_right=blocked_rightly if not exportable else decision in good or over,
        false_pass=exportable and (truth_blocks or expected.determination.value == "UNKNOWN"),
        false_block=not exportable and not truth_blocks and not ("BLOCK" in good and blocking <= allowed),
        over_routed=over,
        evidence_hit=_hit(expected.evidence_any, actual.get("citations", ())) if expected.evidence_any else None,
        contradicting_found=_contradicting(expected.contradicting, actual),
        spurious_conflict=None if expected.conflicts or expected.contradicting or truth_blocks else _conflicting(actual),
        said=tuple(word for word in expected.must_not_say if word.lower() in _spoken(actual).lower()),
    )


def _conflicting(actual: Mapping[str, Any]) -> bool:
    return any(f["code"] == "CONTRADICTION" and f["severity"] == "BLOCKING" for f in actual.get("findings", ()))


def _spoken(actual: Mapping[str, Any]) -> str:
    return "\n".join([str(actual.get("answer_text", "")), *(a["value"] for a in actual.get("answers", ()))])


def _flat(text: str) -> str:
    return " ".join(text.replace("`", "").split()).lower()


def _overlaps(quote: Quote, file: str, text: str) -> bool:
    """The same file, and either text holds the other up to white space."""
    wanted, got = _flat(quote.quote), _flat(text)
    return file == quote.file and bool(got) and (wanted in got or got in wanted)


def _hit(wanted: Iterable[Quote], citations: Iterable[Mapping[str, str]]) -> bool:
    cited = list(citations)
    return any(_overlaps(quote, c["file"], c["quote"]) for quote in wanted for c in cited)


def _contradicting(wanted: Iterable[Quote], actual: Mapping[str, Any]) -> tuple[int, int]:
    """Listed contradicting passages that a conflict, a citation or a finding's text shows."""
    shown = [_flat(side["quote"]) for c in actual.get("conflicts", ()) for side in (c["left"], c["right"])]
    shown += [_flat(c["quote"]) for c in actual.get("citations", ())]
    shown += [_flat(f["summary"]) for f in actual.get("findings", ())]
    quotes = [_flat(q.quote) for q in wanted]
    return sum(any(q in s or (len(s) > 20 and s in q) or q[:80] in s for s in shown) for q in quotes), len(quotes)


def metrics(graded: Iterable[Graded]) -> dict[str, Rate]:
    """The figures of a run, each as numerator and denominator (evaluation.md, "Metrics")."""
    rows = list(graded)
    blocked = [g for g in rows if g.expected.decision.value == "BLOCK"]
    passing = [g for g in rows if g.expected.decision.value != "BLOCK"]
    evidence = [g for g in rows if g.evidence_hit is not None]
    clean = [g for g in rows if g.spurious_conflict is not None]
    exportable = [g for g in passing if (g.actual.get("decision") or "BLOCK") != "BLOCK"]
    return {
        "false pass": Rate(sum(g.false_pass for g in rows), len(rows)),
        "blocking decisions with an expected code": Rate(sum(g.decision_right for g in blocked), len(blocked)),
        "determination accuracy": Rate(sum(g.determination_right for g in rows), len(rows)),
        "unblocked answers exportable after approval": Rate(len(exportable), len(passing)),
        "exportable with the right determination": Rate(sum(g.determination_right for g in exportable), len(exportable)),
        "false blocks": Rate(sum(g.false_block for g in passing), len(passing)),
        "over-routed (stricter than truth)": Rate(sum(g.over_routed for g in rows), len(rows)),
        "required evidence hit rate": Rate(sum(bool(g.evidence_hit) for g in evidence), len(evidence)),
        "contradictory evidence recall": Rate(sum(g.contradicting_found[0] for g in rows), sum(g.contradicting_found[1] for g in rows)),
        "spurious conflicts on conflict-free questions": Rate(sum(bool(g.spurious_conflict) for g in clean), len(clean)),
        "control mapping exact": Rate(sum(_controls(g) for g in rows), len(rows)),
        "control evaluation": Rate(*_evaluations(rows)),
        "risk at least truth's": Rate(sum(_risk(g) for g in rows), len(rows)),
        "answers that say what must not be said": Rate(
            sum(bool(g.said) for g in rows if (g.actual.get("decision") or "BLOCK") != "BLOCK"), len(rows)
        ),
    }


def _controls(graded: Graded) -> bool:
    return {c["id"] for c in graded.actual.get("controls", ())} == set(graded.expected.controls)


def _evaluations(rows: Iterable[Graded]) -> tuple[int, int]:
    pairs = [(g, control, wanted.value) for g in rows for control, wanted in g.expected.control_evaluation.items()]
    got = [
        next((c["evaluation"] for c in g.actual.get("controls", ()) if c["id"] == control), None) == wanted for g, control, wanted in pairs
    ]
    return sum(got), len(got)


def _risk(graded: Graded) -> bool:
    order = ["LOW", "MEDIUM", "HIGH"]
    return order.index(graded.actual.get("risk") or "LOW") >= order.index(graded.expected.risk.value)


def upper_bound(events: int, trials: int, level: float = 0.95) -> float:
    """One-sided exact upper bound of a rate (Clopper and Pearson): the rate under which so few events have probability 1 - level."""
    if trials == 0 or events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        few = sum(math.comb(trials, k) * middle**k * (1 - middle) ** (trials - k) for k in range(events + 1))
        low, high = (middle, high) if few > 1 - level else (low, middle)
    return high
