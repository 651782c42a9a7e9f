"""The writer for workbooks: answers are spliced into the sheet parts, everything else is carried over byte for byte.

Only target `<c>` elements are replaced or inserted, with the row's `spans`, the sheet's `<dimension>` and the workbook's
`fullCalcOnLoad` where they must follow (product.md, invariant 8; ECMA-376 part 1, 18.3.1.4, 18.3.1.73, 18.2.2).
"""

from __future__ import annotations

from bisect import bisect_left

from trustops.domain.errors import MalformedFile, Refused, UnknownName
from trustops.formats.questionnaires import limits, markup, vocabulary
from trustops.formats.questionnaires.address import Area, address, area, position
from trustops.formats.questionnaires.archive import Archive, rewrite
from trustops.formats.questionnaires.edits import Edit, apply
from trustops.formats.questionnaires.sheet import Row, Scan, Validation
from trustops.formats.questionnaires.typed import LONGEST, Value, content
from trustops.formats.questionnaires.workbook import SheetEntry, Workbook


def workbook_bytes(book: Workbook, values: list[Value]) -> tuple[bytes, list[str]]:
    """The answered workbook and the names of the parts that changed. Raises before anything is built if one value is refused."""
    refuse_signed(book.archive)
    targets = resolve(book, values)
    changed = {}
    for entry in book.sheets:
        mine = {(row, column): value for (name, row, column), value in targets.items() if name == entry.name}
        if mine:
            data = book.archive.read(entry.part)
            changed[entry.part] = apply(data, sheet_edits(book, entry, data, mine))
    main = recalculated(book, changed)
    if main is not None:
        changed[book.part] = main
    return rewrite(book.archive, changed), sorted(changed)


def refuse_signed(archive: Archive) -> None:
    """Raises Refused where a signature would break."""
    if any(name.lower().startswith("_xmlsignatures/") for name in archive.names()):
        raise Refused(
            "The file is digitally signed; writing would break the signature.", where=archive.file, remedy="Ask for an unsigned copy."
        )


def check(book: Workbook, value: Value) -> None:
    """Raises Refused or UnknownName where the value may not stand in its cell."""
    refuse_signed(book.archive)
    for (name, row, column), known in resolve(book, [value]).items():
        entry = book.entry(name)
        if entry:
            _element(book, book.scan(entry), row, column, known)


def resolve(book: Workbook, values: list[Value]) -> dict[tuple[str, int, int], Value]:
    """The values by sheet, row and column of the cell that will hold them, every rule checked."""
    found: dict[tuple[str, int, int], Value] = {}
    for value in values:
        entry = book.entry(value.sheet)
        if entry is None or entry.state == "chart":
            raise UnknownName(f"The workbook has no sheet {value.sheet!r}.", where=book.archive.file, remedy="Parse the file anew.")
        place = anchor(book.scan(entry), *position(value.cell))
        if (entry.name, *place) in found:
            raise Refused(
                "Two answers are for one cell.", where=f"sheet {value.sheet!r}, cell {address(*place)}", remedy="Keep one of them."
            )
        _admit(book, entry, place, value)
        found[(entry.name, *place)] = value
    return found


def anchor(scan: Scan, row: int, column: int) -> tuple[int, int]:
    """The cell that shows what a covered cell of a merged range would."""
    for merged in scan.merges:
        if merged.covers(row, column):
            return merged.top, merged.left
    return row, column


def _admit(book: Workbook, entry: SheetEntry, place: tuple[int, int], value: Value) -> None:
    scan, where = book.scan(entry), f"sheet {entry.name!r}, cell {address(*place)}"
    cell = scan.cell(*place)
    if not scan.rows:
        raise Refused("The sheet is empty; no answer belongs there.", where=where, remedy="Parse the file anew.")
    if cell and cell.formula:
        raise Refused(
            "The cell holds a formula; a formula is never overwritten.", where=where, remedy="Answer the cell that the formula reads."
        )
    if len(value.value) > LONGEST:
        raise Refused(f"The answer has {len(value.value):,} characters; a cell takes {LONGEST:,}.", where=where, remedy="Shorten it.")
    for known in scan.validations:
        if value.value and any(a.covers(*place) for a in known.areas):
            _validate(book, entry, known, value, where)


def _validate(book: Workbook, entry: SheetEntry, known: Validation, value: Value, where: str) -> None:
    if known.type == "list":
        allowed = vocabulary.members(book, entry, known.formula)
        if allowed and value.value not in allowed:
            shown = ", ".join(allowed[:8])
            raise Refused(f"{value.value[:60]!r} is not in the cell's list ({shown}).", where=where, remedy="Choose a member of the list.")
    elif limits.breaks(known, value.value):
        raise Refused(
            f"The cell takes {limits.wording(known)}; the answer is {limits.measure(known, value.value)}.",
            where=where,
            remedy="Shorten or correct it.",
        )


def sheet_edits(book: Workbook, entry: SheetEntry, data: bytes, targets: dict[tuple[int, int], Value]) -> list[Edit]:
    """The edits of one sheet part."""
    scan, edits = book.scan(entry), list[Edit]()
    by_row: dict[int, dict[int, Value]] = {}
    for (row, column), value in targets.items():
        by_row.setdefault(row, {})[column] = value
    numbers = list(scan.rows)
    for number in sorted(by_row):
        line = scan.rows.get(number)
        made = {column: _element(book, scan, number, column, value) for column, value in by_row[number].items()}
        edits += _row_edits(scan, data, line, made) if line else [_new_row(scan, numbers, number, made)]
    return _merge_insertions(edits) + _dimension_edit(scan, data, targets)


def _merge_insertions(edits: list[Edit]) -> list[Edit]:
    """Insertions at one offset as one edit, in the order of their rows."""
    merged: dict[tuple[int, int], bytes] = {}
    for edit in edits:
        merged[edit.start, edit.end] = merged.get((edit.start, edit.end), b"") + edit.new
    return [Edit(start, end, new) for (start, end), new in merged.items()]


def _element(book: Workbook, scan: Scan, row: int, column: int, value: Value) -> bytes:
    cell = scan.cell(row, column)
    style = cell.style if cell else style_for(scan, row, column)
    p = scan.prefix
    kind, inner = content(value, book.style(style), p, since_1904=book.since_1904)
    attributes = f' r="{address(row, column)}"' + (f' s="{style}"' if style else "") + (f' t="{kind}"' if kind else "")
    return (f"<{p}c{attributes}>{inner}</{p}c>" if inner else f"<{p}c{attributes}/>").encode()


def style_for(scan: Scan, row: int, column: int) -> int:
    """The style of a new cell: that of the nearest cell of its column which may hold an answer, else the column's."""
    blank = [
        (abs(number - row), number, cell.style)
        for number, line in scan.rows.items()
        if (cell := line.cells.get(column)) and not cell.text and not cell.formula and cell.style
    ]
    if blank:
        return min(blank)[2]
    return next((style for first, last, style in scan.column_styles if first <= column <= last), 0)


def _row_edits(scan: Scan, data: bytes, row: Row, made: dict[int, bytes]) -> list[Edit]:
    edits: list[Edit] = []
    columns = list(row.cells)
    empty = row.tail == row.head == row.end  # <row .../>
    for column in sorted(made):
        known = row.cells.get(column)
        if known:
            edits.append(Edit(known.start, known.end, made[column]))
        elif not empty:
            place = bisect_left(columns, column)
            offset = row.cells[columns[place]].start if place < len(columns) else row.tail
            edits.append(Edit(offset, offset, made[column]))
    tag = _spanned(data[row.start : row.head], row.spans, min(made), max(made))
    if empty:
        body = b"".join(made[column] for column in sorted(made))
        return [Edit(row.start, row.end, tag[: tag.rindex(b"/")] + b">" + body + f"</{scan.prefix}row>".encode())]
    return edits if tag == data[row.start : row.head] else [*edits, Edit(row.start, row.head, tag)]


def _spanned(tag: bytes, spans: str, low: int, high: int) -> bytes:
    """The row's start tag with `spans` widened to the new cells; several spans (18.18.94) widen at the ends."""
    try:
        pairs = [tuple(map(int, part.split(":"))) for part in spans.split()]
        first, last = min(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    except (ValueError, IndexError):
        return tag
    if first <= low and high <= last:
        return tag
    new = f"{min(first, low)}:{max(last, high)}".encode()
    return _attribute(tag, b"spans", spans.encode(), new)


def _attribute(tag: bytes, name: bytes, old: bytes, new: bytes) -> bytes:
    for quote in (b'"', b"'"):
        tag = tag.replace(b" " + name + b"=" + quote + old + quote, b" " + name + b"=" + quote + new + quote, 1)
    return tag


def _new_row(scan: Scan, numbers: list[int], number: int, made: dict[int, bytes]) -> Edit:
    p, (_, head, tail) = scan.prefix, scan.data
    body = b"".join(made[column] for column in sorted(made))
    row = f'<{p}row r="{number}">'.encode() + body + f"</{p}row>".encode()
    if head == tail and not numbers:
        raise MalformedFile("The sheet has no rows.", where=f"row {number}", remedy="Parse the file anew.")
    place = bisect_left(numbers, number)
    offset = scan.rows[numbers[place]].start if place < len(numbers) else tail
    return Edit(offset, offset, row)


def _dimension_edit(scan: Scan, data: bytes, targets: dict[tuple[int, int], Value]) -> list[Edit]:
    """Widen `<dimension>` where a target lies outside, since readers that trust it would not see the answer."""
    if not scan.dimension:
        return []
    start, end, reference = scan.dimension
    try:
        old = area(reference)
    except ValueError:
        return []
    rows, columns = [row for row, _ in targets], [column for _, column in targets]
    new = Area(min(old.top, *rows), min(old.left, *columns), max(old.bottom, *rows), max(old.right, *columns))
    if new == old:
        return []
    value = f"{address(new.top, new.left)}:{address(new.bottom, new.right)}".encode()
    return [Edit(start, end, _attribute(data[start:end], b"ref", reference.encode(), value))]


def recalculated(book: Workbook, changed: dict[str, bytes]) -> bytes | None:
    """The workbook part with `fullCalcOnLoad`, so that formulas that read an answer are not shown stale; None where it needs no change."""
    data = book.archive.read(book.part)
    edit = calculation_edit(data, book.part)
    if edit is None or not changed or not any(_formulas(book.archive.read(entry.part)) for entry in book.sheets):
        return None
    return apply(data, [edit])


def _formulas(data: bytes) -> bool:
    """A cheap look; a false hit only costs the customer's program one recalculation."""
    return any(sign in data for sign in (b"<f>", b"<f ", b":f>", b":f "))


def calculation_edit(data: bytes, part: str) -> Edit | None:
    """The edit that sets `fullCalcOnLoad="1"` (18.2.2), None where it is set."""
    places: dict[str, tuple[int, int]] = {}
    given: dict[str, str] = {}
    prefix = [""]
    parser = markup.parser(part)

    def start(name: str, attributes: dict[str, str]) -> None:
        local = markup.local(name)
        if local == "workbook":
            prefix[0] = name[: -len(local)]
        if local == "calcPr":
            given.update(attributes)
            places.setdefault("calcPr", (parser.CurrentByteIndex, 0))

    def end(name: str) -> None:
        local = markup.local(name)
        if local in ("sheets", "functionGroups", "externalReferences", "definedNames"):
            place = parser.CurrentByteIndex
            closed = data.startswith(f"</{name}".encode(), place)
            places["after"] = (data.index(b">", place) + 1 if closed else place, 0)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    markup.run(parser, data, part)
    if "calcPr" not in places:
        place = places["after"][0]
        return Edit(place, place, f'<{prefix[0]}calcPr fullCalcOnLoad="1"/>'.encode())
    return _set_flag(data, places["calcPr"][0], f"{prefix[0]}calcPr", given.get("fullCalcOnLoad"))


def _set_flag(data: bytes, place: int, name: str, value: str | None) -> Edit | None:
    if value in ("1", "true"):
        return None
    if value is None:
        place += 1 + len(name.encode())
        return Edit(place, place, b' fullCalcOnLoad="1"')
    end = data.index(b">", place) + 1
    return Edit(place, end, _attribute(data[place:end], b"fullCalcOnLoad", value.encode(), b"1"))
