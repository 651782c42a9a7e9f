"""Harm: a worker that dies takes questions with it, or somebody answers and pays them twice; a large customer starves a small one."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests import postgresql
from tests.counts import beyond_a_desk
from tests.crash.child import start
from tests.crash.organisation import Wire
from tests.crash.shared import LONGEST_S, environment, settle_shared, until
from trustops.domain.record import TERMINAL_EVENTS
from trustops.testing.provider import serve


class Scene:
    """A database, the fake provider's wire, and the processes at work on both."""

    def __init__(self, folder: Path, wire: Wire, url: str) -> None:
        self.folder, self.wire, self.url = folder, wire, url
        self.database = postgresql.fresh_database()
        self.environment = environment(self.database)
        self.complaints = folder / "complaints"
        self.complaints.touch()
        self.workers: list[BaseProcess] = []

    def settle(self, org: str, questions: int, **more: Any) -> Path:
        """A new organisation; its folder."""
        folder = self.folder / org
        settle_shared(folder, self.url, questions, org=org, **more)
        return folder

    def run(self, *words: str | Path) -> BaseProcess:
        """Starts the program."""
        return start(*words, complaints=self.complaints, environment=self.environment, told=self.folder / "told")

    def worker(self, *folders: Path, concurrency: int = 4, name: str = "") -> BaseProcess:
        """Starts a worker for these organisations."""
        named = ["--name", name] if name else []
        places = [word for folder in folders for word in ("-w", folder)]
        self.workers.append(self.run("worker", "--concurrency", str(concurrency), *named, *places))
        return self.workers[-1]

    def rows(self, query: str, *given: Any) -> list[tuple[Any, ...]]:
        return postgresql.rows(self.database, query, *given)

    def decided(self, org: str) -> int:
        return int(self.rows("SELECT count(*) FROM records WHERE org = %s", org)[0][0])

    def ended(self, org: str) -> bool:
        return bool(self.rows("SELECT 1 FROM run_ends WHERE org = %s", org))

    def said(self) -> str:
        told = self.folder / "told"
        return self.complaints.read_text() + (told.read_text() if told.is_file() else "")

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.join(LONGEST_S)


@pytest.fixture
def wire() -> Wire:
    return Wire(slowest_s=0.05)


@pytest.fixture
def scene(tmp_path: Path, wire: Wire) -> Any:
    with serve(wire.provider()) as url:
        made = Scene(tmp_path, wire, url)
        yield made
        made.close()


def whole(scene: Scene, org: str, questions: int) -> None:
    """Every question decided once, every reply kept once and in its place, every event once, the run ended once."""
    assert scene.rows("SELECT state FROM run_ends WHERE org = %s", org) == [("FINISHED",)], scene.said()[-3000:]
    kept = scene.rows("SELECT question, seat, step FROM journal WHERE org = %s", org)
    assert Counter(kept) == Counter((f"N-{n}", seat, 1) for n in range(1, questions + 1) for seat in SEATS)
    assert Counter(row[0] for row in scene.rows("SELECT question FROM records WHERE org = %s", org)) == Counter(
        f"N-{n}" for n in range(1, questions + 1)
    )
    calls = scene.rows("SELECT body::json ->> 'request_id' FROM calls WHERE org = %s AND kind = 'model'", org)
    assert len(set(calls)) == len(calls) == 5 * questions
    events = scene.rows("SELECT seq, kind, question FROM events WHERE org = %s ORDER BY seq", org)
    assert [event[0] for event in events] == list(range(1, len(events) + 1))
    assert [event[1] for event in events if event[1] in TERMINAL_EVENTS] == ["run_finished"]
    told = Counter((event[1], event[2]) for event in events)
    assert {told["decided", f"N-{n}"] for n in range(1, questions + 1)} == {1}
    assert {told["seat_started", f"N-{n}"] for n in range(1, questions + 1)} == {5}
    versions = scene.rows("SELECT question, version FROM answers WHERE org = %s", org)
    assert len(set(versions)) == len(versions)
    assert scene.rows("SELECT * FROM trustops_engine.tasks WHERE org = %s", org) == []


SEATS = ("commander", "policy", "control", "answer", "reviewer")


def killed_at_random(scene: Scene, questions: int, kills: int, *, workers: int = 2, concurrency: int = 4, seed: int = 3) -> int:
    """A run whose workers are killed at random, each replaced by a new one; how many replies were repeated."""
    luck, kestrel = random.Random(seed), scene.settle("kestrel", questions, concurrency=2)
    alive = [scene.worker(kestrel, concurrency=concurrency) for _ in range(workers)]
    began = scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)
    until(lambda: scene.decided("kestrel") >= 1, scene.said())
    began.kill()
    began.join(LONGEST_S)
    marks = sorted(luck.sample(range(5, 5 * questions - 10), kills - 1))

    def come_so_far(mark: int) -> bool:
        return bool(scene.rows("SELECT count(*) >= %s FROM journal", mark)[0][0]) or scene.ended("kestrel")

    for mark in marks:
        until(partial(come_so_far, mark), scene.said())
        place = luck.randrange(workers)
        alive[place].kill()
        alive[place].join(LONGEST_S)
        alive[place] = scene.worker(kestrel, concurrency=concurrency)
    until(lambda: scene.ended("kestrel"), scene.said())
    whole(scene, "kestrel", questions)
    sent = Counter(scene.wire.answered)
    assert len(sent) == 5 * questions
    return sum(number - 1 for number in sent.values())


def test_a_run_whose_process_and_workers_are_killed_is_finished_by_others_and_nothing_is_lost_or_doubled(scene: Scene) -> None:
    assert killed_at_random(scene, 12, 4) <= 4 * 2 * 4  # at most what was in work: Policy and Control of each question at once


@pytest.mark.long
def test_a_hundred_kills_over_a_thousand_questions(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    kills = 100
    repeated = killed_at_random(scene, 1000, kills, workers=2, concurrency=6)
    with capsys.disabled():
        print(f"\n1000 questions, {kills} kills: 0 lost, 0 doubled, {repeated} of {len(scene.wire.answered)} model calls repeated")
    assert repeated <= kills * 2 * 6


def test_a_large_customer_does_not_starve_a_small_one(scene: Scene, wire: Wire) -> None:
    """Two questions of a small organisation come in while a large one has sixty waiting: they are begun next, not last."""
    large, small = scene.settle("kestrel", 60, concurrency=1), scene.settle("siskin", 2, concurrency=1)
    scene.worker(large, small, concurrency=2)
    scene.run("review", large / "questionnaire.csv", "-w", large)
    until(lambda: scene.decided("kestrel") >= 2, scene.said())
    wire.holding = True  # what is waiting stays so, however slowly the small one comes in
    scene.run("review", small / "questionnaire.csv", "-w", small)
    until(lambda: scene.rows("SELECT count(*) FROM trustops_engine.tasks WHERE org = 'siskin'") == [(2,)], scene.said())
    wire.holding = False
    until(lambda: scene.ended("siskin"), scene.said())
    assert scene.decided("siskin") == 2
    assert scene.decided("kestrel") < 50
    assert not scene.ended("kestrel")


@beyond_a_desk
def test_a_question_that_kills_its_workers_is_given_up_with_a_finding_and_the_others_are_decided(scene: Scene) -> None:
    kestrel = scene.settle("kestrel", 3, concurrency=1)
    scene.environment |= {"TRUSTOPS_TEST_POISON": "customer 2?"}
    scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)

    def attended() -> bool:
        """A supervisor: as often as a worker dies, another one is started."""
        if not any(worker.is_alive() for worker in scene.workers[-1:]):
            scene.worker(kestrel, concurrency=1)
        return scene.ended("kestrel")

    until(attended, scene.said())
    records = dict(scene.rows("SELECT question, body FROM records"))
    assert set(records) == {"N-1", "N-2", "N-3"}
    assert "given up after 3 tries" in records["N-2"]
    assert not any("given up" in records[question] for question in ("N-1", "N-3"))
    assert '"BLOCK"' in records["N-2"]
    assert 3 <= len(scene.workers) <= 6


@beyond_a_desk
def test_a_pause_and_a_drain_leave_the_rest_to_others(scene: Scene, wire: Wire) -> None:
    kestrel = scene.settle("kestrel", 12, concurrency=1)
    worker = scene.worker(kestrel, concurrency=2, name="both")
    began = scene.run("review", kestrel / "questionnaire.csv", "-w", kestrel)
    until(lambda: scene.decided("kestrel") >= 2, scene.said())
    wire.holding = True  # nothing ends before the pause is on record
    (run,) = scene.rows("SELECT id FROM runs")[0]
    paused = scene.run("pause", str(run), "-w", kestrel)
    paused.join(LONGEST_S)
    wire.holding = False
    began.join(LONGEST_S)
    assert (began.exitcode, paused.exitcode, "was paused; nothing is lost" in scene.said()) == (1, 0, True), scene.said()
    until(lambda: scene.rows("SELECT count(*) FROM trustops_engine.tasks WHERE state = 'TAKEN'") == [(0,)], scene.said())
    before = scene.decided("kestrel")
    assert before < 12
    worker.terminate()
    worker.join(LONGEST_S)
    assert worker.exitcode == 0, scene.said()
    assert "Worker both ends, told to stop." in scene.said()
    again = scene.run("resume", "-w", kestrel)
    scene.worker(kestrel, concurrency=2, name="both")
    scene.worker(kestrel, concurrency=2, name="both")  # two of one name are two
    again.join(LONGEST_S)
    assert again.exitcode == 0, scene.said()
    whole(scene, "kestrel", 12)


def test_the_engines_tables_hold_keys_and_digests_alone(scene: Scene) -> None:
    """Harm: one table of all organisations shows what one of them was asked, answers or owns."""
    kestrel = scene.settle("kestrel", 4, concurrency=1)
    path = kestrel / "questionnaire.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("register of", "CANARY register of"), encoding="utf-8")
    scene.worker(kestrel, concurrency=1)
    began, seen = scene.run("review", path, "-w", kestrel), ""
    tables = [row[0] for row in scene.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'trustops_engine'")]
    assert len(tables) == 6
    while began.is_alive():
        seen += "".join(str(scene.rows(f"SELECT * FROM trustops_engine.{table}")) for table in tables)
    assert began.exitcode == 0, scene.said()
    assert "CANARY" in str(scene.rows("SELECT body FROM reviews"))
    assert "N-1" in seen
    assert not [word for word in ("CANARY", "register", "customer", "laptops", "Ana", "questionnaire") if word in seen]
