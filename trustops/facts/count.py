"""Counts of things, ratios and sums of money: "122 of 124 accounts", 124名中有122名, EUR 5 million.

Without a grammar the noun is the first plural within four words; an elided noun is that of the count before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache

from trustops.facts.lexicon import alternation, load, words_of
from trustops.facts.nouns import Fact, Quantity
from trustops.facts.number import DIGITS, chinese_number, english_number, parse_number
from trustops.facts.page import Page, free
from trustops.facts.quantity import comparator_after, comparator_before

_NUMBERED = re.compile(
    r"(?:annex|article|appendix|section|chapter|clause|schedule|exhibit|figure|table|step|level|tier|type|phase|part|page|"
    r"paragraph|no\.?|nos\.?|number|requirement|control|item|id|ref\.?|priority|severity|p|version|v|release|build|port|"
    r"question|module|grade|category|class|stage|day|week|month|quarter|year|principle|criterion|note|option|act|ticket|incident|case)"
    r"[\s#-]*$", re.I)  # fmt: skip
_PLURAL = frozenset(["people", "personnel", "staff", "criteria", "media", "children", "indices", "data"])
_IRREGULAR = {"people": "person", "criteria": "criterion", "indices": "index", "children": "child"}
_ROUND_THE_CLOCK = (Fraction(7), Fraction(24))
_SINGULAR = re.compile(r"(?:sses|ches|shes|xes)$")


def singular(noun: str) -> str:
    """The singular of an English head noun, roughly."""
    noun = noun.lower()
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if _SINGULAR.search(noun):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and noun != "times" else noun


def _noun_after(text: str, at: int, limit: int = 4) -> tuple[int, str] | None:
    position, singular_ok = at, None
    for _ in range(limit):
        match = re.compile(r"\s+([A-Za-z][A-Za-z'/-]*)").match(text, position)
        if match is None:
            return singular_ok
        word = match[1].lower()
        if word in words_of("units", "noun_ends"):
            return singular_ok
        if word in _PLURAL or (
            word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in words_of("units", "no_noun")
        ):
            return match.end(), singular(word)
        position = match.end()
    return singular_ok


@cache
def _ratio() -> re.Pattern[str]:
    number = english_number()
    plain = rf"(?P<part>{number})(?:\s+out)?\s+of\s+(?:every\s+|the\s+|our\s+|all\s+)?(?:total\s+(?:of\s+)?)?(?P<whole>{number})"
    slash = rf"(?<![\w/.-])(?P<spart>{DIGITS})\s?/\s?(?P<swhole>{DIGITS})(?![\w/])"
    spoken = rf"(?<!\w)(?P<wpart>{number})\s+in\s+(?P<wwhole>{number})(?!\s*(?:hours|days))"
    parts = alternation(load("numbers")["en"]["parts"])
    fraction = rf"(?P<fpart>{number}|(?<!\w)a)[\s-](?P<fwhole>{parts})(?=\s+of\s)(?!\s+of\s+(?:an?\s+)?(?:hours?|years?|the\s+year))"
    nth = alternation(load("numbers")["en"]["ordinals"])
    every = rf"(?<!\w)every\s+(?P<nth>{nth})(?=\s+(?!year|month|week|day|quarter|monday|friday)[a-z])"
    return re.compile(rf"{plain}|{slash}|{spoken}|{fraction}|{every}", re.I)


def _pair(match: re.Match[str]) -> tuple[Fraction, Fraction] | None:
    if match["nth"]:
        return Fraction(1), Fraction(load("numbers")["en"]["ordinals"][match["nth"].lower()])
    for part, whole in (("part", "whole"), ("spart", "swhole"), ("wpart", "wwhole")):
        if match[part]:
            low, high = parse_number(match[part]), parse_number(match[whole])
            return (low, high) if low is not None and high is not None and low <= high and high > 1 else None
    low, high = (
        Fraction(1) if match["fpart"].lower() == "a" else parse_number(match["fpart"]),
        Fraction(load("numbers")["en"]["parts"][match["fwhole"].lower()]),
    )
    return (low, high) if low is not None and low < high else None


def _english_ratios(page: Page) -> Iterator[Quantity]:
    for match in _ratio().finditer(page.text):
        pair = _pair(match)
        if pair is None or pair == _ROUND_THE_CLOCK:
            continue
        at = match.end()
        of = re.compile(r"\s+of\s+(?:the\s+|our\s+|all\s+)?").match(page.text, at)
        noun = _noun_after(page.text, of.end() - 1 if of else at)
        if match["wpart"] and noun is None:
            continue
        end, unit = (noun[0], f"count:{_clean(noun[1])}") if noun else (at, "count:not_stated")
        cue = comparator_before(page.text, match.start(), "en")
        start = cue.at if cue else match.start()
        yield Quantity(start, end, page.surface(start, end), cue.comparator if cue else "exactly", pair, unit, ratio=True)


def _clean(noun: str) -> str:
    return re.sub(r"[^a-z_]+", "_", noun.lower()).strip("_") or "not_stated"


@cache
def _money() -> re.Pattern[str]:
    signs = {sign: code for code, signs in load("units")["currencies"].items() for sign in signs}
    latin = [sign for sign in signs if not re.match(r"[一-鿿]", sign)]
    chinese = [sign for sign in signs if sign not in latin]
    number = english_number().replace(r"(?<![\w.,])", "")
    before = rf"(?:(?<![A-Za-z])(?P<sign>{alternation(latin)}))\s?(?P<value>{number})"
    behind = rf"(?<![\w.,])(?P<value2>{number})\s?(?P<sign2>{alternation(latin)})(?![A-Za-z])"
    zh = rf"(?P<value3>{chinese_number()})\s?(?P<sign3>{alternation(chinese)})"
    return re.compile(rf"{zh}|{before}|{behind}", re.I)


@cache
def _currency(sign: str) -> str:
    return next(str(code) for code, signs in load("units")["currencies"].items() if sign.lower() in [s.lower() for s in signs])


def _sums(page: Page) -> Iterator[Quantity]:
    for match in _money().finditer(page.text):
        sign = match["sign"] or match["sign2"] or match["sign3"]
        value = parse_number(match["value"] or match["value2"] or match["value3"])
        if value is None:
            continue
        yield _framed(page, match.start(), match.end(), (value,), f"count:{_currency(sign)}")


def _framed(page: Page, start: int, end: int, value: tuple[Fraction, ...], unit: str) -> Quantity:
    cue, behind = comparator_before(page.text, start, page.language), comparator_after(page.text, end, page.language)
    left, right = cue.at if cue else start, behind.at if behind else end
    comparator = "between" if len(value) == 2 else cue.comparator if cue else behind.comparator if behind else "exactly"
    return Quantity(left, right, page.surface(left, right), comparator, value, unit)


@cache
def _plain_english() -> re.Pattern[str]:
    number = english_number()
    return re.compile(rf"(?P<low>{number})(?:\s*(?:-|to|and)\s*(?P<high>{number}))?(?![\w%]|[.,:/]\d|-[A-Za-z]|/[A-Za-z\d])", re.I)


def _english_counts(page: Page, taken: list[Fact]) -> Iterator[Quantity]:
    antecedent = next((fact.unit for fact in taken if isinstance(fact, Quantity) and fact.unit.startswith("count:")), "")
    for match in _plain_english().finditer(page.text):
        value = parse_number(match["low"])
        if value is None or not free(*match.span(), taken) or _NUMBERED.search(page.text[: match.start()]) or _is_mark(page, match):
            continue
        noun = _noun_after(page.text, match.end() if match["high"] else match.end("low"))
        if value == 1 and noun is None:
            noun = _single_thing(page.text, match)
        unit = f"count:{_clean(noun[1])}" if noun else antecedent
        cue = comparator_before(page.text, match.start(), "en")
        if not unit and cue is None:
            continue
        if noun is None and value == 1:
            continue
        antecedent = unit or antecedent
        high = parse_number(match["high"]) if match["high"] and noun and noun[0] > match.end() else None
        end = noun[0] if noun else match.end("low")
        yield _framed(page, match.start(), end, (value,) if high is None or high <= value else (value, high), unit or "count:not_stated")


def _single_thing(text: str, match: re.Match[str]) -> tuple[int, str] | None:
    noun = re.compile(r"\s+([a-z]+)(?=\s+(?:was|were|is|has|had|remains?|failed)\b)").match(text, match.end("low"))
    return (noun.end(), noun[1]) if noun and noun[1] not in words_of("units", "noun_ends") else None


def _is_mark(page: Page, match: re.Match[str]) -> bool:
    """List numbers at the start of a line and marks in brackets are no facts."""
    before, after = page.text[: match.start()], page.text[match.end() :]
    numbering = not before.strip(" -*•\t") and (bool(re.match(r"[.):]?\s", after)) and not re.match(r"\s[a-z]", after))
    return numbering or (before.endswith(("[", "#", "-", "(")) and after.startswith(("]", ")", ".")))


@cache
def _chinese_ratio() -> re.Pattern[str]:
    number = chinese_number()
    classifiers = f"(?:{alternation(load('units')['classifiers'])})?"
    noun = r"(?P<noun>[^\d，。；,;、一二两三四五六七八九十百]{0,8}?)"
    unit = alternation(load("units")["classifiers"])
    whole = rf"(?P<whole>{number}){classifiers}{noun}(?:(?:中|里|之中)(?:有|的|仅有|已有)?|有)(?P<part>{number})(?P<unit>{unit})"
    slash = rf"(?<![\w/.-])(?P<spart>{DIGITS})/(?P<swhole>{DIGITS})(?![\w/])"
    fraction = r"(?P<fwhole>[二三四五六七八九十])分之(?P<fpart>[一二两三四五六七八九])"
    return re.compile(rf"{slash}|{fraction}|{whole}")


def _chinese_ratios(page: Page) -> Iterator[Quantity]:
    for match in _chinese_ratio().finditer(page.text):
        names = next(pair for pair in (("part", "whole"), ("spart", "swhole"), ("fpart", "fwhole")) if match[pair[0]])
        part, whole = parse_number(match[names[0]]), parse_number(match[names[1]])
        if part is None or whole is None or part > whole or whole < 2 or (part, whole) == _ROUND_THE_CLOCK:
            continue
        unit = _chinese_noun(match["noun"] or match["unit"] or "")
        cue = comparator_before(page.text, match.start(), "zh")
        start = cue.at if cue else match.start()
        yield Quantity(
            start, match.end(), page.surface(start, match.end()), cue.comparator if cue else "exactly", (part, whole), unit, ratio=True
        )


def _chinese_noun(text: str) -> str:
    nouns = load("units")["nouns"]
    named = [noun for noun in nouns if text.endswith(noun)] or [noun for noun in nouns if noun in text]
    return f"count:{nouns[max(named, key=len)]}" if named else "count:not_stated"


@cache
def _chinese_counted() -> re.Pattern[str]:
    classifiers, nouns = alternation(load("units")["classifiers"]), alternation(load("units")["nouns"])
    tenths = rf"(?P<tenths>[一二三四五六七八九])成(?P<half>半)?|百分之(?P<hundredths>{chinese_number()})"
    return re.compile(
        rf"{tenths}|(?P<value>{chinese_number()})(?P<classifier>{classifiers})(?P<noun>(?!以上|以下|以内|左右|及以|或以)[^\W\d_未已缺无不需由有在均]{{0,4}}?(?:{nouns}))?"
    )


def _chinese_counts(page: Page, taken: list[Fact]) -> Iterator[Quantity]:
    antecedent = "count:not_stated"
    for match in _chinese_counted().finditer(page.text):
        if not free(*match.span(), taken):
            continue
        if match["tenths"] or match["hundredths"]:
            yield _percent(page, match)
            continue
        value, named = parse_number(match["value"]), match["noun"] or match["classifier"]
        cue = comparator_before(page.text, match.start(), "zh")
        if value is None or (value == 1 and cue is None) or page.text[: match.start()].endswith(("第", "每", "任何")):
            continue
        unit = _chinese_noun(named)
        unit = antecedent if unit == "count:not_stated" else unit
        antecedent = unit
        yield _framed(page, match.start(), match.end(), (value,), unit)


def _percent(page: Page, match: re.Match[str]) -> Quantity:
    value = parse_number(match["tenths"] or match["hundredths"]) or Fraction(0)
    share = value if match["hundredths"] else value * 10 + (5 if match["half"] else 0)
    return _framed(page, *match.span(), (share,), "percent")


def find_ratios(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Ratios and sums of money, which hold numbers that are not read again."""
    found: list[Fact] = []
    outer = list(taken)
    ratios = _chinese_ratios(page) if page.language == "zh" else _english_ratios(page)
    for fact in [*ratios, *_sums(page)]:
        if free(fact.start, fact.end, [*outer, *found]):
            found.append(fact)
    return found


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Plain counts, read last: whatever number stands before a plural or a classifier and is part of nothing else."""
    outer = list(taken)
    counts = _chinese_counts(page, outer) if page.language == "zh" else _english_counts(page, outer)
    found: list[Fact] = []
    for fact in counts:
        if free(fact.start, fact.end, [*outer, *found]) and not _is_exception(page, fact):
            found.append(fact)
    return found


def _is_exception(page: Page, fact: Fact) -> bool:
    return fact.surface.lower() in words_of("absolutes", "not_labelled")
