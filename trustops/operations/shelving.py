"""Shelving: what all questions of a run share, and the digest of the facts it stands for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from trustops.checks.disclosure import Confidential, confidential
from trustops.domain.chain import digest
from trustops.domain.control import Snapshot
from trustops.operations.office import Office
from trustops.workflow.desk import Shelf


def shelf(office: Office, at: datetime, snapshots: Mapping[str, Snapshot], secret: Confidential | None = None) -> Shelf:
    """Index, controls, readings and names at one instant. `secret` is what may not be disclosed, read from the index if not given."""
    return Shelf(
        index=office.index,
        controls=office.controls,
        snapshots=snapshots,
        names=office.names,
        roster=office.roster,
        secret=secret or _secret(office),
        withdrawn=office.ledger.withdrawals(),
        at=at,
        gate_version=office.gate_version,
        style=dict(office.style),
    )


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What may not be disclosed, by organisation and content of the index: reading it out of every passage takes longer than a page may."""

    known: OrderedDict[tuple[str, str], Confidential] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)


SECRETS, KEPT = _Secrets(), 4


def _secret(office: Office) -> Confidential:
    key = (office.organisation, office.index.digest())
    with SECRETS.lock:
        if key in SECRETS.known:
            return SECRETS.known[key]
    made = confidential(office.index.passages(), office.index.prior_answers())
    if office.index.digest() != key[1]:  # rebuilt meanwhile: this is of neither content for certain
        return made
    with SECRETS.lock:
        SECRETS.known[key] = made
        while len(SECRETS.known) > KEPT:
            SECRETS.known.popitem(last=False)
    return made


def basis(office: Office, snapshots: Mapping[str, Snapshot], at: datetime) -> str:
    """Digest of all that searches, compare and verify read: where it is equal, they find the same. Freshness counts by the day here;
    the gate looks at the age of bound readings each time."""
    facts = {
        "index": office.index.digest(),
        "snapshots": {name: snapshot.sha256 for name, snapshot in snapshots.items()},
        "controls": [control.model_dump(mode="json") for control in office.controls],
        "withdrawn": sorted(office.ledger.withdrawals()),
        "names": {key: list(value) for key, value in asdict(office.names).items()},
        "day": at.date().isoformat(),
        "gate": office.gate_version,
    }
    return digest(facts)
