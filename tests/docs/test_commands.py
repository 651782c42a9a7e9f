"""Harm: a reader types what a page shows, and it is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, commands, known, name, shell, text, wrong

SYSTEM = {"cp", "createdb", "curl", "export", "pg_dump", "pg_restore", "psql", "sqlite3"}
"""Programs of the system that pages use."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_shows_no_command_or_option_that_does_not_exist(page: Path) -> None:
    assert [(words, why) for words in commands(page) if (why := wrong(words))] == []


@pytest.mark.parametrize("words", [["no-such-command"], ["review", "FILE", "--skip-gate"], ["eval", "nothing"], ["--no-such-option"]])
def test_the_check_sees_what_does_not_exist(words: list[str]) -> None:
    assert wrong(words)


def test_the_readme_leads_through_the_main_job() -> None:
    told = [words[0] for words in commands(ROOT / "README.md")]
    assert {"init", "parse", "review", "show", "library", "recheck", "approve", "export"} <= set(told)


def test_operations_shows_every_command_with_all_its_options() -> None:
    page = text(ROOT / "docs" / "operations.md")
    common = {"--help", "--json", "--workspace", "-w"}
    for command, options in known().items():
        if not command or any(other.startswith(f"{command} ") for other in known()):
            continue
        assert f"trustops {command}" in page
        rows = [line for line in page.splitlines() if f"`trustops {command}" in line]
        long = {option for option in options - common if option.startswith("--")} - {"--drills"}
        missing = {option for option in long if not any(option in row for row in rows)}
        assert not missing, command


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_reader_types_beside_trustops_is_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    for line in shell(page):
        program, *words = line.split()
        if program == "make":
            assert words[0] in targets, line
        elif program == "python":
            assert words[0] == "-m" or (ROOT / words[0]).is_file(), line
        else:
            assert program in {"trustops", *SYSTEM}, line


def test_every_make_target_in_prose_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    told = {(name(page), target) for page in PAGES for target in re.findall(r"`make ([a-z-]+)`", text(page))}
    assert {pair for pair in told if pair[1] not in targets} == set()
