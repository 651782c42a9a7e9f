"""Which rows of a sheet stand over questions: short cells, known words, and what stands below them."""

from __future__ import annotations

from trustops.formats.questionnaires import headers, prose
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.headers import Header


def header_rows(grid: Grid, *, open_question: bool = False) -> list[int]:
    """Rows that stand over questions: short cells, one of which names questions and most of which are known words.

    `open_question` also takes rows that name ids and answers, but call the questions something that nobody foresaw.
    """
    found = [row for row in grid.lines if _is_header(grid, row, open_question=open_question)]
    return [row for row in found if all(column in grid.lines[row] for column in grid.listed(row))]  # an open drop-down waits for an answer


def _is_header(grid: Grid, row: int, *, open_question: bool) -> bool:
    line = grid.lines[row]
    known = [headers.classify(text) for text in line.values()]
    questions = [head for head in known if head.question and len(head.text) <= 60 and len(headers.tokens(head.text)) <= 12]
    if len(line) == 1:
        head = known[0]
        return head.question >= 3 and not head.unknown and len(headers.tokens(head.text)) <= 3 and not prose.asks(head.text)
    if not questions and not (open_question and any(head.part for head in known)):
        return False
    if open_question and _names_answers(grid, row):
        return True
    others = sum(1 for head in known if head.known or head.customer or head.supplier or headers.tick_of(head.text))
    clean = any(head.known and not head.unknown for head in known)
    asked = any(_reads_on(head) for head in known)
    long = any(len(text) > headers.LONGEST * 3 for text in line.values())
    return others >= 2 and others * 2 >= len(line) and clean and not long and not asked


def _reads_on(head: Header) -> bool:
    """A sentence rather than the name of a column."""
    words = len(headers.tokens(head.text))
    if len(head.text) <= 40 and words < 12:
        return False
    return (
        prose.asks(head.text)
        or words > 14
        or len(head.unknown) > 4
        or (words > 6 and not head.part and not head.role and prose.is_sentence(head.text))
    )


def _names_answers(grid: Grid, row: int) -> bool:
    """A title row that also says where the supplier answers: `General Information | Vendor Answers` over rows with ids and open cells."""
    line, below = grid.lines[row], next((number for number in grid.lines if number > row), 0)
    heads = {column: headers.classify(text) for column, text in line.items()}
    named = [column for column, head in heads.items() if head.part and head.supplier and not head.unknown]
    if not named or below != row + 1 or any(_reads_on(head) or len(head.text) > headers.LONGEST for head in heads.values()):
        return False
    first = min(grid.lines[below])
    numbered = first < named[0] and prose.is_identifier(grid.text(below, first)) and any(c.isdigit() for c in grid.text(below, first))
    return numbered and grid.awaits(below, named[0]) and grid.exists(below, named[0])
