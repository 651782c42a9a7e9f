"""Cells of a workbook that its reader does not see: hidden rows and columns, and white letters on no fill.

The cell reader does not tell these, so the sheet's own XML is asked. Not read: conditional formats, tiny fonts, cells under a picture.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

Unseen = Callable[[int, int], bool]
"""Whether the cell of a row and column, both from 1, is hidden."""
WHITE = frozenset({"FFFFFFFF", "00FFFFFF", "FFFFFF"})
_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def unseen_cells(path: Path) -> dict[str, Unseen]:
    """By sheet name; empty for a file that is no Office Open XML workbook."""
    try:
        with zipfile.ZipFile(path) as container:
            white = _white_styles(container)
            return {name: _of_sheet(container, part, white) for name, part in _parts(container).items()}
    except (zipfile.BadZipFile, KeyError, etree.XMLSyntaxError, ValueError):
        return {}


def _xml(container: zipfile.ZipFile, part: str) -> Any:
    return etree.fromstring(container.read(part), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def _parts(container: zipfile.ZipFile) -> dict[str, str]:
    relations = {each.get("Id"): str(each.get("Target")) for each in _xml(container, "xl/_rels/workbook.xml.rels")}
    sheets = _xml(container, "xl/workbook.xml").iterfind(".//{*}sheet")
    return {str(each.get("name")): _joined(relations[each.get(_OFFICE)]) for each in sheets if each.get(_OFFICE) in relations}


def _joined(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl") / target)


def _white_styles(container: zipfile.ZipFile) -> frozenset[int]:
    """Numbers of the cell styles with a white font and no fill (fills 0 and 1 are "none" and a grey pattern by definition)."""
    if "xl/styles.xml" not in container.namelist():
        return frozenset()
    root = _xml(container, "xl/styles.xml")
    fonts = [each.find("{*}color") for each in root.iterfind("{*}fonts/{*}font")]
    white = {at for at, color in enumerate(fonts) if color is not None and (color.get("rgb") in WHITE or color.get("theme") == "0")}
    styles = enumerate(root.iterfind("{*}cellXfs/{*}xf"))
    return frozenset(at for at, style in styles if int(style.get("fontId", "0")) in white and style.get("fillId", "0") == "0")


def _of_sheet(container: zipfile.ZipFile, part: str, white: frozenset[int]) -> Unseen:
    root = _xml(container, part)
    rows = {int(each.get("r")) for each in root.iterfind("{*}sheetData/{*}row") if _on(each) and each.get("r")}
    columns = [(int(each.get("min")), int(each.get("max"))) for each in root.iterfind("{*}cols/{*}col") if _on(each)]
    pale = {str(each.get("r")) for each in root.iterfind("{*}sheetData/{*}row/{*}c") if white and int(each.get("s", "0")) in white}

    def unseen(row: int, column: int) -> bool:
        return row in rows or any(low <= column <= high for low, high in columns) or f"{_letters(column)}{row}" in pale

    return unseen


def _on(element: Any) -> bool:
    return element.get("hidden") in ("1", "true")


def _letters(column: int) -> str:
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name
