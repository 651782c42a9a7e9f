"""Grading evaluations: what seats and skills did in an evaluation's scratch workspace is kept in the store of the workspace that ran it.

Kept apart in a mode of its own (EVALUATION): known cases at a given instant, chosen by us, say nothing of the work for customers, so
neither a trust profile nor another mode's reputation reads them. Not checked: that a case is a fair one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import JsonValue

from trustops.domain.chain import digest
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.domain.scores import EVALUATION
from trustops.operations.grading import Task, Told, keep, tasks_of
from trustops.operations.office import Office
from trustops.operations.trusting import record_trust
from trustops.ports import QuestionRecord


def evaluated(office: Office, run: str, case: str) -> tuple[Task, ...]:
    """What a finished run of an evaluation proves, from the books of `office`, which may be gone afterwards. `case` names what was played.

    The same case with the same replies and scores is the same evaluation, whenever it is played: it counts once. It names no run, for the
    run is in no books that stay."""
    info = office.ledger.get_run(run)
    review = office.ledger.get_review(info.review) if info else None
    if review is None:
        return ()
    records = [record for record in office.ledger.latest_records(review.id).values() if record.run == run]
    calls = office.ledger.calls(review.id)
    played = {_about(each): (each.question, _did(each, *calls.get((each.run, each.question), ((), ())))) for each in records}
    return tuple(_named(task, case, *played[task.about]) for task in tasks_of(office, review, records))


def keep_evaluated(office: Office, tasks: Sequence[Task]) -> Told:
    """Signs and keeps them in the workspace's own store; what is on record already is told by `of`, and not counted again."""
    told = keep(office, tuple({task.id(office.organisation): task for task in tasks}.values()))
    if told.made:
        record_trust(office)
    return told


def _about(record: QuestionRecord) -> str:
    return f"{record.run}/{record.question}/{record.attempt}"


def _did(record: QuestionRecord, calls: Sequence[ModelCall], skills: Sequence[SkillInvocation]) -> JsonValue:
    """What the seats and skills of an attempt did, without ids and times of the run."""
    own = f"{record.run}:{record.question}:{record.attempt}:"
    replies: Iterator[list[JsonValue]] = (
        [call.seat, call.provider, call.model, call.origin.value, call.outcome, call.reply] for call in calls if call.task.startswith(own)
    )
    invoked: Iterator[list[JsonValue]] = ([call.skill, call.outcome] for call in skills if call.task.startswith(own))
    return [sorted(replies, key=str), sorted(invoked, key=str)]


def _named(task: Task, case: str, question: str, did: JsonValue) -> Task:
    same = digest([case, question, task.agent, dict(task.scores), did])
    return replace(task, about=f"evaluation/{case}/{question}/{same[:32]}", run="", mode=EVALUATION)
