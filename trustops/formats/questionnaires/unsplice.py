"""The proof of an export: put the original's bytes back at the answer cells and get the original, byte for byte.

What may differ: the target cells, the `spans` of their rows, rows that hold nothing but targets, `<dimension>`, `fullCalcOnLoad`
(product.md, invariant 8). Everything is compared uncompressed, since deflate streams differ between programs.
"""

from __future__ import annotations

from trustops.domain.errors import Refused
from trustops.formats.questionnaires import markup, sheet
from trustops.formats.questionnaires.address import address
from trustops.formats.questionnaires.archive import Archive
from trustops.formats.questionnaires.edits import Edit, apply
from trustops.formats.questionnaires.sheet import Row, Scan
from trustops.formats.questionnaires.splice import anchor, calculation_edit
from trustops.formats.questionnaires.workbook import Workbook

Places = set[tuple[int, int]]


def compare(original: Workbook, after: Archive, targets: set[tuple[str, int, int]]) -> tuple[int, list[str]]:
    """(number of identical parts, names of changed parts). Raises Refused naming the first part that differs where it may not."""
    before = original.archive
    if before.names() != after.names():
        raise Refused("The exported workbook does not hold the same parts.", where=after.file, remedy="Export again.")
    changed = [name for name in before.names() if before.read(name) != after.read(name)]
    sheets = {entry.part: entry for entry in original.sheets}
    for name in changed:
        mine = {(row, column) for known, row, column in targets if name in sheets and known == sheets[name].name}
        if name == original.part:
            same = calculation_undone(before.read(name), after.read(name), name)
        elif mine:
            known, old, new = original.scan(sheets[name]), before.read(name), after.read(name)
            same = only_cells(old, new, name, mine, known) or sheet_undone(old, new, name, mine, known) == old
        else:
            same = False
        if not same:
            raise Refused(
                "The part differs outside the answer cells.", where=f"{after.file}, {name}", remedy="Export again from the original."
            )
    return len(before.names()) - len(changed), changed


def calculation_undone(before: bytes, after: bytes, part: str) -> bool:
    """Whether setting `fullCalcOnLoad` on the original gives the exported part."""
    edit = calculation_edit(before, part)
    return edit is not None and apply(before, [edit]) == after


def only_cells(before: bytes, after: bytes, part: str, targets: Places, known: Scan) -> bool:
    """The quick proof: stretch by stretch the same bytes, and at each target one cell in place of another.

    False says nothing: rows or cells may have been added, which `sheet_undone` judges.
    """
    places = sorted(anchor(known, *place) for place in targets)
    cells = [(known.cell(*place), address(*place)) for place in places]
    found: list[bytes] = []
    left = right = 0
    for cell, _ in cells:
        if cell is None or after[right : right + cell.start - left] != before[left : cell.start]:
            return False
        right += cell.start - left
        end = _cell_end(after, right, known.prefix)
        if not end:
            return False
        found.append(after[right:end])
        left, right = cell.end, end
    return after[right:] == before[left:] and _are_cells(found, [name for _, name in cells], part, known.prefix)


def _cell_end(data: bytes, start: int, prefix: str) -> int:
    """Where the cell at `start` ends; 0 where none stands there. What is no single element is found out by `_are_cells`."""
    tag = data.find(b">", start)
    if tag < 0 or not data.startswith(f"<{prefix}c ".encode(), start):
        return 0
    if data[tag - 1 : tag] == b"/":
        return tag + 1
    closing = f"</{prefix}c>".encode()
    place = data.find(closing, tag)
    return place + len(closing) if place >= 0 else 0


def _are_cells(found: list[bytes], names: list[str], part: str, prefix: str) -> bool:
    """Whether each piece is exactly one cell of its address without a formula."""
    seen: list[str] = []
    depth = [0]
    parser = markup.parser(part)

    def start(name: str, attributes: dict[str, str]) -> None:
        depth[0] += 1
        if depth[0] == 2:
            seen.append(attributes.get("r", "") if name == f"{prefix}c" else "")
        if markup.local(name) == "f":
            seen.append("")

    def end(name: str) -> None:
        depth[0] -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    markup.run(parser, b"<x>" + b"".join(found) + b"</x>", part)
    return seen == names


def sheet_undone(before: bytes, after: bytes, part: str, targets: Places, known: Scan | None = None) -> bytes:
    """The exported sheet part with the original's bytes put back at the targets (merged cells by their anchors).

    `known` is the original's scan where there is one.
    """
    old, new = known or sheet.scan(before, part, _Any()), sheet.scan(after, part, _Any())
    places = {anchor(old, *place) for place in targets}
    edits: list[Edit] = []
    for number, row in new.rows.items():
        mine = {column for line, column in places if line == number}
        if mine or number not in old.rows:
            edits += _row_undone(before, after, old.rows.get(number), row, mine)
    return apply(after, edits + _dimension_undone(before, after, old, new))


class _Any(list[str]):
    """Shared strings for a scan that is only after offsets: any index is fine, and no text is kept."""

    def __len__(self) -> int:
        return 1 << 60

    def __getitem__(self, index: object) -> str:  # type: ignore[override]
        return ""


def _row_undone(before: bytes, after: bytes, old: Row | None, new: Row, mine: set[int]) -> list[Edit]:
    if old is None:
        return [Edit(new.start, new.end, b"")] if mine.issuperset(new.cells) else []
    if old.head == old.end and mine.issuperset(new.cells) and _plain(before, old) == _plain(after, new):
        return [Edit(new.start, new.end, before[old.start : old.end])]
    edits = []
    for column, cell in new.cells.items():
        if column in mine and not cell.formula:
            known = old.cells.get(column)
            edits.append(Edit(cell.start, cell.end, before[known.start : known.end] if known else b""))
    if before[old.start : old.head] != after[new.start : new.head] and _plain(before, old) == _plain(after, new):
        edits.append(Edit(new.start, new.head, before[old.start : old.head]))
    return edits


def _plain(data: bytes, row: Row) -> bytes:
    """The row's start tag without the value of `spans` and without the slash of an empty row."""
    tag = data[row.start : row.head]
    for quote in (b'"', b"'"):
        tag = tag.replace(b" spans=" + quote + row.spans.encode() + quote, b" spans", 1)
    return tag.rstrip(b">").rstrip(b"/").rstrip()


def _dimension_undone(before: bytes, after: bytes, old: Scan, new: Scan) -> list[Edit]:
    if not old.dimension or not new.dimension:
        return []
    return [Edit(new.dimension[0], new.dimension[1], before[old.dimension[0] : old.dimension[1]])]
