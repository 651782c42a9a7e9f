"""The zip container (APPNOTE 6.3, ECMA-376 part 2): read within limits, written so that untouched members keep their compressed bytes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from trustops.domain.errors import HostileFile, MalformedFile

MAX_MEMBERS = 2_000
MAX_TOTAL = 200 * 1024 * 1024
MAX_PART = 64 * 1024 * 1024
MAX_KEPT = 16 * 1024 * 1024
MAX_RATIO = 200
RATIO_FROM = 4 * 1024 * 1024  # below this size a long run of blank cells is the usual reason for a high ratio

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
ANEW = "Save the file anew in its program and try again."


class Archive:
    """The members of one workbook, inflated on demand and at most as far as the limits allow."""

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self.known: dict[str, bytes] = {}
        self.kept = 0
        self.data = path.read_bytes()
        try:
            with zipfile.ZipFile(path) as container:
                self.entries = {entry.filename: entry for entry in container.infolist()}
                count, self.comment = len(container.infolist()), container.comment
        except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error) as error:
            raise MalformedFile(f"The zip container is damaged ({error}).", where=self.file, remedy=ANEW) from None
        self._admit(count)

    def _admit(self, count: int) -> None:
        if count != len(self.entries) or len({name.lower() for name in self.entries}) != count:
            raise HostileFile("A member of the zip container stands there twice.", where=self.file, remedy=ANEW)
        if count > MAX_MEMBERS or sum(entry.file_size for entry in self.entries.values()) > MAX_TOTAL:
            raise HostileFile(f"The zip container holds more than {MAX_MEMBERS} members or 200 MB.", where=self.file, remedy=ANEW)
        for name, entry in self.entries.items():
            self._admit_member(name, entry)

    def _admit_member(self, name: str, entry: zipfile.ZipInfo) -> None:
        where = f"{self.file}, {name[:80]}"
        if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/") or "\0" in name:
            raise HostileFile("A member of the zip container has a name that leads outside.", where=where, remedy=ANEW)
        if entry.flag_bits & 0x1:
            raise HostileFile("A member of the zip container is encrypted.", where=where, remedy="Remove the password and try again.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise MalformedFile("A member is compressed in a way that no workbook uses.", where=where, remedy=ANEW)
        if entry.file_size > MAX_PART or (entry.file_size > RATIO_FROM and entry.file_size > MAX_RATIO * max(1, entry.compress_size)):
            raise HostileFile("A member unpacks to more than a workbook needs (zip bomb).", where=where, remedy=ANEW)

    def names(self) -> list[str]:
        return list(self.entries)

    def raw(self, name: str) -> bytes:
        """The compressed bytes of a member, as they stand."""
        entry = self.entries[name]
        head = self.data[entry.header_offset : entry.header_offset + LOCAL.size]
        if len(head) < LOCAL.size or head[:4] != b"PK\3\4":
            raise MalformedFile("A member of the zip container is not where its directory says.", where=f"{self.file}, {name}", remedy=ANEW)
        fields = LOCAL.unpack(head)
        start = entry.header_offset + LOCAL.size + fields[9] + fields[10]
        return self.data[start : start + entry.compress_size]

    def read(self, name: str) -> bytes:
        """A member inflated; what is counted is what comes out, not what its header promises. Small workbooks are inflated once."""
        if name in self.known:
            return self.known[name]
        plain = self._inflated(name)
        if self.kept + len(plain) <= MAX_KEPT:
            self.known[name] = plain
            self.kept += len(plain)
        return plain

    def _inflated(self, name: str) -> bytes:
        entry = self.entries[name]
        where = f"{self.file}, {name}"
        plain = self.raw(name)
        if entry.compress_type == zipfile.ZIP_DEFLATED:
            engine = zlib.decompressobj(-15)
            try:
                plain = engine.decompress(plain, entry.file_size + 1)
            except zlib.error:
                raise MalformedFile("A member of the zip container is damaged.", where=where, remedy=ANEW) from None
        if len(plain) != entry.file_size or zlib.crc32(plain) != entry.CRC:
            raise MalformedFile("A member is not of the size or checksum that its directory says.", where=where, remedy=ANEW)
        return plain


def rewrite(source: Archive, changed: Mapping[str, bytes]) -> bytes:
    """The container with some members replaced. All others keep their compressed bytes, order, dates and attributes."""
    body, directory = bytearray(), bytearray()
    for name, entry in source.entries.items():
        plain = changed.get(name)
        packed = source.raw(name) if plain is None else _pack(plain, entry)
        crc = entry.CRC if plain is None else zlib.crc32(plain)
        sizes = (crc, len(packed), entry.file_size if plain is None else len(plain))
        offset = len(body)
        body += _local(name, entry, sizes) + packed
        directory += _central(name, entry, sizes, offset)
    count = len(source.entries)
    tail = END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(body), len(source.comment))
    return bytes(body + directory) + tail + source.comment


def pack(members: Mapping[str, bytes]) -> bytes:
    """Members as a container of its own, with fixed dates so that the same members give the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as container:
        for name, data in members.items():
            container.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _pack(plain: bytes, entry: zipfile.ZipInfo) -> bytes:
    if entry.compress_type == zipfile.ZIP_STORED:
        return plain
    engine = zlib.compressobj(6, zlib.DEFLATED, -15)
    return engine.compress(plain) + engine.flush()


def _flags(name: str, entry: zipfile.ZipInfo) -> int:
    """Sizes stand in the header, so no data descriptor follows (bit 3); names keep their encoding (bit 11)."""
    return entry.flag_bits & ~0x8 | (0 if name.isascii() else 0x800)


def _when(entry: zipfile.ZipInfo) -> tuple[int, int]:
    year, month, day, hour, minute, second = entry.date_time
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day


def _name(name: str) -> bytes:
    return name.encode("ascii" if name.isascii() else "utf-8")


def _local(name: str, entry: zipfile.ZipInfo, sizes: tuple[int, int, int]) -> bytes:
    time, date = _when(entry)
    raw = _name(name)
    version = max(20, entry.extract_version) if entry.extract_version < 45 else 20
    return LOCAL.pack(b"PK\3\4", version, _flags(name, entry), entry.compress_type, time, date, *sizes, len(raw), 0) + raw


def _central(name: str, entry: zipfile.ZipInfo, sizes: tuple[int, int, int], offset: int) -> bytes:
    time, date = _when(entry)
    raw, comment = _name(name), entry.comment
    made = entry.create_system << 8 | entry.create_version
    version = max(20, entry.extract_version) if entry.extract_version < 45 else 20
    head = (b"PK\1\2", made, version, _flags(name, entry), entry.compress_type, time, date, *sizes)
    return CENTRAL.pack(*head, len(raw), 0, len(comment), 0, entry.internal_attr, entry.external_attr, offset) + raw + comment
