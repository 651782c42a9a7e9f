"""Harm: the disk, another process, another version of the program or somebody with the file open leaves the books half-written or a person
without a clear word."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import AT, House
from trustops import assembly
from trustops.domain.errors import NotAllowed, Refused, StaleVersion, TrustOpsError, Unavailable, UsageError
from trustops.operations.approving import approve, approve_green, reject
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.storage.ledger import open_ledger
from trustops.storage.migrating import HEAD

Count = Callable[[], dict[str, int]]
SOON_MS = 60
"""How long a writer waits here before it gives up; the product's own patience is longer."""


def file_of(house: House) -> Path:
    return house.folder / ".trustops" / "kestrel.db"


@pytest.fixture
def hurried(house: House) -> Iterator[House]:
    """The organisation with a ledger that does not wait long."""
    ledger = open_ledger(file_of(house), "kestrel", busy_ms=SOON_MS)
    yield house.with_office(ledger=ledger)
    ledger.close()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process writes for longer than anybody waits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


DEEDS: dict[str, Callable[[House, Path], object]] = {
    "approve": lambda house, out: approve(house.office, house.review, "K-3", 1, by="Ana"),
    "reject": lambda house, out: reject(house.office, house.review, "K-2", by="Ana", reason="say where"),
    "edit": lambda house, out: asyncio.run(
        edit_answer(house.office, house.review, "K-2", by="Bo", text="Audit logs are kept for 400 days.")
    ),
    "export": lambda house, out: export(house.office, house.review, out, to="Customer"),
}
"""Everything that a person answers for."""


@pytest.mark.parametrize("deed", DEEDS)
def test_a_ledger_that_another_process_holds_is_named_and_nothing_is_written(
    hurried: House, books: Count, tmp_path: Path, deed: str
) -> None:
    approve(hurried.office, hurried.review, "K-2", 1, by="Ana")
    before = books()
    with held(file_of(hurried)), pytest.raises(Unavailable, match=r"another process holds the ledger.*try again"):
        DEEDS[deed](hurried, tmp_path / "out")
    assert books() == before
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").iterdir())
    DEEDS[deed](hurried, tmp_path / "out")  # and afterwards it goes through


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """The system refuses to make any file of this process longer, as it does where a quota is used up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("deed", DEEDS)
def test_a_disk_that_takes_no_more_is_named_and_nothing_is_half_written(house: House, books: Count, tmp_path: Path, deed: str) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    before = books()
    with files_no_longer_than(2_000), pytest.raises(TrustOpsError, match=r"disk|written"):
        DEEDS[deed](house, tmp_path / "out")
    assert books() == before
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").iterdir())
    DEEDS[deed](house, tmp_path / "out")


def test_a_full_database_is_named_and_nothing_is_half_written(house: House, books: Count) -> None:
    before = books()
    with house.office.ledger.engine.connect() as connection:  # type: ignore[attr-defined]
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def write_on() -> None:
        for number in range(200):
            reject(house.office, house.review, "K-2", by="Ana", reason=f"{number} " * 2_000)

    with pytest.raises(Unavailable, match=r"the disk is full.*make room"):
        write_on()
    after = books()
    assert after["approvals"] - before["approvals"] == after["audit"] - before["audit"] == after["events"] - before["events"]
    assert house.office.ledger.verify_chain().ok


def test_an_export_folder_that_may_not_be_written_is_named_and_nothing_is_on_record(house: House, books: Count, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    before = books()
    (tmp_path / "out").write_text("this is a file, no folder", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        export(house.office, house.review, tmp_path / "out", to="Customer")
    assert books() == before


def as_nobody(work: Callable[[], object]) -> str:
    """What somebody without rights gets: the work in a child of that account. Empty where it went through."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  another process
        told = "the child failed"
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            work()
            told = ""
        except TrustOpsError as refusal:
            told = f"refused: {refusal}"
        except BaseException as fault:  # noqa: BLE001  it is told to the parent, whatever it is
            told = f"fault: {type(fault).__name__}: {fault}"
        finally:
            os.write(writing, told.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told


@pytest.fixture
def locked_away(house: House) -> Iterator[Path]:
    """The organisation in a folder that others may read and nobody may write."""
    house.office.ledger.close()  # type: ignore[attr-defined]
    house.office.index.close()  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        folder = Path(parent) / "kestrel"
        shutil.copytree(house.folder, folder)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield folder
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)


def test_a_workspace_that_may_only_be_read_is_refused_in_a_sentence(locked_away: Path) -> None:
    before = {path: path.read_bytes() for path in locked_away.rglob("*") if path.is_file()}
    told = as_nobody(
        lambda: open_ledger(locked_away / ".trustops" / "kestrel.db", "kestrel").append_withdrawal("A", by="", at=AT, reason="")
    )
    assert told.startswith("refused:"), told
    assert re.search("cannot be (written|opened)", told)
    told = as_nobody(lambda: assembly.office(locked_away))
    assert told.startswith("refused:"), told
    assert {path: path.read_bytes() for path in locked_away.rglob("*") if path.is_file()} == before


def test_a_workspace_without_room_for_the_programs_own_files_is_refused_in_a_sentence(locked_away: Path) -> None:
    shutil.rmtree(locked_away / ".trustops")
    told = as_nobody(lambda: assembly.office(locked_away))
    assert told.startswith("refused:"), told
    assert not (locked_away / ".trustops").exists()


def test_a_ledger_of_a_newer_version_is_refused_and_left_as_it_is(house: House) -> None:
    house.office.ledger.close()  # type: ignore[attr-defined]
    path = file_of(house)
    with closing(sqlite3.connect(path)) as books:
        books.execute("UPDATE alembic_version SET version_num = '9999'")
        books.commit()
        books.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    with pytest.raises(UsageError, match=f"newer version of the program .schema 9999; this one knows up to {HEAD}.*Update the program"):
        open_ledger(path, "kestrel")
    assert path.read_bytes() == before


def tamper(house: House, old: str, new: str) -> None:
    """Somebody with the file open writes past the triggers."""
    with closing(sqlite3.connect(file_of(house))) as books:
        for (name,) in books.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'answers'").fetchall():
            books.execute(f"DROP TRIGGER {name}")
        changed = books.execute("UPDATE answers SET body = replace(body, ?, ?) WHERE question = 'K-2'", (old, new)).rowcount
        books.commit()
    assert changed == 1


@pytest.mark.parametrize("approved_before", [True, False])
def test_an_answer_that_was_changed_past_the_ledger_is_neither_approved_nor_sent(
    house: House, books: Count, tmp_path: Path, approved_before: bool
) -> None:
    approve(house.office, house.review, "K-3", 1, by="Ana")
    if approved_before:
        approve(house.office, house.review, "K-2", 1, by="Ana")
    tamper(house, "400 days", "900 days")
    before = books()
    with pytest.raises(Refused, match=r"K-2: version 1 is not as it was written.*Restore it from a backup"):
        approve(house.office, house.review, "K-2", 1, by="Ana")
    assert approve_green(house.office, house.review, by="Ana") == ()
    assert books() == before
    made = export(house.office, house.review, tmp_path / "out", to="Customer")
    assert made.exported == ("K-3",)
    assert not [path for path in (tmp_path / "out").iterdir() if b"900 days" in path.read_bytes()]


def test_a_stale_version_and_an_unknown_person_are_told_what_to_do(house: House, books: Count) -> None:
    asyncio.run(edit_answer(house.office, house.review, "K-3", by="Bo", text="Yes. It is."))
    before = books()
    with pytest.raises(StaleVersion, match=r"version 1 is not the current one.*approve K-3@2"):
        approve(house.office, house.review, "K-3", 1, by="Ana")
    with pytest.raises(NotAllowed, match=r"'Nobody' is not among the people.*\[people\]"):
        approve(house.office, house.review, "K-3", 2, by="Nobody")
    assert books() == before


def test_two_takings_in_of_one_file_at_once_are_one_review(house: House) -> None:
    """The second finds the review of the first, which came while it was still reading the file."""
    from trustops.operations.intake import take_in

    with (house.folder / "another.csv").open("w", encoding="utf-8") as file:
        file.write("ID,Question,Answer\nZ-1,Are audit logs kept for at least one year?,\n")

    class Overtaken:
        def read(self, path: Path, mapping: Path | None = None) -> object:
            found = house.office.formats.read(path, mapping)
            take_in(house.office, path)
            return found

    second = take_in(replace(house.office, formats=Overtaken()), house.folder / "another.csv")  # type: ignore[arg-type]
    assert [review.id for review in house.office.ledger.reviews()].count(second.id) == 1
