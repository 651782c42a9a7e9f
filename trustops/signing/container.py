"""The canonical zip (APPNOTE 6.3): members stored, one order, one date, one form. Two programs that pack the same members make the same
bytes, so a reader rebuilds the container and compares every one of them. Nothing is inflated: there is no zip bomb in it."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping

MAX_BYTES = 256 * 1024 * 1024
MAX_MEMBERS = 2_000
FIRST = "VERIFY.md"
LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
VERSION, UNIX, UTF8, STORED, MIDNIGHT, DAY = 20, 3 << 8, 0x800, 0, 0, 0x21
"""DAY is 1 January 1980, the first day that the form knows."""
MODE = 0o100644 << 16
NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\\/:*?\"<>|\ud800-\udfff]+(?:/[^\x00-\x1f\x7f-\x9f\\/:*?\"<>|\ud800-\udfff]+)?")


def pack(members: Mapping[str, bytes]) -> bytes:
    """The container of these members; raises ValueError for a name that may not stand in it."""
    _admit(list(members))
    body, directory = bytearray(), bytearray()
    for name in sorted(members, key=_rank):
        data, raw, at = members[name], name.encode(), len(body)
        facts = (UTF8, STORED, MIDNIGHT, DAY, zlib.crc32(data), len(data), len(data), len(raw), 0)
        body += LOCAL.pack(b"PK\3\4", VERSION, *facts) + raw + data
        directory += CENTRAL.pack(b"PK\1\2", UNIX | VERSION, VERSION, *facts, 0, 0, 0, MODE, at) + raw
    count = len(members)
    if len(body) + len(directory) + END.size > MAX_BYTES:
        raise ValueError(f"the bundle is larger than {MAX_BYTES >> 20} MB")
    return bytes(body + directory + END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0))


def unpack(data: bytes) -> dict[str, bytes]:
    """The members of a container in its one form; raises ValueError with the place where it is not."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
    members: dict[str, bytes] = {}
    at = 0
    while data[at : at + 4] == b"PK\3\4":
        name, plain, end = _member(data, at)
        if name in members:
            raise ValueError(f"{name} stands in it twice")
        if len(members) == MAX_MEMBERS:
            raise ValueError(f"it holds more than {MAX_MEMBERS} members")
        members[name], at = plain, end
    built = pack(members)
    if built != data:
        raise ValueError(f"it is not in the canonical form from byte {_differs(built, data)} on")
    return members


def _member(data: bytes, at: int) -> tuple[str, bytes, int]:
    if len(data) < at + LOCAL.size:
        raise ValueError(f"it ends within the header at byte {at}")
    *_, method, _time, _day, _crc, packed, size, length, extra = LOCAL.unpack_from(data, at)
    start = at + LOCAL.size + length
    if method != STORED or packed != size or extra:
        raise ValueError(f"the member at byte {at} is not simply stored")
    if len(data) < start + size:
        raise ValueError(f"the member at byte {at} reaches past the end")
    try:
        name = data[at + LOCAL.size : start].decode()
    except UnicodeDecodeError:
        raise ValueError(f"the name of the member at byte {at} is not UTF-8") from None
    return name, data[start : start + size], start + size


def _admit(names: list[str]) -> None:
    if not names or len({name.casefold() for name in names}) != len(names):
        raise ValueError("it has no members, or two whose names differ in capitals only")
    for name in names:
        if len(name.encode(errors="replace")) > 255 or not NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
            raise ValueError(f"a member has the name {name[:80]!r}, which may lead outside")


def _rank(name: str) -> tuple[bool, bytes]:
    """VERIFY.md first, for the person who opens it; then by bytes."""
    return name != FIRST, name.encode()


def _differs(left: bytes, right: bytes) -> int:
    """The first byte in which two texts differ, found by halves."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[:middle] == right[:middle] else (low, middle - 1)
    return low
