"""The history of a race, read from the books afterwards and without the product: what may not be in it.

The order is that of the rows in the table of events: every change appends one in its own transaction, under the one write lock.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.races.actors import Told, files

Event = tuple[str, str, dict[str, Any]]
"""Kind, question, data."""
BEFORE = 3
"""Verdicts that stood on record when the race began."""
Answers = dict[tuple[str, int], dict[str, Any]]
"""Versions as they stand in the file, by question and number."""


def violations(folder: Path, told: list[Told]) -> list[str]:
    """Everything that is wrong with the history, in words."""
    with closing(sqlite3.connect(folder / ".trustops" / "kestrel.db")) as books:
        answers = [json.loads(body) for (body,) in books.execute("SELECT body FROM answers ORDER BY rowid")]
        events: list[Event] = [(k, q, json.loads(d)) for k, q, d in books.execute("SELECT kind, question, data FROM events ORDER BY rowid")]
        numbers = books.execute("SELECT run, seq FROM events ORDER BY rowid").fetchall()
        attempts = books.execute("SELECT question, attempt FROM records ORDER BY rowid").fetchall()
        approvals = [json.loads(body) for (body,) in books.execute("SELECT body FROM approvals ORDER BY rowid")]
        exports = [json.loads(body) for (body,) in books.execute("SELECT body FROM exports ORDER BY rowid")]
        broken = [row for row in books.execute("PRAGMA integrity_check") if row != ("ok",)]
    found = [f"integrity: {row}" for row in broken]
    found += _numbered("versions", [(a["question"], a["version"]) for a in answers])
    found += _numbered("attempts", attempts) + _numbered("events", numbers)
    found += list(_lost(answers, approvals, told))
    found += list(_stale(events, {(a["question"], a["version"]): a for a in answers}, {e["id"]: e for e in exports}))
    return found + list(_doubled(exports, files(folder / "out")))


def _numbered(what: str, rows: list[tuple[str, int]]) -> list[str]:
    """1, 2, 3 and so on for each name, in the order in which they were written."""
    seen: Counter[str] = Counter()
    wrong = []
    for name, number in rows:
        seen[name] += 1
        if number != seen[name]:
            wrong.append(f"{what} of {name}: {number} stands at place {seen[name]}")
    return wrong


def _lost(answers: list[dict[str, Any]], approvals: list[dict[str, Any]], told: list[Told]) -> Iterator[str]:
    """What somebody was told is done and is not on record; what is on record and nobody was told."""
    kept = Counter((a["question"], f"{a['version']} {a['digest']} {a['author']}") for a in answers)
    edits = [t for t in told if t.kind == "editor" and t.said]
    yield from (f"the edit {t.said} of {t.question} vanished" for t in edits if not kept[t.question, t.said])
    mine = sum(a["author"] != "agents" for a in answers)
    distinct = {(t.question, t.said) for t in edits}
    if mine != len(distinct):
        yield f"{len(distinct)} different edits were told and {mine} are on record"
    verdicts = Counter((t.question, t.said, t.kind) for t in told if t.kind in ("approver", "rejecter") and t.said)
    kinds = {"APPROVED": "approver", "REJECTED": "rejecter"}
    recorded = [(a["question"], a["digest"], kinds[a["verdict"]]) for a in approvals]
    yield from (f"{verdict} is not on record" for verdict in verdicts if verdict not in recorded)
    yield from (f"{verdict} is on record and nobody was told" for verdict in Counter(recorded[BEFORE:]) - verdicts)


def _stale(events: list[Event], answers: Answers, exports: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Replays the history: a verdict and an export are about what was current when they were written."""
    now = Now()
    for kind, question, data in events:
        if kind == "decided" and data["version"] is not None:
            now.current[question], now.blocked[question] = answers[question, data["version"]], data["decision"] == "BLOCK"
        elif kind in ("approved", "rejected"):
            if data["version"] != now.current[question]["version"]:
                yield f"{question}@{data['version']} was {kind}, and {now.current[question]['version']} was the current version"
            if kind == "approved" and now.blocked[question]:
                yield f"{question}@{data['version']} was approved and is blocked"
            now.verdict[question] = (kind, answers[question, data["version"]]["digest"])
        elif kind == "exported":
            for answer in exports[data["export"]]["answers"]:
                yield from now.leaves(answer)


@dataclass
class Now:
    """Where each question stands at one place of the history."""

    current: dict[str, dict[str, Any]] = field(default_factory=dict)
    blocked: dict[str, bool] = field(default_factory=dict)
    verdict: dict[str, tuple[str, str]] = field(default_factory=dict)

    def leaves(self, answer: dict[str, Any]) -> Iterator[str]:
        """What is wrong with this answer leaving now."""
        ref, current = answer["question"], self.current[answer["question"]]
        if (answer["version"], answer["digest"]) != (current["version"], current["digest"]):
            yield f"{ref}@{answer['version']} left, and {current['version']} was the current version"
        if self.verdict.get(ref) != ("approved", answer["digest"]):
            yield f"{ref}@{answer['version']} left with the verdict {self.verdict.get(ref)}"
        if self.blocked[ref]:
            yield f"{ref}@{answer['version']} left and was blocked"


def _doubled(exports: list[dict[str, Any]], out: dict[str, bytes]) -> Iterator[str]:
    keys = Counter((e["to"], tuple(sorted((a["question"], a["digest"]) for a in e["answers"]))) for e in exports)
    yield from (f"{key} left {times} times" for key, times in keys.items() if times > 1)
    names = {e["file"] for e in exports}
    for export in exports:
        data = out.get(export["file"])
        if data is None or hashlib.sha256(data).hexdigest() != export["sha256"]:
            yield f"{export['file']} is not there as it is on record"
    yield from (f"{name} is there without a record" for name in out if ".answered-" in name and name not in names)
    yield from (f"{name} was left behind" for name in out if name.startswith("."))
