"""The golden suite: Q-005, G-001 to G-012 and the generated variants of those that block, each in an organisation of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.cases import GoldenCase, golden_case
from trustops.evaluation.costs import costs
from trustops.evaluation.replay import Played, play_case
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite
from trustops.evaluation.variants import variants
from trustops.roster import shipped

TRUTH, SURE = Authority.GOLDEN_TRUTH, Authority.DETERMINISTIC


def golden_cases() -> tuple[Case, ...]:
    """The thirteen, then the variants."""
    written = [case for path in sorted(shipped("golden").glob("*.yaml")) for case in load_cases(path)]
    return (*written, *variants())


def play_golden(case: Case, bench: Bench) -> Outcome:
    """Plays it, and scores what it says about the gates."""
    golden = golden_case(case)
    played = play_case(golden, bench)
    first = played.entries[0]
    return Outcome(
        steps=played.steps,
        scores=tuple(_scores(case, golden, played)),
        trace=str((first["authenticity"] or {}).get("trace", "")),
        dossier=told(first),
    )


def told(entry: Mapping[str, Any]) -> dict[str, object]:
    """What a person needs of a question's case file to see why it ended so."""
    findings = [{key: f[key] for key in ("code", "severity", "source", "summary")} for f in entry["findings"]]
    kept = ("ref", "text", "determination", "decision", "decision_source", "risk", "answer_text", "citations", "controls", "conflicts")
    return {key: entry[key] for key in kept} | {"findings": findings}


def _scores(case: Case, golden: GoldenCase, played: Played) -> Iterator[Score]:
    entry = played.entries[0]
    codes = {finding["code"] for finding in entry["findings"] if finding["source"] != "MODEL"}
    wanted = [finding.code for finding in golden.expect.findings]

    def score(metric: str, hits: bool | int, of: int = 1, authority: Authority = TRUTH) -> Score:
        return Score(metric=metric, case_id=case.case_id, amount=Decimal(int(hits)), of=of, authority=authority)

    yield score("golden_case_passed", played.passed, authority=SURE)
    left = entry["decision"] != "BLOCK"
    if golden.expect.decision == "BLOCK":
        yield score("blocking_finding_recall", not left and bool(codes & set(wanted)))
        yield score("critical_false_pass", left)
        alone = reviewer_alone(played.reviewer)
        if alone is not None:
            yield score("critical_false_pass_reviewer", alone != "BLOCK")
    yield score("false_pass_rate", left and golden.expect.decision == "BLOCK")
    allowed = (golden.expect.decision,) if isinstance(golden.expect.decision, str) else golden.expect.decision
    yield score("approval_routing_accuracy", entry["decision"] in allowed)
    yield from _detected(score, codes, wanted)
    yield from _readings(score, golden, played.entries)
    yield from costs(case.case_id, played.entries, review=True)
    if played.first_event_ms is not None:
        yield score("time_to_first_event", played.first_event_ms, authority=SURE)
    if case.case_id == "Q-005":
        yield score("q_005_end_to_end", round(1000 * played.seconds), authority=SURE)


def _detected(score: Any, codes: set[str], wanted: Sequence[str]) -> Iterator[Score]:
    for code, metric in (("OVERCOMMITMENT", "overcommitment_detection"), ("SENSITIVE_DISCLOSURE", "sensitive_disclosure_detection")):
        if code in wanted:
            yield score(metric, code in codes)


def _readings(score: Any, golden: GoldenCase, entries: Sequence[Mapping[str, Any]]) -> Iterator[Score]:
    expected = [golden.expect.control_evaluation, golden.recheck.expect.control_evaluation if golden.recheck else {}]
    pairs = [(entry, control, evaluation) for entry, told in zip(entries, expected, strict=False) for control, evaluation in told.items()]
    if pairs:
        right = [
            any(c["id"] == control and c["evaluation"] == evaluation for c in entry["controls"]) for entry, control, evaluation in pairs
        ]
        yield score("deterministic_drift_accuracy", sum(right), len(right))


def reviewer_alone(reply: str) -> str | None:
    """What the Reviewer itself concluded, BLOCK where it names a blocking finding; None where it said nothing that can be read."""
    try:
        opinion = json.loads(reply)
        blocking = any(finding["severity"] == "BLOCKING" for finding in opinion["findings"])
        return "BLOCK" if blocking else str(opinion["decision"])
    except (json.JSONDecodeError, KeyError, TypeError):
        return None


SUITE = Suite("golden", "Q-005, G-001 to G-012 and their generated variants", golden_cases, play_golden)
