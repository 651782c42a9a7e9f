"""Whether one sentence backs one fact of a claim (product.md, "Closure"): it holds or implies the fact, for the same thing, unopposed."""

from __future__ import annotations

import re
from datetime import date

from trustops.facts.closure import STRONG, subtract_months
from trustops.facts.elapsed import counts_from_today, days_of, spans_to_today
from trustops.facts.implication import implies
from trustops.facts.nouns import Absolute, Capability, Date, Deadline, Fact, Names, Quantity, Scope, Sentence, Standard
from trustops.facts.polarity import polarity
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import Statement
from trustops.facts.words import words

WINDOW = re.compile(
    r".*\b(?:last|past|previous|preceding|prior)\s+$|(?:within |in |over )?(?:the )?(?:last|past|previous|preceding|prior)\b", re.I | re.S
)
FULL_TIME = re.compile(
    r"24\s*(?:hours?\s+(?:a|per)\s+day(?:[\s,]+(?:and\s+)?7\s+days?(?:\s+(?:a|per)\s+week)?)?|x\s*7|/\s*7)|7\s+days\s+(?:a|per)\s+week",
    re.I,
)
MARK = re.compile(r"^\s*(?:[-*•–]|\(?\d+(?:\.\d+)*[.)]?(?=\s)|\[[ x]\])\s*")
ONLY = re.compile(r"\b(?:only|exclusively|solely|never leaves?|remains? (?:in|within))\b|仅|只|独家", re.I)
COORDINATED = re.compile(r";|,?\s+(?:and|but)\s+(?=(?:never|not|no|cannot|does|do|is|are)\b)|[；，。]", re.I)
"""Where a coordinated predicate begins: its denial is not one of what stands before it."""
MONTHS = {"month": 1, "quarter": 3, "year": 12}


def backs(statement: Statement, fact: Fact, near: frozenset[str], holder: Sentence, names: Names, today: date) -> bool:
    """One eligible statement for one fact of `holder`, whose content words are `near`."""
    if is_window(fact, holder.text):
        return inside_window(fact, statement, today) and bool(statement.anchors & near)
    if counts_from_today(fact, holder.text):
        about = len(statement.anchors & near) >= min(2, len(near))
        return about and (
            spans_to_today(fact, holder.text, days_of(statement.sentence), today) or holds(statement, fact, holder.text, names)
        )
    if isinstance(fact, Absolute) and not _same_group(statement, fact, holder, names):
        return False
    if statement.kind == "reading":  # it was mapped to the question by topic; code wrote its sentence
        return holds(statement, fact, holder.text, names)
    shared = statement.anchors & near
    if len(shared) < min(1 if isinstance(fact, (Capability, Standard)) else 2, len(near)):
        return False
    opposite = polarity(statement.sentence, shared) != polarity(holder, shared)
    return holds(statement, fact, holder.text, names) and not (opposite and _denied_there(statement, fact, names))


def _same_group(statement: Statement, fact: Absolute, holder: Sentence, names: Names) -> bool:
    """ "Every laptop" does not back "every server": what an absolute word counts must be named, or lie within what is named."""
    counted = [s for s in holder.facts if isinstance(s, Scope) and s.start <= fact.start < s.end and s.coverage == "all"]
    for scope in counted:
        who = words(scope.who, names) - words(fact.surface, names)
        inside = any(isinstance(held, Scope) and implies(held, scope) == "PROVES" for held in statement.sentence.facts)
        if who and not inside and not who & statement.anchors:
            return False
    return True


def says_verbatim(statement: Statement, claim: Sentence) -> bool:
    """The claim is the whole sentence, or a whole clause of it, word for word: then it says what the sentence says."""
    wanted = _bare(claim.text)
    return bool(wanted) and (wanted == _bare(statement.text) or any(wanted == _bare(clause.text) for clause in clauses(statement.text)))


def _bare(text: str) -> str:
    return " ".join(MARK.sub("", text).split()).strip(" .;,:!?。；，").casefold()


def holds(statement: Statement, fact: Fact, holder: str, names: Names) -> bool:
    """The statement contains the fact in words, or implies it; an own product may stand in heading, title or register."""
    if isinstance(fact, Absolute) and fact.value in STRONG:
        return bool(STRONG[fact.value].search(statement.text) or (fact.value == "only" and ONLY.search(statement.text)))
    if isinstance(fact, Absolute) and ONLY.search(fact.surface):
        return bool(ONLY.search(statement.text)) and any(f.kind in ("scope", "place") for f in statement.sentence.facts)
    if any(implies(held, fact) == "PROVES" for held in statement.sentence.facts):
        return True
    if isinstance(fact, (Capability, Standard)):
        return names_it(statement, fact, holder, names)
    if isinstance(fact, Scope):
        return _product(statement, fact)
    plain = fact.surface.lower()
    return plain in statement.text.lower() and not isinstance(fact, (Absolute, Quantity, Deadline, Date))


def names_it(statement: Statement, fact: Fact, holder: str, names: Names) -> bool:
    """The statement has the words of a name, or of what the claim itself says the acronym stands for: "bill of materials (SBOM)"."""
    if isinstance(fact, Standard) and any(c.isdigit() for c in fact.name) and _flat(fact.name) not in _flat(statement.text):
        return False  # FIPS 140-2 is not FIPS 140-3
    named = words(fact.surface, names)
    spelled = long_form(fact, holder, names)
    return bool(named and named <= statement.sentence.words) or bool(spelled and spelled <= statement.anchors)


def _flat(text: str) -> str:
    return re.sub(r"[\s/_-]+", "", text).casefold()


def long_form(fact: Fact, holder: str, names: Names) -> frozenset[str]:
    """Content words that an acronym in brackets abbreviates: as many words before it as it has letters, at most one more."""
    before = holder[: fact.start].rstrip()
    if not before.endswith(("(", "（")) or not fact.surface.isupper():
        return frozenset()
    spelled = before[:-1].split()[-len(fact.surface) - 1 :]
    initials = [at for at, word in enumerate(spelled) if word[:1].lower() == fact.surface[0].lower()]
    return words(" ".join(spelled[initials[0] :]), names) if initials else frozenset()


def is_window(fact: Fact, text: str) -> bool:
    """ "Within the last 12 months" is a stretch of time to look back on, not a value that something must have."""
    return isinstance(fact, (Quantity, Deadline)) and bool(WINDOW.match(text[: fact.start]) or WINDOW.match(fact.surface))


def full_time(fact: Fact, text: str) -> bool:
    """ "24 hours a day, 7 days a week" is one idiom and holds no quantities."""
    return any(found.start() <= fact.start < found.end() for found in FULL_TIME.finditer(text))


def inside_window(fact: Fact, statement: Statement, today: date) -> bool:
    """A date of the statement lies within the asked stretch before the run's day."""
    if not isinstance(fact, (Quantity, Deadline)):
        return False
    months = int(fact.value[0]) * MONTHS.get(fact.unit, 0)
    if not months:
        return fact.unit == "day" and any(0 <= (today - day).days <= fact.value[0] for day in days_of(statement.sentence))
    return any(subtract_months(today, months) <= day <= today for day in days_of(statement.sentence))


def _product(statement: Statement, fact: Scope) -> bool:
    name = fact.canonical.partition(":")[2].lower()
    return bool(name) and (name in " ".join(statement.headline).lower() or name in {p.lower() for p in statement.products})


def _denied_there(statement: Statement, fact: Fact, names: Names) -> bool:
    """The statement denies something near the fact itself: BYOK "occurs" in the sentence that denies BYOK."""
    about = words(fact.surface, names) or statement.sentence.words
    held = [piece for piece in COORDINATED.split(statement.text) if words(piece, names) & about] or [statement.text]
    return any(polarity(read(piece, names, statement.doc), about) == "negative" for piece in held)
