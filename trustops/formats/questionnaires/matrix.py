"""Tables in which the header asks and the rows say what about: `System | Is it encrypted? | Who has access?` over names of systems.

Each cell below a header that asks is a question of its own, asked together with what stands at the head of its row. Columns for a tick
(`Yes | No`) are parts of one question, whose predicate is the title over the table or over its labels.
"""

from __future__ import annotations

from dataclasses import dataclass

from trustops.formats.questionnaires import headers, leads, prose
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.listing import Answer, Asked, Listing, distinct, kind_of

FEWEST = 2
LONGEST = 200
SURE, GUESSED = 70, 40  # percent


@dataclass(slots=True)
class Matrix:
    """A header row with what its columns are for, and the rows below it."""

    header: int
    labels: int
    rows: list[int]
    predicates: list[int]
    ticks: dict[int, str]
    others: dict[int, str]  # comments and the like, to the part they take
    lead: str
    sure: bool


def read(grid: Grid, *, guess: bool = False) -> Listing:
    """The questions of all matrices of a sheet; an unsure one only where `guess` says that a person looks at it."""
    found = Listing(confidence=SURE, by="a header that asks")
    for matrix in _matrices(grid):
        if not matrix.sure and not guess:
            found.unsure = True
            continue
        found.confidence = min(found.confidence, SURE if matrix.sure else GUESSED)
        ask(grid, matrix, found)
    return found


def ask(grid: Grid, matrix: Matrix, found: Listing) -> None:
    """Append the questions of one matrix."""
    for row in matrix.rows:
        _ask(grid, matrix, row, found)


def _matrices(grid: Grid) -> list[Matrix]:
    made: list[Matrix] = []
    for row in grid.lines:
        if made and row <= made[-1].rows[-1]:
            continue
        matrix = _matrix(grid, row)
        if matrix:
            made.append(matrix)
    return made


def _matrix(grid: Grid, row: int) -> Matrix | None:
    line = {column: text for column, text in grid.lines[row].items() if grid.anchored(row, column) and grid.usable(row, column)}
    below = row + 1
    if below not in grid.lines or len(line) < 1 or any(len(text) > LONGEST for text in line.values()):
        return None
    labels = _labels(grid, below)
    rows = _rows(grid, below, labels)
    heads = {column: text for column, text in line.items() if column > labels and _open(grid, rows, column)}
    if len(rows) < FEWEST or not heads:
        return None
    known = {column: headers.classify(text) for column, text in heads.items()}
    ticks = {column: headers.tick_of(text) for column, text in heads.items() if headers.tick_of(text)}
    ticks = ticks if len(set(ticks.values())) > 1 else {}
    others = {c: head.part for c, head in known.items() if head.part and not prose.asks(head.text) and c not in ticks and not head.customer}
    predicates = [c for c, head in known.items() if c not in ticks and c not in others and _predicate(head)]
    lead = leads.over(grid, row, labels)
    if not predicates and not (ticks and lead):
        return None
    return Matrix(row, labels, rows, predicates, ticks, others, lead, _sure(grid, heads, predicates, rows, lead))


def _labels(grid: Grid, row: int) -> int:
    """The first column of a row that holds more than a number."""
    line = grid.lines[row]
    return next((c for c, text in sorted(line.items()) if not (prose.is_identifier(text) and any(s.isdigit() for s in text))), min(line))


def inside(grid: Grid, first: int, last: int) -> list[Matrix]:
    """Matrices between two rows of another list: only those whose every column asks, since the rows around them have a list's own form."""
    found = [matrix for matrix in _matrices(grid) if first < matrix.header <= last and matrix.sure and len(matrix.predicates) > 1]
    return [m for m in found if all(prose.asks(grid.text(m.header, column)) for column in m.predicates)]


def _predicate(head: headers.Header) -> bool:
    return not head.customer and head.role not in ("id", "guidance") and not head.text.replace(".", "").isdigit()


def _sure(grid: Grid, heads: dict[int, str], predicates: list[int], rows: list[int], lead: str) -> bool:
    """The header or the title asks; or every column without a question mark offers a list, which waits for an answer."""
    asking = [column for column in predicates if prose.asks(heads[column]) or heads[column].endswith(leads.COLONS)]
    listed = [column for column in predicates if all(grid.has_list(row, column) for row in rows)]
    return len(set(asking) | set(listed)) == len(predicates) or (bool(lead) and len(predicates) > 0)


def _rows(grid: Grid, first: int, labels: int) -> list[int]:
    """Rows below the header, without a gap, that begin with a few words in the column of the labels."""
    rows, row = [], first
    while row in grid.lines and (text := grid.text(row, labels)) and not prose.asks(text) and leads.fragment(text, ""):
        rows.append(row)
        row += 1
    return rows


def _open(grid: Grid, rows: list[int], column: int) -> bool:
    """Whether the column waits for answers: nothing stands in it, or next to nothing, and no cell is calculated."""
    held = [row for row in rows if not grid.awaits(row, column) and not headers.is_not_asked(grid.text(row, column))]
    return len(held) * 5 <= len(rows) and not any(grid.formula(row, column) for row in rows)


def _ask(grid: Grid, matrix: Matrix, row: int, found: Listing) -> None:
    label = grid.text(row, matrix.labels)
    if matrix.ticks:
        columns = {**{column: f"tick_{word}" for column, word in matrix.ticks.items()}, **matrix.others}
        _add(grid, matrix, row, leads.joined(matrix.lead, label) if matrix.lead else label, columns, found)
    for place, column in enumerate(matrix.predicates):
        until = matrix.predicates[place + 1] if place + 1 < len(matrix.predicates) else 1 << 20
        beside = {} if matrix.ticks else {other: part for other, part in matrix.others.items() if column < other < until}
        header = grid.text(matrix.header, column)
        whole = leads.joined(f"{matrix.lead} {header}" if matrix.lead and not prose.asks(header) else header, label)
        _add(grid, matrix, row, whole, {column: "text", **beside}, found)


def _add(grid: Grid, matrix: Matrix, row: int, text: str, columns: dict[int, str], found: Listing) -> None:
    answers: list[Answer] = []
    for column, part in columns.items():
        area = grid.area(row, column)
        place = (area.top, area.left)
        held = grid.text(*place)
        if place in found.taken or headers.is_not_asked(held) or grid.formula(*place) or not grid.usable(*place):
            continue
        found.taken.add(place)
        members = () if part.startswith("tick") else grid.vocabulary(row, column)
        part = distinct("choice" if members else part, [known.part for known in answers])
        answers.append(Answer(part, grid.cell(*place), kind_of(part, members), members))
    if answers:
        label = grid.text(row, matrix.labels)
        found.asked.append(Asked("", text, row, grid.cell(row, matrix.labels), "", answers, own=label))
