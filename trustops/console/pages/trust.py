"""Trust: profiles of the seats, the skills, publishers and sub-processors, how they came about, and who vouches for it. A grade informs
people; nothing that decides reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.pages.drawing import draw, path
from trustops.console.pages.visitor import visitor
from trustops.console.problems import Problem
from trustops.domain.authenticity import SEATS
from trustops.domain.errors import UnknownName
from trustops.domain.scores import OWN, TrustRow
from trustops.operations.reputing import Standing, in_evaluations, reputations
from trustops.operations.trusting import Assessed, assess_all, assess_one, history_of, trust_of, verify_trust
from trustops.operations.vouching import last_grades
from trustops.scoring.agentrisk import BASE, BONUS, HIGHEST, DimensionScore, Trust
from trustops.scoring.plotting import svg

GRADES = 20
"""Evaluations that a subject's page shows; `trustops score export` gives all."""
POINTS = 60
KINDS = (("agent", "Seats"), ("skill", "Skills"), ("publisher", "Publishers of skills"), ("sub-processor", "Sub-processors"))


@dataclass(frozen=True, slots=True)
class Bar:
    """One dimension: the share of its scale that counts, and what was measured before it lost freshness, both 0 to 100."""

    name: str
    group: str
    score: DimensionScore
    width: str
    measured: str


@dataclass(frozen=True, slots=True)
class Line:
    """One subject of the list."""

    found: Assessed
    address: str
    bars: tuple[Bar, ...]
    history: Markup | None


@dataclass(frozen=True, slots=True)
class Served:
    """One model at one seat, by what it did there; `width` is its reputation, 0 to 100."""

    standing: Standing
    width: str
    last: str


def trust(request: Request) -> Response:
    """Every subject with its grade, by kind."""
    office = visitor(request).office
    past = _histories(office.ledger.trust_records())
    lines = [_line(found, past.get(found.subject, [])) for found in assess_all(office)]
    kinds = [(label, [line for line in lines if line.found.profile.kind == kind]) for kind, label in KINDS]
    return draw(request, "trust.html", here="trust", at="subjects", kinds=[(label, found) for label, found in kinds if found])


def subject(request: Request) -> Response:
    """One subject: dimensions, history, what it rests on, and its last grades with the cases that they judged."""
    office, name = visitor(request).office, request.path_params["subject"]
    try:
        found = assess_one(office, name)
    except UnknownName as none:
        raise Problem(404, "there is no such subject", remedy="The list of trust profiles shows those that are known.") from none
    records = list(history_of(office, name))
    line = _line(found, [(row.at, told) for row, told in records])
    return draw(
        request,
        "subject.html",
        here="trust",
        line=line,
        records=list(reversed(records))[:GRADES],
        grades=last_grades(office, name, GRADES),
        evaluated=in_evaluations(office, name),
        standings=[each for each in reputations(office, name) if each.source != OWN],
    )


def records(request: Request) -> Response:
    """Whether the chain of trust records holds, with every record that does not."""
    return draw(request, "chain.html", here="trust", at="records", chain=verify_trust(visitor(request).office))


def models(request: Request) -> Response:
    """What each model did at each seat, live work and the rest apart: live work first, then by reputation."""
    own = [each for each in reputations(visitor(request).office, models=True) if each.source == OWN]
    seats = [(seat, [_served(each) for each in _ranked(own, seat)]) for seat in SEATS]
    return draw(request, "models.html", here="trust", at="models", seats=[(seat, served) for seat, served in seats if served])


def _ranked(standings: Iterable[Standing], seat: str) -> list[Standing]:
    return sorted((each for each in standings if each.agent == seat), key=lambda each: (each.mode != "LIVE_AI", -each.reputation.score))


def _served(standing: Standing) -> Served:
    reputation = standing.reputation
    return Served(standing, f"{100 * reputation.score:.1f}", (reputation.last_evaluated_at or "")[:10])


def _line(found: Assessed, past: list[tuple[str, Trust]]) -> Line:
    drawn = None
    if past:
        points = [(at[:10], told.trust_score) for at, told in past[-POINTS:]]
        drawn = Markup(svg(points, f"Trust of {found.subject} over {len(points)} records, the last {points[-1][1]}"))
    return Line(found, path("trust", "of", found.subject), bars(found.trust), drawn)


def bars(told: Trust) -> tuple[Bar, ...]:
    """The five dimensions that make the score, and availability, which is told beside it."""
    groups = {**dict.fromkeys(BASE, "base"), **dict.fromkeys(BONUS, "bonus")}
    return tuple(
        Bar(name.value, groups.get(name, "apart"), score, _share(score.score), _share(score.raw)) for name, score in told.dimensions.items()
    )


def _share(score: Decimal) -> str:
    return f"{100 * score / HIGHEST:.1f}"


def _histories(rows: Iterable[TrustRow]) -> Mapping[str, list[tuple[str, Trust]]]:
    """The scores on record of every subject, oldest first; a record that cannot be read is for the page of the chain to name."""
    found: dict[str, list[tuple[str, Trust]]] = {}
    for row in rows:
        if (told := trust_of(row)) is not None:
            found.setdefault(row.subject, []).append((row.at, told))
    return found
