"""PDF questionnaires: read only. Their questions are told by numbers and question marks; answers go into a companion workbook.

Lines are joined to paragraphs by their numbers and ends, since a PDF has no paragraphs of its own. Form fields are not filled in, and
a scan without text is refused. The page and the line stand where a sheet and a cell would.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.formats.questionnaires import headers, leads, prose
from trustops.formats.questionnaires.archive import pack
from trustops.formats.questionnaires.listing import Answer, Asked, Listing
from trustops.formats.questionnaires.styles import PLAIN
from trustops.formats.questionnaires.typed import Value, content

MAX_PAGES = 500
MAX_TEXT = 4_000_000
FEWER = "Send the pages with the questions."
FEWEST = 3
SHEET = "answers"
ANSWERS = "D"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together, and where the first stands."""

    page: int
    line: int
    mark: str = ""
    point: bool = False
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def lines(path: Path) -> list[tuple[int, int, str]]:
    """(page, line, text) of every line. Raises MalformedFile for a file without text, HostileFile above the limits."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        what = "is encrypted" if "password" in str(error).lower() else "cannot be read"
        raise MalformedFile(f"The PDF {what}.", where=path.name, remedy="Ask for a file without a password, or the workbook.") from None
    if len(document) > MAX_PAGES:
        raise HostileFile(f"The PDF has more than {MAX_PAGES} pages.", where=path.name, remedy=FEWER)
    found: list[tuple[int, int, str]] = []
    size = 0
    for number, page in enumerate(document, 1):
        text = page.get_textpage().get_text_bounded()
        size += len(text)
        if size > MAX_TEXT:
            raise HostileFile(
                "The PDF holds more text than a questionnaire can.", where=path.name, remedy="Send the pages with the questions."
            )
        found += [(number, place, line.strip()) for place, line in enumerate(text.replace("\r", "\n").split("\n"), 1) if line.strip()]
    if not found:
        raise MalformedFile(
            "The PDF has no text; perhaps it is a scan.", where=path.name, remedy="Ask for the workbook or a PDF with text."
        )
    return found


def read(path: Path) -> Listing:
    """The questions of the text, each with its row in the companion workbook."""
    found, lead = Listing(confidence=60, by="numbers and question marks"), False
    paragraphs = _paragraphs(lines(path))
    numbered = [p for p in paragraphs if p.mark and prose.is_sentence(p.text)]
    sure = len(numbered) >= FEWEST
    for paragraph in paragraphs:
        text = paragraph.text
        if paragraph.point and lead:
            found.asked[-1].text += f"\n- {leads.bare_point(text)}"
            continue
        opens = leads.leads(text) and headers.tokens(text)[:1] != [] and headers.tokens(text)[0] in headers.catalogue()["question_starts"]
        counts = prose.is_sentence(text) and (prose.asks(text) or opens or (sure and bool(paragraph.mark)))
        lead = counts and leads.leads(text)
        if counts and not headers.starts_guidance(text):
            answer = Answer("text", f"{ANSWERS}{len(found.asked) + 2}", "text", ())
            found.asked.append(Asked(paragraph.mark, text, len(found.asked) + 2, f"A{paragraph.line}", f"page {paragraph.page}", [answer]))
    return found


def _paragraphs(found: list[tuple[int, int, str]]) -> list[Paragraph]:
    made: list[Paragraph] = []
    open_ = False
    for page, line, text in found:
        mark, rest = _mark(text)
        point = not mark and leads.mark_of(text)[0] != ""
        if mark or point or not open_:
            made.append(Paragraph(page, line, mark, point, [rest]))
        else:
            made[-1].texts.append(text)
        open_ = not text.endswith((".", "?", "？", "؟", "!", ":", "。"))
    return made


def _mark(text: str) -> tuple[str, str]:
    """The number that a line opens with, and the rest."""
    word, _, rest = text.partition(" ")
    plain = word.strip("().:")
    numbered = plain and rest and len(plain) <= 12 and any(c.isdigit() for c in plain) and prose.is_identifier(plain)
    ended = word != plain or "." in plain or "-" in plain or plain[:1].isalpha()
    return (plain, rest.strip()) if numbered and ended else ("", text)


def companion(listed: Listing, values: list[Value]) -> bytes:
    """A workbook with every question of the PDF and the answers beside them."""
    given = {value.cell: value for value in values}
    rows = ["".join(_text(f"{column}1", text) for column, text in zip("ABCD", ("Ref", "Page", "Question", "Answer"), strict=True))]
    for asked in listed.asked:
        cell = asked.answers[0].cell
        row = _text(f"A{asked.row}", asked.id) + _text(f"B{asked.row}", asked.section) + _text(f"C{asked.row}", asked.text)
        rows.append(row + _text(cell, given[cell].value if cell in given else ""))
    body = "".join(f'<row r="{number}">{row}</row>' for number, row in enumerate(rows, 1))
    columns = '<cols><col min="3" max="4" width="70" customWidth="1"/></cols>'
    return pack(_members(f'{HEAD}<worksheet xmlns="{MAIN}">{columns}<sheetData>{body}</sheetData></worksheet>'))


def _text(cell: str, text: str) -> str:
    kind, inner = content(Value(SHEET, cell, text), PLAIN, "")
    return f'<c r="{cell}" t="{kind}">{inner}</c>' if kind else ""


def _members(sheet: str) -> dict[str, bytes]:
    types = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
    )
    book = f'<sheets><sheet name="{escape(SHEET)}" sheetId="1" r:id="rId1"/></sheets>'
    texts = {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">{types}</Types>',
        "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{book}</workbook>',
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": sheet,
    }
    return {name: text.encode() for name, text in texts.items()}


def _relation(kind: str, target: str) -> str:
    link = f'<Relationship Id="rId1" Type="{OFFICE}/{kind}" Target="{target}"/>'
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{link}</Relationships>'
