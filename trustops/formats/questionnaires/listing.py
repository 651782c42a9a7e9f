"""The rows of a table as questions: sections, guidance, repeated headers and hidden rows told apart from what is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trustops.formats.questionnaires import headers, leads, prose, wording
from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.layout import Column, Table

MAX_LISTED = 40
WHY = {
    "lead-in row": "asked together with each of the points below",
    "point row": "asked together with the question above, which takes the answer",
    "branch row": "it says where to go on; the questions that it passes over are conditional",
    "continuation row": "the rest of the question above",
}


@dataclass(slots=True)
class Answer:
    """One answer cell as found."""

    part: str
    cell: str
    kind: str
    vocabulary: tuple[str, ...]
    filled: str = ""  # what stands there already
    longest: int = 0  # the most characters that the cell takes, 0 where it says nothing


@dataclass(slots=True)
class Condition:
    """When a question is asked: in words or as a formula, and as far as it can be told (`domain.question.Condition`)."""

    text: str
    needs: list[list[dict[str, object]]] = field(default_factory=list)


@dataclass(slots=True)
class Asked:
    """One question as found; `id` is what the customer calls it, if anything."""

    id: str
    text: str
    row: int
    cell: str
    section: str
    answers: list[Answer]
    own: str = ""  # the text of its own cell, where `text` also holds what leads in to it
    branch: str = ""  # what the rows below say about where to go on
    condition: Condition | None = None


@dataclass(slots=True)
class Listing:
    """The questions of a sheet and what was left out: (where, what, why)."""

    asked: list[Asked] = field(default_factory=list)
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    taken: set[tuple[int, int]] = field(default_factory=set)
    mirrored: bool = False
    appended: bool = False
    unsure: bool = False  # something looked like questions, but not clearly enough
    confidence: int = 100  # percent
    by: str = "its form"  # the sign by which it was found


def read(grid: Grid, table: Table, into: Listing) -> None:
    """Append the table's questions to the listing."""
    _Reader(grid, table, into).read()


class _Reader:
    def __init__(self, grid: Grid, table: Table, into: Listing) -> None:
        self.grid, self.table, self.into = grid, table, into
        self.rows = [row for row in sorted(grid.lines) if table.first <= row <= table.last]
        self.candidates = [row for row in self.rows if grid.text(row, table.question)]
        ids = sum(1 for row in self.candidates if self._id(row))
        self.ids = bool(table.id) and ids * 10 >= 5 * len(self.candidates)
        self.lists = {
            c.column for c in table.answers if 2 * sum(grid.has_list(row, c.column) for row in self.candidates) >= len(self.candidates)
        }
        self.lists |= {c.column for c in table.answers if self._lists_lead(c.column)}
        self.section = table.title
        self.counts: dict[str, list[int]] = {}
        self.leads = leads.Leads()
        self.usual: tuple[int, Counter[str], int] | None = None  # how many question cells are bold, and have which fill, of how many
        self.lead: Asked | None = None
        self.lead_row, self.lead_id, self.before = 0, "", -2
        self._lead_of_the_table()

    def read(self) -> None:
        for place, row in enumerate(self.rows):
            kind = self._kind(row)
            if kind:
                self._take(row, kind, place)
        self._report()

    def _count(self, kind: str, row: int) -> None:
        self.counts.setdefault(kind, []).append(row)

    def _take(self, row: int, kind: str, place: int) -> None:
        text = self._text(row)
        if self.into.asked and not self._listed(row) and wording.goes_elsewhere(text):
            self.into.asked[-1].branch += f" {text}"
            self._count("branch row", row)
        elif self._is_point(row, text):
            self._point(row, text)
        elif kind != "question":
            self._heads(row, kind, text)
        elif self._goes_on(row, text, place):
            self._append(f"{self.into.asked[-1].text} {text}", "continuation row", row, self.into.asked[-1])
            self.before = place
        else:
            points = self._points(place) if leads.leads(text) or leads.hangs(text) else []
            self.leads.clear()
            self._lead(row, text, points) if points else self._ask(row)
            self.before = place

    # -- points and what leads in to them -----------------------------------------------------------------------------

    def _text(self, row: int) -> str:
        """The question's cell, or the one text of a row that has nothing there."""
        line = self.grid.lines[row]
        return self.grid.text(row, self.table.question) or (next(iter(line.values())) if len(line) == 1 else "")

    def _heads(self, row: int, kind: str, text: str) -> None:
        self._count(kind, row)
        if kind == "section row":
            self.section = self._heading(row)
        if leads.asks_for_points(text):
            self.leads.start(text)
            self.lead, self.lead_id = None, self._id(row)
        elif kind == "section row":
            self.leads.clear()

    def _is_point(self, row: int, text: str) -> bool:
        fits = self._below(row, self.lead_id) or not self._id(row) or not self.lead_id or bool(leads.mark_of(text)[0])
        return fits and self.leads.takes(text, below=self._below(row, self.lead_id)) and not self._extended(row)

    def _below(self, row: int, lead: str) -> bool:
        """The row's id goes on from the lead-in's."""
        mine, stem = self._id(row), lead.rstrip(".)")
        if not stem or not mine or mine == lead:
            return False
        deeper = mine.count(".") > stem.count(".") and mine.partition(".")[0] == stem.partition(".")[0]  # 5.i.iv below 5.g is a slip
        return deeper or (mine.startswith(stem) and not mine[len(stem) : len(stem) + 1].isdigit())

    def _points(self, place: int) -> list[int]:
        """The rows below that mean nothing without this one."""
        found, lead = [], self.rows[place]
        for row in self.rows[place + 1 :]:
            text, below = self.grid.text(row, self.table.question), self._below(row, self._id(lead))
            fits = below or not self._id(row) or not self._id(lead) or bool(leads.mark_of(text)[0])
            if not fits or not leads.fragment(text, self._text(lead), below=below):
                break
            found.append(row)
        return found

    def _room(self, row: int, lead: int) -> bool:
        """Whether the row has an answer cell that is not the lead-in's own."""
        grid = self.grid
        own = [c.column for c in self.table.answers if grid.area(row, c.column).top == row and not grid.formula(row, c.column)]
        if not any(grid.exists(lead, c.column) for c in self.table.answers):
            return bool(own)
        return any(grid.exists(row, column) or grid.has_list(row, column) for column in own)

    def _lead(self, row: int, text: str, points: list[int]) -> None:
        """A row that announces points: asked itself where it has an id or a list of its own, asks, or they have no room; and asked with
        each of the points that have."""
        with_room = [other for other in points if self._room(other, row)]
        self.leads.start(text)
        self.lead, self.lead_id, self.lead_row = None, self._id(row), row
        mine = self._listed(row) or (self._room(row, row) and (bool(self.lead_id) or prose.asks(text)))
        if with_room and not mine:
            self._count("lead-in row", row)
            return
        self._ask(row, leads.listed(text, [self.grid.text(other, self.table.question) for other in with_room]))
        self.lead = self.into.asked[-1]

    def _point(self, row: int, text: str) -> None:
        whole = self.leads.point(text)
        if self.lead is not None and not self._room(row, self.lead_row):
            self._append(f"{self.lead.text}\n- {leads.bare_point(text)}", "point row", row, self.lead)
        elif text.rstrip().endswith(leads.COLONS) and not self._listed(row):
            self._count("lead-in row", row)
        else:
            self._ask(row, whole)

    def _goes_on(self, row: int, text: str, place: int) -> bool:
        """The middle of a sentence, without an id where others have one, or without a cell of its own for an answer."""
        if self.before != place - 1 or not self.into.asked or self._listed(row):
            return False
        above = self.into.asked[-1]
        return leads.goes_on(above.text, text) and ((self.ids and not self._id(row)) or not self._room(row, above.row))

    def _append(self, text: str, kind: str, row: int, asked: Asked) -> None:
        asked.own, asked.text = asked.own or asked.text, text
        self._count(kind, row)

    def _lead_of_the_table(self) -> None:
        lead = leads.over(self.grid, self.table.header, self.table.question) if self.table.header > 0 else ""
        if lead:
            self.leads.start(lead)

    def _lists_lead(self, column: int) -> bool:
        """Few rows have a list, but they are the ones with more in them; what stands between them are criteria of the question above."""
        listed = {row for row in self.candidates if self.grid.has_list(row, column)}
        between = [row for row in self.candidates if row not in listed]
        more = sum(1 for row in listed if len(self.grid.lines[row]) > 1)
        return len(listed) > 1 and more * 5 >= 4 * len(listed) and all(len(self.grid.lines[row]) == 1 for row in between)

    def _id(self, row: int) -> str:
        text = self.grid.text(row, self.table.id) if self.table.id else ""
        return text if len(text) <= 40 else ""

    def _kind(self, row: int) -> str:
        """`question`, `section row`, `guidance row`, or nothing for a row that says nothing."""
        grid, table = self.grid, self.table
        line, text = grid.lines[row], grid.text(row, table.question)
        if not text:
            return "section row" if len(line) == 1 and any(len(t) > 2 and not headers.is_not_asked(t) for t in line.values()) else ""
        if self._wide(row):
            return "guidance row" if prose.is_sentence(text) and len(text) > 80 else "section row"
        if headers.starts_guidance(text) and not self._id(row):
            return "guidance row"
        if self.lists:
            if self._listed(row):
                return "question"
            numbered = self._id(row) and prose.is_sentence(text) and (prose.asks(text) or not self._extended(row))
            return "question" if numbered else self._other(text) if prose.asks(text) or not self._extended(row) else "section row"
        if self.ids and not self._id(row) and grid.area(row, table.id).top == row:
            return "question" if prose.asks(text) and self._open(row) else self._other(text)
        if self._heading_number(row):
            return "section row"
        if not self.ids and len(line) == 1 and not prose.is_sentence(text) and self._stands_out(row):
            return "section row"
        return "question"

    def _other(self, text: str) -> str:
        return "guidance row" if prose.is_sentence(text) else "section row"

    def _wide(self, row: int) -> bool:
        """The question cell is merged across an answer column, so that nothing can be answered."""
        area = self.grid.area(row, self.table.question)
        return any(area.left <= c.column <= area.right for c in self.table.answers if not self.table.appended)

    def _listed(self, row: int) -> bool:
        return any(self.grid.has_list(row, column) for column in self.lists)

    def _open(self, row: int) -> bool:
        return any(not self.grid.text(row, c.column) for c in self.table.answers)

    def _heading_number(self, row: int) -> bool:
        """A short text whose number others extend: `1 Access control` over `1.1`, `1.2`."""
        mark, text = self._id(row).rstrip("."), self.grid.text(row, self.table.question)
        if not mark or prose.is_sentence(text) or prose.asks(text):
            return False
        return self._extended(row) or (len(self.grid.lines[row]) <= 2 and self._stands_out(row))

    def _extended(self, row: int) -> bool:
        """Whether other ids go on from this one: `1.1` from `1`."""
        mark = self._id(row).rstrip(".")
        return bool(mark) and any(
            self._id(other).startswith(mark + ".") and self._id(other).rstrip(".") != mark for other in self.candidates
        )

    def _stands_out(self, row: int) -> bool:
        """Bold or filled where most question cells are not."""
        mine = self.grid.style(row, self.table.question)
        if self.usual is None:
            styles = [self.grid.style(other, self.table.question) for other in self.candidates]
            self.usual = sum(style.bold for style in styles), Counter(style.fill for style in styles), len(styles)
        bold, fills, count = self.usual
        return (mine.bold and bold * 2 <= count) or (bool(mine.fill) and fills[mine.fill] * 2 <= count)

    def _heading(self, row: int) -> str:
        return (
            " ".join(next(iter(self.grid.lines[row].values())).split())
            if len(self.grid.lines[row]) == 1
            else self.grid.text(row, self.table.question)
        )

    def _section(self, row: int) -> str:
        """The last section row, else the section column, where a merged side cell speaks for its rows."""
        if self.section or not self.table.section:
            return self.section
        top = self.grid.area(row, self.table.section).top
        return self.grid.text(top, self.table.section)

    def _ask(self, row: int, whole: str = "") -> None:
        grid, table = self.grid, self.table
        answers: list[Answer] = []
        for column in table.answers:
            made = self._answer(row, column)
            if made:
                made.part = distinct(made.part, [known.part for known in answers])
                answers.append(made)
        text = grid.text(row, table.question)
        own = text if whole not in ("", text) else ""
        place = grid.cell(row, table.question)
        self.into.asked.append(Asked(self._id(row), whole or text, row, place, self._section(row), answers, own))

    def _answer(self, row: int, column: Column) -> Answer | None:
        grid, area = self.grid, self.grid.area(row, column.column)
        place = (area.top, area.left)
        text = grid.text(*place)
        if place in self.into.taken or area.covers(row, self.table.question) or grid.formula(*place):
            return None
        vocabulary = grid.vocabulary(row, column.column)
        if headers.is_not_asked(text) and text not in vocabulary:
            return None
        if grid.protected and not grid.style(*place).unlocked and self._somewhere_unlocked():
            return None
        self.into.taken.add(place)
        part = column.part if column.fixed else self._part(row, column, place, vocabulary)
        return Answer(part, grid.cell(*place), column.kind or kind_of(part, vocabulary), vocabulary)

    def _part(self, row: int, column: Column, place: tuple[int, int], vocabulary: tuple[str, ...]) -> str:
        """What the cell itself asks for outranks its header: a list, a date format, a number format."""
        if column.part.startswith("tick"):
            return column.part
        if vocabulary:
            return "choice"
        wanted, style = self.grid.wants(row, column.column), self.grid.style(*place)
        if column.part in ("text", "number", "date", ""):
            if wanted == "date" or style.date:
                return "date"
            if wanted == "number" or style.number:
                return "number"
        return column.part or "text"

    def _somewhere_unlocked(self) -> bool:
        return any(self.grid.style(row, c.column).unlocked for row in self.candidates[:50] for c in self.table.answers)

    def _report(self) -> None:
        name = self.grid.name
        for kind, rows in self.counts.items():
            shown = ", ".join(map(str, rows[:8])) + (" ..." if len(rows) > 8 else "")
            self.into.skipped.append(
                (
                    name,
                    f"{len(rows)} {kind}{'s' if len(rows) > 1 else ''} ({shown})",
                    WHY.get(kind, "headings or explanations, nothing is asked"),
                )
            )
        for column, text, why in self.table.ignored:
            place = self.grid.cell(self.table.header, column)
            self.into.skipped.append((f"{name}!{place}", f"column {text!r}", f"not an answer column: {why}"))
        hidden = [
            row
            for row, line in sorted(self.grid.hidden.items())
            if self.table.first <= row <= self.table.last and line.get(self.table.question)
        ]
        for row in hidden[:MAX_LISTED]:
            label = self.grid.hidden[row].get(self.table.id, "")
            self.into.skipped.append(
                (f"{name}!{self.grid.cell(row, self.table.question)}", f"hidden question {label}".strip(), "the row is hidden")
            )
        if len(hidden) > MAX_LISTED:
            self.into.skipped.append((name, f"{len(hidden) - MAX_LISTED} more hidden questions", "their rows are hidden"))


def distinct(part: str, known: list[str]) -> str:
    """number, number_2, number_3 within one question."""
    if part not in known:
        return part
    count = 2
    while f"{part}_{count}" in known:
        count += 1
    return f"{part}_{count}"


def kind_of(part: str, vocabulary: tuple[str, ...]) -> str:
    """Kind of a part: by its name up to an underscore for numbers, dates and ticks, choice where it has a vocabulary, else text."""
    name = part.partition("_")[0]
    if name == "tick" or not vocabulary:
        return name if name in ("number", "date", "tick") else "text"
    return "choice"
