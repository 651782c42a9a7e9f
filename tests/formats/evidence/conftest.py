"""Makers of small evidence files, hostile ones among them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import docx
import pytest
from docx.document import Document as Word

ACME = Path(__file__).parents[2] / "data" / "evidence" / "acme"

Line = tuple[float, float, float, str] | tuple[float, float, float, str, str]
"""x, y, size, text, and colour as PDF operands ("0 0 0")."""


def pdf_bytes(contents: Sequence[bytes]) -> bytes:
    """A PDF with one page for each content stream, in Helvetica."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, content in enumerate(contents):
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        packed = zlib.compress(content)
        stream = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream"
        objects += [page.encode(), stream]
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return out + end.encode()


def page_of(lines: Sequence[Line]) -> bytes:
    shown = []
    for x, y, size, text, *colour in lines:
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        shown.append(f"BT {colour[0] if colour else '0 0 0'} rg /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET")
    return "\n".join(shown).encode("cp1252")


@pytest.fixture
def pdf(tmp_path: Path) -> Callable[..., Path]:
    """Writes a PDF of pages, each a list of lines or a raw content stream."""

    def write(*pages: Sequence[Line] | bytes, name: str = "file.pdf") -> Path:
        path = tmp_path / name
        path.write_bytes(pdf_bytes([page if isinstance(page, bytes) else page_of(page) for page in pages]))
        return path

    return write


@pytest.fixture
def word(tmp_path: Path) -> Callable[[Callable[[Word], None]], Path]:
    """Writes a document that the given function fills."""

    def write(fill: Callable[[Word], None]) -> Path:
        document = docx.Document()
        fill(document)
        path = tmp_path / "file.docx"
        document.save(str(path))
        return path

    return write


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Writes a workspace of text files by relative path; the evidence folder is always there."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "workspace"
        (root / "evidence").mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return root

    return write


@pytest.fixture
def acme() -> Path:
    return ACME
