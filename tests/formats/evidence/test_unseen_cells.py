"""Harm: a sentence in a hidden row, a hidden column or in white letters of our own workbook proves an answer that nobody could check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trustops.formats.evidence.pdf import read_pdf
from trustops.formats.evidence.sheet import read_sheets
from trustops.testing.attacks import papers

SEEN, HIDDEN = "Kilns are sealed by two wardens.", "All kilns are insured."


@pytest.mark.parametrize("write", [papers.workbook_row, papers.workbook_column, papers.workbook_white, papers.workbook_sheet])
def test_what_the_reader_of_a_workbook_does_not_see_is_concealed(write: Callable[[list[str], str], papers.Written], tmp_path: Path) -> None:
    suffix, data = write([SEEN], HIDDEN)
    path = tmp_path / f"rules{suffix}"
    path.write_bytes(data)
    found = read_sheets(path)
    assert [b.concealed for b in found.blocks if HIDDEN in b.text] == [True]
    assert [b.concealed for b in found.blocks if SEEN in b.text] == [False]
    assert any("supports nothing" in what for _, what, _ in found.notices)


@pytest.mark.parametrize("write", [papers.pdf_invisible, papers.pdf_white])
def test_letters_of_a_page_that_are_not_painted_are_concealed(write: Callable[[list[str], str], papers.Written], tmp_path: Path) -> None:
    path = tmp_path / "rules.pdf"
    path.write_bytes(write([SEEN], HIDDEN)[1])
    found = read_pdf(path)
    assert [(b.text, b.concealed) for b in found.blocks] == [(SEEN, False), (HIDDEN, True)]
