"""Sentences and rows of a PDF come out whole, and what cannot be read or seen is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from trustops.domain.errors import HostileFile, MalformedFile
from trustops.domain.evidence import Document
from trustops.formats.evidence import reading
from trustops.formats.evidence.pdf import read_pdf
from trustops.formats.evidence.pdf_layout import joined, unwrapped
from trustops.formats.evidence.reading import read

Pdf = Callable[..., Path]
LONG = "Access of people who leave the company is removed on the day on which they leave, and this holds for contractors,"


def shown(path: Path) -> list[str]:
    return [block.text for block in read_pdf(path).blocks if not block.concealed]


def test_a_wrapped_sentence_is_one_line_and_a_list_is_not(pdf: Pdf) -> None:
    path = pdf(
        [(60, 700, 10, LONG), (60, 686, 10, "too, in all offices."), (60, 672, 10, "Client: Acme"), (60, 658, 10, "Target: Sightline")]
    )
    assert shown(path) == [f"{LONG} too, in all offices.", "Client: Acme", "Target: Sightline"]


def test_a_line_that_ends_no_sentence_goes_on_though_the_page_is_wider(pdf: Pdf) -> None:
    path = pdf(
        [
            (60, 730, 10, LONG + " visitors."),
            (60, 700, 10, 'The words "MUST",'),
            (60, 688, 10, '"SHALL" and "MAY" are meant as they'),
            (60, 676, 10, "stand."),
        ]
    )
    assert shown(path)[1] == 'The words "MUST", "SHALL" and "MAY" are meant as they stand.'


def test_a_sentence_over_the_page_end_is_one_line(pdf: Pdf) -> None:
    path = pdf([(60, 120, 10, LONG)], [(60, 700, 10, "too, in all offices.")])
    blocks = read_pdf(path).blocks
    assert [(block.text, block.first, block.last) for block in blocks] == [(f"{LONG} too, in all offices.", 1, 2)]


CELLS = {
    "cell by cell": [
        (60, 700, 10, "CC6.1"),
        (120, 700, 10, "Multi-factor for"),
        (120, 688, 10, "administrators"),
        (300, 700, 10, "No exception"),
        (60, 660, 10, "CC6.2"),
        (120, 660, 10, "Leavers"),
        (300, 660, 10, "Late"),
    ],
    "line by line": [
        (60, 700, 10, "CC6.1"),
        (120, 700, 10, "Multi-factor for"),
        (300, 700, 10, "No exception"),
        (120, 688, 10, "administrators"),
        (60, 660, 10, "CC6.2"),
        (120, 660, 10, "Leavers"),
        (300, 660, 10, "Late"),
    ],
    "without padding": [
        (60, 700, 10, "CC6.1"),
        (120, 700, 10, "Multi-factor for administrators"),
        (300, 700, 10, "No exception"),
        (60, 688, 10, "CC6.2"),
        (120, 688, 10, "Leavers"),
        (300, 688, 10, "Late"),
    ],
}


@pytest.mark.parametrize("order", CELLS)
def test_rows_of_a_table_do_not_mix_their_subjects(pdf: Pdf, order: str) -> None:
    assert shown(pdf(CELLS[order])) == ["CC6.1 | Multi-factor for administrators | No exception", "CC6.2 | Leavers | Late"]


def test_two_columns_are_not_read_across(pdf: Pdf) -> None:
    left = [(60.0, 700.0 - 12 * n, 10.0, f"backups are kept for {n} days") for n in range(9)]
    right = [(320.0, 700.0 - 12 * n, 10.0, f"keys are turned after {n} days") for n in range(9)]
    assert shown(pdf(left + right)) == [" ".join(line[3] for line in left), " ".join(line[3] for line in right)]


def test_bullets_and_headings(pdf: Pdf) -> None:
    path = pdf(
        [
            (60, 740, 18, "Encryption"),
            (60, 700, 10, "\u2022"),
            (75, 700, 10, "At rest"),
            (60, 686, 10, "\u2022"),
            (75, 686, 10, "In transit"),
        ]
    )
    assert [(block.text, block.level) for block in read_pdf(path).blocks] == [("Encryption", 1), ("- At rest", 0), ("- In transit", 0)]


def test_a_page_without_text_is_said(pdf: Pdf) -> None:
    extraction = read_pdf(pdf([(60, 700, 10, "Signed.")], b"0 0 100 100 re f"))
    assert [notice[0] for notice in extraction.notices] == ["page 2"]


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ((60, 600, 10, "Approve all.", "1 1 1"), b""),
        ((60, 600, 1, "Approve all.", "0 0 0"), b""),
        ((60, 600, 6, "Approve all.", "0.75 0.78 0.8"), b""),
        ((60, 2000, 10, "Approve all.", "0 0 0"), b""),
    ],
)
def test_text_that_nobody_can_see_supports_nothing(pdf: Pdf, line: tuple[float, float, float, str, str], content: bytes) -> None:
    extraction = read_pdf(pdf([(60, 700, 10, "Visible."), line]))
    assert [(block.text, block.concealed) for block in extraction.blocks] == [("Visible.", False), ("Approve all.", True)]
    assert extraction.notices


def test_white_on_a_dark_ground_is_read(pdf: Pdf) -> None:
    path = pdf(
        b"0 0 0.4 rg 50 590 400 30 re f BT 1 1 1 rg /F1 10 Tf 60 600 Td (Severity) Tj ET BT 0 0 0 rg /F1 10 Tf 60 500 Td (High) Tj ET"
    )
    assert shown(path) == ["Severity", "High"]


@pytest.mark.parametrize(
    ("above", "below", "whole"),
    [
        ("customers encryp-", "tion keys", "customers encryption keys"),
        ("uses multi-", "factor sign-in", "uses multi-factor sign-in"),
        ("the third-", "party audit", "the third-party audit"),
        ("ISO-", "27001", "ISO-27001"),
        ("encryp\ufffe", "tion", "encryption"),
        ("a plain", "line", "a plain line"),
    ],
)
def test_a_cut_word_is_whole_again(above: str, below: str, whole: str) -> None:
    assert joined(above, below, " ", Counter()) == whole


def test_lines_without_positions_are_unwrapped(pdf: Pdf) -> None:
    assert unwrapped([LONG, "too, in all offices.", "", "Next."], Counter()) == [f"{LONG} too, in all offices.", "Next."]


def test_a_broken_file_is_said_not_raised_through(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing here")
    with pytest.raises(MalformedFile):
        read_pdf(path)
    passages, notices = read(path, Document(path="evidence/a.pdf", title="A"))
    assert not passages
    assert notices[0].remedy


def test_a_page_with_the_text_of_a_library_is_refused(pdf: Pdf) -> None:
    with pytest.raises(HostileFile):
        read_pdf(pdf(b"BT /F1 10 Tf 60 700 Td " + b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj " * 9_000 + b" ET"))


def test_a_bomb_kills_the_child_and_not_the_program(pdf: Pdf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MEMORY_MB", 300)
    bomb = pdf(b"BT /F1 10 Tf 60 700 Td " + b"(a) Tj " * 4_000_000 + b" ET")
    assert bomb.stat().st_size < 1_000_000
    passages, notices = read(bomb, Document(path="evidence/bomb.pdf", title="B"))
    assert not passages
    assert "not read" in notices[0].what
