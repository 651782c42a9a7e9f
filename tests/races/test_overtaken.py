"""Harm: a person edits an answer while a run works on it, and the run fails, or its draft takes the place of the person's words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import House
from tests.histories.world import Template, confine, here
from tests.races.actors import prepared
from tests.races.stage import by_threads
from tests.races.verdict import violations
from trustops.domain.authenticity import Origin
from trustops.domain.errors import Overtaken
from trustops.operations.editing import edit_answer
from trustops.ports import ModelReply, ModelRequest
from trustops.storage.book import Book

WORDS = "Audit logs are kept for 400 days."


class Interrupted:
    """A model that is asked for a review of the answer; before it replies, a person has edited that answer."""

    origin = Origin.SCRIPTED

    def __init__(self, house: House) -> None:
        self.house, self.edited = house, False

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.seat == "reviewer" and not self.edited:
            self.edited = True
            cite = [p.id for p in self.house.office.ledger.latest_records(self.house.review.id)["K-2"].dossier.passages][:1]
            await edit_answer(self.house.office, self.house.review, "K-2", by="Bo", text=WORDS, cite=cite)
        return await self.house.office.client.complete(request)


def test_a_run_gives_way_to_a_person_who_edited_meanwhile_and_goes_on(house: House) -> None:
    client = Interrupted(house)
    house.with_office(client=client, concurrency=1).run("K-2", "K-1")
    assert client.edited
    versions = house.office.ledger.answers(house.review.id, "K-2")
    assert (versions[-1].author, versions[-1].text) == ("Bo", WORDS)
    record = house.office.ledger.latest_records(house.review.id)["K-2"]
    assert (record.attempt, record.version) == (2, versions[-1].version)
    run = house.office.ledger.runs(house.review.id)[-1]
    told = [(event.kind, event.question) for event in house.office.ledger.events(run.id)]
    assert run.state == "FINISHED"
    assert ("overtaken", "K-2") in told
    assert ("decided", "K-1") in told
    assert ("decided", "K-2") not in told


@pytest.fixture
def template(tmp_path: Path) -> Iterator[Template]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(confine, "call", here)
        yield Template(tmp_path)


def test_the_races_notice_books_without_transactions(template: Template, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each statement by itself, as it would be without the one write lock around a decision: else the races could see nothing."""

    @contextmanager
    def at_once(self: Book, **_: Any) -> Iterator[None]:
        yield

    def add(self: Book, table: Any, **values: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(table.insert().values(org=self.org, **values))

    found: list[Any] = []
    for race in range(1, 13):
        world = template.copy()
        prepared(world)
        with monkeypatch.context() as broken:
            broken.setattr(Book, "writing", at_once)
            broken.setattr(Book, "add", add)
            told = by_threads(race, world)
        found += violations(world.folder, told) + [t.refused for t in told if "OVERTAKEN" in t.refused and t.kind != "editor"]
        world.close()
        if found:
            break
    assert found


def test_two_runs_that_begin_at_once_are_two_runs_or_one_refusal(house: House) -> None:
    async def both() -> list[Any]:
        return list(await asyncio.gather(*(asyncio.to_thread(house.run, "K-4") for _ in range(2)), return_exceptions=True))

    done = asyncio.run(both())
    runs = house.office.ledger.runs(house.review.id)
    assert len({run.id for run in runs}) == len(runs)
    assert all(run.state in ("FINISHED", "FAILED") for run in runs)
    assert [each for each in done if each is not None and not isinstance(each, Overtaken)] == []
    attempts = house.office.ledger.latest_records(house.review.id)["K-4"].attempt
    assert attempts in (2, 3)
