"""evidence, controls, library: what the answers rest on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, AsOf, By, Workspace, instant
from trustops.cli.screen import coloured, emit, say, table


def evidence_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Every document with kind, dates, classification and number of passages."""
    from collections import Counter

    from rich.markup import escape

    from trustops import assembly

    office = assembly.office(workspace)
    read = office.reader.read_folder(office.workspace)
    counts = Counter(p.document.path for p in read.passages)
    rows = [
        {
            "path": d.path,
            "title": d.title,
            "kind": d.kind.value,
            "effective": d.effective.isoformat() if d.effective else None,
            "expires": d.expires.isoformat() if d.expires else None,
            "classification": d.classification.value,
            "passages": counts[d.path],
        }
        for d in read.documents
    ]
    if as_json:
        emit({"documents": rows})
        return
    columns = ("path", "title", "kind", "effective", "expires", "classification", "passages")
    table("", columns, [[escape(str(row[c] if row[c] is not None else "-")) for c in columns] for row in rows])


def evidence_check(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> int:
    """What is expired, undated or could not be read; exit 1 where something is."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.answering import instant as run_instant

    office = assembly.office(workspace)
    read = office.reader.read_folder(office.workspace)
    at, _ = run_instant(office, instant(as_of))
    problems = [{"file": d.path, "what": _dated(d, at.date())} for d in read.documents if _dated(d, at.date())]
    problems += [{"file": n.file, "what": f"{n.where} {n.what} {n.remedy}".strip()} for n in read.notices]
    if as_json:
        emit({"problems": problems})
    else:
        table("", ("file", "what"), [(escape(p["file"]), escape(p["what"])) for p in problems])
        say(f"{len(read.documents)} documents, {len(problems)} problems.")
    return 1 if problems else 0


def _dated(document: Any, today: Any) -> str:
    if document.effective is None and document.expires is None:
        return "undated"
    return "" if document.in_force(today) else f"not in force (effective {document.effective}, expires {document.expires})"


def controls_list(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> None:
    """Every control with its newest reading on record."""
    from rich.markup import escape

    readings = _readings(workspace, as_of, collect=False)
    rows = [_control(reading) for reading in readings]
    if as_json:
        emit({"controls": rows})
        return
    columns = ("id", "evaluation", "reading", "expected", "source_mode", "why")
    table("", columns, [[coloured(r["evaluation"]) if c == "evaluation" else escape(str(r[c] or "-")) for c in columns] for r in rows])


def controls_collect(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> None:
    """Read every source now; a new reading is a new snapshot."""
    from rich.markup import escape

    rows = [_control(reading) for reading in _readings(workspace, as_of, collect=True)]
    if as_json:
        emit({"controls": rows})
    else:
        table(
            "",
            ("id", "evaluation", "reading", "why"),
            [[r["id"], coloured(r["evaluation"]), escape(r["reading"] or "-"), escape(r["why"])] for r in rows],
        )


def controls_check(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> int:
    """Read every source now; exit 1 where a control is not PASS."""
    from rich.markup import escape

    rows = [_control(reading) for reading in _readings(workspace, as_of, collect=True)]
    bad = [row for row in rows if row["evaluation"] != "PASS"]
    if as_json:
        emit({"controls": rows, "not_passed": [row["id"] for row in bad]})
    else:
        table("", ("id", "evaluation", "why"), [[r["id"], coloured(r["evaluation"]), escape(r["why"])] for r in bad])
        say(f"{len(rows)} controls, {len(bad)} not PASS.")
    return 1 if bad else 0


def _readings(workspace: Any, as_of: str | None, *, collect: bool) -> list[Any]:
    from trustops import assembly
    from trustops.checks.drift import evaluate
    from trustops.operations.answering import instant as run_instant
    from trustops.operations.collecting import collect_snapshots

    office = assembly.office(workspace)
    at, _ = run_instant(office, instant(as_of))
    snapshots = collect_snapshots(office, at)[0] if collect else office.ledger.latest_snapshots()
    return [evaluate(control, snapshots.get(control.id), at) for control in office.controls]


def _control(reading: Any) -> dict[str, Any]:
    from trustops.checks.drift import expectation_text

    return {
        "id": reading.control.id,
        "title": reading.control.title,
        "evaluation": reading.evaluation.value,
        "reading": reading.value,
        "expected": expectation_text(reading.control.expect, ratio=reading.control.measure.ratio is not None),
        "snapshot_version": reading.snapshot.version if reading.snapshot else None,
        "source_mode": reading.snapshot.source_mode.value if reading.snapshot else None,
        "why": reading.why,
    }


def library_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Earlier answers with their ids; withdrawn ones are marked."""
    from rich.markup import escape

    from trustops import assembly

    office = assembly.office(workspace)
    withdrawn = office.ledger.withdrawals()
    answers = [a.model_copy(update={"withdrawn": a.id in withdrawn}) for a in office.reader.read_answers(office.workspace)]
    if as_json:
        emit({"answers": [a.model_dump(mode="json") for a in answers]})
        return
    rows = [
        (
            a.id,
            escape(a.customer or a.file),
            str(a.answered_on or "-"),
            escape(a.question[:50]),
            escape(a.answer[:60]),
            "withdrawn" if a.withdrawn else "",
        )
        for a in answers
    ]
    table("", ("id", "customer", "answered", "question", "answer", ""), rows)


def library_withdraw(
    answer: Annotated[str, typer.Argument(help="The id of an earlier answer (see `library list`).")],
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="Why it no longer counts.")],
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Withdraw an earlier answer: it no longer supports, opposes or conflicts. Recheck what it blocked."""
    from trustops import assembly
    from trustops.operations.library import withdraw

    office = assembly.office(workspace)
    made = withdraw(office, answer, by=by, reason=reason)
    if as_json:
        emit({"withdrawn": made.id})
    else:
        say(f"{made.id} is withdrawn ({made.question[:60]!r}). Next: trustops recheck QUESTION")
