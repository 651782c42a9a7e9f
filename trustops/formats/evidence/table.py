"""CSV: each record one row of cells joined by " | ", under its header row."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from trustops.domain.errors import MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, row_line
from trustops.formats.evidence.text import decoded

_DELIMITERS = ",;\t|"
_MEASURE = re.compile(r"[\d.,:/%€$£ -]+|\d{4}-\d\d-\d\d.*")
_LONGEST_CELL = 1 << 20


def records(path: Path) -> tuple[list[list[str]], list[tuple[str, str, str]]]:
    """The records of a CSV file, with its own delimiter and quoting; raises MalformedFile where a quote never ends."""
    text, notices = decoded(path)
    csv.field_size_limit(_LONGEST_CELL)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))), notices
    except csv.Error as error:
        raise MalformedFile(f"This is not a table: {error}.", where=path.name, remedy="Export it as CSV again.") from None


def delimiter(text: str) -> str:
    """The one of , ; tab | that cuts the first records into the most cells of equal number; csv.Sniffer guesses letters."""
    sample = text[:20_000]

    def evenness(candidate: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=candidate) if row][:20]
        usual = max(set(widths), key=widths.count, default=1)
        return (widths.count(usual) if usual > 1 else 0), usual

    return max(_DELIMITERS, key=evenness)


def is_header(row: list[str], following: list[list[str]]) -> bool:
    """A header names its columns: several different names, no measures, and something beneath it."""
    names = [cell.strip() for cell in row if cell.strip()]
    return len(names) > 1 and len(set(names)) == len(names) and bool(following) and not any(_MEASURE.fullmatch(name) for name in names)


def read_csv(path: Path) -> Extraction:
    """One block a record, the header as heading. Locator: rows, the header being row 1."""
    rows, notices = records(path)
    blocks = rows_under_header(rows)
    return Extraction(blocks=tuple(blocks), notices=tuple(notices))


def rows_under_header(rows: list[list[str]], *, level: int = 1, place: str = "", concealed: bool = False) -> list[Block]:
    """The blocks of one table; the first row that names columns becomes the heading of those below it."""
    blocks: list[Block] = []
    named = False
    for number, row in enumerate(rows, start=1):
        text = row_line(row)
        if not text:
            continue
        heading = not named and not blocks and is_header(row, rows[number:])
        named = named or heading
        blocks.append(
            Block(text=text, level=level if heading else 0, unit="row", first=number, last=number, place=place, concealed=concealed)
        )
    return blocks
