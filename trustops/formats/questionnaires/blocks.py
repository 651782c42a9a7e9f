"""Questions without a header row: found by the drop-down beside them, by labelled answer rows, or as a bare column of questions."""

from __future__ import annotations

from trustops.formats.questionnaires import headers, leads, prose
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.listing import Answer, Asked, Listing, distinct, kind_of

FEWEST = 3


def read(grid: Grid, *, alone: bool, single: bool, guess: bool = False) -> Listing:
    """The questions of a sheet without a header row.

    `alone`: no sheet of the file has a headed list; `single`: no other sheet has text. Both lower the bar, because then the
    questions must be here.
    """
    if not grid.lines:
        return Listing()
    for found in (by_lists(grid), by_labels(grid)):
        if len(found.asked) >= (1 if single else FEWEST):
            return found
    return bare(grid, alone=alone, single=single, guess=guess)


def by_lists(grid: Grid) -> Listing:
    """Rows with a drop-down: the question is the nearest sentence beside it, or in the row above; a point goes with its lead-in."""
    found, previous, open_ = Listing(confidence=80, by="its lists"), 0, leads.Leads()
    for row in grid.lines:
        columns = [column for column in grid.listed(row) if grid.anchored(row, column) and not grid.formula(row, column)]
        columns = [column for column in columns if grid.usable(row, column)]
        near = _near(grid, row, columns[0] if columns else 0)
        if columns and near and open_.takes(grid.text(*near)):
            answers = [_answer(grid, row, column, "text", found) for column in columns]
            found.asked.append(_asked(grid, near, [answer for answer in answers if answer], open_.point(grid.text(*near))))
        elif columns:
            open_.clear()
            place = _beside(grid, row, columns[0]) or (_sentence(grid, previous) if previous == row - 1 else None)
            if place:
                answers = [_answer(grid, row, column, "text", found) for column in columns]
                found.asked.append(_asked(grid, place, [answer for answer in answers if answer]))
        elif near and leads.leads(grid.text(*near)):
            open_.start(grid.text(*near))
        previous = row
    return found


def _near(grid: Grid, row: int, column: int) -> tuple[int, int] | None:
    """The text nearest to the left of a column that is no number; the only such text of a row where the column is 0."""
    texts = [other for other, text in grid.lines[row].items() if not (prose.is_identifier(text) and any(sign.isdigit() for sign in text))]
    left = [other for other in texts if other < column] if column else texts if len(texts) == 1 else []
    return (row, max(left)) if left else None


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


def by_labels(grid: Grid) -> Listing:
    """A question, then rows such as `Answer:` and `Comment:` with room beside the label."""
    found, question, open_, whole = Listing(confidence=80, by="labels of answers"), None, leads.Leads(), ""
    answers: list[Answer] = []
    for row in grid.lines:
        label = _label(grid, row)
        if label and question:
            made = _answer(grid, row, label[0], label[1], found)
            answers += [made] if made else []
            continue
        place = _near(grid, row, 0)
        point = place is not None and open_.takes(grid.text(*place))
        place = place if point else _sentence(grid, row)
        if place:
            _close(grid, found, question, answers, whole)
            question, answers, whole = place, [], open_.point(grid.text(*place)) if point else ""
            if not point and leads.leads(grid.text(*place)):
                open_.start(grid.text(*place))
            elif not point:
                open_.clear()
    _close(grid, found, question, answers, whole)
    return found


def _close(grid: Grid, found: Listing, question: tuple[int, int] | None, answers: list[Answer], whole: str) -> None:
    if question and answers:
        found.asked.append(_asked(grid, question, answers, whole))


def _label(grid: Grid, row: int) -> tuple[int, str] | None:
    """(column of the room beside the label, part) where the row's one text is a label of an answer."""
    line = grid.lines[row]
    column, text = next(iter(line.items()))
    if any(other != grid.area(row, column).right + 1 or not grid.awaits(row, other) for other in line if other != column):
        return None
    head = headers.classify(text)
    if not head.part or (head.customer and not head.supplier) or len(text) > 40 or prose.asks(text):
        return None
    return grid.area(row, column).right + 1, head.part


def bare(grid: Grid, *, alone: bool, single: bool, guess: bool = False) -> Listing:
    """A column of questions with nothing over it. Sure only where most end in a question mark, or are numbered in a file of one sheet."""
    columns: dict[int, list[int]] = {}
    for row, line in grid.lines.items():
        for column, text in line.items():
            if prose.is_sentence(text) and not grid.written(row, column):
                columns.setdefault(column, []).append(row)
    if not columns:
        return Listing()
    column = max(columns, key=lambda key: (len(columns[key]), -key))
    rows = columns[column]
    asking = sum(1 for row in rows if prose.asks(grid.text(row, column))) / len(rows)
    named = sum(1 for row in rows if _id(grid, row, column)) / len(rows)
    sure = len(rows) >= FEWEST and ((alone and asking >= 0.6) or (single and named >= 0.8))
    if not sure and not (guess and alone and len(rows) >= FEWEST):
        return Listing(unsure=(len(rows) >= FEWEST and asking >= 0.6) or (len(rows) >= 5 and named >= 0.8))
    found = _listed_bare(grid, column, rows)
    found.confidence, found.by = 60 if sure else 35, "a column of questions"
    return found


def _names(grid: Grid, rows: list[int], column: int, beside: int) -> bool:
    """Whether the first row names columns, in words that nobody foresaw: only there something stands beside the text."""
    open_ = all(grid.awaits(row, beside) for row in rows[1:])
    return open_ and not grid.awaits(rows[0], beside) and not prose.asks(grid.text(rows[0], column))


def _listed_bare(grid: Grid, column: int, rows: list[int]) -> Listing:
    beside = grid.area(rows[0], column).right + 1
    if _names(grid, rows, column, beside):
        rows = rows[1:]
    found, open_, sentences = Listing(), leads.Leads(), set(rows)
    between = [row for row in grid.lines if rows[0] <= row and grid.text(row, column) and not grid.written(row, column)]
    taken = not all(grid.awaits(row, beside) for row in rows)
    answer = grid.last_column() + 1 if taken else beside
    below = all(grid.exists(row + 1, column) and grid.awaits(row + 1, column) for row in rows)
    if not below and not grid.appendable and not grid.exists(rows[0], answer):
        return Listing(unsure=True)
    for place, row in enumerate(between):
        text, after = grid.text(row, column), between[place + 1 : place + 2]
        point = open_.takes(text)
        whole = open_.point(text) if point else ""
        if not point and leads.leads(text) and after and leads.fragment(grid.text(after[0], column), text):
            open_.start(text)
        elif point or row in sentences:
            made = _answer(grid, row + 1, column, "text", found) if below else _answer(grid, row, answer, "text", found)
            found.asked.append(_asked(grid, (row, column), [made] if made else [], whole))
        if not point and not leads.leads(text):
            open_.clear()
    return found


def _id(grid: Grid, row: int, column: int) -> str:
    """The nearest id left of a question."""
    marks = {other: text for other, text in grid.lines[row].items() if other < column and prose.is_identifier(text)}
    return marks[max(marks)] if marks else ""


def _answer(grid: Grid, row: int, column: int, part: str, found: Listing) -> Answer | None:
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


def _asked(grid: Grid, place: tuple[int, int], answers: list[Answer], whole: str = "") -> Asked:
    row, column = place
    for number, answer in enumerate(answers):
        answer.part = distinct(answer.part, [known.part for known in answers[:number]])
    own = grid.text(row, column)
    return Asked(_id(grid, row, column), whole or own, row, grid.cell(row, column), "", answers, own if whole else "")
