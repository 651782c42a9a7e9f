"""The gap register: what could not be answered, why, and what would close the gap. For the organisation, never for the customer."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from trustops.operations.books import Books
from trustops.operations.standing import Standing

COLUMNS = ("question", "text", "status", "code", "summary", "remedy", "exhibits")
RISKY = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""First characters that a spreadsheet could read as a formula; such a cell gets an apostrophe (OWASP, CSV injection)."""


def write_gap_register(books: Books, standings: Mapping[str, Standing], out: Path, key: str) -> Path:
    """Writes gap-register-KEY.csv and .md; returns the Markdown file."""
    rows = list(_rows(books, standings))
    with (out / f"gap-register-{key}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([_plain(row[column]) for column in COLUMNS] for row in rows)
    path = out / f"gap-register-{key}.md"
    path.write_text(_markdown(books, rows), encoding="utf-8")
    return path


def _rows(books: Books, standings: Mapping[str, Standing]) -> Iterator[dict[str, str]]:
    """One row for each blocking finding of a question that is not cleared; a question without any gets one with the gate's reasons."""
    for question in books.review.questionnaire.questions:
        now, record = standings[question.ref], books.records.get(question.ref)
        if now.gate.state == "OPEN":
            continue
        blocking = list({(f.code, f.summary): f for f in reversed(record.result.findings) if f.blocks}.values())[::-1] if record else []
        base = {"question": question.ref, "text": question.text, "status": now.status.value}
        for finding in blocking:
            exhibits = " ".join(finding.exhibits)
            yield {**base, "code": finding.code.value, "summary": finding.summary, "remedy": finding.remedy, "exhibits": exhibits}
        if not blocking:
            yield {**base, "code": "", "summary": ", ".join(now.gate.reasons), "remedy": "", "exhibits": ""}


def _plain(text: str) -> str:
    return f"'{text}" if text.lstrip().startswith(RISKY) else text


def _markdown(books: Books, rows: list[dict[str, str]]) -> str:
    lines = [
        f"# Gap register: {books.review.questionnaire.file}",
        "",
        f"{len({r['question'] for r in rows})} questions are not cleared.",
        "",
    ]
    for row in rows:
        lines.append(f"- **{row['question']}** {row['code'] or row['status']}: {_flat(row['summary'])} {_flat(row['remedy'])}".rstrip())
    return "\n".join(lines) + "\n"


def _flat(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
