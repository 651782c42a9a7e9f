"""Harm: a document is changed on the disk, and the program goes on with what it said before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trustops.formats.evidence import memory
from trustops.formats.evidence.memory import Memory


@pytest.fixture
def seen() -> list[str]:
    return []


@pytest.fixture
def read() -> Memory[str]:
    return Memory(worth=lambda result: result != "refused")


def ask(read: Memory[str], seen: list[str], *paths: Path) -> list[str]:
    def fresh(new: list[Path]) -> list[str]:
        seen.extend(path.name for path in new)
        return [path.read_text() for path in new]

    return read.read(paths, fresh)


def test_the_same_bytes_under_the_same_name_are_read_once(read: Memory[str], seen: list[str], tmp_path: Path) -> None:
    for name, text in (("a.md", "one"), ("b.md", "two")):
        (tmp_path / name).write_text(text)
    for _ in range(2):
        assert ask(read, seen, tmp_path / "a.md", tmp_path / "b.md") == ["one", "two"]
    assert seen == ["a.md", "b.md"]
    (tmp_path / "c.md").write_text("two")
    assert ask(read, seen, tmp_path / "c.md", tmp_path / "a.md") == ["two", "one"]
    assert seen == ["a.md", "b.md", "c.md"]


def test_a_change_that_keeps_size_time_and_inode_is_read(read: Memory[str], seen: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("kept for 400 days")
    ask(read, seen, path)
    before = path.stat()
    with path.open("r+") as file:
        file.write("kept for 030 days")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert ask(read, seen, path) == ["kept for 030 days"]


def test_what_changed_while_it_was_read_is_not_kept(read: Memory[str], seen: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("before")

    def meanwhile(new: list[Path]) -> list[str]:
        path.write_text("after")
        return ["before"]

    assert read.read([path], meanwhile) == ["before"]
    path.write_text("before")
    assert ask(read, seen, path) == ["before"]
    assert seen == ["a.md"], "a reading that may be of other bytes was kept"


def test_a_refusal_is_not_kept_and_a_file_that_is_gone_is_asked_for(read: Memory[str], seen: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one")
    for _ in range(2):
        assert read.read([path], lambda new: ["refused"]) == ["refused"]
    assert ask(read, seen, path) == ["one"]
    path.unlink()
    with pytest.raises(FileNotFoundError):
        ask(read, seen, path)


def test_no_more_is_kept_than_is_said(read: Memory[str], seen: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "KEPT", 2)
    paths = [tmp_path / f"{number}.md" for number in range(3)]
    for path in paths:
        path.write_text(path.name)
        ask(read, seen, path)
    seen.clear()
    ask(read, seen, *paths)
    assert seen == ["0.md"]
