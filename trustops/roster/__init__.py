"""Who sits at the table and what they may do: agents, skills and prompts, parsed, validated and digested.

They are files (agents/, skills/, prompts/), read from the checkout or, in an installed wheel, from package data; a workspace may
override or add some. An unknown key, a missing section or a placeholder without a value is a refusal, never a default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from trustops.domain.authenticity import SEATS
from trustops.domain.base import Noun
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile
from trustops.roster.front import front
from trustops.roster.lock import check, read_lock
from trustops.roster.skillfiles import Permission, SkillFile, read_skill

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
    """Who sits there: the seat's prompt, what its skills may touch, and the skills themselves."""

    seat: str
    title: str
    prompt: str
    permissions: tuple[Permission, ...]
    skills: tuple[str, ...]
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
    here = Path(__file__).resolve().parent.parent
    packaged = here / "_shipped" / folder
    return packaged if packaged.is_dir() else here.parent / folder


def load(workspace: Path | None = None) -> Roster:
    """The roster of the product with a workspace's overrides; raises MalformedFile with the file and what to do."""
    prompts = {p.name: p for folder in _folders("prompts", workspace) for p in _each(folder.glob("*.md"), _prompt)}
    own = shipped_skills()
    skills = {s.name: s for s in (*own, *_admitted(workspace, {skill.name for skill in own}))}
    agents = {a.seat: a for folder in _folders("agents", workspace) for a in _each(folder.glob("*.md"), _agent)}
    seated = {seat: _with_workspace(agent, skills.values()) for seat, agent in agents.items()}
    roster = Roster(agents=seated, skills=skills, prompts=prompts)
    _consistent(roster)
    return roster


def shipped_skills() -> list[SkillFile]:
    """The product's own skills."""
    return [read_skill(folder, origin="shipped") for folder in _skill_folders(shipped("skills"))]


def workspace_skills(workspace: Path) -> list[SkillFile]:
    """The skills that lie in a workspace, admitted or not."""
    return [read_skill(folder, origin="workspace") for folder in _skill_folders(workspace / "skills")]


def _skill_folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_dir()) if folder.is_dir() else []


def _admitted(workspace: Path | None, own: set[str]) -> list[SkillFile]:
    """The workspace's skills; each must be in its lock as it is, and none takes the name of one of the product's."""
    if workspace is None:
        return []
    lock, found = read_lock(workspace), workspace_skills(workspace)
    for skill in found:
        if skill.name in own:
            raise MalformedFile("the product has a skill of this name", where=f"skills/{skill.name}", remedy="Give it another one.")
        check(skill, lock)
    return found


def _with_workspace(agent: AgentFile, skills: Iterable[SkillFile]) -> AgentFile:
    """The agent with the workspace's skills that admit it. What they may touch is nothing, so the seat needs no permission for them."""
    added = tuple(skill.name for skill in skills if skill.origin == "workspace" and agent.seat in skill.agents)
    return agent.model_copy(update={"skills": agent.skills + added})


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


def _prompt(path: Path) -> Prompt:
    data, body = front(path, {"name", "version"})
    return Prompt(name=data["name"], version=data["version"], text=body.strip(), digest=sha256(path.read_bytes()))


def _agent(path: Path) -> AgentFile:
    data, _ = front(path, {"seat", "title", "prompt", "permissions", "skills"})
    if data["seat"] not in SEATS:
        raise MalformedFile(f"there is no seat {data['seat']!r}", where=path.name, remedy=f"The seats are {', '.join(SEATS)}.")
    try:
        permissions = tuple(Permission(each) for each in data["permissions"])
    except ValueError as bad:
        raise MalformedFile(str(bad), where=path.name, remedy=f"Permissions are {', '.join(Permission)}.") from bad
    return AgentFile(
        seat=data["seat"],
        title=data["title"],
        prompt=data["prompt"],
        permissions=permissions,
        skills=tuple(data["skills"]),
        digest=sha256(path.read_bytes()),
    )


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
            _fits(agent, roster.skills.get(name), name)


def _fits(agent: AgentFile, skill: SkillFile | None, name: str) -> None:
    if skill is None or agent.seat not in skill.agents:
        raise MalformedFile(f"the skill {name!r} does not exist or does not admit {agent.seat}", where=f"agents/{agent.seat}.md")
    if skill.origin == "shipped" and skill.permission not in agent.permissions:
        raise MalformedFile(f"the skill {name!r} needs the permission {skill.permission.value}", where=f"agents/{agent.seat}.md")
