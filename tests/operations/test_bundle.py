"""Harm: a customer holds something else than what was approved and sent, and nobody can tell (invariants 1, 7, 8 and 11)."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import warnings
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from tests.conftest import House
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.chain import canonical
from trustops.domain.errors import HostileFile, MalformedFile, NothingCleared, Refused, TrustOpsError, UsageError
from trustops.domain.evidence import Passage
from trustops.domain.question import RefusedCell
from trustops.operations.approving import approve, reject
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import Exported, export, unplaced
from trustops.operations.intake import take_in
from trustops.operations.library import withdraw
from trustops.operations.verifying import Verified, examine, verify
from trustops.signing.keys import KeyRing
from trustops.storage.ledger import open_ledger

Count = Callable[[], dict[str, int]]


@pytest.fixture(autouse=True)
def own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No key of this machine is used."""
    for name in ("TRUSTOPS_KEY_PASSPHRASE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    return tmp_path / "keys"


@pytest.fixture
def keyed(own_keys: Path, house: House) -> House:
    """The small organisation with a signing key and an approved answer."""
    house.office.signer.create()
    approve(house.office, house.review, "K-2", 1, by="Ana")
    return house


@dataclass(frozen=True)
class Sent:
    """A bundle that left, and the public key of its signer."""

    data: bytes
    key: bytes

    def members(self) -> dict[str, bytes]:
        return assembly.bundles().unpack(self.data)

    def forged(self, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> Verified:
        """What is said of a container in canonical form with other members, as a forger would make it."""
        return examine(assembly.bundles(), assembly.bundles().pack(change(self.members())))


@pytest.fixture(scope="module")
def sent(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """One signed bundle for all tests that only look at it."""
    home = tmp_path_factory.mktemp("sent")
    shutil.copytree(reviewed, home / "kestrel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUSTOPS_KEYS", str(home / "keys"))
        patch.delenv("TRUSTOPS_KEY_PASSPHRASE", raising=False)
        office = assembly.office(home / "kestrel", entry=EntryPoint.EVALUATION)
    office.signer.create()
    house = House(home / "kestrel", office, take_in(office, home / "kestrel" / "questionnaire.csv"))
    approve(office, house.review, "K-2", 1, by="Ana")
    made = Sent(send(house, home / "out").bundle.read_bytes(), public_key(house).read_bytes())
    office.ledger.close()
    office.index.close()
    return made


def send(house: House, out: Path, to: str = "Customer") -> Exported:
    return export(house.office, house.review, out, to=to)


def look(bundle: Path, key: Path | None = None) -> Verified:
    return verify(assembly.bundles(), bundle, key)


def failed(found: Verified) -> dict[str, str]:
    return {check.name: check.detail for check in found.checks if not check.ok}


def public_key(house: House) -> Path:
    return Path(house.office.signer.known()[0].public_key)


def test_what_was_exported_is_accepted_by_verify(keyed: House, tmp_path: Path) -> None:
    made = send(keyed, tmp_path / "out")
    found = look(made.bundle)
    assert (failed(found), found.valid, found.integrity, found.trusted_key) == ({}, True, True, False)
    assert found.signer_fingerprint == keyed.office.signer.known()[0].fingerprint
    assert any("proves integrity only" in check.detail for check in found.checks)
    assert look(made.bundle, public_key(keyed)).trusted_key


def test_a_bundle_holds_what_the_receiver_needs(keyed: House, tmp_path: Path) -> None:
    made = send(keyed, tmp_path / "out")
    assert made.bundle.name == made.receipt.name.replace("receipt", "bundle").replace(".json", ".zip")
    with zipfile.ZipFile(made.bundle) as container:
        assert container.testzip() is None
        assert {entry.compress_type for entry in container.infolist()} == {zipfile.ZIP_STORED}
        members = {name: container.read(name) for name in container.namelist()}
    assert list(members) == [
        "VERIFY.md", "answered.csv", "chain.json", "envelope.dsse.json", "manifest.json", "public-key.pem", "receipt.json",
        "signature.bin", "signed.bin", "statement.json",
    ]  # fmt: skip
    assert members["answered.csv"] == made.file.read_bytes()
    assert members["receipt.json"] == made.receipt.read_bytes()
    statement = json.loads(members["statement.json"])
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert {"manifest.json", "answered.csv", "receipt.json", "chain.json"} <= {subject["name"] for subject in statement["subject"]}
    records = json.loads(members["chain.json"])["records"]
    assert [record["kind"] for record in records] == ["approved", "exported"]
    assert records[0]["payload"]["identity"] == "asserted"


def test_the_same_export_again_gives_the_same_bytes(keyed: House, tmp_path: Path) -> None:
    first = send(keyed, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (first.bundle, first.receipt, first.file)}
    approve(keyed.office, keyed.review, "K-1", 1, by="Ana")
    reject(keyed.office, keyed.review, "K-1", by="Ana", reason="Not yet.")
    again = send(keyed, tmp_path / "elsewhere")
    assert {path.name: path.read_bytes() for path in (again.bundle, again.receipt, again.file)} == before


class Internal:
    """The index after every document was classified as internal."""

    def __init__(self, index: Any) -> None:
        self.index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def passages(self) -> tuple[Passage, ...]:
        return tuple(
            p.model_copy(update={"document": p.document.model_copy(update={"classification": "internal"})}) for p in self.index.passages()
        )


def test_passages_that_are_not_shareable_stand_by_hash_alone(keyed: House, tmp_path: Path) -> None:
    assert b"logging.md" in send(keyed, tmp_path / "out", to="Another").bundle.read_bytes()
    made = send(keyed.with_office(index=Internal(keyed.office.index)), tmp_path / "out")
    assert b"logging.md" not in made.bundle.read_bytes()
    assert re.search(rb'"cited":\[\{"passages":\[\{"sha256":"[0-9a-f]{64}"\}\]', made.bundle.read_bytes())
    assert look(made.bundle).valid


def test_without_a_key_the_bundle_says_so(house: House, tmp_path: Path) -> None:
    approve(house.office, house.review, "K-2", 1, by="Ana")
    made = send(house, tmp_path / "out")
    found = look(made.bundle)
    assert (made.signed, found.integrity, found.valid, found.signer_fingerprint) == (False, True, False, None)
    assert set(failed(found)) == {"signature"}
    house.office.signer.create()
    assert look(send(house, tmp_path / "out").bundle).valid


def test_every_flipped_byte_is_found(sent: Sent) -> None:
    bundles, data = assembly.bundles(), bytearray(sent.data)
    missed = []
    for at in range(len(data)):
        data[at] ^= 1 << at % 8
        if examine(bundles, bytes(data)).valid:
            missed.append(at)
        data[at] ^= 1 << at % 8
    assert missed == []
    assert examine(bundles, bytes(data)).valid


def test_a_byte_that_a_forger_changes_is_found_although_the_container_is_made_anew(sent: Sent) -> None:
    for name, data in sent.members().items():
        for at in range(0, len(data), 1 if len(data) <= 64 else 64):
            found = sent.forged(changed(name, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]))
            assert (found.valid, bool(failed(found))) == (False, True), (name, at)


def test_what_is_cut_off_or_added_is_found(sent: Sent, tmp_path: Path) -> None:
    data, forged = sent.data, tmp_path / "forged.zip"
    for other in (data[:-1], data + b"\0", data[: len(data) // 2], data[:60], data + data, b"MZ" + data):
        forged.write_bytes(other)
        try:
            assert not look(forged).valid
        except MalformedFile:
            assert not other.startswith(b"PK\3\4")


def changed(name: str, data: bytes) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda members: {**members, name: data}


def dropped(name: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda members: {other: data for other, data in members.items() if other != name}


def test_a_member_that_is_gone_emptied_or_replaced_is_found(sent: Sent) -> None:
    for name in sent.members():
        for data in (None, b"", b"{}", b"null", b"[" * 100_000, b"\xff\xfe", b'{"a":' * 50_000):
            found = sent.forged(dropped(name) if data is None else changed(name, data))
            assert (found.valid, bool(failed(found))) == (False, True), (name, data)


def test_a_member_besides_is_found(sent: Sent) -> None:
    assert "more.txt" in failed(sent.forged(changed("more.txt", b"trust me")))["members"]


def test_a_signature_that_was_taken_off_is_found(sent: Sent) -> None:
    def bare(members: dict[str, bytes]) -> dict[str, bytes]:
        return {name: data for name, data in members.items() if name not in ("envelope.dsse.json", "signed.bin", "signature.bin")}

    assert not sent.forged(bare).valid


def test_another_key_in_the_bundle_is_found(sent: Sent, house: House) -> None:
    house.office.signer.create()
    found = sent.forged(changed("public-key.pem", public_key(house).read_bytes()))
    assert (found.valid, found.signer_fingerprint) == (False, None)


def test_a_forged_chain_in_the_bundle_is_named_by_its_record(sent: Sent) -> None:
    def another_approver(members: dict[str, bytes]) -> dict[str, bytes]:
        return {**members, "chain.json": members["chain.json"].replace(b'"by":"Ana"', b'"by":"Dee"')}

    assert failed(sent.forged(another_approver))["chain"] == "record 1: its payload is not the one that its digest names"


def test_who_signs_anew_with_an_own_key_is_found_by_the_key_that_was_given(keyed: House, tmp_path: Path) -> None:
    bundle, known = send(keyed, tmp_path / "out").bundle, public_key(keyed).read_bytes()
    (tmp_path / "known.pem").write_bytes(known)
    stranger = KeyRing(tmp_path / "elsewhere")
    stranger.create()
    forged = send(keyed.with_office(signer=stranger), tmp_path / "again").bundle
    assert forged.read_bytes() != bundle.read_bytes()
    found = look(forged, tmp_path / "known.pem")
    assert (found.valid, found.trusted_key, found.integrity, set(failed(found))) == (False, False, True, {"key"})


def test_a_rotated_key_still_verifies_old_bundles(keyed: House, tmp_path: Path) -> None:
    bundle, old = send(keyed, tmp_path / "out").bundle, public_key(keyed)
    keyed.office.signer.rotate()
    found = look(bundle, old)
    assert (found.valid, found.trusted_key) == (True, True)
    assert not look(bundle, public_key(keyed)).trusted_key


def test_who_knows_an_old_key_follows_to_the_new_one(keyed: House, tmp_path: Path) -> None:
    known = [public_key(keyed)]
    for times in (1, 2):
        keyed.office.signer.rotate()
        made = send(keyed, tmp_path / f"after {times}").bundle
        for back, key in enumerate(reversed(known), start=1):
            found = look(made, key)
            assert (found.valid, found.trusted_key, failed(found)) == (True, True, {})
            detail = {check.name: check.detail for check in found.checks}["key"]
            assert ("which signed it" if back == 1 else "over 2 rotations") in detail
        assert found.signer_fingerprint == keyed.office.signer.known()[0].fingerprint
        known.append(public_key(keyed))


def test_a_succession_that_no_old_key_signed_leads_nowhere(keyed: House, tmp_path: Path) -> None:
    """Harm: whoever makes a key says that it follows a known one."""
    known = public_key(keyed).read_bytes()
    (tmp_path / "known.pem").write_bytes(known)
    stranger = KeyRing(tmp_path / "elsewhere")
    stranger.create()
    stranger.rotate()
    own = json.loads(stranger.succession() or b"")
    own[0]["publicKey"] = known.decode()

    class Claiming(KeyRing):
        def succession(self) -> bytes:
            return canonical(own)

    made = send(keyed.with_office(signer=Claiming(tmp_path / "elsewhere")), tmp_path / "out").bundle
    found = look(made, tmp_path / "known.pem")
    assert (found.valid, found.trusted_key, found.signer_fingerprint) == (False, False, None)
    assert "did not sign" in failed(found)["signature"]


def test_a_rotation_without_the_old_private_key_leaves_no_succession(keyed: House, tmp_path: Path) -> None:
    old = public_key(keyed)
    for path in old.parent.glob("*.private.pem"):
        path.unlink()
    keyed.office.signer.rotate()
    assert keyed.office.signer.succession() is None
    found = look(send(keyed, tmp_path / "out").bundle, old)
    assert (found.valid, found.integrity, found.trusted_key) == (False, True, False)


@pytest.mark.parametrize(
    "damage", [b"", b"[]", b"{}", b"[1]", b"[" * 5000, b'[{"publicKey":"x"}]', b"null"], ids=lambda value: value.decode()[:20] or "empty"
)
def test_a_succession_that_is_none_is_refused(keyed: House, tmp_path: Path, damage: bytes) -> None:
    class Damaged(KeyRing):
        def succession(self) -> bytes:
            return damage

    made = send(keyed.with_office(signer=Damaged(keyed.office.signer.folder)), tmp_path / "out").bundle  # type: ignore[attr-defined]
    found = look(made)
    assert (found.valid, found.integrity, "succession.json" in failed(found)["signature"]) == (False, True, True)


def members_by_zipfile(path: Path, members: list[tuple[str, bytes]], method: int) -> Path:
    with zipfile.ZipFile(path, "w", method) as container, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of names that stand twice
        for name, data in members:
            container.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("members", "method"),
    [
        ([("VERIFY.md", b"x"), ("VERIFY.md", b"x")], zipfile.ZIP_STORED),
        ([("VERIFY.md", b"x"), ("../../evil", b"x")], zipfile.ZIP_STORED),
        ([("VERIFY.md", b"x"), ("a\\b", b"x")], zipfile.ZIP_STORED),
        ([("VERIFY.md", b"0" * 1_000_000)], zipfile.ZIP_DEFLATED),
        ([("VERIFY.md", b"x"), *((f"f{n}", b"") for n in range(2100))], zipfile.ZIP_STORED),
    ],
    ids=["twice", "outside", "backslash", "bomb", "many"],
)
def test_a_hostile_zip_is_refused(tmp_path: Path, members: list[tuple[str, bytes]], method: int) -> None:
    found = look(members_by_zipfile(tmp_path / "hostile.zip", members, method))
    assert (found.valid, found.integrity, set(failed(found))) == (False, False, {"container"})


def test_a_workbook_in_a_bundle_that_inflates_without_end_is_not_followed(
    sent: Sent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = members_by_zipfile(tmp_path / "bomb.xlsx", [("xl/a.xml", b"0" * 300_000)], zipfile.ZIP_DEFLATED).read_bytes()
    monkeypatch.setattr("trustops.operations.bundling.MAX_INFLATED", 100_000)
    assert "inflates" in failed(sent.forged(changed("answered.csv", bomb)))["parts"]
    for at in range(0, len(bomb), 7):
        damaged = bomb[:at] + b"\xff" + bomb[at + 1 :]
        assert not sent.forged(changed("answered.csv", damaged)).valid
    assert "damaged" in failed(sent.forged(changed("answered.csv", bomb[:100])))["parts"]


def test_a_file_that_is_no_bundle_is_told_from_a_bad_one(tmp_path: Path) -> None:
    for name, data in (("a.txt", b"hello"), ("empty.zip", b""), ("b.zip", b"PK\3\4"), ("c.zip", b"PK\5\6" + bytes(18))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(MalformedFile, match="not a bundle"):
            look(tmp_path / name)
    with pytest.raises(UsageError):
        look(tmp_path / "nothing.zip")
    with (tmp_path / "huge.zip").open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    with pytest.raises(HostileFile):
        look(tmp_path / "huge.zip")


def test_the_openssl_commands_of_the_guide_work(keyed: House, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine")
    made = send(keyed, tmp_path / "out")
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(made.bundle) as container:
        container.extractall(folder)
    blocks = re.findall(r"```sh\n(.*?)```", (folder / "VERIFY.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4

    def typed(block: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", block], cwd=folder, capture_output=True, text=True, timeout=30)

    told = [typed(block) for block in blocks]
    assert [done.returncode for done in told] == [0, 0, 0, 0], told
    assert "Signature Verified Successfully" in told[0].stdout
    assert told[2].stdout.splitlines() == [
        f"{n} OK" for n in ("VERIFY.md", "answered.csv", "chain.json", "manifest.json", "public-key.pem", "receipt.json")
    ]
    assert look(made.bundle).signer_fingerprint in told[3].stdout  # type: ignore[operator]
    (folder / "answered.csv").write_bytes(b"other")
    (folder / "signed.bin").write_bytes((folder / "signed.bin").read_bytes() + b" ")
    assert "answered.csv CHANGED" in typed(blocks[2]).stdout
    assert typed(blocks[0]).returncode != 0
    assert typed(blocks[1]).returncode != 0


def full(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("nth", range(7))
def test_a_disk_that_is_full_before_the_record_leaves_the_old_state(
    keyed: House, books: Count, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    before, fsync, calls = books(), os.fsync, iter(range(100))
    monkeypatch.setattr(os, "fsync", lambda handle: full() if next(calls) == nth else fsync(handle))
    with pytest.raises(UsageError, match=r"No space left.*Nothing is recorded"):
        send(keyed, tmp_path / "out")
    assert books() == before
    assert list((tmp_path / "out").glob("*")) == []
    monkeypatch.undo()
    assert keyed.office.ledger.verify_chain().ok


@pytest.mark.parametrize("where", ["bundle-", "receipt-", "questionnaire.answered-"])
def test_a_rename_that_fails_leaves_an_export_that_says_so_and_can_be_repeated(
    keyed: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    replace = os.replace
    monkeypatch.setattr(
        os,
        "replace",
        lambda a, b, **rest: full() if Path(b).parent.name == "out" and Path(b).name.startswith(where) else replace(a, b, **rest),
    )
    with pytest.raises(UsageError, match=r"on record.*Run the same export again"):
        send(keyed, tmp_path / "out")
    monkeypatch.undo()
    (record,) = unplaced(keyed.office, keyed.review)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith((".", "bundle"))] == []
    made = send(keyed, tmp_path / "out")
    assert (look(made.bundle).valid, made.file.name) == (True, record.file)
    assert keyed.office.ledger.exports(keyed.review.id) == (record,)
    assert unplaced(keyed.office, keyed.review) == ()


def test_a_folder_in_the_place_of_a_file_is_refused_before_the_record(keyed: House, books: Count, tmp_path: Path) -> None:
    made, before = send(keyed, tmp_path / "out"), books()
    (tmp_path / "other" / made.bundle.name).mkdir(parents=True)
    with pytest.raises(UsageError, match="a folder of this name"):
        send(keyed, tmp_path / "other")
    assert (books(), [path.name for path in (tmp_path / "other").iterdir()]) == (before, [made.bundle.name])


def test_a_key_that_cannot_be_opened_exports_nothing(keyed: House, books: Count, tmp_path: Path) -> None:
    before = books()
    for path in (tmp_path / "keys" / "kestrel").glob("*.private.pem"):
        path.unlink()
    with pytest.raises(UsageError, match="private"):
        send(keyed, tmp_path / "out")
    assert (books(), list((tmp_path / "out").glob("*"))) == (before, [])


# -- the chain in the ledger ---------------------------------------------------------------------------------------------


def database(house: House) -> Path:
    """The ledger's file, with nothing open."""
    house.office.ledger.close()
    return house.folder / ".trustops" / "kestrel.db"


def forge(path: Path, *statements: str) -> None:
    """Writes to the ledger's file behind its triggers."""
    with closing(sqlite3.connect(path)) as file:
        for table in ("audit", "audit_payloads"):
            for verb in ("update", "delete"):
                file.execute(f"DROP TRIGGER IF EXISTS {table}_no_{verb}")
        for statement in statements:
            file.execute(statement)
        file.commit()


def filled(house: House) -> None:
    """Five records: approved, rejected, edited, approved, exported."""
    approve(house.office, house.review, "K-1", 1, by="Ana")
    reject(house.office, house.review, "K-2", by="Ana", reason="Say it in full.")
    asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 400 days."))
    approve(house.office, house.review, "K-2", 2, by="Dee")
    send(house, house.folder / "out")


def test_what_people_do_stands_in_the_chain(house: House) -> None:
    filled(house)
    records = house.office.ledger.audit()
    assert [(r.seq, r.kind, r.actor) for r in records] == [
        (1, "approved", "Ana"),
        (2, "rejected", "Ana"),
        (3, "edited", "Bo"),
        (4, "approved", "Dee"),
        (5, "exported", ""),
    ]
    state = house.office.ledger.verify_chain()
    assert (state.ok, state.records, state.head) == (True, 5, records[-1].hash)


def test_a_withdrawal_stands_in_the_chain(house: House) -> None:
    answers = "Question,Answer\nAre audit logs kept for at least one year?,Yes. Audit logs are kept for 400 days.\n"
    (house.folder / "answers").mkdir(exist_ok=True)
    (house.folder / "answers" / "earlier.csv").write_text(answers, encoding="utf-8")
    known = house.office.reader.read_answers(house.folder)[0]
    withdraw(house.office, known.id, by="Bo", reason="untrue")
    (record,) = house.office.ledger.audit()
    assert (record.kind, record.actor, record.payload) == ("withdrawn", "Bo", {"prior_answer": known.id, "reason": "untrue"})


def test_a_refused_decision_leaves_no_record(house: House) -> None:
    with pytest.raises(Refused):
        approve(house.office, house.review, "K-4", 1, by="Ana")
    assert house.office.ledger.audit() == ()


FORGERIES = [
    ("UPDATE audit SET actor = 'Dee' WHERE seq = 2", 2),
    ("UPDATE audit SET at = '2026-01-01T00:00:00+00:00' WHERE seq = 1", 1),
    ("UPDATE audit SET kind = 'approved' WHERE seq = 2", 2),
    ("UPDATE audit SET hash = prev WHERE seq = 3", 3),
    ("UPDATE audit SET chain = 'other' WHERE seq = 1", 1),
    ("DELETE FROM audit WHERE seq = 3", 3),
    ("DELETE FROM audit WHERE seq = 5", 5),
    ("UPDATE audit_payloads SET body = replace(body, 'Dee', 'Ana') WHERE seq = 4", 4),
    ("UPDATE audit_payloads SET body = 'nonsense' WHERE seq = 4", 4),
]


def test_a_forged_record_is_named_by_its_number(house: House, tmp_path: Path) -> None:
    filled(house)
    house.office.ledger.close()
    books = house.folder / ".trustops" / "kestrel.db"
    for at, (statement, seq) in enumerate(FORGERIES):
        copy = tmp_path / f"{at}.db"
        shutil.copyfile(books, copy)
        forge(copy, statement)
        ledger = open_ledger(copy, "kestrel")
        state = ledger.verify_chain()
        ledger.close()
        assert (state.ok, state.bad_seq, state.problem.startswith(f"record {seq}: ")) == (False, seq, True), statement


def test_nothing_is_exported_over_a_forged_chain(keyed: House, tmp_path: Path) -> None:
    forge(database(keyed), "UPDATE audit SET actor = 'Dee' WHERE seq = 1")
    with pytest.raises(TrustOpsError, match="broken at record 1"):
        send(keyed, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_approval_from_before_the_chain_is_entered_as_such(keyed: House, tmp_path: Path) -> None:
    forge(database(keyed), "DELETE FROM audit", "DELETE FROM audit_payloads")
    made = send(keyed, tmp_path / "out")
    assert [r.kind for r in keyed.office.ledger.audit()] == ["approved_earlier", "exported"]
    assert look(made.bundle).valid


def test_a_ledger_of_the_first_schema_is_taken_over(keyed: House, tmp_path: Path) -> None:
    forge(database(keyed), "DROP TABLE audit", "DROP TABLE audit_payloads", "UPDATE alembic_version SET version_num = '0001'")
    office = assembly.office(keyed.folder, entry=keyed.office.entry)
    made = export(office, keyed.review, tmp_path / "out", to="Customer")
    assert look(made.bundle).valid
    with pytest.raises(DatabaseError, match="append-only"), office.ledger.writing(), office.ledger._connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text("DELETE FROM audit"))
    office.ledger.close()
    office.index.close()


DIAGRAM = "kind: diagram, effective: 2026-01-01, expires: 2027-01-01, classification: shareable"


def test_figures_of_one_name_leave_both(keyed: House, tmp_path: Path) -> None:
    for folder, data in (("a", b"first"), ("b", b"second")):
        (keyed.folder / "evidence" / folder).mkdir()
        (keyed.folder / "evidence" / folder / "net.svg").write_bytes(data)
        with (keyed.folder / "evidence.yaml").open("a", encoding="utf-8") as register:
            register.write(f"\n- {{path: evidence/{folder}/net.svg, title: Audit log flow, {DIAGRAM}}}")
    keyed.run("K-2")
    version = keyed.office.ledger.latest_answers(keyed.review.id)["K-2"]
    number = version.version + 1
    other = version.model_copy(update={"version": number, "attachments": ("evidence/a/net.svg", "evidence/b/net.svg")}).sealed()
    keyed.office.ledger.append_answer(keyed.review.id, other)
    approve(keyed.office, keyed.review, "K-2", number, by="Ana")
    made = send(keyed, tmp_path / "out")
    members = assembly.bundles().unpack(made.bundle.read_bytes())
    assert sorted(data for name, data in members.items() if name.startswith("attachments/")) == [b"first", b"second"]
    beside = next((tmp_path / "out").glob("attachments-*"))
    assert sorted(path.read_bytes() for path in beside.iterdir()) == [b"first", b"second"]
    assert look(made.bundle).valid
    send(keyed, tmp_path / "out", to="Somebody else")
    assert len(list((tmp_path / "out").glob("attachments-*"))) == 2, "another export's figures stand apart, and overwrite nothing"
    assert sorted(path.read_bytes() for path in beside.iterdir()) == [b"first", b"second"]
    shutil.rmtree(keyed.folder / "evidence" / "a")
    with pytest.raises(NothingCleared):  # what is gone cannot leave a second time
        send(keyed, tmp_path / "again")


def test_a_cell_that_refuses_its_answer_withholds_that_answer_and_no_other(keyed: House, tmp_path: Path) -> None:
    """Harm: one text that a cell cannot hold aborts the whole export, or is lost while the customer gets the rest of its answer."""
    approve(keyed.office, keyed.review, "K-1", 1, by="Ana")
    formats = keyed.office.formats
    answers = {question.ref: question.answers[0] for question in keyed.review.questionnaire.questions}

    class Narrow:
        """Formats whose cell for K-1 takes nothing."""

        read, write = staticmethod(formats.read), staticmethod(formats.write)

        def refusals(self, original: Path, values: Any) -> tuple[RefusedCell, ...]:
            cell = answers["K-1"]
            assert formats.refusals(original, values) == ()
            return (RefusedCell(sheet=cell.sheet, cell=cell.cell, why="The cell takes at most 5 characters.", remedy="Shorten it."),)

    sent = export(keyed.with_office(formats=Narrow()).office, keyed.review, tmp_path / "out", to="Customer")
    assert sent.exported == ("K-2",)
    reasons = dict(sent.withheld)["K-1"]
    assert [reason.partition(":")[0] for reason in reasons] == ["CELL_REFUSED"]
    assert "at most 5 characters" in sent.gap_register.read_text(encoding="utf-8")
    before, after = (
        {row[0]: row for row in csv.reader(path.read_text(encoding="utf-8").splitlines())}
        for path in (keyed.folder / "questionnaire.csv", sent.file)
    )
    assert after["K-1"][: len(before["K-1"])] == before["K-1"]
    assert not any(after["K-1"][len(before["K-1"]) :])
    assert after["K-2"] != before["K-2"]
