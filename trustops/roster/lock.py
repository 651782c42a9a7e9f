"""skills.lock: which skills of a workspace a person admitted, each pinned by the digest of its whole folder.

A skill that is not listed, or that is no longer what was admitted, is a refusal: its words would become a seat's task, its code would run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, Refused
from trustops.roster.skillfiles import SkillFile

NAME = "skills.lock"
HEAD = "# Written by `trustops skills add`. A skill that is not listed here with its digest is not used.\n"


class Admitted(Noun):
    """One skill that was let in: by whom, when, and what the scan said that a person let in all the same."""

    name: str
    version: str
    digest: str
    by: str
    at: str
    flags: tuple[str, ...] = ()
    despite: str = ""


class Lock(Noun):
    """All skills that were let in."""

    version: int = 1
    skills: tuple[Admitted, ...] = ()

    def of(self, name: str) -> Admitted | None:
        """The entry of a skill, if there is one."""
        return next((entry for entry in self.skills if entry.name == name), None)

    def with_entry(self, entry: Admitted) -> Lock:
        """The lock with this entry in the place of an earlier one of its name."""
        kept = [each for each in self.skills if each.name != entry.name]
        return self.model_copy(update={"skills": tuple(sorted([*kept, entry], key=lambda each: each.name))})


def read_lock(workspace: Path) -> Lock:
    """The workspace's lock, empty where there is none; raises MalformedFile for one that cannot be read."""
    path = workspace / NAME
    if not path.is_file():
        return Lock()
    try:
        return Lock.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as bad:
        remedy = "Restore it, or add the skills again with `trustops skills add`."
        raise MalformedFile(f"the lock cannot be read ({str(bad).splitlines()[0]})", where=NAME, remedy=remedy) from bad


def dump(lock: Lock) -> str:
    """The lock as its file holds it."""
    data: dict[str, Any] = lock.model_dump(mode="json")
    return HEAD + yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def problem(skill: SkillFile, lock: Lock) -> str:
    """Why a skill of the workspace may not be used, in words; empty where it may."""
    entry = lock.of(skill.name)
    if entry is None:
        return "is not listed in skills.lock"
    return "" if entry.digest == skill.digest else "was changed after it was admitted"


def check(skill: SkillFile, lock: Lock) -> None:
    """Raises Refused for a skill that may not be used."""
    if told := problem(skill, lock):
        raise Refused(
            f"the skill {told}",
            where=f"skills/{skill.name}",
            remedy=f"Read it, then `trustops skills add skills/{skill.name} --by NAME`, or remove the folder.",
        )
