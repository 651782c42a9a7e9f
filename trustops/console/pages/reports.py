"""Evaluation reports that the workspace keeps: verdict, gates, figures, failed cases. They are what their run wrote, and are only read."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.downloads import attachment
from trustops.console.pages.drawing import draw, path
from trustops.console.pages.visitor import visitor
from trustops.console.problems import Problem
from trustops.domain.errors import UnknownName
from trustops.operations.evaluations import REPORT, KeptReport, kept_report, kept_reports

FILES = ("report.html", REPORT, "junit.xml", "test-result.dsse.json")
"""What a run may leave; whoever wants the whole report takes its own page, which needs no service."""
LONGEST = 64 * 1024 * 1024
SHOWN = 200
"""Failed cases, and figures, of a page; the files have all."""


class Row(BaseModel):
    """A part of a report as this page needs it; what else a run wrote is for whoever reads the file."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Figure(Row):
    """A figure with its counts: `value` None was not measured, `bound` is the one-sided one of a zero."""

    state: str
    value: str | None
    numerator: str
    denominator: int
    interval: tuple[float, float] | None
    bound: float | None


class GateRow(Figure):
    metric: str
    wanted: str
    threshold: str
    authority: str
    why: str
    blocks_release: str


class MetricRow(Figure):
    name: str
    area: str
    counted: str
    among: str


class CaseRow(Row):
    case_id: str
    title: str
    suite: str
    outcome: str
    cause: str


class Report(Row):
    """A report.json."""

    date: str
    verdict: str
    execution_mode: str
    dataset_version: str
    git_commit: str
    stopped: str
    gates: tuple[GateRow, ...]
    metrics: tuple[MetricRow, ...]
    cases: tuple[CaseRow, ...]
    known_limitations: tuple[str, ...]


def reports(request: Request) -> Response:
    """Every report, the newest first."""
    found = kept_reports(visitor(request).office.workspace)
    lines = [(each, path("reports", each.run_id)) for each in found]
    return draw(request, "reports.html", here="reports", lines=lines)


def report(request: Request) -> Response:
    """One report. What cannot be read is said to be so, and shown as nothing else."""
    kept = _named(request)
    told = _read(kept)
    if told is None:
        return draw(request, "report.html", here="reports", kept=kept, told=None, gates=(), areas=(), failed=(), files=(), skipped=())
    return draw(
        request,
        "report.html",
        here="reports",
        kept=kept,
        told=told,
        gates=told.gates[:SHOWN],
        areas=_areas(told.metrics),
        failed=[case for case in told.cases if case.outcome in ("FAILED", "ERROR")][:SHOWN],
        skipped=[case for case in told.cases if case.outcome == "SKIPPED"][:SHOWN],
        files=[(name, path("reports", kept.run_id, name)) for name in FILES if (kept.folder / name).is_file()],
    )


def file(request: Request) -> Response:
    """A file of a report, always to be kept and never to be opened here: it has a policy of its own."""
    kept, name = _named(request), request.path_params["file"]
    if name not in FILES or not (kept.folder / name).is_file():
        raise Problem(404, "the report has no such file", remedy=f"One of {', '.join(FILES)}.")
    return attachment(f"{kept.run_id}-{name}", (kept.folder / name).read_bytes())


def _named(request: Request) -> KeptReport:
    try:
        return kept_report(visitor(request).office.workspace, request.path_params["report"])
    except UnknownName as none:
        raise Problem(404, "there is no such report", remedy="The list of reports shows those that are kept.") from none


def _read(kept: KeptReport) -> Report | None:
    """The whole report; None where it is not one."""
    place = kept.folder / REPORT
    try:
        return None if place.stat().st_size > LONGEST else Report.model_validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def _areas(metrics: Sequence[MetricRow]) -> list[tuple[str, list[MetricRow]]]:
    """Figures by area, in the order of the report; what was not measured comes last."""
    areas = dict.fromkeys(metric.area for metric in metrics)
    return [(area, sorted((m for m in metrics if m.area == area), key=lambda m: m.state != "MEASURED")[:SHOWN]) for area in areas]
