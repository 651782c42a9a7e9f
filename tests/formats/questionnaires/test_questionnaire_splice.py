"""The customer's file comes back with answers in the answer cells and every other byte as it was."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.domain.errors import Refused, UnknownName, UsageError
from trustops.domain.question import CellValue, PartKind
from trustops.formats import questionnaires
from trustops.formats.questionnaires import intake, splice, unsplice, workbook, writing
from trustops.formats.questionnaires.typed import Value
from trustops.testing.workbook import DATE, HOURS, Book, Formula, Sheet, plain

from .conftest import book, layouts


def value(cell: str, text: str, kind: str = "text", sheet: str = "Security") -> dict[str, str]:
    return {"sheet": sheet, "cell": cell, "value": text, "kind": kind}


def written(made: Book, folder: Path, *values: dict[str, str]) -> Path:
    """The answered file, made without a child process."""
    original, target = made.save(folder / "a.xlsx"), folder / "b.xlsx"
    writing.write({"original": str(original), "target": str(target), "values": list(values)})
    return target


def refused(made: Book, folder: Path, *values: dict[str, str]) -> Refused:
    with pytest.raises(Refused) as refusal:
        written(made, folder, *values)
    assert not (folder / "b.xlsx").exists()
    return refusal.value


def test_the_demo_comes_back_with_nothing_changed_but_answers(demo: Path, tmp_path: Path) -> None:
    before = demo.read_bytes()
    sample = {"text": "=1+1 & <b> _x0041_", "number": "4", "date": "2026-05-31", "tick": "x"}
    cells = [
        CellValue(part=a.part, sheet=a.sheet, cell=a.cell, value=a.vocabulary[0] if a.vocabulary else sample[a.kind], kind=a.kind)
        for question in questionnaires.read(demo).questions
        for a in question.answers
    ]
    target = tmp_path / "answered.xlsx"
    changes = questionnaires.write(demo, target, cells)
    assert demo.read_bytes() == before
    assert (changes.identical, len(changes.changed)) == (19, 6)
    assert changes == questionnaires.compare(demo, target, cells)
    _other_cells_equal(demo, target, {(cell.sheet, cell.cell) for cell in cells})
    _other_members_raw(demo, target, set(changes.changed))


def _other_cells_equal(original: Path, exported: Path, targets: set[tuple[str, str]]) -> None:
    old, new = openpyxl.load_workbook(original), openpyxl.load_workbook(exported)
    for sheet in old:
        for row in new[sheet.title].iter_rows():
            for cell in row:
                same = sheet[cell.coordinate]
                assert same.style_id == cell.style_id
                assert (sheet.title, cell.coordinate) in targets or same.value == cell.value


def _other_members_raw(original: Path, exported: Path, changed: set[str]) -> None:
    """Untouched members keep their compressed bytes, not only their content."""
    old, new = workbook.load(original).archive, workbook.load(exported).archive
    for name in old.names():
        assert name in changed or old.raw(name) == new.raw(name)
    with zipfile.ZipFile(exported) as container:
        assert container.testzip() is None


def test_formula_cell_is_never_written(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].put("C3", Formula("D3", "mirror"))
    assert "formula" in refused(made, tmp_path, value("C3", "Yes"), value("C2", "Yes")).message


def test_a_choice_outside_the_list_is_never_written(tmp_path: Path) -> None:
    error = refused(plain(), tmp_path, value("C2", "Perhaps", "choice"))
    assert "Perhaps" in error.message
    assert error.where == "sheet 'Security', cell C2"


def test_a_choice_outside_an_x14_list_is_never_written(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].lists.clear()
    refused(made, tmp_path, value("D2", "Perhaps"), value("D2", "Perhaps"))
    made.sheets[0].choose_x14("C2:C6", '"Yes,No"')
    refused(made, tmp_path, value("C2", "Perhaps"))


def test_two_answers_for_one_cell_are_refused_even_through_a_merge(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].merge("D2:F2")
    refused(made, tmp_path, value("D2", "one"), value("E2", "two"))


def test_a_covered_cell_writes_to_its_anchor(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].merge("D2:F2")
    target = written(made, tmp_path, value("E2", "text"))
    assert openpyxl.load_workbook(target)["Security"]["D2"].value == "text"


def test_more_than_a_cell_takes_is_refused(tmp_path: Path) -> None:
    refused(plain(), tmp_path, value("D2", "x" * 32_768))


def test_a_signed_workbook_is_not_broken(tmp_path: Path) -> None:
    made = plain()
    made.extra["_xmlsignatures/sig1.xml"] = b"<Signature/>"
    assert "signed" in refused(made, tmp_path, value("D2", "x")).message


def test_what_is_no_number_or_date_is_not_written_as_one(tmp_path: Path) -> None:
    refused(plain(), tmp_path, value("D2", "about four", "number"))
    refused(plain(), tmp_path, value("D2", "NaN", "number"))
    refused(plain(), tmp_path, value("D2", "31/05/2026", "date"))


def test_an_unknown_sheet_or_cell_is_named(tmp_path: Path) -> None:
    for wrong in (value("D2", "x", sheet="Nowhere"), value("D0", "x"), value("XFE1", "x")):
        with pytest.raises(UnknownName):
            written(plain(), tmp_path, wrong)
    assert not (tmp_path / "b.xlsx").exists()


def test_formula_like_text_stays_text(tmp_path: Path) -> None:
    for text in ("=WEBSERVICE(1)", "+1", "@x", "-5", "a\tb", "line\nline", " lead and trail "):
        sheet = openpyxl.load_workbook(written(plain(), tmp_path, value("D2", text)))["Security"]
        assert (sheet["D2"].value, sheet["D2"].data_type) == (text, "s")


def test_numbers_and_dates_are_typed_where_the_cell_shows_them(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].put("D2", "", HOURS).put("D3", "", DATE)
    target = written(made, tmp_path, value("D2", "4", "number"), value("D3", "2026-05-31", "date"), value("D4", "2026-05-31", "date"))
    sheet = openpyxl.load_workbook(target)["Security"]
    assert sheet["D2"].value == 4
    assert sheet["D3"].value.isoformat() == "2026-05-31T00:00:00"
    assert sheet["D4"].value == "2026-05-31"


def test_a_new_cell_takes_the_style_of_its_column(tmp_path: Path) -> None:
    made = plain()
    del made.sheets[0].cells["D4"]
    sheet = openpyxl.load_workbook(written(made, tmp_path, value("D4", "new")))["Security"]
    assert sheet["D4"].style_id == sheet["D3"].style_id


def test_stale_results_are_recalculated_by_the_customers_program(tmp_path: Path) -> None:
    made = plain()
    made.sheets.append(Sheet("Progress").put("A1", Formula("COUNTA(Security!C2:C6)", "0")))
    for made.calculation in ("", '<calcPr calcId="1"/>', '<calcPr fullCalcOnLoad="0"/>'):
        target = written(made, tmp_path, value("D2", "x"))
        assert openpyxl.load_workbook(target).calculation.fullCalcOnLoad
        _proved(tmp_path, [("Security", 2, 4)])


def _proved(folder: Path, places: list[tuple[str, int, int]]) -> None:
    unsplice.compare(workbook.load(folder / "a.xlsx"), intake.open_archive(folder / "b.xlsx"), set(places))


def test_an_answer_outside_the_dimension_is_still_seen(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].dimension = "A1:B2"
    made.sheets[0].spans = "1:4"
    target = written(made, tmp_path, value("F2", "x"))
    rows = openpyxl.load_workbook(target, read_only=True)["Security"].iter_rows(values_only=True)
    assert list(rows)[1][5] == "x"


def test_a_change_outside_the_answer_cells_is_found(tmp_path: Path) -> None:
    written(plain(), tmp_path, value("D2", "x"))
    for places in ([], [("Security", 3, 4)]):
        with pytest.raises(Refused, match="differs outside"):
            _proved(tmp_path, places)


def test_an_appended_answer_column_gets_a_header(tmp_path: Path) -> None:
    lines = [["Ref", "Question"], ["a", "Do you encrypt all customer data?"], ["b", "Do you review access every quarter?"]]
    target = written(Book([Sheet("Form").rows(1, lines)]), tmp_path, value("C2", "Yes.", sheet="Form"))
    sheet = openpyxl.load_workbook(target)["Form"]
    assert [sheet["C1"].value, sheet["C2"].value, sheet["C3"].value] == ["Answer", "Yes.", None]


def test_the_original_is_never_the_target(tmp_path: Path) -> None:
    path = plain().save(tmp_path / "a.xlsx")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="overwrite the original"):
        questionnaires.write(path, path, [])
    assert path.read_bytes() == before


def test_a_refused_export_leaves_no_file_behind(tmp_path: Path) -> None:
    path = plain().save(tmp_path / "a.xlsx")
    wrong = CellValue(part="choice", sheet="Security", cell="C2", value="Perhaps", kind=PartKind.CHOICE)
    with pytest.raises(Refused):
        questionnaires.write(path, tmp_path / "b.xlsx", [wrong])
    assert list(tmp_path.iterdir()) == [path]


BOOKS = [book(layout).bytes() for layout in layouts()] + [plain().bytes()]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PLACE = st.tuples(st.integers(1, 30) | st.integers(600, 800), st.integers(1, 12))


@pytest.mark.filterwarnings("ignore:Data Validation extension")
@settings(max_examples=100, deadline=None)
@given(number=st.integers(0, len(BOOKS) - 1), edits=st.dictionaries(PLACE, TEXT, min_size=1, max_size=8))
def test_any_edits_can_be_taken_out_again_to_the_last_byte(
    number: int, edits: dict[tuple[int, int], str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "property.xlsx"
    path.write_bytes(BOOKS[number])
    original = workbook.load(path)
    entry = original.sheets[0]
    data, scan = original.archive.read(entry.part), original.scan(entry)
    free = {splice.anchor(scan, *place): text for place, text in edits.items()}
    targets = {place: Value(entry.name, "A1", text) for place, text in free.items()}
    answered = splice.apply(data, splice.sheet_edits(original, entry, data, targets))
    assert unsplice.sheet_undone(data, answered, entry.part, set(targets)) == data
    path.write_bytes(splice.rewrite(original.archive, {entry.part: answered}))
    sheet = openpyxl.load_workbook(path)[entry.name]
    for (row, column), text in free.items():
        assert _as_read(sheet.cell(row, column).value) == _as_typed(text)


def _as_typed(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _as_read(found: object) -> str:
    """openpyxl leaves ST_Xstring escapes as they stand; our own scanner is the one that decodes them."""
    from trustops.formats.questionnaires.markup import unescape

    return unescape(str(found or ""))
