"""The only place that wires: settings become an office with its adapters. Adapters are imported here, when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trustops import roster, settings
from trustops.assembly.models import allowance, client_for, default_profile, named_client, seat_allowances
from trustops.assembly.models import provider_at as provider_at
from trustops.assembly.places import books_of, edition_of, engine_for, index_of
from trustops.assembly.places import migrate_storage as migrate_storage
from trustops.domain.authenticity import EntryPoint
from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import UsageError
from trustops.domain.evidence import Ingested, PriorAnswer
from trustops.domain.question import CellValue, PartChanges, Questionnaire, RefusedCell
from trustops.facts.nouns import Names
from trustops.operations.gate_version import gate_version
from trustops.operations.office import Office, Rules, SingleSignOn, Stay, TrustRules
from trustops.operations.tracing import trace as trace
from trustops.ports import Bundles, ModelClient, Seal, Signer
from trustops.settings import Settings

if TYPE_CHECKING:
    from trustops.domain.measurement import Measurement
    from trustops.domain.record import RunInfo
    from trustops.domain.span import Recorded, Span
    from trustops.engine.working import Finish, Worker
    from trustops.operations.recording import Recording
    from trustops.operations.replaying import Replayed


def office(
    workspace: Path,
    *,
    client: ModelClient | None = None,
    entry: EntryPoint = EntryPoint.PRODUCT,
    durable: bool = False,
    called: str = "",
) -> Office:
    """The office of a workspace. `client` replaces the configured model (tests, evaluation); `entry` says who starts runs; `durable`
    asks for the engine that journals, which the command line uses; `called` is this process's name among workers."""
    chosen = settings.load(workspace)
    house = _house(chosen)
    name, profile = default_profile(chosen)
    names = names_of(chosen)
    served = client or client_for(chosen, profile, names, name=name)  # first: without a model that can be asked, no books are opened
    _room(chosen.state)
    rules = Rules(chosen.gate.second_person == "all", chosen.gate.require_authenticated_approval, chosen.gate.approval_days)
    ledger, known, gate = books_of(chosen), roster.load(house), gate_version(rules)
    return Office(
        organisation=chosen.organisation.id,
        workspace=house,
        ledger=ledger,
        index=index_of(chosen, ledger),
        reader=Reader(),
        formats=Formats(memory=chosen.state / "mappings"),
        collector=Collector(house, chosen.collectors),
        controls=controls_of(house),
        client=served,
        engine=engine_for(chosen, ledger, edition_of(chosen, name, profile, known, gate), durable=durable, called=called),
        signer=signer_of(chosen),
        seal=seal_of(chosen),
        bundles=bundles(),
        roster=known,
        names=names,
        people=chosen.people,
        rules=rules,
        gate_version=gate,
        profile=name,
        style=chosen.style,
        spans=spans_of(chosen),
        as_of=chosen.run.as_of,
        concurrency=chosen.limits.concurrency,
        allowance=allowance(chosen, profile),
        allowances=seat_allowances(chosen),
        entry=entry,
        usd_per_review=chosen.limits.usd_per_review,
        single_sign_on=single_sign_on(chosen),
        stay=Stay(timedelta(minutes=chosen.sign_in.idle_minutes), timedelta(hours=chosen.sign_in.hours)),
        trust=TrustRules(chosen.trust.partial_floor, chosen.trust.a, chosen.trust.above_c, chosen.trust.c),
    )


def offline(workspace: Path, *, client: ModelClient | None = None, entry: EntryPoint = EntryPoint.EVALUATION) -> Office:
    """The office with the offline provider, whatever profile or key there is: an evaluation asks no model by accident."""
    chosen = settings.load(workspace)
    served = client or client_for(chosen, settings.Profile(provider="extractive"), names_of(chosen), name="extractive")
    return replace(office(workspace, client=served, entry=entry), profile="extractive" if client is None else "given")


def model_of(workspace: Path) -> tuple[str, ModelClient]:
    """The model that a workspace is configured with, and the name of its profile."""
    chosen = settings.load(workspace)
    name, profile = default_profile(chosen)
    return name, client_for(chosen, profile, names_of(chosen), name=name)


def client_of(workspace: Path) -> ModelClient:
    """The same without its name; a function that other processes can be given."""
    return model_of(workspace)[1]


def profile_client(workspace: Path, name: str) -> ModelClient:
    """A profile's model, to judge or to play a customer in an evaluation."""
    chosen = settings.load(workspace)
    return named_client(chosen, name, names_of(chosen))


def acting(workspace: Path, token: str = "") -> Office:
    """The office for what is done in a person's name. A token, given or in TRUSTOPS_TOKEN, says who that is; one that opens nothing is
    refused, never passed over. Hosts of several people sign each request in by itself."""
    from trustops.operations.signing_in import credential_of

    opened, kept = office(workspace), settings.load(workspace).environment.trustops_token
    shown = token or (kept.get_secret_value() if kept else "")
    if not shown:
        return opened
    held = credential_of(opened, shown)
    return replace(opened, signed_in=held.person, scopes=frozenset(held.scopes))


def controls_of(house: Path) -> tuple[Control, ...]:
    """The control catalogue of a workspace, empty where it has none."""
    from trustops.collectors.catalogue import load_controls

    catalogue = house / "controls.yaml"
    return load_controls(catalogue) if catalogue.is_file() else ()


def starter_controls() -> tuple[Control, ...]:
    """The shipped controls, to choose from. None has a source."""
    from trustops.collectors import load_controls
    from trustops.operations.founding import STARTER

    return load_controls(STARTER)


def _house(chosen: Settings) -> Path:
    """The workspace, where it has evidence."""
    folder = chosen.workspace / "evidence"
    if not folder.is_dir():
        raise UsageError("the evidence folder is missing", where=str(folder), remedy="Put policies, reports and records into it.")
    return chosen.workspace


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


def seal_of(chosen: Settings) -> Seal:
    """The secret of the seals of evaluations, beside the ledger."""
    from trustops.signing.seal import SealFile

    return SealFile(chosen.state / "score.secret")


def signer(workspace: Path) -> Signer:
    """The keys of a workspace's organisation, without opening its office."""
    return signer_of(settings.load(workspace))


def bundles() -> Bundles:
    """What checks a bundle: no workspace is needed."""
    from trustops.signing.bundle import CanonicalBundles

    return CanonicalBundles()


def worker(workspaces: Sequence[Path], *, concurrency: int, name: str, finish: Finish) -> Worker:
    """A worker for these workspaces, which share one database. `name` is what others see."""
    from trustops.engine.working import Worker
    from trustops.storage.migrating import HEAD

    chosen = [settings.load(each) for each in workspaces]
    if len({(each.database, each.storage.lease_s) for each in chosen}) > 1:
        raise UsageError("the workspaces name different databases or leases", where="[storage]", remedy="Start a worker for each.")
    return Worker([office(each, durable=True, called=name) for each in workspaces], concurrency=concurrency, newest=HEAD, finish=finish)


def single_sign_on(chosen: Settings) -> SingleSignOn | None:
    """The identity provider of the settings. Its secret stands in the variable that they name, and nowhere in a file."""
    told = chosen.sign_in.oidc
    if told is None:
        return None
    secret = settings.variables().get(told.client_secret_env, "")
    return SingleSignOn(told.issuer, told.client_id, told.claim, secret)


def names_of(chosen: Settings) -> Names:
    """The organisation's proper names. A legal form behind a comma is dropped for the short name."""
    organisation = chosen.organisation
    short = organisation.name.split(",", 1)[0].strip()
    own = tuple(dict.fromkeys([organisation.name, short, *organisation.aliases]))
    return Names(own, organisation.products, organisation.other_products, organisation.affiliates, organisation.subcontractors)


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


def spans_of(chosen: Settings) -> Callable[[Recorded], tuple[Span, ...]]:
    """What makes spans of a record, with the older names where the settings ask for them."""
    from trustops.telemetry.spans import spans

    return partial(spans, legacy=chosen.telemetry.legacy)


def metrics(office: Office, spans: Sequence[Span]) -> tuple[Measurement, ...]:
    """The numbers of a run, read off its spans."""
    from trustops.telemetry.metrics import measurements

    return measurements(spans, legacy=settings.load(office.workspace).telemetry.legacy)


def send_trace(office: Office, run: RunInfo, *, asked: bool = False) -> str:
    """Sends a run's spans and metrics to the configured collector; what became of it, in words, and nothing where none is configured.
    Raises UsageError where a person asked for it and there is none."""
    endpoint = settings.load(office.workspace).telemetry.endpoint
    if not endpoint:
        if asked:
            raise UsageError("no collector is configured", where="trustops.toml", remedy="Set endpoint under [telemetry].")
        return ""
    from trustops.telemetry.otlp import metrics_endpoint, send, send_metrics

    made = trace(office, run)
    taken = {f"{len(made)} spans": (endpoint, send(made, endpoint))}
    if numbers_to := metrics_endpoint(endpoint):
        numbers = metrics(office, made)
        taken[f"{len(numbers)} measurements"] = (numbers_to, send_metrics(numbers, numbers_to, start=made[0].start, end=made[0].end))
    return "; ".join(
        f"{what} were sent to {to}" if ok else f"the collector at {to} did not take {what}" for what, (to, ok) in taken.items()
    )


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
