"""Harm: a run that was told to rest or to end goes on and spends money; one that the service carried dies with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.console.conftest import bearer
from tests.crash.child import start
from tests.crash.organisation import Wire, rows, settle
from trustops import assembly
from trustops.testing.provider import serve

LONGEST_S = 120.0
SLOWLY_S = 0.25
"""Replies that take up to so long make a run of many seconds, in the middle of which other processes come in time on any machine."""


def until(true: Callable[[], bool], what: str) -> None:
    """Waits for what another process does; fails where it does not come."""
    end = time.monotonic() + LONGEST_S
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def decided(folder: Path) -> list[str]:
    return [str(row[0]) for row in rows(folder, "SELECT question FROM records ORDER BY question")]


def kinds(folder: Path) -> list[str]:
    return [str(row[0]) for row in rows(folder, "SELECT kind FROM events ORDER BY run, seq")]


def test_a_run_of_another_process_is_paused_and_goes_on_later(tmp_path: Path) -> None:
    folder, wire, complaints = tmp_path / "kestrel", Wire(slowest_s=SLOWLY_S), tmp_path / "complaints"
    with serve(wire.provider()) as url:
        words = ("review", settle(folder, url, 14, concurrency=2), "-w", folder)
        working = start(*words, complaints=complaints)
        until(lambda: len(decided(folder)) > 0, "no question was decided")
        wire.holding = True
        ((run,),) = rows(folder, "SELECT id FROM runs")
        for _ in range(2):  # a second time changes nothing
            paused = start("pause", str(run), "-w", folder, complaints=complaints)
            paused.join(LONGEST_S)
            assert paused.exitcode == 0, complaints.read_text()
        wire.holding = False
        working.join(LONGEST_S)
        assert (working.exitcode, "was paused; nothing is lost" in complaints.read_text()) == (1, True), complaints.read_text()
        before, sent = decided(folder), len(wire.answered)
        assert (0 < len(before) < 14, sent, rows(folder, "SELECT * FROM run_ends")) == (True, 5 * len(before), [])
        assert len(rows(folder, "SELECT * FROM journal")) == sent  # what was in work came to its end
        wire.slowest_s = 0.0
        again = start("resume", "-w", folder, complaints=complaints)
        again.join(LONGEST_S)
        assert again.exitcode == 0, complaints.read_text()
    assert (len(decided(folder)), len(wire.answered)) == (14, 70)
    told = [kind for kind in kinds(folder) if not kind.startswith("score.")]  # the seats are graded when the run is over
    assert (told.count("run_paused"), told.count("run_resumed"), told[-1]) == (1, 1, "run_finished")


def test_a_run_of_another_process_is_cancelled(tmp_path: Path) -> None:
    folder, wire, complaints = tmp_path / "kestrel", Wire(slowest_s=SLOWLY_S), tmp_path / "complaints"
    with serve(wire.provider()) as url:
        working = start("review", settle(folder, url, 14, concurrency=2), "-w", folder, complaints=complaints)
        until(lambda: len(decided(folder)) > 0, "no question was decided")
        wire.holding = True
        ((run,),) = rows(folder, "SELECT id FROM runs")
        ended = start("cancel", str(run), "-w", folder, complaints=complaints)
        ended.join(LONGEST_S)
        kept = decided(folder)
        working.join(LONGEST_S)  # it breaks off, although no reply comes
        wire.holding = False
        assert (ended.exitcode, working.exitcode, "was cancelled" in complaints.read_text()) == (0, 1, True)
        for verb in ("pause", "resume", "cancel"):
            refused = start(verb, str(run), "-w", folder, complaints=complaints)
            refused.join(LONGEST_S)
            assert refused.exitcode == 1
    assert rows(folder, "SELECT state FROM run_ends") == [("CANCELLED",)]
    assert decided(folder) == kept


def port(told: Path) -> str:
    """The service's address, out of its first line."""
    until(lambda: told.is_file() and "/v1" in told.read_text(), "the service does not start")
    return told.read_text().split()[1].removesuffix("/v1")


def signed_in(folder: Path) -> dict[str, str]:
    """The header of somebody who may start a review."""
    office = assembly.office(folder)
    try:
        return bearer(office)
    finally:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kill", [True, False], ids=["killed", "told to stop"])
def test_runs_of_a_service_go_on_when_it_is_back(tmp_path: Path, kill: bool) -> None:
    folder, wire, complaints = tmp_path / "kestrel", Wire(slowest_s=SLOWLY_S), tmp_path / "complaints"
    with serve(wire.provider()) as url:
        first = settle(folder, url, 8, concurrency=2).read_bytes()
        second = first.replace(b"customer", b"client")
        service = start("serve", "--port", "0", "-w", folder, complaints=complaints, told=tmp_path / "first")
        with httpx2.Client(base_url=port(tmp_path / "first"), timeout=LONGEST_S, headers=signed_in(folder)) as client:
            runs = [client.post("/v1/reviews", files={"file": ("q.csv", data)}).json()["run"] for data in (first, second)]
            both = "SELECT count(DISTINCT run) FROM records"
            until(lambda: rows(folder, both) == [(2,)], "the two runs do not go on side by side")
        service.kill() if kill else service.terminate()
        service.join(LONGEST_S)
        kept, sent = rows(folder, "SELECT * FROM journal"), len(wire.begun)
        assert rows(folder, "SELECT * FROM run_ends") == []
        if not kill:
            assert len(kept) == sent == 5 * len(decided(folder))  # what was in work came to its end
        wire.slowest_s = 0.0
        back = start("serve", "--port", "0", "-w", folder, complaints=complaints, told=tmp_path / "second")
        port(tmp_path / "second")
        until(lambda: len(rows(folder, "SELECT * FROM run_ends")) == 2, complaints.read_text())
        back.terminate()
        back.join(LONGEST_S)
    assert sorted(rows(folder, "SELECT run, state FROM run_ends")) == sorted((run, "FINISHED") for run in runs)
    assert len(decided(folder)) == 16
    assert set(kept) <= set(rows(folder, "SELECT * FROM journal"))
    assert len(wire.answered) - 80 <= sent - len(kept)
