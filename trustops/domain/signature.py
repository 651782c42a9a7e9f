"""Signing keys and signatures as they are shown, and the members of a bundle that a signature is about."""

from __future__ import annotations

from trustops.domain.base import Noun


class KeyInfo(Noun):
    """A signing key as it may be shown. `fingerprint` is SHA-256 over the public key's DER form (RFC 8410)."""

    fingerprint: str
    public_key: str
    current: bool


PUBLIC_KEY, STATEMENT, SUCCESSION = "public-key.pem", "statement.json", "succession.json"
ENVELOPE, MESSAGE, SIGNATURE = "envelope.dsse.json", "signed.bin", "signature.bin"
"""Members of a bundle that its signature is about, and the three that a signature adds."""


class Signed(Noun):
    """What was found about a bundle's signature. `predecessors` are keys that named the signer's key as their successor, oldest first."""

    ok: bool
    fingerprint: str | None
    detail: str
    predecessors: tuple[str, ...] = ()
