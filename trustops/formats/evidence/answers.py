"""Earlier answered questionnaires (answers/*.xlsx, *.csv) become prior answers, each with its date, customer and remark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from trustops import confine
from trustops.domain.chain import digest
from trustops.domain.errors import MalformedFile
from trustops.domain.evidence import PriorAnswer
from trustops.formats.evidence import intake
from trustops.formats.evidence.answer_columns import columns, date_in
from trustops.formats.evidence.memory import Memory
from trustops.formats.evidence.table import records

FOLDER = "answers"
Table = tuple[str, list[list[str]]]
"""A sheet's name (empty for CSV) and its rows."""


def read_answers(workspace: Path) -> tuple[PriorAnswer, ...]:
    """All answers of the folder, by file and row; none where there is no folder. A row without question or answer is no answer.

    The date is the row's own, else one written above the header, else the month in the file's name; the customer likewise.
    Raises MalformedFile where a file has no header with a question and an answer, HostileFile where it must not be opened.
    """
    folder = workspace / FOLDER
    files = sorted(path for path in folder.glob("*") if path.suffix.lower() in (".xlsx", ".csv") and not path.name.startswith((".", "~$")))
    if not files:
        return ()
    found = _known.read(files, _contained)
    seen: Counter[str] = Counter()
    names = [path.relative_to(workspace).as_posix() for path in files]
    return tuple(answer for name, tables in zip(names, found, strict=True) for answer in _of_file(name, tables, seen))


_known: Memory[list[Table]] = Memory(worth=bool)


def _contained(files: list[Path]) -> list[list[Table]]:
    argument = {"paths": [str(path) for path in files]}
    found: list[list[Table]] = confine.call("trustops.formats.evidence.answers:tables_of", argument, cpu_s=60, wall_s=90)
    return found


def tables_of(argument: dict[str, Any]) -> list[list[Table]]:
    """What the child runs: {"paths": [...]} to the visible tables of each file. The first bad file is an error that names it."""
    return [_tables(Path(path)) for path in argument["paths"]]


def _tables(path: Path) -> list[Table]:
    intake.check(path)
    if path.suffix.lower() == ".csv":
        return [("", records(path)[0])]
    from trustops.formats.evidence.sheet import sheets

    return [(name, rows) for name, visible, rows in sheets(path) if visible]


def _of_file(relative: str, tables: list[Table], seen: Counter[str]) -> Iterator[PriorAnswer]:
    headed = False
    for name, rows in tables:
        at = next((number for number, row in enumerate(rows) if columns(row)), None)
        if at is not None:
            headed = True
            yield from _of_table(relative, name, rows, at, seen)
    if not headed:
        raise MalformedFile(
            "No row names a question and an answer column.",
            where=relative,
            remedy="Head the columns Question and Answer, or move the file out of answers/.",
        )


def _of_table(relative: str, name: str, rows: list[list[str]], at: int, seen: Counter[str]) -> Iterator[PriorAnswer]:
    places = columns(rows[at]) or {}
    above = [cell for row in rows[:at] for cell in row if cell.strip()]
    day = next((found for cell in above if (found := date_in(cell))), None) or date_in(Path(relative).stem)
    customer = _customer_above(above) or _customer_in(Path(relative).stem)
    for number, row in enumerate(rows[at + 1 :], start=at + 2):
        cells = {role: row[place].strip() if place < len(row) else "" for role, place in places.items()}
        if cells["question"] and cells["answer"] and not columns(row):
            locator = f"sheet {name}, row {number}" if name else f"row {number}"
            yield _answer(relative, locator, cells, day, customer, seen)


def _answer(relative: str, locator: str, cells: dict[str, str], day: date | None, customer: str, seen: Counter[str]) -> PriorAnswer:
    key = digest([relative, cells["question"], cells["answer"]])
    seen[key] += 1
    values: dict[str, Any] = {
        "file": relative,
        "locator": locator,
        "question": cells["question"],
        "answer": cells["answer"],
        "remark": cells.get("remark", ""),
        "customer": cells.get("customer", "") or customer,
        "answered_on": date_in(cells.get("answered_on", "")) or day,
    }
    kept = {"owner": cells.get("owner", ""), "review_by": date_in(cells.get("review_by", "")), "source": cells.get("source", "")}
    values |= {name: value for name, value in kept.items() if value}  # what was never written changes no digest
    identity = "A-" + digest([key, seen[key]])[:12]
    content = digest({key: str(value) for key, value in values.items()})
    return PriorAnswer(id=identity, sha256=content, **values)


def _customer_above(above: Sequence[str]) -> str:
    """The name before the colon of a title such as "Meridian Foods plc: supplier security questionnaire"."""
    for cell in above:
        labelled = re.match(r"\s*(?:customer|client|company|客户)\s*[:：]\s*(.+)", cell, re.IGNORECASE)
        titled = re.match(r"\s*([^:：]{2,60})[:：].*(?:questionnaire|assessment|问卷)", cell, re.IGNORECASE)
        if labelled or titled:
            return str((labelled or titled)[1]).strip()  # type: ignore[index]
    return ""


def _customer_in(stem: str) -> str:
    """The file 2026-04-calder-rail names Calder Rail."""
    words = [word for word in re.split(r"[-_ ]+", stem) if word and not word.isdigit()]
    return " ".join(word.capitalize() for word in words)
