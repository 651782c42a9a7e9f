"""Branching in words: "If yes, how often?", "If no, skip to question 14." The words are data (`catalogue/questionnaire_headers.yaml`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from trustops.formats.questionnaires import headers, prose

QUOTES = "\"'“”‘’«»„()[]"
UNQUOTED = str.maketrans("", "", QUOTES)
FEW_WORDS = 4
TARGET = r"[\s#.:]*(?P<target>[\w][\w.\-]{0,20})"


@dataclass(frozen=True, slots=True)
class Skip:
    """`If no, skip to 14`: `answer` is YES or NO; `target` is a number or the name of a section."""

    answer: str
    target: str
    text: str


def _any(*kinds: str) -> str:
    words = sorted((str(word) for kind in kinds for word in headers.catalogue()[kind]), key=len, reverse=True)
    return "|".join(re.escape(word) if headers.is_wide(word[0]) else rf"\b{re.escape(word)}\b" for word in words)


@cache
def _skip() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?P<yes>{_any('if_yes')})|(?P<no>{_any('if_no')}))[^.?!。]{{0,60}}?(?:{_any('go_to')})\s*(?:(?:{_any('go_kinds')})\s*)*{TARGET}",
        re.IGNORECASE,
    )


@cache
def _depends() -> re.Pattern[str]:
    opening = rf"\s*(?:(?P<yes>{_any('if_yes')})|(?P<no>{_any('if_no')}))"
    return re.compile(rf"{opening}(?:\s+to\s+(?:question\s+)?(?P<target>\w[\w.\-]*))?\s*(?P<stop>[,，:;–-]\s*|\s)", re.IGNORECASE)


def _plain(text: str) -> str:
    return text.translate(UNQUOTED)


def skips(text: str) -> list[Skip]:
    """The branches that a text states."""
    plain = _plain(text)
    return [Skip("YES" if m["yes"] else "NO", m["target"].rstrip(".-"), m[0].strip()) for m in _skip().finditer(plain)]


def goes_elsewhere(text: str) -> bool:
    """Whether a text only says where to go on, and asks nothing."""
    found = skips(text) if len(text) <= 300 else []
    return (
        bool(found)
        and not prose.asks(text)
        and len(_plain(text)) - len(found[0].text) <= 60
        and _plain(text).lstrip().startswith(found[0].text[:4])
    )


def depends(text: str) -> tuple[str, str, str]:
    """(YES or NO, number of the question, the rest) of a text that opens with `If yes,`; three empty texts for any other."""
    found = _depends().match(_plain(text))
    rest = _plain(text)[found.end() :].strip() if found else ""
    asks = headers.tokens(rest[:40])[:1]
    if not found or not (found["stop"].strip() or found["target"] or (asks and asks[0] in headers.catalogue()["question_starts"])):
        return "", "", ""  # "If no policy exists, who decides?" depends on nothing
    return "YES" if found["yes"] else "NO", (found["target"] or "").strip(".,:"), rest


def elliptic(rest: str) -> bool:
    """Whether what follows `If yes,` means nothing without the question before: "how often?"."""
    return len(headers.tokens(rest)) <= FEW_WORDS or (len(rest) <= 8 and any(headers.is_wide(sign) for sign in rest))
