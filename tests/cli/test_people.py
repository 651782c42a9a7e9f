"""Harm: a token is wrong and passed over, and the name beside it believed; or a person types it where others read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, rows


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUSTOPS_TOKEN", raising=False)


def issued(kestrel: Path, type_in: Terminal, person: str) -> str:
    return str(type_in("people", "issue", person, "--by", "Dee", "-w", kestrel, "--json").json["token"])


def test_a_token_in_the_environment_makes_the_approval_authenticated(
    kestrel: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUSTOPS_TOKEN", issued(kestrel, type_in, "Ana"))
    with (kestrel / "trustops.toml").open("a", encoding="utf-8") as file:
        file.write("\n[gate]\nrequire_authenticated_approval = true\n")
    assert type_in("recheck", "K-2", "--as-of", "2026-11-30T12:00:00Z", "-w", kestrel).code == 0
    given = type_in("approve", "K-2@2", "--by", "Ana", "-w", kestrel, "--json").json["approved"][0]
    assert (given["by"], given["identity"]) == ("Ana", "authenticated")
    told = type_in("people", "list", "-w", kestrel, "--json").json["people"]
    assert {one["person"] for one in told if one["token"]} == {"Ana"}


@pytest.mark.parametrize("token", ["tops_00000000_" + "A" * 43, "not a token"])
def test_a_wrong_token_is_refused_and_not_passed_over(
    kestrel: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    before = rows(kestrel)
    monkeypatch.setenv("TRUSTOPS_TOKEN", token)
    for words in (
        ("approve", "K-2@1", "--by", "Ana"),
        ("reject", "K-2", "--by", "Ana", "--reason", "no"),
        ("edit", "K-2", "--by", "Bo", "--text", "Audit logs are kept for 400 days."),
        ("export", "--out", str(kestrel / "out"), "--to", "Customer"),
        ("people", "issue", "Ana", "--by", "Dee"),
        ("people", "revoke", "Ana", "--by", "Dee"),
        ("redact", "1", "--by", "Dee", "--reason", "no"),
        ("library", "withdraw", "A-1", "--by", "Ana", "--reason", "no"),
        ("library", "reuse", "K-2", "--take", "A-1", "--by", "Bo"),
    ):
        ended = type_in(*words, "-w", kestrel)
        assert (ended.code, len(ended.err.splitlines())) == (1, 1), words
        assert "not known here" in ended.err
        assert token not in ended.out + ended.err
    assert rows(kestrel) == before


def test_the_token_is_asked_for_and_not_shown(kestrel: Path, type_in: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    token, asked = issued(kestrel, type_in, "Ana"), []
    monkeypatch.setattr("trustops.cli.options.typer.prompt", lambda text, **how: asked.append((text, how)) or token)
    given = type_in("approve", "K-2@1", "--by", "Ana", "--sign-in", "-w", kestrel)
    assert (given.code, "authenticated" in given.out, token in given.out + given.err) == (0, True, False)
    assert asked == [("Token", {"hide_input": True, "err": True})]


def test_the_words_of_a_rejection_are_taken_out(kestrel: Path, type_in: Terminal) -> None:
    assert type_in("reject", "K-1", "--by", "Ana", "--reason", "ask Kanarienvogel", "-w", kestrel).code == 0
    assert "Kanarienvogel" in type_in("audit", "list", "-w", kestrel, "--json").out
    done = type_in("redact", "1", "--by", "Dee", "--reason", "a name", "-w", kestrel, "--json").json
    assert done == {"redacted": 1, "record": 2, "again": False}
    listed = type_in("audit", "list", "-w", kestrel)
    assert ("Kanarienvogel" in listed.out, "redacted" in listed.out) == (False, True)
    assert b"Kanarienvogel" not in (kestrel / ".trustops" / "kestrel.db").read_bytes()
    assert "2 records in the audit chain, 1 of them redacted" in type_in("doctor", "-w", kestrel).out
    ended = type_in("redact", "2", "--by", "Dee", "--reason", "a name", "-w", kestrel)
    assert (ended.code, "is not redacted" in ended.err) == (1, True)
