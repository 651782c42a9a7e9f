"""Harm: one byte outside the answer cells is not the customer's any more, and nobody notices.

A sample of the random edit sets runs with every test; the thousand of the claim runs with `make test-long`.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import openpyxl
import pytest
import python_calamine

from trustops.domain.errors import Refused
from trustops.formats.questionnaires import intake, markup, reading, splice, unsplice, workbook, writing
from trustops.formats.questionnaires.address import address
from trustops.formats.questionnaires.typed import Value
from trustops.testing import workbooks

from .conftest import DATA

SHIPPED = ("harborview.xlsx", "qramm_120_questions.xlsx", "qramm_assessment_toolkit.xlsx", "trustdeck_acme_demo.xlsx")
WORDS = (
    "Yes", "No, not yet.", "=1+1", "-5", "a\nb", " led by a blank", "_x0041_", "<b>&amp;</b>", "naïve 数据 \u202e", "\u0007bell",
    "x" * 3_000,
)  # fmt: skip


def names() -> list[str]:
    """At least twelve fixture workbooks: the shipped ones and the generated ones."""
    return [*SHIPPED, *workbooks.makers()]


@cache
def original(name: str) -> bytes:
    return (DATA / name).read_bytes() if name in SHIPPED else workbooks.makers()[name]().book.bytes()


def edit_set(book: workbook.Workbook, chance: random.Random) -> list[Value]:
    """Random cells of random sheets, answered and empty ones, far ones too; values that a cell refuses are left out one by one."""
    sheets = [entry for entry in book.sheets if entry.state != "chart"]
    values: dict[tuple[str, tuple[int, int]], Value] = {}
    for _ in range(chance.randint(1, 12)):
        entry = chance.choice(sheets)
        rows = list(book.scan(entry).rows)
        row = chance.choice(rows) if rows and chance.random() < 0.8 else chance.randint(1, 3_000)
        value = Value(entry.name, address(row, chance.randint(1, 30)), chance.choice(WORDS))
        try:
            splice.check(book, value)
        except Refused:
            continue
        values[entry.name, splice.anchor(book.scan(entry), row, splice.position(value.cell)[1])] = value
    return list(values.values())


def check_one(name: str, seed: int, folder: Path) -> int:
    """One random edit set: written, proved, and every member that holds no answer kept with its compressed bytes."""
    source, target = folder / f"{seed}.xlsx", folder / f"{seed}.out.xlsx"
    source.write_bytes(original(name))
    book = workbook.load(source)
    values = edit_set(book, random.Random(seed))
    data, changed = splice.workbook_bytes(book, values)
    target.write_bytes(data)
    after = intake.open_archive(target)
    places = {(value.sheet, *splice.position(value.cell)) for value in values}
    assert sorted(unsplice.compare(book, after, places)[1]) == sorted(changed)
    assert all(book.archive.raw(member) == after.raw(member) for member in after.names() if member not in changed)
    _order_is_kept(source, target)
    again = workbook.load(target)
    for value in values:
        entry = again.entry(value.sheet)
        assert entry
        place = splice.anchor(book.scan(entry), *splice.position(value.cell))
        cell = again.scan(entry).cell(*place)
        assert (cell.text if cell else "") == value.value.replace("\r\n", "\n")
    source.unlink()
    target.unlink()
    return len(values)


def _order_is_kept(source: Path, target: Path) -> None:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target) as new:
        assert new.testzip() is None
        assert [(i.filename, i.date_time, i.external_attr) for i in old.infolist()] == [
            (i.filename, i.date_time, i.external_attr) for i in new.infolist()
        ]


@pytest.mark.parametrize("name", names())
def test_random_edits_leave_no_stray_byte(name: str, tmp_path: Path) -> None:
    assert len(names()) >= 12
    assert sum(check_one(name, seed, tmp_path) for seed in range(1, 2)) > 0


@pytest.mark.long
def test_a_thousand_random_edit_sets_leave_no_stray_byte(tmp_path: Path) -> None:
    everywhere = names()
    done = [check_one(everywhere[seed % len(everywhere)], seed, tmp_path) for seed in range(1_000)]
    assert len(done) == 1_000
    assert sum(done) > 3_000


def answered(name: str, folder: Path) -> tuple[Path, list[dict[str, str]]]:
    """A workbook with all its answer cells filled."""
    source, target = folder / "a.xlsx", folder / "b.xlsx"
    source.write_bytes(original(name))
    sample = {"text": "A text & <more>", "number": "4", "date": "2026-05-31", "tick": "x"}
    values = [
        {"sheet": a["sheet"], "cell": a["cell"], "value": a["vocabulary"][0] if a["vocabulary"] else sample[a["kind"]], "kind": a["kind"]}
        for q in reading.parse({"path": str(source)})["questions"]
        for a in q["answers"]
    ]
    refused = {(sheet, cell) for sheet, cell, _, _ in writing.refusals({"original": str(source), "values": values})}
    assert not refused
    writing.write({"original": str(source), "target": str(target), "values": values})
    return target, values


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["qramm_assessment_toolkit.xlsx", "higher education", "cloud", "maturity", "sections", "answer types"])
def test_other_programs_read_the_answers_back(name: str, tmp_path: Path) -> None:
    target, values = answered(name, tmp_path)
    book = openpyxl.load_workbook(target)
    texts = [value for value in values if value["kind"] not in ("number", "date")]
    assert all(markup.unescape(str(book[value["sheet"]][value["cell"]].value)) == value["value"] for value in texts)
    calamine = python_calamine.CalamineWorkbook.from_path(str(target))
    for sheet in {value["sheet"] for value in texts}:
        rows = calamine.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
        for value in (value for value in texts if value["sheet"] == sheet):
            row, column = splice.position(value["cell"])
            assert str(rows[row - 1][column - 1]) in (value["value"], f"{value['value']}.0")


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
@pytest.mark.parametrize("name", names())
def test_libreoffice_opens_what_was_exported(name: str, tmp_path: Path) -> None:
    target, _ = answered(name, tmp_path)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "csv", "--outdir"]
    subprocess.run([*command, str(tmp_path / "made"), str(target)], check=True, timeout=300, capture_output=True)
    assert list((tmp_path / "made").iterdir())


@pytest.mark.parametrize("harm", ["cell", "other part", "part lost", "style"])
def test_an_export_that_is_not_what_it_should_be_is_withdrawn(harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while writing, what differs elsewhere does not stay on the disk."""
    source, target = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    source.write_bytes(original("cloud"))
    honest = splice.rewrite

    def careless(archive: object, changed: dict[str, bytes]) -> bytes:
        part = "xl/worksheets/sheet2.xml"
        changes: dict[str, Callable[[], dict[str, bytes]]] = {
            "cell": lambda: {part: changed[part].replace(b"AA-00.2", b"AA-00.9")},
            "other part": lambda: {**changed, "xl/styles.xml": b"<styleSheet/>"},
            "part lost": lambda: {**changed, "xl/worksheets/sheet1.xml": b"<worksheet/>"},
            "style": lambda: {part: changed[part].replace(b'<c r="C3"', b'<c r="C3" s="5" cm="1"').replace(b'r="D3"', b'r="D3" s="5"')},
        }
        return honest(archive, changes[harm]())  # type: ignore[arg-type]

    monkeypatch.setattr(splice, "rewrite", careless)
    value = {"sheet": "CAIQ", "cell": "C3", "value": "Yes", "kind": "choice"}
    with pytest.raises(Refused, match="differs outside"):
        writing.write({"original": str(source), "target": str(target), "values": [value]})
    assert not target.exists()
