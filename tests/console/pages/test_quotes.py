"""Harm: a quote is marked where it does not stand, or text is lost or made up while it is marked or compared."""

from __future__ import annotations

import random
import string

import pytest

from trustops.console.pages.quotes import Piece, compared, quoted


@pytest.mark.parametrize(
    ("text", "quotes", "marked"),
    [
        ("Backups are encrypted. Keys rotate.", ["Keys rotate."], ["Keys rotate."]),
        ("Backups\nare  encrypted.", ["Backups are encrypted."], ["Backups\nare  encrypted."]),
        ("a b a b", ["a b"], ["a b", "a b"]),
        ("one two three", ["one two", "two three"], ["one two three"]),
        ("one two three", ["one two three", "two"], ["one two three"]),
        ("one two", ["three"], []),
        ("one (two) [three]", ["(two) [three]"], ["(two) [three]"]),
        ("one", ["", "  "], []),
    ],
)
def test_a_quote_is_marked_where_it_stands_and_nowhere_else(text: str, quotes: list[str], marked: list[str]) -> None:
    pieces = quoted(text, quotes)
    assert [piece.text for piece in pieces if piece.kind == "quote"] == marked
    assert "".join(piece.text for piece in pieces) == text


def test_no_text_is_lost_or_made_up_by_marking() -> None:
    draw = random.Random(7)
    for _ in range(400):
        text = "".join(draw.choices("ab \n.", k=draw.randrange(40)))
        quotes = ["".join(draw.choices("ab .", k=draw.randrange(1, 6))) for _ in range(draw.randrange(4))]
        assert "".join(piece.text for piece in quoted(text, quotes)) == text


def test_both_texts_can_be_read_out_of_their_comparison() -> None:
    draw = random.Random(8)
    for _ in range(300):
        before, after = (" ".join(draw.choices(string.ascii_lowercase[:4], k=draw.randrange(12))) for _ in range(2))
        pieces = compared(before, after)
        assert "".join(p.text for p in pieces if p.kind != "new") == before
        assert "".join(p.text for p in pieces if p.kind != "gone") == after


def test_what_is_too_long_to_compare_is_shown_whole() -> None:
    before, after = "a " * 2_000, "a " * 2_001
    assert compared(before, after) == (Piece(before, "gone"), Piece(after, "new"))
