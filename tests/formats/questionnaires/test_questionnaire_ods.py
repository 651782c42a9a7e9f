"""An OpenDocument sheet is read through LibreOffice where it is installed, and a clear sentence names it where it is not.

`office` stands in for LibreOffice on a machine without it: a program that is called as LibreOffice is, and writes a workbook.
"""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path

import openpyxl
import pytest

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.domain.question import CellValue
from trustops.formats import questionnaires
from trustops.formats.questionnaires import opendocument
from trustops.testing.workbook import HEAD, pack, plain

SPACES = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
TEXT = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
ROWS = (("Ref", "Question", "Response"), *((f"Q{n}", f"Do you protect the data of customers in way number {n}?", "") for n in range(1, 6)))


def sheet(inside: str = "", manifest: str = "") -> bytes:
    """An OpenDocument sheet of plain texts (ISO/IEC 26300)."""
    rows = "".join(f"<table:table-row>{''.join(_cell(text) for text in row)}</table:table-row>" for row in ROWS)
    table = f'<table:table table:name="Security">{inside}{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    content = f'{HEAD}<office:document-content {SPACES} {TEXT} office:version="1.2">{body}</office:document-content>'
    kind = opendocument.MIME.decode()
    entries = f'<m:file-entry m:full-path="/" m:media-type="{kind}"/><m:file-entry m:full-path="content.xml" m:media-type="text/xml"/>'
    listed = f'{HEAD}<m:manifest xmlns:m="{MANIFEST}" m:version="1.2">{entries}{manifest}</m:manifest>'
    return pack({"mimetype": opendocument.MIME, "content.xml": content.encode(), "META-INF/manifest.xml": listed.encode()})


def _cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>' if text else "<table:table-cell/>"


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that behaves as LibreOffice does: reads its arguments, writes `NAME.xlsx` into the folder after `--outdir`."""
    made = tmp_path / "made.xlsx"
    made.write_bytes(plain().bytes())
    script = tmp_path / "soffice"
    script.write_text(
        f"#!{sys.executable}\nimport shutil, sys\nfrom pathlib import Path\n"
        "folder = Path(sys.argv[sys.argv.index('--outdir') + 1])\n"
        "assert any(a.startswith('-env:UserInstallation=file://' + str(folder)) for a in sys.argv)\n"
        f"shutil.copy({str(made)!r}, folder / (Path(sys.argv[-1]).stem + '.xlsx'))\n",
        encoding="utf-8",
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(opendocument, "program", lambda: str(script))
    return script


def saved(folder: Path, data: bytes) -> Path:
    path = folder / "form.ods"
    path.write_bytes(data)
    return path


def test_without_libreoffice_the_refusal_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opendocument, "program", lambda: "")
    with pytest.raises(MalformedFile, match="LibreOffice") as refusal:
        questionnaires.read(saved(tmp_path, sheet()))
    assert "soffice" in refusal.value.remedy
    assert ".xlsx" in refusal.value.remedy


def answered(path: Path) -> None:
    """Read, answered and compared; the answers stand in a companion, the sheet is as it was."""
    before = path.read_bytes()
    found = questionnaires.read(path)
    assert (found.file, found.format, len(found.questions)) == ("form.ods", "ods", 5)
    assert any("companion workbook" in skipped.why for skipped in found.skipped)
    target, cell = path.with_name("answered.xlsx"), found.questions[0].answers[0]
    value = CellValue(part=cell.part, sheet=cell.sheet, cell=cell.cell, value="Yes", kind=cell.kind)
    assert questionnaires.refusals(path, [value]) == ()
    questionnaires.write(path, target, [value])
    assert path.read_bytes() == before
    assert openpyxl.load_workbook(target)["Security"][cell.cell].value == "Yes"
    assert questionnaires.compare(path, target, [value]).changed


def test_answers_go_into_a_companion_workbook(office: Path, tmp_path: Path) -> None:
    answered(saved(tmp_path, sheet()))


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_libreoffice_itself_makes_the_companion(tmp_path: Path) -> None:
    answered(saved(tmp_path, sheet()))


def test_a_program_that_fails_is_told(office: Path, tmp_path: Path) -> None:
    office.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    with pytest.raises(MalformedFile, match="ended with 3"):
        questionnaires.read(saved(tmp_path, sheet()))


@pytest.mark.parametrize(
    ("data", "kind", "what"),
    [
        (sheet('<table:table-source xlink:href="http://example.org/a.ods"/>'), HostileFile, "other files"),
        (sheet(manifest="<m:encryption-data/>"), HostileFile, "encrypted"),
        (pack({"mimetype": b"application/zip"}), MalformedFile, "not an OpenDocument sheet"),
        (b"plain words", MalformedFile, "damaged"),
        (pack({"mimetype": opendocument.MIME, "content.xml": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}), HostileFile, "document type"),
        (pack({"mimetype": opendocument.MIME, "zeros": bytes(70 * 1024 * 1024)}), HostileFile, "zip bomb"),
        (b"", MalformedFile, "empty"),
    ],
    ids=["links", "encrypted", "another kind", "no zip", "document type", "bomb", "empty"],
)
def test_a_hostile_sheet_never_reaches_libreoffice(
    data: bytes, kind: type[Exception], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opendocument, "program", lambda: pytest.fail("the program was looked for"))
    with pytest.raises(kind, match=what):
        questionnaires.read(saved(tmp_path, data))
