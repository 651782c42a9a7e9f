"""The only place that wires: settings become an office with its adapters. Adapters are imported here, when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from trustops import roster, settings
from trustops.domain.authenticity import EntryPoint
from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import TrustOpsError, UsageError
from trustops.domain.evidence import Ingested, PriorAnswer
from trustops.domain.question import CellValue, PartChanges, Questionnaire, RefusedCell
from trustops.facts.nouns import Names
from trustops.operations.gate_version import gate_version
from trustops.operations.office import Office, Rules
from trustops.ports import Bundles, Engine, ModelClient, Signer
from trustops.settings import Profile, Settings

if TYPE_CHECKING:
    from trustops.operations.recording import Recording
    from trustops.operations.replaying import Replayed
    from trustops.storage.ledger import OrganisationLedger


def office(workspace: Path, *, client: ModelClient | None = None, entry: EntryPoint = EntryPoint.PRODUCT, durable: bool = False) -> Office:
    """The office of a workspace. `client` replaces the configured model (tests, evaluation); `entry` says who starts runs; `durable`
    asks for the engine that journals, which the command line uses."""
    from trustops.collectors.catalogue import load_controls
    from trustops.retrieval.index import Index
    from trustops.storage.ledger import open_ledger

    chosen = settings.load(workspace)
    house = chosen.workspace
    if not (house / "evidence").is_dir():
        raise UsageError(
            "the evidence folder is missing", where=str(workspace / "evidence"), remedy="Put policies, reports and records into it."
        )
    _room(chosen.state)
    name, profile = default_profile(chosen)
    gate = chosen.gate
    rules = Rules(gate.second_person == "all", gate.require_authenticated_approval, gate.approval_days)
    catalogue = house / "controls.yaml"
    names = names_of(chosen)
    ledger = open_ledger(chosen.state / f"{chosen.organisation.id}.db", chosen.organisation.id)
    return Office(
        organisation=chosen.organisation.id,
        workspace=house,
        ledger=ledger,
        index=Index(chosen.state / f"{chosen.organisation.id}.index.db"),
        reader=Reader(),
        formats=Formats(memory=chosen.state / "mappings"),
        collector=Collector(house, chosen.collectors),
        controls=load_controls(catalogue) if catalogue.is_file() else (),
        client=client or client_for(chosen, profile, names),
        engine=engine_for(chosen.state, ledger, durable=durable),
        signer=signer_of(chosen),
        bundles=bundles(),
        roster=roster.load(house),
        names=names,
        people=chosen.people,
        rules=rules,
        gate_version=gate_version(rules),
        profile=name,
        style=chosen.style,
        as_of=chosen.run.as_of,
        concurrency=chosen.limits.concurrency,
        timeout_s=profile.timeout_s,
        max_tokens=profile.max_tokens,
        entry=entry,
    )


def starter_controls() -> tuple[Control, ...]:
    """The shipped controls, to choose from. None has a source."""
    from trustops.collectors import load_controls
    from trustops.operations.founding import STARTER

    return load_controls(STARTER)


def _room(state: Path) -> None:
    """The folder private to the program."""
    try:
        state.mkdir(exist_ok=True)
    except OSError as bad:
        raise UsageError(
            f"the workspace cannot be written ({bad.strerror})", where=str(state), remedy="Give this account the right to write there."
        ) from bad


def signer_of(chosen: Settings) -> Signer:
    """The organisation's keys, in the folder and with the passphrase that the environment names."""
    from trustops.signing.keys import KeyRing
    from trustops.signing.vault import Vault

    passphrase = chosen.environment.trustops_key_passphrase
    return KeyRing(chosen.keys, passphrase.get_secret_value() if passphrase else "", Vault(chosen.organisation.id))


def signer(workspace: Path) -> Signer:
    """The keys of a workspace's organisation, without opening its office."""
    return signer_of(settings.load(workspace))


def bundles() -> Bundles:
    """What checks a bundle: no workspace is needed."""
    from trustops.signing.bundle import CanonicalBundles

    return CanonicalBundles()


def engine_for(state: Path, ledger: OrganisationLedger, *, durable: bool) -> Engine:
    """What runs questions: the durable engine beside the ledger, or the one without a journal."""
    if durable:
        from trustops.engine.durable import DurableEngine
        from trustops.storage.journal import Replies

        return DurableEngine(state, ledger.org, Replies(ledger.engine, ledger.org))
    from trustops.engine.inline import InlineEngine

    return InlineEngine()


def names_of(chosen: Settings) -> Names:
    """The organisation's proper names. A legal form behind a comma is dropped for the short name."""
    organisation = chosen.organisation
    short = organisation.name.split(",", 1)[0].strip()
    own = tuple(dict.fromkeys([organisation.name, short, *organisation.aliases]))
    return Names(own, organisation.products, organisation.other_products, organisation.affiliates, organisation.subcontractors)


def default_profile(chosen: Settings) -> tuple[str, Profile]:
    """The configured profile, else a provider whose key is in the environment, else the offline one."""
    models = chosen.models
    if models.default:
        if models.default not in models.profiles:
            raise UsageError(
                f"there is no model profile {models.default!r}", where="trustops.toml", remedy=f"Known: {sorted(models.profiles)}."
            )
        return models.default, models.profiles[models.default]
    if chosen.environment.anthropic_api_key:
        return "anthropic", Profile(provider="anthropic", model="claude-sonnet-5-5")
    if chosen.environment.openai_api_key:
        return "openai", Profile(provider="openai", model="gpt-5.2")
    return "extractive", Profile(provider="extractive")


def client_for(chosen: Settings, profile: Profile, names: Names) -> ModelClient:
    """The client of the default profile, with other profiles for the seats that name one, behind the gateway."""
    from trustops.providers.gateway import Gateway
    from trustops.providers.seats import BySeat

    default = _one_client(chosen, profile, names)
    seats: dict[str, ModelClient] = {seat: _one_client(chosen, _profile(chosen, name), names) for seat, name in chosen.models.seats.items()}
    if not seats and profile.provider == "extractive":
        return default
    return Gateway(BySeat(default, seats) if seats else default, concurrency=2 * chosen.limits.concurrency)


def replay(recording: Recording) -> tuple[Replayed, ...]:
    """A recording played again with its own replies and evidence, in a folder that is gone afterwards. Nothing is sent anywhere."""
    from tempfile import TemporaryDirectory

    from trustops.operations.replaying import replay as played
    from trustops.providers.recorded import RecordedClient
    from trustops.retrieval.index import Index

    with TemporaryDirectory() as folder:
        index = Index(Path(folder) / "index.db")
        try:
            return played(recording, client=RecordedClient(recording.calls), index=index, roster=roster.load(Path(folder)))
        finally:
            index.close()


def provider_at(url: str, api: str = "messages") -> ModelClient:
    """A real SDK client on a server's address, for the fake provider server: messages (Anthropic), responses or chat (OpenAI)."""
    from trustops.providers.anthropic import AnthropicClient
    from trustops.providers.openai import OpenAIClient

    key = SecretStr("no-key-is-needed")
    if api == "messages":
        return AnthropicClient("scripted", api_key=key, base_url=url)
    return OpenAIClient("scripted", api_key=key, api="chat" if api == "chat" else "responses", base_url=f"{url}/v1")


def _profile(chosen: Settings, name: str) -> Profile:
    if name not in chosen.models.profiles:
        known = ", ".join(sorted(chosen.models.profiles)) or "none"
        raise UsageError(f"there is no model profile {name!r}", where="trustops.toml", remedy=f"Known profiles: {known}.")
    return chosen.models.profiles[name]


def _one_client(chosen: Settings, profile: Profile, names: Names) -> ModelClient:
    """A provider without its key is refused here, not at the first call; a server of one's own needs none."""
    if profile.provider == "extractive":
        from trustops.providers.extractive import ExtractiveClient

        return ExtractiveClient(names)
    environment = chosen.environment
    if not profile.model:
        raise UsageError("the model profile names no model", where="trustops.toml", remedy='Give it model = "...".')
    if profile.provider == "anthropic":
        from trustops.providers.anthropic import AnthropicClient

        url = profile.base_url or environment.anthropic_base_url
        key = _key(environment.anthropic_api_key, url, "ANTHROPIC_API_KEY")
        return AnthropicClient(profile.model, api_key=key, base_url=url, temperature=profile.temperature)
    from trustops.providers.openai import OpenAIClient

    url = profile.base_url or environment.openai_base_url
    key = _key(environment.openai_api_key, url, "OPENAI_API_KEY")
    return OpenAIClient(profile.model, api_key=key, api=profile.api, base_url=url, temperature=profile.temperature)


def _key(given: SecretStr | None, url: str, variable: str) -> SecretStr:
    if given is None and not url:
        raise UsageError(f"{variable} is not set", where="environment", remedy="Set it, or choose another profile under [models].")
    return given or SecretStr("none")


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `trustops doctor`."""

    name: str
    ok: bool
    detail: str


def diagnose(workspace: Path) -> Iterator[Check]:
    """What must hold before a review: settings, roster, catalogue, evidence, model. A failed part does not hide the later ones."""
    parts: tuple[tuple[str, Callable[[], str]], ...] = (
        ("settings", lambda: f"organisation {settings.load(workspace).organisation.name}"),
        ("roster", lambda: f"{len(roster.load(workspace).agents)} agents, {len(roster.load(workspace).skills)} skills"),
        ("controls", lambda: _controls_line(workspace)),
        ("evidence", lambda: _evidence_line(workspace)),
        ("people", lambda: _people_line(workspace)),
        ("audit", lambda: _audit_line(workspace)),
        ("model", lambda: _model_line(workspace)),
    )
    for name, look in parts:
        try:
            yield Check(name, True, look())
        except TrustOpsError as bad:
            yield Check(name, False, str(bad))


def _controls_line(workspace: Path) -> str:
    from trustops.collectors import load_controls
    from trustops.collectors.vetting import permitted

    for host in settings.load(workspace).collectors.hosts:
        permitted(host)
    path = workspace / "controls.yaml"
    controls = load_controls(path) if path.is_file() else ()
    return f"{len(controls)} controls, {sum(c.source is not None for c in controls)} with a source"


def _evidence_line(workspace: Path) -> str:
    read = Reader().read_folder(workspace)
    return f"{len(read.documents)} documents, {len(read.passages)} passages, {len(read.notices)} notices (`trustops evidence check`)"


def _people_line(workspace: Path) -> str:
    people = settings.load(workspace).people
    approvers = [name for name, role in people.items() if role.value in ("approver", "admin")]
    if not approvers:
        raise UsageError("nobody may approve", where="trustops.toml", remedy="Enter an approver under [people].")
    return f"{len(people)} people, {len(approvers)} may approve"


def _audit_line(workspace: Path) -> str:
    from trustops.storage.ledger import open_ledger

    chosen = settings.load(workspace)
    keys = signer_of(chosen).known()
    key = f"signing key {keys[0].fingerprint[:16]}" if keys and keys[0].current else "no signing key (`trustops keys init`)"
    path = chosen.state / f"{chosen.organisation.id}.db"
    if not path.is_file():
        return f"nothing is on record yet; {key}"
    ledger = open_ledger(path, chosen.organisation.id)
    state = ledger.verify_chain()
    ledger.close()
    if not state.ok:
        raise UsageError(f"the audit chain is broken at {state.problem}", where=path.name, remedy="Restore the ledger from a backup.")
    return f"{state.records} records in the audit chain, head {state.head[:16]}; {key}"


def _model_line(workspace: Path) -> str:
    chosen = settings.load(workspace)
    name, profile = default_profile(chosen)
    client_for(chosen, profile, names_of(chosen))
    if profile.provider == "extractive":
        return "no model is configured: drafts are made offline by rules, every run is TEST"
    return f"profile {name}: {profile.provider} {profile.model}"


class Reader:
    """Implements ports.EvidenceReader."""

    def read_folder(self, workspace: Path, progress: Callable[[str], None] | None = None) -> Ingested:
        from trustops.formats.evidence import read_folder

        return read_folder(workspace, progress)

    def read_answers(self, workspace: Path) -> tuple[PriorAnswer, ...]:
        from trustops.formats.evidence import read_answers

        return read_answers(workspace)


class Formats:
    """Implements ports.QuestionnaireFormat. `memory` is the folder of mappings that were stated before."""

    def __init__(self, memory: Path | None = None) -> None:
        self.memory = memory

    def read(self, path: Path, mapping: Path | None = None, *, guess: bool = False) -> Questionnaire:
        from trustops.formats.questionnaires import Mapping, read

        return read(path, Mapping.load(mapping) if mapping else None, memory=self.memory, guess=guess)

    def save_mapping(self, path: Path, target: Path) -> None:
        """Writes the mapping that was found, for a person to correct."""
        from trustops.formats.questionnaires import propose

        target.write_text(propose(path).dump(), encoding="utf-8")

    def refusals(self, original: Path, values: Sequence[CellValue]) -> tuple[RefusedCell, ...]:
        from trustops.formats.questionnaires import refusals

        return refusals(original, values)

    def write(self, original: Path, target: Path, values: Sequence[CellValue]) -> PartChanges:
        from trustops.formats.questionnaires import write

        return write(original, target, values)


class Collector:
    """Implements ports.ControlCollector for one workspace."""

    def __init__(self, workspace: Path, permitted: settings.Collectors | None = None) -> None:
        self.workspace, self.permitted = workspace, permitted or settings.Collectors()

    def collect(self, control: Control, *, version: int, at: datetime) -> Snapshot | None:
        from trustops.collectors import Permits, WorkspaceCollectors

        permits = Permits(self.permitted.hosts, self.permitted.command, settings.variables())
        return WorkspaceCollectors(self.workspace, permits).collect(control, version=version, at=at)
