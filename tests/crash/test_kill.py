"""Harm: a crash loses, doubles or mixes up what a run paid for. Runs are killed at random and taken up until they end."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.crash.child import start
from tests.crash.organisation import Wire, rows, settle
from trustops.domain.record import TERMINAL_EVENTS
from trustops.testing.provider import serve

LONGEST_S = 120.0


def journal(folder: Path) -> dict[tuple[object, ...], tuple[object, ...]]:
    found = rows(folder, "SELECT run, question, attempt, seat, step, request_sha256, body FROM journal")
    return {row[:5]: row[5:] for row in found}


def kill_when(process: BaseProcess, folder: Path, replies: int) -> bool:
    """kill -9 as soon as so many replies are in the journal; whether it came to that."""
    until = time.monotonic() + LONGEST_S
    while process.is_alive() and time.monotonic() < until:
        if rows(folder, "SELECT count(*) FROM journal")[:1] >= [(replies,)]:
            process.kill()
            process.join(LONGEST_S)
            return process.exitcode is not None
        time.sleep(0.02)
    return False


def crashed_and_resumed(folder: Path, questions: int, kills: int, seed: int = 11) -> Wire:
    """A review that is killed so many times, each time further on, and then carried to its end. What a kill found in the journal is there
    at the end as it was, and was not asked for again."""
    wire, luck, complaints = Wire(slowest_s=0.1), random.Random(seed), folder.with_suffix(".err")
    found: list[tuple[dict[tuple[object, ...], tuple[object, ...]], int]] = []
    with serve(wire.provider()) as url:
        words: tuple[str | Path, ...] = ("review", settle(folder, url, questions))
        for mark in sorted(luck.sample(range(2, 5 * questions - 8), kills)):
            working = start(*words, "-w", folder, complaints=complaints, drowsy_s=0.05)
            assert kill_when(working, folder, mark), complaints.read_text()
            found.append((journal(folder), len(wire.begun)))
            words = ("resume",)
        last = start("resume", "-w", folder, complaints=complaints)
        last.join(LONGEST_S)
        assert last.exitcode == 0, complaints.read_text()
    final = journal(folder)
    for kept, begun in found:
        assert {place: final[place] for place in kept} == kept
        assert {(str(seat), str(ref)) for _, ref, _, seat, _ in kept}.isdisjoint(wire.begun[begun:])
    return wire


def test_a_run_killed_three_times_pays_no_kept_call_twice_and_decides_everything(tmp_path: Path) -> None:
    folder = tmp_path / "kestrel"
    wire = crashed_and_resumed(folder, questions=12, kills=3)
    check(folder, wire, questions=12, kills=3)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_of_forty_questions_killed_eight_times_is_decided(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kestrel"
    wire = crashed_and_resumed(folder, questions=40, kills=8, seed=seed)
    check(folder, wire, questions=40, kills=8)
    with capsys.disabled():
        print(
            f"\n40 questions, 8 kills: {len(wire.begun)} requests begun, {len(wire.answered)} answered, 200 journalled, 0 in a wrong place"
        )


def test_a_run_that_is_told_to_stop_can_be_taken_up(tmp_path: Path) -> None:
    folder, wire, complaints = tmp_path / "kestrel", Wire(slowest_s=0.2), tmp_path / "complaints"
    with serve(wire.provider()) as url:
        first = start("review", settle(folder, url, 6), "-w", folder, complaints=complaints)
        until = time.monotonic() + LONGEST_S
        while first.is_alive() and rows(folder, "SELECT count(*) FROM journal")[:1] < [(4,)] and time.monotonic() < until:
            time.sleep(0.02)
        first.terminate()
        first.join(LONGEST_S)
        assert (first.exitcode, "trustops resume" in complaints.read_text()) == (1, True)
        assert rows(folder, "SELECT * FROM run_ends") == []
        last = start("resume", "-w", folder, complaints=complaints)
        last.join(LONGEST_S)
        assert last.exitcode == 0, complaints.read_text()
    check(folder, wire, questions=6, kills=1)


def check(folder: Path, wire: Wire, *, questions: int, kills: int) -> None:
    """Nothing lost, nothing twice, nothing in the wrong place."""
    kept = journal(folder)
    assert len(kept) == 5 * questions
    assert {key[4] for key in kept} == {1}
    sent = Counter(wire.answered)
    assert len(sent) == len(kept)
    repeated = sum(number - 1 for number in sent.values())
    assert repeated <= kills * 12  # at most what was in work when the process was killed
    by_seat = Counter(str(key[3]) for key in kept)
    assert set(by_seat.values()) == {questions}
    decided = [json.loads(str(row[0])) for row in rows(folder, "SELECT body FROM records")]
    assert len({record["question"] for record in decided}) == len(decided) == questions
    calls = [json.loads(str(row[0])) for row in rows(folder, "SELECT body FROM calls WHERE kind = 'model'")]
    assert len(calls) == len({call["request_id"] for call in calls}) == 5 * questions
    for call in calls:
        run, ref, number, seat = call["task"].rsplit(":", 3)
        digest, body = kept[run, ref, int(number), seat, 1]
        reply = json.loads(str(body))
        assert (call["seat"], call["request_sha256"], call["request_id"]) == (seat, digest, reply["request_id"])
    events = rows(folder, "SELECT seq, kind, question FROM events ORDER BY seq")
    assert [event[0] for event in events] == list(range(1, len(events) + 1))
    assert [event[1] for event in events if event[1] in TERMINAL_EVENTS] == ["run_finished"]
    assert next(kind for _, kind, _ in reversed(events) if not str(kind).startswith("score.")) == "run_finished"
    told = Counter((event[1], event[2]) for event in events)
    assert {told["decided", f"N-{n}"] for n in range(1, questions + 1)} == {1}
    assert max(told["seat_started", f"N-{n}"] for n in range(1, questions + 1)) == 5
