"""Questions among the paragraphs of a Word document: a question, then an empty paragraph, a label such as `Answer:` or a control.

A block is what stands between empty paragraphs, headings and tables. Its points ("- training; - awareness") belong to its question.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trustops.formats.questionnaires import headers, leads, prose
from trustops.formats.questionnaires.listing import Answer, Asked, Listing, distinct, kind_of
from trustops.formats.questionnaires.wordgrid import TEXT, bare, label, named
from trustops.formats.questionnaires.wordparts import Control, Document, Paragraph, Table

FEWEST = 3
RULE = "_.…·- \t\xa0"


@dataclass(slots=True)
class Block:
    """Paragraphs without an empty one between them, and where their answer would go."""

    lines: list[Paragraph] = field(default_factory=list)
    room: list[Answer] = field(default_factory=list)
    section: str = ""
    opening: bool = False  # the first below a heading
    title: bool = False  # the only one between two headings

    @property
    def first(self) -> Paragraph:
        return self.lines[0]


def read(document: Document, *, others: bool) -> Listing:
    """The questions of the running text. `others`: tables hold questions too, so only what plainly asks counts here."""
    blocks = _blocks(document)
    asked = sum(1 for item in document.paragraphs if prose.asks(bare(item)))
    if asked >= FEWEST and 2 * sum(1 for block in blocks if block.room and _asked_line(block) is not None) < asked:
        blocks = _blocks(document, answered=True)
    asking = [block for block in blocks if block.room and _asked_line(block) is not None]
    shapes = {_shape(block.first) for block in asking}
    repeated = _repeated(blocks)
    found, open_ = Listing(confidence=70, by="questions in the text"), leads.Leads()
    for block, after in zip(blocks, [*blocks[1:], None], strict=False):
        line = _asked_line(block)
        if block.room and open_.takes(_point(block.first)):
            found.asked.append(_asked(block, 0, open_.point(_point(block.first))))
            continue
        lead = _lead(block, after)
        if lead is not None:
            _led(block, lead, open_, found)
            continue
        open_.clear()
        if line is None and not others and block.room and _like(block, shapes, repeated, many=len(asking) >= 3):
            line = 0
        if line is not None and block.room:
            found.asked.append(_asked(block, line))
        elif line is not None and len(bare(block.lines[line])) > 10:
            found.skipped.append(
                (f"{TEXT}!A{block.lines[line].number}", f"question {bare(block.lines[line])[:60]!r}", "no room for an answer")
            )
    return found


def _point(line: Paragraph) -> str:
    """A line as a point: what an automatic list numbers has its mark outside the text."""
    return f"- {bare(line)}" if line.numbered and not leads.mark_of(bare(line))[0] else bare(line)


def _lead(block: Block, after: Block | None) -> int | None:
    """The line of a block that leads in to points which have room of their own: in the next block, and perhaps the first in this one."""
    place = next((n for n in reversed(range(len(block.lines))) if leads.leads(bare(block.lines[n]))), None)
    if place is None or after is None or not after.room or len(block.lines) > place + 2:
        return None
    text = bare(block.lines[place])
    within = [_point(line) for line in block.lines[place + 1 :]]
    points = [*within, _point(after.first)]
    marked = all(leads.mark_of(point)[0] for point in points)
    asks = prose.asks(text) or _opening(text)
    return place if marked and asks and all(leads.fragment(point, text) for point in points) else None


def _led(block: Block, lead: int, open_: leads.Leads, found: Listing) -> None:
    text = _unnumbered(bare(block.lines[lead]))[1]
    open_.start(text)
    if len(block.lines) > lead + 1 and block.room:
        found.asked.append(_asked(block, lead + 1, open_.point(_point(block.lines[lead + 1]))))
    found.skipped.append((f"{TEXT}!A{block.lines[lead].number}", f"lead-in {text[:60]!r}", "asked together with each of the points below"))


def _repeated(blocks: list[Block]) -> set[str]:
    """Texts that stand there more than once: running titles."""
    texts = [bare(line) for block in blocks for line in block.lines]
    return {text for text in texts if texts.count(text) > 1} if len(texts) < 5_000 else set()


def _shape(paragraph: Paragraph) -> tuple[str, bool, bool]:
    return paragraph.style, paragraph.numbered, paragraph.bold


def _like(block: Block, shapes: set[tuple[str, bool, bool]], repeated: set[str], *, many: bool) -> bool:
    """A statement that is laid out as the questions are, or that is numbered and has room below."""
    text = bare(block.first)
    if not prose.is_sentence(text) or text in repeated or block.title or (text.endswith(":") and len(block.lines) == 1):
        return False
    if headers.starts_guidance(text):
        return False
    opens = _opening(text)
    numbered = block.first.numbered or _number(text) != ""
    return (opens and many and _shape(block.first) in shapes) or (numbered and (not shapes or _shape(block.first) in shapes))


def _opening(text: str) -> bool:
    """A sentence that begins as a question or a request does."""
    first = headers.tokens(text)[:1]
    return bool(first) and first[0] in headers.catalogue()["question_starts"] and prose.is_sentence(text)


def _asked_line(block: Block) -> int | None:
    """The first line that asks; a block that opens with a list number before it asks from its first line on."""
    for place, line in enumerate(block.lines):
        if prose.asks(bare(line)) and prose.is_sentence(bare(line)):
            numbered = [n for n in range(place) if block.lines[n].numbered or _number(bare(block.lines[n]))]
            return numbered[0] if numbered else place
    return None


def _number(text: str) -> str:
    """`4.1` of `4.1 Do you`, `Q3` of `Q3) Do you`; nothing where the text opens with a word."""
    word = text.split(None, 1)[0] if text.split() else ""
    plain = word.strip("().:")
    return plain if plain and prose.is_identifier(plain) and any(c.isdigit() for c in plain) and len(plain) <= 12 else ""


def _asked(block: Block, place: int, whole: str = "") -> Asked:
    lines = block.lines[place:]
    mark, text = _unnumbered(bare(lines[0]))
    text = "\n".join([whole or text, *(f"- {bare(line)}" if line.numbered else bare(line) for line in lines[1:])])
    return Asked("" if whole else mark, text, lines[0].number, named(lines[0].number, 1), block.section, block.room)


def _unnumbered(text: str) -> tuple[str, str]:
    """(number, the text behind it)."""
    mark = _number(text)
    return (mark, text.split(None, 1)[1] if len(text.split(None, 1)) > 1 else text) if mark else ("", text)


def _heading(paragraph: Paragraph) -> bool:
    style = paragraph.style.casefold().replace(" ", "")
    return style.startswith(("heading", "title", "berschrift", "überschrift", "titre", "ttulo", "subtitle", "untertitel"))


class _Splitter:
    """Cuts the flow of a document into blocks."""

    def __init__(self, *, answered: bool) -> None:
        """`answered`: somebody filled the document in, so the paragraph behind a question is its answer."""
        self.answered = answered
        self.found: list[Block] = [Block()]
        self.section, self.opening = "", False
        self.used: list[Control] = []

    def take(self, item: Paragraph | Table) -> None:
        if not isinstance(item, Paragraph):
            self._cut()
            return
        text = bare(item)
        controls = [(n, control) for n, control in enumerate(item.rooms, 1) if self._free(control)]
        if _heading(item) and text and not prose.asks(text):
            self._heading(text)
        elif controls or _label(text):
            self._answered(item, text, controls)
        elif not text.strip(RULE):
            self._empty(item)
        elif self.answered and self._answer(item, text):
            self.found[-1].room.append(Answer("text", named(item.number, 1), "text", (), text))
            self._cut()
        else:
            self._line(item)

    def _answer(self, item: Paragraph, text: str) -> bool:
        """Whether a paragraph answers the block before it rather than asks on."""
        block = self.found[-1]
        if block.room or item.numbered or prose.asks(text) or leads.mark_of(text)[0] or _number(text):
            return False
        return any(prose.asks(bare(line)) for line in block.lines) or (not _opening(text) and any(_opening(bare(n)) for n in block.lines))

    def _free(self, control: Control) -> bool:
        """A control that may be filled, once; one around several paragraphs belongs to the first of them."""
        if control.kind == "other" or control.locked or any(control is known for known in self.used):
            return False
        self.used.append(control)
        return True

    def _cut(self) -> None:
        if self.found[-1].lines:
            self.found.append(Block())

    def _heading(self, text: str) -> None:
        last = next((block for block in reversed(self.found) if block.lines), None)
        if last and last.opening:
            last.title = True
        self._cut()
        self.section, self.opening = text, True

    def _line(self, item: Paragraph) -> None:
        if self.found[-1].room:
            self._cut()
        block = self.found[-1]
        if not block.lines:
            block.section, block.opening, self.opening = self.section, self.opening, False
        block.lines.append(item)

    def _answered(self, item: Paragraph, text: str, controls: list[tuple[int, Control]]) -> None:
        if text and not _label(text):
            self._line(item)
        if self.found[-1].lines:
            _add_room(self.found[-1], item, controls)

    def _empty(self, item: Paragraph) -> None:
        block = self.found[-1]
        if block.lines and not block.room:
            block.room.append(Answer("text", named(item.number, 1), "text", ()))
        self._cut()


def _blocks(document: Document, *, answered: bool = False) -> list[Block]:
    splitter = _Splitter(answered=answered)
    for item in document.flow:
        splitter.take(item)
    return [block for block in splitter.found if block.lines]


def _label(text: str) -> str:
    """The part that a line such as `Answer:` or `Comments: ____` asks for."""
    plain = text.rstrip(RULE + ":：").strip()
    head = headers.classify(plain) if plain and len(plain) <= 40 and (":" in text or "：" in text) else None
    return head.part if head and head.part and not head.unknown and not (head.customer and not head.supplier) else ""


def is_label(text: str) -> bool:
    """Whether a line only says that an answer follows."""
    return bool(_label(text))


def _add_room(block: Block, item: Paragraph, controls: list[tuple[int, Control]]) -> None:
    known = [answer.part for answer in block.room]
    made = [control_answer(item, number, control, item.number, 1) for number, control in controls] or [
        Answer(_label(bare(item)) or "text", named(item.number, 1), "text", ())
    ]
    for answer in made:
        answer.part = distinct(answer.part, known)
        known.append(answer.part)
        block.room.append(answer)


def control_answer(paragraph: Paragraph, number: int, control: Control, row: int, column: int) -> Answer:
    """The answer that a content control takes."""
    cell = named(row, column, number)
    if control.kind == "tick":
        word = headers.tick_of(label(paragraph, control)[0])
        return Answer(f"tick_{word}" if word else "tick", cell, "tick", ())
    if control.kind == "date":
        return Answer("date", cell, "date", ())
    members = tuple(control.members) if control.kind == "choice" else ()
    return Answer("choice" if members else "text", cell, kind_of("choice" if members else "text", members), members)
