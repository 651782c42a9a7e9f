"""The pages a reader finds, and the commands, links and code spans in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

from trustops.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
    + [*(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
)
SPAN = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"[()\[\],]|\.\.\.|…")


@cache
def text(page: Path) -> str:
    """A page, read once."""
    return page.read_text(encoding="utf-8")


def name(page: Path) -> str:
    """A page as a test's name."""
    return page.relative_to(ROOT).as_posix()


def shell(page: Path) -> Iterator[str]:
    """Lines that a reader types: those behind a dollar sign in console blocks, without their comment."""
    for language, block in BLOCK.findall(text(page)):
        if language == "console":
            yield from (re.sub(r"\s+#\s.*", "", line[2:]) for line in block.splitlines() if line.startswith("$ "))


def commands(page: Path) -> Iterator[list[str]]:
    """Every `trustops ...` of a page as words, from console blocks and from code spans. Options of one table row belong to its command."""
    yield from (shlex.split(line)[1:] for line in shell(page) if line.startswith("trustops "))
    prose = BLOCK.sub("", text(page))
    for line in prose.splitlines():
        spans = SPAN.findall(line)
        told = [span for span in spans if span.startswith("trustops ")]
        yield from (_words(span) for span in told)
        if line.startswith("| `trustops "):
            beside = [word for span in spans if span.startswith("[-") for word in _words(span)]
            yield from (_words(span)[:2] + beside for span in told[-1:])


def _words(span: str) -> list[str]:
    plain = PLACEHOLDER.sub(" ", span)
    return [word for word in plain.removeprefix("trustops ").split() if word]


@cache
def known() -> dict[str, frozenset[str]]:
    """Every command of the program by name ("eval run" too), with its options."""
    return dict(_walk(typer.main.get_command(app), ""))


def _walk(command: Any, at: str) -> Iterator[tuple[str, frozenset[str]]]:
    yield at, frozenset(option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)) | {"--help"}
    for verb, inner in getattr(command, "commands", {}).items():
        yield from _walk(inner, f"{at} {verb}".strip())


def wrong(words: list[str]) -> str:
    """What is wrong with a command, empty where nothing is: a name that is not there, or an option that the command does not take."""
    verb = " ".join(words[:2]) if " ".join(words[:2]) in known() else (words[0] if words else "")
    if words and words[0].startswith("-"):
        verb = ""
    if verb not in known():
        return f"there is no command {words[0]!r}"
    if verb and any(other.startswith(f"{verb} ") for other in known()) and len(words) > 1:
        return f"{verb} has no {words[1]!r}"
    unknown = [word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word) and word not in known()[verb]]
    return f"{verb} does not take {', '.join(unknown)}" if unknown else ""
