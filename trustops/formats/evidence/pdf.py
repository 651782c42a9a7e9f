"""PDF: positioned text of each page by pypdfium2, plain text by pypdf where that fails; a page without text is said, not passed over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pypdfium2

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.evidence.blocks import Block, Extraction, Notice, line_of, titled
from trustops.formats.evidence.pdf_layout import Row, Run, joined, rows_of, unwrapped
from trustops.formats.evidence.pdf_runs import runs_of

MOST_PAGES = 3_000
_REPEATED = 0.6
_EDGE = 0.12
"""Running heads and feet stand in the outer eighth of a page; only there may a line be dropped for repeating."""

Sheet = tuple[list[Run], float]
"""The runs of a page and its height in points."""


def read_pdf(path: Path) -> Extraction:
    """Blocks of all pages. Locator: pages. Raises MalformedFile (damaged, password) or HostileFile (too many pages, a bomb)."""
    try:
        sheets = _positioned(path)
    except pypdfium2.PdfiumError:
        return _plain(path)
    words = Counter(word for runs, _ in sheets for run in runs for word in _words(run.text))
    repeated = _running(sheets)
    pages = [[run for run in runs if _label(run, height) not in repeated] for runs, height in sheets]
    body = _body_height([run for page in pages for run in page])
    sizes = sorted({round(run.height, 1) for page in pages for run in page if _is_large(run.height, body)}, reverse=True)
    blocks: list[Block] = []
    for number, page in enumerate(pages, start=1):
        for row in rows_of(page, words):
            _add(blocks, _block(row, number, body, sizes), words)
    return titled(blocks, [*_empty([bool(page) for page in pages]), *_flags(blocks)])


def _positioned(path: Path) -> list[Sheet]:
    document = pypdfium2.PdfDocument(path)
    try:
        if len(document) > MOST_PAGES:
            raise HostileFile(f"The document has {len(document)} pages.", where=path.name, remedy=f"Split it below {MOST_PAGES}.")
        sheets: list[Sheet] = []
        for index in range(len(document)):
            page = document[index]
            sheets.append((runs_of(page, f"{path.name}, page {index + 1}"), page.get_height()))
            page.close()
        return sheets
    finally:
        document.close()


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)]


def _label(run: Run, height: float) -> str:
    """Text of a run at the page's edge with digits masked ("Page 3" is "Page #"); empty elsewhere, which never repeats."""
    middle = run.bottom + run.height / 2
    at_edge = middle < _EDGE * height or middle > (1 - _EDGE) * height
    return re.sub(r"\d+", "#", line_of(run.text)) if at_edge else ""


def _running(sheets: Sequence[Sheet]) -> set[str]:
    if len(sheets) < 2:
        return set()
    seen = Counter(label for runs, height in sheets for label in {_label(run, height) for run in runs} if label)
    return {label for label, count in seen.items() if count > _REPEATED * len(sheets)}


def _body_height(runs: list[Run]) -> float:
    heights: Counter[float] = Counter()
    for run in runs:
        heights[round(run.height, 1)] += len(run.text)
    return heights.most_common(1)[0][0] if heights else 0.0


def _is_large(height: float, body: float) -> bool:
    return height > 1.12 * body


def _block(row: Row, page: int, body: float, sizes: list[float]) -> Block:
    text = line_of(row.text)
    concealed = all(cell.last.concealed for cell in row.cells)
    heading = _is_large(row.height, body) and len(row.cells) == 1 and len(text) <= 120 and not text.endswith(".")
    level = min(sizes.index(round(row.height, 1)) + 1, 6) if heading and not concealed else 0
    return Block(text=text, level=level, unit="page", first=page, last=page, concealed=concealed)


def _add(blocks: list[Block], block: Block, words: Counter[str]) -> None:
    """A sentence that runs over the page's end becomes one block again."""
    last = blocks[-1] if blocks else None
    over = last is not None and last.last < block.first and not (last.level or block.level or last.concealed or block.concealed)
    if last and over and re.match(r"[a-z]", block.text) and last.text[-1] not in ".!?:;" and " | " not in last.text + block.text:
        blocks[-1] = last.model_copy(update={"text": joined(last.text, block.text, " ", words), "last": block.last})
    else:
        blocks.append(block)


def _empty(has_text: Sequence[bool]) -> list[Notice]:
    remedy = "It is probably a scan: upload a version with text, or a figure with a title."
    return [(f"page {number}", "The page has no text.", remedy) for number, has in enumerate(has_text, start=1) if not has]


def _flags(blocks: list[Block]) -> list[Notice]:
    pages = sorted({block.first for block in blocks if block.concealed})
    what, remedy = "The page holds text that cannot be seen; it supports nothing.", "Ask the author to remove it."
    return [(f"page {page}", what, remedy) for page in pages]


def _plain(path: Path) -> Extraction:
    """The second reader: no positions, hence no headings and no cells."""
    import pypdf
    from pypdf.errors import DependencyError, PyPdfError

    try:
        texts = [page.extract_text().splitlines() for page in pypdf.PdfReader(path).pages]
    except (PyPdfError, DependencyError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise MalformedFile(
            f"The document cannot be read: {error}.", where=path.name, remedy="Remove its password, or print it to a new PDF."
        ) from None
    words = Counter(word for lines in texts for line in lines for word in _words(line))
    blocks = [
        Block(text=line_of(text), unit="page", first=number, last=number)
        for number, lines in enumerate(texts, start=1)
        for text in unwrapped(lines, words)
    ]
    return titled(blocks, _empty([any(line.strip() for line in lines) for lines in texts]))
