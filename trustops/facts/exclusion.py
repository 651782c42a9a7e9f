"""What is excepted: from the marker to the end of what is excepted, before or behind the noun."""

from __future__ import annotations

import re
from functools import cache

from trustops.facts.lexicon import alternation, load
from trustops.facts.nouns import Exclusion, Fact
from trustops.facts.page import Page, free

_REST = r"[^,;.:()\[\]]*(?:\([^)]*\))?[^,;.:()\[\]]*"
_INNER_DATE = re.compile(r",\s+\d{1,2}\s+[A-Z][a-z]+\s+\d{4}")


@cache
def _english() -> re.Pattern[str]:
    data = load("exceptions")["en"]
    behind = rf"(?:(?<=[,;(])|(?<=^))\s*(?P<thing>[^,;.()]{{3,60}}?)\s(?:{alternation(data['behind'])})(?=[,.;)]|$)"
    return re.compile(
        rf"(?<![A-Za-z])(?P<marker>{alternation(data['markers'])})(?!\w){_REST}|{data['counted']}|(?P<but>{data['all_but']})|{behind}", re.I
    )


@cache
def _chinese() -> re.Pattern[str]:
    data = load("exceptions")["zh"]
    return re.compile(rf"{data['wrapped']}|{data['before']}|{data['behind']}")


def _span(page: Page, match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span()
    if page.language == "en":
        if match["but"]:
            start += len(match["but"]) - len(match["but"].lstrip())
        if match["thing"]:
            start = match.start("thing")
        dated = _INNER_DATE.match(page.text, end)
        end = dated.end() if dated else end
    while end > start and page.text[end - 1] in " \t\n":
        end -= 1
    return start, end


_ALL_BUT = re.compile(
    r"\b(?:all|every|each|any|none|everything|everyone|everybody|nothing)\b(?:\s+(?!is\b|are\b|has\b|have\b|must\b|shall\b)[\w-]+){0,3}$"
)


def _false(page: Page, match: re.Match[str]) -> bool:
    before = page.text[: match.start()].lower()
    if page.language == "zh":
        return bool(re.search(r"(?:没有|无)$", before)) or "清除外" in match.group() or (match.group().startswith("除非") and False)
    if match["but"]:
        return not _ALL_BUT.search(before)
    marker = (match["marker"] or "").lower()
    if marker == "excludes":
        return False
    if marker == "but not":
        return "limited" in match.group().lower() or bool(re.match(r"but not\s+(?:yet|all|be|only|the\s+least)", match.group().lower()))
    if marker in ("other than", "bar"):
        return before.rstrip().endswith(("none", "no")) or marker == "bar"
    return before.rstrip().endswith(("without", "no"))


def find(page: Page) -> list[Fact]:
    """Exceptions of a page."""
    found: list[Fact] = []
    pattern = _chinese() if page.language == "zh" else _english()
    for match in pattern.finditer(page.text):
        start, end = _span(page, match)
        if end > start and not _false(page, match) and free(start, end, found):
            found.append(Exclusion(start, end, page.surface(start, end)))
    return found
