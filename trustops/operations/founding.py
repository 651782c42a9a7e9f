"""Founding: a new workspace, empty or filled with the demo organisation."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from trustops.domain.errors import UsageError
from trustops.roster import shipped

TOML = """[organisation]
id = "{id}"
name = "{name}"
products = []

[people]
# "Ana Example" = "approver"      # viewer, analyst, approver or admin
"""
LOCAL = """
# A model on your own machine, or any other OpenAI-compatible server (docs/local-model.md). Without [models] a key in the environment
# chooses the provider, and without a key drafts are made offline by rules.
# [models]
# default = "local"
#
# [models.profiles.local]
# provider = "openai"
# api = "chat"
# base_url = "http://127.0.0.1:8080/v1"
# model = "the-name-the-server-knows"
# timeout_s = 300
# calls = 1
# usd_per_million_in = 0
# usd_per_million_out = 0
"""
CONTROLS = """# The control catalogue; see docs/operations.md for every key. Below stand the shipped controls as comments: uncomment
# those that you can measure, set what you promise under `expect`, and give each a source and an owner.
"""
STARTER = Path(__file__).resolve().parent.parent / "catalogue" / "starter_controls.yaml"
DEMO_SETTINGS = """products = ["Sightline"]

[people]
"Imke Aldersley" = "approver"
"Tomasz Hale" = "analyst"
"Marguerite Oyelaran" = "admin"

[run]
# The demo's documents and readings are of this day; without it they would all be out of date.
as_of = 2026-11-30T12:00:00Z
"""
PARTS = ("evidence", "answers", "snapshots", "controls.yaml", "evidence.yaml", "style.yaml")


@dataclass(frozen=True, slots=True)
class Founded:
    workspace: Path
    questionnaire: Path | None = None


def found(folder: Path, *, name: str, demo: bool) -> Founded:
    """Makes the folder; refuses one that holds a workspace already."""
    if (folder / "trustops.toml").exists():
        raise UsageError("there is a workspace already", where=str(folder), remedy="Choose another folder, or remove this one.")
    folder.mkdir(parents=True, exist_ok=True)
    return _demo(folder) if demo else _empty(folder, name)


def _empty(folder: Path, name: str) -> Founded:
    for part in ("evidence", "answers", "snapshots"):
        (folder / part).mkdir(exist_ok=True)
    identity = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "organisation"
    (folder / "trustops.toml").write_text(TOML.format(id=identity, name=name.replace('"', "'")) + LOCAL, encoding="utf-8")
    (folder / "controls.yaml").write_text(CONTROLS + _commented(), encoding="utf-8")
    return Founded(folder)


def _commented() -> str:
    """The shipped controls, none of them in force: a control without a source would only warn on every answer that it speaks to."""
    lines = STARTER.read_text(encoding="utf-8").splitlines()
    return "".join(f"# {line}".rstrip() + "\n" for line in lines if not line.startswith("#"))


def _demo(folder: Path) -> Founded:
    """Only what a customer of the product would have: no truth, no map of traps."""
    source = shipped("golden") / "acme"
    for part in PARTS:
        origin = source / "workspace" / part
        target = folder / part
        shutil.copytree(origin, target, dirs_exist_ok=True) if origin.is_dir() else shutil.copyfile(origin, target)
    settings = (source / "workspace" / "trustops.toml").read_text(encoding="utf-8").rstrip()
    (folder / "trustops.toml").write_text(f"{settings}\n{DEMO_SETTINGS}{LOCAL}", encoding="utf-8")
    questionnaire = folder / "questionnaire.xlsx"
    shutil.copyfile(source / "questionnaire.xlsx", questionnaire)
    return Founded(folder, questionnaire)
