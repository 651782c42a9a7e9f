"""Word questionnaires written from scratch for tests: tables, answer paragraphs, content controls, tracked changes, hidden text."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from trustops.testing.workbook import HEAD, OFFICE, PACKAGE, pack

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
