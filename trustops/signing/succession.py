"""Which key follows which: at a rotation the old key signs the name of the new one, so that whoever trusts the old one can follow.

The list stands in a bundle as `succession.json`, oldest first; each entry is a DSSE envelope of its own payload type with the key that
signed it. A rotation whose old private key was lost has no entry, and the list begins behind it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from trustops.domain.chain import canonical
from trustops.signing import dsse, ed25519

PAYLOAD_TYPE = "application/vnd.trustops.succession+json"
MOST = 1000
"""Rotations; a longer list is none of ours."""


def message(old: bytes, new: bytes) -> bytes:
    """What the old key signs about the new one, both given as PEM."""
    return dsse.signed_bytes(_payload(ed25519.fingerprint(old), ed25519.fingerprint(new)), PAYLOAD_TYPE)


def entry(old: bytes, new: bytes, signature: bytes) -> bytes:
    """One succession as a file: RFC 8785 bytes."""
    return canonical(_entry(old, new, signature))


def listed(entries: Sequence[bytes]) -> bytes:
    """The list of a bundle, from entries oldest first."""
    return canonical([json.loads(each) for each in entries])


def signer_of(data: bytes) -> str:
    """The fingerprint of the key that signed one entry, as it says itself; `predecessors` checks it."""
    return str(json.loads(data)["signatures"][0]["keyid"])


def predecessors(data: bytes, signer: bytes) -> tuple[str, ...]:
    """Fingerprints of the keys that lead to the signer's, oldest first. Raises ValueError where any byte of the list is otherwise than
    those keys and signatures make it, or where it leads elsewhere."""
    found = _entries(data)
    keys = [_pem(entry) for entry in found] + [signer]
    again = []
    for old, new, told in zip(keys, keys[1:], found, strict=False):
        signature = _signature(told)
        if not ed25519.verifies(old, signature, message(old, new)):
            raise ValueError(f"the key {ed25519.fingerprint(old)[:16]} did not sign {ed25519.fingerprint(new)[:16]} as its successor")
        again.append(_entry(old, new, signature))
    if canonical(again) != data:
        raise ValueError("it is not in canonical form (RFC 8785)")
    return tuple(ed25519.fingerprint(key) for key in keys[:-1])


def _payload(old: str, new: str) -> bytes:
    return canonical({"predecessor": old, "successor": new, "v": 1})


def _entry(old: bytes, new: bytes, signature: bytes) -> dict[str, Any]:
    keyid = ed25519.fingerprint(old)
    signed = {"keyid": keyid, "sig": base64.b64encode(signature).decode()}
    payload = base64.b64encode(_payload(keyid, ed25519.fingerprint(new))).decode()
    return {"payload": payload, "payloadType": PAYLOAD_TYPE, "publicKey": old.decode(), "signatures": [signed]}


def _entries(data: bytes) -> list[dict[str, Any]]:
    try:
        found = json.loads(data)
    except RecursionError as bad:
        raise ValueError("it is nested too deeply") from bad
    if not isinstance(found, list) or not 0 < len(found) <= MOST or not all(isinstance(each, dict) for each in found):
        raise ValueError("it is no list of successions")
    return found


def _pem(told: dict[str, Any]) -> bytes:
    return ed25519.pem(ed25519.public(str(told.get("publicKey", "")).encode()))


def _signature(told: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(told["signatures"][0]["sig"], validate=True)
    except (KeyError, IndexError, TypeError, ValueError):
        raise ValueError("an entry has no signature") from None
