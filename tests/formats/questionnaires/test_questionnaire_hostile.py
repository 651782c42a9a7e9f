"""Files that mean harm are refused with one clear sentence, in seconds, and leave the program alive."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from trustops.domain.errors import HostileFile, MalformedFile, UnknownName, UsageError
from trustops.formats import questionnaires
from trustops.formats.questionnaires import intake, workbook
from trustops.testing.workbook import hostile, plain

FILES = hostile()


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_seconds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "upload.xlsx"
    path.write_bytes(FILES[name]())
    started = time.monotonic()
    with pytest.raises(UsageError) as refusal:
        questionnaires.read(path)
    assert time.monotonic() - started < 5
    assert refusal.value.where
    assert refusal.value.remedy
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_wrong_is_told_apart(tmp_path: Path) -> None:
    kinds = {
        "encrypted": HostileFile,
        "entity bomb": HostileFile,
        "zip bomb": HostileFile,
        "cell flood": HostileFile,
        "not a zip": MalformedFile,
    }
    for name, kind in kinds.items():
        path = tmp_path / "upload.xlsx"
        path.write_bytes(FILES[name]())
        with pytest.raises(kind):
            questionnaires.read(path)


@pytest.mark.parametrize("suffix", [".docx", ".doc", ".xls", ".ods", ".exe", ""])
def test_an_unread_format_names_those_that_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"form{suffix}"
    path.write_bytes(b"anything")
    with pytest.raises(MalformedFile) as refusal:
        intake.admit(path)
    assert ".xlsx" in refusal.value.remedy


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        intake.admit(tmp_path / "none.xlsx")


def test_macros_and_links_are_flagged_and_never_followed(tmp_path: Path) -> None:
    made = plain()
    made.extra |= {"xl/vbaProject.bin": b"x", "xl/externalLinks/externalLink1.xml": b"<a/>"}
    found = questionnaires.read(made.save(tmp_path / "a.xlsm"))
    assert {skip.what for skip in found.skipped} >= {"macros", "links to other files"}


def test_a_list_outside_the_file_is_no_vocabulary(tmp_path: Path) -> None:
    made = plain()
    made.sheets[0].lists = [("C2:C6", "[1]Other!$A$1:$A$3")]
    assert workbook.load(made.save(tmp_path / "a.xlsx")).sheets
    assert questionnaires.read(tmp_path / "a.xlsx").questions[0].answers[0].vocabulary == ()
