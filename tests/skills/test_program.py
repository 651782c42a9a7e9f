"""Harm: a program of a workspace reads the evidence, the keys or the network, runs for ever, or brings the service down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.skills.bench import PEOPLE, program_folder, workspace_with
from tests.team.tiny import AT
from trustops import roster
from trustops.operations.learning import add_skill
from trustops.skills.invoke import SkillDesk

BAD = {
    "reads the keys": "def run(g):\n    return {'x': open('/etc/passwd').read()}\n",
    "reads beside its folder": (
        "from pathlib import Path\ndef run(g):\n    return {'x': (Path(__file__).parents[2] / 'trustops.toml').read_text()}\n"
    ),
    "writes": "def run(g):\n    open(__file__ + '.new', 'w').write('x')\n    return {}\n",
    "starts a program": "import subprocess\ndef run(g):\n    return {'x': subprocess.run(['id'], capture_output=True).stdout.decode()}\n",
    "goes to the network": "import socket\ndef run(g):\n    socket.create_connection(('127.0.0.1', 9), timeout=1)\n    return {}\n",
    "looks at the environment": "import os\ndef run(g):\n    return {'x': os.environ['SOME_API_KEY']}\n",
    "raises": "def run(g):\n    raise ValueError(g['query'])\n",
    "ends the process": "import os\ndef run(g):\n    os._exit(3)\n",
    "is no function": "run = 3\n",
    "returns what is no JSON": "def run(g):\n    return {1, 2}\n",
    "returns another shape": "def run(g):\n    return [1]\n",
    "takes memory": "def run(g):\n    return {'x': len(bytearray(900 * 1024 * 1024))}\n",
}


def desk(folder: Path, text: str, **terms: str) -> SkillDesk:
    made = program_folder(folder / "given", "bad", text, "run", **{"timeout_seconds": "60", **terms})
    workspace = folder / "w"
    workspace.mkdir()
    (workspace / "trustops.toml").write_text("secret", encoding="utf-8")
    add_skill(workspace, made, by="Dee", people=PEOPLE, at=AT, despite="the test wants to see what stops it")
    return SkillDesk(roster.load(workspace), "policy", "t", "r", {})


@pytest.mark.parametrize("what", BAD)
async def test_a_program_that_oversteps_gets_nothing_and_the_house_goes_on(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-5f0c")
    made = desk(tmp_path, BAD[what])
    assert await made.call("bad", "x") is None
    assert made.invocations[0].outcome.split(":")[0] in ("failed", "invalid_output")
    assert "canary" not in repr(made.invocations)


async def test_a_program_that_runs_for_ever_is_ended(tmp_path: Path) -> None:
    made = desk(tmp_path, "def run(g):\n    while True: pass\n", timeout_seconds="1")
    assert await made.call("bad", "x") is None
    assert made.invocations[0].outcome in ("timeout", "failed: HostileFile")


async def test_a_program_computes_with_what_it_is_given_and_with_its_own_files(tmp_path: Path) -> None:
    text = "from words import SMALL\ndef count(given):\n    return {'n': sum(w in SMALL for w in given['query'].split())}\n"
    folder = program_folder(tmp_path / "given", text=text)
    (folder / "words.py").write_text("SMALL = {'a', 'an'}\n", encoding="utf-8")
    made = SkillDesk(roster.load(workspace_with(tmp_path / "w", folder)), "policy", "t", "r", {})
    assert await made.call("count-words", "a house and an oak") == {"n": 2}
