"""The few facts of a workbook's styles that say what a cell is for (ECMA-376 part 1, 18.8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from trustops.formats.questionnaires import markup

DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
TEXT_OR_GENERAL = frozenset([0, 49])


@dataclass(frozen=True, slots=True)
class Style:
    """One cell format: is it for dates or numbers, may the cell be changed under protection, is it bold, what fills it."""

    date: bool = False
    number: bool = False
    unlocked: bool = False
    bold: bool = False
    fill: str = ""


PLAIN = Style()


def read(data: bytes) -> list[Style]:
    """The formats of `cellXfs` in order."""
    return _Reader().read(data)


class _Reader:
    def __init__(self) -> None:
        self.formats: dict[int, str] = {}
        self.bolds: list[bool] = []
        self.fills: list[str] = []
        self.styles: list[Style] = []
        self.path: list[str] = []

    def read(self, data: bytes) -> list[Style]:
        markup.walk(data, "xl/styles.xml", self._start, self._end)
        return self.styles

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self.path[-1] if self.path else ""
        self.path.append(name)
        if name == "numFmt" and parent == "numFmts":
            self.formats[_whole(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
        elif name == "font" and parent == "fonts":
            self.bolds.append(False)
        elif name == "b" and "fonts" in self.path and self.bolds:
            self.bolds[-1] = attributes.get("val", "1") in ("1", "true")
        elif name == "fill" and parent == "fills":
            self.fills.append("")
        elif name == "fgColor" and "fills" in self.path and self.fills:
            self.fills[-1] = ",".join(f"{key}={value}" for key, value in sorted(attributes.items()))
        elif name == "xf" and parent == "cellXfs":
            self._format(attributes)
        elif name == "protection" and "cellXfs" in self.path and self.styles:
            self._unlock(attributes)

    def _end(self, name: str, text: str) -> None:
        self.path.pop()

    def _format(self, attributes: dict[str, str]) -> None:
        code = _whole(attributes.get("numFmtId"))
        custom = self.formats.get(code, "")
        date = code in DATES or is_date(custom)
        number = not date and code not in TEXT_OR_GENERAL and custom not in ("@", "General")
        font, fill = _whole(attributes.get("fontId")), _whole(attributes.get("fillId"))
        bold = font < len(self.bolds) and self.bolds[font]
        self.styles.append(Style(date, number, False, bold, self.fills[fill] if fill < len(self.fills) else ""))

    def _unlock(self, attributes: dict[str, str]) -> None:
        last = self.styles[-1]
        unlocked = attributes.get("locked", "1") in ("0", "false")
        self.styles[-1] = Style(last.date, last.number, unlocked, last.bold, last.fill)


@lru_cache(maxsize=256)
def is_date(code: str) -> bool:
    """Whether a format code shows a date: a y, d or m outside quotes, escapes and brackets (18.8.31)."""
    plain, skip, quoted, bracket = [], False, False, False
    for character in code:
        if skip:
            skip = False
        elif character in "\\_*":
            skip = True
        elif character == '"':
            quoted = not quoted
        elif character in "[]":
            bracket = character == "["
        elif not quoted and not bracket:
            plain.append(character)
    left = "".join(plain).lower().replace("general", "")
    return any(sign in left for sign in "yd") or ("m" in left and "h" not in left and "0" not in left)


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0
