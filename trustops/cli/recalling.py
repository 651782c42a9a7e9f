"""recall: answers that left and no longer hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say


def recall(workspace: Workspace = HERE, as_json: AsJson = False) -> int:
    """Exported answers that no longer hold, who has them, and what changed; evidence and controls are read anew. Exit 1 where there is
    one."""
    from trustops import assembly
    from trustops.operations.collecting import collect_snapshots, unread
    from trustops.operations.indexing import index_evidence
    from trustops.operations.recalling import recalls

    office = assembly.office(workspace)
    index_evidence(office)
    snapshots, notices = collect_snapshots(office, office.as_of or office.clock.now())
    found = recalls(office, unread(office, snapshots))
    if as_json:
        emit({"recall": [_row(one) for one in found], "notices": list(notices)})
        return 1 if found else 0
    for one in found:
        _print(one)
    for notice in notices:
        say(notice)
    say(f"{len(found)} answers to recall." if found else "Every answer that left still holds.")
    return 1 if found else 0


def _row(one: Any) -> dict[str, Any]:
    row = asdict(one)
    row["received_by"] = [{"to": r.to, "at": r.at.isoformat(), "export": r.export} for r in one.received_by]
    row["changes"] = [{"what": c.what, "before": c.before, "after": c.after} for c in one.changes]
    return row


def _print(one: Any) -> None:
    say(f"{one.question}@{one.version} of {one.file} (review {one.review}): {one.state}")
    say(f"  said: {' '.join(one.text.split())}")
    for receipt in one.received_by:
        say(f"  has it: {receipt.to}, since {receipt.at:%Y-%m-%d %H:%M} UTC, export {receipt.export}")
    for change in one.changes:
        say(f"  changed: {change.what}")
        if change.before:
            say(f"    was: {' '.join(change.before.split())}")
        if change.before or change.after:
            say(f"    is:  {' '.join(change.after.split()) or 'gone'}")
    say(f"  next: {one.remedy}")
