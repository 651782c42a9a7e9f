"""Harm: a receiver's program reads a yes where the answer is no. The contract of `verify --json` and the exit codes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Ended, typed
from trustops import assembly

CONTRACT = {"valid", "integrity", "signer_fingerprint", "trusted_key", "checks"}


@pytest.fixture
def kestrel(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reviewed organisation, with its keys in a folder of the test."""
    monkeypatch.delenv("TRUSTOPS_KEY_PASSPHRASE", raising=False)
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    shutil.copytree(reviewed, tmp_path / "kestrel")
    return tmp_path / "kestrel"


class Office:
    """Types commands and closes what they opened."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.opened, opener = capsys, [], assembly.office

        def remember(*arguments: Any, **named: Any) -> Any:
            self.opened.append(opener(*arguments, **named))
            return self.opened[-1]

        monkeypatch.setattr(assembly, "office", remember)

    def __call__(self, *arguments: str | Path) -> Ended:
        try:
            return typed(self.capsys, *arguments)
        finally:
            while self.opened:
                office = self.opened.pop()
                office.ledger.close()
                office.index.close()


@pytest.fixture
def type_in(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(capsys, monkeypatch)


def sent(kestrel: Path, type_in: Office) -> Path:
    assert type_in("approve", "K-2@1", "--by", "Ana", "-w", kestrel).code == 0
    return Path(type_in("export", "-o", kestrel / "out", "--to", "Customer", "-w", kestrel, "--json").json["bundle"])


def test_a_signed_bundle(kestrel: Path, type_in: Office, tmp_path: Path) -> None:
    made = type_in("keys", "init", "-w", kestrel, "--json").json
    bundle = sent(kestrel, type_in)
    shutil.move(kestrel, tmp_path / "gone")  # no workspace is needed
    ended = type_in("verify", tmp_path / "gone" / "out" / bundle.name, "--key", made["public_key"], "--json")
    assert (ended.code, ended.err, set(ended.json)) == (0, "", CONTRACT)
    assert {key: ended.json[key] for key in CONTRACT - {"checks"}} == {
        "valid": True,
        "integrity": True,
        "signer_fingerprint": made["fingerprint"],
        "trusted_key": True,
    }
    assert all(set(check) == {"name", "ok", "detail"} and check["ok"] for check in ended.json["checks"])
    told = type_in("verify", tmp_path / "gone" / "out" / bundle.name)
    assert (told.code, made["fingerprint"] in told.out, "integrity only" in told.out) == (0, True, True)


def test_an_unsigned_bundle_says_what_to_do(kestrel: Path, type_in: Office) -> None:
    assert type_in("approve", "K-2@1", "--by", "Ana", "-w", kestrel).code == 0
    told = type_in("export", "-o", kestrel / "out", "--to", "Customer", "-w", kestrel)
    assert "signature: none" in told.out
    assert "trustops keys init" in told.out
    (bundle,) = (kestrel / "out").glob("bundle-*.zip")
    ended = type_in("verify", bundle, "--json")
    assert (ended.code, ended.json["valid"], ended.json["integrity"], ended.json["signer_fingerprint"]) == (1, False, True, None)


def test_a_changed_bundle_another_key_and_no_bundle(kestrel: Path, type_in: Office, tmp_path: Path) -> None:
    old = type_in("keys", "init", "-w", kestrel, "--json").json
    bundle = sent(kestrel, type_in)
    new = type_in("keys", "rotate", "-w", kestrel, "--json").json
    assert type_in("verify", bundle, "--key", old["public_key"]).code == 0
    ended = type_in("verify", bundle, "--key", new["public_key"], "--json")
    assert (ended.code, ended.json["trusted_key"], ended.json["valid"]) == (1, False, False)
    data = bytearray(bundle.read_bytes())
    data[len(data) // 2] ^= 1
    bundle.write_bytes(data)
    ended = type_in("verify", bundle)
    assert (ended.code, "NOT VALID" in ended.out, ended.err) == (1, True, "")
    for other in (kestrel / "questionnaire.csv", kestrel / "nothing.zip"):
        ended = type_in("verify", other)
        assert (ended.code, len(ended.err.splitlines()), "Traceback" in ended.err) == (2, 1, False)
    assert type_in("verify", bundle, "--key", kestrel / "questionnaire.csv").code == 2


def test_keys(kestrel: Path, type_in: Office) -> None:
    ended = type_in("keys", "show", "-w", kestrel)
    assert (ended.code, "trustops keys init" in ended.out) == (1, True)
    assert type_in("keys", "rotate", "-w", kestrel).code == 1
    first = type_in("keys", "init", "-w", kestrel, "--json").json
    assert type_in("keys", "init", "-w", kestrel).code == 1
    second = type_in("keys", "rotate", "-w", kestrel, "--json").json
    shown = type_in("keys", "show", "-w", kestrel, "--json")
    assert shown.code == 0
    assert [(key["fingerprint"], key["current"]) for key in shown.json["keys"]] == [
        (second["fingerprint"], True),
        (first["fingerprint"], False),
    ]
    assert set(first) == {"fingerprint", "public_key", "current"}


def test_doctor_names_the_record_that_was_changed(kestrel: Path, type_in: Office) -> None:
    sent(kestrel, type_in)
    with closing(sqlite3.connect(kestrel / ".trustops" / "kestrel.db")) as file:
        file.execute("DROP TRIGGER audit_no_update")
        file.execute("UPDATE audit SET actor = 'Dee' WHERE seq = 1")
        file.commit()
    ended = type_in("doctor", "-w", kestrel, "--json")
    audit = {check["name"]: check for check in checks(ended)}["audit"]
    assert (ended.code, audit["ok"], "record 1" in audit["detail"]) == (1, False, True)


def checks(ended: Ended) -> list[dict[str, Any]]:
    found = json.loads(ended.out)
    return list(found["checks"] if isinstance(found, dict) else found)
