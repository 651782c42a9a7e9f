"""The signature of a bundle as members of its own, and the check of it. Implements ports.Bundles.

Beside the envelope stand the raw bytes that were signed and the raw signature, so that plain `openssl pkeyutl -verify` works.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from trustops.ports import ENVELOPE, MESSAGE, PUBLIC_KEY, SIGNATURE, STATEMENT, SUCCESSION, Signed
from trustops.signing import container, dsse, placing


def sealed(statement: bytes, public_key: bytes, signature: bytes, keyid: str) -> dict[str, bytes]:
    """The members that a signature adds."""
    return {
        ENVELOPE: dsse.envelope(statement, keyid, signature),
        MESSAGE: dsse.signed_bytes(statement),
        SIGNATURE: signature,
        PUBLIC_KEY: public_key,
    }


class CanonicalBundles:
    """Needs no key and no workspace: what a receiver has is enough."""

    def pack(self, members: Mapping[str, bytes]) -> bytes:
        return container.pack(members)

    def unpack(self, data: bytes) -> dict[str, bytes]:
        return container.unpack(data)

    def check(self, members: Mapping[str, bytes]) -> Signed:
        """The signature over the statement, and that its four members say the same."""
        from trustops.signing import ed25519, succession

        if not {ENVELOPE, MESSAGE, SIGNATURE, PUBLIC_KEY} & set(members):
            return Signed(ok=False, fingerprint=None, detail="it is not signed: ask the sender for a signed bundle")
        missing = sorted({ENVELOPE, MESSAGE, SIGNATURE, PUBLIC_KEY, STATEMENT} - set(members))
        if missing:
            return Signed(ok=False, fingerprint=None, detail=f"{', '.join(missing)} is missing")
        try:
            key = ed25519.pem(ed25519.public(members[PUBLIC_KEY]))
            keyid = ed25519.fingerprint(key)
        except ValueError as bad:
            return Signed(ok=False, fingerprint=None, detail=f"{PUBLIC_KEY}: {bad}")
        expected = sealed(members[STATEMENT], key, members[SIGNATURE], keyid)
        other = [name for name, data in expected.items() if members[name] != data]
        if other:
            return Signed(ok=False, fingerprint=keyid, detail=f"{', '.join(other)} does not belong to {STATEMENT}")
        if not ed25519.verifies(key, members[SIGNATURE], members[MESSAGE]):
            return Signed(ok=False, fingerprint=keyid, detail=f"the signature is not one of {PUBLIC_KEY} over {STATEMENT}")
        try:
            before = succession.predecessors(members[SUCCESSION], key) if SUCCESSION in members else ()
        except ValueError as bad:
            return Signed(ok=False, fingerprint=keyid, detail=f"{SUCCESSION}: {bad}")
        return Signed(ok=True, fingerprint=keyid, detail=f"Ed25519 over {STATEMENT}, in a DSSE envelope", predecessors=before)

    def fingerprint(self, public_key: bytes) -> str:
        """Raises ValueError where it is no Ed25519 public key."""
        from trustops.signing import ed25519

        return ed25519.fingerprint(public_key)

    def opened(self, envelope: bytes, public_key: bytes) -> bytes:
        """The statement of an envelope that stands alone; raises ValueError where this key did not sign it."""
        from trustops.signing import ed25519

        statement, signature = dsse.payload_of(envelope, ed25519.fingerprint(public_key))
        if not ed25519.verifies(public_key, signature, dsse.signed_bytes(statement)):
            raise ValueError("the signature is not one of this key over this statement")
        return statement

    def waiting(self) -> AbstractContextManager[placing.Waiting]:
        return placing.waiting()
