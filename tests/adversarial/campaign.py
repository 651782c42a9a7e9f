"""A batch of attacks through the whole product, drafted again and again: the models' manners change, the dossier stays."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from trustops import assembly
from trustops.domain.opinion import ControlOpinion, PolicyOpinion, Unavailable
from trustops.evaluation import fighting
from trustops.evaluation.fighting import AT, Fight
from trustops.operations.answering import Prepared, keep
from trustops.operations.editing import _judge
from trustops.operations.office import Office
from trustops.team.answer import draft
from trustops.testing.attacks.grid import Attack, Instance
from trustops.testing.attacks.models import Cast


def here(target: str, argument: dict[str, Any], **limits: float) -> Any:
    """What a limited child would run, in this process: all files are the harness's own, and `tests/confine` tries the limits."""
    module, _, name = target.partition(":")
    return json.loads(json.dumps(getattr(import_module(module), name)(argument)))


def fight(drawn: Sequence[Attack], seed: int, *, honest_every: int = 3, turns: int = 1) -> Fight:
    """A fight in a folder that is gone afterwards.

    With more `turns` the model drafts each attacked question again in its next manner, on the dossier that the review sealed: rules and
    Reviewer judge the draft, it becomes the newest version, the rubber stamp approves it where it can, and there is another export.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return fighting.fight(drawn, seed, assembly.office, Path(scratch), honest_every=honest_every, turns=turns, again=_once_more)


def _once_more(office: Office, prepared: Prepared, made: Sequence[Instance], turn: int) -> int:
    return asyncio.run(_again(office, prepared, made, turn))


async def _again(office: Office, prepared: Prepared, made: Sequence[Instance], turn: int) -> int:
    """A draft in the next manner for every attacked question that has a dossier; how many there were."""
    assert isinstance(office.client, Cast)
    office.client.turn = turn
    records = office.ledger.latest_records(prepared.review.id)
    drafted = 0
    for instance in made:
        record = records.get(instance.target)
        if record is None or record.version is None:
            continue
        table = office.table(office.client, prepared.run.id, f"{instance.target}:{turn}")
        nothing = PolicyOpinion(claims=(), conflicts=()), ControlOpinion(readings=(), missing=())
        sitting = await draft(table, record.dossier, *nothing, record.result.findings, prepared.shelf.style, AT)
        if isinstance(sitting.opinion, Unavailable):
            continue  # what is no draft blocks by itself; the first turn shows that
        outcome = await _judge(office, prepared, record, sitting.opinion, "agents")
        keep(office, prepared, record.dossier.question, record.attempt + 1, outcome)
        drafted += 1
    return drafted
