"""Harm: what was recorded is changed, lost, doubled or half-written (invariants 7, 10 and 11)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from tests.storage.bench import AT, RUN, answer, approval, call, fill, snapshot
from tests.storage.conftest import Reopen
from trustops.domain.errors import Overtaken, UsageError
from trustops.storage.ledger import OrganisationLedger
from trustops.storage.tables import metadata

TABLES = sorted(metadata.tables)


def count(ledger: OrganisationLedger) -> dict[str, int]:
    return {name: ledger.all(text(f"SELECT count(*) FROM {name}"))[0][0] for name in TABLES}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE", "REPLACE"])
def test_no_row_of_any_table_is_changed_or_deleted(filled: OrganisationLedger, table: str, verb: str) -> None:
    before, rows = count(filled), filled.all(text(f"SELECT * FROM {table}"))
    assert rows, f"{table} has no row to change"
    shared = filled.engine.dialect.name == "postgresql"
    statement = {
        "UPDATE": f"UPDATE {table} SET org = 'another'",
        "DELETE": f"DELETE FROM {table}",
        "REPLACE": f"TRUNCATE {table}" if shared else f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    }[verb]
    refused = pytest.raises((DatabaseError, UsageError), match="role may not" if shared else "append-only")
    with refused, filled.writing(), filled._connection() as connection:
        connection.execute(text(statement))
    assert (count(filled), filled.all(text(f"SELECT * FROM {table}"))) == (before, rows)


def test_every_table_is_keyed_by_the_organisation_first(ledger: OrganisationLedger) -> None:
    for table in metadata.sorted_tables:
        assert next(iter(table.primary_key.columns)).name == "org", table.name
    shared = ledger.engine.dialect.name == "postgresql"
    query = (
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'" if shared else "SELECT name FROM sqlite_master WHERE type = 'table'"
    )
    names = {row[0] for row in ledger.all(text(query))}
    assert names - {"alembic_version"} == set(TABLES)


def test_a_transaction_that_raises_leaves_nothing(ledger: OrganisationLedger) -> None:
    before = count(ledger)

    def interrupted() -> None:
        with ledger.writing(durable=True):
            fill(ledger)
            assert count(ledger) != before
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        interrupted()
    assert count(ledger) == before
    fill(ledger)  # and the books are usable afterwards


def test_a_transaction_within_one_joins_it_and_falls_with_it(ledger: OrganisationLedger) -> None:
    before = count(ledger)

    def interrupted() -> None:
        with ledger.writing():
            with ledger.writing(durable=True):
                ledger.append_answer("R-1", answer())
            with ledger.writing():
                ledger.append_event(RUN.id, "decided")
            assert ledger.answers("R-1", "L-1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert count(ledger) == before


def test_a_failure_within_a_joined_transaction_takes_the_outer_one_with_it(ledger: OrganisationLedger) -> None:
    before = count(ledger)

    def twice() -> None:
        with ledger.writing():
            ledger.append_answer("R-1", answer())
            ledger.append_answer("R-1", answer(text="No."))

    with pytest.raises(Overtaken):
        twice()
    assert count(ledger) == before


def test_others_do_not_see_what_is_not_committed(ledger: OrganisationLedger) -> None:
    with ledger.writing():
        ledger.append_answer("R-1", answer())
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(ledger.answers, "R-1", "L-1").result(timeout=5) == ()
    assert len(ledger.answers("R-1", "L-1")) == 1


def test_events_are_numbered_without_gaps_whoever_writes(ledger: OrganisationLedger) -> None:
    writers, each = 4, 12
    start = threading.Barrier(writers)

    def lose() -> None:
        with ledger.writing():
            ledger.append_event(RUN.id, "lost")
            raise RuntimeError

    def write(name: int) -> None:
        start.wait(60)
        for at in range(each):
            if at % 4 == 3:
                with pytest.raises(RuntimeError):
                    lose()
            ledger.append_event(RUN.id, "seat_started", question=f"L-{name}")

    with ThreadPoolExecutor(writers) as pool:
        for done in [pool.submit(write, name) for name in range(writers)]:
            done.result(timeout=30)
    told = ledger.events(RUN.id)
    assert [event.seq for event in told] == list(range(1, writers * each + 1))
    assert {event.kind for event in told} == {"seat_started"}


def test_events_of_each_run_have_their_own_numbers_and_a_reader_resumes(ledger: OrganisationLedger) -> None:
    for _ in range(3):
        ledger.append_event("R-1.1", "decided")
    assert ledger.append_event("R-1.2", "decided").seq == 1
    assert [event.seq for event in ledger.events("R-1.1", after=1)] == [2, 3]
    assert [event.seq for event in ledger.events("R-1.1", limit=2)] == [1, 2]
    assert ledger.events("R-1.1", after=3) == ()


def test_two_editors_cannot_both_become_the_same_version(ledger: OrganisationLedger) -> None:
    ledger.append_answer("R-1", answer(2, "Yes."))
    with pytest.raises(Overtaken):
        ledger.append_answer("R-1", answer(2, "No."))
    assert [version.text for version in ledger.answers("R-1", "L-1")] == ["Yes."]


def test_a_snapshot_is_never_overwritten_and_the_newest_counts(ledger: OrganisationLedger) -> None:
    ledger.append_snapshot(snapshot(1, 9))
    with pytest.raises(Overtaken):
        ledger.append_snapshot(snapshot(1, 8))
    ledger.append_snapshot(snapshot(2, 7))
    assert ledger.latest_snapshots()["vaults"].values == {"locked": 7}


def test_a_run_ends_once(ledger: OrganisationLedger) -> None:
    ledger.append_run(RUN)
    ledger.end_run(RUN.id, "FAILED")
    with pytest.raises(Overtaken):
        ledger.end_run(RUN.id, "FINISHED")
    ended = ledger.get_run(RUN.id)
    assert ended is not None
    assert ended.state == "FAILED"


def test_a_repeated_step_does_not_double_its_calls(ledger: OrganisationLedger) -> None:
    ledger.append_calls("R-1", RUN.id, "L-1", [call(1), call(2)], [])
    with pytest.raises(Overtaken):
        ledger.append_calls("R-1", RUN.id, "L-1", [call(3), call(2)], [])
    models, _ = ledger.calls("R-1")[RUN.id, "L-1"]
    assert [made.id for made in models] == ["C-1", "C-2"]


def test_the_same_file_twice_is_kept_once(ledger: OrganisationLedger) -> None:
    first, again = ledger.put_blob(b"file"), ledger.put_blob(b"file")
    assert first == again
    assert count(ledger)["blobs"] == 1
    assert ledger.get_blob(first) == b"file"


def test_another_organisation_reads_nothing_even_in_the_same_file(ledger: OrganisationLedger) -> None:
    fill(ledger)
    other = OrganisationLedger(ledger.engine, "nightjar")
    assert other.get_review("R-1") is None
    assert other.reviews() == ()
    assert other.latest_review() is None
    assert other.get_run(RUN.id) is None
    assert (other.runs("R-1"), other.answers("R-1", "L-1"), other.events(RUN.id), other.exports("R-1")) == ((), (), (), ())
    assert (other.latest_answers("R-1"), other.latest_approvals("R-1"), other.latest_records("R-1"), other.calls("R-1")) == ({}, {}, {}, {})
    assert (other.latest_snapshots(), other.withdrawals()) == ({}, frozenset())
    assert other.get_blob(ledger.put_blob(b"the customer's file")) is None
    fill(other)  # the same names do not collide


def test_the_newest_decision_of_a_person_counts(ledger: OrganisationLedger) -> None:
    ledger.append_approval("R-1", approval())
    ledger.append_approval("R-1", approval().model_copy(update={"by": "Dee"}))
    assert ledger.latest_approvals("R-1")["L-1"].by == "Dee"
    assert count(ledger)["approvals"] == 2


def test_a_review_is_named_by_an_unambiguous_beginning_only(ledger: OrganisationLedger) -> None:
    fill(ledger)
    from tests.storage.bench import REVIEW

    ledger.append_review(REVIEW.model_copy(update={"id": "R-12"}))
    assert ledger.get_review("R-12") is not None
    for name in ("R-", "", "R", "%", "R_1", "X"):
        assert ledger.get_review(name) is None, name


def test_a_withdrawal_is_recorded_once(ledger: OrganisationLedger) -> None:
    ledger.append_withdrawal("A-1", by="Ana", at=AT, reason="untrue")
    with pytest.raises(Overtaken):
        ledger.append_withdrawal("A-1", by="Bo", at=AT, reason="again")


def test_what_is_written_is_there_after_the_program_ended(ledger: OrganisationLedger, reopen: Reopen) -> None:
    fill(ledger)
    before = count(ledger)
    ledger.close()
    again = reopen()
    assert count(again) == before
    again.close()


def test_a_view_of_all_is_of_one_moment(ledger: OrganisationLedger) -> None:
    """Harm: a page shows an answer of one state beside an approval of another."""
    ledger.append_answer("R-1", answer(1))
    with ledger.reading():
        assert len(ledger.answers("R-1", "L-1")) == 1
        with ThreadPoolExecutor(1) as pool:
            pool.submit(ledger.append_answer, "R-1", answer(2, "No.")).result(timeout=30)
        assert len(ledger.answers("R-1", "L-1")) == 1
    assert len(ledger.answers("R-1", "L-1")) == 2


def test_instants_are_in_their_order_whatever_the_language_of_the_database(ledger: OrganisationLedger) -> None:
    """Harm: the order of a language skips dots and signs, and the newest review is not the newest."""
    from datetime import timedelta

    from tests.storage.bench import REVIEW

    for name, later in (("R-whole", timedelta(0)), ("R-part", timedelta(microseconds=1)), ("R-minute", timedelta(minutes=1))):
        ledger.append_review(REVIEW.model_copy(update={"id": name, "created_at": AT + later}))
    assert [review.id for review in ledger.reviews()] == ["R-whole", "R-part", "R-minute"]


def test_words_that_are_redacted_are_gone_from_row_and_payload_and_the_chain_holds(ledger: OrganisationLedger) -> None:
    from trustops.domain.approval import Verdict

    fill(ledger)
    rejected = approval().model_copy(update={"verdict": Verdict.REJECTED, "reason": "the CANARY sings"})
    ledger.append_approval("R-1", rejected)
    ledger.append_withdrawal("A-77", by="Ana", at=AT, reason="another CANARY")
    told = [record for record in ledger.audit() if "CANARY" in str(record.payload)]
    assert len(told) == 2
    before = {table: number for table, number in count(ledger).items() if not table.startswith("audit")}
    for record in told:
        ledger.redact(record, by="Dee", at=AT, reason="a name")
    assert {table: number for table, number in count(ledger).items() if not table.startswith("audit")} == before
    assert not [table for table in TABLES if "CANARY" in str(ledger.all(text(f"SELECT * FROM {table}")))]
    assert ledger.latest_approvals("R-1")["L-1"].model_copy(update={"reason": rejected.reason}) == rejected
    state = ledger.verify_chain()
    assert (state.ok, state.redacted) == (True, 2), state.problem
    ledger.erase()
