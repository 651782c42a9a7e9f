"""Playbooks: small instruction skills made of what people change again and again. A proposal lies in playbooks/ and does nothing; a person
accepts it, and only then it becomes a skill of the workspace. It may say how to write; what counts as support it cannot change.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import JsonValue

from trustops.domain.approval import Role
from trustops.domain.chain import sha256
from trustops.domain.comparison import Comparison
from trustops.domain.credential import Scope
from trustops.domain.errors import MalformedFile, NotAllowed, Refused, UnknownName
from trustops.operations.habits import Habit, edits, habits
from trustops.operations.learning import Known, add_skill
from trustops.operations.office import Office
from trustops.operations.signing_in import identity_of
from trustops.operations.timing import present
from trustops.roster.lock import read_lock
from trustops.roster.scan import scan
from trustops.roster.skillfiles import SkillFile, SkillKind, read_skill

FOLDER = "playbooks"
LEARNED = "LEARNED.json"
"""Beside a proposal: which edits it was made of. People read it; it is put into no prompt."""
ACCEPTED, REJECTED, COMPARED = "playbook_accepted", "playbook_rejected", "comparison"
"""Kinds of records in the audit chain."""
SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A playbook as it lies there. `state` is PROPOSED, ACCEPTED (the same text is an active skill) or REJECTED."""

    skill: SkillFile
    state: str
    shown_by: tuple[str, ...]
    of: int
    asked: tuple[str, ...]
    """Digests of the questions that it was learned from: a comparison on one of them proves nothing."""


def learn(office: Office) -> tuple[Proposal, ...]:
    """Writes a proposal for every habit that is not proposed, accepted or rejected in these words yet; gives the new ones. Nothing that a
    seat is told changes."""
    settled = {proposal.skill.guidance for proposal in proposals(office)} | _rejected_texts(office)
    made = []
    for habit in habits(edits(office), office.names):
        folder = _free(office.workspace / FOLDER, _name(habit))
        text = _guidance(habit)
        if text in settled or _accepted_text(office, text):
            continue
        _write(folder, habit, text)
        if scan(folder):  # the words came from texts that people typed: what a scan flags is not even proposed
            shutil.rmtree(folder)
            continue
        made.append(_read(office, folder))
    return tuple(made)


def proposals(office: Office) -> tuple[Proposal, ...]:
    """Every proposal that lies in the workspace, by name."""
    folder = office.workspace / FOLDER
    found = sorted(path for path in folder.glob("*") if path.is_dir() and not path.name.startswith(".")) if folder.is_dir() else []
    return tuple(_read(office, path) for path in found)


def named(office: Office, name: str) -> Proposal:
    """The proposal of a name; raises UnknownName."""
    found = next((proposal for proposal in proposals(office) if proposal.skill.name == name), None)
    if found is None:
        raise UnknownName(f"there is no playbook {name!r}", where=FOLDER, remedy="`trustops playbooks list` names them.")
    return found


def keep_comparison(office: Office, made: Comparison, *, by: str = "") -> None:
    """A comparison goes on record, whatever it says."""
    with office.ledger.writing(durable=True):
        told: dict[str, JsonValue] = {"comparison": made.model_dump(mode="json")}
        office.ledger.append_audit(COMPARED, actor=by or "evaluation", payload=told, at=present(office))


def comparisons(office: Office, digest: str = "") -> tuple[Comparison, ...]:
    """What is on record, oldest first; of one augmentation where its digest is given."""
    rows = [row.payload.get("comparison") for row in office.ledger.audit() if row.kind == COMPARED and row.payload is not None]
    made = [Comparison.model_validate(row) for row in rows if isinstance(row, dict)]
    return tuple(one for one in made if not digest or one.digest == digest)


def accept(office: Office, name: str, *, by: str, without_comparison: str = "") -> Known:
    """A person lets a playbook in. It needs the newest comparison of just this text, and that it is not worse; or the person's reason to do
    without, which goes on record. Admins alone may. A text that the scan flags is never let in, and after a refusal nothing is changed."""
    proposal, why = named(office, name), without_comparison.strip()
    _may(office, by)
    skill, folder = proposal.skill, office.workspace / FOLDER / name
    _harmless(skill, folder)
    newest = next(iter(comparisons(office, skill.digest)[::-1]), None)
    if not why:
        _compared(name, newest)
    if proposal.state == "REJECTED":
        raise Refused("it was rejected", where=f"{FOLDER}/{name}", remedy="Remove its folder, and learn again.")
    told: dict[str, JsonValue] = {
        "playbook": name,
        "digest": skill.digest,
        "comparison": newest.id if newest else None,
        "without_comparison": why,
    }
    with office.ledger.writing(durable=True):
        office.ledger.append_audit(ACCEPTED, actor=by, payload=told, at=present(office))
    return add_skill(office.workspace, folder, by=by, people=office.people, at=office.clock.now())


def reject(office: Office, name: str, *, by: str, reason: str) -> Proposal:
    """A person says no; the same words are not proposed again."""
    proposal = named(office, name)
    _may(office, by)
    if not reason.strip():
        raise Refused("a rejection needs a reason", where=f"{FOLDER}/{name}", remedy="Say with --reason what is wrong with it.")
    if proposal.state == "ACCEPTED":
        remedy = f"Remove skills/{name}: without its folder no seat is told it."
        raise Refused("it is an active skill already", where=f"skills/{name}", remedy=remedy)
    told: dict[str, JsonValue] = {"playbook": name, "digest": proposal.skill.digest, "text": proposal.skill.guidance, "reason": reason}
    with office.ledger.writing(durable=True):
        office.ledger.append_audit(REJECTED, actor=by, payload=told, at=present(office))
    return named(office, name)


def _may(office: Office, by: str) -> None:
    identity_of(office, by, Scope.REVIEW)
    if office.people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} may not decide about playbooks", remedy="Enter the person under [people] in trustops.toml as admin.")


def _harmless(skill: SkillFile, folder: Path) -> None:
    """A playbook says how to write. It is text for the Answer seat, and nothing that a scan would ask a person about."""
    where = f"{FOLDER}/{skill.name}"
    if skill.kind is not SkillKind.INSTRUCTION or skill.agents != ("answer",):
        raise Refused("a playbook is an instruction for the Answer seat alone", where=where, remedy="Add anything else with `skills add`.")
    if flags := scan(folder):
        told = "; ".join(f"{flag.where} {flag.what}" for flag in flags[:3])
        raise Refused(f"the scan flags it: {told}", where=where, remedy="Reject it. A playbook is never let in despite a flag.")


def _compared(name: str, newest: Comparison | None) -> None:
    remedy = "`trustops eval compare-styles --playbook NAME` compares it; --without-comparison REASON does without, on record."
    if newest is None:
        raise Refused("nobody compared answers with it and without it yet", where=f"{FOLDER}/{name}", remedy=remedy)
    if newest.worse:
        raise Refused(f"its comparison {newest.id} does not carry it: {'; '.join(newest.worse)}", where=f"{FOLDER}/{name}", remedy=remedy)


def _read(office: Office, folder: Path) -> Proposal:
    skill = read_skill(folder, origin="workspace")
    try:
        learned = json.loads((folder / LEARNED).read_text(encoding="utf-8"))
        shown, of, asked = tuple(map(str, learned["shown_by"])), int(learned["of"]), tuple(map(str, learned["asked"]))
    except (OSError, ValueError, KeyError, TypeError) as bad:
        remedy = "Remove the folder, and learn again."
        raise MalformedFile(f"{LEARNED} cannot be read ({bad})", where=f"{FOLDER}/{folder.name}", remedy=remedy) from bad
    entry = read_lock(office.workspace).of(skill.name)
    active = entry is not None and entry.digest == skill.digest
    state = "ACCEPTED" if active else "REJECTED" if skill.guidance in _rejected_texts(office) else "PROPOSED"
    return Proposal(skill, state, shown, of, asked)


def _rejected_texts(office: Office) -> frozenset[str]:
    rows = (row for row in office.ledger.audit() if row.kind == REJECTED and row.payload is not None)
    return frozenset(str(row.payload.get("text", "")) for row in rows if row.payload is not None)


def _accepted_text(office: Office, text: str) -> bool:
    return any(skill.guidance == text for skill in office.roster.skills.values())


def _name(habit: Habit) -> str:
    words = f"{habit.kind} {habit.scope[1]}" if habit.scope[1] else habit.kind
    mark = sha256(habit.instruction.encode())[:6] if habit.kind == "wording" else ""
    return re.sub(r"[^a-z0-9]+", "-", f"house {words} {mark}".lower()).strip("-")[:60]


def _free(folder: Path, name: str) -> Path:
    taken = [folder / name, *(folder / f"{name}-{number}" for number in range(2, 1000))]
    return next(path for path in taken if not path.exists())


def _guidance(habit: Habit) -> str:
    kind, name = habit.scope
    for_whom = {"": "", "customer": f"For answers to {_quoted(name)}: ", "analyst": f"For answers that {_quoted(name)} will edit: "}[kind]
    return f"# Manner of this house: {habit.kind}\n\n{for_whom}{habit.instruction}"


def _quoted(name: str) -> str:
    """A name as one harmless word or two: it comes from a command line, and would stand in a seat's task."""
    return " ".join(re.findall(r"[\w.&,-]+", name))[:60]


def _write(folder: Path, habit: Habit, text: str) -> None:
    (folder / "assets").mkdir(parents=True)
    terms = {
        "version": "1.0.0",
        "schema-version": "1",
        "kind": "instruction",
        "agents": "answer",
        "permission": "guide",
        "timeout-seconds": "10",
        "max-attempts": "1",
        "idempotency": "idempotent",
        "input": "assets/input.schema.json",
        "output": "assets/output.schema.json",
    }
    described = f"How this house words its answers ({habit.kind}), learned from {len(habit.shown_by)} of {habit.of} approved edits."
    head: dict[str, object] = {
        "name": folder.name,
        "description": described,
        "license": "Apache-2.0",
        "metadata": {f"trustops.{key}": value for key, value in terms.items()},
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
    (folder / "SKILL.md").write_text(f"---\n{front}---\n{text}\n", encoding="utf-8")
    for side in ("input", "output"):
        (folder / "assets" / f"{side}.schema.json").write_text(json.dumps(SCHEMA, indent=1) + "\n", encoding="utf-8")
    (folder / LEARNED).write_text(json.dumps(_learned(habit), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _learned(habit: Habit) -> dict[str, object]:
    asked: Iterable[str] = sorted({sha256(edit.asked.encode()) for edit in habit.shown_by})
    return {"shown_by": [edit.where for edit in habit.shown_by], "of": habit.of, "asked": list(asked)}
