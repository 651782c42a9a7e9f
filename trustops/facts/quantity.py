"""Quantities and deadlines: a measure with the comparators and prepositions around it.

A deadline is a limit until an action is complete (within, no later than, 内); any other measure is a quantity.
Comparators come from words only: "RTO is 4 hours" is exactly 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from trustops.facts.lexicon import alternation, flat, load, squeeze
from trustops.facts.measure import TIME, Measure, measures
from trustops.facts.nouns import NOT_STATED, Comparator, Deadline, Fact, Quantity
from trustops.facts.page import Page, free


@dataclass(frozen=True, slots=True)
class Cue:
    """A word beside a measure, the comparator that it brings, and where it begins or ends."""

    comparator: Comparator
    at: int


@cache
def _before(language: str) -> re.Pattern[str]:
    phrases = alternation(flat(load("comparators")[language]["before"]))
    if language == "en":
        return re.compile(rf"(?<![\w])(?P<cue>{phrases})\s*(?:of\s+|a\s+|the\s+)?$", re.IGNORECASE)
    return re.compile(
        rf"(?P<cue>{phrases})\s*(?:为|是|保存|保留|留存|由|有|需要?|达到?|在|每次|使用|支持|提前|包含|包括|经|应为|存储|[^\s，。；、的每年月周日天次对和与及或在向从]{{2}})?\s*$"
    )


@cache
def _after(language: str) -> re.Pattern[str]:
    phrases = alternation(flat(load("comparators")[language]["after"]))
    return re.compile(rf"[\s,]*(?P<cue>{phrases})(?![A-Za-z])" if language == "en" else rf"\s*(?P<cue>{phrases})", re.IGNORECASE)


def comparator_before(text: str, end: int, language: str) -> Cue | None:
    """The comparator that ends right before an offset."""
    window = max(0, end - 30)
    match = _before(language).search(text[window:end])
    if match is None or (match["cue"] == "近" and text[: window + match.start("cue")].endswith(("最", "附", "临", "就"))):
        return None
    if match["cue"].lower() == "past" and text[:end].lower().rstrip().endswith(("the past", "within past", "in past")):
        return None
    return Cue(flat(load("comparators")[language]["before"])[squeeze(match["cue"])], window + match.start("cue"))  # type: ignore[arg-type]


def comparator_after(text: str, start: int, language: str) -> Cue | None:
    """The comparator that follows an offset: "or more", 以上."""
    match = _after(language).match(text, start)
    if match is None:
        return None
    return Cue(flat(load("comparators")[language]["after"])[squeeze(match["cue"])], match.end("cue"))  # type: ignore[arg-type]


@cache
def _limit_before(language: str) -> re.Pattern[str]:
    key = "en" if language == "en" else "zh_before"
    phrases = alternation(load("comparators")["limits"][key])
    return re.compile(
        rf"(?<![A-Za-z])(?P<cue>{phrases})\s*(?:the\s+)?$" if language == "en" else rf"(?P<cue>{phrases})\s*(?:在|于|为)?$", re.I
    )


def _limit(text: str, end: int, language: str) -> Cue | None:
    key = "en" if language == "en" else "zh_before"
    window = max(0, end - 32)
    match = _limit_before(language).search(text[window:end])
    if match is None:
        return None
    return Cue(load("comparators")["limits"][key][squeeze(match["cue"])], window + match.start("cue"))


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Deadlines and quantities of time, percent, characters and bits on a page, except where something outer stands."""
    found: list[Fact] = []
    outer = list(taken)
    for measure in measures(page):
        if not free(measure.start, measure.end, [*outer, *found]):
            continue
        fact = _english(page, measure) if page.language == "en" else _chinese(page, measure, found)
        if fact is not None and free(fact.start, fact.end, [*outer, *found]):
            found.append(fact)
    return found


_NOTICE = re.compile(r"(?:'s?|s')?\s*(?:of\s+)?(?:prior\s+|advance\s+|advanced\s+|written\s+|prior,?\s+written\s+)*notice(?!\w)", re.I)
_AHEAD = re.compile(r"\s*(?:before|beforehand|prior\s+to|in\s+advance|ahead\s+of|ahead\s+of\s+time)(?!\w)", re.I)
_ANCHOR = re.compile(r"\s*(?:after|of|from|following|since|upon)\s", re.I)
_EVENT = re.compile(
    r"\s*(?:after|of|from|following|since|upon|before|prior\s+to|ahead\s+of|to)\s+(?P<event>[^,;.:()]+?)"
    r"(?=[,;.:()]|\s(?:and|or|unless|if|but|by|at)\s|$)", re.I)  # fmt: skip


def _event(text: str, at: int) -> str:
    match = _EVENT.match(text, at)
    return match["event"].strip() if match else NOT_STATED


def _english(page: Page, measure: Measure) -> Fact | None:
    text = page.text
    behind = comparator_after(text, measure.end, "en")
    end = behind.at if behind else measure.end
    limit = _limit(text, measure.start, "en") if measure.unit in TIME else None
    notice = _NOTICE.match(text, measure.end) if measure.unit in TIME else None
    ahead = _AHEAD.match(text, measure.end) if measure.unit in TIME else None
    cue = comparator_before(text, measure.start, "en")
    if notice or ahead:
        return _notice(page, measure, cue, notice.end() if notice else measure.end)
    if limit and not _retrospective(text, limit.at):
        return _deadline(page, measure, limit.at, end, limit.comparator, "after")
    if cue is not None and measure.unit in TIME:
        outer = _limit(text, cue.at, "en")
        if outer is not None:
            return _deadline(page, measure, outer.at, end, cue.comparator if cue.comparator != "at_least" else "at_most", "after")
        if cue.comparator in ("at_most", "less_than") and _ANCHOR.match(text, measure.end):
            return _deadline(page, measure, cue.at, end, cue.comparator, "after")
    if measure.implied and cue is None and not _LASTS.search(text[: measure.start]):
        return None
    return _quantity(page, measure, cue, behind)


_LASTS = re.compile(r"\b(?:for|after|lasts?|lasted|takes?|took|than)\s+$", re.I)


def _retrospective(text: str, at: int) -> bool:
    return bool(re.search(r"(?:once|every|twice)\s*$", text[:at], re.I))


def _notice(page: Page, measure: Measure, cue: Cue | None, end: int) -> Deadline:
    start = cue.at if cue else measure.start
    return _deadline(page, measure, start, end, cue.comparator if cue and cue.comparator != "exactly" else "at_least", "before")


def _deadline(
    page: Page, measure: Measure, start: int, end: int, comparator: Comparator, direction: Literal["after", "before"]
) -> Deadline:
    relation: Comparator = "between" if len(measure.value) == 2 else comparator
    event = _event(page.text, end) if page.language == "en" else _chinese_event(page.text, start, end)
    return Deadline(start, end, page.surface(start, end), relation, measure.value, measure.unit, event, direction)


def _quantity(page: Page, measure: Measure, cue: Cue | None, behind: Cue | None) -> Quantity:
    start = cue.at if cue else measure.start
    end = behind.at if behind else measure.end
    comparator: Comparator = cue.comparator if cue else behind.comparator if behind else "exactly"
    if cue is None and "+" in page.text[measure.start : measure.end]:
        comparator = "at_least"
    if len(measure.value) == 2:
        comparator = "between"
        between = re.search(r"(?:between|from)\s+$", page.text[:start], re.I)
        start = between.start() if between else start
    return Quantity(start, end, page.surface(start, end), comparator, measure.value, measure.unit)


@cache
def _chinese_limit_after() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{alternation(load('comparators')['limits']['zh_after'])})")


_ADVANCE = re.compile(r"提前\s*(?:至少|不少于|最少|不得少于)?\s*$")
_WINDOW = re.compile(r"(?:过去|最近|近|此前|前)\s*(?:的)?$")


def _chinese_event(text: str, start: int, end: int) -> str:
    before = re.split(r"[，。；、,;]", text[:start])[-1]
    match = re.search(r"(?:在|自|于|应|须|将)?([^在自于应须将]{2,24}?(?:之日)?)(?:之后|以后|后|起)(?:的)?(?:最迟|至迟)?$", before)
    return match.group(1) if match else NOT_STATED


def _chinese(page: Page, measure: Measure, found: list[Fact]) -> Fact | None:
    text = page.text
    cue, limit = comparator_before(text, measure.start, "zh"), _limit(text, measure.start, "zh")
    if measure.unit in TIME:
        notice = _ADVANCE.search(text[: measure.start])
        if notice or text.startswith(("前通知", "之前通知"), measure.end):
            return _deadline(page, measure, notice.start() if notice else measure.start, measure.end, "at_least", "before")
        inside = _chinese_limit_after().match(text, measure.end)
        if inside and not _WINDOW.search(text[: measure.start]):
            start = limit.at if limit else cue.at if cue and cue.comparator != "at_least" else measure.start
            return _deadline(page, measure, start, inside.end(), "at_most", "after")
        if limit:
            return _deadline(page, measure, limit.at, measure.end, "at_most", "after")
        if cue and cue.comparator in ("at_most", "less_than") and any(isinstance(fact, Deadline) for fact in found):
            return _deadline(page, measure, cue.at, measure.end, cue.comparator, "after")
    if cue is None and _WINDOW.search(text[: measure.start]):
        return _quantity(page, measure, None, None)
    return _quantity(page, measure, cue, comparator_after(text, measure.end, "zh"))
