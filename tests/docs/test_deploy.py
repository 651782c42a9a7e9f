"""Harm: an operator starts what docs/deploy shows, and the program does not know the command, the option or the variable."""

from __future__ import annotations

import configparser
import shlex
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import ROOT, wrong
from trustops.settings import PLAIN, SECRET

DEPLOY = ROOT / "docs" / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
KNOWN = {
    "Unit": {"Description", "After", "Wants"},
    "Service": {
        *("User", "EnvironmentFile", "ExecStart", "KillSignal", "TimeoutStopSec", "Restart", "RestartSec"),
        *("NoNewPrivileges", "ProtectSystem", "ReadWritePaths", "PrivateTmp"),
    },
    "Install": {"WantedBy"},
}
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "trustops"]


def unit(path: Path) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None, strict=True)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(path.read_text(encoding="utf-8"))
    return parsed


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_a_command_that_there_is(path: Path) -> None:
    parsed = unit(path)
    assert {section: set(parsed[section]) - KNOWN[section] for section in parsed.sections()} == {name: set() for name in KNOWN}
    program, *words = shlex.split(parsed["Service"]["ExecStart"])
    assert Path(program).name == "trustops"
    assert not wrong(words)
    assert parsed["Service"]["KillSignal"] == "SIGTERM", "it must drain"
    assert int(parsed["Service"]["TimeoutStopSec"]) > 70, "what is in work must be able to end"


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_the_compose_file_starts_a_command_that_there_is(name: str) -> None:
    service = COMPOSE["services"][name]
    program, *words = service["command"]
    assert program == "trustops"
    assert not wrong(words)
    assert {variable.lower() for variable in service["environment"]} <= {*PLAIN, *SECRET}
    assert service["depends_on"] == {"db": {"condition": "service_healthy"}}


def test_only_the_migration_has_the_owners_address() -> None:
    """Harm: the service runs as the tables' owner, whom no policy binds by habit."""
    addresses = {name: COMPOSE["services"][name]["environment"]["TRUSTOPS_DATABASE"] for name in OURS}
    assert {name for name, address in addresses.items() if "owner" in address} == {"migrate"}
    assert set(OURS) == {"migrate", "service", "worker"}
    assert COMPOSE["services"]["migrate"]["profiles"] == ["admin"]
    assert all(port.startswith("127.0.0.1:") for port in COMPOSE["services"]["service"]["ports"])


def test_every_volume_and_secret_is_declared() -> None:
    named = {word.split(":")[0] for service in COMPOSE["services"].values() for word in service.get("volumes", [])}
    assert {name for name in named if not name.startswith(".")} == set(COMPOSE["volumes"])
    assert set(COMPOSE["secrets"]) == {secret for service in COMPOSE["services"].values() for secret in service.get("secrets", [])}
