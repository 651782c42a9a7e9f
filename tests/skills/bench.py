"""Every skill at a bench: the product's six with an organisation of a few passages, and a program and a guidance of a workspace."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.team.tiny import AT, MFA_CONTROL, passage
from trustops import roster
from trustops.domain.approval import Role
from trustops.domain.evidence import EvidenceKind, PriorAnswer
from trustops.operations.learning import add_skill
from trustops.retrieval.index import Index
from trustops.roster import Roster
from trustops.skills.attach_figure import attach_figure
from trustops.skills.invoke import SkillDesk
from trustops.skills.list_controls import list_controls
from trustops.skills.read_control import read_control
from trustops.skills.read_passage import read_passage
from trustops.skills.search_answers import search_answers
from trustops.skills.search_evidence import search_evidence

PEOPLE = {"Dee": Role.ADMIN, "Ana": Role.APPROVER}
SEATS = {
    "search-evidence": "policy",
    "read-passage": "policy",
    "search-answers": "policy",
    "list-controls": "control",
    "read-control": "control",
    "attach-figure": "answer",
    "count-words": "policy",
}
"""A seat that each skill admits."""
FINDS = {
    "search-evidence": "encrypted at rest",
    "read-passage": "P-1",
    "search-answers": "customer data encrypted",
    "list-controls": "Is MFA enforced?",
    "read-control": "mfa-enrolment",
    "attach-figure": "Attach your network diagram.",
    "count-words": "two words",
}
"""An input that brings something up."""
DIAGRAM = passage(9, "The network.", title="Network diagram", kind=EvidenceKind.DIAGRAM, path="evidence/network.png")
EARLIER = PriorAnswer(
    id="A-1", file="answers/a.csv", question="Is customer data encrypted?", answer="Yes, with AES-256.", locator="row 2", sha256="0"
)
PROGRAM = 'def count(given):\n    return {"words": len(given["query"].split())}\n'


def skill_folder(folder: Path, name: str, *, body: str = "", files: Mapping[str, str] | None = None, **terms: str) -> Path:
    """A skill's folder; terms replace or add to a contract that is complete."""
    made = folder / name
    (made / "assets").mkdir(parents=True)
    contract = {
        "version": "1.0.0",
        "schema-version": "1",
        "kind": "instruction",
        "agents": "answer",
        "permission": "guide",
        "timeout-seconds": "60",
        "max-attempts": "1",
        "idempotency": "idempotent",
        "input": "assets/input.json",
        "output": "assets/output.json",
        **{key.replace("_", "-"): value for key, value in terms.items()},
    }
    metadata = "\n".join(f"  trustops.{key}: {json.dumps(value)}" for key, value in contract.items())
    head = f"---\nname: {name}\ndescription: A skill of the house.\nmetadata:\n{metadata}\n---\n"
    (made / "SKILL.md").write_text(head + (body or "Write short sentences.\n"), encoding="utf-8")
    one = {
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {"query": {"type": "string", "maxLength": 99}},
    }
    (made / "assets" / "input.json").write_text(json.dumps(one), encoding="utf-8")
    (made / "assets" / "output.json").write_text(json.dumps({"type": "object"}), encoding="utf-8")
    for path, text in (files or {}).items():
        (made / path).write_text(text, encoding="utf-8")
    return made


def program_folder(folder: Path, name: str = "count-words", text: str = PROGRAM, function: str = "count", **terms: str) -> Path:
    """A program skill for Policy."""
    given = {"kind": "program", "agents": "policy", "permission": "compute", "entry": f"main.py:{function}", **terms}
    return skill_folder(folder, name, files={"main.py": text}, **given)


def workspace_with(folder: Path, *skills: Path) -> Path:
    """A workspace in which an admin admitted these."""
    folder.mkdir(exist_ok=True)
    for skill in skills:
        add_skill(folder, skill, by="Dee", people=PEOPLE, at=AT)
    return folder


@dataclass(frozen=True)
class Bench:
    """A roster with a workspace's skills, and the product's own functions."""

    roster: Roster
    functions: dict[str, Callable[[str], Any]]

    def desk(self, seat: str, **functions: Callable[[str], Any]) -> SkillDesk:
        replaced = {name.replace("_", "-"): function for name, function in functions.items()}
        return SkillDesk(self.roster, seat, f"R1.1:Q1:1:{seat}", "R1.1", {**self.functions, **replaced})


def bench(folder: Path) -> Bench:
    workspace = workspace_with(folder / "w", program_folder(folder / "given"))
    index = Index(folder / "index.db")
    index.rebuild((passage(1, "All customer data is encrypted at rest with AES-256."), DIAGRAM), (EARLIER,))
    functions: dict[str, Callable[[str], Any]] = {
        "search-evidence": lambda query: search_evidence(index, query),
        "read-passage": lambda query: read_passage(index, query),
        "search-answers": lambda query: search_answers(index, query),
        "list-controls": lambda query: list_controls((MFA_CONTROL,), query),
        "read-control": lambda query: read_control((MFA_CONTROL,), query),
        "attach-figure": lambda query: attach_figure((DIAGRAM,), AT.date(), query),
    }
    return Bench(roster.load(workspace), functions)
