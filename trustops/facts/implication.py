"""Whether one fact implies another: intervals, lattices and exact units, never words.

PROVES: whoever accepts the premise accepts the claim. OPPOSES: both cannot hold. SILENT: neither. The same fact proves itself.
Source: specification "How a decision is made", Closure; invariant 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction

from trustops.facts.lexicon import load
from trustops.facts.nouns import (
    NOT_STATED,
    Absolute,
    Capability,
    Date,
    Deadline,
    Fact,
    Frequency,
    Modality,
    Negation,
    Place,
    Quantity,
    Scope,
    Standard,
    Verdict,
    Version,
)
from trustops.facts.period import covers, disjoint, ends_before
from trustops.facts.place import apart, within
from trustops.facts.scope import narrower
from trustops.facts.words import words

_DAY = Fraction(86400)
_MONTH = _DAY * 365 / 12  # twelve months are 365 days
_CLOSE = Fraction(3, 100)


@dataclass(frozen=True, slots=True)
class Interval:
    """The values that a comparator allows; an open end is excluded, None is unbounded."""

    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False

    def inside(self, other: Interval) -> bool:
        """Whether every value of this lies in the other."""
        return _above(self, other) and _below(self, other)

    def disjoint(self, other: Interval) -> bool:
        """Whether no value lies in both."""
        return _ends_under(self, other) or _ends_under(other, self)


def _above(inner: Interval, outer: Interval) -> bool:
    if outer.low is None:
        return True
    if inner.low is None or inner.low < outer.low:
        return False
    return inner.low > outer.low or inner.low_open or not outer.low_open


def _below(inner: Interval, outer: Interval) -> bool:
    if outer.high is None:
        return True
    if inner.high is None or inner.high > outer.high:
        return False
    return inner.high < outer.high or inner.high_open or not outer.high_open


def _ends_under(one: Interval, other: Interval) -> bool:
    if one.high is None or other.low is None:
        return False
    return one.high < other.low or (one.high == other.low and (one.high_open or other.low_open))


def interval(comparator: str, value: tuple[Fraction, ...]) -> Interval:
    """The interval of a comparator and its one or two values; "about" is a tenth to either side."""
    first = value[0]
    return {
        "at_least": Interval(first, None),
        "at_most": Interval(None, first),
        "less_than": Interval(None, first, high_open=True),
        "more_than": Interval(first, None, low_open=True),
        "about": Interval(first * Fraction(9, 10), first * Fraction(11, 10)),
        "between": Interval(first, value[-1]),
    }.get(comparator, Interval(first, first))


def _judged(premise: Interval, claim: Interval) -> Verdict:
    if premise.inside(claim):
        return "PROVES"
    return "OPPOSES" if premise.disjoint(claim) else "SILENT"


def _base(unit: str) -> tuple[str, Fraction]:
    """Family and exact factor of a unit; days and months meet in the year of 365 days."""
    table = load("units")["convert"]
    if unit not in table:
        return unit, Fraction(1)
    family, factor = table[unit]
    return "time", Fraction(factor) * (_MONTH if family == "calendar" else 1)


def _measure(fact: Quantity | Deadline) -> tuple[str, tuple[Fraction, ...], str]:
    """Family, values in the base unit, and the kind of unit the words used."""
    if isinstance(fact, Quantity) and fact.ratio and len(fact.value) == 2 and fact.value[1]:
        return "percent", (fact.value[0] * 100 / fact.value[1],), "percent"
    family, factor = _base(fact.unit)
    calendar = "calendar" if fact.unit in ("month", "quarter", "year") else fact.unit if family != "time" else "clock"
    return family, tuple(value * factor for value in fact.value), calendar


def _amounts(premise: Fact, claim: Fact) -> Verdict:
    if not isinstance(premise, Quantity | Deadline) or not isinstance(claim, Quantity | Deadline):
        return "SILENT"
    left, right = _measure(premise), _measure(claim)
    if left[0] != right[0] or left[0] == f"count:{NOT_STATED}" or not _same_direction(premise, claim):
        return "SILENT"
    if isinstance(claim, Quantity) and isinstance(premise, Deadline):
        return "SILENT"  # a limit for one action is no length of another
    if left[2] != right[2] and _nearly(left[1][0], right[1][0]):
        return "SILENT"  # 90 days are neither more nor less than three months
    premise_ratio = isinstance(premise, Quantity) and premise.ratio
    if left[0] != "time" and _CEILING.match(claim.surface) and left[1] != right[1]:
        return "SILENT"  # insured up to two million is not insured up to four
    comparator = "exactly" if premise_ratio and premise.comparator == "between" else premise.comparator
    verdict = _judged(interval(comparator, left[1]), interval(claim.comparator, right[1]))
    kept = isinstance(claim, Deadline) and isinstance(premise, Quantity) and left[1] == right[1] and premise.comparator == "exactly"
    return "SILENT" if kept and verdict == "PROVES" else verdict  # kept for 30 days is not deleted within 30 days


_CEILING = re.compile(r"(?:up to|as much as|as many as)\b|最多|至多|最高", re.IGNORECASE)


def _same_direction(premise: Quantity | Deadline, claim: Quantity | Deadline) -> bool:
    if isinstance(premise, Deadline) and isinstance(claim, Deadline):
        return premise.direction == claim.direction
    return not any(isinstance(fact, Deadline) and fact.direction == "before" for fact in (premise, claim))


def _nearly(one: Fraction, other: Fraction) -> bool:
    return one != other and abs(one - other) <= max(one, other) * _CLOSE


def _seconds(every: str) -> Fraction:
    match = re.fullmatch(r"P(T?)(\d+)([YMWDHS])", every)
    if match is None:
        return Fraction(0)
    unit = {"Y": _DAY * 365, "W": _DAY * 7, "D": _DAY, "H": Fraction(3600), "S": Fraction(1)}.get(match[3], _MONTH)
    return Fraction(match[2]) * (Fraction(60) if match[1] and match[3] == "M" else unit)


def _rates(premise: Frequency, claim: Frequency) -> Verdict:
    """A floor on the rate proves a lower floor; an exact rate that is rarer than the claim opposes it."""
    held, asked = _seconds(premise.every), _seconds(claim.every)
    if _nearly(held, asked):
        return "SILENT"
    if claim.comparator == "at_least":
        if premise.comparator in ("exactly", "at_least"):
            return "PROVES" if held <= asked else "OPPOSES" if premise.comparator == "exactly" else "SILENT"
        return "OPPOSES" if premise.comparator == "at_most" and held > asked else "SILENT"
    if claim.comparator == "at_most":
        fits = premise.comparator in ("exactly", "at_most") and held >= asked
        return "PROVES" if fits else "OPPOSES" if premise.comparator in ("exactly", "at_least") and held < asked else "SILENT"
    if premise.comparator == "exactly":
        return "PROVES" if held == asked else "OPPOSES" if held > asked else "SILENT"
    return "OPPOSES" if premise.comparator == "at_most" and held > asked else "SILENT"


def _number(version: str) -> Fraction:
    total = Fraction(0)
    for index, part in enumerate(re.findall(r"\d+", version)[:4]):
        total += Fraction(int(part), 10 ** (4 * index))
    return total


def _versions(premise: Version, claim: Version) -> Verdict:
    """A floor says that its lower end is accepted: "1.2 or higher" stands against a claim of 1.3."""
    if premise.product != claim.product:
        return "SILENT"
    held = tuple(_number(part) for part in premise.value.split(".."))
    asked = tuple(_number(part) for part in claim.value.split(".."))
    verdict = _judged(interval(premise.comparator, held), interval(claim.comparator, asked))
    floor = premise.comparator == "at_least" and claim.comparator in ("at_least", "exactly") and held[0] < asked[0]
    return "OPPOSES" if floor else verdict


def _standards(premise: Standard, claim: Standard) -> Verdict:
    """A named strength proves the bare name; two key lengths exclude each other; Type I says nothing about Type II."""
    if premise.name != claim.name and not premise.name.startswith(claim.name + "-"):
        return "SILENT"
    if claim.strength is None or premise.strength == claim.strength:
        return "PROVES"
    lengths = premise.strength is not None and premise.strength.isdigit() and claim.strength.isdigit()
    keyed = premise.name.split("-")[0] in ("AES", "RSA", "SHA", "DSA", "DH")
    return "OPPOSES" if lengths and keyed else "SILENT"


def _same_who(premise: Scope, claim: Scope) -> bool:
    if premise.who.lower() == claim.who.lower():
        return True
    left, right = words(premise.who), words(claim.who)
    return bool(left) and left == right


def _part_of(premise: Scope, claim: Scope) -> bool:
    """ "Permanent night guards" are some of the "night guards": the same head, all words of the wider group and more."""
    left, right = premise.who.lower().split(), claim.who.lower().split()
    return len(left) > len(right) > 0 and left[-len(right) :] == right


def _scopes(premise: Scope, claim: Scope) -> Verdict:
    left, right = premise.canonical, claim.canonical
    if left.startswith("region:") or right.startswith("region:"):
        return _regions(premise, claim) if left.startswith("region:") and right.startswith("region:") else "SILENT"
    if left.startswith("product:") or right.startswith("product:"):
        return _products(premise, claim)
    if NOT_STATED in (left, right):
        wide = subset = left == right and _same_who(premise, claim)
        subset = subset or (left == right and premise.coverage == "only" and _part_of(premise, claim))
    else:
        wide, subset = right in narrower(left), left in narrower(right)
    return _coverage(premise, claim, wide=wide, subset=subset)


def _coverage(premise: Scope, claim: Scope, *, wide: bool, subset: bool) -> Verdict:
    """`wide`: the claim's group lies in the premise's; `subset`: the premise's lies in the claim's."""
    if not wide and not subset:
        return "SILENT"
    if premise.coverage == "none":
        return "PROVES" if claim.coverage == "none" and wide else "OPPOSES" if claim.coverage != "none" else "SILENT"
    if claim.coverage == "none":
        return "OPPOSES" if premise.coverage in ("all", "only", "some", "except") and subset else "SILENT"
    if claim.coverage == "all":
        return _against_all(premise, wide=wide, subset=subset)
    if claim.coverage in ("some", NOT_STATED):
        whole = premise.coverage == "all" and (wide or claim.coverage == "some")
        same = premise.coverage in (claim.coverage, "only") and wide and subset
        return "PROVES" if whole or same else "SILENT"
    return "PROVES" if premise.coverage == claim.coverage and wide and subset else "SILENT"


def _against_all(premise: Scope, *, wide: bool, subset: bool) -> Verdict:
    if premise.coverage == "all":
        return "PROVES" if wide else "SILENT"
    if premise.coverage == "except":
        return "OPPOSES" if wide and subset else "SILENT"
    return "OPPOSES" if premise.coverage == "only" and subset and not wide else "SILENT"


def _regions(premise: Scope, claim: Scope) -> Verdict:
    held, asked = premise.canonical[7:], claim.canonical[7:]
    if claim.coverage == "only":
        if apart(held, asked):
            return "OPPOSES"
        return "PROVES" if premise.coverage == "only" and within(held, asked) else "SILENT"
    if within(held, asked):
        return "PROVES"
    return "OPPOSES" if premise.coverage == "only" and apart(held, asked) else "SILENT"


def _products(premise: Scope, claim: Scope) -> Verdict:
    if premise.canonical == claim.canonical:
        return "PROVES"
    both = premise.canonical.startswith("product:") and claim.canonical.startswith("product:")
    return "OPPOSES" if both and premise.coverage == "only" else "SILENT"


_STRONG = {"all": {"all", "every"}, "every": {"all", "every"}, "never": {"never", "none"}, "none": {"none", "never"},
           "hundred_percent": {"hundred_percent", "all", "every"}}  # fmt: skip


def _absolutes(premise: Absolute, claim: Absolute) -> Verdict:
    return "PROVES" if claim.value in _STRONG.get(premise.value, {premise.value}) else "SILENT"


def _share(premise: Quantity, claim: Fact) -> Verdict:
    """A ratio or percentage against "all": 122 of 124 is not all."""
    whole = isinstance(claim, Absolute) and claim.value in ("all", "every", "hundred_percent", "no_exception", "none")
    whole = whole or (isinstance(claim, Scope) and claim.coverage in ("all", "none"))
    if not whole or not (premise.ratio or premise.unit == "percent"):
        return "SILENT"
    held = interval(premise.comparator, _measure(premise)[1])
    nothing = (isinstance(claim, Absolute) and claim.value == "none") or (isinstance(claim, Scope) and claim.coverage == "none")
    return _judged(held, interval("exactly", (Fraction(0 if nothing else 100),)))


def _dates(premise: Date, claim: Date) -> Verdict:
    if premise.ambiguous or claim.ambiguous:
        return "SILENT"
    if premise.role == "expires" and claim.role in ("unknown", "observed"):
        return "PROVES" if ends_before(claim.value, premise.value) else "OPPOSES"
    if (covers(claim.value, premise.value) and "/" not in claim.value) or ("/" in premise.value and covers(premise.value, claim.value)):
        return "PROVES"
    known = premise.role == claim.role and premise.role in ("issued", "expires", "effective")
    return "OPPOSES" if known and disjoint(premise.value, claim.value) else "SILENT"


def _named(premise: Fact, claim: Fact) -> Verdict:
    """A version proves the protocol; a key length is a number of bits; an acronym proves itself; a place lies in a region."""
    if isinstance(premise, Version) and isinstance(claim, Standard):
        return "PROVES" if premise.product == claim.name and claim.strength is None else "SILENT"
    if isinstance(premise, Standard) and isinstance(claim, Quantity) and claim.unit == "bit" and (premise.strength or "").isdigit():
        return _judged(interval("exactly", (Fraction(premise.strength or 0),)), interval(claim.comparator, claim.value))
    if isinstance(premise, Capability) and isinstance(claim, Capability):
        return "PROVES" if premise.name == claim.name else "SILENT"
    if isinstance(premise, Place) and isinstance(claim, Place):
        return "PROVES" if within(premise.code, claim.code) else "SILENT"
    if isinstance(premise, Scope) and isinstance(claim, Absolute):
        return "PROVES" if premise.coverage == "all" and claim.value in ("all", "every") else "OPPOSES" if (
            premise.coverage == "except" and claim.value in ("all", "every", "no_exception")) else "SILENT"  # fmt: skip
    if isinstance(premise, Negation) and isinstance(claim, Absolute):
        return "PROVES" if premise.denied and claim.value in ("never", "none") else "SILENT"
    return "SILENT"


def _cross(premise: Fact, claim: Fact) -> Verdict:
    if isinstance(premise, Quantity) and isinstance(claim, Absolute | Scope):
        return _share(premise, claim)
    if isinstance(premise, Quantity | Deadline) and isinstance(claim, Quantity | Deadline):
        return _amounts(premise, claim)
    return _named(premise, claim)


def dimension(fact: Fact) -> str | None:
    """What a fact measures: two facts of one dimension can be compared. None for a fact that is no value."""
    if isinstance(fact, Quantity | Deadline):
        return _measure(fact)[0]
    if isinstance(fact, Frequency):
        return "rate"
    if isinstance(fact, Version):
        return f"version {fact.product}"
    return "date" if isinstance(fact, Date) else None


def same_value(left: Fact, right: Fact) -> bool:
    """Two amounts of one size, whatever their comparators: "after 15 minutes" and "within 15 minutes"."""
    if not isinstance(left, Quantity | Deadline) or not isinstance(right, Quantity | Deadline):
        return False
    return _measure(left)[:2] == _measure(right)[:2]


_SAME_KIND: dict[type[Fact], Callable[..., Verdict]] = {
    Frequency: _rates, Version: _versions, Standard: _standards, Scope: _scopes, Absolute: _absolutes, Date: _dates}  # fmt: skip
_PLACE = frozenset(["start", "end", "surface"])


def _identical(premise: Fact, claim: Fact) -> bool:
    if type(premise) is not type(claim):
        return False
    names = [field.name for field in fields(premise) if field.name not in _PLACE]
    surface = isinstance(premise, Modality) or names or premise.surface == claim.surface
    return bool(surface) and all(getattr(premise, name) == getattr(claim, name) for name in names)


def implies(premise: Fact, claim: Fact) -> Verdict:
    """What one fact says about another. Never raises; facts that cannot be compared are SILENT."""
    if _identical(premise, claim):
        return "PROVES"
    rule = _SAME_KIND.get(type(premise)) if type(premise) is type(claim) else None
    return rule(premise, claim) if rule else _cross(premise, claim)
