"""Harm: what a killed process left is taken for an export, or what a living one writes is taken away from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.signing.placing import PREFIX, SUFFIX, place, waiting


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_is_removed_by_whoever_comes_next(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}gone{SUFFIX}").write_bytes(b"half")
    (tmp_path / ".trustops-notes").write_bytes(b"somebody's own")
    place({tmp_path / "receipt.json": b"{}"})
    assert names(tmp_path) == [".trustops-notes", "receipt.json"]


def test_what_a_living_process_writes_is_left_to_it(tmp_path: Path) -> None:
    with waiting() as mine:
        mine.write({tmp_path / "a": b"mine"})
        place({tmp_path / "b": b"theirs"})
        mine.place()
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == {"a": b"mine", "b": b"theirs"}


def test_files_that_are_not_placed_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with waiting() as files:
        files.write({tmp_path / "a": b"new", tmp_path / "deep" / "b": b"new"})
        assert (tmp_path / "a").read_bytes() == b"old"
    assert (names(tmp_path), names(tmp_path / "deep"), (tmp_path / "a").read_bytes()) == (["a", "deep"], [], b"old")


def test_a_folder_in_the_place_of_a_file_leaves_all_targets_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(OSError, match="a folder of this name"):
        place({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    assert names(tmp_path) == ["b"]
