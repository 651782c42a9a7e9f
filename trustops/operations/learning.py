"""Learning: a workspace's own skills. A person adds one, knowing what the scan says of it; what was added is pinned by digest."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from trustops.domain.approval import Role
from trustops.domain.errors import NotAllowed, Refused, UsageError
from trustops.roster import shipped_skills, workspace_skills
from trustops.roster.lock import NAME, Admitted, dump, problem, read_lock
from trustops.roster.scan import Flag, scan
from trustops.roster.skillfiles import SkillFile, read_skill


@dataclass(frozen=True, slots=True)
class Known:
    """A skill with how it stands: empty `trouble` means that it is used. `entry` is there for one that a person admitted."""

    skill: SkillFile
    flags: tuple[Flag, ...] = ()
    trouble: str = ""
    entry: Admitted | None = None


def known_skills(workspace: Path) -> tuple[Known, ...]:
    """The product's skills and the workspace's, each as it stands."""
    lock = read_lock(workspace)
    own = [Known(skill) for skill in shipped_skills()]
    theirs = [
        Known(skill, scan(workspace / "skills" / skill.name), problem(skill, lock), lock.of(skill.name))
        for skill in workspace_skills(workspace)
    ]
    return (*own, *theirs)


def add_skill(workspace: Path, source: Path, *, by: str, people: dict[str, Role], at: datetime, despite: str = "") -> Known:
    """Admits the skill of a folder, which is copied into the workspace where it is not there yet.

    Raises NotAllowed for anybody but an admin, Refused for a flagged skill without a reason to admit it despite that, and whatever reading
    it raises. After a refusal nothing is changed.
    """
    if people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} may not add skills", remedy="Enter the person under [people] in trustops.toml as admin.")
    source = source.resolve()
    if not source.is_dir():
        raise UsageError("there is no such folder", where=str(source), remedy="Name the folder that holds SKILL.md.")
    skill = read_skill(source, origin="workspace")
    if skill.name in {own.name for own in shipped_skills()}:
        raise UsageError("the product has a skill of this name", where=f"skills/{skill.name}", remedy="Give it another one.")
    flags = scan(source)
    if flags and not despite.strip():
        told = "; ".join(f"{flag.where} {flag.what}" for flag in flags[:3])
        raise Refused(
            f"the scan flags it {len(flags)} times: {told}",
            where=f"skills/{skill.name}",
            remedy="Read those places. An admin who lets it in all the same says why with --despite REASON.",
        )
    target = workspace / "skills" / skill.name
    if source != target.resolve():
        _copied(source, target)
    entry = Admitted(
        name=skill.name,
        version=skill.version,
        digest=skill.digest,
        by=by,
        at=at.isoformat(),
        flags=tuple(f"{flag.code} {flag.where}" for flag in flags),
        despite=despite.strip(),
    )
    _write(workspace / NAME, dump(read_lock(workspace).with_entry(entry)))
    return Known(skill, flags, "", entry)


def _copied(source: Path, target: Path) -> None:
    """All of it or nothing: another version is put aside until the new one stands."""
    target.parent.mkdir(exist_ok=True)
    fresh, old = target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(source, fresh, ignore=shutil.ignore_patterns("__pycache__"))
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
