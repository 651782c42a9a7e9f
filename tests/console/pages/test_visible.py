"""Harm: a character that nobody sees changes what a person reads, approves or sends."""

from __future__ import annotations

import unicodedata

import pytest
from markupsafe import Markup

from trustops.console.pages.drawing import templates
from trustops.console.pages.visible import hidden, marked, plain

CASES = [
    ("nothing to see", "all\u00a0right – “quoted” 是 ä é", "all\u00a0right – “quoted” 是 ä é"),
    ("line ends and tabs stay", "a\r\nb\tc\n", "a\nb\tc\n"),
    ("a lone carriage return hides what came before", "safe\rnot", "safe[U+000D]not"),
    ("right-to-left override", "pdf\u202efdp", "pdf[U+202E]fdp"),
    ("isolates", "\u2066x\u2069", "[U+2066]x[U+2069]"),
    ("zero width space, joiners", "a\u200bb\u200cc\u200dd", "a[U+200B]b[U+200C]c[U+200D]d"),
    ("word joiner and byte order mark", "a\u2060b\ufeff", "a[U+2060]b[U+FEFF]"),
    ("soft hyphen", "in\u00adcident", "in[U+00AD]cident"),
    ("tag characters carry a message", "ok\U000e0041\U000e007f", "ok[U+E0041][U+E007F]"),
    ("selectors in a row carry data", "ok\ufe01\ufe02", "ok[U+FE01][U+FE02]"),
    ("one selector chooses a picture", "✔\ufe0f", "✔\ufe0f"),
    ("controls of a terminal", "\x1b[31mred\x07", "[U+001B][31mred[U+0007]"),
    ("zero", "a\x00b", "a[U+0000]b"),
    ("delete and the second set of controls", "\x7f\x85\x9b", "[U+007F][U+0085][U+009B]"),
    ("line and paragraph separators", "a\u2028b\u2029", "a[U+2028]b[U+2029]"),
    ("letters that are drawn as nothing", "\u3164\u115f\uffa0\u2800", "[U+3164][U+115F][U+FFA0][U+2800]"),
    ("grapheme joiner", "a\u034fb", "a[U+034F]b"),
    ("Arabic letter mark", "\u061cx", "[U+061C]x"),
    ("private use", "\ue000", "[U+E000]"),
    ("half a surrogate pair", "\ud800", "[U+D800]"),
    ("interlinear annotation", "\ufff9a\ufffb", "[U+FFF9]a[U+FFFB]"),
]


@pytest.mark.parametrize(("text", "shown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_hides_is_shown_by_its_number(text: str, shown: str) -> None:
    assert plain(text) == shown
    assert str(marked(text)).count("ghost") == shown.count("[U+")


def test_every_hiding_character_of_unicode_is_shown() -> None:
    """All of them, not those that somebody thought of."""
    every = [chr(code) for code in range(0x110000)]
    hiding = [c for c in every if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and c not in "\n\t"]
    assert [c for c in hiding if not hidden(c)] == []
    assert all(plain(f"a{c}b") != f"a{c}b" for c in hiding)
    assert not any(hidden(c) for c in every if unicodedata.category(c) in ("Lu", "Ll", "Nd", "Pd", "Po", "Sm", "Zs"))


@pytest.mark.parametrize(
    "template", ["{{ text }}", '<a title="{{ text }}">', "{{ text|marked }}", "{{ 'x' ~ text }}", "{{ [text]|join(', ') }}"]
)
def test_no_way_out_of_a_template_leaves_it_hidden_or_as_markup(template: str) -> None:
    made = templates().from_string(template).render(text="<script>\u202e</script>")
    assert "<script" not in made
    assert "\u202e" not in made
    assert "U+202E" in made


def test_a_field_that_is_edited_keeps_its_characters() -> None:
    made = templates().from_string("<textarea>{{ text|exact }}</textarea>").render(text="a\u200b</textarea><script>")
    assert made == "<textarea>a\u200b&lt;/textarea&gt;&lt;script&gt;</textarea>"


def test_markup_is_marked_once() -> None:
    assert str(Markup("{}").format(marked("<b>\u200b"))).startswith("&lt;b&gt;<span")
