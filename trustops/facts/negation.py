"""Negators, their false friends, and what is denied.

`denied` holds when, on balance, an asserted clause is denied: not for "no later than", not for both cues of a double negative,
not inside a condition, not for a "without" that only qualifies a noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from trustops.facts.lexicon import alternation, bounded, load, squeeze, words_of
from trustops.facts.nouns import Exclusion, Fact, Negation
from trustops.facts.page import Page, free


@dataclass(frozen=True, slots=True)
class Cue:
    """A negator on a page; a friend only looks like one."""

    start: int
    end: int
    word: str
    friend: bool


@cache
def _pattern(language: str) -> re.Pattern[str]:
    data = load("negation")
    friends, cues = data["false_friends"][language], data["cues"][language]
    if language == "en":
        numbered = data["false_friends"]["numbered"]
        return re.compile(rf"(?P<friend>{bounded(friends)}|{numbered})|(?P<cue>{bounded(cues)})(?!-)", re.I)
    inside = alternation(data["zh_inside"])
    return re.compile(rf"(?P<friend>{alternation(friends)})|(?P<inside>{inside})|(?P<cue>{alternation(cues)})")


def _cues(page: Page, exceptions: Sequence[Fact]) -> list[Cue]:
    found = []
    for match in _pattern(page.language).finditer(page.text):
        if page.language == "zh" and (match["inside"] or _paired(page.text, match)):
            continue
        start, end, word = match.start(), match.end(), squeeze(match.group())
        if page.language == "zh" and match["cue"] in load("negation")["parts"]:
            start, end = _core(match)
        if not free(start, end, exceptions):
            continue
        if word == "no exceptions" and re.match(r"\s+(?:were|was|are|have|noted|to|in)\b", page.text[end:], re.I):
            found.append(Cue(start, start + 2, "no", False))
            continue
        found.append(Cue(start, end, word, bool(match["friend"])))
    return found


def _core(match: re.Match[str]) -> tuple[int, int]:
    part = load("negation")["parts"][match["cue"]]
    at = match.start() + match["cue"].index(part)
    return at, at + len(part)


def _paired(text: str, match: re.Match[str]) -> bool:
    """是否, 与否, V不V: a question, no denial."""
    start = match.start()
    return len(match.group()) == 1 and start > 0 and text[start - 1 : start] == text[start + 1 : start + 2] and text[start - 1] > "一"


_CONDITION = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|or|but)\s+)(?:if|unless|where|when|whenever|had|should|in\s+case|provided|as\s+long\s+as)\b(?:(?!\sand\snot\b)[^,;])*$|"
    r"\b(?:if|where|when|whenever|unless|in\s+case|provided\s+that|as\s+long\s+as)\s(?:(?!\sand\s)[^,;])*$|\bif\s*$",
    re.I,
)
_CONDITION_ZH = re.compile(r"(?:^|[，。；、,;])(?:如果?|若|倘若|一旦|假如|凡)[^，。；,;]*$")


BACK, NEIGHBOURS = 400, 20
"""Characters and cues that are looked at on each side of a cue: no clause is longer, and what is dense with cues costs no square."""


def _conditional(page: Page, cue: Cue) -> bool:
    pattern = _CONDITION_ZH if page.language == "zh" else _CONDITION
    return bool(pattern.search(page.text[max(0, cue.start - BACK) : cue.start]))


_CLAUSE_END = re.compile(r"[;:!?](?!\d)|\.(?!\d)|[。；！？]|,\s+(?:and|but|or|nor|while|whereas|which|neither|so)\s|\sbut\s|[，,](?!\d{3})")


def _clause_of(page: Page, cue: Cue) -> tuple[int, int]:
    first = max(0, cue.start - BACK)
    starts = [match.end() for match in _CLAUSE_END.finditer(page.text, first, cue.start)]
    after = _CLAUSE_END.search(page.text, cue.end, cue.end + BACK)
    return (starts[-1] if starts else first), (after.start() if after else min(len(page.text), cue.end + BACK))


def _doubled(page: Page, cue: Cue, cues: list[Cue]) -> bool:
    """A second true cue in the same clause: "no server that is not covered", "not ... without"."""
    low, high = _clause_of(page, cue)
    others = [
        other for other in cues if other is not cue and not other.friend and low <= other.start < high and not _correlated(cue, other)
    ]
    if page.language == "zh":
        bad = {"不得", "禁止", "严禁"}
        return any(other.word not in bad or cue.word not in bad for other in others)
    return any(
        not _COORDINATED.search(page.text[low : max(cue.start, other.start)]) and not _behind_relative(page, cue, other) for other in others
    )


_COORDINATED = re.compile(r"\b(?:and|or)\s+(?:[\w-]+\s+){0,2}$")
"""Two denials side by side: "takes no cash and stores no cards"."""


def _behind_relative(page: Page, cue: Cue, other: Cue) -> bool:
    """ "A door that cannot be locked does not need ...": what a relative clause before it denies leaves the main denial single."""
    return other.start < cue.start and _relative(page, other)


def _correlated(cue: Cue, other: Cue) -> bool:
    """ "neither ... nor" denies once."""
    return {cue.word, other.word} <= {"neither", "nor", "not", "never", "no"} and "nor" in (cue.word, other.word)


_RELATIVE = re.compile(r"(?<![,;(])\s(?:that|who|which)\s+(?:\w+\s+){0,2}$", re.I)
_BARE_RELATIVE = re.compile(r"^\W*(?:an?|the|any|every)\s+\w+\s+$", re.I)
_SAID = re.compile(
    r"\b(?:true|confirm\w*|state\w*|represented|show\w*|ensure\w*|said|means?|found|noted|so|guarantee\w*|assure\w*|prove\w*|know\w*|think)\s*$",
    re.I,
)


def _relative(page: Page, cue: Cue) -> bool:
    """A negation in a restrictive relative clause qualifies a noun: "an application that cannot use it needs ..."."""
    before = page.text[_clause_of(page, cue)[0] : cue.start]
    match = _RELATIVE.search(before)
    if match and not _SAID.search(before[: match.start()]):
        return bool(before[: match.start()].strip())
    return cue.word in ("nobody", "no one") and bool(_BARE_RELATIVE.match(before))


def _denied(page: Page, cue: Cue, cues: list[Cue]) -> bool:
    if cue.friend or (page.doc == "questionnaire" and page.text.rstrip().endswith(("?", "？")) and _conditional(page, cue)):
        return False
    if _relative(page, cue) or _conditional(page, cue) or _doubled(page, cue, cues):
        return False
    if cue.word in words_of("negation", "modifiers"):
        return not re.match(r"\s+(?:a|an|the|any|prior|written|valid|notice)?\s*\w+", page.text[cue.end :])
    return True


def _negated(page: Page, cue: Cue) -> str | None:
    """The verbatim part that is denied: before a prohibition, behind any other cue, to the end of the clause."""
    low, high = _clause_of(page, cue)
    behind = page.text[cue.end : high].strip(" ,.;，。；")
    if cue.word in load("negation")["prohibitions"] and page.language == "en" and (not behind or behind.startswith(("for", "on", "in"))):
        before = re.sub(r"\s+(?:is|are|was|were|be|strictly|expressly)(?=\s|$)", "", page.text[low : cue.start]).strip()
        return before or None
    return behind or page.text[low : cue.start].strip() or None


def find(page: Page, outer: Iterable[Fact]) -> list[Fact]:
    """Negation cues of a page, each with whether it denies."""
    exceptions = [fact for fact in outer if isinstance(fact, Exclusion)]
    cues = _cues(page, exceptions)
    found: list[Fact] = []
    for at, cue in enumerate(cues):
        denied = _denied(page, cue, cues[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1])
        found.append(Negation(cue.start, cue.end, page.surface(cue.start, cue.end), denied, _negated(page, cue) if denied else None))
    return found
