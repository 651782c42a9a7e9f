"""Who sits at the table and what they may do: agents, skills and prompts, parsed, validated and digested.

They are files (agents/, skills/, prompts/), read from the checkout or, in an installed wheel, from package data; a workspace may
override or add some. An unknown key, a missing section or a placeholder without a value is a refusal, never a default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from trustops.domain.authenticity import SEATS
from trustops.domain.base import Noun
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile

T = TypeVar("T")
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
HOUSE, UNTRUSTED = "_house", "_untrusted"
"""What every seat is told, and the paragraph on material that is part of it."""


class Prompt(Noun):
    """A versioned prompt: a text with {{placeholders}}."""

    name: str
    version: int
    text: str
    digest: str


class AgentFile(Noun):
    seat: str
    title: str
    prompt: str
    skills: tuple[str, ...]
    digest: str


class SkillFile(Noun):
    """A skill's contract (Agent Skills format): who may call it, how long it may take, how often it is retried."""

    name: str
    description: str
    version: str
    agents: tuple[str, ...]
    permission: str
    timeout_s: float
    retries: int
    idempotent: bool
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    digest: str


class Roster(Noun):
    """Everybody at the table: agents by seat, skills and prompts by name."""

    agents: dict[str, AgentFile]
    skills: dict[str, SkillFile]
    prompts: dict[str, Prompt]

    def label(self, prompt: Prompt) -> str:
        """What a ModelCall records of a prompt: name, version, and a digest of all that a seat is told beside its material."""
        told = (self.prompts[HOUSE].digest, self.prompts[UNTRUSTED].digest, prompt.digest)
        return f"{prompt.name}@{prompt.version}:{sha256(''.join(told).encode())[:12]}"


def shipped(folder: str) -> Path:
    """The product's own agents, skills, prompts or golden folder: package data in a wheel, the repository in a checkout."""
    here = Path(__file__).resolve().parent
    packaged = here / "_shipped" / folder
    return packaged if packaged.is_dir() else here.parent / folder


def load(workspace: Path | None = None) -> Roster:
    """The roster of the product with a workspace's overrides; raises MalformedFile with the file and what to do."""
    prompts = {p.name: p for folder in _folders("prompts", workspace) for p in _each(folder.glob("*.md"), _prompt)}
    skills = {s.name: s for folder in _folders("skills", workspace) for s in _each(folder.glob("*/SKILL.md"), _skill)}
    agents = {a.seat: a for folder in _folders("agents", workspace) for a in _each(folder.glob("*.md"), _agent)}
    roster = Roster(agents=agents, skills=skills, prompts=prompts)
    _consistent(roster)
    return roster


def _folders(name: str, workspace: Path | None) -> tuple[Path, ...]:
    """The product's folder, then the workspace's: what comes later overrides."""
    return (shipped(name), workspace / name) if workspace else (shipped(name),)


def render(text: str, values: Mapping[str, str], *, where: str) -> str:
    """The text with every placeholder filled. A placeholder without a value, or a value without a placeholder, is a refusal."""
    wanted = set(PLACEHOLDER.findall(text))
    if missing := wanted - set(values):
        raise MalformedFile(
            f"the placeholders {sorted(missing)} have no value", where=where, remedy="Use only the documented placeholders."
        )
    return PLACEHOLDER.sub(lambda found: values[found.group(1)], text)


def _each(paths: Iterable[Path], read: Callable[[Path], T]) -> list[T]:
    return [read(path) for path in sorted(paths)]


def _front(path: Path, allowed: frozenset[str]) -> tuple[dict[str, Any], str, str]:
    text = path.read_text(encoding="utf-8")
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise MalformedFile("no front matter", where=path.name, remedy="Begin the file with a block between two --- lines.")
    head, body = text[4:].split("\n---\n", 1)
    try:
        data = yaml.safe_load(head) or {}
    except yaml.YAMLError as bad:
        raise MalformedFile(f"the front matter is no YAML ({bad})", where=path.name) from bad
    if unknown := set(data) - allowed:
        raise MalformedFile(f"unknown keys {sorted(unknown)}", where=path.name, remedy=f"Allowed are {sorted(allowed)}.")
    if missing := allowed - set(data) - {"license", "compatibility"}:
        raise MalformedFile(f"the keys {sorted(missing)} are missing", where=path.name)
    return data, body, sha256(text.encode())


def _prompt(path: Path) -> Prompt:
    data, body, digest = _front(path, frozenset({"name", "version"}))
    return Prompt(name=data["name"], version=data["version"], text=body.strip(), digest=digest)


def _agent(path: Path) -> AgentFile:
    data, _, digest = _front(path, frozenset({"seat", "title", "prompt", "skills"}))
    if data["seat"] not in SEATS:
        raise MalformedFile(f"there is no seat {data['seat']!r}", where=path.name, remedy=f"The seats are {', '.join(SEATS)}.")
    return AgentFile(seat=data["seat"], title=data["title"], prompt=data["prompt"], skills=tuple(data["skills"]), digest=digest)


def _skill(path: Path) -> SkillFile:
    data, _, digest = _front(path, frozenset({"name", "description", "license", "metadata"}))
    meta = data["metadata"]
    wanted = {"version", "agents", "permission", "timeout-seconds", "retries", "idempotent"}
    if set(meta) != wanted:
        raise MalformedFile(f"metadata must have exactly {sorted(wanted)}", where=f"{data['name']}/SKILL.md")
    if data["name"] != path.parent.name:
        raise MalformedFile(f"the name {data['name']!r} is not that of its folder", where=str(path.parent.name))
    return SkillFile(
        name=data["name"],
        description=data["description"],
        version=meta["version"],
        agents=tuple(meta["agents"].split()),
        permission=meta["permission"],
        timeout_s=float(meta["timeout-seconds"]),
        retries=int(meta["retries"]),
        idempotent=meta["idempotent"] == "true",
        input_schema=_schema(path.parent / "assets" / "input.schema.json"),
        output_schema=_schema(path.parent / "assets" / "output.schema.json"),
        digest=digest,
    )


def _schema(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as bad:
        raise MalformedFile(f"no readable JSON schema ({bad})", where=f"{path.parent.parent.name}/{path.name}") from bad
    return dict(data)


def _consistent(roster: Roster) -> None:
    """Five seats, each with a prompt, what all are told, and no seat with a skill that does not admit it."""
    if missing := {HOUSE, UNTRUSTED} - set(roster.prompts):
        raise MalformedFile(f"the prompts {sorted(missing)} are missing", where="prompts")
    if missing := set(SEATS) - set(roster.agents):
        raise MalformedFile(f"the seats {sorted(missing)} have no file in agents/", where="agents")
    for agent in roster.agents.values():
        if agent.prompt not in roster.prompts:
            raise MalformedFile(f"the prompt {agent.prompt!r} does not exist", where=f"agents/{agent.seat}.md")
        for name in agent.skills:
            if name not in roster.skills or agent.seat not in roster.skills[name].agents:
                raise MalformedFile(f"the skill {name!r} does not exist or does not admit {agent.seat}", where=f"agents/{agent.seat}.md")
