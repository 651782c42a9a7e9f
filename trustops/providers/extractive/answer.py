"""Answer by rules: a determination from how the sentences stand to each ask, and their own words as the text.

Cautious where a model would judge: nothing but a whole quoted sentence is said, and doubt is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from trustops.domain.answer import Determination, combine
from trustops.domain.claim import Basis, Citation
from trustops.domain.control import Evaluation
from trustops.domain.opinion import AnswerDraft, DraftClaim, DraftPart
from trustops.facts.asked import Ask
from trustops.facts.backing import backs, full_time, inside_window, is_window
from trustops.facts.closure import closure_facts
from trustops.facts.denial import denies_subject
from trustops.facts.implication import implies
from trustops.facts.nouns import Date, Deadline, Fact, Frequency, Names, Place, Quantity, Standard, Version
from trustops.facts.testimony import Statement
from trustops.providers.extractive.bench import Sided, side, sided, statements

LEAD = {
    Determination.YES: "Yes.",
    Determination.NO: "No.",
    Determination.PARTIAL: "In part.",
    Determination.NOT_APPLICABLE: "Not applicable.",
}
QUOTED = 3
"""Most sentences that a yes quotes."""
NEAREST = 2
"""Sentences shown for each ask that stays unknown."""
LISTED = 12
"""Most rows of a list that an answer repeats."""


@dataclass(frozen=True, slots=True)
class Found:
    """One ask's determination and the statements that are quoted for it."""

    determination: Determination
    quoted: tuple[Statement, ...] = ()
    attachment: str = ""


def reply(payload: dict[str, Any], names: Names) -> AnswerDraft:
    """The draft for all asks of the payload."""
    asks, found = statements(payload, names)
    results = [_settle(ask, found, payload, names) for ask in asks[:12]]
    determination = combine(result.determination for result in results)
    if determination is Determination.UNKNOWN:
        shown = tuple(_claims(_nearest(asks, found, names), ()))
        return AnswerDraft(
            determinations=tuple(r.determination for r in results), text="", pivot="", parts=(), attachments=(), claims=shown
        )
    quoted = tuple(dict.fromkeys(s for result in results for s in result.quoted))
    attachments = tuple(dict.fromkeys(r.attachment for r in results if r.attachment))
    readings = [r for r in payload.get("readings", ()) if r["evaluation"] in ("PASS", "DRIFT") and r["says"]]
    text = _text(asks, results, determination)
    return AnswerDraft(
        determinations=tuple(result.determination for result in results),
        text=text[:4000],
        pivot="",
        parts=_parts(payload, quoted),
        attachments=attachments[:4],
        claims=tuple(_claims(quoted, readings)),
    )


def _settle(ask: Ask, found: Sequence[Statement], payload: dict[str, Any], names: Names) -> Found:
    drift_ids = frozenset(r["id"] for r in payload.get("readings", ()) if r["evaluation"] == Evaluation.DRIFT.value)
    figure = _figure(ask, found)
    if figure is not None:
        return figure
    sides = [one for one in sided(ask, tuple(found), names) if one.statement.kind != "prior" and one.statement.shareable]
    if ask.open:
        return _describe(ask, sides, date.fromisoformat(payload["today"]))
    proving = [one for one in sides if one.stance.reads == "PROVES" and (one.stance.strong or _decisive(one, ask))]
    against = [one for one in sides if one.stance.reads in ("OPPOSES", "SHORT") and one.stance.strong]
    absent = [s for s in found if s.eligible and s.kind == "passage" and s.shareable and denies_subject(s, ask, names)]
    if absent:
        return Found(Determination.NOT_APPLICABLE, tuple(absent[:1]))
    if proving and against:
        return Found(Determination.PARTIAL, (proving[0].statement, against[0].statement))
    if proving:
        usable = [s for s in found if s.eligible and s.kind == "passage" and s.shareable]
        whole = _whole(
            ask, sorted(proving, key=lambda one: one.statement.kind == "reading"), usable, names, date.fromisoformat(payload["today"])
        )
        drifted = [s for s in found if s.exhibit in drift_ids]
        return Found(Determination.PARTIAL, (*whole, *drifted[:1])) if drifted else Found(Determination.YES, whole)
    inside = [s for s in found if s.eligible and s.kind == "passage" and s.shareable and _in_the_place(s, ask)]
    if against and inside:
        return Found(Determination.PARTIAL, (inside[0], against[0].statement))
    return _denied(against, [*sides, *_silent_but_near(ask, found, names)])


def _silent_but_near(ask: Ask, found: Sequence[Statement], names: Names) -> list[Sided]:
    """Sentences that share most of the ask without settling it, best first: what a part of all is said beside."""
    near = [side(s, ask, names) for s in found if s.eligible and s.shareable and s.kind == "passage"]
    return sorted((one for one in near if one.stance.shared >= 2), key=lambda one: one.weight, reverse=True)


def _whole(ask: Ask, proving: Sequence[Sided], others: Sequence[Statement], names: Names, today: date) -> tuple[Statement, ...]:
    """The best sentence, then up to two more: what backs a fact of the ask that is still open, then what covers its open words."""
    chosen = [proving[0].statement]
    pool = [one.statement for one in proving[1:]] + [s for s in others if len(s.anchors & ask.words) >= min(2, len(ask.words))]
    for fact in closure_facts(ask.proposition):
        if len(chosen) < QUOTED and not full_time(fact, ask.text) and not _backed(fact, chosen, ask, names, today):
            chosen += [s for s in pool if _backed(fact, [s], ask, names, today)][:1]
    open_words = ask.words - frozenset().union(*(s.anchors for s in chosen))
    more = max((one.statement for one in proving[1:]), key=lambda s: len(s.anchors & open_words), default=None)
    if len(chosen) < QUOTED and more is not None and more.anchors & open_words:
        chosen.append(more)
    return tuple(dict.fromkeys(chosen))


def _backed(fact: Fact, chosen: Sequence[Statement], ask: Ask, names: Names, today: date) -> bool:
    return any(backs(s, fact, ask.words, ask.proposition, names, today) for s in chosen)


def _in_the_place(statement: Statement, ask: Ask) -> bool:
    """It says of the asked place what is asked, though not that there is no other."""
    places = [fact for fact in ask.proposition.facts if isinstance(fact, Place)]
    near = len(statement.anchors & ask.words) >= 2 and bool(statement.sentence.words & ask.words)
    named = any(isinstance(held, Place) and implies(held, place) == "PROVES" for held in statement.sentence.facts for place in places)
    return near and named and len([f for f in statement.sentence.facts if isinstance(f, Place)]) == 1


def _decisive(one: Sided, ask: Ask) -> bool:
    """Three shared words and a value or name that the ask demands."""
    wanted = [f for f in ask.proposition.facts if isinstance(f, (Quantity, Deadline, Frequency, Version, Standard))]
    return one.stance.shared >= 3 and any(implies(held, f) == "PROVES" for held in one.statement.sentence.facts for f in wanted)


def _denied(against: Sequence[Sided], sides: Sequence[Sided]) -> Found:
    """NO where something stands against the ask; PARTIAL where it holds for a part: a condition, or 119 of 124."""
    if not against:
        return Found(Determination.UNKNOWN)
    first = against[0]
    if _part_of_all(first.statement):
        beside = next((one.statement for one in sides if one.statement.kind == "passage"), None)
        return Found(Determination.PARTIAL, (*((beside,) if beside else ()), first.statement))
    limited = first.stance.why.startswith("holds under")
    return Found(Determination.PARTIAL if limited else Determination.NO, (first.statement,))


def _part_of_all(statement: Statement) -> bool:
    ratios = [f.value for f in statement.sentence.facts if isinstance(f, Quantity) and f.ratio and len(f.value) == 2]
    return any(0 < part < whole for part, whole in ratios)


def _describe(ask: Ask, sides: Sequence[Sided], today: date) -> Found:
    """An open question is answered where a sentence shares half its words; rows of one table are listed together."""
    good = [one for one in sides if one.stance.reads == "PROVES" and (one.stance.strong or one.stance.shared >= 3)]
    windows = [fact for fact in closure_facts(ask.proposition) if is_window(fact, ask.text)]
    good = [one for one in good if all(inside_window(fact, one.statement, today) for fact in windows)]
    if not good:
        return Found(Determination.UNKNOWN)
    rows = [one.statement for one in good if one.statement.subject and one.statement.exhibit == good[0].statement.exhibit]
    if ask.listing and good[0].statement.subject and len(rows) > 1:
        return Found(Determination.YES, tuple(rows[:LISTED]))
    valued = [one for one in good if one.wanted] if ask.wants else good
    if not valued:
        return Found(Determination.UNKNOWN)
    return Found(Determination.YES, _fuller(ask, valued))


def _fuller(ask: Ask, good: Sequence[Sided]) -> tuple[Statement, ...]:
    """The best sentence and up to two more that hold words of the ask which are still open."""
    chosen = [good[0].statement]
    for one in good[1:]:
        held = frozenset().union(*(s.anchors for s in chosen))
        fresh = one.statement.sentence.words & ask.words - held
        if fresh and len(chosen) < QUOTED:
            chosen.append(one.statement)
    return tuple(chosen)


def _figure(ask: Ask, found: Sequence[Statement]) -> Found | None:
    """A question for a figure is answered by the figure whose title shares most words, with the sentence that describes it."""
    lowered = ask.text.lower()
    if not any(verb in lowered for verb in ("attach", "provide", "send", "include", "share", "upload")):
        return None
    figures = [s for s in found if s.doc == "diagram" and s.eligible and s.shareable and len(s.anchors & ask.words) >= 2]
    if not figures:
        return None
    best = max(figures, key=lambda s: len(s.anchors & ask.words))
    described = [s for s in found if s.eligible and s.shareable and s.doc != "diagram" and len(s.anchors & ask.words) >= 2]
    beside = max(described, key=lambda s: len(s.anchors & (ask.words | best.anchors)), default=None)
    return Found(Determination.YES, (best, *((beside,) if beside else ())), attachment=best.source)


def _text(asks: Sequence[Ask], results: Sequence[Found], determination: Determination) -> str:
    """Lead-in and quoted sentences; several asks are marked (a), (b)."""
    several = len(results) > 1
    lead = "" if all(ask.open for ask in asks) else f"{LEAD[determination]} "
    parts = []
    for number, result in enumerate(results):
        mark = f"({chr(97 + number)}) " if several else ""
        if result.attachment:
            parts.append(f"{mark}{_sentence(result.quoted[0].text)[:-1]} is attached.")
        else:
            parts.append(mark + " ".join(dict.fromkeys(_sentence(s.text) for s in result.quoted)))
    return lead + " ".join(parts)


def _sentence(text: str) -> str:
    """The statement as a sentence of prose: without list mark, rows with commas, one full stop."""
    plain = " ".join(text.split())
    for mark in ("- ", "* ", "• "):
        plain = plain.removeprefix(mark)
    head, _, rest = plain.partition(" ")
    if head.rstrip(".").replace(".", "").isdigit() and rest:
        plain = rest
    if " | " in plain:
        plain = ", ".join(cell.strip() for cell in plain.split(" | ") if cell.strip())
    return plain if plain.endswith((".", "!", "?", "。")) else f"{plain}."


def _nearest(asks: Sequence[Ask], found: Sequence[Statement], names: Names) -> tuple[Statement, ...]:
    """What comes closest to each ask, in force or not, so that a person sees why there is no answer."""
    near = []
    for ask in asks:
        shown = [side(s, ask, names) for s in found if s.kind == "passage"]
        spoken = sorted(
            (one for one in shown if one.stance.shared), key=lambda one: (one.stance.reads != "SILENT", *one.weight), reverse=True
        )
        near += [one.statement for one in spoken[:NEAREST]]
    return tuple(dict.fromkeys(near))


def _claims(quoted: Sequence[Statement], readings: Sequence[dict[str, Any]]) -> list[DraftClaim]:
    claims = [
        DraftClaim(text=_sentence(s.text)[:4000], basis=Basis.POLICY, citations=(Citation(exhibit=s.exhibit, quote=s.text),))
        for s in quoted[:20]
    ]
    return claims + [
        DraftClaim(text=r["says"][:4000], basis=Basis.REALITY, citations=(Citation(exhibit=r["id"], quote=r["says"]),))
        for r in readings[:4]
    ]


def _parts(payload: dict[str, Any], quoted: Sequence[Statement]) -> tuple[DraftPart, ...]:
    """Numbers and dates for cells that want them, in the order they stand in the quoted sentences."""
    numbers = [
        str(fact.value[0])
        for s in quoted
        for fact in s.sentence.facts
        if isinstance(fact, (Quantity, Deadline)) and not getattr(fact, "ratio", False)
    ]
    dates = [
        fact.value for s in quoted for fact in s.sentence.facts if isinstance(fact, Date) and len(fact.value) == 10 and not fact.ambiguous
    ]
    parts = []
    for cell in payload["question"]["cells"]:
        source = {"number": numbers, "date": dates}.get(cell["kind"])
        if source:
            parts.append(DraftPart(part=cell["part"], value=source.pop(0)))
    return tuple(parts[:12])
