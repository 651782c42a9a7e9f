"""A child that misbehaves costs an error message and nothing else."""

from __future__ import annotations

import os
import socket
import time
from typing import Any

import pytest

from trustops import confine
from trustops.domain.errors import HostileFile, MalformedFile, Refused

HERE = __name__


def echo(argument: dict[str, Any]) -> dict[str, Any]:
    print("noise that must not be taken for the result")
    return {"got": argument, "keys": sorted(key for key in os.environ if "KEY" in key)}


def hungry(argument: dict[str, Any]) -> int:
    return len(bytearray(400 * 1024 * 1024))


def busy(argument: dict[str, Any]) -> None:
    while True:
        pass


def asleep(argument: dict[str, Any]) -> None:
    time.sleep(60)


def leaving_somebody_behind(argument: dict[str, Any]) -> str:
    """A child of the child that holds the pipes for longer than any test, in a session of its own where asked."""
    if os.fork() == 0:
        if argument["apart"]:
            os.setsid()
        time.sleep(40)
        os._exit(0)
    return "done"


def broken(argument: dict[str, Any]) -> None:
    raise KeyError("x")


def refusing(argument: dict[str, Any]) -> None:
    raise Refused("no", where="here", remedy="do that")


def calling(argument: dict[str, Any]) -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1)


def killed(argument: dict[str, Any]) -> None:
    os.abort()


def test_the_result_comes_back_without_the_parents_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    assert confine.call(f"{HERE}:echo", {"a": [1, "ü", None]}) == {"got": {"a": [1, "ü", None]}, "keys": []}


def test_start_up_is_quick() -> None:
    started = time.monotonic()
    confine.call("json:dumps", {})
    assert time.monotonic() - started < 2


def test_memory_is_limited() -> None:
    with pytest.raises(HostileFile, match="200 MB"):
        confine.call(f"{HERE}:hungry", {}, memory_mb=200)


def test_processor_time_is_limited() -> None:
    with pytest.raises(HostileFile, match="processor"):
        confine.call(f"{HERE}:busy", {}, cpu_s=1)


def test_wall_time_is_limited() -> None:
    started = time.monotonic()
    with pytest.raises(HostileFile, match="longer than 0"):
        confine.call(f"{HERE}:asleep", {}, wall_s=0.5)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("apart", [False, True], ids=["in its group", "apart"])
def test_a_process_that_the_child_leaves_behind_holds_nobody_up(apart: bool) -> None:
    """Harm: a file that takes the child over forks, and the program waits for ever for pipes that nobody closes."""
    started = time.monotonic()
    with pytest.raises(HostileFile, match="longer than 2 seconds"):
        confine.call(f"{HERE}:leaving_somebody_behind", {"apart": apart}, wall_s=2)
    assert time.monotonic() - started < 30


def test_a_crash_is_an_error_and_no_traceback() -> None:
    with pytest.raises(MalformedFile, match="KeyError") as failure:
        confine.call(f"{HERE}:broken", {})
    assert "Traceback" not in str(failure.value)
    with pytest.raises(HostileFile):
        confine.call(f"{HERE}:killed", {})


def test_an_error_keeps_its_kind_and_place() -> None:
    with pytest.raises(Refused) as refusal:
        confine.call(f"{HERE}:refusing", {})
    assert (refusal.value.message, refusal.value.where, refusal.value.remedy) == ("no", "here", "do that")


def test_the_child_opens_no_connection() -> None:
    with pytest.raises(MalformedFile, match="no network"):
        confine.call(f"{HERE}:calling", {})
