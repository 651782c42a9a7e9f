"""The control suite: exact drift and freshness against evaluations made by hand, collectors and their constants, snapshots, permissions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from trustops.checks.drift import evaluate
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import digest
from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import TrustOpsError
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.cases import build_workspace, load_case
from trustops.evaluation.claims import MODES, well_formed
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.operations.collecting import collect_snapshots
from trustops.roster import shipped
from trustops.skills.invoke import SkillDesk

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def control_cases() -> tuple[Case, ...]:
    """golden/control, and what is tried with a workspace."""
    stories = (
        Case(
            case_id=f"control/{name}",
            title=title,
            level=2 if name == "permission" else 4,
            dimension="control",
            kind="unit",
            source="product.md, Collectors",
            input={"story": name},
            expect={"as": "told"},
        )
        for name, (title, _) in STORIES.items()
    )
    return (*load_cases(shipped("golden") / "control"), *stories)


def play_control(case: Case, bench: Bench) -> Outcome:
    """A row by hand, or a story."""
    story = case.input.get("story")
    return STORIES[story][1](case, bench) if story else _row(case)


def _score(metric: str, case: Case, amount: int, of: int = 1, authority: Authority = Authority.DETERMINISTIC) -> Score:
    return Score(metric=metric, case_id=case.case_id, amount=Decimal(amount), of=of, authority=authority)


def _span(text: str) -> timedelta:
    found = re.fullmatch(r"(-?\d+)([smhd])", text)
    if found is None:
        raise ValueError(f"{text!r} is no span of time")
    return timedelta(seconds=int(found[1]) * UNITS[found[2]])


def _row(case: Case) -> Outcome:
    given = case.input
    control = Control.model_validate(
        {
            "id": "counted",
            "title": "What is counted",
            "topics": ["counted"],
            "measure": given["measure"],
            "expect": given["expect"],
            "max_age": _span(given["max_age"]),
            "risk": "MEDIUM",
            "source": {"collector": "file", "path": "counted.json"},
        }
    )
    told = evaluate(control, _snapshot(given), AT).evaluation.value
    wanted = case.expect["evaluation"]
    scores = [_score("deterministic_drift_accuracy", case, int(told == wanted), authority=Authority.GOLDEN_TRUTH)]
    if wanted in ("PASS", "DRIFT", "STALE"):
        fresh = (told == "STALE") == (wanted == "STALE")
        scores.append(_score("freshness_accuracy", case, int(fresh), authority=Authority.GOLDEN_TRUTH))
    return Outcome((step("evaluation", wanted, told),), tuple(scores))


def _snapshot(given: dict[str, Any]) -> Snapshot | None:
    if given["values"] is None:
        return None
    observed = AT - _span(given["age"])
    return Snapshot(
        control="counted",
        version=1,
        observed_at=observed,
        collected_at=max(observed, AT),
        values=given["values"],
        collector="file",
        source_mode=SourceMode.RECORDED,
        sha256=digest(given["values"]),
    )


# -- stories -------------------------------------------------------------------------------------------------------------


def _collectors(case: Case, bench: Bench) -> Outcome:
    """A file and a mock are read; each snapshot says which collector made it and of what kind its source is."""
    golden = load_case("G-001")
    base = golden.given.controls[0]
    mock = base | {"id": "made-up", "source": {"collector": "mock", "path": "snapshots/made-up.json"}}
    told = {"observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 3, "managed": 3}}
    snapshots = golden.given.snapshots | {"made-up": told}
    given = golden.given.model_copy(update={"controls": (base, mock), "snapshots": snapshots})
    house = bench.folder(case.case_id)
    build_workspace(golden.model_copy(update={"given": given}), house)
    with bench.office(house) as office:
        kept, _ = collect_snapshots(office, golden.as_of)
        pairs = [(control.source.collector, kept.get(control.id)) for control in office.controls if control.source]
    made = [(name, snapshot) for name, snapshot in pairs if snapshot is not None]
    steps = (
        step("snapshots", 2, len(made)),
        *(step(f"collector of {s.control}", name, s.collector) for name, s in made),
        *(step(f"source mode of {s.control}", MODES[name].value, s.source_mode.value) for name, s in made),
    )
    scores = (
        _score("adapter_selection", case, sum(s.collector == name for name, s in made), len(pairs)),
        _score("source_mode_accuracy", case, sum(s.source_mode is MODES[name] for name, s in made), len(pairs)),
        _score("snapshot_schema_validity", case, sum(well_formed(s) for _, s in made), len(pairs)),
        _score("mock_reported_as_live", case, sum(s.source_mode is SourceMode.LIVE for _, s in made), len(pairs)),
    )
    return Outcome(steps, scores)


def _overwrite(case: Case, bench: Bench) -> Outcome:
    """A stored snapshot is written again with other values, and the source says something new: the first one stays."""
    golden = load_case("G-001")
    house = bench.folder(case.case_id)
    build_workspace(golden, house)
    with bench.office(house) as office:
        first = collect_snapshots(office, golden.as_of)[0]["disk-encryption"]
        forged, refused = first.model_copy(update={"values": {"encrypted": 0, "managed": 311}}), "nothing"
        try:
            with office.ledger.writing():
                office.ledger.append_snapshot(forged)
        except TrustOpsError as bad:
            refused = type(bad).__name__
        body = '{"control": "disk-encryption", "observed_at": "2026-11-30T10:00:00Z", "values": {"encrypted": 300, "managed": 311}}'
        (house / "snapshots" / "disk-encryption.json").write_text(body, encoding="utf-8")
        second = collect_snapshots(office, golden.as_of)[0]["disk-encryption"]
        held = office.ledger.snapshots()["disk-encryption"]
    steps = (
        step("the same version again", "refused", "refused" if refused != "nothing" else "taken"),
        step("version of the new reading", first.version + 1, second.version),
        step("the first snapshot", first.sha256, held[0].sha256),
    )
    return Outcome(steps, (_score("snapshot_overwrite", case, int(held[0] != first), len(held)),))


def _permission(case: Case, bench: Bench) -> Outcome:
    """Every seat calls every skill that it may not: none is carried out."""
    golden = load_case("G-001")
    house = bench.folder(case.case_id)
    build_workspace(golden, house)
    carried: list[str] = []
    with bench.office(house) as office:
        seats = office.roster.agents
        beyond = [(seat, skill) for seat, agent in seats.items() for skill in office.roster.skills if skill not in agent.skills]
        for seat, skill in beyond:
            desk = SkillDesk(office.roster, seat, "task", "trace", {skill: carried.append})
            with suppress(TrustOpsError):
                asyncio.run(desk.call(skill, f"{seat} {skill}"))
    steps = (
        step("calls beyond the permission", "some", "some" if beyond else "none"),
        step("carried out", "none", ", ".join(carried) or "none"),
    )
    return Outcome(steps, (_score("unauthorized_write_attempt", case, len(carried), len(beyond)),))


STORIES: dict[str, tuple[str, Callable[[Case, Bench], Outcome]]] = {
    "collectors": ("each control is read by its declared collector, and a mock is never live", _collectors),
    "overwrite": ("a stored snapshot is never overwritten", _overwrite),
    "permission": ("no seat carries out a skill that its file does not give it", _permission),
}
SUITE = Suite("control", "exact drift, freshness, collectors, snapshots, permissions", control_cases, play_control)
