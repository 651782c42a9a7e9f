"""What a person sees: tables, lines and refusals. Machines get `--json` instead."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trustops.domain.errors import TrustOpsError

CUT = frozenset({"question", "blocked by"})
"""Columns that are cut where the screen is narrow, so that a row stays a row."""
COLOURS = {
    "BLOCK": "red",
    "BLOCKED": "red",
    "FAILED": "red",
    "STALE": "magenta",
    "PASS": "green",
    "APPROVED": "green",
    "EXPORTED": "green",
    "APPROVAL_REQUIRED": "yellow",
    "AWAITING_APPROVAL": "yellow",
    "OPEN": "green",
}


STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control and direction characters but line feed and tab."""
WIDE = 140
"""Columns where nobody looks on: a pipe has no width, and eighty would cut what it carries."""


def console(*, stderr: bool = False) -> Any:
    """A Rich console that writes plain text where nobody looks on."""
    import sys

    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, width=None if stream.isatty() else WIDE)


def emit(data: Mapping[str, Any] | Sequence[Any]) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n")


def fail(refusal: TrustOpsError, *, as_json: bool) -> None:
    """A refusal on one line: what is wrong, where, what to do. A key of ours that a library repeated in its words is blotted out."""
    from trustops.domain.redaction import Redactor
    from trustops.settings import secrets

    blotted = Redactor(secrets())
    if as_json:
        told = {"code": refusal.code, "message": refusal.message, "where": refusal.where, "remedy": refusal.remedy}
        emit({"error": {key: blotted(value) for key, value in told.items()}})
    else:
        sys.stderr.write(f"trustops: {harmless(blotted(' '.join(str(refusal).split())))}\n")


def harmless(text: str) -> str:
    """Foreign text may stand in it: what would steer the terminal, or turn the reading order, is shown as its number."""
    return STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def coloured(word: str | None) -> str:
    """A status word in its colour."""
    from rich.markup import escape

    text = escape(word or "-")
    return f"[{COLOURS[word]}]{text}[/]" if word in COLOURS else text


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout; cells may hold Rich markup, so callers escape foreign text."""
    from rich import box
    from rich.table import Table

    made = Table(expand=bool(CUT & set(columns)), title=harmless(title) or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="ellipsis" if column in CUT else "fold", no_wrap=column in CUT, ratio=1 if column in CUT else None)
    for row in rows:
        made.add_row(*map(harmless, row))
    console().print(made)


def say(text: str = "") -> None:
    """One line on stdout."""
    sys.stdout.write(harmless(text) + "\n")
