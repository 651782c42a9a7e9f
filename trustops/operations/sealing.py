"""The store's own seal of an evaluation: what was written past the ledger, or altered in it, does not count.

Keyed BLAKE2b (RFC 7693) with a secret that lies in a 0600 file beside the ledger. Who may read that file can forge a seal; the envelope of
an organisation with a signing key cannot be forged so, and `trustops score verify` looks at both.
"""

from __future__ import annotations

import hmac
from hashlib import blake2b

from trustops.domain.scores import Composite, KeptEvaluation, seal_text
from trustops.ports import Pen

PURPOSE = "trustops score v0.2 HMAC"


def sealed(kept: KeptEvaluation, secret: str) -> KeptEvaluation:
    """The evaluation with its seal filled in."""
    return kept.model_copy(update={"seal": seal_of(kept.counted, secret.encode())})


def seal_of(counted: Composite, secret: bytes) -> str:
    """Lower-case hexadecimal."""
    return blake2b(seal_text(counted).encode(), key=secret, digest_size=32).hexdigest()


def holds(counted: Composite, secret: bytes) -> bool:
    """Whether the seal fits, in constant time."""
    return hmac.compare_digest(seal_of(counted, secret), counted.seal)


def protocol_secret(pen: Pen | None, secret: str) -> str:
    """What the protocol's own signature is made with: derived from the organisation's key where there is one, else from the seals' secret.
    Neither can be had from it, and a signature can never pass as a seal."""
    return pen.secret(PURPOSE) if pen else hmac.digest(secret.encode(), PURPOSE.encode(), "sha256").hex()
