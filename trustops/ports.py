"""Every Protocol of the house. Operations reach the world through these; adapters implement them; assembly joins both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval, Confirmation
from trustops.domain.audit import AuditRecord, ChainState
from trustops.domain.authenticity import Origin, SourceMode
from trustops.domain.base import Noun
from trustops.domain.chain import digest, sha256
from trustops.domain.control import Control, ControlReading, Exact, Snapshot
from trustops.domain.credential import Credential
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Ingested, Passage, PriorAnswer
from trustops.domain.question import CellValue, Follows, PartChanges, Question, Questionnaire, RefusedCell
from trustops.domain.rating import Rating
from trustops.domain.record import Event, ModelCall, RunInfo, SkillInvocation
from trustops.domain.request import Asked
from trustops.domain.risk_review import RiskReviewResult
from trustops.domain.scores import Composite, KeptEvaluation, KeptRubric, Revocation, TrustedKey, TrustRow
from trustops.domain.session import Held, Link, Password, Session
from trustops.domain.signature import ENVELOPE, MESSAGE, PUBLIC_KEY, SIGNATURE, STATEMENT, SUCCESSION, KeyInfo, Signed

# -- models --------------------------------------------------------------------------------------------------------------


class ModelRequest(Noun):
    """One request to a model. Real providers send `system` and `user`; the offline one reads `payload`, the same content typed.

    `shape` is the JSON schema of the reply; `max_tokens` counts output tokens; `timeout_s` is for one attempt, in seconds. The first
    `shared` characters of `user` are sent by another seat of the question as well, after the same `system`.
    """

    seat: str
    prompt: str
    system: str
    user: str
    shared: int = 0
    shape_name: str
    shape: dict[str, Any]
    payload: dict[str, Any]
    max_tokens: int = 4000
    temperature: float | None = None
    timeout_s: float = 60.0

    @property
    def digest(self) -> str:
        """What a ModelCall keeps of the request: a recorded or journalled reply is used only where it is equal."""
        parts = {name: sha256(getattr(self, name).encode()) for name in ("system", "user")}  # long texts by their own digests
        return digest({**parts, "shape": self.shape_name})


class ModelReply(Noun):
    """What a provider returned. `stop_reason` is normalised: complete, truncated, refusal or other. Latency in milliseconds.

    Of `tokens_in`, `tokens_cached` were read from the provider's cache and `tokens_written` into it. `profile` is the settings' name for
    who answered.
    """

    text: str
    stop_reason: str
    origin: Origin
    provider: str
    model: str
    profile: str = ""
    request_id: str = ""
    http_status: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_written: int = 0
    attempts: int = 1
    latency_ms: int = 0
    cost_usd: str | None = None


class ModelClient(Protocol):
    """Answers a request or raises ProviderFailed; it never invents a reply."""

    async def complete(self, request: ModelRequest) -> ModelReply: ...


# -- evidence ------------------------------------------------------------------------------------------------------------


class EvidenceReader(Protocol):
    """Reads the evidence folder of a workspace."""

    def read_folder(self, workspace: Path, progress: Callable[[str], None] | None = None) -> Ingested: ...

    def read_answers(self, workspace: Path) -> tuple[PriorAnswer, ...]: ...


class EvidenceIndex(Protocol):
    """Full-text search over one organisation's passages and earlier answers."""

    def rebuild(self, passages: Sequence[Passage], prior_answers: Sequence[PriorAnswer]) -> None: ...
    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]: ...
    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]: ...
    def get_passage(self, id: str) -> Passage | None: ...
    def passages(self) -> tuple[Passage, ...]: ...
    def prior_answers(self) -> tuple[PriorAnswer, ...]: ...

    def digest(self) -> str:
        """Of all that is indexed; another digest means that a search may find something else."""
        ...


class ControlCollector(Protocol):
    """Reads a control's values from its source. None means: there is no reading."""

    def collect(self, control: Control, *, version: int, at: datetime) -> Snapshot | None: ...


class QuestionnaireFormat(Protocol):
    """Reads a customer's file and writes answers into a copy of it."""

    def read(self, path: Path, mapping: Path | None = None) -> Questionnaire: ...

    def refusals(self, original: Path, values: Sequence[CellValue]) -> tuple[RefusedCell, ...]: ...
    def write(self, original: Path, target: Path, values: Sequence[CellValue]) -> PartChanges: ...


# -- the ledger ----------------------------------------------------------------------------------------------------------


class StoredReview(Noun):
    """One workbook's case, or that of one follow-up (`follows`), whose file is a small one of our own making. The blob with the bytes goes
    by their digest."""

    id: str
    organisation: str
    questionnaire: Questionnaire
    created_at: datetime
    follows: Follows | None = None


class QuestionRecord(Noun):
    """Everything one attempt at one question concluded. Append-only; the newest attempt counts."""

    run: str
    attempt: int
    question: str
    decided_at: datetime
    risk: str
    result: RiskReviewResult
    version: int | None
    dossier: Dossier
    queries: tuple[str, ...] = ()
    """Of records from before `searches`."""
    searches: tuple[tuple[str, str], ...] = ()
    """Every search as (skill, query), of rules and seats, to be repeated when the facts change."""
    basis: str = ""
    """Digest of the facts that the attempt saw; empty where it is not known."""
    conflicts: tuple[dict[str, JsonValue], ...] = ()
    agent_tasks: tuple[dict[str, JsonValue], ...] = ()
    asks: tuple[str, ...] = ()


class ExportRecord(Noun):
    """One export: which versions left, to whom, and the file by digest."""

    id: str
    review: str
    at: datetime
    to: str
    by: str = ""
    """Who sent it, where a name was given."""
    file: str
    sha256: str
    answers: tuple[dict[str, JsonValue], ...]
    execution_mode: str
    receipt: dict[str, JsonValue]


class Ledger(Protocol):
    """The books of one organisation. Verbs are append, latest and get; nothing is updated in place or deleted, but what `redact` takes out
    of an audit record's payload, which is a record itself; `erase` wipes what it was.

    No method takes an organisation: the ledger was opened for one. `writing()` is one transaction, `reading()` one view of all;
    `durable` asks for synchronous=FULL, which approve, edit and export use.
    """

    def writing(self, *, durable: bool = False) -> AbstractContextManager[None]: ...
    def reading(self) -> AbstractContextManager[None]: ...
    def append_review(self, review: StoredReview) -> None: ...
    def get_review(self, id_or_prefix: str) -> StoredReview | None: ...
    def latest_review(self) -> StoredReview | None: ...
    def reviews(self) -> tuple[StoredReview, ...]: ...
    def follow_ups(self, review: str) -> tuple[StoredReview, ...]: ...
    def append_run(self, run: RunInfo) -> None: ...
    def end_run(self, run: str, state: str) -> None: ...
    def append_pause(self, run: str, *, paused: bool) -> None: ...
    def get_run(self, run: str) -> RunInfo | None: ...
    def runs(self, review: str) -> tuple[RunInfo, ...]: ...
    def append_record(self, review: str, record: QuestionRecord) -> None: ...
    def last_attempt(self, review: str, question: str) -> int: ...
    def latest_records(self, review: str) -> Mapping[str, QuestionRecord]: ...
    def records(self, review: str, question: str) -> tuple[QuestionRecord, ...]: ...
    def append_answer(self, review: str, answer: AnswerVersion) -> None: ...
    def latest_answers(self, review: str) -> dict[str, AnswerVersion]: ...
    def answers(self, review: str, question: str) -> tuple[AnswerVersion, ...]: ...
    def append_approval(self, review: str, approval: Approval) -> None: ...
    def latest_approvals(self, review: str) -> dict[str, Approval]: ...
    def append_confirmation(self, review: str, confirmation: Confirmation) -> bool: ...
    def confirmations(self, review: str) -> tuple[Confirmation, ...]: ...
    def append_export(self, export: ExportRecord) -> None: ...
    def append_placement(self, export: str, *, at: datetime) -> None: ...
    def placements(self) -> frozenset[str]: ...
    def exports(self, review: str) -> tuple[ExportRecord, ...]: ...
    def append_snapshot(self, snapshot: Snapshot) -> None: ...
    def latest_snapshots(self) -> dict[str, Snapshot]: ...
    def snapshots(self) -> Mapping[str, tuple[Snapshot, ...]]: ...
    def append_calls(self, review: str, run: str, question: str, calls: Sequence[ModelCall], skills: Sequence[SkillInvocation]) -> None: ...
    def calls(self, review: str) -> Mapping[tuple[str, str], tuple[tuple[ModelCall, ...], tuple[SkillInvocation, ...]]]: ...
    def origins(self, review: str) -> Mapping[tuple[str, str], tuple[Origin, ...]]: ...
    def spent(self, review: str) -> Decimal: ...
    def append_event(self, run: str, kind: str, *, question: str = "", data: Mapping[str, JsonValue] | None = None) -> Event: ...
    def append_events(self, run: str, told: Sequence[tuple[str, str, Mapping[str, JsonValue]]]) -> tuple[Event, ...]: ...
    def events(self, run: str, *, after: int = 0, limit: int = 200) -> tuple[Event, ...]: ...
    def append_withdrawal(self, prior_answer: str, *, by: str, at: datetime, reason: str) -> None: ...
    def withdrawals(self) -> frozenset[str]: ...
    def append_credential(self, credential: Credential) -> None: ...
    def credentials(self) -> tuple[Credential, ...]: ...
    def append_rating(self, rating: Rating) -> None: ...
    def ratings(self, review: str) -> tuple[Rating, ...]: ...
    def append_password(self, password: Password) -> None: ...
    def passwords(self) -> dict[str, Password]: ...
    def append_link(self, link: Link) -> None: ...
    def links(self) -> dict[str, Link]: ...
    def append_session(self, session: Session) -> None: ...
    def mark_session(self, id: str, kind: str, *, at: datetime) -> None: ...
    def get_session(self, id: str) -> Held | None: ...
    def sessions(self, person: str) -> tuple[Held, ...]: ...
    def append_request(self, asked: Asked) -> None: ...
    def append_reply_to(self, asked: Asked, body: str, *, at: datetime) -> None: ...
    def latest_request(self, person: str, key: str) -> tuple[Asked, str | None] | None: ...
    def append_index(self, digest: str, *, at: datetime, passages: int) -> None: ...
    def append_audit(self, kind: str, *, actor: str, payload: Mapping[str, JsonValue], at: datetime) -> AuditRecord: ...
    def audit(self) -> tuple[AuditRecord, ...]: ...
    def redact(self, record: AuditRecord, *, by: str, at: datetime, reason: str) -> AuditRecord: ...
    def erase(self) -> None: ...
    def latest_audit(self) -> AuditRecord | None: ...
    def verify_chain(self) -> ChainState: ...

    def append_evaluations(self, kept: Sequence[KeptEvaluation]) -> int: ...
    def get_evaluation(self, id: str) -> KeptEvaluation | None: ...
    def evaluations(self, agent: str = "") -> Iterator[KeptEvaluation]: ...
    def newest_evaluations(self, agent: str, most: int) -> tuple[KeptEvaluation, ...]: ...
    def composites(self, agent: str = "") -> Iterator[Composite]: ...
    def append_rubric(self, rubric: KeptRubric) -> bool: ...
    def rubrics(self) -> tuple[KeptRubric, ...]: ...
    def append_trusted_key(self, key: TrustedKey) -> bool: ...
    def append_revocation(self, revocation: Revocation) -> bool: ...
    def trusted_keys(self) -> tuple[TrustedKey, ...]: ...
    def append_trust(self, subject: str, payload: Mapping[str, JsonValue], *, at: datetime) -> TrustRow: ...
    def trust_records(self, subject: str = "") -> Iterator[TrustRow]: ...
    def put_blob(self, data: bytes) -> str: ...
    def get_blob(self, sha256: str) -> bytes | None: ...


# -- what leaves ---------------------------------------------------------------------------------------------------------


class Pen(Protocol):
    """A key opened once, to sign many things. `secret` is derived from it for one purpose (HKDF): who has not the key cannot have it, and
    the key cannot be had from it."""

    fingerprint: str
    public_key: bytes

    def envelope(self, statement: bytes) -> bytes: ...
    def secret(self, purpose: str) -> str: ...


class Seal(Protocol):
    """The secret of the store's own seals. It is made when it is first asked for, and lies beside the ledger for its owner alone."""

    def text(self) -> str: ...


class Signer(Protocol):
    """The organisation's keys. They live outside the workspace; `sign` gives the members that a signature adds to a bundle, and
    `succession` what leads from earlier keys to the one in use, None where nothing does."""

    def public_key(self) -> bytes | None: ...
    def succession(self) -> bytes | None: ...

    def sign(self, statement: bytes) -> Mapping[str, bytes]: ...
    def pen(self) -> Pen | None: ...
    def create(self) -> KeyInfo: ...
    def rotate(self) -> KeyInfo: ...
    def known(self) -> tuple[KeyInfo, ...]: ...


class Waiting(Protocol):
    """Files on their way: `write` puts them on disk under other names, `place` renames them. Both raise OSError."""

    def write(self, files: Mapping[Path, bytes]) -> None: ...
    def place(self) -> None: ...


class Bundles(Protocol):
    """The container of a bundle, its signature, and the way files reach the disk: whole, and only once they are on record.

    `unpack` raises ValueError with the place where the container is not in its one form. `opened` gives the statement of a DSSE envelope,
    and raises ValueError where the key did not sign it. What `waiting` gives is removed again at its
    end, unless it was placed.
    """

    def pack(self, members: Mapping[str, bytes]) -> bytes: ...
    def unpack(self, data: bytes) -> dict[str, bytes]: ...
    def check(self, members: Mapping[str, bytes]) -> Signed: ...

    def fingerprint(self, public_key: bytes) -> str: ...
    def opened(self, envelope: bytes, public_key: bytes) -> bytes: ...
    def waiting(self) -> AbstractContextManager[Waiting]: ...


# -- the run -------------------------------------------------------------------------------------------------------------


class Clock(Protocol):
    def now(self) -> datetime: ...


class Watcher(Protocol):
    """Hears what happens in a run, as it happens: seats starting and ending, findings, decisions."""

    def __call__(self, kind: str, question: str, data: Mapping[str, JsonValue]) -> None: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at one question of a run. A question that a crash interrupted keeps its number, and so its key; `tries` counts how often
    it failed or ended its worker, this time included; `again` says that it was begun before, whatever came of it."""

    run: str
    question: Question
    number: int
    tries: int = 1
    again: bool = False

    @property
    def key(self) -> str:
        """What names the attempt in traces, tasks and journals."""
        return f"{self.run}:{self.question.ref}:{self.number}"


AnswerQuestion = Callable[[Attempt], Awaitable[None]]


class Purse(Protocol):
    """What a review may cost, in dollars. `take` holds what a call may cost and raises ProviderFailed(kind="money") where that is too much;
    `settle` turns it into what the call did cost."""

    async def take(self, most: Decimal) -> None: ...
    async def settle(self, most: Decimal, cost: Decimal) -> None: ...


class Engine(Protocol):
    """Runs `answer_question` for many questions, bounded. The durable engine journals; the inline one does not.

    `durable`: a run that was stopped or killed can be taken up again. `client` gives what an attempt's seats call in place of the office's
    model, `purse` what a review is paid from; `troubles` counts how often a shared database was away. A run is held from its first line in
    the books to its end; `hold` raises Refused where another process has it, `held` says whether a living one does (durable engines only).
    """

    name: str
    durable: bool

    @property
    def troubles(self) -> int: ...
    def client(self, model: ModelClient, attempt: Attempt) -> ModelClient: ...
    def purse(self, review: str, limit: Decimal, spent: Decimal) -> Purse: ...
    def hold(self, run: str) -> None: ...
    def let_go(self, run: str) -> None: ...
    def held(self, run: str) -> bool: ...
    async def run(self, run: str, attempts: Sequence[Attempt], work: AnswerQuestion, *, concurrency: int) -> None: ...


class SkillCaller(Protocol):
    """A seat's skills, called before its model call: the result, or None where the call failed or was not permitted."""

    async def call(self, name: str, query: str) -> Any | None: ...


__all__ = ["ControlReading", "Exact", "KeyInfo", "Signed", "SourceMode"]
__all__ += ["ENVELOPE", "MESSAGE", "PUBLIC_KEY", "SIGNATURE", "STATEMENT", "SUCCESSION"]
