"""One sentence as different documents lay it out: paragraph, list, table, HTML, plain text, CSV. The sentence itself stays as it is."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from html import escape

BESIDE = {
    "en": ("Purpose", "This document belongs to the security team.", "Owner", "The head of security keeps it."),
    "zh": ("目的", "本文件由安全部门管理。", "负责人", "安全负责人保管本文件。"),
}
"""What stands around the sentence: two subjects and what is said of them, about nothing that anybody asks."""


def lay_out(layout: str, title: str, sentence: str, language: str, *, name: str) -> tuple[str, str]:
    """The path and the text of a document that says the sentence."""
    suffix, write = FORMS[layout]
    return f"{name}{suffix}", write(title, sentence, BESIDE[language])


Beside = tuple[str, str, str, str]


def _paragraph(title: str, sentence: str, beside: Beside) -> str:
    return f"# {title}\n\n## {beside[0]}\n\n{beside[1]}\n\n{sentence}\n"


def _bullets(title: str, sentence: str, beside: Beside) -> str:
    return f"# {title}\n\n- {beside[1]}\n- {sentence}\n- {beside[3]}\n"


def _numbered(title: str, sentence: str, beside: Beside) -> str:
    return f"# {title}\n\n1. {beside[1]}\n2. {sentence}\n3. {beside[3]}\n"


def _html(title: str, sentence: str, beside: Beside) -> str:
    lines = "".join(f"<p>{escape(text)}</p>" for text in (beside[1], sentence, beside[3]))
    return f"<!doctype html><html><head><title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>{lines}</body></html>"


def _plain(title: str, sentence: str, beside: Beside) -> str:
    return f"{title}\n\n{beside[1]}\n\n{sentence}\n\n{beside[3]}\n"


def _table(title: str, sentence: str, beside: Beside) -> str:
    return f"# {title}\n\n| No. | Rule |\n|---|---|\n| 1 | {beside[1]} |\n| 2 | {sentence} |\n| 3 | {beside[3]} |\n"


def _csv(title: str, sentence: str, beside: Beside) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("No.", "Rule"), ("1", beside[1]), ("2", sentence), ("3", beside[3])])
    return out.getvalue()


FORMS: dict[str, tuple[str, Callable[[str, str, Beside], str]]] = {
    "paragraph": (".md", _paragraph),
    "bullets": (".md", _bullets),
    "numbered": (".md", _numbered),
    "html": (".html", _html),
    "plain": (".txt", _plain),
    "table": (".md", _table),
    "csv": (".csv", _csv),
}
LAYOUTS = tuple(FORMS)
