"""Evidence files that carry an attack: what a reader of the file sees are the lines, what it holds besides is the attack.

Every function gives the suffix and the bytes of one file. Word and PDF files are written part by part, so that they can hold what no
library writes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from html import escape as html_escape
from xml.sax.saxutils import escape

from trustops.testing.workbook import HEAD, PACKAGE, STYLES, Book, Content, Sheet, pack

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
Written = tuple[str, bytes]
Lines = Sequence[str]


def markdown(lines: Lines, attack: str = "", title: str = "House rules") -> Written:
    """Paragraphs under a title; the attack is the last one, in plain sight."""
    return ".md", ("\n\n".join([f"# {title}", *lines, *([attack] if attack else [])]) + "\n").encode()


def markdown_comment(lines: Lines, attack: str) -> Written:
    """The attack stands in an HTML comment, which no reader of the page sees."""
    return markdown(lines, f"<!-- {attack.replace('-->', '')} -->")


def markdown_heading(lines: Lines, attack: str) -> Written:
    """The attack is a heading over an empty section."""
    return markdown(lines, "## " + " ".join(attack.split()) + "\n\nThis section is left empty.")


def text(lines: Lines, attack: str) -> Written:
    """Plain text; the attack is the last paragraph."""
    return ".txt", "\n\n".join([*lines, attack]).encode()


def json_text(lines: Lines, attack: str) -> Written:
    """A record with the rules; the attack is the value of `remark`."""
    return ".json", json.dumps({"rules": list(lines), "remark": attack}, ensure_ascii=False).encode()


def table(lines: Lines, attack: str) -> Written:
    """Rows of a CSV; the attack is the rule of the last one."""
    stream = io.StringIO()
    csv.writer(stream).writerows([("No", "Rule"), *((str(n), line) for n, line in enumerate(lines, 1)), ("99", attack)])
    return ".csv", stream.getvalue().encode()


def _page(inner: str, style: str = "") -> bytes:
    return f'<!doctype html><html><head><meta charset="utf-8"><style>{style}</style></head><body>{inner}</body></html>'.encode()


def _web(hidden: Callable[[str], str], style: str = "") -> Callable[[Lines, str], Written]:
    def write(lines: Lines, attack: str) -> Written:
        seen = "".join(f"<p>{html_escape(line)}</p>" for line in lines)
        return ".html", _page(f"<h1>House rules</h1>{seen}{hidden(html_escape(attack))}", style)

    return write


web_comment = _web(lambda attack: f"<!-- {attack.replace('--', '- -')} -->")
web_unshown = _web(lambda attack: f'<p style="display:none">{attack}</p>')
web_white = _web(lambda attack: f'<p style="color:#ffffff">{attack}</p>')
web_class = _web(lambda attack: f'<p class="aside">{attack}</p>', ".aside{display:none}")


def _word(body: str) -> bytes:
    types = (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relation = f'<Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
    rels = f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{relation}</Relationships>'
    document = f'{HEAD}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    return pack({"[Content_Types].xml": types.encode(), "_rels/.rels": rels.encode(), "word/document.xml": document.encode()})


def _run(words: str, properties: str = "", tag: str = "t") -> str:
    inner = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{inner}<w:{tag} xml:space="preserve">{escape(words)}</w:{tag}></w:r>'


def _paragraph(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def _written(carried: Callable[[str], str]) -> Callable[[Lines, str], Written]:
    def write(lines: Lines, attack: str) -> Written:
        seen = "".join(_paragraph(_run(line)) for line in lines)
        return ".docx", _word(seen + carried(" ".join(attack.split())))

    return write


word_vanish = _written(lambda attack: _paragraph(_run(attack, "<w:vanish/>")))
word_white = _written(lambda attack: _paragraph(_run(attack, '<w:color w:val="FFFFFF"/>')))
word_deletion = _written(
    lambda attack: _paragraph(f'<w:del w:id="1" w:author="x" w:date="2026-01-01T00:00:00Z">{_run(attack, tag="delText")}</w:del>')
)
word_control = _written(lambda attack: f"<w:sdt><w:sdtContent>{_paragraph(_run(attack))}</w:sdtContent></w:sdt>")


def _pdf(shown: Lines, hidden: str, how: str) -> bytes:
    """One page with Helvetica; the hidden line is drawn with the given operators. Letters outside Latin-1 become question marks."""

    def literal(words: str) -> bytes:
        flat = " ".join(words.split()).encode("latin-1", "replace")
        return b"(" + flat.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") + b") Tj"

    lines = [b"BT /F1 11 Tf 40 760 Td", *(literal(line) + b" 0 -24 Td" for line in shown), b"ET"]
    stream = b"\n".join([*lines, b"BT /F1 11 Tf 40 400 Td " + how.encode() + b" " + literal(hidden[:400]) + b" ET"])
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 2400 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n" % len(stream) + stream + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % number + content + b"endobj\n"
    cross = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return out + head + cross + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


def pdf_invisible(lines: Lines, attack: str) -> Written:
    """Text render mode 3 (ISO 32000-1, 9.3.6): the letters are not painted."""
    return ".pdf", _pdf(lines, attack, "3 Tr")


def pdf_white(lines: Lines, attack: str) -> Written:
    """The letters are painted white on white."""
    return ".pdf", _pdf(lines, attack, "1 1 1 rg")


def _sheet(lines: Lines, head: Sequence[str] = ("No", "Rule")) -> Sheet:
    rows: list[list[Content]] = [list(head)]
    rows += [[str(n), line] for n, line in enumerate(lines, 1)]
    return Sheet("Rules").rows(1, rows)


def workbook_row(lines: Lines, attack: str) -> Written:
    """The attack stands in a hidden row."""
    sheet = _sheet([*lines, attack])
    sheet.hidden_rows = {len(lines) + 2}
    return ".xlsx", Book([sheet]).bytes()


def workbook_column(lines: Lines, attack: str) -> Written:
    """The attack stands in a hidden column."""
    sheet = _sheet(lines, ("No", "Rule", "Remark")).put("C2", attack)
    sheet.hidden_columns = [3]
    return ".xlsx", Book([sheet]).bytes()


def workbook_sheet(lines: Lines, attack: str) -> Written:
    """The attack stands on a sheet that only a program can show."""
    return ".xlsx", Book([_sheet(lines), Sheet("More", state="veryHidden").put("A1", attack)]).bytes()


def workbook_white(lines: Lines, attack: str) -> Written:
    """White letters on no fill: the font of style 1 is made white."""
    sheet = _sheet(lines).put(f"B{len(lines) + 2}", attack, 1)
    white = STYLES.replace('<font><b/><sz val="11"/></font>', '<font><sz val="11"/><color rgb="FFFFFFFF"/></font>')
    return ".xlsx", pack(Book([sheet]).members() | {"xl/styles.xml": white.encode()})
