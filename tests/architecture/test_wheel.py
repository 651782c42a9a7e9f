"""Harm: the program works in a checkout and misses its agents, skills, prompts or golden cases when it is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOOK = """
from trustops import roster
from trustops.evaluation.cases import load_case
from trustops.facts.lexicon import lexicon_digest
import trustops
assert 'wheel' in trustops.__file__, trustops.__file__
assert roster.shipped('agents').parent.name == '_shipped'
assert set(roster.load().agents) == {'commander', 'policy', 'control', 'answer', 'reviewer'}
assert load_case('Q-005').case == 'Q-005'
assert (roster.shipped('golden') / 'acme' / 'questionnaire.xlsx').is_file()
assert len(lexicon_digest()) >= 12
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel, unpacked."""
    out = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def test_an_installed_program_has_its_roster_and_its_cases(wheel: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=wheel.parent,
        env={"PYTHONPATH": str(wheel), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr


def test_the_wheel_holds_every_catalogue_file(wheel: Path) -> None:
    there = {path.relative_to(wheel / "trustops").as_posix() for path in (wheel / "trustops" / "catalogue").rglob("*.yaml")}
    here = {path.relative_to(ROOT / "trustops").as_posix() for path in (ROOT / "trustops" / "catalogue").rglob("*.yaml")}
    assert there == here


@pytest.mark.parametrize("part", ["templates/*.html", "static/*.*"])
def test_the_wheel_holds_what_the_console_draws_with(wheel: Path, part: str) -> None:
    there = {path.name for path in (wheel / "trustops" / "console").glob(part)}
    assert there == {path.name for path in (ROOT / "trustops" / "console").glob(part)}
    assert len(there) >= 3


def test_migrations_are_in_the_wheel(wheel: Path) -> None:
    assert list((wheel / "trustops" / "storage" / "migrations" / "versions").glob("0001*.py"))
    assert (wheel / "trustops" / "storage" / "migrations" / "env.py").is_file()
