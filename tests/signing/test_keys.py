"""Harm: somebody else signs in the organisation's name, or a key is lost by what was meant to keep it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trustops import settings
from trustops.domain.errors import Refused, UsageError
from trustops.signing import ed25519
from trustops.signing.keys import KeyRing


def private(folder: Path) -> Path:
    (found,) = folder.glob("*.private.pem")
    return found


def test_the_private_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "keys" / "kestrel"
    made = KeyRing(folder).create()
    assert stat.S_IMODE(private(folder).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert made.current
    assert Path(made.public_key).read_bytes() == KeyRing(folder).public_key()


def test_a_key_that_others_may_read_signs_nothing(tmp_path: Path) -> None:
    KeyRing(tmp_path).create()
    private(tmp_path).chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        KeyRing(tmp_path).sign(b"{}")


def test_a_key_is_not_replaced_by_making_one_again(tmp_path: Path) -> None:
    KeyRing(tmp_path).create()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(Refused, match="keys rotate"):
        KeyRing(tmp_path).create()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_rotation_keeps_the_old_public_key_and_no_old_private_one(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    first = ring.create()
    second = ring.rotate()
    assert [(key.fingerprint, key.current) for key in ring.known()] == [(second.fingerprint, True), (first.fingerprint, False)]
    assert private(tmp_path).name.startswith(second.fingerprint[:16])
    assert ring.sign(b"{}")["public-key.pem"] == Path(second.public_key).read_bytes()


def test_there_is_nothing_to_rotate_before_the_first_key(tmp_path: Path) -> None:
    for verb in (KeyRing(tmp_path / "none").rotate, lambda: KeyRing(tmp_path / "none").sign(b"{}")):
        with pytest.raises(Refused, match="keys init"):
            verb()
    assert (KeyRing(tmp_path / "none").public_key(), KeyRing(tmp_path / "none").known()) == (None, ())
    assert not (tmp_path / "none").exists()


def test_a_rotation_that_fails_leaves_the_old_key_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = KeyRing(tmp_path)
    first = ring.create()
    replace = os.replace

    def fail(source: str, target: Path) -> None:
        if Path(target).name == "current":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        ring.rotate()
    assert ring.public_key() == Path(first.public_key).read_bytes()
    assert ring.sign(b"{}")


def test_with_a_passphrase_the_key_is_encrypted_and_opens_with_it_alone(tmp_path: Path) -> None:
    KeyRing(tmp_path, "correct horse").create()
    assert private(tmp_path).read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert KeyRing(tmp_path, "correct horse").sign(b"{}") == KeyRing(tmp_path, "correct horse").sign(b"{}")
    for passphrase in ("", "wrong"):
        with pytest.raises(UsageError, match="TRUSTOPS_KEY_PASSPHRASE") as refused:
            KeyRing(tmp_path, passphrase).sign(b"{}")
        assert "correct" not in str(refused.value)


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_damaged_key_is_one_sentence(tmp_path: Path, damage: bytes) -> None:
    KeyRing(tmp_path).create()
    private(tmp_path).write_bytes(damage)
    with pytest.raises(UsageError, match=r"cannot be used: it is damaged"):
        KeyRing(tmp_path).sign(b"{}")


def test_a_private_key_of_another_pair_signs_nothing(tmp_path: Path) -> None:
    KeyRing(tmp_path).create()
    private(tmp_path).write_bytes(ed25519.generate("")[0])
    with pytest.raises(UsageError, match="not the public one's"):
        KeyRing(tmp_path).sign(b"{}")


def test_keys_lie_outside_the_workspace_and_by_organisation(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUSTOPS_KEYS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert settings.load(workspace).keys == tmp_path / "config" / "trustops" / "keys" / "kestrel"
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "elsewhere"))
    assert settings.load(workspace).keys == tmp_path / "elsewhere" / "kestrel"
    monkeypatch.setenv("TRUSTOPS_KEYS", str(workspace / "keys"))
    with pytest.raises(UsageError, match="inside the workspace"):
        _ = settings.load(workspace).keys


def test_a_passphrase_is_not_shown_by_the_settings(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTOPS_KEY_PASSPHRASE", "correct horse")
    assert "correct horse" not in repr(settings.load(workspace))
