"""What runs in the limited child: a file's path in, questions and what was skipped out, all as JSON (`confine.call`)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from trustops.domain.errors import UsageError
from trustops.formats.questionnaires import (
    blocks,
    branching,
    csvfile,
    headers,
    intake,
    jsonfile,
    jsonforms,
    layout,
    listing,
    matrix,
    memory,
    pdffile,
    stated,
    word,
    wordgrid,
    wordparts,
    wordtables,
    workbook,
)
from trustops.formats.questionnaires.address import position
from trustops.formats.questionnaires.grid import Grid, Transposed, of_sheet
from trustops.formats.questionnaires.layout import Column, Table

NO_QUESTION = "State where they are: trustops parse FILE --save-map map.yaml, correct it, and give it with --map."
STATES = {"hidden": "the sheet is hidden", "veryHidden": "the sheet is hidden (very hidden)", "chart": "a chart, not a sheet of cells"}


def parse(argument: dict[str, Any]) -> dict[str, Any]:
    """`{path, mapping}` to `{format, sha256, questions, skipped, tables}`. `mapping` is `{sheet: table or None}`.

    Raises UnknownName, MalformedFile, HostileFile for a bad file and UsageError where no question is found.
    """
    path = Path(argument["path"])
    kind = intake.admit(path)
    found = _Found(path.name, argument.get("mapping") or {}, argument.get("remembered") or [], guess=bool(argument.get("guess")))
    READERS[kind](path, found)
    found.prefilled()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "format": kind, "sha256": digest, "questions": found.questions(), "skipped": found.skipped, "tables": found.tables,
        "fingerprint": found.fingerprint, "mappings": found.mappings(),
    }  # fmt: skip


def _csv(path: Path, found: _Found) -> None:
    found.read([csvfile.load(path).grid()])


def _xlsx(path: Path, found: _Found) -> None:
    book = workbook.load(path)
    grids: list[Grid] = []
    found.skipped += [(path.name, what, why) for what, why in intake.warnings(book.archive)]
    for entry in book.sheets:
        if entry.state == "visible":
            grids.append(of_sheet(book, entry))
        else:
            found.skipped.append((entry.name, "sheet", STATES.get(entry.state, f"the sheet is {entry.state}")))
    found.read(grids)


def _docx(path: Path, found: _Found) -> None:
    document = word.load(path)
    found.skipped += [(path.name, what, why) for what, why in [*intake.warnings(document.archive), *_unread(document)]]
    found.read(wordgrid.grids(document), lambda: wordtables.rest(document, found))


def _unread(document: wordparts.Document) -> list[tuple[str, str]]:
    counted = [
        (document.hidden, "hidden texts", "text formatted as hidden is not read"),
        (document.deleted_rows, "deleted rows", "tracked changes took them out"),
        (document.tracked, "tracked changes", "kept; read as if they were accepted"),
        (document.boxes, "text boxes", "text boxes are not read"),
    ]
    return [(f"{count} {what}", why) for count, what, why in counted if count]


def _json(path: Path, found: _Found) -> None:
    form = jsonforms.read(jsonfile.load(path))
    found.skipped += form.skipped
    found.listings.append((Grid(jsonforms.SHEET, 1), form))


def _pdf(path: Path, found: _Found) -> None:
    listed = pdffile.read(path)
    found.skipped.append((path.name, "PDF", "read only: answers go into a companion workbook, the PDF stays as it is"))
    found.listings.append((Grid(pdffile.SHEET, 1), listed))
    if not listed.asked:
        raise UsageError(
            "No question was found in the text of the PDF.", where=path.name, remedy="Ask for the questionnaire as a workbook."
        )


READERS = {"csv": _csv, "xlsx": _xlsx, "docx": _docx, "json": _json, "pdf": _pdf}


class _Found:
    """The lists found in all sheets of a file."""

    def __init__(self, file: str, mapping: dict[str, Any], remembered: list[list[Any]], *, guess: bool) -> None:
        self.file, self.mapping, self.remembered, self.guess = file, mapping, remembered, guess
        self.fingerprint = ""
        self.skipped: list[tuple[str, str, str]] = []
        self.listings: list[tuple[Grid, listing.Listing]] = []
        self.tables: list[dict[str, Any]] = []
        self.unsure: list[str] = []
        self.last: Table | None = None

    def read(self, grids: Sequence[Grid], then: Callable[[], None] | None = None) -> None:
        """Find the lists of all grids; `then` adds what no grid shows. Raises UsageError where nothing is found."""
        self._remember([*grids])
        unknown = set(self.mapping) - {grid.name for grid in grids} - ({wordgrid.TEXT} if then else set())
        if unknown:
            raise UsageError(
                f"The mapping names a sheet that is not there or is hidden: {', '.join(sorted(unknown))}.",
                where=self.file,
                remedy="Correct its name.",
            )
        open_grids: list[Grid] = []
        for grid in grids:
            if grid.name in self.mapping:
                self._mapped(grid)
            elif not self._headed(grid):
                open_grids.append(grid)
        alone = not self.listings
        for grid in open_grids:
            self._headless(grid, alone=alone or self.guess, single=alone and sum(bool(other.lines) for other in open_grids) == 1)
        if then:
            then()
        self._drop_echoes()
        self.listings.sort(key=lambda pair: pair[0].number)
        if not any(found.asked for _, found in self.listings):
            unsure = f" Perhaps in {', '.join(self.unsure)}, but the layout is not clear enough to be sure." if self.unsure else ""
            raise UsageError(f"No question was found.{unsure}", where=self.file, remedy=NO_QUESTION)

    def _remember(self, grids: list[Grid]) -> None:
        """Take over the mapping of this template where a person stated one before."""
        for digest, tables in self.remembered:
            if not self.mapping and memory.fingerprint(grids, tables) == digest:
                self.mapping = tables
                self.skipped.append((self.file, "mapping", f"taken over from the same template ({digest[:12]})"))
        self.fingerprint = memory.fingerprint(grids, self.mapping)

    def _drop_echoes(self) -> None:
        """Leave out sheets that only repeat the questions of others: with calculated answers, or without room for any."""
        echoes = [(grid, found) for grid, found in self.listings if (found.mirrored or found.appended) and grid.name not in self.mapping]
        own = {asked.text for grid, found in self.listings if not any(found is echo for _, echo in echoes) for asked in found.asked}
        for grid, found in echoes:
            known = sum(1 for asked in found.asked if asked.text in own)
            if found.asked and known * 2 >= len(found.asked):
                why = "its answers are calculated from another sheet's" if found.mirrored else "another sheet takes their answers"
                self.skipped.append((grid.name, f"{len(found.asked)} repeated questions", why))
                self.listings = [pair for pair in self.listings if pair[1] is not found]
                self.tables = [table for table in self.tables if table["sheet"] != grid.name]

    def _mapped(self, grid: Grid) -> None:
        given = self.mapping[grid.name]
        if given is None:
            self.skipped.append((grid.name, "sheet", "the mapping leaves it out"))
            return
        for table in given:
            if "cells" in table:
                self.listings.append((grid, stated.read(grid, table["cells"])))
                self.listings[-1][1].by = "a mapping"
                self.tables.append({"sheet": grid.name, **table})
                continue
            made = Table(**{**table, "answers": [Column(**column) for column in table["answers"]]})
            made.last = made.last or max(grid.lines, default=0)
            made.appended = any(column.column > grid.last_column() for column in made.answers)
            self._take(grid, [made])

    def _headed(self, grid: Grid) -> bool:
        strips = layout.strips(grid)
        if strips:
            return sum(self._headed(strip) for strip in strips) > 0
        for view in (grid, Transposed(grid)) if grid.lines else ():
            found = [table for table in layout.tables(view) if table.confidence >= (layout.GUESS if self.guess else layout.THRESHOLD)]
            if view is not grid:
                found = [table for table in found if table.answers and not table.appended and layout.heads_one(view, table)]
            if found:
                inside = [] if view is not grid else [m for table in found for m in matrix.inside(grid, table.first, table.last)]
                self._take(view, _around(grid, found, inside), inside)
                self.last = found[-1]
                return True
        again = layout.continued(grid, self.last) if self.last and not grid.appendable else None
        if again:
            self._take(grid, [again])
        return again is not None

    def _headless(self, grid: Grid, *, alone: bool, single: bool) -> None:
        found, crossed = blocks.read(grid, alone=alone, single=single, guess=self.guess), matrix.read(grid, guess=self.guess)
        if crossed.asked and len(crossed.asked) >= len(found.asked):
            found = crossed
        if found.asked:
            self.listings.append((grid, found))
            self.tables.append(_as_cells(grid, found))
            self._hidden_parts(grid)
            return
        unsure = found.unsure or crossed.unsure
        if unsure:
            self.unsure.append(f"sheet {grid.name!r}")
        self.skipped.append((grid.name, "sheet", _why(grid, unsure=unsure)))

    def _take(self, grid: Grid, found: list[Table], crossed: Sequence[matrix.Matrix] = ()) -> None:
        into = listing.Listing()
        for table in found:
            branching.uncover(grid, table, self.skipped)
            table.transposed = isinstance(grid, Transposed)
            listing.read(grid, table, into)
            into.mirrored = into.mirrored or (table.mirrored and table.header != 0)
            into.appended = into.appended or table.appended
            into.confidence = min(into.confidence, round(100 * table.confidence))
            into.by = "a mapping" if grid.name in self.mapping else f"header row {table.header}" if table.header else "the table before"
            self.tables.append({"sheet": grid.name, **asdict(table)})
        for one in crossed:
            matrix.ask(grid, one, into)
        if isinstance(grid, Transposed):
            self.tables[-len(found) :] = [_as_cells(grid, into)]
        self.listings.append((grid, into))
        self.skipped += into.skipped
        self._hidden_parts(grid, rows=False)

    def _hidden_parts(self, grid: Grid, *, rows: bool = True) -> None:
        if grid.hidden_text_columns:
            self.skipped.append((grid.name, f"{grid.hidden_text_columns} hidden columns", "hidden columns are not read"))
        if rows and grid.hidden:
            self.skipped.append((grid.name, f"{len(grid.hidden)} hidden rows", "hidden rows are not read"))

    def prefilled(self) -> None:
        """Note what stands in the answer cells already, and say so; and how much they take."""
        for grid, found in self.listings:
            base = getattr(grid, "base", grid)
            answers = [a for asked in found.asked for a in asked.answers if not any(sign in a.cell for sign in "./")]
            for answer in answers:
                text = base.text(*position(answer.cell))
                answer.filled = "" if headers.is_prompt(text) else text
                answer.longest = base.longest(*position(answer.cell))
            self._say_filled(grid.name, [answer for answer in answers if answer.filled])

    def _say_filled(self, sheet: str, held: list[listing.Answer]) -> None:
        why = "an answer replaces it, or is refused there; the receipt says what stood there"
        self.skipped += [(f"{sheet}!{a.cell}", f"pre-filled answer {a.filled[:40]!r}", why) for a in held[: listing.MAX_LISTED]]
        if len(held) > listing.MAX_LISTED:
            self.skipped.append((sheet, f"{len(held) - listing.MAX_LISTED} more pre-filled answers", "an answer replaces them"))

    def mappings(self) -> list[dict[str, Any]]:
        """How each list was found, for a person to judge: where questions and answers stand, by which sign, how sure."""
        return [
            {
                "sheet": grid.name,
                "questions": _run(asked.cell for asked in found.asked),
                "answers": _run(asked.answers[0].cell for asked in found.asked if asked.answers),
                "count": len(found.asked),
                "by": found.by,
                "confidence": found.confidence,
            }
            for grid, found in self.listings
            if found.asked
        ]

    def questions(self) -> list[dict[str, Any]]:
        """All questions with their refs: the customer's id where it is unique in the file, else `<sheet number>.<row>`."""
        branching.by_formula(self.listings, self.tables, self.skipped)
        names = list(_refs(self.listings))
        branching.by_words(self.listings, names, self.skipped)
        refs = iter(names)
        return [
            {
                "ref": next(refs),
                "text": asked.text, "sheet": grid.name, "cell": asked.cell, "section": asked.section,
                "answers": [_answer(grid.name, answer) for answer in asked.answers],
                "condition": asdict(asked.condition) if asked.condition else None, "confidence": found.confidence,
            }
            for grid, found in self.listings
            for asked in found.asked
        ]  # fmt: skip


def _answer(sheet: str, answer: listing.Answer) -> dict[str, Any]:
    return {
        "sheet": sheet, "part": answer.part, "cell": answer.cell, "kind": answer.kind, "vocabulary": answer.vocabulary,
        "filled": answer.filled, "longest": answer.longest,
    }  # fmt: skip


def _run(cells: Iterator[str]) -> str:
    """B4 to B40 as `B4:B40`; the first and last where they stand elsewhere."""
    found = list(cells)
    return "" if not found else found[0] if len(set(found)) == 1 else f"{found[0]}:{found[-1]}"


def _refs(listings: Sequence[tuple[Grid, listing.Listing]]) -> Iterator[str]:
    """The customer's id where no other question has it, else the sheet and row, and the answer's cell where a row asks more than once."""
    asked = [(grid, one) for grid, found in listings for one in found.asked]
    ids, rows = Counter(one.id for _, one in asked), Counter((grid.number, one.row) for grid, one in asked)
    taken = {one.id for _, one in asked if one.id and ids[one.id] == 1}
    for grid, one in asked:
        own = one.id if one.id in taken else ""
        place = f"{grid.number}.{one.row}"
        if not own and (rows[grid.number, one.row] > 1 or place in taken):
            place = f"{grid.number}.{one.answers[0].cell if one.answers else one.cell}"
        yield own or place


def _around(grid: Grid, found: list[Table], crossed: Sequence[matrix.Matrix]) -> list[Table]:
    """The tables without the rows that a matrix among them takes."""
    for one in crossed:
        whole = next(table for table in found if table.first < one.header <= table.last)
        place, end = found.index(whole), one.rows[-1] + 1
        rest = [replace(whole, first=end, answers=[replace(c) for c in whole.answers], ignored=[])] if end <= whole.last else []
        found[place : place + 1] = [layout.within(grid, whole.header, one.header - 1) or replace(whole, last=one.header - 1), *rest]
    return found


def _as_cells(grid: Grid, found: listing.Listing) -> dict[str, Any]:
    """A listing stated cell by cell, for a mapping file."""
    cells = [
        {"question": asked.cell, "answers": [{"cell": answer.cell, "part": answer.part} for answer in asked.answers]}
        for asked in found.asked
    ]
    return {"sheet": grid.name, "cells": cells}


def _why(grid: Grid, *, unsure: bool) -> str:
    """Why nothing of a sheet was read as a question."""
    cells = [(row, column) for row, line in grid.lines.items() for column in line]
    if not cells:
        return "the sheet is empty"
    if unsure:
        return "perhaps a list of questions, but its layout is not clear; use --map to state it"
    if sum(grid.formula(row, column) for row, column in cells) * 4 > len(cells):
        return "no questions, its cells are calculated"
    return "no questions with cells for an answer"
