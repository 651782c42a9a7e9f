"""Files that mean harm are refused with one clear sentence, in seconds, and leave the program alive."""

from __future__ import annotations

import gc
import resource
from pathlib import Path

import pytest

from trustops import confine
from trustops.domain.errors import HostileFile, MalformedFile, UnknownName, UsageError
from trustops.formats import questionnaires
from trustops.formats.questionnaires import csvfile, intake, reading, workbook
from trustops.testing import documents
from trustops.testing.workbook import hostile, pack, plain

FILES = {f"{name}.xlsx": make for name, make in hostile().items()} | {
    f"{name}.{name.split()[0]}": make for name, make in documents.hostile().items()
}
CPU_S, PARENT_BYTES, READER_BYTES = 5, 64 * 1024 * 1024, 256 * 1024 * 1024
PEAK = """
with open({note!r}, "w") as note, open("/proc/self/status") as status:
    note.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_seconds_and_costs_the_parent_nothing(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seconds of processor time, which other work on the machine does not change; wall times stand in docs/formats.md.

    The reader says its own peak, where it lives to say it. The peak that the kernel keeps of ended children is no measure: a child
    inherits that of the process that starts it, so a large test worker would be blamed on the file.
    """
    note = tmp_path_factory.mktemp("peak") / "kilobytes"
    monkeypatch.setattr(confine, "BOOT", confine.BOOT + PEAK.format(note=str(note)))
    path = tmp_path / f"upload.{name.rpartition('.')[2]}"
    path.write_bytes(FILES[name]())
    gc.collect()
    before, spent = _resident(), _spent()
    with pytest.raises(UsageError) as refusal:
        questionnaires.read(path)
    assert _spent() - spent < CPU_S
    assert _resident() - before < PARENT_BYTES
    assert not note.exists() or int(note.read_text()) * 1024 < READER_BYTES
    assert refusal.value.where or "refused" in refusal.value.message or "could not be read" in refusal.value.message
    assert refusal.value.remedy
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == [path]


def _spent() -> float:
    """Processor seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _resident() -> int:
    """Resident memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_the_program_lives_on_after_all_of_them(tmp_path: Path) -> None:
    assert len(questionnaires.read(plain().save(tmp_path / "a.xlsx")).questions) == 5


def test_a_csv_of_many_fields_is_read_in_one_pass(tmp_path: Path) -> None:
    """Harm: a file without one kind of line end is searched for it again at every field, and an honest file hits the limits."""
    path = tmp_path / "long.csv"
    path.write_text("Ref,Question,Answer\n" + "".join(f"{n},Do you protect {n}?,\n" for n in range(100_000)), encoding="utf-8")
    assert len(csvfile.load(path).records) == 100_001


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
        path.write_bytes(hostile()[name]())
        with pytest.raises(kind):
            questionnaires.read(path)


@pytest.mark.parametrize("suffix", [".docx", ".doc", ".xls", ".ods", ".exe", ""])
def test_an_unread_format_names_those_that_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"form{suffix}"
    path.write_bytes(b"anything")
    with pytest.raises(MalformedFile) as refusal:
        intake.admit(path)
    assert ".xlsx" in refusal.value.remedy


@pytest.mark.parametrize("inside", [b"<c/>", b"<row/>", b'<row r="9"/>'])
def test_a_cell_or_row_within_another_is_refused(inside: bytes, tmp_path: Path) -> None:
    """Harm: the outer cell has no end, and an answer for it would take other bytes with it."""
    members = plain().members()
    part = "xl/worksheets/sheet1.xml"
    path = tmp_path / "a.xlsx"
    path.write_bytes(pack(members | {part: members[part].replace(b"</is></c>", b"</is>" + inside + b"</c>", 1)}))
    with pytest.raises(MalformedFile, match="within another"):
        reading.parse({"path": str(path)})


@pytest.mark.parametrize("encoding", [b"ISO-8859-1", b"TF-8", b"US-ASCII", b"Shift_JIS"])
def test_a_part_of_another_encoding_is_refused(encoding: bytes, tmp_path: Path) -> None:
    """Harm: an answer spliced in as UTF-8 is read by the customer's program as something else."""
    members = plain().members()
    part = "xl/worksheets/sheet1.xml"
    path = tmp_path / "a.xlsx"
    path.write_bytes(pack(members | {part: members[part].replace(b"UTF-8", encoding)}))
    with pytest.raises(MalformedFile, match="not in UTF-8"):
        reading.parse({"path": str(path)})


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
