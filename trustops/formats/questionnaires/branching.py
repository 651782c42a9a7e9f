"""Questions that stand only where another is answered in a certain way: switched by a formula, by words, or by a `cond` of VSAQ.

They are asked all the same, each with its condition; what their answers may do is decided at the export, when the others are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict

from trustops.formats.questionnaires import headers, wording
from trustops.formats.questionnaires.address import position
from trustops.formats.questionnaires.formulas import Formulas, Groups, Need
from trustops.formats.questionnaires.grid import Grid, SheetGrid
from trustops.formats.questionnaires.layout import Table
from trustops.formats.questionnaires.listing import MAX_LISTED, Asked, Condition, Listing

Skipped = list[tuple[str, str, str]]


def uncover(grid: Grid, table: Table, skipped: Skipped) -> None:
    """Texts of questions that a formula switches off, put where they would stand; what cannot be told without calculating is reported."""
    if not isinstance(grid, SheetGrid) or table.header < 0:
        return
    off = [number for number in grid.scan.rows if table.first <= number <= table.last and _silent(grid, number, table.question)]
    formulas = Formulas(grid) if off else None
    unknown: list[int] = []
    for row in off:
        groups, shown = formulas.condition(formulas.text(row, table.question)) if formulas else (None, "")
        if groups is None or not formulas or not any(_input(grid, need) for group in groups for need in group):
            continue
        text = formulas.shown(shown)
        if text:
            grid.lines.setdefault(row, {})[table.question] = text
        else:
            unknown.append(row)
    grid.lines = {row: grid.lines[row] for row in sorted(grid.lines)}
    for row in unknown[:MAX_LISTED]:
        why = f"its text is switched off and calculated: {formulas.text(row, table.question)[:120] if formulas else ''}"
        skipped.append((f"{grid.name}!{grid.cell(row, table.question)}", "conditional question", why))


def _silent(grid: SheetGrid, row: int, column: int) -> bool:
    """A formula that shows nothing, in a row that is not hidden."""
    cell = grid.scan.cell(row, column)
    return bool(cell and cell.formula and not cell.text.strip()) and not grid.scan.rows[row].hidden


def _input(grid: SheetGrid, need: Need) -> bool:
    """Whether a formula looks at a cell that somebody fills in."""
    entry = grid.book.entry(need.sheet) if grid.book else None
    if not entry or not grid.book or entry.state != "visible":
        return False
    cell = grid.book.scan(entry).cell(*position(need.cell))
    return not (cell and cell.formula)


def by_formula(listings: Sequence[tuple[Grid, Listing]], tables: Sequence[dict[str, object]], skipped: Skipped) -> None:
    """The conditions that formulas state, of the question's own text or of a column that says whether the row counts.

    What looks at cells that no question answers is decided by what the file says there; a question that is off for good is left out.
    """
    rooms = {(grid.name, answer.cell) for grid, found in listings for asked in found.asked for answer in asked.answers}
    for grid, found in listings:
        if not isinstance(grid, SheetGrid):
            continue
        scopes = [c for table in tables if table["sheet"] == grid.name for c in _scopes(grid, table)]
        formulas: Formulas | None = None
        for asked in list(found.asked):
            row, column = position(asked.cell)
            for place in (column, *scopes):
                if asked.condition or not grid.formula(row, place):
                    continue
                formulas = formulas or Formulas(grid)
                text = formulas.text(row, place)
                groups, _ = formulas.condition(headers.blank_where_out(text) if place != column else text)
                left = _undecided(formulas, groups, rooms) if groups else [()]
                if not left:
                    found.asked.remove(asked)
                    skipped.append((f"{grid.name}!{asked.cell}", f"question {asked.text[:60]!r}", f"switched off by ={text[:120]}"))
                    break
                if all(left):
                    asked.condition = Condition(f"={text}", [[asdict(need) for need in group] for group in left])


def _undecided(formulas: Formulas, groups: Groups, rooms: set[tuple[str, str]]) -> list[tuple[Need, ...]]:
    """The alternatives that are left once the cells are known that no question answers; an empty one holds as the file stands."""
    left = []
    for group in groups:
        fixed = [need for need in group if (need.sheet, need.cell) not in rooms]
        if all((formulas.value(n.sheet, n.cell).casefold() == n.value.casefold()) is not n.negated for n in fixed):
            left.append(tuple(need for need in group if (need.sheet, need.cell) in rooms))
    return left


def _scopes(grid: SheetGrid, table: dict[str, object]) -> list[int]:
    line = grid.lines.get(int(str(table.get("header") or 0)), {})
    return [column for column, text in line.items() if headers.is_scope(text)]


def by_words(listings: Sequence[tuple[Grid, Listing]], refs: Sequence[str], skipped: Skipped) -> None:
    """`If yes, how often?` depends on the question before; `If no, skip to 14` passes over those between."""
    asked = [(grid, one) for grid, found in listings for one in found.asked]
    before: tuple[Grid, Asked] | None = None
    for place, (grid, one) in enumerate(asked):
        answer, target, rest = wording.depends(one.own or one.text)
        source = _named(target, asked, refs, place) if target else before
        if answer and source and source[0] is grid:
            one.condition = one.condition or _meant(source, (one.own or one.text).split("\n")[0][:200], answer)
            if wording.elliptic(rest):
                one.own, one.text = one.own or one.text, f"{source[1].text} {one.text}"
        elif not answer:
            before = (grid, one)
        for skip in wording.skips(f"{one.own or one.text} {one.branch}"):
            _pass_over(asked, refs, place, skip, skipped)


def _meant(source: tuple[Grid, Asked], text: str, answer: str, *, negated: bool = False) -> Condition:
    """The source's first answer says it, whatever its words. Without an answer cell it cannot be told."""
    grid, asked = source
    if not asked.answers:
        return Condition(text)
    base: dict[str, object] = {"sheet": grid.name, "cell": asked.answers[0].cell, "meaning": True}
    if negated or answer == "NO":
        return Condition(text, [[{**base, "value": answer, "negated": negated}]])
    return Condition(text, [[{**base, "value": value, "negated": True} for value in ("NO", "NOT_APPLICABLE")]])


def _pass_over(asked: list[tuple[Grid, Asked]], refs: Sequence[str], place: int, skip: wording.Skip, skipped: Skipped) -> None:
    grid, source = asked[place]
    end = _target(asked, refs, place, skip.target)
    if end is None:
        skipped.append(
            (f"{grid.name}!{source.cell}", f"branch {skip.text[:60]!r}", "where it leads was not found; nothing is conditional on it")
        )
        return
    for other in range(place + 1, end):
        one = asked[other][1]
        one.condition = one.condition or _meant(asked[place], f"{refs[place]}: {skip.text}", skip.answer, negated=True)


def _target(asked: list[tuple[Grid, Asked]], refs: Sequence[str], place: int, name: str) -> int | None:
    """The first question behind `place` that the name means: by its ref, its number, or its section."""
    wanted = _number(name)
    for other in (n for n in range(place + 1, len(asked)) if asked[n][0] is asked[place][0]):
        section = asked[other][1].section.casefold()
        if wanted and (_number(asked[other][1].id or refs[other]) == wanted or re.match(rf"(?:section\s+)?{re.escape(wanted)}\b", section)):
            return other
    return None


def _number(label: str) -> str:
    """`Q-014)` as `14`, so that labels and what refers to them meet."""
    return label.casefold().strip(".():# ").lstrip("q").lstrip("-0 ")


def _named(name: str, asked: list[tuple[Grid, Asked]], refs: Sequence[str], place: int) -> tuple[Grid, Asked] | None:
    wanted = _number(name)
    return next((asked[n] for n in reversed(range(place)) if _number(asked[n][1].id or refs[n]) == wanted), None)
