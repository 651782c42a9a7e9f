"""Harm: two containers with the same members, or one container that two programs read differently."""

from __future__ import annotations

import io
import zipfile

import pytest

from trustops.signing import container

SMALL = {"VERIFY.md": b"read me", "a.txt": b"", "folder/ü.txt": b"PK\3\4 is no header in here"}


def test_what_is_packed_is_what_is_read_and_other_programs_read_it_too() -> None:
    data = container.pack(SMALL)
    assert container.unpack(data) == SMALL
    with zipfile.ZipFile(io.BytesIO(data)) as other:
        assert other.testzip() is None
        assert {name: other.read(name) for name in other.namelist()} == SMALL
        assert {entry.date_time for entry in other.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_order_in_which_members_come_changes_nothing() -> None:
    assert container.pack(dict(reversed(SMALL.items()))) == container.pack(SMALL)


def test_every_flipped_bit_is_found_or_changes_a_member() -> None:
    """A flip within a member's bytes breaks its checksum too: nothing of a container is left unread."""
    data = bytearray(container.pack(SMALL))
    for at in range(len(data)):
        for bit in range(8):
            data[at] ^= 1 << bit
            with pytest.raises(ValueError):
                container.unpack(bytes(data))
            data[at] ^= 1 << bit
    assert container.unpack(bytes(data)) == SMALL


def test_another_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(container, "_rank", lambda name: tuple(-byte for byte in name.encode()))
        other = container.pack(SMALL)
    assert (len(other), other != container.pack(SMALL)) == (len(container.pack(SMALL)), True)
    with pytest.raises(ValueError, match="not in the canonical form from byte"):
        container.unpack(other)


@pytest.mark.parametrize(
    "other", [b"", b"PK", b"PK\3\4", container.pack(SMALL)[:-1], container.pack(SMALL) + b"\0", b"x" + container.pack(SMALL)]
)
def test_what_is_cut_or_added_is_found(other: bytes) -> None:
    with pytest.raises(ValueError):
        container.unpack(other)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/../b", "/etc/passwd", "a\\b", "C:x", "a//b", "a/b/c", "x\0y", "x\ny", "a/", "\udc80", "n" * 256]
)
def test_a_name_that_may_lead_outside_is_neither_written_nor_read(name: str) -> None:
    with pytest.raises(ValueError):
        container.pack({"VERIFY.md": b"", name: b""})


def test_names_that_some_systems_take_for_one_are_refused() -> None:
    with pytest.raises(ValueError, match="capitals"):
        container.pack({"a.txt": b"1", "A.TXT": b"2"})


def test_a_member_that_claims_more_than_there_is_is_found_without_reserving_it() -> None:
    data = bytearray(container.pack({"VERIFY.md": b"x"}))
    for field in (18, 22):
        data[field : field + 4] = b"\xff\xff\xff\xff"
    with pytest.raises(ValueError, match="reaches past the end"):
        container.unpack(bytes(data))
