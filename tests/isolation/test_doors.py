"""Harm: through some door of the running product an organisation reads, finds, streams or exports another one's words (invariant 10)."""

from __future__ import annotations

import inspect
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.isolation.organisations import Organisation, canary
from tests.isolation.storage_doors import shown
from trustops.console.feed import next_page
from trustops.engine.journal import JournaledClient
from trustops.engine.leases import Leases
from trustops.operations.bundling import bundle
from trustops.operations.reporting import report
from trustops.retrieval.index import Index
from trustops.signing.container import unpack
from trustops.signing.keys import KeyRing

Organisations = dict[str, Organisation]

SCOPES: dict[type[Any], dict[str, str]] = {
    Index: dict.fromkeys(
        ("rebuild", "search", "search_prior", "passage", "get_passage", "passages", "prior_answers", "digest", "close"),
        "one file, opened for one organisation",
    ),
    KeyRing: dict.fromkeys(
        ("create", "rotate", "known", "public_key", "succession", "sign", "pen"), "one folder, named by the organisation"
    ),
    Leases: dict.fromkeys(("take", "give_back", "held"), "one folder, in the organisation's workspace"),
    JournaledClient: {"complete": "a journal that was opened for one organisation", "origin": "says what serves; reads nothing"},
}
"""What binds each public method to one organisation; none of them takes an organisation."""


@pytest.mark.parametrize("kind", SCOPES, ids=lambda kind: kind.__name__)
def test_every_method_has_a_declared_scope_and_none_takes_an_organisation(kind: type[Any]) -> None:
    methods = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
    assert methods.keys() - SCOPES[kind].keys() == set(), "say what binds it to one organisation"
    taking = [
        name for name, value in methods.items() if callable(value) and {"org", "organisation"} & set(inspect.signature(value).parameters)
    ]
    assert taking == []


QUIET = (
    "VERIFY.md",
    "public-key.pem",
    "signature.bin",
    "statement.json",
    "manifest.json",
    "signed.bin",
    "envelope.dsse.json",
    "gap-register",
)
"""Parts of an export that hold digests or nothing of the organisation's words: no other canary may be in them, and the own one need not."""


def told(org: Organisation) -> dict[str, bytes]:
    """What an organisation gets through every door of its own that gives words or bytes."""
    office, ledger, index = org.office, org.office.ledger, org.office.index
    said: dict[str, object] = {
        "report": report(office, org.common),
        "report of the own review": report(office, org.own),
        "events": ledger.events(org.run, limit=10_000),
        "feed": next_page(ledger, org.own_run, 0),
        "audit": ledger.audit(),
        "passages": index.passages(),
        "search": index.search("How long are audit logs kept, and by whom?"),
        "search for a canary": index.search(f"{org.canary} vault"),
        "earlier answers": index.prior_answers(),
        "search in earlier answers": index.search_prior("Is the cellar dry?"),
        "snapshots": ledger.latest_snapshots(),
        "exports": ledger.exports(org.common.id),
        "approvals": ledger.latest_approvals(org.common.id),
        "versions": ledger.answers(org.common.id, "K-2"),
    }
    gone = {name: shown(value).encode() for name, value in said.items()}
    for made in org.exports:
        gone |= {f"file {path.name}": path.read_bytes() for path in made.file.parent.iterdir()}
        gone |= {f"{made.bundle.name}: {name}": data for name, data in unpack(made.bundle.read_bytes()).items()}
    return gone


def others(org: Organisation) -> list[bytes]:
    return [canary(name).encode() for name in ("alder", "birch", "cedar") if name != org.name]


def test_every_door_shows_the_own_canary_and_no_other(organisations: Organisations) -> None:
    for org in organisations.values():
        doors = told(org)
        assert [door for door, said in doors.items() if any(other in said for other in others(org))] == []
        assert [door for door, said in doors.items() if org.canary.encode() not in said and not any(part in door for part in QUIET)] == []


def test_what_lies_on_disk_holds_the_own_canary_and_no_other(organisations: Organisations) -> None:
    for org in organisations.values():
        files = [p for root in (org.folder, org.folder.parent / "out" / org.name) for p in root.rglob("*") if p.is_file()]
        assert [p for p in files if any(other in p.read_bytes() or other.decode() in p.name for other in others(org))] == []
        state = [p for p in files if ".trustops" in p.parts and not p.name.endswith("-shm")]
        assert any(org.canary.encode() in p.read_bytes() for p in state)


def test_the_same_story_has_the_same_names_and_other_bytes(organisations: Organisations) -> None:
    """Else the comparison above would prove nothing: the organisations could not be confused."""
    found = list(organisations.values())
    assert len({org.common.id for org in found}) == 1
    assert len({org.own.id for org in found}) == 3
    names = [{path.name for path in (org.folder / "evidence").iterdir()} - {f"{org.canary}.md"} for org in found]
    assert names[0] == names[1] == names[2] == {"endpoint.md", "logging.md"}


def test_keys_are_each_ones_own(organisations: Organisations) -> None:
    public = {org.office.signer.public_key() for org in organisations.values()}
    assert len(public) == 3
    assert all(len(org.office.signer.known()) == 1 for org in organisations.values())
    alder, birch = organisations["alder"], organisations["birch"]
    statement = b'{"of": "birch"}'
    assert alder.office.signer.sign(statement)["signature.bin"] != birch.office.signer.sign(statement)["signature.bin"]
    members = {**alder.office.signer.sign(statement), "statement.json": statement}
    assert alder.office.bundles.check(members).ok
    assert not birch.office.bundles.check({**members, "public-key.pem": birch.office.signer.public_key() or b""}).ok


def test_a_blob_is_not_there_for_another_even_by_its_digest(organisations: Organisations) -> None:
    for org in organisations.values():
        name = org.office.ledger.exports(org.common.id)[0].sha256
        assert org.office.ledger.get_blob(name) is not None
        for other in organisations.values():
            if other is not org:
                assert other.office.ledger.get_blob(name) is None
                assert other.office.ledger.get_blob(org.own.questionnaire.sha256) is None


REFUSED: dict[str, Callable[[Organisation, str], object]] = {
    "get_review": lambda org, name: org.office.ledger.get_review(name),
    "get_run": lambda org, name: org.office.ledger.get_run(name),
    "runs": lambda org, name: org.office.ledger.runs(name),
    "events": lambda org, name: org.office.ledger.events(name),
    "exports": lambda org, name: org.office.ledger.exports(name),
    "answers": lambda org, name: org.office.ledger.answers(name, org.own.questionnaire.questions[0].ref),
    "records": lambda org, name: org.office.ledger.latest_records(name),
    "calls": lambda org, name: org.office.ledger.calls(name),
    "blob": lambda org, name: org.office.ledger.get_blob(name),
}


@pytest.mark.parametrize("door", REFUSED)
def test_a_foreign_id_is_answered_as_an_unknown_one(organisations: Organisations, door: str) -> None:
    look = REFUSED[door]
    for org in organisations.values():
        unknown = look(org, "R-000000000000")
        for other in organisations.values():
            if other is not org:
                for foreign in (other.own.id, other.own_run):
                    assert look(org, foreign) == unknown
        if door not in ("blob", "exports"):
            assert look(org, org.own_run if door in ("get_run", "events") else org.own.id) != unknown


def test_a_lease_of_the_same_run_is_free_for_another(organisations: Organisations) -> None:
    held = [Leases(org.folder / ".trustops" / "leases") for org in organisations.values()]
    try:
        for leases, org in zip(held, organisations.values(), strict=True):
            assert not leases.held(org.run)
            leases.take(org.run)
    finally:
        for leases, org in zip(held, organisations.values(), strict=True):
            leases.give_back(org.run)


def test_a_receipt_names_the_own_customers_alone(organisations: Organisations) -> None:
    for org in organisations.values():
        told_to = {json.loads(made.receipt.read_bytes())["to"] for made in org.exports}
        assert told_to == {"Customer", f"Customer of {org.canary}"}


def test_the_index_file_of_each_holds_its_own_words_alone(organisations: Organisations) -> None:
    for org in organisations.values():
        path: Path = org.folder / ".trustops" / f"{org.name}.index.db"
        with closing(sqlite3.connect(path)) as index:
            dump = "\n".join(str(row) for table in ("document", "passage", "prior") for row in index.execute(f"SELECT * FROM {table}"))
        assert org.canary in dump
        assert not [other for other in others(org) if other.decode() in dump]


def test_a_bundle_made_again_by_another_is_refused(organisations: Organisations) -> None:
    """The record of an export is bound to the chain of the organisation that made it."""
    alder, birch = organisations["alder"], organisations["birch"]
    record = alder.office.ledger.exports(alder.common.id)[0]
    with pytest.raises(Exception, match="not in the audit chain"):
        bundle(birch.office, record, alder.exports[0].file.read_bytes(), {})
