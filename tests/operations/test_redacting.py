"""Harm: words that should never have been written stay in the books, the file's bytes or what leaves; or what must stay is taken out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from tests.conftest import House
from trustops.domain.errors import NotAllowed, Refused, TrustOpsError, Unavailable, UnknownName
from trustops.operations.approving import approve, reject
from trustops.operations.bundling import told
from trustops.operations.exporting import export
from trustops.operations.library import withdraw
from trustops.operations.office import Rules
from trustops.operations.recalling import recalls
from trustops.operations.redacting import redact
from trustops.operations.reporting import report
from trustops.signing.container import unpack

CANARY = "KanarienvogelMustermann"
Count = Callable[[], dict[str, int]]


@pytest.fixture
def spoken(house: House) -> House:
    """A name stands in a rejection and in a withdrawal; one answer is approved all the same."""
    (house.folder / "answers").mkdir(exist_ok=True)
    (house.folder / "answers" / "2026.csv").write_text("Question,Answer\nDo cats bark?,No cat barks.\n", encoding="utf-8")
    for number in range(40):  # so many that pages are split, and copies of rows stay behind in freed places
        reject(house.office, house.review, "K-1", by="Ana", reason=f"ask {CANARY} about it, {number} " + "and say where it stands " * 20)
    withdraw(house.office, house.office.reader.read_answers(house.folder)[0].id, by="Ana", reason=f"{CANARY} wrote it")
    approve(house.office, house.review, "K-2", 1, by="Ana")
    return house


def state(house: House) -> dict[str, bytes]:
    """All bytes of the program's own folder: the ledger, its log, the index."""
    return {path.name: path.read_bytes() for path in (house.folder / ".trustops").rglob("*") if path.is_file()}


def holding(files: dict[str, bytes]) -> list[str]:
    return sorted(name for name, data in files.items() if CANARY.encode() in data)


def sent(house: House, out: Path) -> dict[str, bytes]:
    """Everything that an export writes, and what is packed in its bundle."""
    made = export(house.office, house.review, out, to="Customer")
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return files | unpack(made.bundle.read_bytes())


def spoken_records(house: House) -> list[int]:
    return [record.seq for record in house.office.ledger.audit() if CANARY in str(record.payload)]


def test_redacted_words_are_gone_from_every_byte(spoken: House, tmp_path: Path) -> None:
    assert holding(state(spoken)), "the test looks at nothing: the words were never there"
    found = spoken_records(spoken)
    assert len(found) == 41
    for seq in found:
        done = redact(spoken.office, seq, by="Dee", reason="a name that no one agreed to")
        assert (done.record.seq, done.by.kind, done.again) == (seq, "redacted", False)
    assert holding(state(spoken)) == []
    assert spoken_records(spoken) == []
    assert spoken.office.ledger.latest_approvals(spoken.review.id)["K-1"].reason == "[redacted]"
    files = sent(spoken, tmp_path / "out")
    assert holding(files) == []
    assert CANARY not in str(report(spoken.office, spoken.review)) + str(recalls(spoken.office))


def test_the_chain_holds_and_says_who_took_what_out_and_why(spoken: House) -> None:
    before = spoken.office.ledger.audit()
    seq = spoken_records(spoken)[0]
    redact(spoken.office, seq, by="Dee", reason="a name that no one agreed to")
    after, state = spoken.office.ledger.audit(), spoken.office.ledger.verify_chain()
    assert (state.ok, state.redacted, state.records) == (True, 1, len(before) + 1)
    kept = [record.model_copy(update={"payload": None}) for record in before]
    assert [record.model_copy(update={"payload": None}) for record in after[:-1]] == kept
    last = after[-1]
    assert (last.kind, last.actor, told(last, "record"), told(last, "reason")) == (
        "redacted",
        "Dee",
        str(seq),
        "a name that no one agreed to",
    )
    assert told(last, "payload_sha256") == before[seq - 1].payload_sha256


def test_redacting_again_changes_nothing_on_record(spoken: House, books: Count) -> None:
    seq = spoken_records(spoken)[0]
    redact(spoken.office, seq, by="Dee", reason="a name")
    before = books()
    assert redact(spoken.office, seq, by="Dee", reason="a name").again
    assert books() == before


@pytest.mark.parametrize("kind", ["approved", "edited", "exported", "redacted"])
def test_what_approvals_and_exports_stand_on_is_not_redacted(spoken: House, tmp_path: Path, books: Count, kind: str) -> None:
    import asyncio

    from trustops.operations.editing import edit_answer

    asyncio.run(edit_answer(spoken.office, spoken.review, "K-3", by="Bo", text="The data of one customer is separated from another's."))
    sent(spoken, tmp_path / "out")
    redact(spoken.office, spoken_records(spoken)[0], by="Dee", reason="a name")
    seq = next(record.seq for record in spoken.office.ledger.audit() if record.kind == kind)
    before, chain = books(), spoken.office.ledger.audit()
    with pytest.raises(Refused, match=f"{kind!r} is not redacted: "):
        redact(spoken.office, seq, by="Dee", reason="I would like to")
    assert (books(), spoken.office.ledger.audit()) == (before, chain)


@pytest.mark.parametrize("by", ["Ana", "Bo", "Cy", "Nobody"])
def test_nobody_but_an_admin_redacts(spoken: House, books: Count, by: str) -> None:
    before = books(), state(spoken)
    with pytest.raises(NotAllowed, match="no admin"):
        redact(spoken.office, spoken_records(spoken)[0], by=by, reason="a name")
    assert (books(), holding(state(spoken))) == (before[0], holding(before[1]))


def test_an_asserted_admin_is_not_enough_where_people_must_be_authenticated(spoken: House, books: Count) -> None:
    strict, before = spoken.with_office(rules=Rules(authenticated_only=True)), books()
    with pytest.raises(NotAllowed, match="authenticated"):
        redact(strict.office, spoken_records(spoken)[0], by="Dee", reason="a name")
    assert books() == before
    assert redact(strict.with_office(signed_in="Dee").office, spoken_records(spoken)[0], by="Dee", reason="a name").by.kind == "redacted"


def test_without_a_reason_or_a_record_nothing_is_redacted(spoken: House, books: Count) -> None:
    before = books()
    with pytest.raises(Refused, match="needs a reason"):
        redact(spoken.office, spoken_records(spoken)[0], by="Dee", reason="  ")
    with pytest.raises(UnknownName, match="no record 999"):
        redact(spoken.office, 999, by="Dee", reason="a name")
    assert books() == before


def test_the_books_are_append_only_again_afterwards(spoken: House) -> None:
    redact(spoken.office, spoken_records(spoken)[0], by="Dee", reason="a name")
    ledger = spoken.office.ledger
    for change in ("DELETE FROM audit_payloads", "UPDATE approvals SET body = '{}'", "UPDATE withdrawals SET reason = ''"):
        with pytest.raises(DatabaseError, match="append-only"), ledger.writing():
            ledger.all(text(change))  # type: ignore[attr-defined]
    assert ledger.verify_chain().ok


def test_a_redaction_that_is_cut_short_leaves_words_and_triggers_as_they_were(
    spoken: House, books: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The triggers are off inside the transaction alone, and come back with it."""
    before, seq = books(), spoken_records(spoken)[0]

    def fail(*args: object, **more: object) -> None:
        raise OSError("the disk is away")

    with monkeypatch.context() as broken:
        broken.setattr(type(spoken.office.ledger), "append_audit", fail)
        with pytest.raises(OSError, match="the disk is away"):
            redact(spoken.office, seq, by="Dee", reason="a name")
    assert books() == before
    assert seq in spoken_records(spoken)
    with pytest.raises(DatabaseError, match="append-only"), spoken.office.ledger.writing():
        spoken.office.ledger.all(text("DELETE FROM audit_payloads"))  # type: ignore[attr-defined]


def test_a_payload_that_somebody_removed_past_the_ledger_breaks_the_chain(spoken: House, tmp_path: Path) -> None:
    """Harm: what a person said is taken out by hand and passes for redacted."""
    seq = spoken_records(spoken)[0]
    with closing(sqlite3.connect(spoken.folder / ".trustops" / "kestrel.db")) as file:
        file.execute("DROP TRIGGER audit_payloads_no_delete")
        file.execute("DELETE FROM audit_payloads WHERE seq = ?", (seq,))
        file.commit()
    found = spoken.office.ledger.verify_chain()
    assert (found.ok, found.bad_seq, "no record says who" in found.problem) == (False, seq, True)
    with pytest.raises(TrustOpsError, match="audit chain is broken"):
        sent(spoken, tmp_path / "out")


def test_while_another_process_reads_the_words_are_off_the_record_and_wiped_later(spoken: House) -> None:
    seq, ledger = spoken_records(spoken)[0], spoken.folder / ".trustops" / "kestrel.db"
    with closing(sqlite3.connect(ledger, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM audit").fetchone()
        with pytest.raises(Unavailable, match="repeat the same command"):
            redact(spoken.office, seq, by="Dee", reason="a name")
        reader.execute("ROLLBACK")
    assert seq not in spoken_records(spoken)
    assert redact(spoken.office, seq, by="Dee", reason="a name").again
    for left in spoken_records(spoken):
        redact(spoken.office, left, by="Dee", reason="a name")
    assert holding(state(spoken)) == []
