"""Harm: a damaged file brings the reader down, or makes the writer take other bytes for a cell. Bounded; more under `make test-long`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.domain.errors import TrustOpsError
from trustops.formats.questionnaires import csvfile, formulas, grid, sheet, splice, unsplice, word, wordsplice, workbook
from trustops.formats.questionnaires.edits import apply
from trustops.formats.questionnaires.typed import Value
from trustops.testing import documents, workbooks
from trustops.testing.workbook import plain

BOOK = workbooks.makers()["sections"]().book
PARTS = [plain().members()["xl/worksheets/sheet1.xml"], BOOK.members()["xl/worksheets/sheet2.xml"]]
DOCUMENT = documents.document(
    documents.lines(["Ref", "Question", "Answer"], *[[str(n), f"Do you protect our data in way {n}?", ""] for n in range(4)])
)
SNIPPETS = st.sampled_from(
    [b"", b"<c/>", b"</c>", b"<c r='A1'/>", b"<row>", b"</row>", b"<row/>", b">", b"<", b'"', b"'", b"&amp;", b"<![CDATA[</c>]]>",
     b"<!--</c>-->", b"<?x?>", b"\xff", b"\0", b' r="B2"', b"<f>1</f>", b"<mergeCell ref='A1:XFD9'/>", b"<w:p/>", b"</w:p>", b"<w:tbl>",
     b"<w:tc>"]
)  # fmt: skip
Edits = list[tuple[int, int, bytes]]
EDITS = st.lists(st.tuples(st.integers(0, 6_000), st.integers(0, 12), SNIPPETS), min_size=1, max_size=4)


def damaged(data: bytes, edits: Edits) -> bytes:
    for place, length, new in edits:
        place %= len(data) + 1
        data = data[:place] + new + data[place + length :]
    return data


def scan_and_splice(number: int, edits: Edits, cells: list[tuple[int, int]]) -> None:
    """Either the part is refused, or answers spliced into it come out again to the last byte."""
    part = damaged(PARTS[number], edits)
    try:
        scan = sheet.scan(part, "fuzz", unsplice._Any())
    except TrustOpsError:
        return
    for row in scan.rows.values():
        for cell in row.cells.values():
            assert part[cell.start : cell.start + 1] == b"<"
            assert part[cell.end - 1 : cell.end] == b">"
    entry = workbook.SheetEntry("S", 1, "visible", "fuzz")
    book = workbook.Workbook(None, "", [entry], scans={"S": scan})  # type: ignore[arg-type]
    targets = {splice.anchor(scan, *place): Value("S", "A1", "an answer") for place in cells}
    targets = {place: value for place, value in targets.items() if not (known := scan.cell(*place)) or not known.formula}
    if not scan.rows or not targets:
        return
    made = apply(part, splice.sheet_edits(book, entry, part, targets))
    assert unsplice.sheet_undone(part, made, "fuzz", set(targets)) == part


CELLS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(number=st.integers(0, 1), edits=EDITS, cells=CELLS)
def test_a_damaged_sheet_is_refused_or_comes_back_whole(number: int, edits: Edits, cells: list[tuple[int, int]]) -> None:
    scan_and_splice(number, edits, cells)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None)
@given(number=st.integers(0, 1), edits=EDITS, cells=CELLS)
def test_twenty_thousand_damaged_sheets(number: int, edits: Edits, cells: list[tuple[int, int]]) -> None:
    scan_and_splice(number, edits, cells)


def splice_document(edits: Edits, path: Path) -> None:
    """The same for the document part of a Word file."""
    path.write_bytes(DOCUMENT)
    good = word.load(path)
    data = damaged(good.data, edits)
    try:
        before = word.scan(good.archive, good.part, data)
        values = [Value("table 1", cell, "an answer") for cell in ("C2", "C3")]
        made = wordsplice.spliced(before, values)
    except TrustOpsError:
        return
    after = word.scan(good.archive, good.part, made)
    assert wordsplice.undone(before, after, [(value.sheet, value.cell) for value in values]) == data


@settings(max_examples=150, deadline=None)
@given(edits=EDITS)
def test_a_damaged_document_is_refused_or_comes_back_whole(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> None:
    splice_document(edits, tmp_path_factory.getbasetemp() / "fuzz.docx")


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from('IF(AND(OR(NOT(,"")=<>A1:$B$2!x '), max_size=120))
def test_no_formula_brings_the_reader_of_conditions_down(text: str) -> None:
    found = formulas.Formulas(grid.SheetGrid("S", 1)).condition(f"IF({text})")[0]
    assert found is None or len(found) <= formulas.MAX_GROUPS


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200) | st.text(st.sampled_from('",;\n\r\tab '), max_size=80).map(str.encode))
def test_no_bytes_bring_the_csv_reader_down(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(data)
    try:
        document = csvfile.load(path)
    except TrustOpsError:
        return
    assert document.mark + document.text.encode(document.encoding) == data
    assert all(document.text[part.start : part.end] or not part.value for record in document.records for part in record)
