"""Word questionnaires written from scratch for tests: tables, answer paragraphs, content controls, tracked changes, hidden text."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape, quoteattr

from trustops.testing.workbook import BOMB, HEAD, OFFICE, PACKAGE, pack, plain

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def run(text: str, properties: str = "") -> str:
    """A run of text; `properties` is the inside of its `w:rPr`."""
    props = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{props}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""


def paragraph(*inner: str, style: str = "", numbered: bool = False) -> str:
    """A paragraph of runs and controls. Without any it is empty."""
    props = (f'<w:pStyle w:val="{style}"/>' if style else "") + ('<w:numPr><w:numId w:val="1"/></w:numPr>' if numbered else "")
    return f"<w:p>{f'<w:pPr>{props}</w:pPr>' if props else ''}{''.join(inner)}</w:p>" if inner or props else "<w:p/>"


def heading(text: str) -> str:
    """A heading of the first level."""
    return paragraph(run(text), style="Heading1")


def cell(*paragraphs: str, span: int = 1, merge: str = "") -> str:
    """A table cell; `merge` is `restart` or `continue`."""
    props = (f'<w:gridSpan w:val="{span}"/>' if span > 1 else "") + (f'<w:vMerge w:val="{merge}"/>' if merge else "")
    return f"<w:tc><w:tcPr>{props}</w:tcPr>{''.join(paragraphs) or '<w:p/>'}</w:tc>"


def row(*cells: str, deleted: bool = False) -> str:
    """A table row; `deleted` by a tracked change."""
    mark = '<w:trPr><w:del w:id="9" w:author="a"/></w:trPr>' if deleted else ""
    return f"<w:tr>{mark}{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    """A table."""
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def lines(*texts: Sequence[str]) -> str:
    """A table of plain texts."""
    return table(*(row(*(cell(paragraph(run(text))) for text in line)) for line in texts))


def _control(properties: str, shown: str, *, prompt: bool) -> str:
    flag = "<w:showingPlcHdr/>" if prompt else ""
    return f"<w:sdt><w:sdtPr>{properties}{flag}</w:sdtPr><w:sdtContent>{run(shown)}</w:sdtContent></w:sdt>"


def text_control(shown: str = "Click or tap here to enter text.", *, prompt: bool = True) -> str:
    """A control for plain text."""
    return _control("<w:text/>", shown, prompt=prompt)


def choice_control(*members: str) -> str:
    """A drop-down."""
    items = "".join(f"<w:listItem w:displayText={quoteattr(m)} w:value={quoteattr(m)}/>" for m in members)
    return _control(f"<w:dropDownList>{items}</w:dropDownList>", "Choose an item.", prompt=True)


def tick_control(label: str) -> str:
    """A check box and its label."""
    box = '<w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/></w14:checkbox>'
    return _control(box, "\u2610", prompt=False) + run(f" {label} ")


def inserted(text: str) -> str:
    """Text that a tracked change put in."""
    return f'<w:ins w:id="1" w:author="a">{run(text)}</w:ins>'


def deleted(text: str) -> str:
    """Text that a tracked change took out."""
    return f'<w:del w:id="2" w:author="a"><w:r><w:delText xml:space="preserve">{escape(text)}</w:delText></w:r></w:del>'


def hidden(text: str) -> str:
    """Text formatted as hidden."""
    return run(text, "<w:vanish/>")


def document(*body: str, extra: dict[str, bytes] | None = None) -> bytes:
    """The docx file."""
    main = f'{HEAD}<w:document xmlns:w="{W}" xmlns:w14="{W14}"><w:body>{"".join(body)}<w:sectPr/></w:body></w:document>'
    relations = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
    types = (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{KIND}"/></Types>'
    )
    members = {
        "[Content_Types].xml": types.encode(),
        "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>'.encode(),
        "word/document.xml": main.encode(),
    }
    return pack(members | (extra or {}))


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF with one line of text below the other on each page (ISO 32000-1, 7.3 to 7.8)."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for texts in pages:
        plain = [text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for text in texts]
        stream = "BT /F1 10 Tf 50 780 Td " + " ".join(f"({text}) Tj 0 -14 Td" for text in plain) + " ET"
        kids.append(f"{len(objects) + 1} 0 R")
        refers = f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects) + 2} 0 R"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {refers} >>"
        objects += [page, f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    data, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    return data + f"{head}{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n".encode()


def _swollen(size: int) -> bytes:
    """`size` MB of text operators, compressed."""
    engine = zlib.compressobj(9)
    return b"".join(engine.compress(b"(aaaaaaaaaaa) Tj\n" * 65_536) for _ in range(size)) + engine.flush()


def _pdf_with(stream: bytes, kids: str = "3 0 R") -> bytes:
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>"
    head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count 1 /Kids [{kids}] >>".encode(),
        page,
        head + stream + b"\nendstream",
    ]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    body = b"".join(b"%d 0 obj\n" % n + data + b"\nendobj\n" for n, data in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer << /Size 6 /Root 1 0 R >>\n%%EOF\n"


def hostile() -> dict[str, Callable[[], bytes]]:
    """Files that mean harm by name, the extension first; each must be refused with one clear sentence, in seconds."""
    part, good = "word/document.xml", lines(["Ref", "Question", "Answer"], ["1", "Do you encrypt our data?", ""])

    def altered(new: bytes, old: bytes = b"<w:body>") -> bytes:
        data = f'{HEAD}<w:document xmlns:w="{W}"><w:body>{good}</w:body></w:document>'.encode()
        return document(good, extra={part: data.replace(old, new)})

    return {
        "docx not a zip": lambda: b"plain words",
        "docx encrypted": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512,
        "docx empty": lambda: b"",
        "docx truncated": lambda: document(good)[:700],
        "docx that is a workbook": lambda: plain().bytes(),
        "docx entity bomb": lambda: altered(BOMB, HEAD.encode()),
        "docx entity bomb in relations": lambda: document(good, extra={"_rels/.rels": BOMB + b"<Relationships/>"}),
        "docx zip bomb": lambda: document(good, extra={"word/media/zeros.bin": bytes(70 * 1024 * 1024)}),
        "docx name leads outside": lambda: document(good, extra={"../../evil.xml": b"<a/>"}),
        "docx whitespace bomb": lambda: altered(b"<w:body>" + b" " * (63 * 1024 * 1024)),
        "docx tag flood": lambda: altered(b"<w:body>" + b"<w:p/>" * 3_100_000),
        "docx nested without end": lambda: altered(b"<w:body>" + b"<w:sdt><w:sdtContent>" * 5_000),
        "docx bad utf-8": lambda: altered(b"\xff<w:body>"),
        "docx nul": lambda: altered(b"\0<w:body>"),
        "docx without questions": lambda: document(paragraph(run("Minutes of the meeting")), lines(["Name", "Colour"], ["A", "red"])),
        "csv binary": lambda: b"a,b\0\x01\x02,c\n" * 50,
        "csv field flood": lambda: b"," * 600_000,
        "csv quoted flood": lambda: b'"",' * 600_000,
        "csv endless record": lambda: b"Ref,Question,Answer\n" + b"x " * 20_000_000,
        "tsv field flood": lambda: b"\t" * 600_000,
        "tsv wide bytes": lambda: b"\xff\xfe" + "a\tb\0\n".encode("utf-16-le") * 1_000,
        "docx table flood": lambda: altered(b"<w:body><w:tbl>" + b"<w:tr>" + b"<w:tc/>" * 900_000 + b"</w:tr></w:tbl>"),
        "docx paragraph flood": lambda: altered(b"<w:body>" + b"<w:p><w:r><w:t>Do you?</w:t></w:r></w:p><w:p/>" * 250_000),
        "json key flood": lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(300_000)) + b"}",
        "json one long text": lambda: b'{"a": "' + b"x" * 40_000_000 + b'"}',
        "json endless comment": lambda: b"/* " + b"* " * 10_000_000,
        "csv open quote": lambda: b'Ref,Question\n1,"Do you' + b" encrypt" * 500_000,
        "csv too large": lambda: b"a" * (51 * 1024 * 1024),
        "csv workbook": lambda: plain().bytes(),
        "json nested without end": lambda: b"[" * 1_000_000,
        "json value flood": lambda: b"[" + b"1," * 600_000 + b"1]",
        "json open text": lambda: b'{"question": "' + b"\\n" * 500_000,
        "json latin": lambda: b'{"question": "\xe9"}',
        "pdf not one": lambda: b"plain words",
        "pdf swollen": lambda: _pdf_with(_swollen(300)),
        "pdf loop of pages": lambda: _pdf_with(zlib.compress(b"BT ET"), "2 0 R"),
        "pdf truncated": lambda: pdf(["Do you encrypt our data?"])[:200],
    }
