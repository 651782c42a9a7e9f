"""Find the question lists of a sheet by structure: a header row whose words and contents agree, then what stands below it.

The result is a `Table`, the same thing that a mapping file states by hand (`mapping.py`). Nothing here knows a file name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from trustops.formats.questionnaires import headers, leads, prose
from trustops.formats.questionnaires.grid import Grid, Strip
from trustops.formats.questionnaires.headers import Header
from trustops.formats.questionnaires.headrows import header_rows

THRESHOLD = 0.5
GUESS = 0.25  # what a person may still be asked about
FILLED = 0.5
FEWEST = 3
CALCULATED = "it is calculated"


@dataclass(slots=True)
class Column:
    """One answer column: the part it takes and, from a mapping file, a kind that overrides what the cells show."""

    column: int
    part: str
    kind: str = ""
    fixed: bool = False


@dataclass(slots=True)
class Table:
    """A list of questions: rows `first` to `last` of a sheet. `appended` marks an answer column that the export adds."""

    header: int
    first: int
    last: int
    question: int
    id: int = 0
    section: int = 0
    answers: list[Column] = field(default_factory=list)
    appended: bool = False
    confidence: float = 0.0
    ignored: list[tuple[int, str, str]] = field(default_factory=list)
    depth: int = 1
    transposed: bool = False
    title: str = ""

    @property
    def mirrored(self) -> bool:
        """An answer column is calculated: the sheet may only repeat what is answered elsewhere."""
        return any(why == CALCULATED for _, _, why in self.ignored)


def tables(grid: Grid) -> list[Table]:
    """The question lists under header rows. A header without questions below gives none."""
    named = _tables(grid, header_rows(grid))
    if any(table.answers and not table.appended for table in named):
        return named
    found = [table for table in _tables(grid, header_rows(grid, open_question=True)) if table.answers and asked_rows(grid, table)]
    found = [table for table in found if not table.appended]
    return found if sum(len(asked_rows(grid, table)) for table in found) >= FEWEST else named


def strips(grid: Grid) -> list[Grid]:
    """The lists that stand side by side under one row of headers, told by headers that come again in the same order."""
    for row in header_rows(grid):
        line = [(column, text.casefold()) for column, text in sorted(grid.lines[row].items())]
        half = len(line) // 2
        if half >= 2 and len(line) == 2 * half and [t for _, t in line[:half]] == [t for _, t in line[half:]]:
            cut = line[half][0]
            return [Strip(grid, 1, cut - 1), Strip(grid, cut, grid.last_column())]
    return []


def heads_one(grid: Grid, table: Table) -> bool:
    """Whether the header line names questions once: `Question 1`, `Answer`, `Question 2` below each other head nothing."""
    heads = [headers.classify(text) for text in grid.lines.get(table.header, {}).values()]
    return sum(1 for head in heads if head.question >= 3) <= 1


def continued(grid: Grid, before: Table) -> Table | None:
    """A table without a header that goes on with the columns of the one before, as long tables do on the next page."""
    columns = [before.question, before.id, *(column.column for column in before.answers)]
    rows = [row for row in grid.lines if grid.text(row, before.question)]
    same = (
        before.answers
        and max(columns) <= grid.last_column()
        and all(grid.exists(row, column.column) for row in rows for column in before.answers)
    )
    if not same or not rows or not all(grid.awaits(row, column.column) for row in rows for column in before.answers):
        return None
    named = sum(1 for row in rows if before.id and grid.text(row, before.id))
    if named * 2 < len(rows) and len(asked_rows(grid, replace(before, first=1, last=max(rows)))) * 2 < len(rows):
        return None
    answers = [replace(column) for column in before.answers]
    return replace(before, header=0, first=1, last=max(rows), answers=answers, ignored=[], depth=0)


def asked_rows(grid: Grid, table: Table) -> list[int]:
    """Rows of the table whose question cell holds a sentence, or a text with an id beside it."""
    rows = [row for row in grid.lines if table.first <= row <= table.last and grid.text(row, table.question)]
    return [
        row
        for row in rows
        if prose.is_sentence(grid.text(row, table.question)) or (table.id and prose.is_identifier(grid.text(row, table.id)))
    ]


def _tables(grid: Grid, starts: list[int]) -> list[Table]:
    found = []
    for place, row in enumerate(starts):
        last = starts[place + 1] - 1 if place + 1 < len(starts) else max(grid.lines)
        table = _table(grid, row, last)
        if table:
            found.append(table)
    return found


def within(grid: Grid, header: int, last: int) -> Table | None:
    """The table under a header row that is known to end at `last`."""
    return _table(grid, header, last)


def _table(grid: Grid, row: int, last: int) -> Table | None:
    depth = _depth(grid, row)
    body = [line for line in grid.lines if row + depth - 1 < line <= last]
    heads = {column: headers.classify(text) for column, text in _texts(grid, row, depth).items()}
    question = _question_column(grid, heads, body, row)
    if not question:
        return None
    rows = [line for line in body if grid.text(line, question) and len(grid.lines[line]) > 1] or [
        line for line in body if grid.text(line, question)
    ]
    made = Table(row, row + depth, last, question, depth=depth, title=_title(grid, row, question, heads))
    made.id = _id_column(grid, heads, rows, question)
    made.section = next((c for c, head in heads.items() if head.role == "section" and c not in (question, made.id)), 0)
    _answer_columns(grid, made, heads, rows)
    _judge(grid, made, heads, rows)
    return made


def _title(grid: Grid, row: int, question: int, heads: dict[int, Header]) -> str:
    """The section that a header row names where the questions' own header would stand."""
    area = grid.area(row, question)
    head = heads.get(area.left)
    return head.text if head and not head.known and not head.customer else ""


def _depth(grid: Grid, row: int) -> int:
    """2 where a second header row fills the columns that the first leaves open below merged cells."""
    below = grid.lines.get(row + 1)
    covered = [grid.area(row, column) for column in grid.lines[row]]
    tall = any(area.bottom > row and headers.classify(grid.text(row, area.left)).question for area in covered)
    if not tall or not below:
        return 1
    ticks = sum(1 for text in below.values() if headers.tick_of(text))
    heads = [headers.classify(text) for text in below.values()]
    if all(head.known or head.customer or head.supplier or headers.tick_of(head.text) for head in heads):
        return 2
    if ticks > 1 and all(len(text) <= 30 for text in below.values()):
        return 2
    return 1


def _texts(grid: Grid, row: int, depth: int) -> dict[int, str]:
    texts = dict(grid.lines[row])
    if depth == 2:
        for column, text in grid.lines[row + 1].items():
            texts[column] = text
        for column in list(grid.lines[row]):
            area = grid.area(row, column)
            if area.right > column and any(column <= below <= area.right for below in grid.lines[row + 1]):
                texts.pop(column, None) if column not in grid.lines[row + 1] else None
    return texts


def _question_column(grid: Grid, heads: dict[int, Header], body: list[int], row: int) -> int:
    """The column whose header and contents together look most like questions; 0 where none does."""
    best, score = 0, 0.0
    named = any(head.question for head in heads.values())
    for column, head in (heads if named else _candidates(grid, heads, body, row)).items():
        if not head.question and (named or head.known or head.customer or headers.tick_of(head.text)):
            continue
        texts = [grid.text(row, column) for row in body if grid.text(row, column)]
        sentences = sum(1 for text in texts if prose.is_sentence(text)) / len(texts) if texts else 0.0
        share = len(texts) / len(body) if body else 0.0
        value = (head.question or 1.0) * sentences * (0.5 + 0.5 * share) * (0.4 if head.customer or (head.supplier and head.part) else 1)
        if value > score + 1e-9:
            best, score = column, value
    return best if score >= 0.5 else _points(grid, heads, body) if named else _labels(grid, heads, body, row)


def _points(grid: Grid, heads: dict[int, Header], body: list[int]) -> int:
    """The column named for questions whose texts are but a few words ("Source code"), where answers are awaited beside them."""
    rooms = [c for c, head in heads.items() if (head.part and not head.question and not head.customer) or headers.tick_of(head.text)]
    for column, head in sorted(heads.items(), key=lambda pair: -pair[1].question):
        rows = [row for row in body if grid.text(row, column)]
        texts = [grid.text(row, column) for row in rows]
        if not head.question or head.customer or len(rows) < FEWEST or len(set(texts)) < len(texts):
            continue
        marks = sum(1 for text in texts if prose.is_identifier(text) and any(sign.isdigit() for sign in text))
        empty = sum(1 for row in rows if any(c != column and grid.awaits(row, c) and not grid.formula(row, c) for c in rooms))
        if marks * 2 < len(rows) and empty * 5 >= 4 * len(rows):
            return column
    return 0


def _candidates(grid: Grid, heads: dict[int, Header], body: list[int], row: int) -> dict[int, Header]:
    """The headed columns, and those that a title spans or that have no header at all."""
    sure = any(head.part and head.supplier and not head.unknown for head in heads.values())
    found = {column: Header("") for number in body for column in grid.lines[number]} if sure else {}
    for column, head in heads.items():
        for covered in range(column, min(grid.area(row, column).right, column + 20) + 1):
            found[covered] = head
    return dict(sorted(found.items()))


def _labels(grid: Grid, heads: dict[int, Header], body: list[int], row: int) -> int:
    """The column of short labels ("Vendor name") between ids and the supplier's answers; 0 where there is none."""
    answers = [column for column, head in heads.items() if head.part and head.supplier and not head.unknown]
    if not answers or not body:
        return 0
    for column in sorted(_candidates(grid, heads, body, row)):
        texts = [grid.text(number, column) for number in body if grid.text(number, column)]
        marks = sum(1 for text in texts if prose.is_identifier(text) and any(c.isdigit() for c in text))
        if column < min(answers) and len(texts) >= 0.6 * len(body) and marks < 0.5 * len(texts):
            return column
    return 0


def _id_column(grid: Grid, heads: dict[int, Header], rows: list[int], question: int) -> int:
    """The customer's id: named so by its header, or short unique values left of the question."""
    for strict in (True, False):
        for column in sorted({c for row in rows for c in grid.lines[row]}):
            head = heads.get(column)
            named = bool(head and head.role == "id")
            texts = [grid.text(row, column) for row in rows if grid.text(row, column)]
            if column == question or (strict and not named) or (not strict and (column > question or (head and head.known))):
                continue
            unique = len(set(texts)) == len(texts) if not strict else True
            if texts and unique and sum(map(prose.is_identifier, texts)) >= 0.8 * len(texts) and len(texts) >= 0.4 * len(rows):
                return column
    return 0


def _answer_columns(grid: Grid, table: Table, heads: dict[int, Header], rows: list[int]) -> None:
    ticks = _tick_columns(grid, table, heads, rows)
    groups = _groups(grid, table, heads)
    for column, head in sorted(heads.items()):
        if column in (table.question, table.id):
            continue
        if column in ticks:
            table.answers.append(Column(column, f"tick_{ticks[column]}"))
            continue
        why = _why_not(grid, column, head, rows, groups.get(column, ""))
        if not why:
            table.answers.append(Column(column, head.part or ("text" if _lists(grid, column, rows) else "")))
        elif head.part or head.customer:
            table.ignored.append((column, head.text, why))
    _drop_weak(grid, table, heads, rows)


def _tick_columns(grid: Grid, table: Table, heads: dict[int, Header], rows: list[int]) -> dict[int, str]:
    """Twin columns "Yes" and "No" that take a tick: at least two headers that are members of an answer list."""
    found = {
        c: headers.tick_of(head.text) for c, head in heads.items() if headers.tick_of(head.text) and c not in (table.question, table.id)
    }
    open_columns = {c: name for c, name in found.items() if _share(grid, c, rows) <= 0.9}
    return open_columns if len(set(open_columns.values())) > 1 else {}


def _groups(grid: Grid, table: Table, heads: dict[int, Header]) -> dict[int, str]:
    """Who fills a column by the banner over the header ("To be completed by the supplier"): `supplier` or `customer`."""
    above = table.header if table.depth == 2 else table.header - 1
    line = {c: text for c, text in grid.lines.get(above, {}).items() if table.depth == 1 or grid.area(above, c).bottom == above}
    if len(line) < 2 or any(map(_counts, line.values())):
        return {}
    sides = {}
    for column, text in line.items():
        head = headers.classify(text)
        for covered in range(column, min(grid.area(above, column).right, max(heads)) + 1):
            sides[covered] = "supplier" if head.supplier and not head.customer else "customer" if head.customer else "other"
    return sides if "supplier" in sides.values() else {}


def _counts(text: str) -> bool:
    """A number or a long text, as a banner has none: the row belongs to a list above."""
    return len(text) > headers.LONGEST or (prose.is_identifier(text) and any(sign.isdigit() for sign in text))


def _why_not(grid: Grid, column: int, head: Header, rows: list[int], group: str) -> str:
    """Why a column takes no answer; nothing where it does."""
    listed = _lists(grid, column, rows)
    if head.customer and not head.supplier and not listed:
        return "the customer fills it"
    if not head.part and not listed:
        return "its header names no answer"
    if not grid.usable(rows[0] if rows else 1, column):
        return "the column is hidden"
    if head.customer and not head.supplier:
        return "the customer fills it"
    if group in ("customer", "other"):
        return "the customer fills it"
    if _locked_out(grid, column, rows) and (grid.protected or head.unknown or head.role == "guidance"):
        return "its cells are locked"
    if head.role and not listed:
        return "it explains the question"
    return _formulas(grid, column, rows)


def _formulas(grid: Grid, column: int, rows: list[int]) -> str:
    formulas = sum(1 for row in rows if grid.formula(row, column))
    return CALCULATED if rows and formulas > 0.5 * len(rows) else ""


def _locked_out(grid: Grid, column: int, rows: list[int]) -> bool:
    """Whether all cells are locked while others of the same rows are open: the sheet says who writes where."""
    if any(grid.style(row, column).unlocked for row in rows):
        return False
    width = grid.last_column() + 2
    return sum(1 for row in rows if any(grid.style(row, other).unlocked for other in range(1, width))) * 2 >= len(rows) > 0


def _lists(grid: Grid, column: int, rows: list[int]) -> bool:
    return sum(1 for row in rows if grid.has_list(row, column)) * 2 >= len(rows) > 0


def _share(grid: Grid, column: int, rows: list[int]) -> float:
    held = [row for row in rows if not grid.awaits(row, column) and not headers.is_not_asked(grid.text(row, column))]
    return len(held) / len(rows) if rows else 0.0


def _drop_weak(grid: Grid, table: Table, heads: dict[int, Header], rows: list[int]) -> None:
    """Leave out filled columns that are the customer's text, and notes with a stranger's name beside surer columns."""
    sure = [c for c in table.answers if heads[c.column].part in ("text", "") or heads[c.column].supplier or c.part.startswith("tick")]
    done = any(2 * sum(1 for row in rows if grid.text(row, c.column)) >= len(rows) for c in sure) if rows else False
    ours = any(grid.written(row, c.column) for c in sure for row in rows)
    waiting = any(all(not (text := grid.text(row, c.column)) or headers.is_prompt(text) for row in rows) for c in sure)
    for answer in list(table.answers):
        theirs = ours and not any(grid.written(row, answer.column) for row in rows)
        head, full = heads[answer.column], _share(grid, answer.column, rows) >= FILLED
        foreign = head.part == "comment" and head.unknown and not head.supplier and len(table.answers) > 1
        if answer in sure and full and (waiting or theirs) and not _lists(grid, answer.column, rows):
            table.answers.remove(answer)
            table.ignored.append((answer.column, head.text, "the customer filled it"))
            continue
        if answer in sure and not (full and head.part != "text" and not head.supplier and not _lists(grid, answer.column, rows)):
            continue
        if (full and (not done or theirs)) or (foreign and _capitalised(head)):
            table.answers.remove(answer)
            table.ignored.append((answer.column, head.text, "the customer filled it" if full else "it names someone else's notes"))


def _capitalised(head: Header) -> bool:
    words = head.text.replace("(", " ").replace(")", " ").split()
    return any(
        word[:1].isupper() and word.casefold().strip(".,:'’s") in {u.strip("s") for u in head.unknown} | set(head.unknown) for word in words
    )


def _judge(grid: Grid, table: Table, heads: dict[int, Header], rows: list[int]) -> None:
    """Confidence in the mapping, and an appended column where a sure question list leaves no room for answers."""
    head = heads.get(table.question, Header(""))
    sentences = sum(1 for row in rows if prose.is_sentence(grid.text(row, table.question))) / len(rows) if rows else 0.0
    value = 0.1 * (head.question or 1.0) + 0.2 * sentences + (0.1 if table.id else 0.0)
    if not head.question and table.id and any(heads[c.column].supplier for c in table.answers):
        value += 0.1  # ids and the supplier's own column frame the questions, whatever stands over them
    if sentences < 0.2 and leads.over(grid, table.header, table.question):
        value += 0.15
    if table.answers:
        value += (
            0.25
            if any(heads[c.column].part == "text" or c.part.startswith("tick") or heads[c.column].supplier for c in table.answers)
            else 0.1
        )
        value += 0.15 if any(_lists(grid, c.column, rows) for c in table.answers) else 0.0
    elif head.question >= 3 and sentences >= 0.6 and grid.appendable:
        table.appended = True
        table.answers = [Column(max(grid.last_column(), *heads) + 1, "text")]
    else:
        value -= 0.3
    table.confidence = round(min(value, 1.0), 2)
