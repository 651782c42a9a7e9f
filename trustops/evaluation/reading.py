"""How well the reader of facts reads: what it finds against labels, counted per kind and language.

A hit needs the same kind, spans that overlap, and every canonical field equal as written; one finding answers one label, so a wrong
field counts twice (missed and false), a doubled finding once (false). Source: tests/data/facts/README.md, "How to score".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from trustops import facts
from trustops.evaluation.grade import Rate
from trustops.evaluation.labels import LabelledPair, LabelledPairs, LabelledSentence, LabelledSentences
from trustops.evaluation.report import GateLine

CANONICAL: dict[str, tuple[str, ...]] = {
    "quantity": ("comparator", "value", "unit", "ratio"),
    "frequency": ("comparator", "every"),
    "deadline": ("comparator", "value", "unit", "direction"),
    "version": ("product", "comparator", "value"),
    "standard": ("name", "strength"),
    "scope": ("coverage", "canonical"),
    "negation": ("denied",),
    "modality": ("value",),
    "exception": (),
    "date": ("value", "role", "readings"),
    "attribution": ("value",),
    "absolute": ("value",),
}
"""Fields that must agree. `event`, `who`, `negated` and the noun of a count are secondary and not compared."""
OUTER = frozenset(["deadline", "frequency", "version", "standard", "date"])
"""A number inside one of these is labelled once, as the outer kind; a finding there is neither hit nor false."""
INNER = OUTER | {"quantity"}
VERDICTS = ("PROVES", "OPPOSES", "SILENT")
LANGUAGES = ("en", "zh")
PRECISION, RECALL, KIND_PRECISION, KIND_RECALL, UNPROVED = 0.95, 0.90, 0.85, 0.75, 0.03

Found = Mapping[str, Any]


@dataclass(slots=True)
class Tally:
    """Counts of one kind in one language. `exact` are hits whose span is the label's own; `neutral` are left out of every rate."""

    hits: int = 0
    missed: int = 0
    false: int = 0
    neutral: int = 0
    exact: int = 0

    @property
    def precision(self) -> Rate:
        """Hits of what was found."""
        return Rate(self.hits, self.hits + self.false)

    @property
    def recall(self) -> Rate:
        """Hits of what is labelled."""
        return Rate(self.hits, self.hits + self.missed)

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(*(getattr(self, name) + getattr(other, name) for name in ("hits", "missed", "false", "neutral", "exact")))


@dataclass(frozen=True, slots=True)
class Slip:
    """One finding without a label (false) or one label without a finding (missed)."""

    sentence: LabelledSentence
    outcome: str
    found: Found


@dataclass(slots=True)
class Readings:
    """All tallies of a file, by kind and language, and every slip."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    slips: list[Slip] = field(default_factory=list)
    sentences: int = 0

    def of(self, kind: str, lang: str) -> Tally:
        """The tally of a kind in a language."""
        return self.tallies.setdefault((kind, lang), Tally())

    def total(self, lang: str) -> Tally:
        """All kinds of a language."""
        return sum((tally for (_, language), tally in self.tallies.items() if language == lang), Tally())


def names_of(meta: Mapping[str, Sequence[str]]) -> facts.Names:
    """The names that a labelled file gives as configuration; other keys are none that the reader knows."""
    keys = {"own": "organisation", "products": "product"}
    fields = ("own", "products", "other_products", "affiliates", "subcontractors")
    return facts.Names(**{name: tuple(meta.get(keys.get(name, name), ())) for name in fields})


def canonical(label: Found) -> tuple[object, ...]:
    """The fields that must agree, numbers by their value; a field that is left out is None."""
    return tuple(_plain(label, name) for name in CANONICAL[label["kind"]])


def _plain(label: Found, name: str) -> object:
    value = label.get(name)
    if name == "value" and label["kind"] in ("quantity", "deadline"):
        return tuple(Fraction(item) for item in value or ())
    if name == "unit" and str(value).startswith("count:"):
        return "count"
    return tuple(sorted(value)) if isinstance(value, list | tuple) and value else value or None


def agree(label: Found, found: Found) -> bool:
    """The same kind, a shared character, the same canonical fields."""
    overlap = label["start"] < found["end"] and found["start"] < label["end"]
    return bool(overlap and label["kind"] == found["kind"] and canonical(label) == canonical(found))


def paired(labels: Sequence[Found], found: Sequence[Found]) -> dict[int, int]:
    """Label -> finding, as many as can be paired one to one."""
    taken: dict[int, int] = {}

    def place(at: int, tried: set[int]) -> bool:
        for to, finding in enumerate(found):
            if to in tried or not agree(labels[at], finding):
                continue
            tried.add(to)
            holder = next((label for label, held in taken.items() if held == to), None)
            if holder is None or place(holder, tried):
                taken[at] = to
                return True
        return False

    for at in range(len(labels)):
        place(at, set())
    return taken


def neutral(finding: Found, labels: Sequence[Found]) -> bool:
    """Inside a label of an outer kind, or the default modality of a sentence without labels."""
    if finding["kind"] == "modality" and finding["value"] == "fact" and not labels:
        return True
    outer = (label for label in labels if label["kind"] in OUTER and label["kind"] != finding["kind"])
    return finding["kind"] in INNER and any(o["start"] <= finding["start"] and finding["end"] <= o["end"] for o in outer)


def compare(labels: Sequence[Found], found: Sequence[Found]) -> Iterator[tuple[str, Found, bool]]:
    """(hit | missed | false | neutral, what it is, whether the span is exact)."""
    pairs = paired(labels, found)
    for at, to in pairs.items():
        yield "hit", labels[at], (labels[at]["start"], labels[at]["end"]) == (found[to]["start"], found[to]["end"])
    yield from (("missed", label, False) for at, label in enumerate(labels) if at not in pairs)
    for to, finding in enumerate(found):
        if to not in pairs.values():
            yield ("neutral" if neutral(finding, labels) else "false"), finding, False


def read_labelled(sentence: LabelledSentence, names: facts.Names) -> list[Found]:
    """What the reader finds, in the shape of labels; kinds that are not labelled are left out."""
    read = facts.read(sentence.text, names, sentence.doc)
    return [fact.to_label() for fact in read.facts if fact.kind in CANONICAL]


def grade_reading(data: LabelledSentences) -> Readings:
    """Every sentence of a file, read and compared."""
    told, names = Readings(sentences=len(data.sentences)), names_of(data.meta)
    for sentence in data.sentences:
        labels = [label.model_dump(exclude_none=True) for label in sentence.facts]
        for outcome, what, exact in compare(labels, read_labelled(sentence, names)):
            _count(told.of(what["kind"], sentence.lang), outcome, exact=exact)
            if outcome in ("missed", "false"):
                told.slips.append(Slip(sentence, outcome, what))
    return told


def _count(tally: Tally, outcome: str, *, exact: bool) -> None:
    tally.hits += outcome == "hit"
    tally.missed += outcome == "missed"
    tally.false += outcome == "false"
    tally.neutral += outcome == "neutral"
    tally.exact += exact


def reading_gates(told: Readings) -> tuple[GateLine, ...]:
    """Precision and recall over all kinds of each language, and the floor of each kind that is labelled or found."""
    lines = []
    for lang in LANGUAGES:
        total = told.total(lang)
        lines += [_least(f"precision, {lang}", total.precision, PRECISION), _least(f"recall, {lang}", total.recall, RECALL)]
        for kind in CANONICAL:
            tally = told.of(kind, lang)
            if tally.precision.of:
                lines.append(_least(f"precision, {lang}, {kind}", tally.precision, KIND_PRECISION))
            if tally.recall.of:
                lines.append(_least(f"recall, {lang}, {kind}", tally.recall, KIND_RECALL))
    return tuple(lines)


def _least(name: str, rate: Rate, floor: float) -> GateLine:
    return GateLine(name, str(rate), f">= {100 * floor:.0f} %", rate.share is not None and rate.share >= floor)


@dataclass(slots=True)
class Judgements:
    """(language, labelled, judged) -> number of pairs, and every pair that was judged otherwise than labelled."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[tuple[LabelledPair, str, str]] = field(default_factory=list)

    def count(self, labelled: str, judged: str, lang: str | None = None) -> int:
        """Pairs so labelled and so judged, in one language or in all."""
        return sum(n for (language, a, b), n in self.counts.items() if (a, b) == (labelled, judged) and lang in (None, language))

    def rates(self, verdict: str, lang: str | None = None) -> tuple[Rate, Rate]:
        """Precision and recall of a verdict."""
        hits = self.count(verdict, verdict, lang)
        judged = sum(self.count(other, verdict, lang) for other in VERDICTS)
        return Rate(hits, judged), Rate(hits, sum(self.count(verdict, other, lang) for other in VERDICTS))

    @property
    def unproved(self) -> Rate:
        """Pairs that are judged PROVES and are labelled OPPOSES or SILENT, of all that are so labelled."""
        others = [(a, b) for a in ("OPPOSES", "SILENT") for b in VERDICTS]
        return Rate(sum(self.count(a, b) for a, b in others if b == "PROVES"), sum(self.count(a, b) for a, b in others))


def judge(pair: LabelledPair, names: facts.Names) -> facts.Relation:
    """What the reader says about one pair: the premise as a record of our own, the claim as an answer."""
    return facts.relation(facts.read(pair.premise, names, "record"), facts.read(pair.claim, names, "prior_answer"), names=names)


def grade_implications(data: LabelledPairs) -> Judgements:
    """Every pair of a file, judged and compared."""
    told, names = Judgements(), names_of(data.meta)
    for pair in data.pairs:
        found = judge(pair, names)
        told.counts[pair.lang, pair.relation, found.verdict] += 1
        if found.verdict != pair.relation:
            told.wrong.append((pair, found.verdict, found.reason))
    return told


def implication_gates(told: Judgements) -> tuple[GateLine, ...]:
    """A false PROVES is the harm: it would let an unsupported affirmative out."""
    rate = told.unproved
    ok = rate.share is not None and rate.share <= UNPROVED
    return (GateLine("PROVES claimed for OPPOSES or SILENT", str(rate), f"<= {100 * UNPROVED:.0f} %", ok),)
