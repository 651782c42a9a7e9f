"""eval run, compare, list, release-check: suites of cases, reports and the gates of a release; and a run against a truth file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say, table
from trustops.domain.errors import UsageError

if TYPE_CHECKING:
    from trustops.evaluation.case import Case
    from trustops.evaluation.record import CaseResult, Record
    from trustops.evaluation.suite import Suite
    from trustops.operations.grading import Task

Suites = Annotated[list[str] | None, typer.Option("--suite", help="Only this suite; may be repeated.")]
Cases = Annotated[list[str] | None, typer.Option("--case", help="Only this case, or those beneath it; may be repeated.")]
Baseline = Annotated[Path | None, typer.Option("--baseline", help="An earlier report, to show what changed.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="The folder of reports; .trustops/reports of the workspace when left out.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, max=64, help="Processes that play cases side by side.")]
TruthFile = Annotated[Path | None, typer.Option("--truth", help="A truth file, to grade one questionnaire.")]
Chosen = Sequence[tuple["Suite", Sequence["Case"]]]


def eval_run(
    file: Annotated[Path | None, typer.Argument(help="With --truth: the questionnaire. Left out: the suites.")] = None,
    truth: TruthFile = None,
    workspace: Workspace = HERE,
    drills: Annotated[bool, typer.Option("--drills/--no-drills", help="With --truth: also the dishonest or failing seats.")] = True,
    answers: Annotated[bool, typer.Option("--model-answers", help="With --truth: also its own answers through the rules.")] = False,
    suite: Suites = None,
    case: Cases = None,
    changed_skills: Annotated[bool, typer.Option("--changed-skills", help="Only cases that a changed skill makes stale.")] = False,
    model: Annotated[
        bool, typer.Option("--model", help="Judge the model that the workspace is configured with; else the offline one.")
    ] = False,
    baseline: Baseline = None,
    out: Out = None,
    jobs: Jobs = 2,
    as_json: AsJson = False,
) -> int:
    """Play the suites and write a report; with FILE and --truth, grade one run. Exit 0 all gates pass, 1 one failed, 2 could not run."""
    if file is not None or truth is not None:
        from trustops.cli.grading import graded

        return graded(file, truth, workspace, drills=drills, answers=answers, as_json=as_json)
    from trustops.evaluation.document import load_report
    from trustops.evaluation.registry import SUITES
    from trustops.evaluation.running import chosen

    before = load_report(baseline) if baseline else None
    skills = _changed(workspace, before) if changed_skills else None
    picked = chosen(SUITES, names=suite or (), cases=case or (), skills=skills)
    options = [*(f"--suite {name}" for name in suite or ()), *(f"--case {name}" for name in case or ())]
    command = " ".join(["trustops eval run", *options, *(["--changed-skills"] if changed_skills else []), *(["--model"] if model else [])])
    return _evaluate(picked, workspace, command, model=model, before=before, out=out, jobs=jobs, as_json=as_json)


def eval_release_check(
    workspace: Workspace = HERE,
    live: Annotated[Path | None, typer.Option("--live", help="The workspace where Q-005 was reviewed by a real model.")] = None,
    baseline: Baseline = None,
    out: Out = None,
    jobs: Jobs = 2,
    as_json: AsJson = False,
) -> int:
    """Every suite and the release blockers. Exit 0 fit for release, 1 a blocker holds, 2 incomplete: without a LIVE_AI record of Q-005."""
    from trustops.evaluation.document import load_report
    from trustops.evaluation.registry import SUITES
    from trustops.evaluation.release import release_suite
    from trustops.evaluation.running import chosen

    before = load_report(baseline) if baseline else None
    picked = chosen((*SUITES, release_suite(live.resolve() if live else None)))
    command = f"trustops eval release-check{' --live DIR' if live else ''}"
    return _evaluate(picked, workspace, command, before=before, out=out, jobs=jobs, as_json=as_json, kind="release")


def eval_live_case(folder: Annotated[Path, typer.Argument(help="A folder that is not there yet.")]) -> None:
    """Write Q-005 as a workspace dated today, to be reviewed by a real model for the release check."""
    from trustops.evaluation.cases import build_workspace, load_case
    from trustops.evaluation.release import dated_today

    if folder.exists():
        raise UsageError("something stands there already", where=str(folder), remedy="Name a folder that is not there yet.")
    file = build_workspace(dated_today(load_case("Q-005")), folder)
    say(f"Written. Next: trustops review {file} -w {folder}, with a model profile; then trustops eval release-check --live {folder}")


def eval_compare(
    before: Annotated[Path, typer.Argument(help="A report: its folder or report.json.")],
    after: Annotated[Path, typer.Argument(help="Another one.")],
    as_json: AsJson = False,
) -> int:
    """What changed between two reports, and which cases broke. Exit 0 nothing became worse, 1 a case broke or a gate no longer passes."""
    from trustops.evaluation.document import compared, load_report

    told = compared(load_report(before), load_report(after))
    worse = bool(told["broken"]) or any(g["before"] == "PASSED" and g["after"] != "PASSED" for g in told["gates"])
    if as_json:
        emit(told)
        return int(worse)
    say(f"{told['before']} ({told['verdict'][0]}) against {told['after']} ({told['verdict'][1]})")
    rows = [("broken", f"{each['case_id']}: {each['cause']}") for each in told["broken"]]
    rows += [(kind, name) for kind in ("mended", "gone", "new") for name in told[kind]]
    rows += [(m["name"], f"{m['before'] or 'NOT_MEASURED'} -> {m['after'] or 'NOT_MEASURED'}") for m in told["metrics"]]
    rows += [(f"gate {g['metric']}", f"{g['before'] or 'not judged'} -> {g['after']}") for g in told["gates"]]
    rows += [(f"made with {name}", f"{pair[0]} -> {pair[1]}") for name, pair in told["made_with"].items()]
    table("what changed", ("what", "how"), [tuple(map(_plain, row)) for row in rows] or [("nothing", "every case and figure is as before")])
    return int(worse)


def eval_import(
    form: Annotated[str, typer.Argument(help="truth or trustdeck.")],
    source: Annotated[Path, typer.Argument(help="The folder of a truth file, or a completed questionnaire with labels.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of cases to write.")],
) -> None:
    """Turn labels of another form into cases of the case model."""
    from trustops.evaluation.importing import as_yaml, imported

    cases = imported(form, source)
    out.write_text(as_yaml(cases), encoding="utf-8")
    say(f"{len(cases)} cases written to {out}.")


def eval_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """The suites with their cases, the metrics, and the reports that the workspace keeps."""
    from trustops.evaluation.metric import METRICS
    from trustops.evaluation.registry import SUITES
    from trustops.operations.evaluations import kept_reports

    held = [(suite, suite.cases()) for suite in SUITES]
    kept = kept_reports(workspace)
    if as_json:
        suites = [{"suite": s.name, "title": s.title, "cases": [c.case_id for c in cases]} for s, cases in held]
        reports = [{"run": r.run_id, "date": r.date, "verdict": r.verdict, "kind": r.kind, "folder": str(r.folder)} for r in kept]
        emit({"suites": suites, "metrics": [metric.model_dump() for metric in METRICS], "reports": reports})
        return
    table("suites", ("suite", "cases", "what"), [(s.name, str(len(cases)), s.title) for s, cases in held])
    table("metrics", ("metric", "area", "what"), [(m.name, m.area, _plain(f"{m.counted} / {m.among}".rstrip(" /"))) for m in METRICS])
    rows = [(r.run_id, r.date[:16], r.verdict, f"{r.passed} passed, {r.failed} failed", str(r.folder)) for r in kept]
    table("reports", ("run", "date", "verdict", "cases", "folder"), rows)


# -- a run of suites -----------------------------------------------------------------------------------------------------


def _evaluate(
    picked: Chosen,
    workspace: Path,
    command: str,
    *,
    model: bool = False,
    before: Mapping[str, Any] | None = None,
    out: Path | None = None,
    jobs: int = 2,
    as_json: bool = False,
    kind: str = "evaluation",
) -> int:
    from trustops import assembly
    from trustops.cli.keeping_grades import keep_grades, say_grades
    from trustops.evaluation.about import about
    from trustops.evaluation.document import document
    from trustops.evaluation.gate import load_gates
    from trustops.evaluation.keeping import default_folder, keep
    from trustops.evaluation.running import Wiring, run_suites

    name = assembly.model_of(workspace)[0] if model else "extractive"
    wiring = Wiring(assembly.offline, assembly.provider_at, partial(assembly.client_of, workspace.resolve()) if model else None)
    cases = [case for _, mine in picked for case in mine]
    told = about(cases, command=command, model=name, real_model=name != "extractive")
    grades: list[Task] = []
    record = run_suites(
        picked,
        wiring,
        gates=load_gates(),
        about=told,
        jobs=jobs,
        told=None if as_json else _teller(picked),
        graded=grades.extend,
        kind=kind,
    )
    made = document(record, baseline=before)
    signer = assembly.signer(workspace) if (workspace / "trustops.toml").is_file() else None
    folder = keep(made, out or default_folder(workspace), signer)
    kept = keep_grades(workspace, grades)
    if as_json:
        emit(made | {"folder": str(folder), "grades": kept})
    else:
        _show(made, record, folder)
        say_grades(kept)
    return record.verdict.exit_code


def _teller(picked: Chosen) -> Callable[[CaseResult], None]:
    """Says what failed as it fails, and of each suite how it went."""
    left = {suite.name: len(cases) for suite, cases in picked}
    good = dict.fromkeys(left, 0)
    sizes = dict(left)

    def tell(result: CaseResult) -> None:
        left[result.suite] -= 1
        good[result.suite] += result.outcome.value == "PASSED"
        if result.outcome.value != "PASSED":
            say(_plain(f"  {result.outcome.value} {result.case_id}: {result.cause}"))
        if not left[result.suite]:
            say(f"{result.suite}: {good[result.suite]} of {sizes[result.suite]}")

    return tell


def _show(made: Mapping[str, Any], record: Record, folder: Path) -> None:
    rows = []
    for gate in made["gates"]:
        bound = f" (95 % bound {100 * gate['bound']:.2f} %)" if gate["bound"] is not None else ""
        colour = {"PASSED": "green", "FAILED": "red"}.get(gate["state"], "yellow")
        told = f"{float(gate['numerator']):g}/{gate['denominator']}{bound}" if gate["value"] is not None else "NOT_MEASURED"
        rows.append((gate["metric"], told, f"{gate['wanted']} {gate['threshold']}".replace("_", " "), f"[{colour}]{gate['state']}[/]"))
    table("gates", ("metric", "reached", "wanted", ""), rows)
    if "delta" in made:
        say(f"Against {made['delta']['before']}: {len(made['delta']['broken'])} cases broke, {len(made['delta']['mended'])} were mended.")
    counts = f"{made['passed']} passed, {made['failed']} failed, {made['skipped']} skipped in {made['seconds']:.0f} s"
    say(f"{record.verdict.value}: {counts}.")
    if record.stopped:
        say(_plain(f"It stopped before its end: {record.stopped}. What was played until then is in the report, marked incomplete."))
    say(f"Report: {folder / 'report.html'}")


def _changed(workspace: Path, before: Mapping[str, Any] | None) -> frozenset[str]:
    """Skills whose version or content is not that of the baseline, or of the newest report that is kept."""
    from trustops import roster
    from trustops.evaluation.document import load_report
    from trustops.operations.evaluations import kept_reports

    readable = [report for report in kept_reports(workspace) if report.verdict != "UNREADABLE"]
    if before is None and not readable:
        raise UsageError("there is no earlier report to compare skills with", where="--changed-skills", remedy="Name one with --baseline.")
    then = (before or load_report(readable[0].folder))["skill_versions"]
    now = {name: f"{skill.version}:{skill.digest[:12]}" for name, skill in roster.load().skills.items()}
    changed = frozenset(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))
    if not changed:
        raise UsageError("no skill has changed since that report: there is no case to play", where="--changed-skills")
    return changed


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(str(text))
