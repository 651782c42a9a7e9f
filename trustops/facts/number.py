"""Numbers as they are written: digits, words, Chinese numerals; exact, never a float."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from trustops.facts.lexicon import alternation, load

DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


@cache
def _english() -> dict[str, int]:
    words = load("numbers")["en"]
    return {**words["units"], **words["tens"]}


@cache
def english_number() -> str:
    """Pattern of a number in an English text: "thirty (30)", "1,310", "5 million", "twenty-four"."""
    words = load("numbers")["en"]
    units, tens = alternation(words["units"]), alternation(words["tens"])
    magnitudes = alternation(words["magnitudes"])
    small = rf"(?:(?:{tens})(?:[-\s](?:{units}))?|(?:{units}))"
    spelled = rf"(?:{small}(?:\s+hundred(?:\s+and\s+{small})?)?|a\s+(?:hundred|dozen|thousand))"
    core = rf"(?:(?:{DIGITS})|{spelled})"
    return rf"(?<![\w.,])(?:{core}(?:\s?(?:{magnitudes})(?![A-Za-z]))?(?:\s*\((?:{core})\))?)"


@cache
def chinese_number() -> str:
    """Pattern of a number in a Chinese text: "三十（30）", "500万", "十一"."""
    numerals = "零〇一二两三四五六七八九十百千万亿"
    core = rf"(?:(?:{DIGITS})[万亿千百]?|[{numerals}]+(?![{numerals}]))"
    return rf"(?<![\d.,A-Za-z-]){core}(?:\s*[（(](?:{core})[）)])?"


@cache
def _any_number() -> re.Pattern[str]:
    words = load("numbers")["en"]
    spelled = [*words["units"], *words["tens"], *words["magnitudes"], *words["parts"], *words["ordinals"]]
    single = r"an?\s+(?:second|minute|hour|day|business|working|week|month|quarter|year|calendar|fortnight)"
    return re.compile(rf"[\d零〇一二两三四五六七八九十百千万亿半]|(?<![A-Za-z])(?:{alternation(spelled)}|{single})(?![A-Za-z])", re.I)


def has_number(text: str) -> bool:
    """Whether anything in a text can be a number; most sentences have none and are spared the search for units."""
    return bool(_any_number().search(text))


_CHINESE = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+")


def parse_number(text: str) -> Fraction | None:
    """The value of a written number, or None where it is none."""
    text = re.sub(r"[（(][^)）]*[)）]", "", text.lower()).strip()
    digits = re.match(rf"(?:{DIGITS})", text)
    if digits:
        return Fraction(digits.group().replace(",", "")) * _magnitude(text[digits.end() :].strip())
    if _CHINESE.fullmatch(text):
        return Fraction(_chinese_value(text))
    return _spelled(text)


def _magnitude(word: str) -> int:
    chinese = load("numbers")["zh"]
    return int({**load("numbers")["en"]["magnitudes"], **chinese["small"], **chinese["large"]}.get(word, 1))


def _spelled(text: str) -> Fraction | None:
    total = current = 0
    parts = [part for part in re.split(r"[-\s]+", text) if part not in ("and", "")]
    for part in parts:
        if part in _english():
            current += _english()[part]
        elif part == "a":
            current += 1
        elif part in load("numbers")["en"]["magnitudes"]:
            current = max(current, 1) * load("numbers")["en"]["magnitudes"][part]
            if current >= 1000:
                total, current = total + current, 0
        else:
            return None
    return Fraction(total + current) if parts else None


def _chinese_value(text: str) -> int:
    numerals = load("numbers")["zh"]
    if len(text) > 1 and all(character in numerals["digits"] for character in text):
        return int("".join(str(numerals["digits"][character]) for character in text))
    total = section = digit = 0
    for character in text:
        if character in numerals["digits"]:
            digit = numerals["digits"][character]
        elif character in numerals["small"]:
            section, digit = section + (digit or 1) * numerals["small"][character], 0
        else:
            total, section, digit = (total + section + digit or 1) * numerals["large"][character], 0, 0
    return int(total + section + digit)
