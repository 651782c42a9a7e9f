"""What every operation works with: the ports of one organisation, joined by assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from trustops.domain.approval import Role
from trustops.domain.authenticity import EntryPoint
from trustops.domain.control import Control
from trustops.domain.credential import Scope
from trustops.domain.span import Recorded, Span
from trustops.facts.nouns import Names
from trustops.ports import (
    Bundles,
    Clock,
    ControlCollector,
    Engine,
    EvidenceIndex,
    EvidenceReader,
    Ledger,
    ModelClient,
    QuestionnaireFormat,
    Seal,
    Signer,
)
from trustops.roster import Roster
from trustops.team.seat import Allowance, Table


class WallClock:
    """The present, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Rules:
    """The [gate] settings as operations see them; they only tighten."""

    second_person_for_all: bool = False
    authenticated_only: bool = False
    approval_days: int = 90


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """The identity provider of an organisation; `claim` is what names a person of `[people]`."""

    issuer: str
    client_id: str
    claim: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Stay:
    """How long a browser stays signed in: without a request, and at most."""

    idle: timedelta = timedelta(hours=2)
    longest: timedelta = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class TrustRules:
    """The [trust] settings: whether one weak signal may score below none, and from which score on a grade is given (B above `above_c`)."""

    partial_floor: bool = False
    a: Decimal = Decimal("4.0")
    above_c: Decimal = Decimal("3.0")
    c: Decimal = Decimal("2.0")


@dataclass(frozen=True, slots=True)
class Office:
    """One organisation's ports and settings. `as_of` is set where the workspace is a recorded demo. `allowances` are those of seats that
    do not have the common one; `usd_per_review` is the most that a review's calls may cost, in dollars. `spans` makes a trace of what is on
    record."""

    organisation: str
    workspace: Path
    ledger: Ledger
    index: EvidenceIndex
    reader: EvidenceReader
    formats: QuestionnaireFormat
    collector: ControlCollector
    controls: tuple[Control, ...]
    client: ModelClient
    engine: Engine
    signer: Signer
    seal: Seal
    bundles: Bundles
    roster: Roster
    names: Names
    people: dict[str, Role]
    rules: Rules
    gate_version: str
    profile: str
    style: dict[str, object]
    spans: Callable[[Recorded], tuple[Span, ...]]
    clock: Clock = field(default_factory=WallClock)
    as_of: datetime | None = None
    concurrency: int = 6
    allowance: Allowance = field(default_factory=Allowance)
    allowances: Mapping[str, Allowance] = field(default_factory=dict)
    entry: EntryPoint = EntryPoint.PRODUCT
    usd_per_review: Decimal | None = None
    trust: TrustRules = TrustRules()
    signed_in: str = ""
    """Who signed in with the host of this office; empty where nobody did, and then names are asserted."""
    scopes: frozenset[Scope] = frozenset(Scope)
    """What the token that was shown may be used for."""
    stay: Stay = Stay()
    single_sign_on: SingleSignOn | None = None

    def table(self, client: ModelClient, trace: str, key: str) -> Table:
        """What the seats share in one attempt, with the allowances of the settings."""
        return Table(client, self.roster, trace, key, self.allowance, self.allowances)
