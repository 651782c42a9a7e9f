"""The writer for Word documents: answers are spliced into the document part; every other byte and member is carried over.

A text goes into the cell's or paragraph's first empty paragraph, in the format of its paragraph mark; into a content control as its
content; a tick into a check box as its sign. Line breaks become `w:br`, so no paragraph is added and every address stays what it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from trustops.domain.errors import Refused, UnknownName
from trustops.formats.questionnaires.edits import Edit, apply
from trustops.formats.questionnaires.typed import LONGEST, Value
from trustops.formats.questionnaires.vocabulary import ticked
from trustops.formats.questionnaires.wordgrid import TEXT, bare, split, table_grid
from trustops.formats.questionnaires.wordparts import Control, Document, Paragraph


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an answer goes: into a paragraph, or into a content control."""

    paragraph: Paragraph
    control: Control | None = None
    known: str = ""  # what somebody already wrote there


def slot(document: Document, sheet: str, name: str) -> Slot:
    """The slot of an address. Raises UnknownName where the document has no such place."""
    where = f"{document.archive.file}, {sheet}!{name}"
    row, column, number = split(name)
    if sheet == TEXT:
        paragraphs = [p for p in document.paragraphs[row - 1 : row] if column == 1]
    else:
        grid = table_grid(document, sheet)
        cell = grid.at(row, column) if grid else None
        paragraphs = cell.paragraphs if cell else []
    if not paragraphs:
        raise UnknownName("The document has no such cell or paragraph.", where=where, remedy="Parse the file anew.")
    rooms = [(p, control) for p in paragraphs for control in p.rooms]
    unique = [(p, control) for place, (p, control) in enumerate(rooms) if not any(control is known for _, known in rooms[:place])]
    if number:
        if number > len(unique):
            raise UnknownName("The document has no such content control.", where=where, remedy="Parse the file anew.")
        return _controlled(*unique[number - 1])
    if len(unique) == 1 and unique[0][1].kind != "other":
        return _controlled(*unique[0])
    empty = next((p for p in paragraphs if not p.text.strip()), None)
    return Slot(empty, known="\n".join(bare(p) for p in paragraphs).strip() if sheet != TEXT else "") if empty else _filled(paragraphs)


def _filled(paragraphs: list[Paragraph]) -> Slot:
    from trustops.formats.questionnaires.wordtext import is_label

    last = paragraphs[-1]
    return Slot(last, known="" if is_label(bare(last)) else last.text.strip())


def _controlled(paragraph: Paragraph, control: Control) -> Slot:
    shown = "" if control.placeholder[1] or control.kind == "tick" else paragraph.text[control.at[0] : control.at[1]].strip()
    shown = paragraph.text.strip() if control.block and not control.placeholder[1] and control.kind != "tick" else shown
    return Slot(paragraph, control, shown)


def spliced(document: Document, values: list[Value]) -> bytes:
    """The document part with the answers. Raises Refused before anything is built."""
    edits: list[Edit] = []
    taken: set[int] = set()
    for value in values:
        place = slot(document, value.sheet, value.cell)
        admit(document, place, value)
        key = place.control.start if place.control else place.paragraph.start
        if key in taken:
            raise Refused("Two answers are for one place.", where=_where(document, value), remedy="Keep one of them.")
        taken.add(key)
        edits += edits_of(document, place, value)
    return apply(document.data, edits)


def _where(document: Document, value: Value) -> str:
    return f"{document.archive.file}, {value.sheet}!{value.cell}"


def admit(document: Document, place: Slot, value: Value) -> None:
    """Raises Refused for what may not stand in the place."""
    where, control = _where(document, value), place.control
    if len(value.value) > LONGEST:
        raise Refused(f"The answer has {len(value.value):,} characters; a cell takes {LONGEST:,}.", where=where, remedy="Shorten it.")
    if control and control.locked:
        raise Refused("The content control is locked.", where=where, remedy="Ask for a file that can be filled in.")
    if control and control.kind == "choice" and control.members and value.value and value.value not in control.members:
        shown = ", ".join(control.members[:8])
        raise Refused(f"{value.value[:60]!r} is not in the list ({shown}).", where=where, remedy="Choose a member of the list.")
    if place.known and value.value and place.known != value.value:
        raise Refused(f"Somebody already wrote {place.known[:60]!r} there.", where=where, remedy="Empty the cell, or keep what it says.")
    bad = next((sign for sign in value.value if illegal(sign)), "")
    if bad:
        raise Refused(
            f"The answer holds a character that no document can (U+{ord(bad):04X}).", where=where, remedy="Take it out of the answer."
        )


def illegal(sign: str) -> bool:
    """What XML 1.0 cannot hold (2.2)."""
    code = ord(sign)
    return (code < 32 and sign not in "\t\n\r") or 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF)


def edits_of(document: Document, place: Slot, value: Value) -> list[Edit]:
    """The edits that put a value into its slot. Nothing where it already stands there."""
    if not value.value or place.known == value.value:
        return []
    control = place.control
    if control and control.kind == "tick" and control.checked[1]:
        return _tick(document, control, ticked(value.value))
    if control and not control.block:
        run = _run(document, value.value, document.data[slice(*control.style)] if control.style[1] and not control.placeholder[1] else b"")
        return [*_unprompted(control), Edit(*control.inner, run)]
    made = _into(document, place.paragraph, value.value, replace=bool(control))
    return [*(_unprompted(control) if control else []), made]


def _unprompted(control: Control) -> list[Edit]:
    return [Edit(*control.placeholder, b"")] if control.placeholder[1] else []


def _into(document: Document, paragraph: Paragraph, text: str, *, replace: bool) -> Edit:
    mark = document.data[slice(*paragraph.mark)] if paragraph.mark[1] else b""
    mark = (
        b""
        if any(sign in mark for sign in (b"ins ", b"del ", b"vanish", b"rPrChange", b"moveFrom", b"moveTo", b"PlaceholderText"))
        else mark
    )
    run = _run(document, text if not paragraph.text.strip() or replace else " " + text, mark)
    if paragraph.tail == paragraph.head == paragraph.end:  # <w:p/>
        tag = document.data[paragraph.start : paragraph.head]
        return Edit(paragraph.start, paragraph.end, tag[: tag.rindex(b"/")] + b">" + run + f"</{document.prefix}p>".encode())
    return Edit(paragraph.body if replace else paragraph.tail, paragraph.tail, run)


def _run(document: Document, text: str, properties: bytes) -> bytes:
    p = document.prefix
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    inner = f"<{p}br/>".join(f'<{p}t xml:space="preserve">{escape(line)}</{p}t>' for line in lines)
    return f"<{p}r>".encode() + properties + f"{inner}</{p}r>".encode()


def _tick(document: Document, control: Control, on: bool) -> list[Edit]:
    if not on or control.on:
        return []
    p, tag = document.prefix, document.data[slice(*control.checked)]
    name = tag[1:].split(None, 1)[0].rstrip(b"/>").decode()
    head = name[: -len("checked")]
    font = quoteattr(control.font or "MS Gothic")
    fonts = f'<{p}rFonts {p}ascii={font} {p}eastAsia={font} {p}hAnsi={font} {p}hint="eastAsia"/>'
    run = f"<{p}r><{p}rPr>{fonts}</{p}rPr><{p}t>{escape(control.sign)}</{p}t></{p}r>".encode()
    return [Edit(*control.checked, f'<{name} {head}val="1"/>'.encode()), Edit(*control.inner, run)]


def undone(before: Document, after: Document, places: list[tuple[str, str]]) -> bytes:
    """The exported part with the original's bytes put back at the places."""
    edits: list[Edit] = []
    for sheet, cell in places:
        old, new = slot(before, sheet, cell), slot(after, sheet, cell)
        if old.control and new.control:
            edits.append(Edit(new.control.start, new.control.end, before.data[old.control.start : old.control.end]))
            continue
        o = old.paragraph
        n = new.paragraph if new.paragraph.number == o.number and sheet == TEXT else _same(before, after, sheet, cell, o)
        if o.head == o.end:
            tag = before.data[o.start : o.head]
            same = after.data[n.start : n.head].rstrip(b">/ ") == tag.rstrip(b">/ ")
            edits.append(Edit(n.start, n.end, tag)) if same else None
        else:
            edits.append(Edit(n.body, n.tail, before.data[o.body : o.tail]))
    return apply(after.data, list({edit.start: edit for edit in edits}.values()))


def _same(before: Document, after: Document, sheet: str, cell: str, paragraph: Paragraph) -> Paragraph:
    """The paragraph of the exported cell at the place that the original's has in its cell."""
    row, column, _ = split(cell)
    old, new = ((grid := table_grid(document, sheet)) and grid.at(row, column) for document in (before, after))
    place = next((n for n, p in enumerate(old.paragraphs) if p is not None and p.start == paragraph.start), 0) if old else 0
    if not new or place >= len(new.paragraphs):
        raise Refused("The document differs outside the answers.", where=after.archive.file, remedy="Export again from the original.")
    return new.paragraphs[place]
