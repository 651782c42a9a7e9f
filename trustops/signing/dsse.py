"""DSSE v1 (secure-systems-lab/dsse, protocol.md): a signature over type and payload, so that neither can be read as something else."""

from __future__ import annotations

import base64
import binascii
import json

from trustops.domain.chain import canonical

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""An in-toto Statement (in-toto/attestation, spec v1, envelope.md)."""


def signed_bytes(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """The pre-authentication encoding: "DSSEv1" SP LEN(type) SP type SP LEN(payload) SP payload, lengths in decimal bytes."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def envelope(payload: bytes, keyid: str, signature: bytes) -> bytes:
    """The envelope's one form: RFC 8785 bytes, standard base64."""
    entry = {"keyid": keyid, "sig": base64.b64encode(signature).decode()}
    return canonical({"payload": base64.b64encode(payload).decode(), "payloadType": PAYLOAD_TYPE, "signatures": [entry]})


def payload_of(data: bytes, keyid: str) -> tuple[bytes, bytes]:
    """Statement and signature of an envelope; raises ValueError for anything but the one form with one signature of this key."""
    try:
        found = json.loads(data)
        (entry,) = found["signatures"]
        payload, signature = base64.b64decode(found["payload"], validate=True), base64.b64decode(entry["sig"], validate=True)
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise ValueError("it is no DSSE envelope with one signature") from None
    if envelope(payload, keyid, signature) != data:
        raise ValueError("the envelope is not in its one form, or names another key")
    return payload, signature
