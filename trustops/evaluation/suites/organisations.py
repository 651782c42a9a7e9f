"""Whole organisations with their truth files: the honest run, the recheck, each drill, and the truth's own answers.

An honest run is one case, since its questions share one run; what it says of each question is a score of that question.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from trustops.evaluation.actors import ModelAnswers
from trustops.evaluation.case import Case
from trustops.evaluation.claims import claim_scores
from trustops.evaluation.costs import costs
from trustops.evaluation.grade import Graded, grade, metrics
from trustops.evaluation.harness import play, recheck, run, with_client
from trustops.evaluation.record import Step
from trustops.evaluation.report import blocked_model_answers
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, ReadOnce, Suite, step
from trustops.evaluation.suites.golden import reviewer_alone, told
from trustops.evaluation.truth import Truth, load_truth
from trustops.operations.grading_evaluations import evaluated
from trustops.operations.office import Office
from trustops.roster import shipped

ORGANISATIONS = ("acme", "brightwell")
FLOORS = {
    "determination accuracy": Decimal("0.65"),
    "required evidence hit rate": Decimal("0.90"),
    "unblocked answers exportable after approval": Decimal("0.40"),
}
CEILINGS = {"spurious conflicts on conflict-free questions": Decimal("0.03")}
MODEL_ANSWERS_BLOCKED = Decimal("0.10")


def organisation_cases() -> tuple[Case, ...]:
    """The cases of every shipped organisation."""
    return tuple(case for name in ORGANISATIONS for case in truth_cases(shipped("golden") / name))


def truth_cases(folder: Path) -> tuple[Case, ...]:
    """A folder with truth.yaml, a workspace and a questionnaire as cases: honest, recheck, answers, and one for each drill."""
    truth = load_truth(folder / "truth.yaml")

    def case(name: str, level: int, dimension: str, title: str, **expect: Any) -> Case:
        given = {"folder": str(folder), "what": name}
        source = f"{folder.name}/truth.yaml"
        case_id = f"{folder.name}/{name}"
        kind = "fault" if dimension == "reviewer" else "golden"
        return Case(case_id=case_id, title=title, level=level, dimension=dimension, kind=kind, source=source, input=given, expect=expect)

    made = [case("honest", 4, "workflow", f"{len(truth.questions)} questions, five honest seats", false_pass=0)]
    if any(q.expected.recheck for q in truth.questions):
        made.append(case("recheck", 4, "workflow", "the same with new snapshots", right="all"))
    made.append(case("answers", 4, "answer", "the truth's own answers through the rules", blocked_at_most=str(MODEL_ANSWERS_BLOCKED)))
    for question in truth.questions:
        for number, drill in enumerate(question.drills, start=1):
            dimension = "reviewer" if drill.fault or drill.seat == "reviewer" else "answer"
            title = f"{question.ref}: {drill.golden} at the {drill.seat} seat"
            made.append(case(f"{question.ref}.{number}", 4, dimension, title, decision=drill.expect.decision.value))
    return tuple(made)


def play_organisation(case: Case, bench: Bench) -> Outcome:
    """The case that `what` names."""
    folder, what = Path(case.input["folder"]), case.input["what"]
    truth = load_truth(folder / "truth.yaml")
    file = next(folder.glob("questionnaire.*"))
    with bench.office(_house(folder, bench)) as office:
        office = replace(office, reader=bench.kept.setdefault(f"reader of {folder}", ReadOnce(office.reader)))
        if what == "honest":
            return _honest(case, office, truth, file)
        if what == "recheck":
            return _rechecked(case, office, truth, folder, file)
        if what == "answers":
            return _answers(office, truth, file)
        return _drill(case, bench, office, truth, file, what)


def _house(folder: Path, bench: Bench) -> Path:
    """A copy of the workspace, without its state; one for all cases of the organisation in this process."""
    name = f"house of {folder}"
    if name not in bench.kept:
        house = bench.folder(folder.name) / "workspace"
        shutil.copytree(folder / "workspace", house, ignore=shutil.ignore_patterns(".trustops"))
        bench.kept[name] = house
    return Path(bench.kept[name])


def _honest(case: Case, office: Office, truth: Truth, file: Path) -> Outcome:
    report = run(office, file, truth.as_of)
    graded = grade(truth, report)
    figures = metrics(graded)
    steps = [
        step("false passes", "none", ", ".join(g.ref for g in graded if g.false_pass) or "none"),
        step("blocked without an expected code", "none", ", ".join(_unexplained(graded)) or "none"),
        step("answers that say what must not be said", "none", ", ".join(_saying(graded)) or "none"),
        *(_bar(name, figures[name].share, floor, least=True) for name, floor in FLOORS.items()),
        *(_bar(name, figures[name].share, ceiling, least=False) for name, ceiling in CEILINGS.items()),
    ]
    scores = [score for g in graded for score in _scores(case.case_id, g)]
    scores += claim_scores(office, case.case_id, report)
    scores += _reviewed(office, case.case_id, report, graded)
    scores += costs(case.case_id, report["questions"], review=True)
    passes = {g.ref: told(g.actual) for g in graded if g.false_pass and g.actual}
    run_id = str(report["run"])
    return Outcome(tuple(steps), tuple(scores), run_id, passes, grades=evaluated(office, run_id, case.case_id))


def _unexplained(graded: Sequence[Graded]) -> list[str]:
    return [g.ref for g in graded if g.expected.decision.value == "BLOCK" and not g.decision_right]


def _saying(graded: Sequence[Graded]) -> list[str]:
    return [g.ref for g in graded if g.said and _left(g)]


def _left(graded: Graded) -> bool:
    return (graded.actual.get("decision") or "BLOCK") != "BLOCK"


def _bar(name: str, share: float | None, bar: Decimal, *, least: bool) -> Step:
    wanted = f"{'at least' if least else 'at most'} {bar}"
    if share is None:
        return Step(name, wanted, "NOT_MEASURED", False)
    return Step(name, wanted, f"{share:.3f}", share >= bar if least else share <= bar)


def _scores(name: str, graded: Graded) -> Iterator[Score]:
    """What one question says about the metrics, by truth."""
    expected = graded.expected

    def score(metric: str, hits: int | bool, of: int = 1) -> Score:
        case_id = f"{name}/{graded.ref}"
        return Score(metric=metric, case_id=case_id, amount=Decimal(int(hits)), of=of, authority=Authority.GOLDEN_TRUTH)

    blocks = expected.decision.value == "BLOCK"
    yield score("false_pass_rate", graded.false_pass)
    yield score("approval_routing_accuracy", graded.decision_right)
    if blocks:
        yield score("blocking_finding_recall", graded.decision_right)
        yield score("critical_false_pass", _left(graded))
    else:
        yield score("false_block_rate", graded.false_block)
    if graded.evidence_hit is not None:
        yield score("required_evidence_hit_rate", graded.evidence_hit)
    if graded.contradicting_found[1]:
        yield score("contradictory_evidence_recall", *graded.contradicting_found)
    controls = {c["id"]: c for c in graded.actual.get("controls", ())}
    yield score("control_mapping_accuracy", set(controls) == set(expected.controls))
    for control, evaluation in expected.control_evaluation.items():
        got = controls.get(control, {}).get("evaluation")
        found = Score(
            metric="deterministic_drift_accuracy",
            case_id=f"{name}/{graded.ref}/{control}",
            amount=Decimal(int(got == evaluation.value)),
            authority=Authority.GOLDEN_TRUTH,
        )
        yield found
    if expected.must_not_say and _left(graded):
        yield score("sensitive_disclosure", bool(graded.said))


def _reviewed(office: Office, name: str, report: dict[str, Any], graded: Sequence[Graded]) -> Iterator[Score]:
    """The Reviewer alone, of the questions that truth blocks."""
    blocked = {g.ref for g in graded if g.expected.decision.value == "BLOCK"}
    calls = office.ledger.calls(report["review"])
    for ref in sorted(blocked):
        replies = [call.reply for call in calls.get((report["run"], ref), ((), ()))[0] if call.seat == "reviewer"]
        alone = reviewer_alone(replies[-1]) if replies else None
        if alone is not None:
            yield Score(
                metric="critical_false_pass_reviewer",
                case_id=f"{name}/{ref}",
                amount=Decimal(int(alone != "BLOCK")),
                authority=Authority.GOLDEN_TRUTH,
            )


def _rechecked(case: Case, office: Office, truth: Truth, folder: Path, file: Path) -> Outcome:
    graded = recheck(office, truth, folder, file)
    steps = [
        step(f"{g.ref} decision and determination", "right", "right" if g.decision_right and g.determination_right else "wrong")
        for g in graded
    ]
    scores = [s for g in graded for s in _scores(case.case_id, g) if s.metric == "deterministic_drift_accuracy"]
    return Outcome(tuple(steps), tuple(scores), dossier={g.ref: told(g.actual) for g in graded})


def _answers(office: Office, truth: Truth, file: Path) -> Outcome:
    answered = grade(truth, run(with_client(office, ModelAnswers(office.client, truth.questions)), file, truth.as_of))
    rate = blocked_model_answers(answered)
    return Outcome((_bar("model answers that the rules block", rate.share, MODEL_ANSWERS_BLOCKED, least=False),))


def _drill(case: Case, bench: Bench, office: Office, truth: Truth, file: Path, what: str) -> Outcome:
    ref, _, number = what.rpartition(".")
    question = next(q for q in truth.questions if q.ref == ref)
    drill = question.drills[int(number) - 1]
    ended = play(office, truth, question, drill, file, bench.connect)
    left = ended.decision != "BLOCK"
    wanted = {code.value for code in (*drill.expect.findings, *drill.expect.findings_one_of)}

    def score(metric: str, hits: bool) -> Score:
        return Score(metric=metric, case_id=case.case_id, amount=Decimal(int(hits)), authority=Authority.GOLDEN_TRUTH)

    scores = []
    if drill.expect.decision.value == "BLOCK":
        scores += [score("blocking_finding_recall", ended.ok), score("false_pass_rate", left), score("critical_false_pass", left)]
    if "OVERCOMMITMENT" in {code.value for code in drill.expect.findings}:
        scores.append(score("overcommitment_detection", "OVERCOMMITMENT" in ended.codes))
    if "SENSITIVE_DISCLOSURE" in {code.value for code in drill.expect.findings}:
        scores.append(score("sensitive_disclosure_detection", "SENSITIVE_DISCLOSURE" in ended.codes))
    steps = (
        step("decision", drill.expect.decision.value, ended.decision),
        Step("findings and status", ", ".join(sorted(wanted)) or "as in truth", ended.why or ", ".join(ended.codes), ended.ok),
    )
    return Outcome(steps, tuple(scores), dossier={"decision": ended.decision, "codes": list(ended.codes), "why": ended.why})


SUITE = Suite("organisations", "the demo organisation and Brightwell, each with its drills", organisation_cases, play_organisation)
