"""Harm: two people at the same moment lose an edit, approve twice, send twice, or send what was approved as something else."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import pytest

from tests.histories.world import Template, World, confine, here
from tests.races.actors import Told, faults, files, prepared
from tests.races.stage import Troupe, by_threads, opened
from tests.races.verdict import violations
from trustops.operations.exporting import export

IN_EVERY_RUN, ALL = 6, 200
BY_PROCESSES = 4
"""Every so many races one is run by processes."""


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        patched.setattr(confine, "call", here)
        yield Template(Path(folder))


@pytest.fixture(scope="module")
def troupe() -> Iterator[Troupe]:
    with closing(Troupe()) as made:
        yield made


def run(template: Template, troupe: Troupe, race: int) -> list[Told]:
    """One race; afterwards the books must tell a history that could have happened one after the other."""
    world = template.copy()
    prepared(world)
    told = troupe.play(race, world) if race % BY_PROCESSES == 0 else by_threads(race, world)
    assert faults(told) == []
    assert violations(world.folder, told) == []
    state = world.office.ledger.verify_chain()
    assert state.ok, state.problem
    world.close()
    shutil.rmtree(world.folder)
    return told


def check(template: Template, troupe: Troupe, races: int) -> None:
    told = [each for race in range(races) for each in run(template, troupe, race)]
    counted = Counter(f"{each.kind} {'refused' if each.refused else 'did it'}" for each in told)
    print(f"races: {races}, {dict(sorted(counted.items()))}")
    for kind in ("approver", "editor", "rejecter", "rechecker", "exporter"):
        assert counted[f"{kind} did it"] > 0, f"no {kind} ever did anything, so the races say nothing"
    assert counted["approver refused"] + counted["exporter refused"] > 0, "nobody ever came too late"


def test_eight_at_once_lose_and_double_nothing(template: Template, troupe: Troupe) -> None:
    check(template, troupe, IN_EVERY_RUN)


@pytest.mark.long
def test_eight_at_once_lose_and_double_nothing_two_hundred_times(template: Template, troupe: Troupe) -> None:
    check(template, troupe, ALL)


def test_fifty_exports_of_the_same_at_once_are_one(template: Template) -> None:
    world = template.copy()
    prepared(world)
    start = Barrier(50)
    with opened(world.folder) as other, ThreadPoolExecutor(50) as pool:

        def send(number: int) -> tuple[bytes, bytes, bytes]:
            start.wait(30)
            office: World = (world, other)[number % 2]
            made = export(office.office, office.review, world.folder / "out", to="Harbour")
            return made.file.read_bytes(), made.receipt.read_bytes(), made.bundle.read_bytes()

        sent = [done.result(120) for done in [pool.submit(send, number) for number in range(50)]]
    assert len(set(sent)) == 1
    assert len(world.office.ledger.exports(world.review.id)) == 1
    assert sum(name.endswith(".zip") for name in files(world.folder / "out")) == 1
    assert sum(record.kind == "exported" for record in world.office.ledger.audit()) == 1
    world.close()
