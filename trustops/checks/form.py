"""Form: does the answer fit its cells? (product.md, "Vocabulary of a cell" and ANSWER_FORM). A wrong choice is refused, never repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from trustops.domain.answer import Determination
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.question import AnswerCell, CellValue, PartKind
from trustops.facts.vocabulary import meaning_of, member_for, tick_meaning

LONGEST = 32767
"""Characters that a spreadsheet cell can hold (ECMA-376, part 1, 18.3.1.4 with the application's limit)."""
TICK = "x"
"""What stands in a ticked box."""
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def form_findings(determination: Determination, cells: Iterable[AnswerCell], values: Iterable[CellValue]) -> tuple[Finding, ...]:
    """ANSWER_FORM for each cell whose value does not fit, and for a determination that a cell's list cannot say."""
    given, cells = {value.cell_key: value for value in values}, tuple(cells)
    problems = [problem for cell in cells for problem in _problems(determination, cell, given.get((cell.sheet, cell.cell)))]
    problems += _boxes(determination, [cell for cell in cells if cell.kind is PartKind.TICK], given)
    return tuple(_finding(cell, what) for cell, what in problems)


def _problems(determination: Determination, cell: AnswerCell, value: CellValue | None) -> Iterable[tuple[AnswerCell, str]]:
    if cell.kind is PartKind.CHOICE and cell.vocabulary:
        yield from ((cell, what) for what in _choice(determination, cell, value))
    elif value is not None and cell.kind is not PartKind.TICK and (what := _other(cell, value.value)):
        yield cell, what


def _boxes(
    determination: Determination, boxes: Sequence[AnswerCell], given: Mapping[tuple[str, str], CellValue]
) -> Iterable[tuple[AnswerCell, str]]:
    """Yes and No boxes: the one that says the determination is ticked, and no other. A box with words of its own is a claim that no
    rule has read, so it stays empty."""
    meanings = [(cell, tick_meaning(cell.part, cell.vocabulary)) for cell in boxes]
    for cell, meaning in meanings:
        value = given.get((cell.sheet, cell.cell))
        if value is not None and value.value != TICK:
            yield cell, f"{value.value!r} is no tick ({TICK})"
        elif value is not None and meaning is not determination:
            yield cell, f"the box says {meaning.value if meaning else 'something of its own'}, the answer {determination.value}"
    known = {meaning for _, meaning in meanings} - {None}
    if known and determination.affirmative and determination not in known:
        yield boxes[0], f"no box says {determination.value}"


def _choice(determination: Determination, cell: AnswerCell, value: CellValue | None) -> Iterable[str]:
    if not determination.affirmative:
        if value is not None:
            yield "an unknown answer has no member in the list"
        return
    if value is None:
        if member_for(determination, cell.vocabulary) is None:
            yield f"the list ({', '.join(cell.vocabulary)}) has no member that says {determination.value}"
        return
    if value.value not in cell.vocabulary:
        yield f"{value.value!r} is not one of {', '.join(cell.vocabulary)}"
    elif meaning_of(value.value) is not determination:
        yield f"{value.value!r} does not say {determination.value}"


def _other(cell: AnswerCell, text: str) -> str:
    longest = cell.longest or LONGEST
    if len(text) > longest:
        return f"the text has {len(text)} characters, the cell holds {longest}"
    if cell.kind is PartKind.NUMBER and not NUMBER.fullmatch(text):
        return f"{text!r} is no number"
    if cell.kind is PartKind.DATE and not _is_date(text):
        return f"{text!r} is no date (YYYY-MM-DD)"
    return ""


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _finding(cell: AnswerCell, what: str) -> Finding:
    return Finding(
        code=FindingCode.ANSWER_FORM,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"{cell.sheet}!{cell.cell} ({cell.part}): {what}.",
        exhibits=(f"{cell.sheet}!{cell.cell}",),
        remedy="Edit the answer so that it fits the cell (`trustops edit`).",
        cited=True,
    )
