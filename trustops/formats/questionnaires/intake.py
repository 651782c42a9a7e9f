"""What is let in: size, magic bytes against extension, encryption, the zip directory, document types. Nothing is parsed yet.

The order is that of architecture.md, "Questionnaire files": the cheapest refusal first.
"""

from __future__ import annotations

from pathlib import Path

from trustops.domain.errors import HostileFile, MalformedFile, UnknownName
from trustops.formats.questionnaires.archive import Archive

MAX_FILE = 50 * 1024 * 1024
SUPPORTED = "TrustOps reads .xlsx, .xlsm, .csv, .tsv, .docx, .json and .pdf questionnaires, and .ods where LibreOffice is installed."
LATER = {
    ".xls": "an old binary workbook",
    ".doc": "an old binary document",
    ".ods": "an OpenDocument sheet",
    ".odt": "an OpenDocument text",
}
KINDS = {
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".csv": "csv", ".tsv": "csv", ".docx": "docx", ".docm": "docx", ".json": "json", ".pdf": "pdf",
}  # fmt: skip
XML = (".xml", ".rels", ".vml")


def admit(path: Path) -> str:
    """The format of the file: `xlsx`, `csv`, `docx`, `json` or `pdf`.

    Raises HostileFile, MalformedFile or UnknownName with one clear sentence.
    """
    if not path.is_file():
        raise UnknownName("There is no such file.", where=str(path), remedy="Check the name.")
    size(path)
    with path.open("rb") as stream:
        head = stream.read(4096)
    return _kind(path.name, path.suffix.lower(), head)


def size(path: Path) -> None:
    """Raises HostileFile or MalformedFile for a file that is too large or empty."""
    found = path.stat().st_size
    if found > MAX_FILE:
        raise HostileFile(
            f"The file has {found // 1024 // 1024} MB; the limit is 50 MB.", where=path.name, remedy="Remove pictures and try again."
        )
    if found == 0:
        raise MalformedFile("The file is empty.", where=path.name, remedy="Ask for it again.")


def _kind(name: str, suffix: str, head: bytes) -> str:
    if suffix in (".ods", ".odt"):
        raise MalformedFile(
            f"This is {LATER[suffix]}, which is not read.",
            where=name,
            remedy=f"Open it in LibreOffice, save it as {'.xlsx' if suffix == '.ods' else '.docx'}, and answer that file.",
        )
    if suffix in LATER:
        raise MalformedFile(f"This is {LATER[suffix]}, which is not read.", where=name, remedy=f"{SUPPORTED} Save it as one of them.")
    kind = KINDS.get(suffix)
    if kind is None:
        raise MalformedFile(f"A file with the extension {suffix or '(none)'} is no questionnaire.", where=name, remedy=SUPPORTED)
    if kind in ("csv", "json"):
        binary = head.startswith((b"PK\3\4", b"%PDF", b"\x89PNG", b"\xd0\xcf\x11\xe0"))
        if binary or (b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")) and not (kind == "csv" and wide(head))):
            raise MalformedFile(f"The file says {kind.upper()} but holds binary data.", where=name, remedy="Check its extension.")
        return kind
    if kind == "pdf":
        if b"%PDF-" not in head[:1024]:
            raise MalformedFile("The file is not a PDF, whatever its extension says.", where=name, remedy=SUPPORTED)
        return kind
    what = "workbook" if kind == "xlsx" else "document"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise HostileFile(
            f"The {what} is encrypted or of the old binary format.", where=name, remedy=f"Remove its password, save it as .{kind}."
        )
    if not head.startswith(b"PK\3\4"):
        raise MalformedFile(f"The file is not a {what}, whatever its extension says.", where=name, remedy=SUPPORTED)
    return kind


def wide(head: bytes) -> str:
    """`utf-16-le` or `utf-16-be` where every other byte of a text is mostly zero, else nothing."""
    for name, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros.count(0) * 2 > len(zeros) and not others.count(0):
            return name
    return ""


def open_archive(path: Path) -> Archive:
    """The workbook's container after the limits of its directory and a look at every XML part for document types."""
    archive = Archive(path)
    if "[Content_Types].xml" not in archive.entries:
        raise MalformedFile("The zip file is not a workbook (it lacks [Content_Types].xml).", where=path.name, remedy=SUPPORTED)
    for name in archive.names():
        if name.lower().endswith(XML):
            refuse_doctype(archive.read(name), f"{path.name}, {name}")
    return archive


def refuse_doctype(data: bytes, where: str) -> None:
    """Raises HostileFile for a document type or entities, MalformedFile for a part that is not UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
        raise MalformedFile("The part is not UTF-8.", where=where, remedy="Save the file anew in its program.")
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise HostileFile(
            "The XML declares a document type or entities; no workbook needs them.", where=where, remedy="Do not open this file."
        )


def warnings(archive: Archive) -> list[tuple[str, str]]:
    """(what, why) for parts that are kept but neither run nor followed."""
    signs = [
        ("vbaProject.bin", "macros", "kept in the file, never run"),
        ("externalLinks/", "links to other files", "kept in the file, never followed"),
        ("embeddings/", "embedded objects", "kept in the file, never opened"),
        ("threadedComments/", "comments", "kept in the file, not read: what a comment asks is not asked"),
        ("comments", "notes", "kept in the file, not read: what a note asks is not asked"),
    ]
    names = archive.names()
    found = [(what, why) for sign, what, why in signs if any(sign in name for name in names)]
    drawn = [name for name in names if name.startswith("xl/drawings/") and name.endswith(".xml")]
    boxes = sum(archive.read(name).count(b"txBody>") // 2 for name in drawn)
    return found + ([(f"{boxes} text boxes", "kept in the file, not read: what a box asks is not asked")] if boxes else [])
