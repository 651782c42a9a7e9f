"""The evaluation reports that a workspace keeps, for whoever lists them: the console, the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustops.domain.errors import UnknownName

REPORTS = Path(".trustops") / "reports"
REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class KeptReport:
    """One report: `folder` holds report.json, report.html, junit.xml and, where there was a key, the signed test-result."""

    run_id: str
    date: str
    verdict: str
    kind: str
    passed: int
    failed: int
    skipped: int
    folder: Path


def kept_reports(workspace: Path) -> tuple[KeptReport, ...]:
    """Every report that the workspace keeps, the newest first. One that cannot be read is told as UNREADABLE, not passed over."""
    folder = workspace / REPORTS
    if not folder.is_dir():
        return ()
    found = [_read(each) for each in folder.iterdir() if each.is_dir() and not each.name.startswith(".")]
    return tuple(sorted(found, key=lambda report: (report.date, report.run_id), reverse=True))


def kept_report(workspace: Path, run_id: str) -> KeptReport:
    """The report of a run; raises UnknownName. An id that names a place outside the folder is none."""
    found = next((report for report in kept_reports(workspace) if report.run_id == run_id), None)
    if found is None:
        raise UnknownName(f"there is no evaluation report {run_id!r}", remedy="`trustops eval list` names those that are kept.")
    return found


def _read(folder: Path) -> KeptReport:
    try:
        told = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        return _kept(told, folder)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, ValueError):
        return KeptReport(folder.name, "", "UNREADABLE", "", 0, 0, 0, folder)


def _kept(told: Any, folder: Path) -> KeptReport:
    passed, failed, skipped = (int(told[name]) for name in ("passed", "failed", "skipped"))
    return KeptReport(folder.name, str(told["date"]), str(told["verdict"]), str(told["kind"]), passed, failed, skipped, folder)
