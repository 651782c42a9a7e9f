"""The typed facts that a sentence can hold, and the sentence itself.

Every fact knows where it stands: `text[start:end] == surface`, half-open code point offsets. The fields and their values are
those of the labelled set's schema (`tests/data/facts/schema.json`), so that `to_label()` can be scored as it is.
Source: specification "How a decision is made", invariant 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal

Comparator = Literal["at_least", "at_most", "less_than", "more_than", "exactly", "about", "between"]
Language = Literal["en", "zh"]
Verdict = Literal["PROVES", "OPPOSES", "SILENT"]
Coverage = Literal["all", "only", "some", "none", "except", "not_stated"]
NOT_STATED = "not_stated"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: its characters and its half-open offsets."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Names:
    """Proper names of one organisation. They are configuration, never part of the reader."""

    own: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    other_products: tuple[str, ...] = ()
    affiliates: tuple[str, ...] = ()
    subcontractors: tuple[str, ...] = ()


def decimal(value: Fraction) -> str:
    """The decimal string of an exact number; a number without one (1/3) is cut after six digits."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**6
    whole, rest = divmod(int(scaled), 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return decimal(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True, slots=True)
class Fact:
    """Base of all facts; `kind` is the word of the schema."""

    start: int
    end: int
    surface: str
    kind: ClassVar[str] = "fact"

    def to_label(self) -> dict[str, Any]:
        """The fact as a mapping in the shape of the labelled set."""
        label: dict[str, Any] = {"kind": self.kind}
        label.update({f.name: _plain(getattr(self, f.name)) for f in fields(self)})
        return label


@dataclass(frozen=True, slots=True)
class Quantity(Fact):
    """A number with its unit. A ratio is `(part, whole)`, a range `(low, high)`."""

    comparator: Comparator
    value: tuple[Fraction, ...]
    unit: str
    ratio: bool = False
    kind: ClassVar[str] = "quantity"

    def to_label(self) -> dict[str, Any]:
        """As the base; `ratio` is only written where it is true."""
        label = Fact.to_label(self)
        if not self.ratio:
            del label["ratio"]
        return label


@dataclass(frozen=True, slots=True)
class Frequency(Fact):
    """How often; `every` is an ISO 8601 interval, the comparator speaks about the rate."""

    comparator: Comparator
    every: str
    kind: ClassVar[str] = "frequency"


@dataclass(frozen=True, slots=True)
class Deadline(Fact):
    """A limit until an action is complete, counted from (or before) an event."""

    comparator: Comparator
    value: tuple[Fraction, ...]
    unit: str
    event: str
    direction: Literal["after", "before"]
    kind: ClassVar[str] = "deadline"


@dataclass(frozen=True, slots=True)
class Version(Fact):
    """A version of a protocol, a product or a document."""

    product: str
    comparator: Comparator
    value: str
    kind: ClassVar[str] = "version"


@dataclass(frozen=True, slots=True)
class Standard(Fact):
    """An algorithm, protocol, certificate or law; `strength` is a key length, level, type or edition."""

    name: str
    strength: str | None
    kind: ClassVar[str] = "standard"


@dataclass(frozen=True, slots=True)
class Scope(Fact):
    """Whom or what the statement covers; `canonical` is a group, `region:XX`, `product:NAME` or not_stated."""

    coverage: Coverage
    canonical: str
    who: str
    kind: ClassVar[str] = "scope"


@dataclass(frozen=True, slots=True)
class Negation(Fact):
    """A negator. `denied` is false for false friends ("no later than") and for both cues of a double negative."""

    denied: bool
    negated: str | None
    kind: ClassVar[str] = "negation"


@dataclass(frozen=True, slots=True)
class Modality(Fact):
    """Whether the clause states a fact, a rule, a plan, something past, ..."""

    value: Literal["fact", "policy", "recommendation", "permission", "plan", "past", "conditional"]
    kind: ClassVar[str] = "modality"


@dataclass(frozen=True, slots=True)
class Exclusion(Fact):
    """What is excepted, from the marker to the end of what is excepted (`exception` in the schema)."""

    kind: ClassVar[str] = "exception"


@dataclass(frozen=True, slots=True)
class Date(Fact):
    """A date, month, quarter, half, year or period `A/B`, with the role that the words around it give."""

    value: str
    role: Literal["issued", "expires", "effective", "observed", "due", "unknown"]
    ambiguous: bool = False
    readings: tuple[str, ...] = ()
    kind: ClassVar[str] = "date"

    def to_label(self) -> dict[str, Any]:
        """As the base; the two fields of ambiguity are only written where they say something."""
        label = Fact.to_label(self)
        if not self.ambiguous:
            del label["ambiguous"], label["readings"]
        return label


@dataclass(frozen=True, slots=True)
class Attribution(Fact):
    """Who acts: the organisation itself, a subcontractor, an affiliate, another product, the customer, or a mere draft."""

    value: Literal["self", "subcontractor", "affiliate", "other_product", "customer", "draft"]
    kind: ClassVar[str] = "attribution"


@dataclass(frozen=True, slots=True)
class Absolute(Fact):
    """A word that leaves no exception."""

    value: Literal["all", "every", "always", "never", "none", "full", "hundred_percent", "no_exception", "only", "immediate"]
    kind: ClassVar[str] = "absolute"


@dataclass(frozen=True, slots=True)
class Limiter(Fact):
    """A word that narrows what is said: only, except, partly, limited to. Not part of the labelled set."""

    kind: ClassVar[str] = "limiter"


@dataclass(frozen=True, slots=True)
class Capability(Fact):
    """A capability acronym (BYOK, MFA). Not part of the labelled set."""

    name: str
    kind: ClassVar[str] = "capability"


@dataclass(frozen=True, slots=True)
class Place(Fact):
    """A country or region as its code; a city is read as its country. Not part of the labelled set."""

    code: str
    kind: ClassVar[str] = "place"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, bullet or table row with the facts and content words read out of it."""

    text: str
    start: int
    end: int
    facts: tuple[Fact, ...]
    words: frozenset[str]
    language: Language
    anchors: tuple[tuple[int, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """What one sentence does to another, why, and the pairs (premise fact, claim fact) that decided."""

    verdict: Verdict
    reason: str
    facts: tuple[tuple[Fact, Fact], ...] = ()
