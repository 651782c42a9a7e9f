"""eval calibrate, advise and compare-styles: how far a judge agrees with people, what judges say of an answer, and whether the house style
serves customers better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace, question_named
from trustops.cli.screen import emit, harmless, say, table
from trustops.domain.errors import UsageError

if TYPE_CHECKING:
    from trustops.evaluation.comparing import Half
    from trustops.evaluation.judging import Calibration
    from trustops.evaluation.styles import Result


def eval_calibrate(
    labels: Annotated[Path, typer.Argument(help="CSV: item,judge,human and human_2 ... for further raters.")],
    provider: Annotated[str, typer.Option("--provider", help="Who served the judge's verdicts: anthropic, openai, ...")],
    model: Annotated[str, typer.Option("--model", help="The judge's model.")],
    judge: Annotated[str, typer.Option("--judge", help="The judge's prompt by name.")] = "judge-rubric",
    passes_from: Annotated[int, typer.Option("--passes-from", help="The score from which on it is a pass.")] = 3,
    by: Annotated[str, typer.Option("--by", help="Who collected the labels; goes on record.")] = "",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Calibrate a judge against people: agreement, both error rates with intervals, and what its share of passes is worth."""
    from trustops import assembly
    from trustops.evaluation.calibrating import calibrate, keep, load_rows
    from trustops.evaluation.judging import Grader, prompt_label, worth

    rows = load_rows(labels, passes_from)
    office = assembly.office(workspace)
    grader = Grader(prompt=prompt_label(office.roster, judge), provider=provider, model=model)
    made = calibrate(rows, grader, office.clock.now())
    keep(office, made, by=by)
    why = worth(grader, [made]).why
    if as_json:
        emit({**made.model_dump(mode="json"), "calibrated": not why, "why_advisory": why})
        return
    _say_calibration(made)
    say(f"Advisory only: {why}." if why else "It counts as calibrated until its prompt or model changes.")


def _say_calibration(made: Calibration) -> None:
    def rate(pair: tuple[int, int], ends: tuple[float, float] | None = None) -> str:
        between = f" ({ends[0]:.3f} to {ends[1]:.3f})" if ends else ""
        return f"{pair[0]}/{pair[1]}{between}" if pair[1] else "NOT_MEASURED"

    def number(value: float | None) -> str:
        return "NOT_MEASURED" if value is None else f"{value:.3f}"

    rows = [
        ("agreement", rate(made.agreement)),
        ("kappa", number(made.kappa)),
        ("alpha", number(made.alpha)),
        ("true positive rate", rate(made.tpr, made.tpr_interval)),
        ("true negative rate", rate(made.tnr, made.tnr_interval)),
        ("passes as judged", rate(made.observed)),
        ("passes corrected (Rogan-Gladen)", number(made.corrected)),
    ]
    table(f"{made.grader.prompt}  {made.grader.provider} {made.grader.model}", ("figure", "value"), rows)
    counts = f"{made.items} items, {made.raters} raters, {made.missing} without a verdict of the judge, {made.disputed} disputed"
    say(f"{counts}. Record {made.id}.")


def eval_advise(
    question: Annotated[str, typer.Argument(help="REF, or REVIEW:REF.")],
    judge: Annotated[str, typer.Option("--judge", help="The profile of the judges.")],
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Ask the advisory judges about the current answer: clarity, entailment, overcommitment, disclosure. It changes nothing."""
    from trustops import assembly
    from trustops.evaluation.advising import advise
    from trustops.evaluation.calibrating import calibrations
    from trustops.evaluation.judging import Advice, Judged

    client = assembly.profile_client(workspace, judge)
    office = assembly.offline(workspace)
    found, ref = question_named(office, question)
    answer = office.ledger.latest_answers(found.id).get(ref)
    if answer is None or not answer.text:
        raise UsageError("there is no answer to judge", where=ref, remedy=f"`trustops show {ref}` says why.")
    asked = next(each.text for each in found.questionnaire.questions if each.ref == ref)
    rows = []
    for name, said, held in advise(office, client, asked, answer, calibrations(office)):
        opinion = said.opinion if isinstance(said, Judged) else None
        advice = opinion if isinstance(opinion, Advice) else None
        told = {"judge": name, "verdict": advice.verdict if advice else None, "score": advice.score if advice else None}
        origin = said.origin.value if isinstance(said, Judged) else None
        rows.append({**told, "reason": advice.reason if advice else held.why, "origin": origin, "advisory": held.why or None})
    if as_json:
        emit({"question": ref, "version": answer.version, "advice": rows})
        return
    cells = [
        [harmless(str("missing" if row[key] is None else row[key])) for key in ("judge", "verdict", "score", "reason")] for row in rows
    ]
    table(f"{ref}@{answer.version}: advice of judges, which decides nothing", ("judge", "verdict", "0-5", "reason"), cells)


def eval_compare_styles(
    workspace: Workspace = HERE,
    n: Annotated[int | None, typer.Option("-n", help="Play so many scenarios, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the draw.")] = 1,
    baseline_only: Annotated[bool, typer.Option("--baseline-only", help="Play the plain side alone.")] = False,
    augmented_only: Annotated[bool, typer.Option("--augmented-only", help="Play the augmented side alone.")] = False,
    user: Annotated[list[str] | None, typer.Option("--user", help="Only this user's scenarios; may be given again.")] = None,
    playbook: Annotated[str, typer.Option("--playbook", help="Compare this proposal, instead of the whole house style.")] = "",
    judge: Annotated[str, typer.Option("--judge", help="The profile of the judge; scripted without one.")] = "",
    customer: Annotated[str, typer.Option("--customer", help="The profile that plays the customer; scripted without one.")] = "",
    scenarios: Annotated[Path | None, typer.Option("--scenarios", help="A folder of scenarios in place of the shipped ones.")] = None,
    by: Annotated[str, typer.Option("--by", help="Who compares; goes on record.")] = "",
    as_json: AsJson = False,
) -> None:
    """Plain against house style (or without and with one playbook), driven by a simulated customer and judged by the rubric."""
    from trustops import assembly
    from trustops.evaluation.scenarios import chosen, load_scenarios
    from trustops.operations.playbooks import keep_comparison, named

    if baseline_only and augmented_only:
        raise UsageError("both sides alone are no side", remedy="Give one of --baseline-only and --augmented-only.")
    pairs = chosen(load_scenarios(scenarios), n=n, seed=seed, users=user or ())
    office = assembly.office(workspace)
    proposal = named(office, playbook) if playbook else None
    played, judged, clients = _models(workspace, customer, judge)

    from trustops.evaluation.calibrating import calibrations
    from trustops.evaluation.styles import Plan, run  # heavy rooms: a mistake is told before they are entered

    plan = Plan(
        workspace=office.workspace,
        scenarios=pairs,
        open_office=assembly.office,
        playbook=proposal,
        customer=played,
        judge=judged,
        baseline=not augmented_only,
        augmented=not baseline_only,
        calibrations=calibrations(office),
    )
    made = run(plan, at=office.clock.now(), progress=(lambda text: None) if as_json else say, others=clients)
    if made.comparison is not None:
        keep_comparison(office, made.comparison, by=by)
    if as_json:
        emit(_told(plan.name, made))
        return
    _say(plan.name, made)


def _models(workspace: Path, customer: str, judge: str) -> tuple[Any, Any, list[Any]]:
    """The simulated customer and the judge of the settings' profiles; None where none is named."""
    from trustops import assembly, roster

    asks = assembly.profile_client(workspace, customer) if customer else None
    judges = assembly.profile_client(workspace, judge) if judge else None
    if asks is None and judges is None:
        return None, None, []

    from trustops.evaluation.judging import RUBRIC, Judge
    from trustops.evaluation.simulated import ModelCustomer
    from trustops.evaluation.styles import ModelJudge

    told = roster.load(workspace)
    played = ModelCustomer(asks, told) if asks else None
    judged = ModelJudge(Judge(RUBRIC, judges, told)) if judges else None
    return played, judged, [client for client in (asks, judges) if client]


def _told(name: str, made: Result) -> dict[str, Any]:
    return {
        "augmentation": name,
        "origin": made.origin.value,
        "judge": made.judge,
        "why_advisory": made.why_advisory,
        "similar": made.similar.model_dump(mode="json"),
        "different": made.different.model_dump(mode="json"),
        "scenarios": [record.model_dump(mode="json") for record in made.records],
        "comparison": made.comparison.model_dump(mode="json") if made.comparison else None,
        "worse": list(made.comparison.worse) if made.comparison else None,
    }


def _say(name: str, made: Result) -> None:
    rows = []
    for record in made.records:
        sides = (record.baseline_turns, record.augmented_turns)
        turns = " / ".join("-" if side is None else str(side) for side in sides)
        quality = record.quality_winner.value if record.quality_winner else record.missing or "-"
        votes = ", ".join(vote.value if vote else "failed" for vote in record.votes)
        burden = record.burden_winner.value if record.burden_winner else "-"
        right = "-" if record.trigger_correct is None else "yes" if record.trigger_correct else "no"
        rows.append(
            (
                record.scenario_id,
                record.category,
                turns,
                right,
                burden,
                quality,
                "-" if record.quality_delta is None else str(record.quality_delta),
                votes,
            )
        )
    heads = ("scenario", "category", "turns plain / augmented", "trigger right", "burden", "quality", "delta", "votes")
    table(f"{name}  {made.origin.value}, judged by {made.judge}", heads, rows)
    for title, half in (("similar", made.similar), ("different", made.different)):
        say(_line(title, half))
    if made.why_advisory:
        say(f"{made.origin.value}: these are no figures of a calibrated judge ({made.why_advisory}).")
    if made.comparison is not None:
        worse = "; ".join(made.comparison.worse)
        say(f"Record {made.comparison.id}. " + (f"It carries no playbook: {worse}." if worse else "It is not worse."))


def _line(title: str, half: Half) -> str:
    fired = f"fired in {half.trigger_rate[0]}/{half.trigger_rate[1]}"
    wins = ", ".join(f"{count} {name}" for name, count in sorted(half.wins_where_fired.items())) or "none"
    before_after = f"personalization {half.personalization_before} -> {half.personalization_after}"
    return (
        f"{title}: {half.scenarios} scenarios, {half.missing} missing, {fired}, where it fired: {wins}; {before_after}; "
        f"quality {half.quality_delta}, accuracy cost {half.accuracy_cost}."
    )
