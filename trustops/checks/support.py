"""Support: every material claim stands in cited sentences, and each ask's determination is proved and not opposed (product.md).

Coverage is a net against invention; typed facts (closure.py) and PROVED decide. Not checked here: the complement of a list, a false
presupposition, a deciding word that is untyped; see docs/threat-model.md for measured rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from trustops.domain.answer import Determination
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.asked import Ask, subject_of
from trustops.facts.backing import says_verbatim
from trustops.facts.demand import another_kind, generic, parts_of, shared_words, weigh
from trustops.facts.denial import denies, denies_subject
from trustops.facts.halves import halves
from trustops.facts.implication import implies
from trustops.facts.nouns import Absolute, Exclusion, Names, Place, Quantity, Scope, Sentence
from trustops.facts.order import done_by_another, order_differs
from trustops.facts.relation import moods
from trustops.facts.sentence import read
from trustops.facts.split import clauses
from trustops.facts.testimony import Statement
from trustops.facts.verdict import LIGHT, Stance, stance
from trustops.facts.words import words

AND = "and|or|as well as|plus|along with|together with"
SEPARATOR = re.compile(rf",\s*(?:(?:{AND})\s)?\s*|\s+(?:{AND})\s+|、|和|以及")
COORDINATOR = re.compile(rf"[,;:()\[\]–—|，；、（）]|\s-\s|\s(?:{AND})\s|和|及|以及")
SEGMENT = re.compile(rf"[,;:()\[\]–—|]|\s-\s|\s(?:{AND}|with|including|such as|by|via|through|using|before|after|until)\s")
LIST = re.compile(rf"[^,:;.]+(?:,\s*[^,:;.]+){{1,}}(?:,?\s+(?:{AND})\s+[^,:;.]+)|[^，。；]+(?:、[^，。；]+){{2,}}")
COVERED = (3, 5)
"""At least 60 % of a claim's content words, as an exact fraction."""


def best_support(claim: Sentence, cited: Sequence[Statement]) -> tuple[tuple[Statement, ...], bool]:
    """The at most two cited statements that cover most of a claim's words, and whether they cover enough.

    Only eligible statements support, and one that shares no word with the claim is none. A claim without content words is covered.
    """
    wanted = claim.words
    same = next((s for s in cited if s.eligible and says_verbatim(s, claim)), None)
    if same is not None:
        return (same,), True
    useful = [s for s in cited if s.eligible and s.anchors & wanted and supports(s, claim)]
    if not wanted:
        return (), True
    choices = [(s,) for s in useful] + list(combinations(useful, 2))
    best = max(choices, key=lambda pair: (_covered(pair, wanted), -len(pair)), default=())
    joined = any(_joins(s, claim) for s in useful)
    return best, joined and COVERED[1] * _covered(best, wanted) >= COVERED[0] * len(wanted)


def _joins(statement: Statement, claim: Sentence) -> bool:
    """It speaks of the claim's subject and says something of it that the claim says: subject and predicate come from one sentence."""
    subject = words(subject_of(claim.text))
    predicate = claim.words - subject - generic()
    apart = bool(subject & claim.words) and bool(predicate) and statement.kind != "reading"
    return not apart or bool(statement.anchors & subject and statement.anchors & predicate)


def supports(statement: Statement, claim: Sentence) -> bool:
    """The sentence may stand for the claim: it does not deny what the claim says (or the other way round), and where the claim reports
    something done it is a record and no rule."""
    shared, subject = statement.anchors & claim.words, words(subject_of(claim.text))
    if another_kind(statement, subject, claim.words) or order_differs(statement.text, claim.text):
        return False
    if done_by_another(statement.text, statement.anchors, claim.text):
        return False
    if (len(shared) > 1 or len(claim.words) == 1) and denies(statement.sentence, shared) != denies(claim, shared):
        return False
    done, held = "past" in moods(claim), moods(statement.sentence)
    return not (done and held & {"policy", "plan", "recommendation"} and "past" not in held)


def _covered(pair: Iterable[Statement], wanted: frozenset[str]) -> int:
    held: frozenset[str] = frozenset().union(*(s.anchors for s in pair))
    return len(wanted & held)


def coverage_findings(claims: Iterable[tuple[Sentence, bool]], cited: Sequence[Statement]) -> tuple[Finding, ...]:
    """MISSING_EVIDENCE for each claim that its sentences do not cover. The flag marks a claim without any citation (another finding)."""
    return tuple(
        _missing(f"The cited sentences do not say: {_short(claim.text)!r}.", best_support(claim, cited)[0])
        for claim, uncited in claims
        if not uncited and not best_support(claim, cited)[1]
    )


def proof_findings(
    ask: Ask,
    determination: Determination,
    cited: Sequence[Statement],
    testimony: Sequence[Statement],
    claims: Sequence[Sentence],
    names: Names,
) -> tuple[Finding, ...]:
    """PROVED, OPPOSED or neither for one ask. UNKNOWN is MISSING_EVIDENCE that names the ask."""
    if not determination.affirmative or (ask.open and not claims):
        return (_missing(f"No answer is given to: {_short(ask.text)!r}.", ()),)
    opposed = opposing(ask, determination, testimony, names)
    opposed = opposed or (_denied(claims, testimony) if ask.open else ())
    if opposed:
        return tuple(_contradiction(ask, determination, s) for s in opposed[:3])
    if proved(ask, determination, cited, claims, names):
        return tuple(_missing(f"No cited sentence speaks of: {_short(part)!r}.", cited) for part in _unspoken(ask, determination, cited))
    return (_missing(f"No cited sentence in force proves {determination.value} for: {_short(ask.text)!r}.", cited),)


def _denied(claims: Sequence[Sentence], testimony: Iterable[Statement]) -> tuple[Statement, ...]:
    """Sentences that hold every word of a claim and deny it, or affirm what it denies."""
    told = [s for s in testimony if s.eligible and s.kind == "passage"]
    asserted = [c for c in claims if len(c.words) > 1 and not any(says_verbatim(s, c) for s in told)]
    return tuple(s for c in asserted for s in told if c.words <= s.sentence.words and denies(s.sentence, c.words) != denies(c, c.words))


def proved(ask: Ask, determination: Determination, cited: Iterable[Statement], claims: Sequence[Sentence], names: Names) -> bool:
    """At least one cited eligible statement reads as the determination; PARTIAL needs one that proves and one that limits, the limiting
    one anchored on a claim of the answer."""
    told = [(s, stance(s, ask, names)) for s in cited if s.eligible]
    sides = [(s, side) for s, side in told if s.kind != "prior"]  # an earlier answer may promise less, it proves nothing
    if determination is Determination.YES:
        return any(side.reads == "PROVES" for _, side in sides)
    if determination is Determination.NOT_APPLICABLE:
        return any(denies_subject(s, ask, names) for s, _ in sides)
    if determination is Determination.NO:
        return any(side.reads in ("OPPOSES", "SHORT") for _, side in sides)
    limiting = [s for s, side in told if _limits(s, side, ask) and any(len(s.anchors & c.words) >= min(2, len(c.words)) for c in claims)]
    return any(_affirms(s, side, ask) for s, side in sides) and bool(limiting)


def _unspoken(ask: Ask, determination: Determination, cited: Sequence[Statement]) -> Iterable[str]:
    """Coordinated parts of a yes/no ask ("..., and is a copy immutable?") of whose specific words no cited sentence holds half; of an open
    ask for two values, the one that no cited sentence gives."""
    both = halves(ask) if ask.open and {"quantity", "deadline"} & ask.wants else None
    for half in both or ():
        if not any(s.eligible and s.kind != "prior" and 2 * len(s.anchors & half) >= len(half) for s in cited):
            yield " ".join(sorted(word.lstrip("=") for word in half))
    if ask.open or determination is not Determination.YES:
        return
    held: frozenset[str] = frozenset().union(*(s.anchors for s in cited if s.eligible))
    parts = parts_of(ask)
    for part in parts if len(parts) > 1 else ():
        wanted = part.words - generic()
        if 2 * len(wanted & held) < len(wanted):
            yield part.text


def enumeration_findings(claims: Iterable[Sentence], cited: Sequence[Statement], names: Names) -> tuple[Finding, ...]:
    """MISSING_EVIDENCE for a member of a list that no cited sentence names: coverage alone would let one in among many."""
    usable = [s for s in cited if s.eligible]
    held: frozenset[str] = frozenset().union(*(s.anchors for s in usable))
    said = " ".join(s.text for s in usable).lower()
    lone = [
        item
        for claim in claims
        for item in members(claim.text)
        if (found := words(item, names)) and 2 * len(found & held) <= len(found) and item.lower() not in said
    ]
    lone += [piece for claim in claims for piece in _strays(claim, usable, names) if piece not in lone]
    return tuple(_missing(f"No cited sentence names {_short(item)!r}, which the answer lists.", usable) for item in lone)


def _strays(claim: Sentence, usable: Sequence[Statement], names: Names) -> Iterable[str]:
    """Parts of a claim between commas and coordinators, of two words or more, of which no sentence that is near the claim has any."""
    near = [s for s in usable if len(s.anchors & claim.words) >= min(2, len(claim.words))]
    held: frozenset[str] = frozenset().union(*(s.anchors for s in near))
    for pattern in (COORDINATOR, SEGMENT):
        for piece in pattern.split(claim.text):
            found = words(piece, names)
            if len(found) >= 2 and not found & held:
                yield piece.strip()


def members(text: str) -> tuple[str, ...]:
    """The members of an enumeration of three or more: "planner, ward manager and patient". Empty where there is none."""
    found = LIST.search(text)
    return tuple(item.strip() for item in SEPARATOR.split(found.group()) if item.strip()) if found else ()


def opposing(ask: Ask, determination: Determination, statements: Iterable[Statement], names: Names) -> tuple[Statement, ...]:
    """Eligible statements anywhere in the dossier that share two words and half the ask's and say otherwise."""
    if determination is Determination.PARTIAL or ask.open:
        return ()
    against = {Determination.YES: ("OPPOSES",), Determination.NO: ("PROVES",), Determination.NOT_APPLICABLE: ("PROVES",)}[determination]
    found = ((s, stance(s, ask, names)) for s in statements if s.eligible)
    return tuple(s for s, side in found if side.strong and side.reads in against and not _says_less(s, side, determination))


def _says_less(statement: Statement, side: Stance, determination: Determination) -> bool:
    """A statement that proves only a third of the ask does not stand against an honest NO."""
    del statement
    return determination is not Determination.YES and side.why == LIGHT


def _affirms(statement: Statement, side: Stance, ask: Ask) -> bool:
    """It proves the ask, or says at least something of it: two of its words, in its polarity, even where a limit of the ask stays open.
    What may be done is not done."""
    shared = shared_words(statement, ask)
    allowed = moods(statement.sentence) == {"permission"} and not moods(ask.proposition) & {"permission"}
    says = (
        side.reads != "OPPOSES"
        and weigh(shared) >= 2
        and bool(statement.sentence.words & ask.words)
        and denies(statement.sentence, shared) == denies(ask.proposition, shared)
    )
    return side.reads == "PROVES" or (not allowed and (_mixed(statement, ask) or says))


def _limits(statement: Statement, side: Stance, ask: Ask) -> bool:
    """Opposes, falls short, names a place outside the asked one, gives a ratio strictly between nothing and all, or tells of somebody only,
    or of a delay, where all are asked about."""
    asked = [fact for fact in ask.proposition.facts if isinstance(fact, Place)]
    elsewhere = any(isinstance(f, Place) and all(implies(f, place) == "SILENT" for place in asked) for f in statement.sentence.facts)
    fewer = _asks_for_all(ask) and len(shared_words(statement, ask)) >= 2 and bool(FEWER.search(statement.text))
    return side.reads in ("OPPOSES", "SHORT") or (bool(asked) and elsewhere) or fewer or _mixed(statement, ask)


FEWER = re.compile(
    r"\b(?:only|solely|exclusively) (?:for|to|by|in|on|at|where)\b|\b(?:limited|restricted|confined|reserved) (?:to|for)\b"
    r"|仅(?:对|限|适用|针对)|\b(?:late|delayed|overdue|missed|skipped|behind schedule)\b|逾期|延迟|未按时",
    re.IGNORECASE,
)
"""Somebody only, or not in time."""


def _asks_for_all(ask: Ask) -> bool:
    return any(isinstance(f, Absolute) or (isinstance(f, Scope) and f.coverage == "all") for f in ask.proposition.facts)


def _mixed(statement: Statement, ask: Ask) -> bool:
    """A ratio strictly between 0 and 1, "all but some", or two clauses of which one affirms and the other denies, proves and limits at
    once."""
    shared = shared_words(statement, ask)
    if weigh(shared) < min(2, weigh(ask.words)):
        return False
    if any(isinstance(f, Exclusion) or (isinstance(f, Scope) and f.coverage == "except") for f in statement.sentence.facts):
        return denies(statement.sentence, shared) == denies(ask.proposition, shared)
    ratio = any(isinstance(f, Quantity) and f.ratio and len(f.value) == 2 and 0 < f.value[0] < f.value[1] for f in statement.sentence.facts)
    return ratio or _two_faced(statement, ask)


def _two_faced(statement: Statement, ask: Ask) -> bool:
    """ "It is watched by day; at night it is not watched": one clause says two words of the ask, another denies one."""
    parts = [read(clause.text, Names(), statement.doc) for clause in clauses(statement.text)]
    sides = [(len(part.words & ask.words), denies(part, part.words & ask.words)) for part in parts if part.words & ask.words]
    return any(n >= 2 and not denied for n, denied in sides) and any(denied for _, denied in sides)


def would_prove(asks: Iterable[Ask], statements: Sequence[Statement], names: Names) -> tuple[Statement, ...]:
    """Ineligible statements that settle an ask which nothing eligible settles: the reason to say EXPIRED or HIDDEN."""
    found: list[Statement] = []
    for ask in asks:
        settled = [s for s in statements if _settles(s, ask, names)]
        if not any(s.eligible and s.kind != "prior" for s in settled):
            found += [s for s in settled if not s.eligible]
    return tuple(dict.fromkeys(found))


def _settles(statement: Statement, ask: Ask, names: Names) -> bool:
    side = stance(statement, ask, names)
    return side.reads in ("PROVES", "OPPOSES") and (side.strong or side.shared >= 2)


def _missing(summary: str, exhibits: Iterable[Statement]) -> Finding:
    return Finding(
        code=FindingCode.MISSING_EVIDENCE,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=summary,
        exhibits=tuple(dict.fromkeys(s.exhibit for s in exhibits)),
        remedy="File a document that says so and recheck, or edit the answer down to what is proved.",
    )


def _contradiction(ask: Ask, determination: Determination, statement: Statement) -> Finding:
    return Finding(
        code=FindingCode.CONTRADICTION,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"{statement.source} stands against {determination.value}: {_short(statement.text)!r} (asked: {_short(ask.text)!r}).",
        exhibits=(statement.exhibit,),
        remedy="Answer what the document says, correct the document, or withdraw the earlier answer; then recheck.",
        cited=True,
    )


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 110 else flat[:107] + "..."
