"""The asks of a question, each with the proposition that a yes would state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trustops.facts.nouns import Names, Sentence
from trustops.facts.question import asks, is_open, proposition
from trustops.facts.words import framing, words

SUBJECT_FREE = re.compile(r"^\W*(?:do|does|did|can|could|will|would|have|has|had)\s+(?:you|we|your|our|the company)\b", re.IGNORECASE)
VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|does|do|run|runs|will|must|shall|can|\w{3,}ed|compliant|certified|available|subject"
    r"|requires?|includes?|apply|applies|covers?|exists?|receives?|undergo(?:es)?|contains?|allows?)\b",
    re.IGNORECASE,
)
INVERTED = re.compile(r"^\W*(?:is|are|was|were|has|have|had|does|do|did|will|can|must|should)\s+", re.IGNORECASE)
WANTS = (
    (re.compile(r"\bhow (?:often|frequently|regularly)\b|\bfrequency\b|\bcadence\b|多久|频率", re.IGNORECASE), ("frequency",)),
    (
        re.compile(
            r"\bhow (?:many|long|much|soon|quickly|fast|old)\b|\b(?:objective|period|limit|amount|timeline|deadline)\b|多少|多长|几天",
            re.IGNORECASE,
        ),
        ("quantity", "deadline"),
    ),
    (re.compile(r"\bwhen\b|\bdates?\b|日期|何时", re.IGNORECASE), ("date",)),
    (re.compile(r"\b(?:which|what) versions?\b|版本", re.IGNORECASE), ("version",)),
)
WH = re.compile(r"^\W*(?:how(?:\s+(?:often|long|many|much|soon|quickly|frequently|regularly|fast|old))?|when|where|why)\b", re.IGNORECASE)
HEAD = re.compile(r"\s*(?!within|in|on|at|for|over|during|since|by|with|to|as\b)(?:[a-z]+\s+){0,3}?([a-z]+)\s*", re.IGNORECASE)
LAST_PLURAL = re.compile(r"\b([a-z]+s)\W*$", re.IGNORECASE)
LISTING = re.compile(
    r"^\W*(?:please\s+|kindly\s+)?(?:(?:provide|attach|give|share)\s+(?:us\s+)?(?:a|the|your)\s+(?:\w+\s+){0,2}list\b"
    r"|list\b|enumerate\b|name (?:all|your|the)\b|which\b|identify\b|请列出|列出)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked. `words` are its content words, `subject` those of what it is about (empty where that is we ourselves);
    `wants` are the kinds of fact that it asks to be given ("how often", "the date"), `listing` where it wants a list. `framed` is the
    subject or object where it is a frame word and nothing else ("orders", "parts"): only what names it speaks of it."""

    text: str
    proposition: Sentence
    open: bool
    words: frozenset[str]
    subject: frozenset[str]
    wants: frozenset[str] = frozenset()
    listing: bool = False
    framed: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        """Cheap, since every statement is looked up with it; equality compares all."""
        return hash(self.text)


@lru_cache(maxsize=2048)
def asks_of(question: str, names: Names) -> tuple[Ask, ...]:
    """The asks of one question cell, by rules alone; no seat can make a question narrower than it is."""
    return tuple(_ask(text, names) for text in asks(question))


def _ask(text: str, names: Names) -> Ask:
    found = proposition(text, names)
    wants = frozenset(kind for pattern, kinds in WANTS if pattern.search(text) for kind in kinds)
    subject = words(subject_of(text), names)
    framed = frozenset() if subject else framing(_head(_plain_subject(text)) or _object_of(text))
    return Ask(text, found, is_open(text), found.words, subject, wants, bool(LISTING.match(text)), framed)


def _plain_subject(text: str) -> str:
    """The subject of a yes/no question or statement, also behind "how often" and its like; none of an open question in another order."""
    rest = WH.sub("", text)
    return subject_of(rest) if INVERTED.match(rest) or not is_open(text) else ""


def _head(subject: str) -> str:
    """The noun at the end of a plain subject: "all orders". What begins with a preposition says when or where, and is none."""
    found = HEAD.fullmatch(subject)
    return found.group(1) if found else ""


def _object_of(text: str) -> str:
    """The last word of "do you ...", where it is a plural: what is done it with."""
    last = LAST_PLURAL.search(text) if SUBJECT_FREE.match(text) else None
    return last.group(1) if last else ""


def subject_of(text: str) -> str:
    """What a yes/no question or statement is about: the words before its predicate. Empty for "do you ...": that is about us."""
    if SUBJECT_FREE.match(text):
        return ""
    opened = INVERTED.match(text)
    start = opened.end() if opened else 0
    verb = VERB.search(text, start)
    if verb and not text[start : verb.start()].strip(" ,") and verb.group().lower().endswith("ed") and VERB.search(text, verb.end()):
        verb = VERB.search(text, verb.end())  # "returned books": a participle before its noun
    return text[start : verb.start()] if verb else ""
