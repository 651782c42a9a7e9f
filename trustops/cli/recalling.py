"""recall: answers that left and no longer hold."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say

if TYPE_CHECKING:
    from trustops.operations.office import Office
    from trustops.operations.recalling import Recall


def recall(
    draft: Annotated[bool, typer.Option("--draft", help="Draft the corrections: what is not true any more is answered anew.")] = False,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> int:
    """Exported answers that no longer hold, who has them, and what changed; evidence and controls are read anew. Exit 1 where there is
    one. A drafted correction is a new answer version: it goes through the same rules, and a person approves it."""
    from trustops import assembly
    from trustops.operations.collecting import collect_snapshots, unread
    from trustops.operations.indexing import index_evidence
    from trustops.operations.listing import recall_row
    from trustops.operations.recalling import recalls

    office = assembly.office(workspace, durable=draft)
    index_evidence(office)
    snapshots, notices = collect_snapshots(office, office.as_of or office.clock.now())
    found = recalls(office, unread(office, snapshots))
    drafted = _corrections(office, found) if draft else ()
    if as_json:
        emit({"recall": [recall_row(one) for one in found], "notices": list(notices), **({"drafted": list(drafted)} if draft else {})})
        return 1 if found else 0
    for one in found:
        _print(one)
    for notice in notices:
        say(notice)
    for made in drafted:
        say(f"{made['question']} of review {made['review']}: {made['outcome']}")
    say(f"{len(found)} answers to recall." if found else "Every answer that left still holds.")
    return 1 if found else 0


def _corrections(office: Office, found: tuple[Recall, ...]) -> tuple[dict[str, str], ...]:
    """A new attempt for each answer that is not true any more; what it came to, in the order of the list."""
    from trustops.operations.answering import alone, prepare, run_review
    from trustops.operations.recalling import to_correct

    told = []
    for review, refs in to_correct(office, found):
        prepared = prepare(office, review, only=refs, watch=lambda kind, question, data: None)
        asyncio.run(alone(office, run_review(office, prepared, lambda kind, question, data: None)))
        records, answers = office.ledger.latest_records(review.id), office.ledger.latest_answers(review.id)
        for ref in refs:
            version, decision = answers[ref].version if ref in answers else 0, records[ref].result.decision.value
            next_ = f"trustops show {ref}" if decision == "BLOCK" else f"trustops approve {ref}@{version} --by NAME"
            told.append({"review": review.id, "question": ref, "version": str(version), "outcome": f"{decision}, next: {next_}"})
    return tuple(told)


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
