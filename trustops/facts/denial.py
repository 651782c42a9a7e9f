"""What a sentence denies: a thing itself, what is said of it, or only a fault of it.

Source: product.md, "NO denies the predicate, NOT_APPLICABLE the subject" and "a negation counts within five words of a word of the ask".
"""

from __future__ import annotations

import re

from trustops.facts.asked import Ask
from trustops.facts.nouns import Fact, Names, Negation, Sentence
from trustops.facts.polarity import denials, polarity
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import CELL, Statement
from trustops.facts.words import anchors, words

OBJECT_END = re.compile(r"[;:.]|,\s+(?:and|but|so)\b|\s+(?:for|because|since|which|that|until|before)\b|[，；。]", re.IGNORECASE)
"""Where the object of a denial ends."""
PREPOSITION = re.compile(r"\s(?:of|for|in|on|at|by|to|from|with)\s", re.IGNORECASE)
NOT_ALONE = re.compile(r"not|n't|never|no longer")
AUXILIARY = re.compile(r"\b(?:do|does|did)$")
EXISTS = re.compile(r"there (?:is|are) no|(?:do|does|did)(?: not|n't)|(?:has|have) no|neither")
EXISTS_BEFORE = re.compile(r"\b(?:there (?:is|are)|has|have|with|own|owns|operate|operates|use|uses)$")
CHINESE_NONE = re.compile("没有|不使用|不运营|不存在|不涉及|无")
REACH = 6
"""Words after a denial that count as what is denied."""
WEAK_WORDS = "supported available offered possible permitted provided performed required scope covered included applicable part"
"""Predicates that say nothing of their own: what they deny is their subject."""
FAULTLESS = re.compile(
    r"(?:no|without|any|zero|not)\s+(?:\w+\s+)?(?:exceptions?|deviations?|findings?|issues?|observations?|qualifications?)\b", re.IGNORECASE
)
"""Denials of a fault: "no exceptions noted"."""


def denies(sentence: Sentence, about: frozenset[str]) -> bool:
    """The sentence denies what it shares with the ask: the denied words are shared ones, or there are none of their own ("are not
    supported"). "No exceptions noted" denies a fault, not the thing."""
    if polarity(sentence, about) == "positive":
        return False
    cues = [cue for cue in denials(sentence, about) if not FAULTLESS.match(sentence.text[cue.start :])]
    return any(_hits(sentence, cue, about) for cue in cues) or (not cues and not any(True for _ in denials(sentence, about)))


def _hits(sentence: Sentence, cue: Fact, about: frozenset[str]) -> bool:
    if CELL in sentence.text and not any(about & words(cell) and cue.surface in cell for cell in sentence.text.split(CELL)):
        return False  # a "no" in one cell says nothing about another
    after = anchors(" ".join(sentence.text[cue.end :].split()[:REACH]), Names())
    first = after[0][1] if after else ""
    return not first or first in words(WEAK_WORDS) or bool({word for _, word in after} & about)


def mixed(ask: Ask) -> bool:
    """An ask that affirms in one clause and denies in another has no polarity of its own."""
    parts = [clause.text for clause in clauses(ask.text[ask.proposition.start : ask.proposition.end])]
    return len(parts) > 1 and len({denies(read(part, Names(), "questionnaire"), words(part)) for part in parts}) > 1


def denies_subject(statement: Statement, ask: Ask, names: Names) -> bool:
    """True where the statement says that what the ask is about does not exist with us: the proof of NOT_APPLICABLE."""
    if not ask.subject or ask.open:
        return False
    for fact in statement.sentence.facts:
        if isinstance(fact, Negation) and fact.denied and _absence(statement, fact):
            object_ = OBJECT_END.split(statement.text[fact.end :], maxsplit=1)[0]
            hit = words(object_, names) & ask.subject
            if 2 * len(hit) >= len(words(object_, names)) and _head(object_, names) in hit:
                return True
    return False


def _head(noun_phrase: str, names: Names) -> str:
    """The noun that the phrase is about: the last word before its first preposition ("paper copies of files" are copies)."""
    found = anchors(PREPOSITION.split(noun_phrase, maxsplit=1)[0], names) or anchors(noun_phrase, names)
    return found[-1][1] if found else ""


def _absence(statement: Statement, fact: Negation) -> bool:
    """ "We do not use X" and "there is no X" deny X; "X is not used", "X is never read" and "no X was found" deny what X does."""
    before = statement.text[: fact.start].lower().rstrip()
    cue = fact.surface.lower()
    if NOT_ALONE.fullmatch(cue):
        return bool(AUXILIARY.search(before))
    return bool(EXISTS.search(cue) or (cue.startswith("no") and EXISTS_BEFORE.search(before)) or CHINESE_NONE.search(cue))
