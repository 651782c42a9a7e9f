"""What a sentence denies: a thing itself, what is said of it, or only a fault of it.

Source: product.md, "NO denies the predicate, NOT_APPLICABLE the subject" and "a negation counts within five words of a word of the ask".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trustops.facts.asked import Ask
from trustops.facts.nouns import Date, Deadline, Fact, Names, Negation, Quantity, Sentence
from trustops.facts.polarity import denials, polarity
from trustops.facts.product import another_product
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import CELL, Statement
from trustops.facts.words import anchors, words

OBJECT_END = re.compile(r"[;:.]|,\s+(?:and|but|so)\b|\s+(?:for|because|since|which|that|until|before)\b|[，；。]", re.IGNORECASE)
"""Where the object of a denial ends."""
PREPOSITION = re.compile(r"\s(?:of|for|in|on|at|by|to|from|with)\s", re.IGNORECASE)
NOT_ALONE = re.compile(r"not|n't|never|no longer")
AUXILIARY = re.compile(r"\b(?:do|does|did)$")
HAVING = (
    "own|use|operate|run|have|hold|store|process|transmit|keep|make|take|collect|employ|rent|lease|maintain|offer|provide|handle|receive|accept|host"
    "|deploy|install|produce|sell|record|issue"
)
"""Verbs by whose denial a thing does not exist with us; "does not protect machines" leaves the machines."""
HAS_NOT = re.compile(rf"\s+(?:yet\s+|currently\s+)?(?:{HAVING})\b", re.IGNORECASE)
EXISTS = re.compile(r"there (?:is|are) no|(?:has|have) no|neither")
EXISTS_BEFORE = re.compile(rf"\b(?:there (?:is|are)|has|with|(?:{HAVING})(?:e?s)?)$")
NONE_IS = re.compile(
    r"^(?P<thing>[^,;.]{2,80}?)\s+(?:is|are)\s+(?:used|installed|employed|operated|held|stored|kept|deployed|present|in use|offered"
    r"|provided|collected|processed|needed|made|taken|recorded|hosted)\b(?P<tail>[^,;.]*)",
    re.IGNORECASE,
)
""" "No component is installed on the premises": what does not exist, and where."""
CHINESE_NONE = re.compile("没有|不使用|不运营|不存在|不涉及|无|不")
CHINESE_HAVING = re.compile("^(?:使用|运营|存在|涉及|存储|处理|传输|提供|采集|收集|持有|拥有|雇用|保存|录制)?")
BOUNDED = (Quantity, Deadline, Date)
"""Facts that bound a denial: "not kept for more than 90 days" is no absence."""
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
    """True where the statement says that what the ask is about does not exist with us: the proof of NOT_APPLICABLE. An open ask ("how are
    they serviced?") presupposes every thing that it names. That there is no mobile application denies no product with a name of its own."""
    if another_product(statement, ask.text, names):
        return False
    about = ask.words if ask.open else ask.subject
    absent = (
        object_ for fact in statement.sentence.facts if isinstance(fact, Negation) and fact.denied for object_ in _absent(statement, fact)
    )
    return any(_names_it(object_, tail, about, ask, names) for object_, tail in absent)


def _names_it(object_: str, tail: str, about: frozenset[str], ask: Ask, names: Names) -> bool:
    """What does not exist is what is asked about; a place where it does not exist must be one that the ask names."""
    hit, where = words(object_, names) & about, words(tail, names)
    elsewhere = bool(where) and not where & ask.words
    return bool(hit) and 2 * len(hit) >= len(words(object_, names)) and _head(object_, names) in hit and not elsewhere


def _head(noun_phrase: str, names: Names) -> str:
    """The noun that the phrase is about: the last word before its first preposition ("paper copies of files" are copies)."""
    found = anchors(PREPOSITION.split(noun_phrase, maxsplit=1)[0], names) or anchors(noun_phrase, names)
    return found[-1][1] if found else ""


def _absent(statement: Statement, fact: Negation) -> Iterator[tuple[str, str]]:
    """The thing that a denial says does not exist, and the place or use behind it. "We do not use X", "there is no X", "no X is installed"
    deny X; "X is not used", "X is never read" and "no X was found" deny what X does."""
    before, after = statement.text[: fact.start].lower().rstrip(), statement.text[fact.end :]
    clause = OBJECT_END.split(after, maxsplit=1)[0]
    if any(isinstance(f, BOUNDED) and fact.end <= f.start < fact.end + len(_clause(after)) for f in statement.sentence.facts):
        return
    cue = fact.surface.lower()
    if NOT_ALONE.fullmatch(cue):
        if AUXILIARY.search(before) and HAS_NOT.match(clause):
            yield HAS_NOT.sub("", clause, count=1), ""
    elif CHINESE_NONE.search(cue):
        yield CHINESE_HAVING.sub("", clause), ""
    elif EXISTS.search(cue) or (cue.startswith("no") and EXISTS_BEFORE.search(before)):
        yield clause, ""
    elif cue == "no" and (found := NONE_IS.match(after.lstrip())):
        yield found["thing"], found["tail"]


def _clause(after: str) -> str:
    """To the end of the clause: what stands there may bound the denial."""
    return re.split(r"[;.；。]|,\s+(?:and|but|so)\b", after, maxsplit=1)[0]
