"""What must hold before a review: settings, roster, catalogue, evidence, people, audit chain, model (`trustops doctor`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trustops import assembly, roster, settings
from trustops.assembly.models import client_for, default_profile
from trustops.assembly.places import books_of
from trustops.domain.errors import TrustOpsError, UsageError


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
    read = assembly.Reader().read_folder(workspace)
    return f"{len(read.documents)} documents, {len(read.passages)} passages, {len(read.notices)} notices (`trustops evidence check`)"


def _people_line(workspace: Path) -> str:
    people = settings.load(workspace).people
    approvers = [name for name, role in people.items() if role.value in ("approver", "admin")]
    if not approvers:
        raise UsageError("nobody may approve", where="trustops.toml", remedy="Enter an approver under [people].")
    return f"{len(people)} people, {len(approvers)} may approve"


def _audit_line(workspace: Path) -> str:
    chosen = settings.load(workspace)
    keys = assembly.signer_of(chosen).known()
    key = f"signing key {keys[0].fingerprint[:16]}" if keys and keys[0].current else "no signing key (`trustops keys init`)"
    path = chosen.state / f"{chosen.organisation.id}.db"
    if not chosen.database and not path.is_file():
        return f"nothing is on record yet; {key}"
    ledger = books_of(chosen)
    state = ledger.verify_chain()
    ledger.close()
    if not state.ok:
        raise UsageError(f"the audit chain is broken at {state.problem}", where=path.name, remedy="Restore the ledger from a backup.")
    gone = f", {state.redacted} of them redacted" if state.redacted else ""
    return f"{state.records} records in the audit chain{gone}, head {state.head[:16]}; {key}"


def _model_line(workspace: Path) -> str:
    chosen = settings.load(workspace)
    name, profile = default_profile(chosen)
    client_for(chosen, profile, assembly.names_of(chosen), name=name)
    if profile.provider == "extractive":
        return "no model is configured: drafts are made offline by rules, every run is TEST"
    return f"profile {name}: {profile.provider} {profile.model}"
