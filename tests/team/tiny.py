"""A tiny organisation for whole turns of the machine: a few passages, one measured control, and a fake provider at the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from trustops import roster
from trustops.checks.disclosure import confidential
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import sha256
from trustops.domain.control import Control, ControlSource, Expectation, Measure, Risk, Snapshot
from trustops.domain.evidence import Classification, Document, EvidenceKind, Passage
from trustops.domain.question import AnswerCell, PartKind, Question
from trustops.facts.nouns import Names
from trustops.ports import ModelClient
from trustops.providers.anthropic import AnthropicClient
from trustops.providers.attempts import Patience
from trustops.providers.extractive import ExtractiveClient
from trustops.providers.openai import OpenAIClient
from trustops.retrieval.index import Index
from trustops.team.seat import Allowance, Table
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Answer, Behind, Script, Tap, Tapped
from trustops.workflow.desk import Desk, Shelf

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
NAMES = Names(own=("Acme Robotics", "Acme"), products=("Acme Cloud",))
KEY = SecretStr("sk-test-7f3a-do-not-print")
QUICK = Patience(attempts=2, first_wait_s=0.01, longest_wait_s=0.3)
CELLS = (
    AnswerCell(part="choice", sheet="S", cell="C2", kind=PartKind.CHOICE, vocabulary=("Yes", "No", "N/A")),
    AnswerCell(part="text", sheet="S", cell="D2", kind=PartKind.TEXT),
)
ENCRYPTION = Question(ref="Q1", text="Is customer data encrypted at rest?", sheet="S", cell="B2", answers=CELLS)
MFA = Question(ref="Q2", text="Is multi-factor authentication enforced for all employees?", sheet="S", cell="B3", answers=CELLS)
WIRES = ("anthropic", "responses", "chat")


def passage(number: int, text: str, **about: object) -> Passage:
    document = Document(
        path=f"evidence/policy-{number}.md",
        title="Information security policy",
        kind=EvidenceKind.POLICY,
        effective=date(2026, 1, 5),
        expires=date(2027, 12, 31),
        classification=Classification.SHAREABLE,
    ).model_copy(update=about)
    return Passage(
        id=f"P-{number}", document=document, heading=("Policy",), text=text, locator=f"line {number}", sha256=sha256(text.encode())
    )


PASSAGES = (
    passage(1, "All customer data is encrypted at rest with AES-256."),
    passage(2, "Multi-factor authentication is enforced for all employees."),
    passage(3, "Backups of customer data are taken daily and tested every quarter."),
)
MFA_CONTROL = Control(
    id="mfa-enrolment",
    title="MFA enrolment of the workforce",
    topics=("mfa", "multi-factor authentication"),
    scope="all_workforce",
    measure=Measure(ratio=("enrolled", "eligible")),
    expect=Expectation(equals=1),
    max_age=timedelta(hours=24),
    risk=Risk.HIGH,
    source=ControlSource(collector="mock"),
)


def snapshot(enrolled: int, *, version: int = 1) -> Snapshot:
    values: dict[str, bool | int | str] = {"enrolled": enrolled, "eligible": 124}
    at = AT - timedelta(hours=1)
    return Snapshot(
        control=MFA_CONTROL.id,
        version=version,
        observed_at=at,
        collected_at=at,
        values=values,
        collector="mock",
        source_mode=SourceMode.MOCK,
        sha256=sha256(str(values).encode()),
    )


def shelf(folder: Path, passages: Sequence[Passage] = PASSAGES, snapshots: Sequence[Snapshot] = ()) -> Shelf:
    index = Index(folder / "index.db")
    index.rebuild(passages, ())
    return Shelf(
        index=index,
        controls=(MFA_CONTROL,),
        snapshots={one.control: one for one in snapshots},
        names=NAMES,
        roster=roster.load(),
        secret=confidential(passages, ()),
        withdrawn=frozenset(),
        at=AT,
        gate_version="test",
    )


def wire_client(wire: str, provider: FakeProvider, *, patience: Patience = QUICK) -> AnthropicClient | OpenAIClient:
    """The real SDK of a wire form, talking to the fake provider without a socket."""
    transport = provider.transport()
    if wire == "anthropic":
        return AnthropicClient("test-model", api_key=KEY, base_url="http://fake", patience=patience, transport=transport)
    api = "responses" if wire == "responses" else "chat"
    return OpenAIClient("test-model", api_key=KEY, api=api, base_url="http://fake/v1", patience=patience, transport=transport)  # type: ignore[arg-type]


@dataclass
class Room:
    """A shelf, a provider that answers as the offline rules would, and what was heard."""

    shelf: Shelf
    wire: str = "anthropic"
    timeout_s: float = 5.0
    tap: Tap = field(default_factory=Tap)
    provider: FakeProvider = field(default_factory=FakeProvider)

    def script(self, **seats: Sequence[Answer]) -> None:
        self.provider.script = Script(seats, otherwise=Behind(ExtractiveClient(NAMES), self.tap))

    def desk(self, client: ModelClient | None = None) -> Desk:
        served = client or Tapped(wire_client(self.wire, self.provider), self.tap)
        return Desk(self.shelf, Table(served, self.shelf.roster, "trace-1", "R1.1:Q1:1", Allowance(self.timeout_s)))
