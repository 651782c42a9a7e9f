"""Harm: a key lies on the disk for whoever copies it although the system has a keyring; or a locked keyring loses the key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked

from trustops.domain.errors import UsageError
from trustops.signing.ed25519 import encrypted
from trustops.signing.keys import KeyRing
from trustops.signing.vault import SERVICE, Vault


class Memory(KeyringBackend):
    """A keyring of the library's own kind that keeps nothing longer than a test."""

    priority: ClassVar[float] = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("locked")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.kept.pop((service, username), None)


@pytest.fixture
def ring() -> Iterator[Memory]:
    before, memory = keyring.get_keyring(), Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def private(folder: Path) -> bytes:
    (found,) = folder.glob("*.private.pem")
    return found.read_bytes()


def test_the_keyring_guards_the_key_and_every_organisation_has_its_own(tmp_path: Path, ring: Memory) -> None:
    for name in ("alder", "birch"):
        KeyRing(tmp_path / name, "", Vault(name)).create()
        assert encrypted(private(tmp_path / name))
        assert KeyRing(tmp_path / name, "", Vault(name)).sign(b"{}")
    assert len(set(ring.kept.values())) == 2
    with pytest.raises(UsageError, match="passphrase"):
        KeyRing(tmp_path / "alder", "", Vault("birch")).sign(b"{}")


def test_a_rotation_keeps_the_passphrase(tmp_path: Path, ring: Memory) -> None:
    keys = KeyRing(tmp_path, "", Vault("alder"))
    keys.create()
    before = dict(ring.kept)
    keys.rotate()
    assert ring.kept == before
    assert keys.sign(b"{}")


def test_a_passphrase_that_was_given_comes_first(tmp_path: Path, ring: Memory) -> None:
    KeyRing(tmp_path, "correct horse", Vault("alder")).create()
    assert ring.kept == {}
    assert KeyRing(tmp_path, "correct horse", Vault("alder")).sign(b"{}")


def test_a_locked_keyring_signs_nothing_and_loses_nothing(tmp_path: Path, ring: Memory) -> None:
    keys = KeyRing(tmp_path, "", Vault("alder"))
    keys.create()
    before = private(tmp_path)
    ring.locked = True
    with pytest.raises(UsageError, match="TRUSTOPS_KEY_PASSPHRASE"):
        keys.sign(b"{}")
    ring.locked = False
    assert keys.sign(b"{}")
    assert private(tmp_path) == before
    assert set(ring.kept) == {(SERVICE, "alder")}


def test_without_a_keyring_the_key_is_as_before(tmp_path: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    try:
        KeyRing(tmp_path, "", Vault("alder")).create()
        assert not encrypted(private(tmp_path))
        assert KeyRing(tmp_path, "", Vault("alder")).sign(b"{}")
    finally:
        keyring.set_keyring(before)
