"""What an ask demands of a statement that is to prove it: its values, its names, its limits, and enough of its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from trustops.facts.asked import Ask, subject_of
from trustops.facts.backing import full_time, is_window, long_form
from trustops.facts.implication import dimension, implies, same_value
from trustops.facts.lexicon import alternation, bounded, load
from trustops.facts.nouns import Capability, Date, Deadline, Fact, Frequency, Names, Quantity, Scope, Sentence, Standard, Version
from trustops.facts.sentence import read
from trustops.facts.testimony import Statement
from trustops.facts.words import framing, stem, words

VALUES = (Quantity, Deadline, Frequency, Version, Date)
NAMED = (Standard, Version, Capability)
THIRD = 3
AND_ALSO = re.compile(
    r",?\s+and\s+(?=(?:(?:it|this|that|they|these)\s+)?(?:is|are|was|were|do|does|did|has|have|can|will|must)\b)|[，；]\s*(?:并且?|且)",
    re.IGNORECASE,
)
"""Where a second thing is asked in the same breath."""


def shared_words(statement: Statement, ask: Ask) -> frozenset[str]:
    """Content words that statement (with its headings) and ask have in common; none where the ask is about a thing that only a frame word
    names, and the statement does not name it."""
    if ask.framed and not ask.framed & framing(statement.text):
        return frozenset()
    return statement.anchors & ask.words


def weigh(shared: Iterable[str]) -> int:
    """How many words a set counts for: a term of the lexicon that is spelled in several words counts for two."""
    return sum(2 if " " in word else 1 for word in shared)


def comparable(left: Fact, right: Fact) -> bool:
    """True where two facts speak about one dimension: either says something about the other."""
    measured = dimension(left)
    return (measured is not None and measured == dimension(right)) or implies(left, right) != "SILENT" or implies(right, left) != "SILENT"


def values_of(ask: Ask) -> tuple[Fact, ...]:
    """The values an ask demands: numbers, deadlines, rates, versions. A stretch to look back on and round-the-clock are none."""
    return tuple(
        fact
        for fact in ask.proposition.facts
        if isinstance(fact, VALUES) and not is_window(fact, ask.text) and not full_time(fact, ask.text)
    )


def gives_value(statement: Statement, ask: Ask) -> bool:
    """It gives a value that meets, or equals, one that the ask demands."""
    held = statement.sentence.facts
    return any(implies(fact, asked) == "PROVES" or same_value(fact, asked) for fact in held for asked in values_of(ask))


def gives_wanted(statement: Statement, ask: Ask) -> bool:
    """It gives a value that the ask demands, or the kind of fact that the ask wants to be told."""
    return gives_value(statement, ask) or any(fact.kind in ask.wants for fact in statement.sentence.facts)


def same_names(statement: Statement, ask: Ask) -> int:
    """Capabilities, standards and versions that both name count beside the words: one term of the lexicon may stand for four words."""
    wanted = [fact for fact in ask.proposition.facts if isinstance(fact, NAMED)]
    return sum(_gives_name(statement, fact) for fact in wanted)


def _gives_name(statement: Statement, fact: Fact) -> bool:
    """The same name, or the words that it stands for in the lexicon."""
    named = words(fact.surface)
    spelled = isinstance(fact, Capability) and bool(named) and named <= statement.sentence.words
    return spelled or any(isinstance(held, type(fact)) and comparable(held, fact) for held in statement.sentence.facts)


def names_met(statement: Statement, ask: Ask) -> bool:
    """Standards, versions and capabilities that the ask names must be named by the statement or its heading."""
    wanted = [fact for fact in ask.proposition.facts if isinstance(fact, NAMED)]
    if not wanted:
        return True
    return any(_named(fact, statement, ask) for fact in wanted)


def _named(fact: Fact, statement: Statement, ask: Ask) -> bool:
    implied = any(comparable(other, fact) for other in statement.sentence.facts)
    spelled = long_form(fact, ask.text, Names())
    return implied or bool(words(fact.surface, Names()) & statement.anchors) or bool(spelled and spelled <= statement.anchors)


def promises(statement: Statement, ask: Ask) -> int:
    """An earlier answer that gives a value in the asked dimension speaks of the asked thing, however short it was."""
    third = THIRD * len(shared_words(statement, ask)) >= len(ask.words)
    about = third and (not ask.subject or bool(ask.subject & statement.anchors))
    return int(
        statement.kind == "prior"
        and about
        and any(comparable(held, asked) for held in statement.sentence.facts for asked in values_of(ask))
    )


def limits_met(statement: Statement, ask: Ask) -> bool:
    """ "Exclusively in Germany" is proved only by a sentence that says only, too."""
    limits = [f for f in ask.proposition.facts if isinstance(f, Scope) and f.coverage == "only" and f.canonical.startswith("region:")]
    return all(any(implies(held, fact) == "PROVES" for held in statement.sentence.facts) for fact in limits)


def specific(shared: frozenset[str], ask: Ask, *, most: bool = False) -> bool:
    """Enough of the ask's words that are not generic to the field ("security" and "policy" alone are no topic): of up to three more than
    half, of more a third; with `most` always half."""
    wanted = ask.words - generic()
    few = len(wanted) <= 3
    needed = len(wanted) // 2 + 1 if few else -(-len(wanted) // (2 if most else THIRD))
    return len(shared & wanted) >= min(needed, len(wanted))


PREPOSITION = re.compile(r"\b(?:of|for|in|on|and|or|with|to|from|by)\b", re.IGNORECASE)
LIMITED = re.compile(
    r"\b(?:only|solely|exclusively|(?:limited|restricted|confined|reserved) (?:to|for))\s+(?:the |our |to |for |are )*"
    r"(?P<who>[\w-]+(?: [\w-]+){0,3})",
    re.IGNORECASE,
)
"""A limiter and what it lets in: "limited to senior drivers"."""
_WORD = r"(?!(?:of|on|in|for|at|to)\b)[\w-]+"
BEHIND = re.compile(
    rf"(?P<thing>[\w-]+)\s+(?P<by>of|in|for)\s+(?:(?:the|our|its|all)\s+)*(?P<who>{_WORD}(?:\s+{_WORD}){{0,3}}?)\s+(?:only|alone)\b",
    re.IGNORECASE,
)
"""A limiter behind what it lets in: "for warehouse staff only", "lorries of the night shift only"."""
BUT_ONLY = re.compile(r"\b(?:but|though|although|albeit)\s+(?:only|solely|just)\b(?P<who>[^.;]*)|但仅|但只", re.IGNORECASE)


SAID = re.compile(
    r"(?:\b(?:stated?|states|said|says|wrote|writes|reports?|reported|confirms?|confirmed|yes|no)\s*[:.,]|\|)\s*(?=\S)", re.IGNORECASE
)
"""Behind it stands what somebody said, or the next cell of a row."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|must|shall|will|can|do|does)\b", re.IGNORECASE)


def own_subject(statement: Statement) -> frozenset[str]:
    """The words of a statement's short and plain subject; none where it has a longer one, or none."""
    return words(_plain_subject(statement, statement.text))


def _plain_subject(statement: Statement, text: str) -> str:
    finite = FINITE.search(text)
    told = text[: finite.start()] if finite else subject_of(text)
    plain = statement.kind != "reading" and not PREPOSITION.search(told) and len(told.split()) <= 4
    return told if plain else ""


def another_kind(statement: Statement, subject: frozenset[str], said: frozenset[str]) -> bool:
    """Its subject has a noun of the wanted one and another modifier: "wooden silos" are no "grain silos"."""
    own = own_subject(statement)
    return bool(own & subject) and bool(own - said) and bool(subject - statement.anchors)


def another_thing(statement: Statement, asked: str, names: Names) -> bool:
    """Its sentence, or what it reports somebody to have said, has a plain subject of its own that is neither we nor a word of the field,
    and shares no word as it is spelled with the question: "incubators are certified to ISO 27001" says nothing of boilers, "customer data
    is encrypted" something of "our data"."""
    reported = SAID.split(statement.text)[-1]
    told = _plain_subject(statement, reported) if FINITE.search(reported) else ""
    return bool(words(told, names) - usual()) and not _letters(told) & _letters(asked)


def _letters(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[A-Za-z]{4,}", text))


def limited_part(statement: Statement, ask: Ask) -> bool:
    """It lets in only a part of what is asked about, by a modifier that the ask does not have: "only senior drivers" of "drivers",
    "lorries of the night shift only" of "lorries", "but only in Oslo". A bare "granted on approval only" is no part of anything."""
    text = statement.text
    return (
        any(_part_of(found["who"].split(), ask) for found in (*LIMITED.finditer(text), *BEHIND.finditer(text)))
        or any(found["by"].lower() == "of" and words(found["thing"]) & ask.words and _adds(found, ask) for found in BEHIND.finditer(text))
        or any(_adds(found, ask) for found in BUT_ONLY.finditer(text))
    )


def _adds(found: re.Match[str], ask: Ask) -> bool:
    """Who is let in is somebody, or some place, that the ask does not name."""
    return found["who"] is None or bool(words(found["who"]) - ask.words)


def _part_of(who: list[str], ask: Ask) -> bool:
    head = next((at for at, word in enumerate(who) if words(word) & ask.words and at), 0)
    return any(word.lower() not in ask.text.lower() for word in who[:head])


def predicate_met(statement: Statement, ask: Ask) -> bool:
    """Enough of what the ask says of its subject is said: that silos are painted does not show that they are tested."""
    first = parts_of(ask)[0].words & ask.words if len(parts_of(ask)) > 1 else ask.words  # what else is asked is looked for by itself
    wanted = first - ask.subject
    wanted = wanted - generic() if len(wanted - generic()) > 1 else wanted
    needed = len(wanted) // 2 + 1 if len(wanted) <= 3 else -(-len(wanted) // THIRD)
    return not ask.subject or len(wanted & statement.anchors) >= min(needed, len(wanted))


@cache
def generic() -> frozenset[str]:
    """Words of the field that are no topic by themselves."""
    return words(" ".join(load("generic")["generic"]))


@cache
def usual() -> frozenset[str]:
    """Words of the field, and those behind a company's name that name no thing of its own: its papers, people, legal form."""
    return generic() | words(" ".join(load("generic")["behind_names"]))


def parts_of(ask: Ask) -> tuple[Sentence, ...]:
    """The coordinated clauses of an ask, each with its own words; one where it is simple."""
    text = ask.text[ask.proposition.start : ask.proposition.end]
    return tuple(read(piece, Names(), "questionnaire") for piece in AND_ALSO.split(text) if piece.strip())


def unfinished(statement: Statement, ask: Ask) -> bool:
    """ "In beta", "on request": it exists in part only, and the ask does not say so."""
    return bool(_immature().search(statement.text)) and not _immature().search(ask.text)


@cache
def _immature() -> re.Pattern[str]:
    data = load("limits")["immature"]
    return re.compile(f"{bounded(data['en'])}|{alternation(data['zh'])}", re.IGNORECASE)
