"""What is checked before a file is opened: size, that content and extension agree, and the directory of a zip container."""

from __future__ import annotations

import zipfile
from pathlib import Path

from trustops.domain.errors import HostileFile

LARGEST = 50 * 1024 * 1024
_MEMBERS, _TOTAL, _PART, _RATIO = 2_000, 200 * 1024 * 1024, 64 * 1024 * 1024, 200
_SMALL = 1024 * 1024
"""A part below this may be squeezed harder than the ratio allows: an empty sheet of styles compresses a thousandfold and harms nobody."""

_MAGIC: dict[str, tuple[bytes, ...]] = {
    ".pdf": (b"%PDF-",),
    ".docx": (b"PK\x03\x04",),
    ".xlsx": (b"PK\x03\x04",),
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def check(path: Path) -> None:
    """Raises HostileFile, with what to do, for a file that must not be opened."""
    size = path.stat().st_size
    if size > LARGEST:
        raise _refusal(path, f"The file has {size // 1024 // 1024} MB; at most {LARGEST // 1024 // 1024} MB are read.", "Split it.")
    if not size:
        raise _refusal(path, "The file is empty.", "Upload it again.")
    with path.open("rb") as stream:
        head = stream.read(1024)
    suffix = path.suffix.lower()
    if head.startswith(_OLE):
        raise _refusal(path, "The file is encrypted or in an old binary format.", "Save it without a password in a current format.")
    magic = _MAGIC.get(suffix)
    if magic and not any(mark in head if suffix == ".pdf" else head.startswith(mark) for mark in magic):
        raise _refusal(path, f"The content is not what the extension {suffix} says.", "Rename it, or export it again.")
    if suffix in (".docx", ".xlsx"):
        _check_zip(path)


def _check_zip(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_directory(path, members)
            for member in members:
                if member.filename.lower().endswith((".xml", ".rels")):
                    _check_part(path, archive, member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError) as error:
        raise _refusal(path, f"The container is damaged: {error}.", "Export it again.") from None


def _check_directory(path: Path, members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    if len(names) > _MEMBERS or len(set(names)) < len(names):
        raise _refusal(path, "The container has too many parts or two of one name.", "Export it again.")
    if any(name.startswith(("/", "\\")) or "\\" in name or ".." in name.split("/") for name in names):
        raise _refusal(path, "A part of the container points outside of it.", "Do not use this file; ask its sender.")
    bombs = [each for each in members if each.file_size > _SMALL and each.file_size > _RATIO * max(each.compress_size, 1)]
    if bombs or any(each.file_size > _PART for each in members) or sum(each.file_size for each in members) > _TOTAL:
        raise _refusal(path, "The container unpacks to far more than its size.", "Export it again; remove large pictures.")


def _check_part(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """A document type declaration stands before the first element; the directory's sizes are not believed, the stream is counted."""
    with archive.open(member) as part:
        head = part.read(4096)
        left = _PART - len(head)
        while left > 0 and (chunk := part.read(min(left, 1 << 20))):
            left -= len(chunk)
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head or "<!DOCTYPE".encode("utf-16-le") in head:
        raise _refusal(path, f"The part {member.filename} declares entities.", "Do not use this file; ask its sender.")
    if left <= 0:
        raise _refusal(path, f"The part {member.filename} is larger than it says.", "Do not use this file; ask its sender.")


def _refusal(path: Path, what: str, remedy: str) -> HostileFile:
    return HostileFile(what, where=path.name, remedy=remedy)
