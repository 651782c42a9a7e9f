"""Trusting: profiles of agents, skills, publishers and sub-processors (AgentRisk), with what SCORE history adds, and the chain of records.

A record is written when a run is graded, when evaluations come in and on `trustops score grade`, where a score moved far enough. What is
shown is assessed anew each time.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, JsonValue, ValidationError

from trustops.domain.authenticity import ExecutionMode
from trustops.domain.base import Noun
from trustops.domain.chain import genesis, link, sha256
from trustops.domain.errors import MalformedFile, UnknownName
from trustops.domain.scores import OWN, TRUST_CHAIN, KeptEvaluation, TrustRow
from trustops.operations.office import Office
from trustops.operations.sealing import holds
from trustops.scoring.agentrisk import Dimension, Grades, Signals, Trust, assess, mean_change, worth_a_record
from trustops.scoring.score import milliseconds

FILE = "trust.yaml"
REMEDY = "docs/scoring.md lists every key."
SCALE = 5
"""SCORE is 0 to 1, a dimension is 0 to 5."""
When = Literal["authenticity", "consistency", "transparency", "commitment", "choice", "presence", "*"]


class Profile(Noun):
    """What is stated of a subject. `observed` is when, by dimension or for all under "*"; what has no date does not age. What is computed
    from evaluations on record takes the place of `dim_avg`, `avg_change` and `active_days`."""

    kind: Literal["agent", "skill", "publisher", "sub-processor"]
    bio: str = ""
    category: str = ""
    source_sites: tuple[str, ...] = ()
    performance_assessment: bool = False
    platform: str = ""
    discount_factor: Decimal | None = Field(default=None, ge=0, le=1)
    dim_avg: Decimal | None = Field(default=None, ge=0, le=5)
    avg_change: Decimal | None = Field(default=None, ge=0)
    active_days: int | None = Field(default=None, ge=0)
    observed: dict[When, date] = {}


class Profiles(Noun):
    """The file of a workspace, or the shipped one."""

    version: Literal[1] = 1
    subjects: dict[str, Profile] = {}


@dataclass(frozen=True, slots=True)
class Assessed:
    """A subject as it stands now. `evaluations` were counted, all in one mode; `mode` is empty where there were none."""

    subject: str
    profile: Profile
    signals: Signals
    trust: Trust
    evaluations: int = 0
    mode: str = ""


@cache
def shipped() -> Profiles:
    """What the package says of its own seats and skills. It states no discount factor: that is for who observes them."""
    return _parsed(files("trustops.catalogue").joinpath("trust_profiles.yaml").read_text(encoding="utf-8"), "trust_profiles.yaml")


def profiles(workspace: Path) -> Mapping[str, Profile]:
    """The shipped profiles, and those of trust.yaml, which stand in their place under the same name."""
    path = workspace / FILE
    if not path.is_file():
        return shipped().subjects
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as bad:
        raise MalformedFile("it cannot be read", where=FILE, remedy=REMEDY) from bad
    return {**shipped().subjects, **_parsed(text, FILE).subjects}


def _parsed(text: str, where: str) -> Profiles:
    try:
        return Profiles.model_validate(_plain(yaml.safe_load(text) or {}))
    except yaml.YAMLError as bad:
        raise MalformedFile(f"not readable as YAML ({str(bad).splitlines()[0]})", where=where, remedy=REMEDY) from bad
    except ValidationError as bad:
        first = bad.errors()[0]
        what = "is not a known key" if first["type"] == "extra_forbidden" else first["msg"]
        raise MalformedFile(f"{'.'.join(map(str, first['loc']))}: {what}", where=where, remedy=REMEDY) from bad


def _plain(value: Any) -> Any:
    """Numbers of the file as they are written: a double would be vetoed where its decimal is not."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return str(value) if isinstance(value, float) else value


def assess_all(office: Office) -> tuple[Assessed, ...]:
    """Every subject with a profile or with evaluations of our own, by name."""
    known, now = profiles(office.workspace), office.clock.now()
    history = _histories(office.ledger.evaluations(), office.seal.text().encode())
    return tuple(_assessed(office, name, known.get(name), history.get(name), now) for name in sorted({*known, *history}))


def assess_one(office: Office, subject: str) -> Assessed:
    """One subject; raises UnknownName where nothing is known of it."""
    known = profiles(office.workspace)
    history = _histories(office.ledger.evaluations(subject), office.seal.text().encode())
    if subject not in known and subject not in history:
        raise UnknownName(f"there is no subject {subject!r}", where=FILE, remedy="`trustops trust list` names them; or add it there.")
    return _assessed(office, subject, known.get(subject), history.get(subject), office.clock.now())


@dataclass(slots=True)
class History:
    """What evaluations of one subject in one mode add up to, oldest first, without holding them."""

    count: int = 0
    total: Decimal = Decimal(0)
    last: int = 0
    days: set[int] | None = None
    scores: dict[str, list[Decimal]] | None = None

    def take(self, kept: KeptEvaluation) -> None:
        """One more evaluation."""
        self.days, self.scores = self.days or set(), self.scores or defaultdict(list)
        self.count, self.total, self.last = self.count + 1, self.total + Decimal(str(kept.composite)), max(self.last, kept.at)
        self.days.add(kept.at // 86_400_000)
        given = kept.body.get("scores")
        for criterion, score in (given if isinstance(given, dict) else {}).items():
            self.scores[criterion].append(Decimal(str(score)) * SCALE)


def _histories(kept: Iterable[KeptEvaluation], secret: bytes) -> dict[str, dict[str, History]]:
    """By subject and mode: our own evaluations whose seal fits."""
    found = defaultdict[str, dict[str, History]](dict)
    for each in kept:
        if each.source == OWN and holds(each.counted, secret):
            found[each.agent].setdefault(each.mode, History()).take(each)
    return dict(found)


def _assessed(office: Office, subject: str, profile: Profile | None, modes: Mapping[str, History] | None, now: datetime) -> Assessed:
    """Live evaluations alone where there are any; what a script or a recording served never counts as live."""
    profile = profile or Profile(kind="skill" if subject.startswith("skill/") else "agent")
    mode = next((each.value for each in (ExecutionMode.LIVE_AI, ExecutionMode.TEST) if modes and each.value in modes), "")
    history = modes[mode] if modes and mode else None
    signals = _signals(profile, history, now)
    rules = office.trust
    trust = assess(signals, partial_floor=rules.partial_floor, grades=Grades(a=rules.a, above_c=rules.above_c, c=rules.c))
    return Assessed(subject, profile, signals, trust, history.count if history else 0, mode)


def _signals(profile: Profile, history: History | None, now: datetime) -> Signals:
    today = now.astimezone(UTC).date()
    ages = {name: max(0, (today - day).days) for name, day in profile.observed.items()}
    stated = profile.model_dump(exclude={"kind", "observed"})
    if history is None or history.scores is None or history.days is None:
        return Signals.model_validate({**stated, "age_days": ages})
    since = max(0, milliseconds(now) - history.last) // 86_400_000
    measured = {
        "dim_avg": history.total / history.count * SCALE,
        "avg_change": mean_change(history.scores),
        "active_days": len(history.days),
    }
    measured_ages = dict.fromkeys((Dimension.AUTHENTICITY.value, Dimension.CONSISTENCY.value, Dimension.PRESENCE.value), since)
    given = {name: value for name, value in measured.items() if value is not None}
    return Signals.model_validate({**stated, **given, "age_days": {**ages, **measured_ages}})


def profile_row(found: Assessed) -> dict[str, Any]:
    """A subject as a machine reads it."""
    named = {"subject": found.subject, "kind": found.profile.kind, "evaluations": found.evaluations, "mode": found.mode or None}
    told = found.trust.model_dump(mode="json")
    return {**named, **told, "is_estimated": found.trust.is_estimated, "signals": found.signals.model_dump(mode="json")}


def record_row(record: TrustRow) -> dict[str, Any]:
    """A record as a machine reads it, with what it was computed from."""
    return {**record._asdict(), "body": json.loads(record.body)}


# -- records -------------------------------------------------------------------------------------------------------------


def record_trust(office: Office) -> tuple[TrustRow, ...]:
    """Records for the subjects whose score moved far enough since their last one; a first score always is."""
    now, made = office.clock.now(), []
    with office.ledger.writing():
        last = {record.subject: record for record in office.ledger.trust_records()}
        for each in assess_all(office):
            before = trust_of(last[each.subject]) if each.subject in last else None
            if worth_a_record(before, each.trust):
                made.append(office.ledger.append_trust(each.subject, payload_of(each), at=now))
    return tuple(made)


def payload_of(assessed: Assessed) -> dict[str, JsonValue]:
    """What a record says: the score, and all that it was computed from."""
    told: dict[str, JsonValue] = assessed.trust.model_dump(mode="json")
    signals: dict[str, JsonValue] = assessed.signals.model_dump(mode="json")
    return {"kind": assessed.profile.kind, "trust": told, "signals": signals, "evaluations": assessed.evaluations, "mode": assessed.mode}


def trust_of(record: TrustRow) -> Trust | None:
    """The score that a record holds; None where it cannot be read, which `verify_trust` names."""
    try:
        return Trust.model_validate(json.loads(record.body)["trust"])
    except (ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class TrustChain:
    """A walk along the chain: records, the hash of the last one, and every record that does not fit, by number, subject and what is
    wrong. A chain that was cut at its end shows only against a head that was noted elsewhere."""

    records: int
    head: str
    bad: tuple[tuple[int, str, str], ...]


def verify_trust(office: Office, head: str = "") -> TrustChain:
    """Every altered, removed or inserted record is named, not the first alone. `head` is a hash that the chain must hold."""
    prev, expected, bad, seen = genesis(office.organisation, TRUST_CHAIN), 1, list[tuple[int, str, str]](), not head
    for record in office.ledger.trust_records():
        if problem := _misfit(record, expected, prev):
            bad.append((record.seq, record.subject, problem))
        prev, expected = record.hash, record.seq + 1
        seen = seen or record.hash == head
    if not seen:
        bad.append((expected, "", "the head that was noted is not in the chain: it was cut at its end or written anew"))
    return TrustChain(expected - 1, prev, tuple(bad))


def _misfit(record: TrustRow, expected: int, prev: str) -> str:
    if record.seq != expected:
        return f"number {expected} is missing before it"
    if record.prev != prev:
        return "it does not follow the record before it"
    if sha256(record.body.encode()) != record.payload_sha256:
        return "what it says is not what its digest names"
    fields = {"seq": record.seq, "prev": prev, "at": record.at, "kind": record.kind, "payload_sha256": record.payload_sha256}
    fits = link(chain=TRUST_CHAIN, actor=record.subject, **fields) == record.hash  # type: ignore[arg-type]
    return "" if fits else "its content was changed after it was written"


def history_of(office: Office, subject: str) -> Iterator[tuple[TrustRow, Trust]]:
    """The subject's records that can be read, oldest first."""
    for record in office.ledger.trust_records(subject):
        if (trust := trust_of(record)) is not None:
            yield record, trust
