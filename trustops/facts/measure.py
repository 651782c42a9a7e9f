"""Numbers with a unit of time, percent, characters or bits, before anything around them is read.

A measure becomes a deadline or a quantity by its neighbours (`quantity.py`); frequencies are taken out before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from trustops.facts.lexicon import alternation, load
from trustops.facts.number import chinese_number, english_number, parse_number
from trustops.facts.page import Page

_HALVES = {"year": (Fraction(6), "month"), "day": (Fraction(12), "hour"), "hour": (Fraction(30), "minute"),
           "minute": (Fraction(30), "second"), "month": (Fraction(15), "day"), "percent": (Fraction(1, 2), "percent")}  # fmt: skip
TIME = frozenset(["second", "minute", "hour", "day", "business_day", "week", "month", "quarter", "year"])


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or a range of two, and its unit; `implied` marks "a week", whose one is not written."""

    start: int
    end: int
    value: tuple[Fraction, ...]
    unit: str
    implied: bool = False


@cache
def unit_words(language: str) -> dict[str, str]:
    """Unit words in small letters -> unit."""
    return {word.lower(): unit for unit, words in load("units")[language].items() for word in words}


def _english_unit(words: str) -> tuple[str, Fraction]:
    unit = unit_words("en")[" ".join(words.lower().replace("-", " ").split())]
    return ("week", Fraction(2)) if unit == "fortnight" else (unit, Fraction(1))


@cache
def _english_pattern() -> re.Pattern[str]:
    number, units = english_number(), alternation(unit_words("en"))
    single = rf"(?P<low>{number})(?:\s*(?:-|to|and)\s*(?P<high>{number}))?(?P<plus>\+)?[\s-]?(?P<unit>{units})(?![A-Za-z])"
    mixed = rf"(?:(?:,|\s|and)+(?P<minor>{number})\s?(?P<minorunit>minutes?|mins?|months?|hours?|seconds?))?(?![A-Za-z])"
    half = rf"half\s+(?:a|an)\s+(?P<halfunit>{units})(?![A-Za-z])|(?P<quarters>a|three)\s+quarters?\s+of\s+an\s+hour(?![A-Za-z])"
    half += (
        rf"|(?P<andlow>{number})\s+and\s+a\s+half\s+(?P<andunit>{units})(?![A-Za-z])|an?\s+(?P<anunit>{units})\s+and\s+a\s+half(?![A-Za-z])"
    )
    implied = rf"(?:a|an|one\s+single)\s+(?P<oneunit>{units})(?![A-Za-z])"
    return re.compile(rf"(?<!\w)(?:{half})|{single}{mixed}|(?<!\w){implied}", re.IGNORECASE)


@cache
def _chinese_pattern() -> re.Pattern[str]:
    number, units = chinese_number(), alternation(unit_words("zh"))
    halves = r"(?P<halfunit>年|天|日|小时|分钟|个小时|个月)"
    single = rf"(?P<low>{number})(?:\s*(?:至|到|-|~|～)\s*(?P<high>{number}))?\s*(?P<one_half>个半)?(?P<unit>刻钟|{units})(?P<and_half>半)?"
    mixed = rf"(?:零?(?P<minor>{number})\s*(?P<minorunit>分钟|个月|小时|秒|天))?"
    return re.compile(rf"半{halves}|{single}{mixed}", re.IGNORECASE)


def measures(page: Page) -> Iterator[Measure]:
    """All measures of a page, left to right."""
    if page.language == "zh":
        yield from _found(page, _chinese_pattern(), _chinese)
    yield from _found(page, _english_pattern(), _english)


def _found(page: Page, pattern: re.Pattern[str], read: object) -> Iterator[Measure]:
    for match in pattern.finditer(page.text):
        measure = _english(match) if read is _english else _chinese(match, page)
        if measure is not None:
            yield measure


def _english(match: re.Match[str]) -> Measure | None:
    start, end = match.span()
    if match["halfunit"]:
        value, unit = _HALVES.get(_english_unit(match["halfunit"])[0], (Fraction(1, 2), ""))
        return Measure(start, end, (value,), unit) if unit else None
    if match["quarters"]:
        return Measure(start, end, (Fraction(15 if match["quarters"].lower() == "a" else 45),), "minute")
    if match["andunit"] or match["anunit"]:
        return _and_a_half(match)
    if match["oneunit"]:
        unit, factor = _english_unit(match["oneunit"])
        return Measure(start, end, (factor,), unit, implied=True)
    unit, factor = _english_unit(match["unit"])
    low = parse_number(match["low"])
    if low is None:
        return None
    values = _range(low * factor, match["high"], factor)
    if match["minor"] and len(values) == 1:
        return _mixed(match, values[0], unit, _english_unit(match["minorunit"])[0])
    return Measure(start, end if not match["minor"] else match.start("minor"), values, unit)


def _and_a_half(match: re.Match[str]) -> Measure | None:
    """ "One and a half hours", "a year and a half", in the smaller unit."""
    unit, factor = _english_unit(match["andunit"] or match["anunit"])
    low = parse_number(match["andlow"]) if match["andunit"] else Fraction(1)
    half, minor = _HALVES.get(unit, (Fraction(0), ""))
    return Measure(*match.span(), (low * factor * half * 2 + half,), minor) if low is not None and minor else None


def _range(low: Fraction, high_text: str | None, factor: Fraction) -> tuple[Fraction, ...]:
    high = parse_number(high_text) if high_text else None
    return (low,) if high is None else (low, high * factor)


def _mixed(match: re.Match[str], major: Fraction, unit: str, minor_unit: str) -> Measure | None:
    minor, scale = parse_number(match["minor"]), _steps(unit, minor_unit)
    if minor is None or scale is None:
        return Measure(match.start(), match.end("unit"), (major,), unit)
    return Measure(match.start(), match.end(), (major * scale + minor,), minor_unit)


def _steps(unit: str, minor: str) -> Fraction | None:
    table = load("units")["convert"]
    if unit not in table or minor not in table or table[unit][0] != table[minor][0]:
        return None
    return Fraction(table[unit][1], table[minor][1])


def _chinese_unit(word: str, page: Page) -> str:
    if word == "刻钟":
        return "minute"
    if word == "位":
        return "bit" if any(hint in page.text for hint in load("units")["bit_context"]) else "character"
    return unit_words("zh")[word.lower()]


_ROUND = re.compile(r"7\s*[×xX*]\s*$|7天\s*$")


def _chinese(match: re.Match[str], page: Page) -> Measure | None:
    if match["halfunit"]:
        value, unit = _HALVES[_chinese_unit(match["halfunit"], page)]
        return Measure(*match.span(), (value,), unit)
    if re.search(r"\d月$|(?:[上下本当同第]|(?<!提)前)$", page.text[: match.start()]):
        return None  # a day of a month, last year
    if _ROUND.search(page.text[: match.start()]) and match["low"] == "24":
        return None
    unit, low = _chinese_unit(match["unit"], page), parse_number(match["low"])
    if low is None or _is_calendar_year(match, page) or _is_person(match, page):
        return None
    values = _range(low, match["high"], Fraction(1)) if match["unit"] != "刻钟" else (low * 15,)
    if (match["one_half"] or match["and_half"]) and unit in _HALVES:
        half, minor = _HALVES[unit]
        return Measure(match.start(), match.end("and_half" if match["and_half"] else "unit"), (low * half * 2 + half,), minor)
    if match["minor"] and len(values) == 1:
        return _mixed(match, values[0], unit, _chinese_unit(match["minorunit"], page))
    return Measure(match.start(), match.end("unit"), values, unit)


def _is_calendar_year(match: re.Match[str], page: Page) -> bool:
    following = page.text[match.end("unit") : match.end("unit") + 1]
    return match["unit"] == "年" and (len(match["low"]) == 4 or (following == "度" and len(match["low"]) == 4))


def _is_person(match: re.Match[str], page: Page) -> bool:
    people = tuple(load("units")["nouns"])
    return match["unit"] == "位" and page.text.startswith(people, match.end("unit"))
