"""A skill's folder: SKILL.md in the Agent Skills format with our contract in its metadata, and what lies beside it.

Three kinds: the product's own functions (`builtin`), guidance that is put into a seat's task (`instruction`), and a Python function that
runs in a limited child process (`program`). Only the first kind may read what belongs to the organisation.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TypeVar

from trustops.domain.authenticity import SEATS
from trustops.domain.base import Noun
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile
from trustops.roster.front import front

E = TypeVar("E", bound=StrEnum)
PREFIX = "trustops."
CONTRACT = (
    "version",
    "schema-version",
    "kind",
    "agents",
    "permission",
    "timeout-seconds",
    "max-attempts",
    "idempotency",
    "input",
    "output",
)
PROGRAM_ONLY = "entry"
SCHEMA_VERSION = "1"
LONGEST_TIMEOUT_S, MOST_ATTEMPTS = 60.0, 5
LARGEST_FOLDER = 1 << 20
"""Bytes of all files of a skill."""


class SkillKind(StrEnum):
    """Who carries a skill out."""

    BUILTIN = "builtin"
    INSTRUCTION = "instruction"
    PROGRAM = "program"


class Permission(StrEnum):
    """What a skill may touch. `guide` and `compute` touch nothing but what they are given."""

    READ_EVIDENCE = "read-evidence"
    READ_ANSWERS = "read-answers"
    READ_CONTROLS = "read-controls"
    GUIDE = "guide"
    COMPUTE = "compute"


PERMITTED = {
    SkillKind.BUILTIN: {Permission.READ_EVIDENCE, Permission.READ_ANSWERS, Permission.READ_CONTROLS},
    SkillKind.INSTRUCTION: {Permission.GUIDE},
    SkillKind.PROGRAM: {Permission.COMPUTE},
}


class SkillFile(Noun):
    """A skill's contract. `timeout_s` is for one attempt, in seconds; `attempts` counts the first one; `digest` is that of the whole
    folder. `guidance` is the text for the seats, `entry` the file and function of a program."""

    name: str
    description: str
    kind: SkillKind
    version: str
    schema_version: str
    agents: tuple[str, ...]
    permission: Permission
    timeout_s: float
    attempts: int
    idempotent: bool
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    digest: str
    guidance: str = ""
    entry: str = ""
    folder: str = ""
    origin: Literal["shipped", "workspace"] = "shipped"

    @property
    def label(self) -> str:
        """What a ModelCall records of guidance that a seat was given."""
        return f"{self.name}@{self.version}:{self.digest[:12]}"


def read_skill(folder: Path, *, origin: Literal["shipped", "workspace"]) -> SkillFile:
    """The skill of a folder; raises MalformedFile with the file and the key at fault."""
    where = f"skills/{folder.name}/SKILL.md"
    path = folder / "SKILL.md"
    if not path.is_file():
        raise MalformedFile("the folder holds no SKILL.md", where=f"skills/{folder.name}", remedy="Add one, or remove the folder.")
    data, body = front(path, {"name", "description", "metadata"}, {"license", "compatibility"}, where=where)
    if data["name"] != folder.name:
        raise MalformedFile(f"the name {data['name']!r} is not that of its folder", where=where)
    terms = _terms(data["metadata"], where)
    kind = _one_of(SkillKind, terms["kind"], "kind", where)
    if (kind is SkillKind.BUILTIN) != (origin == "shipped"):
        allowed = "instruction or program" if origin == "workspace" else "builtin"
        raise MalformedFile(f"the kind {kind.value!r} is not allowed here", where=where, remedy=f"Use {allowed}.")
    permission = _one_of(Permission, terms["permission"], "permission", where)
    if permission not in PERMITTED[kind]:
        raise MalformedFile(f"a skill of kind {kind.value} cannot have the permission {permission.value}", where=where)
    return SkillFile(
        name=data["name"],
        description=str(data["description"]),
        kind=kind,
        version=terms["version"],
        schema_version=terms["schema-version"],
        agents=_agents(terms["agents"], where),
        permission=permission,
        timeout_s=_number(terms["timeout-seconds"], "timeout-seconds", LONGEST_TIMEOUT_S, where),
        attempts=int(_number(terms["max-attempts"], "max-attempts", MOST_ATTEMPTS, where)),
        idempotent=terms["idempotency"] == "idempotent",
        input_schema=_schema(folder, terms["input"], where),
        output_schema=_schema(folder, terms["output"], where),
        digest=folder_digest(folder),
        guidance=body.strip() if kind is SkillKind.INSTRUCTION else "",
        entry=_entry(folder, terms, kind, where),
        folder=str(folder) if kind is SkillKind.PROGRAM else "",
        origin=origin,
    )


def folder_digest(folder: Path) -> str:
    """SHA-256 over every file of the folder, by name. Raises MalformedFile for links, and for more than LARGEST_FOLDER bytes."""
    listed, size = [], 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise MalformedFile("a skill holds no links", where=f"skills/{folder.name}/{name}", remedy="Put the file itself there.")
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            size += len(data)
            listed.append(f"{sha256(data)} {name}")
    if size > LARGEST_FOLDER:
        raise MalformedFile(f"a skill holds at most {LARGEST_FOLDER >> 20} MB", where=f"skills/{folder.name}")
    return sha256("\n".join(listed).encode())


def _terms(metadata: Any, where: str) -> dict[str, str]:
    """The contract's terms without their prefix. Metadata of other products may stand beside them."""
    if not isinstance(metadata, dict):
        raise MalformedFile("metadata must be a mapping", where=where)
    terms = {str(key).removeprefix(PREFIX): value for key, value in metadata.items() if str(key).startswith(PREFIX)}
    if unknown := set(terms) - {*CONTRACT, PROGRAM_ONLY}:
        raise MalformedFile(f"unknown terms {sorted(unknown)}", where=where, remedy=f"Known are {', '.join(CONTRACT)} and {PROGRAM_ONLY}.")
    if missing := set(CONTRACT) - set(terms):
        raise MalformedFile(f"metadata lacks {', '.join(PREFIX + term for term in sorted(missing))}", where=where)
    if odd := [term for term, value in terms.items() if not isinstance(value, str) or not value.strip()]:
        raise MalformedFile(f"{PREFIX}{odd[0]} must be a text in quotes", where=where)
    if terms["schema-version"] != SCHEMA_VERSION:
        raise MalformedFile(f"this version knows {PREFIX}schema-version {SCHEMA_VERSION!r}", where=where)
    if terms["idempotency"] not in ("idempotent", "once"):
        raise MalformedFile(f"{PREFIX}idempotency must be idempotent or once", where=where)
    return {key: value.strip() for key, value in terms.items()}


def _agents(told: str, where: str) -> tuple[str, ...]:
    named = tuple(told.split())
    if not named or set(named) - set(SEATS):
        raise MalformedFile(f"{PREFIX}agents names {told!r}", where=where, remedy=f"The seats are {', '.join(SEATS)}.")
    return named


def _one_of(kind: type[E], told: str, term: str, where: str) -> E:
    try:
        return kind(told)
    except ValueError:
        raise MalformedFile(f"{PREFIX}{term} must be one of {', '.join(kind)}", where=where) from None


def _number(told: str, term: str, most: float, where: str) -> float:
    try:
        number = float(told)
    except ValueError:
        number = 0.0
    if not 0 < number <= most:
        raise MalformedFile(f"{PREFIX}{term} must be a number up to {most:g}", where=where)
    return number


def _schema(folder: Path, name: str, where: str) -> dict[str, Any]:
    """A JSON schema of the folder; it is checked when the first call needs it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise MalformedFile(f"{name!r} lies outside of the skill's folder", where=where)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as bad:
        raise MalformedFile(f"no readable JSON schema ({bad})", where=f"skills/{folder.name}/{name}") from bad
    if not isinstance(data, dict):
        raise MalformedFile("a JSON schema is an object", where=f"skills/{folder.name}/{name}")
    return data


def _entry(folder: Path, terms: dict[str, str], kind: SkillKind, where: str) -> str:
    """`FILE.py:FUNCTION` of a program; nothing else has one."""
    told = terms.get(PROGRAM_ONLY, "")
    if kind is not SkillKind.PROGRAM:
        if told:
            raise MalformedFile(f"{PREFIX}{PROGRAM_ONLY} belongs to programs alone", where=where)
        return ""
    file, _, function = told.partition(":")
    path = (folder / file).resolve()
    if not function.isidentifier() or path.suffix != ".py" or not path.is_file() or not path.is_relative_to(folder.resolve()):
        raise MalformedFile(f"{PREFIX}{PROGRAM_ONLY} must be FILE.py:FUNCTION, a file of the folder", where=where)
    return told
