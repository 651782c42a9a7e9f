"""Questions without a header row: found by the drop-down beside them, by labelled answer rows, or as a bare column of questions."""

from __future__ import annotations

from dataclasses import dataclass

from trustops.formats.questionnaires import headers, prose
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.listing import Answer, Asked, Listing, distinct, kind_of

FEWEST = 3


@dataclass(slots=True)
class Blocks(Listing):
    """A listing; `unsure` where something looked like questions but not clearly enough."""

    unsure: bool = False


def read(grid: Grid, *, alone: bool, single: bool, guess: bool = False) -> Blocks:
    """The questions of a sheet without a header row.

    `alone`: no sheet of the file has a headed list; `single`: no other sheet has text. Both lower the bar, because then the
    questions must be here.
    """
    if not grid.lines:
        return Blocks()
    for found in (by_lists(grid), by_labels(grid)):
        if len(found.asked) >= (1 if single else FEWEST):
            return found
    return bare(grid, alone=alone, single=single, guess=guess)


def by_lists(grid: Grid) -> Blocks:
    """Rows with a drop-down: the question is the nearest sentence beside it, or in the row above."""
    found, previous = Blocks(), 0
    for row in grid.lines:
        columns = [column for column in grid.listed(row) if grid.anchored(row, column) and not grid.formula(row, column)]
        columns = [column for column in columns if grid.usable(row, column)]
        if columns:
            place = _beside(grid, row, columns[0]) or (_sentence(grid, previous) if previous == row - 1 else None)
            if place:
                answers = [_answer(grid, row, column, "text", found) for column in columns]
                found.asked.append(_asked(grid, place, [answer for answer in answers if answer]))
        previous = row
    return found


def _beside(grid: Grid, row: int, column: int) -> tuple[int, int] | None:
    line = grid.lines[row]
    sentences = [other for other, text in line.items() if prose.is_sentence(text)]
    left = [other for other in sentences if other < column]
    right = [other for other in sentences if other > column]
    return (row, max(left)) if left else (row, min(right)) if right else None


def _sentence(grid: Grid, row: int) -> tuple[int, int] | None:
    """The longest sentence of a row that is not itself answered."""
    if row not in grid.lines or grid.listed(row):
        return None
    texts = {column: text for column, text in grid.lines[row].items() if prose.is_sentence(text)}
    return (row, max(texts, key=lambda column: len(texts[column]))) if texts else None


def by_labels(grid: Grid) -> Blocks:
    """A question, then rows such as `Answer:` and `Comment:` with room beside the label."""
    found, question = Blocks(), None
    answers: list[Answer] = []
    for row in grid.lines:
        label = _label(grid, row)
        if label and question:
            made = _answer(grid, row, label[0], label[1], found)
            answers += [made] if made else []
            continue
        place = _sentence(grid, row)
        if place:
            _close(grid, found, question, answers)
            question, answers = place, []
    _close(grid, found, question, answers)
    return found


def _close(grid: Grid, found: Blocks, question: tuple[int, int] | None, answers: list[Answer]) -> None:
    if question and answers:
        found.asked.append(_asked(grid, question, answers))


def _label(grid: Grid, row: int) -> tuple[int, str] | None:
    """(column of the room beside the label, part) where the row's one text is a label of an answer."""
    line = grid.lines[row]
    if len(line) != 1:
        return None
    column, text = next(iter(line.items()))
    head = headers.classify(text)
    if not head.part or (head.customer and not head.supplier) or len(text) > 40 or prose.asks(text):
        return None
    return grid.area(row, column).right + 1, head.part


def bare(grid: Grid, *, alone: bool, single: bool, guess: bool = False) -> Blocks:
    """A column of questions with nothing over it. Sure only where most end in a question mark, or are numbered in a file of one sheet."""
    columns: dict[int, list[int]] = {}
    for row, line in grid.lines.items():
        for column, text in line.items():
            if prose.is_sentence(text):
                columns.setdefault(column, []).append(row)
    if not columns:
        return Blocks()
    column = max(columns, key=lambda key: (len(columns[key]), -key))
    rows = columns[column]
    asking = sum(1 for row in rows if prose.asks(grid.text(row, column))) / len(rows)
    named = sum(1 for row in rows if _id(grid, row, column)) / len(rows)
    sure = len(rows) >= FEWEST and ((alone and asking >= 0.6) or (single and named >= 0.8))
    if not sure and not (guess and alone and len(rows) >= FEWEST):
        return Blocks(unsure=(len(rows) >= FEWEST and asking >= 0.6) or (len(rows) >= 5 and named >= 0.8))
    return _listed_bare(grid, column, rows)


def _listed_bare(grid: Grid, column: int, rows: list[int]) -> Blocks:
    found = Blocks()
    beside = grid.area(rows[0], column).right + 1
    taken = any(grid.text(row, beside) for row in rows)
    answer = grid.last_column() + 1 if taken else beside
    if not grid.appendable and not grid.exists(rows[0], answer):
        return Blocks(unsure=True)
    for row in rows:
        made = _answer(grid, row, answer, "text", found)
        found.asked.append(_asked(grid, (row, column), [made] if made else []))
    return found


def _id(grid: Grid, row: int, column: int) -> str:
    """The nearest id left of a question."""
    marks = {other: text for other, text in grid.lines[row].items() if other < column and prose.is_identifier(text)}
    return marks[max(marks)] if marks else ""


def _answer(grid: Grid, row: int, column: int, part: str, found: Blocks) -> Answer | None:
    area = grid.area(row, column)
    place = (area.top, area.left)
    if place in found.taken or grid.formula(*place) or not grid.usable(*place):
        return None
    found.taken.add(place)
    members = grid.vocabulary(row, column)
    style, wanted = grid.style(*place), grid.wants(row, column)
    if members:
        part = "choice"
    elif part == "text" and (style.date or wanted == "date"):
        part = "date"
    elif part == "text" and (style.number or wanted == "number"):
        part = "number"
    return Answer(part, grid.cell(*place), kind_of(part, members), members)


def _asked(grid: Grid, place: tuple[int, int], answers: list[Answer]) -> Asked:
    row, column = place
    for number, answer in enumerate(answers):
        answer.part = distinct(answer.part, [known.part for known in answers[:number]])
    return Asked(_id(grid, row, column), grid.text(row, column), row, grid.cell(row, column), "", answers)
