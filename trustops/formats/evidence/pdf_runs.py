"""The positioned runs of one PDF page, each with the answer to whether a reader can see it."""

from __future__ import annotations

import ctypes
import math
from functools import cached_property

import pypdfium2
import pypdfium2.raw as pdfium

from trustops.domain.errors import HostileFile
from trustops.formats.evidence.pdf_layout import SOFT_HYPHEN, Run

MOST_CHARACTERS = 400_000
"""On one page. A page of a book has 4,000; the hostile one that was measured has 20 million."""

_NOT_DRAWN = (3, 7)
"""Text rendering modes that paint nothing: invisible, and clipping alone."""

_LIGHT, _PALE, _TINY, _SPECK = 0.9, 0.6, 8.0, 2.0
_BOX = 1.15
"""Height of a line's box in font sizes."""

_CONTRAST = 48
"""Difference of grey (0 to 255) between the darkest and lightest pixel of a run that a reader can make out."""


def runs_of(page: pypdfium2.PdfPage, where: str) -> list[Run]:
    """In the order of the file. Raises HostileFile for a page with an absurd amount of text."""
    text = page.get_textpage()
    try:
        if text.count_chars() > MOST_CHARACTERS:
            raise HostileFile("The page holds more text than any page can show.", where=where, remedy="Print it to a new PDF.")
        sight = _Sight(page, text)
        found = [_run(text, text.get_rect(index), sight) for index in range(text.count_rects())]
        return [run for run in found if run.text.strip()]
    finally:
        text.close()


def _run(text: pypdfium2.PdfTextPage, box: tuple[float, float, float, float], sight: _Sight) -> Run:
    left, bottom, right, top = box
    content = text.get_text_bounded(left, bottom, right, top).replace("\r", " ").replace("\n", " ")
    middle, inward = (bottom + top) / 2, min(1.0, (right - left) / 2)
    index = text.get_index(left + inward, middle, 2, 2)
    if index is None:
        return Run(content, left, right, bottom, (top - bottom) * _BOX)
    end = text.get_index(right - inward, middle, 2, 2)
    if end is not None and any(pdfium.FPDFText_IsHyphen(text.raw, place) == 1 for place in (end, end + 1)):
        content = content.rstrip("-") + SOFT_HYPHEN
    size, base = _size_and_base(text, index)
    return Run(content, left, right, base, size * _BOX, concealed=sight.hides(index, box, size))


def _size_and_base(text: pypdfium2.PdfTextPage, index: int) -> tuple[float, float]:
    """The font's size on the page and the foot of its line: boxes of letters differ from line to line, these do not."""
    x, y, matrix = ctypes.c_double(), ctypes.c_double(), pdfium.FS_MATRIX()
    pdfium.FPDFText_GetCharOrigin(text.raw, index, x, y)
    scale = 1.0
    if pdfium.FPDFText_GetMatrix(text.raw, index, matrix):
        scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = max(float(pdfium.FPDFText_GetFontSize(text.raw, index)) * scale, 0.1)
    return size, y.value - 0.22 * size


class _Sight:
    """Judges colour and size, and looks at the rendered page only where a light colour leaves it open (white on a dark ground is read)."""

    def __init__(self, page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> None:
        self.page, self.text = page, text
        self.width, self.height = page.get_size()

    def hides(self, index: int, box: tuple[float, float, float, float], size: float) -> bool:
        left, bottom, right, top = box
        if right < 0 or top < 0 or left > self.width or bottom > self.height:
            return True
        if self._drawn(index) in _NOT_DRAWN:  # the text layer of a scan lies over what is to be seen there
            return not self._contrast(box, _CONTRAST)
        light = self._light(index)
        if size <= _SPECK or (light >= _PALE and size <= _TINY):
            return size <= _SPECK or not self._contrast(box, 3 * _CONTRAST)
        return light >= _LIGHT and not self._contrast(box, _CONTRAST)

    def _drawn(self, index: int) -> int:
        """The text rendering mode (ISO 32000-1, 9.3.6) of the object that the character belongs to; 0 where it is not known."""
        found = pdfium.FPDFText_GetTextObject(self.text.raw, index)
        return int(pdfium.FPDFTextObj_GetTextRenderMode(found)) if found else 0

    def _light(self, index: int) -> float:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not pdfium.FPDFText_GetFillColor(self.text.raw, index, red, green, blue, alpha):
            return 0.0
        if alpha.value < 16:
            return 1.0
        return (0.2126 * red.value + 0.7152 * green.value + 0.0722 * blue.value) / 255

    @cached_property
    def _picture(self) -> pypdfium2.PdfBitmap:
        return self.page.render(scale=min(2.0, 1500 / max(self.width, self.height, 1)), grayscale=True)

    def _contrast(self, box: tuple[float, float, float, float], least: int) -> bool:
        """Whether pixels within the run's box differ by at least `least`."""
        picture = self._picture
        scale = picture.width / self.width
        left, right = max(int(box[0] * scale), 0), min(int(box[2] * scale) + 1, picture.width)
        top, bottom = max(int((self.height - box[3]) * scale), 0), min(int((self.height - box[1]) * scale) + 1, picture.height)
        data = memoryview(picture.buffer).cast("B")
        pixels = b"".join(bytes(data[row * picture.stride + left : row * picture.stride + right]) for row in range(top, bottom))
        return bool(pixels) and max(pixels) - min(pixels) >= least
