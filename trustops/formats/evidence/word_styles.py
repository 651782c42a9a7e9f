"""What a Word document's styles and direct formatting say about a paragraph or run: heading level, list, and whether it can be seen."""

from __future__ import annotations

from typing import Any

from docx.document import Document
from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = frozenset({"0", "false", "off", "none"})
_WHITE, _PALE = 0.9, 0.6
_TINY_HALF_POINTS, _SPECK_HALF_POINTS = 16, 4
_DARK_FILL = 0.7


class Styles:
    """Looks up style chains (basedOn) and list definitions once, then answers for each paragraph and run."""

    def __init__(self, document: Document) -> None:
        self._by_id: dict[str, etree._Element] = {}
        for style in document.styles.element.iter(W + "style"):
            self._by_id[style.get(W + "styleId", "")] = style
        self._formats = _list_formats(document)

    def level(self, paragraph: etree._Element) -> int:
        """1 for the Title, 2 to 9 for headings beneath it, 0 for body text."""
        own = paragraph.find(f"{W}pPr/{W}outlineLvl")
        for style in self._chain(paragraph.find(f"{W}pPr/{W}pStyle")):
            name = _value(style.find(W + "name")).lower()
            if name == "title":
                return 1
            if name.startswith("heading ") and name[8:].isdigit():
                return min(int(name[8:]) + 1, 9)
            own = own if own is not None else style.find(f"{W}pPr/{W}outlineLvl")
        return min(int(_value(own)) + 2, 9) if own is not None and _value(own).isdigit() and int(_value(own)) < 9 else 0

    def listed(self, paragraph: etree._Element) -> tuple[str, bool] | None:
        """The list that a paragraph is an item of and whether it counts; None outside lists."""
        for holder in (paragraph, *self._chain(paragraph.find(f"{W}pPr/{W}pStyle"))):
            number = holder.find(f"{W}pPr/{W}numPr/{W}numId")
            name = _value(holder.find(W + "name")).lower()
            if number is not None and _value(number) != "0":
                return _value(number), self._formats.get(_value(number), "bullet") not in ("bullet", "none")
            if name.startswith(("list bullet", "list number")):
                return name, name.startswith("list number")
        return None

    def visible(self, run: etree._Element | None, paragraph: etree._Element) -> bool:
        """False for vanished text, white or near-white text on no dark ground, pale text of at most 8 pt, and specks."""
        found: dict[str, etree._Element] = {}
        for properties in self._properties(run, paragraph):
            for child in properties.iterchildren(tag=etree.Element):
                found.setdefault(str(child.tag), child)
        vanish = found.get(W + "vanish")
        if vanish is not None and vanish.get(W + "val", "1") not in _OFF:
            return False
        size = _number(found.get(W + "sz"), 22)
        light = _light(_value(found.get(W + "color")))
        if size <= _SPECK_HALF_POINTS:
            return False
        if light < _PALE or self._on_dark(found, paragraph):
            return True
        return light < _WHITE and size > _TINY_HALF_POINTS

    def _properties(self, run: etree._Element | None, paragraph: etree._Element) -> list[etree._Element]:
        """Run properties from the nearest to the farthest: direct, character style, paragraph style."""
        holders = [] if run is None else [run, *self._chain(run.find(f"{W}rPr/{W}rStyle"))]
        holders += self._chain(paragraph.find(f"{W}pPr/{W}pStyle"))
        return [found for found in (holder.find(W + "rPr") for holder in holders) if found is not None]

    def _on_dark(self, found: dict[str, etree._Element], paragraph: etree._Element) -> bool:
        cell = next(paragraph.iterancestors(W + "tc"), None)
        grounds = [found.get(W + "shd"), paragraph.find(f"{W}pPr/{W}shd"), None if cell is None else cell.find(f"{W}tcPr/{W}shd")]
        fills = [ground.get(W + "fill", "auto") for ground in grounds if ground is not None]
        return any(fill != "auto" and _light(fill) < _DARK_FILL for fill in fills) or W + "highlight" in found

    def _chain(self, reference: etree._Element | None) -> list[etree._Element]:
        chain: list[etree._Element] = []
        name = _value(reference)
        while name in self._by_id and self._by_id[name] not in chain:
            chain.append(self._by_id[name])
            name = _value(chain[-1].find(W + "basedOn"))
        return chain


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(W + "val", ""))


def _number(element: etree._Element | None, default: int) -> int:
    text = _value(element)
    return int(text) if text.isdigit() else default


def _light(colour: str) -> float:
    """0 for black to 1 for white; automatic and unknown colours count as black, which can be read."""
    try:
        red, green, blue = (int(colour[start : start + 2], 16) for start in (0, 2, 4))
    except ValueError:
        return 0.0
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def _list_formats(document: Document) -> dict[str, str]:
    """The number format ("bullet", "decimal") of the first level of each list definition."""
    part = next((each for each in document.part.package.iter_parts() if str(each.partname) == "/word/numbering.xml"), None)
    if part is None:
        return {}
    root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
    abstract = {each.get(W + "abstractNumId", ""): _value(each.find(f"{W}lvl/{W}numFmt")) for each in root.iterchildren(W + "abstractNum")}
    numbers = {each.get(W + "numId", ""): _value(each.find(W + "abstractNumId")) for each in root.iterchildren(W + "num")}
    return {number: abstract.get(name, "bullet") for number, name in numbers.items()}
