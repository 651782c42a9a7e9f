"""The operating system's keyring, where there is one: it keeps the passphrase of the signing key, so that nobody has to type it.

The library `keyring` is an extra. Without it, without a keyring behind it (a server), or where the keyring refuses, there is no
passphrase here, and `TRUSTOPS_KEY_PASSPHRASE` is the way.
"""

from __future__ import annotations

import secrets
from typing import Any

SERVICE = "trustops signing key"


class Vault:
    """The passphrase of one organisation's keys. Nothing is imported before it is asked for."""

    def __init__(self, organisation: str) -> None:
        self.organisation = organisation

    def known(self) -> str:
        """The passphrase that the keyring holds, empty where it holds none."""
        ring = _ring()
        if ring is None:
            return ""
        try:
            return str(ring.get_password(SERVICE, self.organisation) or "")
        except ring_errors():
            return ""

    def made(self) -> str:
        """The passphrase that the keyring holds, or a new one that it now does; empty where it keeps nothing."""
        ring, known = _ring(), self.known()
        if ring is None or known:
            return known
        fresh = secrets.token_urlsafe(32)
        try:
            ring.set_password(SERVICE, self.organisation, fresh)
        except ring_errors():
            return ""
        return fresh if self.known() == fresh else ""


def _ring() -> Any | None:
    """The keyring of this system, None without the library or where it found no place to keep anything."""
    try:
        import keyring
        from keyring.backends import fail
    except ImportError:
        return None
    found = keyring.get_keyring()
    return None if isinstance(found, fail.Keyring) else found


def ring_errors() -> tuple[type[Exception], ...]:
    """What a keyring that is locked or gone raises."""
    from keyring.errors import KeyringError

    return (KeyringError, RuntimeError, OSError)
