"""What a column's header says: who fills it and with what. The words are data (`catalogue/questionnaire_headers.yaml`)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

QUESTION_WEIGHTS = (4.0, 3.0, 2.0)
PARTS = ("text", "comment", "explanation", "description", "details", "statement", "number", "date", "tick", "reference")
OTHER_ROLES = ("id", "section", "guidance")
LONGEST = 90
ENOUGH = 5_000
TICKS = frozenset("xX✓✔☑☒✗")


@dataclass(frozen=True, slots=True)
class Header:
    """A header's meaning. Several roles may be open ("Description"); what stands below decides between them."""

    text: str
    question: float = 0.0
    part: str = ""
    role: str = ""
    supplier: bool = False
    customer: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.question or self.part or self.role)


@cache
def catalogue() -> dict[str, Any]:
    """The header file as it was read, once."""
    text = (files("trustops.catalogue") / "questionnaire_headers.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))


@cache
def _phrases() -> dict[tuple[str, ...], list[str]]:
    """Every phrase as words, with the meanings it has: question0, part:comment, role:id, supplier, customer."""
    data, found = catalogue(), dict[tuple[str, ...], list[str]]()
    groups = [(f"question{level}", words) for level, words in enumerate(data["question"])]
    groups += [(f"part:{part}", data[part]) for part in PARTS]
    groups += [(f"role:{role}", data[role][0]) for role in OTHER_ROLES]
    groups += [("supplier", data["supplier"]), ("customer", data["customer"])]
    for meaning, words in groups:
        for word in words:
            found.setdefault(tuple(tokens(str(word))), []).append(meaning)
    return found


def tokens(text: str) -> list[str]:
    """Words in lower case; `#` is a word, and each Chinese, Japanese or Korean character is one. Only the beginning of a text counts: what
    a text is, is told by its first pages."""
    words, word = [], ""
    for character in unicodedata.normalize("NFKC", text[:ENOUGH]).casefold():
        wide = is_wide(character)
        if (character.isalnum() or unicodedata.category(character) == "Mn") and not wide:
            word += character
            continue
        words += [word] if word else []
        word = ""
        if wide or character == "#":
            words.append(character)
    return [*words, word] if word else words


def is_wide(character: str) -> bool:
    """A character of a script that is written without spaces."""
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"


def classify(text: str) -> Header:
    """What a header says. A text too long for a header says nothing."""
    return _classify(text) if len(text) <= LONGEST else Header(text)


@cache
def _classify(text: str) -> Header:
    words = tokens(text)
    hits, covered = _hits(words), set[int]()
    for start, length, _ in hits:
        covered.update(range(start, start + length))
    best = max((length for _, length, meanings in hits if _is_role(meanings)), default=0)
    roles = [(start, meaning) for start, length, meanings in hits if length == best for meaning in meanings]
    # In English and German the last noun of a header rules ("requirement description"), before an addition in brackets.
    levels = [int(meaning[-1]) for _, meaning in roles if meaning.startswith("question")]
    parts = sorted((start, meaning[5:]) for start, meaning in roles if meaning.startswith("part:"))
    other = [meaning[5:] for _, meaning in roles if meaning.startswith("role:")]
    sides = {meaning for _, _, meanings in hits for meaning in meanings if ":" not in meaning}
    filler = catalogue()["filler"]
    unknown = tuple(
        word for place, word in enumerate(words) if place not in covered and len(word) > 2 and not word.isdigit() and word not in filler
    )
    return Header(
        text, QUESTION_WEIGHTS[min(levels)] if levels else 0.0, parts[-1][1] if parts else "", other[0] if other else "",
        "supplier" in sides, "customer" in sides, unknown,
    )  # fmt: skip


def _is_role(meanings: list[str]) -> bool:
    return any(meaning.startswith(("question", "part:", "role:")) for meaning in meanings)


def _hits(words: list[str]) -> list[tuple[int, int, list[str]]]:
    """(start, length, meanings) of every phrase that no longer phrase of the same header contains."""
    phrases = _phrases()
    longest = max(map(len, phrases))
    hits = [
        (start, length, phrases[tuple(words[start : start + length])])
        for start in range(len(words))
        for length in range(1, min(longest, len(words) - start) + 1)
        if tuple(words[start : start + length]) in phrases
    ]
    return [
        hit
        for hit in hits
        if not any(other[1] > hit[1] and other[0] <= hit[0] and other[0] + other[1] >= hit[0] + hit[1] for other in hits)
    ]


def starts_guidance(text: str) -> bool:
    """The text opens like guidance to whoever fills the sheet in."""
    return text.strip().casefold().startswith(tuple(catalogue()["guidance_starts"]))


def is_not_asked(text: str) -> bool:
    """A dash or "n/a" that the customer put where nothing is to be answered."""
    return text.strip().casefold() in catalogue()["not_asked"]


def is_prompt(text: str) -> bool:
    """A text such as "please select" that asks for an answer and is none."""
    return text.strip().strip(".…<>[]()-").strip().casefold() in catalogue()["prompts"] or is_choice(text)


def is_choice(text: str) -> bool:
    """A text that only offers answers to choose from: `Yes / No`, `☐ Yes ☐ No ☐ N/A`."""
    if not 3 < len(text) <= 80:
        return False
    parts = [part.strip(" .:_()[]") for part in re.split(r"[☐□○◯❏⬜|,;\n]+|\s/\s|(?<![nN])/|\[\s*\]|\(\s*\)|\bor\b|\boder\b|\bou\b", text)]
    words = [part for part in parts if part]
    return len(words) > 1 and all(word.casefold() in _determinations() for word in words)


@cache
def _determinations() -> dict[str, str]:
    text = (files("trustops.catalogue") / "vocabularies.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, yaml.CSafeLoader)
    return {str(word).casefold(): name for name, words in data.items() if name != "version" for word in words}


def tick_of(text: str) -> str:
    """`yes`, `no`, `partial` or `not_applicable` where the whole header is such a word, else nothing."""
    word = unicodedata.normalize("NFKC", text).casefold().strip(" .?:")
    return _determinations().get(word, "").lower()


def is_ticked(text: str) -> bool:
    """A sign that somebody puts into a box."""
    return text.strip() in TICKS


def is_scope(text: str) -> bool:
    """A header over a column that says whether a row counts: `In scope`."""
    return text.strip().strip("?:").strip().casefold() in catalogue()["scope"]


def blank_where_out(formula: str) -> str:
    """The formula of such a column with every word for "does not count" as an empty text."""
    words = (str(word) for word in catalogue()["out_of_scope"] if word)
    plain = re.sub("|".join(rf'"{re.escape(word)}"' for word in words), '""', formula, flags=re.IGNORECASE)
    return re.sub(r"(?<=,)\s*(?:0|FALSE)\s*(?=[,)])", '""', plain, flags=re.IGNORECASE)
