"""Sentences of a text and material claims of a sentence.

Each line is a paragraph; a bullet and a table row are one sentence unless they hold several full ones.
Source: specification "How a decision is made", Support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from trustops.facts.nouns import Span

_LINE = re.compile(r"[^\n\r]+")
_LEAD = re.compile(r"\s*(?:[-*•–]\s+|#{1,6}\s+|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+|\d+(?:\.\d+)+\.?\s+)?")
_STOP = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s|$)|[。！？]+[”’」』）)]*")
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|incl|excl|resp|fig|sec|art|para|inc|ltd|corp|co|llc|plc|dr|mr|mrs|ms|prof|st|jr|sr|no|nos|nr|"
    r"vol|ver|rev|ed|pp|p|est|dept|min|max|ca|u\.s|u\.k|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|s\.a|b\.v|v)|(?<![A-Za-z])[A-Z])\.$",
    re.I,
)


def _trim(text: str, low: int, high: int) -> Span | None:
    while low < high and text[low].isspace():
        low += 1
    while high > low and text[high - 1].isspace():
        high -= 1
    return Span(text[low:high], low, high) if low < high else None


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    """A full stop that closes a sentence: not that of an abbreviation, a number, an address or a list mark."""
    if not match.group().startswith("."):
        return True
    before, after = text[start : match.start() + 1], text[match.end() :]
    if _SHORT.search(before) and not (before.lower().endswith("etc.") and re.match(r"\s+[A-Z]", after)):
        closing = re.search(r"(?:inc|ltd|corp|co|etc|p\.m|a\.m|u\.s|u\.k)\.$", before, re.I)
        return bool(closing and re.match(r"\s+(?:The|We|It|This|Our|All|A|An|In|No)\s", after)) or not after.strip()
    if re.fullmatch(r"\s*(?:\d{1,2}(?:\.\d+)*|[a-z]|[ivx]+)\.", before, re.I):
        return False
    return not re.match(r"\s*[a-z]", after) or before.endswith("..")


def _sentences(text: str, low: int, high: int) -> Iterator[Span]:
    lead = _LEAD.match(text, low, high)
    start, body = low, lead.end() if lead else low
    for match in _STOP.finditer(text, body, high):
        if _is_end(text[:high], start, match):
            span = _trim(text, start, match.end())
            if span:
                yield span
            start = match.end()
    span = _trim(text, start, high)
    if span:
        yield span


@lru_cache(maxsize=4096)
def split(text: str) -> tuple[Span, ...]:
    """The sentences of a text with their offsets. A row with " | " is one sentence; an empty text has none."""
    found: list[Span] = []
    for line in _LINE.finditer(text):
        if " | " in line.group() or line.group().lstrip().startswith("|"):
            row = _trim(text, line.start(), line.end())
            found.extend([row] if row else [])
        else:
            found.extend(_sentences(text, line.start(), line.end()))
    return tuple(found)


_JOINT = re.compile(r";\s+|；|\s+-\s+(?=[a-z])|,\s+(?:and|but|while|whereas|so|yet)\s+|\s+but\s+|\s+and\s+|，(?:而|但|并且|同时|且|并)?|。")
_AUXILIARIES = "is|are|was|were|has|have|had|do|does|did|must|shall|will|may|can|cannot|should|could|would"
_STEMS = (
    "support|keep|use|run|hold|encrypt|review|provide|store|offer|delet|requir|perform|operat|maintain|test|monitor|log|notif|receiv|sign|"
    "complet|scan|rotat|retain|train|own|appl|apply|enforc|restrict|contain|cover|exist|remain|end|start|process"
)
_FINITE = re.compile(rf"(?<![A-Za-z])(?:{_AUXILIARIES}|(?:{_STEMS})(?:s|es|ed|ies)?)(?![A-Za-z])", re.I)
_PRONOUN = re.compile(
    r"\s*(?:we|they|their|its|it|this|these|the|our|all|no|each|every|there|he|she|you|both|access|data|keys|backups|logs)\s", re.I
)
_CHINESE_VERB = re.compile(r"[是为有须应可已将均不未需由经在采用使启进完存删加]|支持|通知|包括|覆盖|提供")


def _splits(left: str, right: str, joint: str) -> bool:
    """Whether both sides of a joint are clauses of their own."""
    if joint.strip() in (";", "；", "。"):
        return bool(left.strip()) and bool(right.strip())
    if joint.startswith("，"):
        return bool(_CHINESE_VERB.search(left)) and bool(_CHINESE_VERB.search(right)) and min(len(left), len(right)) >= 4
    if (
        re.match(r"\s*(?:if|when|where|in|within|for|by|after|before|on|at|with|unless)\b", left, re.I)
        and "," not in left.strip(", ")
        and not _FINITE.search(left[20:])
    ):
        return False
    strong = bool(_FINITE.search(left)) and bool(_FINITE.search(right))
    return strong and (joint.lstrip().startswith(",") or "but" in joint or bool(_PRONOUN.match(right)))


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Span, ...]:
    """The material claims inside a sentence: split at semicolons and coordination where each side has its own verb."""
    joints = list(_JOINT.finditer(text))
    found: list[Span] = []
    start = 0
    for index, joint in enumerate(joints):
        following = next((later.start() for later in joints[index + 1 :] if later.group().strip() in (";", "；", "。")), len(text))
        if _splits(text[start : joint.start()], text[joint.end() : following], joint.group()):
            span = _trim(text, start, joint.start())
            found.extend([span] if span else [])
            start = joint.end()
    last = _trim(text, start, len(text))
    found.extend([last] if last else [])
    return tuple(found)
