"""Harm: books of one question say otherwise than the whole ones, or what is kept in memory outlives what it was read from."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.conftest import House, snapshot
from tests.storage.bench import answer
from trustops.checks.consistency import clashes
from trustops.domain.claim import Claim
from trustops.facts.nouns import Names
from trustops.operations.approving import approve
from trustops.operations.books import open_books
from trustops.operations.collecting import collect_snapshots
from trustops.operations.indexing import index_evidence
from trustops.operations.shelving import shelf
from trustops.operations.standing import standing

REFS = ("K-1", "K-2", "K-3", "K-4")


@pytest.mark.parametrize("story", ["as reviewed", "approved", "drifted", "rewritten"])
def test_a_question_stands_where_it_stands_however_the_books_are_opened(house: House, story: str) -> None:
    office = house.office
    if story != "as reviewed":
        approve(office, house.review, "K-1", 1, by="Ana")
        approve(office, house.review, "K-2", 1, by="Ana")
    if story == "drifted":
        snapshot(house.folder, 300, 311)
        collect_snapshots(office, office.clock.now())
    if story == "rewritten":
        (house.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
        index_evidence(office)
    whole = open_books(office, house.review)
    told = {ref: standing(office, whole, ref) for ref in REFS}
    assert {ref: standing(office, open_books(office, house.review, only=frozenset([ref])), ref) for ref in REFS} == told
    some = open_books(office, house.review, only=frozenset(REFS[:2]))
    assert {ref: standing(office, some, ref) for ref in REFS[:2]} == {ref: told[ref] for ref in REFS[:2]}


def test_the_clashes_of_some_questions_are_those_of_all_that_name_them() -> None:
    said = ("are kept for 90 days", "are not kept for 90 days", "are kept for 90 days", "are not kept for 90 days")
    answers = [
        answer().model_copy(update={"question": f"L-{n}", "claims": (Claim(text=f"Gallery alarm logs {words}."),), "digest": str(n)})
        for n, words in enumerate(said)
    ]
    every = clashes(answers, Names())
    assert len(every) >= 3
    refs = [a.question for a in answers]
    for only in [frozenset(some) for count in (1, 2, 3, 4) for some in combinations(refs, count)]:
        found = clashes(answers, Names(), only)
        assert sorted(map(repr, found)) == sorted(repr(clash) for clash in every if only & {clash.left, clash.right})
        assert len(set(map(repr, found))) == len(found)


def test_what_may_not_be_disclosed_follows_the_evidence(house: House) -> None:
    office = house.office
    before = shelf(office, office.clock.now(), {}).secret
    assert shelf(office, office.clock.now(), {}).secret is before
    path = house.folder / "evidence" / "secret.md"
    front = "---\nkind: record\neffective: 2026-01-01\nclassification: internal\n---\n"
    path.write_text(f"{front}# Hosts\n\nThe vault is vault-7.kestrel.internal.\n", encoding="utf-8")
    index_evidence(office)
    assert "vault-7.kestrel.internal" in shelf(office, office.clock.now(), {}).secret.identifiers
    path.unlink()
    index_evidence(office)
    assert "vault-7.kestrel.internal" not in shelf(office, office.clock.now(), {}).secret.identifiers


def test_passages_are_those_of_the_index_as_it_is(house: House) -> None:
    index = house.office.index
    before = index.passages()
    assert index.passages() is before
    index.rebuild(before[:1], ())
    assert index.passages() == before[:1]
    index.rebuild(before, ())
    assert index.passages() == before


def test_origins_are_those_of_the_calls(house: House) -> None:
    calls = house.office.ledger.calls(house.review.id)
    told = {key: tuple(call.origin for call in models) for key, (models, _) in calls.items()}
    assert house.office.ledger.origins(house.review.id) == told
    assert len(told) == len(REFS)


def test_every_snapshot_of_a_control_is_there_in_its_order(house: House) -> None:
    for encrypted in (300, 305):
        snapshot(house.folder, encrypted, 311)
        collect_snapshots(house.office, house.office.clock.now())
    told = house.office.ledger.snapshots()
    assert [s.values["encrypted"] for s in told["disk-encryption"]] == [311, 300, 305]
    assert told["disk-encryption"][-1] == house.office.ledger.latest_snapshots()["disk-encryption"]
