"""How often something happens. The comparator speaks about the rate: "at least annually" is often enough.

`every` is the interval (twice a year is P6M); "every 12 months" stays P12M, equality is the business of `implication`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache

from trustops.facts.lexicon import alternation, flat, load, squeeze
from trustops.facts.measure import unit_words
from trustops.facts.nouns import Comparator, Fact, Frequency
from trustops.facts.number import chinese_number, english_number, parse_number
from trustops.facts.page import Page, free

_LETTER = {
    "second": "S",
    "minute": "M",
    "hour": "H",
    "day": "D",
    "business_day": "D",
    "week": "W",
    "month": "M",
    "quarter": "M",
    "year": "Y",
}
_FINER: dict[str, tuple[tuple[int, str], ...]] = {"M": ((30, "D"),), "D": ((24, "H"),), "H": ((3600, "S"),)}
"""Twice a quarter is no whole number of months: a month of 30 days, a day of 24 hours."""
_SHARES = {"P1Y": (12, "M"), "P1Q": (3, "M"), "P1M": (30, "D"), "P1W": (7, "D"), "P1D": (24, "H"), "P3M": (3, "M"), "P6M": (6, "M")}


def interval(value: Fraction, unit: str) -> str | None:
    """The ISO 8601 interval of a number of units; None where it is no whole number."""
    if value.denominator != 1 or value < 1 or unit not in _LETTER:
        return None
    count = value.numerator * (3 if unit == "quarter" else 1)
    return f"PT{count}{_LETTER[unit]}" if unit in ("second", "minute", "hour") else f"P{count}{_LETTER[unit]}"


def shared(period: str, times: int) -> str | None:
    """The interval of `times` per period: twice a year is P6M."""
    if times <= 1:
        return period
    if period not in _SHARES:
        return None
    count, letter = _SHARES[period]
    for size, unit in ((1, letter), *_FINER[letter]):
        if count * size % times == 0:
            return f"PT{count * size // times}{unit}" if unit in "HS" or unit == letter == "H" else f"P{count * size // times}{unit}"
    whole = max(1, count // times)
    return f"PT{whole}{letter}" if letter == "H" else f"P{whole}{letter}"


@cache
def _english() -> re.Pattern[str]:
    data, number = load("frequency")["en"], english_number()
    units = alternation([*unit_words("en"), *data["periods"]])
    times = rf"(?P<times>once|twice|thrice|(?:{number})\s+times)"
    within = r"(?:a|an|per|every|each|in\s+(?:any|each|every)(?:\s+rolling)?|during\s+each|in\s+a)"
    per = rf"{times}\s+{within}\s+(?:(?P<pern>{number})[\s-])?(?P<per>{units})(?:\s+period)?"
    every = rf"(?:every|each)\s+(?:(?P<other>other|second|third|fourth|sixth)\s+|(?P<n>{number})[\s-]+)?(?:calendar\s+)?(?P<unit>{units})"
    intervals = [*data["intervals"], *(phrase for phrase in data["at_least"] if "interval" in phrase)]
    spaced = rf"(?:{alternation(intervals)})\s+(?P<sn>{number})[\s-]+(?P<sunit>{units})"
    adverb = rf"(?:(?P<often>once|twice|thrice|(?:{number})\s+times)\s+)?(?P<adverb>{alternation(data['adverbs'])})"
    return re.compile(rf"(?<![\w-])(?:{per}|{every}|{spaced}|{adverb})(?![\w-]*\w)", re.I)


@cache
def _before(language: str) -> re.Pattern[str]:
    data = load("frequency")[language]
    phrases = alternation([*data["at_least"], *data["at_most"], *data["about"]])
    return re.compile(rf"(?<![A-Za-z])(?P<cue>{phrases})\s*(?:once\s+)?(?:of\s+|on\s+an?\s+|an?\s+)?$", re.I)


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(rf"[\s,]*(?:{alternation(load('frequency')['en']['after_at_least'])})(?!\w)", re.I)


def _comparator(page: Page, start: int, end: int) -> tuple[Comparator, int, int]:
    data = load("frequency")["en"]
    match = _before("en").search(page.text[max(0, start - 36) : start])
    if match:
        kinds = {key: data[key] for key in ("at_least", "at_most", "about")}
        return flat(kinds)[squeeze(match["cue"])], start - len(match.group()), end  # type: ignore[return-value]
    behind = _behind().match(page.text, end)
    return ("at_least", start, behind.end()) if behind else ("exactly", start, end)


def _english_every(match: re.Match[str]) -> str | None:
    data = load("frequency")["en"]
    if match["adverb"]:
        adverb, often = str(data["adverbs"][squeeze(match["adverb"])]), match["often"]
        return shared(adverb, _times(often) or 1) if often else adverb
    if match["sunit"]:
        return _of_unit(match["sunit"], parse_number(match["sn"]))
    if match["unit"]:
        other = {"other": 2, **load("numbers")["en"]["ordinals"]}.get((match["other"] or "").lower())
        return _of_unit(match["unit"], Fraction(other) if other else parse_number(match["n"]) if match["n"] else Fraction(1))
    period = _of_unit(match["per"], parse_number(match["pern"]) if match["pern"] else Fraction(1))
    count = _times(match["times"])
    return shared(period, int(count)) if period and count else None


def _times(words: str) -> int | None:
    """ "Twice", "three times"."""
    count = load("numbers")["en"]["times"].get(words.lower()) or parse_number(words.lower().removesuffix("times"))
    return int(count) if count else None


def _of_unit(word: str, value: Fraction | None) -> str | None:
    periods = load("frequency")["en"]["periods"]
    name = squeeze(word)
    if name in periods:
        return str(periods[name]) if value == 1 else ("P2W" if name == "fortnight" else None)
    return interval(value, unit_words("en")[name]) if value is not None and name in unit_words("en") else None


_CLOCK = re.compile(r"(?:hours|days)\s+(?:a|per)\s+(?:day|week)", re.I)


def _find_english(page: Page) -> Iterator[Frequency]:
    for match in _english().finditer(page.text):
        every = _english_every(match)
        if every is None:
            continue
        comparator, start, end = _comparator(page, *match.span())
        rolling = re.search(r"in\s+any\b", match.group(), re.I)
        interval_word = ("interval" in match.group().lower() and "not" in match.group().lower()) or "no more" in match.group().lower()
        if rolling and comparator == "exactly":
            comparator = "at_most"
        elif interval_word and comparator == "exactly":
            comparator = "at_least"
        yield Frequency(start, end, page.surface(start, end), comparator, every)


@cache
def _chinese() -> re.Pattern[str]:
    data, number = load("frequency")["zh"], chinese_number().replace(r"(?<![\d.,A-Za-z-])", "")
    cue = alternation([*data["at_least"], *data["at_most"], *data["about"]])
    verb = r"(?:[^，。；、\d每一两至不由]{0,4})"
    times = rf"(?:{verb}(?P<cue>{cue})?{verb}(?P<times>{number})(?:次|回|遍))?"
    every = rf"每隔?(?P<n>{number})?(?P<unit>{alternation(data['periods'])})(?!位|名|台|间){times}"
    spare = rf"(?P<one>一)(?P<unit2>年|季度|季|月|周|日|天)(?P<times2>{number})次"
    return re.compile(rf"{every}|{spare}|(?P<adjective>{alternation(data['adjectives'])})(?!内|末|初)")


def _find_chinese(page: Page) -> Iterator[Frequency]:
    data = load("frequency")["zh"]
    for match in _chinese().finditer(page.text):
        if match["adjective"]:
            if re.search(r"[\d一二三四两第个本上下]\s*$", page.text[: match.start()]):
                continue
            yield Frequency(*match.span(), page.surface(*match.span()), "exactly", data["adjectives"][match["adjective"]])
            continue
        every = _chinese_every(match)
        if every is None:
            continue
        comparator: Comparator = flat({k: data[k] for k in ("at_least", "at_most", "about")}).get(match["cue"] or "", "exactly")  # type: ignore[assignment]
        start = match.start()
        before = re.search(rf"(?P<cue>{alternation([*data['at_least'], *data['at_most']])})$", page.text[:start])
        if before and comparator == "exactly":
            comparator, start = flat({k: data[k] for k in ("at_least", "at_most")})[before["cue"]], before.start()  # type: ignore[assignment]
        yield Frequency(start, match.end(), page.surface(start, match.end()), comparator, every)


def _chinese_every(match: re.Match[str]) -> str | None:
    data = load("frequency")["zh"]
    period = data["periods"].get(match["unit"] or match["unit2"])
    value = parse_number(match["n"]) if match["n"] else Fraction(1)
    if period is None or value is None:
        return None
    scaled = re.sub(r"\d+", lambda digits: str(int(digits.group()) * int(value)), period, count=1)
    times = parse_number(match["times"] or match["times2"] or "1")
    return shared(scaled, int(times)) if times else scaled


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Frequencies of a page that touch no outer fact."""
    found: list[Fact] = []
    outer = list(taken)
    sources = [_find_chinese(page), _find_english(page)] if page.language == "zh" else [_find_english(page)]
    for source in sources:
        for fact in source:
            if free(fact.start, fact.end, [*outer, *found]) and not _CLOCK.search(page.text[max(0, fact.start - 12) : fact.end]):
                found.append(fact)
    return found
