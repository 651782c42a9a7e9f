"""controls: the catalogue, its sources and readings, and which questions they speak to."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, AsOf, Workspace, instant, review_named
from trustops.cli.screen import coloured, emit, fail, say, table


def controls_list(
    workspace: Workspace = HERE,
    as_of: AsOf = None,
    starter: Annotated[bool, typer.Option("--starter", help="The catalogue that is shipped, to choose controls from.")] = False,
    as_json: AsJson = False,
) -> None:
    """Every control with its newest reading on record; with --starter the shipped ones, which need no workspace."""
    from rich.markup import escape

    if starter:
        _print_starter(as_json)
        return
    rows = [_control(reading) for reading in _readings(workspace, as_of, collect=False)[0]]
    if as_json:
        emit({"controls": rows})
        return
    columns = ("id", "evaluation", "reading", "expected", "source_mode", "why")
    table("", columns, [[coloured(r["evaluation"]) if c == "evaluation" else escape(str(r[c] or "-")) for c in columns] for r in rows])


def controls_collect(
    workspace: Workspace = HERE,
    as_of: AsOf = None,
    every: Annotated[int | None, typer.Option("--every", min=1, help="Again every so many seconds, until it is stopped.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read every source now; a new reading is a new snapshot. Then one line where an answer that left no longer holds."""
    from trustops.domain.errors import TrustOpsError

    if every is None:
        _collect(workspace, as_of, as_json)
        return
    while True:
        try:
            _collect(workspace, as_of, as_json)
        except TrustOpsError as bad:  # the next round may find the catalogue repaired
            fail(bad, as_json=as_json)
        time.sleep(every)


def _collect(workspace: Any, as_of: str | None, as_json: bool) -> None:
    """One round. What was read is on record before it is looked at what it means."""
    from rich.markup import escape

    from trustops.operations.recalling import recalls

    readings, notices, office = _readings(workspace, as_of, collect=True)
    try:
        found = recalls(office, frozenset(r.control.id for r in readings if r.control.source is not None and r.snapshot is None))
    finally:
        office.ledger.close()
        office.index.close()
    rows = [_control(reading) for reading in readings]
    if as_json:
        recall = [{"review": r.review, "question": r.question, "state": r.state} for r in found]
        emit({"controls": rows, "notices": list(notices), "recall": recall})
        return
    table(
        "",
        ("id", "evaluation", "reading", "why"),
        [[r["id"], coloured(r["evaluation"]), escape(r["reading"] or "-"), escape(r["why"])] for r in rows],
    )
    for notice in notices:
        say(notice)
    if found:
        say(f"{len(found)} answers that left no longer hold or cannot be confirmed: trustops recall")


def controls_check(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> int:
    """Read every source now; exit 1 where a control is not PASS."""
    from rich.markup import escape

    rows = [_control(reading) for reading in _readings(workspace, as_of, collect=True)[0]]
    bad = [row for row in rows if row["evaluation"] != "PASS"]
    if as_json:
        emit({"controls": rows, "not_passed": [row["id"] for row in bad]})
    else:
        table("", ("id", "evaluation", "why"), [[r["id"], coloured(r["evaluation"]), escape(r["why"])] for r in bad])
        say(f"{len(rows)} controls, {len(bad)} not PASS.")
    return 1 if bad else 0


def controls_coverage(
    review: Annotated[str | None, typer.Argument(help="A review; the newest one when left out.")] = None,
    workspace: Workspace = HERE,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Which questions have evidence, a control and a fresh snapshot; what is missing, and whose it is. Nothing is collected."""
    from dataclasses import asdict

    from trustops import assembly
    from trustops.operations.answering import instant as run_instant
    from trustops.operations.covering import coverage, totals

    office = assembly.office(workspace)
    found = review_named(office, review)
    at, _ = run_instant(office, instant(as_of))
    rows = coverage(office, found, at)
    if as_json:
        emit(
            {"review": found.id, "file": found.questionnaire.file, "at": at, "questions": [asdict(r) for r in rows], "totals": totals(rows)}
        )
        return
    _print_coverage(found, rows, totals(rows))


def _print_coverage(review: Any, rows: Any, counts: Any) -> None:
    from rich.markup import escape

    told = []
    for row in rows:
        controls = ", ".join(f"{c.id} {coloured(c.evaluation)}" for c in row.controls)
        gaps = "\n".join(f"{g.code}: {g.what[:100]} ({g.owner or 'nobody'})" for g in row.gaps)
        told.append((row.ref, row.evidence, controls or "-", escape(gaps) or "-", escape(" ".join(row.text.split())[:60])))
    table(f"{review.questionnaire.file}  review {review.id}", ("ref", "evidence", "controls", "gaps (owner)", "asked"), told)
    say(", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items()) + ".")


def _print_starter(as_json: bool) -> None:
    from rich.markup import escape

    from trustops import assembly
    from trustops.checks.drift import expectation_text

    rows: list[dict[str, Any]] = [
        {
            "id": c.id,
            "title": c.title,
            "topics": list(c.topics),
            "frameworks": list(c.frameworks),
            "measure": c.measure.model_dump(exclude_none=True),
            "expected": expectation_text(c.expect, ratio=c.measure.ratio is not None),
            "max_age_seconds": int(c.max_age.total_seconds()),
            "risk": c.risk.value,
        }
        for c in assembly.starter_controls()
    ]
    if as_json:
        emit({"controls": rows})
        return
    columns = ("id", "title", "expected", "risk", "frameworks")
    table("", columns, [[escape(", ".join(r[c]) if c == "frameworks" else str(r[c])) for c in columns] for r in rows])
    say("Copy what you can measure into controls.yaml and give it a source; `trustops init` writes all of them there as comments.")


def _readings(workspace: Any, as_of: str | None, *, collect: bool) -> tuple[list[Any], tuple[str, ...], Any]:
    """The readings at an instant, what went wrong while collecting, and the office."""
    from trustops import assembly
    from trustops.operations.answering import instant as run_instant
    from trustops.operations.listing import readings

    office = assembly.office(workspace)
    found, notices = readings(office, run_instant(office, instant(as_of))[0], collect=collect)
    return found, notices, office


def _control(reading: Any) -> dict[str, Any]:
    from trustops.operations.listing import control_row

    return control_row(reading)
