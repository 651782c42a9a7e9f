"""An organisation's keys, outside its workspace: whoever may write the workspace cannot sign with them. Implements ports.Signer.

`NAME.private.pem` (mode 0600), `NAME.public.pem`, and `current` with the name of the key in use; `begun` stands while one is made. A
rotation keeps the old public key, so that old bundles can still be compared with it, and removes the old private one, so that it signs
nothing more. The last thing that the old key signs is its successor's name: `NAME.succession.json`, after the successor.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trustops.domain.errors import Refused, UsageError
from trustops.ports import KeyInfo
from trustops.signing import bundle, dsse
from trustops.signing.placing import place
from trustops.signing.vault import Vault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

CURRENT, BEGUN = "current", "begun"
WHERE = "TRUSTOPS_KEY_PASSPHRASE"


class Pen:
    """Implements ports.Pen."""

    def __init__(self, key: Ed25519PrivateKey, public: bytes) -> None:
        from trustops.signing import ed25519

        self.key, self.public_key, self.fingerprint = key, public, ed25519.fingerprint(public)

    def envelope(self, statement: bytes) -> bytes:
        """The same statement and key give the same bytes (RFC 8032)."""
        return dsse.envelope(statement, self.fingerprint, self.key.sign(dsse.signed_bytes(statement)))

    def secret(self, purpose: str) -> str:
        """HKDF-SHA256 (RFC 5869) over the private key, in hexadecimal."""
        from trustops.signing import ed25519

        return ed25519.derived(self.key, purpose.encode()).hex()


class KeyRing:
    """The keys in one folder. The library for them is loaded when a key is used."""

    def __init__(self, folder: Path, passphrase: str = "", vault: Vault | None = None) -> None:
        self.folder, self.passphrase, self.vault = folder, passphrase, vault

    def create(self) -> KeyInfo:
        """The first key; refused where there is one. One whose making was cut short is finished, or made anew."""
        if (finished := self._recovered()) is not None:
            return finished
        if self._current() is not None:
            raise Refused("there is a signing key already", where=str(self.folder), remedy="`trustops keys rotate` replaces it.")
        return self._generate("")

    def rotate(self) -> KeyInfo:
        """A new key in use. The old public key stays; its private half is removed after the new one is in force.

        A rotation that was cut short after its key came into force is finished, and makes no second key. Where the old private key is
        lost or cannot be opened there is no succession: customers must be told of the new key.
        """
        if (finished := self._recovered()) is not None:
            return finished
        old = self._current()
        if old is None:
            raise Refused("there is no signing key to replace", where=str(self.folder), remedy="`trustops keys init` makes the first.")
        return self._generate(old)

    def known(self) -> tuple[KeyInfo, ...]:
        """All public keys, the one in use first."""
        current, begun = self._current(), self._begun()[0]
        there = [path for path in self.folder.glob("*.public.pem") if begun == current or path.name != f"{begun}.public.pem"]
        found = sorted(there, key=lambda path: (path.name != f"{current}.public.pem", path.name))
        return tuple(_info(path, current=path.name == f"{current}.public.pem") for path in found)

    def public_key(self) -> bytes | None:
        """The key in use, None before `keys init`."""
        current = self._current()
        return self._read(f"{current}.public.pem") if current else None

    def succession(self) -> bytes | None:
        """What leads from earlier keys to the one in use; None where no rotation left anything."""
        from trustops.signing import succession

        entries: list[bytes] = []
        name = self._current()
        while name and (self.folder / f"{name}.succession.json").is_file() and len(entries) < succession.MOST:
            entries.insert(0, self._read(f"{name}.succession.json"))
            name = succession.signer_of(entries[0])[:16]
        return succession.listed(entries) if entries else None

    def sign(self, statement: bytes) -> Mapping[str, bytes]:
        """Ed25519 over the DSSE encoding: the same statement and key give the same bytes (RFC 8032)."""
        from trustops.signing import ed25519

        name = self._current()
        if name is None:
            raise Refused("there is no signing key", where=str(self.folder), remedy="`trustops keys init` makes one.")
        key, public = self._opened(name)
        return bundle.sealed(statement, public, key.sign(dsse.signed_bytes(statement)), ed25519.fingerprint(public))

    def pen(self) -> Pen | None:
        """The key in use, opened once; None before `keys init`."""
        name = self._current()
        return Pen(*self._opened(name)) if name else None

    def _opened(self, name: str) -> tuple[Ed25519PrivateKey, bytes]:
        """A key to sign with, and its public half; raises UsageError where it cannot be used."""
        from trustops.signing import ed25519

        file = f"{name}.private.pem"
        data = self._read(file)
        if os.name == "posix" and (self.folder / file).stat().st_mode & 0o077:
            raise UsageError("others may read the signing key", where=file, remedy=f"`chmod 600` it in {self.folder}, or rotate.")
        try:
            key = ed25519.opened(data, self._passphrase(data))
        except ValueError as bad:
            raise UsageError(f"the signing key cannot be used: {bad}", where=file, remedy=f"Set {WHERE} to its passphrase.") from bad
        public = ed25519.pem(key.public_key())
        if public != self._read(f"{name}.public.pem"):
            raise UsageError("the private key is not the public one's", where=file, remedy="Restore both from a backup, or rotate.")
        return key, public

    def _passphrase(self, private: bytes) -> str:
        """The given passphrase, else the keyring's; it is asked only for a key that is encrypted."""
        from trustops.signing import ed25519

        if self.passphrase or self.vault is None or not ed25519.encrypted(private):
            return self.passphrase
        return self.vault.known()

    def _current(self) -> str | None:
        return self._named(CURRENT)

    def _named(self, file: str) -> str | None:
        """The key that a file names, None where there is no such file."""
        try:
            return (self.folder / file).read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as bad:
            raise UsageError(f"the keys cannot be read ({bad})", where=file, remedy="Restore the folder from a backup.") from bad

    def _read(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except OSError as bad:
            reason = bad.strerror or "unreadable"
            raise UsageError(f"the key cannot be read ({reason})", where=name, remedy="Restore it, or `trustops keys rotate`.") from bad

    def _begun(self) -> tuple[str, str]:
        """The key that is being made and the one that it replaces; empty where there is none."""
        made, _, old = (self._named(BEGUN) or "").partition(" ")
        return made, old

    def _generate(self, old: str) -> KeyInfo:
        """`begun` names the pair from before it is there until after it is in force, so that a crash in between can be told."""
        from trustops.signing import ed25519

        private, public = ed25519.generate(self.passphrase or (self.vault.made() if self.vault else ""))
        name = ed25519.fingerprint(public)[:16]
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place({self.folder / BEGUN: f"{name} {old}\n".encode()})
        place({self.folder / f"{name}.private.pem": private}, mode=0o600)
        place({self.folder / f"{name}.public.pem": public})
        self._succeed(old, name, public)
        place({self.folder / CURRENT: f"{name}\n".encode()})
        return self._in_force(name, old)

    def _succeed(self, old: str, name: str, public: bytes) -> None:
        """The old key's word for the new one, as long as it can still sign."""
        from trustops.signing import succession

        if not old:
            return
        with suppress(UsageError):  # a lost key is why many a rotation happens
            key, before = self._opened(old)
            place({self.folder / f"{name}.succession.json": succession.entry(before, public, key.sign(succession.message(before, public)))})

    def _recovered(self) -> KeyInfo | None:
        """What a process that was killed had begun: a key in force is finished, and given; of one that never was nothing stays."""
        made, old = self._begun()
        if made and made == self._current():
            return self._in_force(made, old)
        if made:
            for file in (f"{made}.succession.json", f"{made}.public.pem", f"{made}.private.pem", BEGUN):
                (self.folder / file).unlink(missing_ok=True)
        return None

    def _in_force(self, name: str, old: str) -> KeyInfo:
        """After a rotation the private halves of all keys before are removed: they sign nothing more."""
        for file in self.folder.glob("*.private.pem") if old else ():
            if file.name != f"{name}.private.pem":
                file.unlink()
        (self.folder / BEGUN).unlink(missing_ok=True)
        return _info(self.folder / f"{name}.public.pem", current=True)


def _info(path: Path, *, current: bool) -> KeyInfo:
    from trustops.signing import ed25519

    try:
        return KeyInfo(fingerprint=ed25519.fingerprint(path.read_bytes()), public_key=str(path), current=current)
    except ValueError as bad:
        raise UsageError(str(bad), where=path.name, remedy="Restore it from a backup.") from bad
