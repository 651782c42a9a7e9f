"""OpenDocument sheets: read and answered as the workbook that LibreOffice makes of them, where LibreOffice is installed.

The original is never written. What leaves is the companion workbook with the answers, and everybody is told so. LibreOffice runs with
limits, a profile of its own and no way to ask anybody; a file that points to other files is refused before, so that none is fetched.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trustops import confine
from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.questionnaires import archive, intake

SUFFIX = ".ods"
MIME = b"application/vnd.oasis.opendocument.spreadsheet"
PROGRAMS = ("soffice", "libreoffice")
WALL_S, CPU_S, MEMORY_MB = 120, 60, 4096
LARGEST = 4 * 1024 * 1024  # the program may print this much and write 64 times as much
RESTART = "ended with 81"  # LibreOffice asks to be started again once its profile is made
LINKS = (b"<table:table-source", b"<table:cell-range-source", b"<office:dde-source", b"<table:dde-link")
INSTALL = "Install LibreOffice Calc here (the program `soffice`), or open the file in it, save it as .xlsx, and answer that file."
TOLD = "read through LibreOffice: answers go into a companion workbook (.xlsx), the OpenDocument file stays as it is"


def admit(argument: dict[str, Any]) -> dict[str, bool]:
    """Runs in the limited child: `{path}` to `{admitted}`. Raises HostileFile or MalformedFile before LibreOffice sees the file."""
    path = Path(argument["path"])
    intake.size(path)
    found = archive.Archive(path)
    if "mimetype" not in found.entries or found.read("mimetype").strip() != MIME:
        raise MalformedFile("The file is not an OpenDocument sheet, whatever its extension says.", where=path.name, remedy=intake.SUPPORTED)
    for name in found.names():
        if name.lower().endswith((".xml", ".rdf")):
            data = found.read(name)
            intake.refuse_doctype(data, f"{path.name}, {name}")
            if name == "META-INF/manifest.xml" and b"encryption-data" in data:
                raise HostileFile("The sheet is encrypted.", where=path.name, remedy="Remove its password and try again.")
            if name == "content.xml" and any(sign in data for sign in LINKS):
                raise HostileFile("The sheet takes cells from other files.", where=path.name, remedy="Replace the links by their values.")
    return {"admitted": True}


def program() -> str:
    """The path of LibreOffice; empty where it is not installed."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), "")


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """The path itself, or for an OpenDocument sheet that of the workbook made of it, which is gone afterwards."""
    if path.suffix.lower() != SUFFIX or not path.is_file():
        yield path
        return
    confine.call(f"{__name__}:admit", {"path": str(path)})
    office = program()
    if not office:
        raise MalformedFile("This is an OpenDocument sheet, which is read through LibreOffice.", where=path.name, remedy=INSTALL)
    with TemporaryDirectory(prefix="trustops-ods-") as folder:
        yield _made(office, path, Path(folder))


def _made(office: str, path: Path, folder: Path) -> Path:
    source, target = folder / "sheet.ods", folder / f"{path.stem}.xlsx"
    source.write_bytes(path.read_bytes())
    command = [office, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--norestore", "--convert-to", "xlsx", "--outdir"]
    ended = _run([*command, str(folder), str(source)], folder)
    if ended.problem == RESTART:
        ended = _run([*command, str(folder), str(source)], folder)
    made = folder / "sheet.xlsx"
    if ended.problem or not made.is_file():
        why = ended.problem or "made no workbook of it"
        raise MalformedFile(f"LibreOffice could not read the sheet ({why}).", where=path.name, remedy="Open it there and save it as .xlsx.")
    _dated(made, target)
    return target


def _run(command: list[str], folder: Path) -> confine.Ended:
    return confine.program(
        command,
        folder=folder,
        environment={"HOME": str(folder)},
        output=LARGEST,
        memory_mb=MEMORY_MB,
        cpu_s=CPU_S,
        wall_s=WALL_S,
    )


def _dated(made: Path, target: Path) -> None:
    """The workbook without the moment of its making, so that the same sheet gives the same workbook each time."""
    with zipfile.ZipFile(made) as container:
        members = {entry.filename: container.read(entry) for entry in container.infolist()}
    core = "docProps/core.xml"
    if core in members:
        space = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
        members[core] = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties xmlns:cp="{space}"/>'.encode()
    target.write_bytes(archive.pack(members))
