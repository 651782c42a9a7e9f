"""Replaying: every decision of a recording made again, without a model and without the network; the first difference is named.

A replay is TEST and RECORDED whatever the recording was: it proves that the rules still conclude the same, and nothing about a model. The
rules are those of the program that replays; answers are compared under the recorded version of the rules, which is told where it differs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from trustops.checks.disclosure import confidential
from trustops.domain.chain import canonical, digest
from trustops.facts.nouns import Names
from trustops.operations.gate_version import gate_version
from trustops.operations.office import Rules
from trustops.operations.recording import Kept, Recording
from trustops.ports import EvidenceIndex, ModelClient
from trustops.roster import Roster
from trustops.team.seat import Allowance, Table
from trustops.workflow.desk import Desk, Shelf
from trustops.workflow.state import Outcome


@dataclass(frozen=True, slots=True)
class Replayed:
    """One question: digests of what was decided then and now, and the first part that differs ("" where none does)."""

    question: str
    recorded: str
    replayed: str
    differs: str


def replay(recording: Recording, *, client: ModelClient, index: EvidenceIndex, roster: Roster) -> tuple[Replayed, ...]:
    """All questions of the recording, one after the other. `client` serves the recorded replies, `index` is empty and is filled."""
    index.rebuild(recording.passages, recording.prior_answers)
    shelf = _shelf(recording, index, roster)
    return asyncio.run(_all(recording, client, shelf))


async def _all(recording: Recording, client: ModelClient, shelf: Shelf) -> tuple[Replayed, ...]:
    return tuple([_compared(kept, await _again(recording, client, shelf, kept)) for kept in recording.questions])


async def _again(recording: Recording, client: ModelClient, shelf: Shelf, kept: Kept) -> Outcome:
    from trustops.workflow.machine import work

    header, record = recording.header, kept.record
    key = f"{header.run.id}:{record.question}:{record.attempt}"
    table = Table(client, shelf.roster, header.run.id, key, Allowance(header.timeout_s, max_tokens=header.max_tokens))
    return await work(record.dossier.question, Desk(shelf, table))


def _shelf(recording: Recording, index: EvidenceIndex, roster: Roster) -> Shelf:
    header = recording.header
    return Shelf(
        index=index,
        controls=recording.controls,
        snapshots={snapshot.control: snapshot for snapshot in recording.snapshots},
        names=Names(**header.names),
        roster=roster,
        secret=confidential(recording.passages, recording.prior_answers),
        withdrawn=frozenset(header.withdrawn),
        at=header.run.as_of,
        gate_version=header.gate_version or rules_now(recording),
        style=yaml.safe_load(header.style) or {},
    )


def rules_now(recording: Recording) -> str:
    """The version that the rules of this program give under the recording's settings. Where it is another one than the recorded one, equal
    decisions say that these rules conclude the same; an approval would have to be given again all the same."""
    return gate_version(Rules(**recording.header.gate))  # type: ignore[arg-type]


def _compared(kept: Kept, outcome: Outcome) -> Replayed:
    then, now = dict(_parts_of_record(kept)), dict(_parts_of_outcome(outcome))
    differs = next((name for name in then if then[name] != now[name]), "")
    return Replayed(kept.record.question, digest(then)[:16], digest(now)[:16], differs)


def _parts_of_record(kept: Kept) -> Iterator[tuple[str, str]]:
    record = kept.record
    yield "dossier", digest(record.dossier)
    yield "conflicts", canonical(list(record.conflicts)).decode()
    yield "agent tasks", canonical([task["outcome"] for task in record.agent_tasks]).decode()
    yield "risk", record.risk
    yield "answer version", str(kept.answer_digest)
    yield "decision", canonical(record.result).decode()


def _parts_of_outcome(outcome: Outcome) -> Iterator[tuple[str, str]]:
    case = outcome.case
    yield "dossier", digest(case.dossier) if case else ""
    yield "conflicts", canonical([conflict.model_dump(mode="json") for conflict in case.conflicts] if case else []).decode()
    yield "agent tasks", canonical([turn.task.outcome for turn in outcome.turns]).decode()
    yield "risk", outcome.risk.value
    yield "answer version", str(outcome.version.sealed().digest if outcome.version else None)
    yield "decision", canonical(outcome.result).decode()
