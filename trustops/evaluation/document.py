"""The record as report.json, and what two of them differ in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.case import LEVELS
from trustops.evaluation.metric import METRICS, Measured, Registry
from trustops.evaluation.record import CaseOutcome, CaseResult, Record

FORMAT = "trustops-evaluation/1"
Document = dict[str, Any]


def document(record: Record, *, baseline: Mapping[str, Any] | None = None, registry: Registry = METRICS) -> Document:
    """Everything that evaluation.md, "Report", asks for, and the delta against an earlier report."""
    told: Document = {
        "format": FORMAT,
        "evaluation_run_id": record.run_id,
        "kind": record.kind,
        "date": record.started_at.isoformat(),
        "seconds": record.seconds,
        "verdict": record.verdict.value,
        "exit_code": record.verdict.exit_code,
        "complete": not record.stopped,
        "stopped": record.stopped,
        "git_commit": record.git_commit,
        "product": record.product,
        "engine": record.engine,
        "execution_mode": record.execution_mode,
        "real_model": record.real_model,
        "dataset_version": record.dataset_version,
        "prompt_versions": record.prompt_versions,
        "skill_versions": record.skill_versions,
        "model_profiles": record.model_profiles,
        "commands": list(record.commands),
        "suites": list(record.suites),
        "passed": record.count(CaseOutcome.PASSED),
        "failed": record.count(CaseOutcome.FAILED) + record.count(CaseOutcome.ERROR),
        "errors": record.count(CaseOutcome.ERROR),
        "skipped": record.count(CaseOutcome.SKIPPED),
        "by_level": _grouped(record.results, lambda r: f"{r.level} {LEVELS[r.level]}"),
        "by_suite": _grouped(record.results, lambda r: r.suite),
        "gates": [_gate(gate) for gate in record.gates],
        "metrics": [_metric(figure, registry) for figure in record.measured],
        "cases": [_case(result) for result in record.results],
        "known_limitations": list(record.known_limitations),
        "trace_references": {result.case_id: result.trace for result in record.results if result.trace},
    }
    if baseline is not None:
        told["delta"] = compared(baseline, told)
    return told


def _grouped(results: Iterable[CaseResult], key: Any) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for result in results:
        counts = found.setdefault(key(result), {outcome.value.lower(): 0 for outcome in CaseOutcome})
        counts[result.outcome.value.lower()] += 1
    return dict(sorted(found.items()))


def _gate(result: Any) -> dict[str, Any]:
    gate, figure = result.gate, result.measured
    return {
        "metric": gate.metric,
        "wanted": gate.wanted,
        "threshold": str(gate.value),
        "authority": gate.authority.name,
        "least_cases": gate.of,
        "state": result.state.value,
        "why": result.why,
        "blocks_release": gate.blocks_release,
        "value": None if figure.value is None else str(figure.value),
        "numerator": str(figure.amount),
        "denominator": figure.of,
        "interval": None if figure.low is None else [figure.low, figure.high],
        "bound": figure.bound,
    }


def _metric(figure: Measured, registry: Registry) -> dict[str, Any]:
    metric = registry.get(figure.metric)
    return {
        "name": metric.name,
        "area": metric.area,
        "sort": metric.sort,
        "unit": metric.unit,
        "better": metric.better,
        "counted": metric.counted,
        "among": metric.among,
        "state": figure.state,
        "value": None if figure.value is None else str(figure.value),
        "numerator": str(figure.amount),
        "denominator": figure.of,
        "interval": None if figure.low is None else [figure.low, figure.high],
        "bound": figure.bound,
        "authority": figure.authority.name if figure.authority else None,
        "missing": figure.missing,
        "points": [{"at": point.at, "value": str(point.value), "of": point.of} for point in figure.points],
    }


def _case(result: CaseResult) -> dict[str, Any]:
    told = {
        "case_id": result.case_id,
        "title": result.title,
        "suite": result.suite,
        "level": result.level,
        "dimension": result.dimension,
        "kind": result.kind,
        "outcome": result.outcome.value,
        "cause": result.cause,
        "seconds": result.seconds,
        "trace": result.trace,
        "skills": list(result.skills),
    }
    if result.outcome in (CaseOutcome.FAILED, CaseOutcome.ERROR):
        steps = [{"name": s.name, "expected": s.expected, "actual": s.actual, "ok": s.ok} for s in result.steps]
        told |= {"steps": steps, "dossier": result.dossier}
    return told


# -- reading and comparing -----------------------------------------------------------------------------------------------


def load_report(path: Path) -> Document:
    """A report.json, or the one of a folder. Raises UsageError or MalformedFile."""
    file = path / "report.json" if path.is_dir() else path
    if not file.is_file():
        raise UsageError("there is no such report", where=str(path), remedy="Name a folder or a report.json that `eval run` wrote.")
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as bad:
        raise MalformedFile(f"not readable as JSON ({bad})", where=file.name) from bad
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise MalformedFile(f"this is no report of the form {FORMAT}", where=file.name)
    missing = [key for key in ("evaluation_run_id", "verdict", "cases", "metrics", "gates") if key not in told]
    if missing:
        raise MalformedFile(f"{missing[0]} is missing", where=file.name)
    return told


WENT = {"PASSED", "SKIPPED"}


def compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> Document:
    """What changed: cases that broke, were mended, are new or gone; figures and gates that moved; prompts, skills and data that differ."""
    old, new = ({case["case_id"]: case for case in told["cases"]} for told in (before, after))
    both = [name for name in new if name in old]
    figures = _moved(before["metrics"], after["metrics"])
    return {
        "before": before["evaluation_run_id"],
        "after": after["evaluation_run_id"],
        "verdict": [before["verdict"], after["verdict"]],
        "broken": [
            {"case_id": name, "cause": new[name]["cause"]}
            for name in both
            if old[name]["outcome"] in WENT and new[name]["outcome"] not in WENT
        ],
        "mended": [name for name in both if old[name]["outcome"] not in WENT and new[name]["outcome"] in WENT],
        "new": [name for name in new if name not in old],
        "gone": [name for name in old if name not in new],
        "metrics": figures,
        "gates": _gates_moved(before["gates"], after["gates"]),
        "made_with": _made_with(before, after),
    }


def _moved(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    old = {figure["name"]: figure for figure in before}
    found = []
    for figure in after:
        then = old.get(figure["name"])
        if figure["sort"] in ("spread", "total") or then is None or then["value"] == figure["value"]:
            continue
        found.append({"name": figure["name"], "better": figure["better"], "before": then["value"], "after": figure["value"]})
    return found


def _gates_moved(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    old = {gate["metric"]: gate["state"] for gate in before}
    return [
        {"metric": gate["metric"], "before": old.get(gate["metric"]), "after": gate["state"]}
        for gate in after
        if old.get(gate["metric"]) != gate["state"]
    ]


def _made_with(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    names = ("git_commit", "dataset_version", "prompt_versions", "skill_versions", "model_profiles", "engine", "suites")
    found: dict[str, list[Any]] = {}
    for name in names:
        then, now = before.get(name), after.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            changed = sorted(key for key in then.keys() | now.keys() if then.get(key) != now.get(key))
            found |= {f"{name}.{key}": [then.get(key), now.get(key)] for key in changed}
        elif then != now:
            found[name] = [then, now]
    return found
