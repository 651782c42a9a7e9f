"""SIGNAL events and AMF envelopes in the form that SCORE publishes them in (scoring.md, section 2; vectors in tests/data/vectors)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

COMPLETED, UPDATED = "score.evaluation.completed", "score.reputation.updated"


def event(id: str, topic: str, publisher: str, at: str, payload: Mapping[str, Any], secret: str, *, key: str = "") -> dict[str, Any]:
    """A signed event; `key` is its idempotency key, else its id. `at` is written as the protocol writes instants."""
    return {
        "id": id,
        "topic": topic,
        "publisher": publisher,
        "publishedAt": at,
        "idempotencyKey": key or id,
        "payload": dict(payload),
        "signature": _sign(f"{id}:{topic}:{publisher}:{at}", secret),
    }


def verify_event(event: Mapping[str, Any], secret: str) -> bool:
    """Whether the signature fits; it covers id, topic, publisher and instant, not the payload, as in the original."""
    text = ":".join(str(event.get(field, "")) for field in ("id", "topic", "publisher", "publishedAt"))
    return hmac.compare_digest(_sign(text, secret), str(event.get("signature", "")))


def matches(pattern: str, topic: str) -> bool:
    """Whether a topic passes a filter: `*` is one part, `**` any number of parts, none included."""
    return _parts_match(pattern.split("."), topic.split("."))


def _parts_match(pattern: list[str], topic: list[str]) -> bool:
    if not pattern:
        return not topic
    if pattern[0] == "**":
        return any(_parts_match(pattern[1:], topic[start:]) for start in range(len(topic) + 1))
    return bool(topic) and pattern[0] in ("*", topic[0]) and _parts_match(pattern[1:], topic[1:])


def envelope(id: str, sender: str, recipient: str | None, at: str, topic: str, data: Mapping[str, Any], secret: str) -> dict[str, Any]:
    """An event in an AMF 0.1 envelope. What is signed is the SHA-256 of the message, its fields in their order and without the version."""
    message = {
        "id": id,
        "sender": sender,
        "recipient": recipient,
        "sentAt": at,
        "payload": {"type": "event", "topic": topic, "data": dict(data)},
    }
    return {"amf": "0.1", **message, "signature": _sign(hashlib.sha256(canonical(message).encode()).digest(), secret)}


def canonical(message: Mapping[str, Any]) -> str:
    """The signed text of an envelope: JSON without spaces, fields in their order."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def _sign(text: str | bytes, secret: str) -> str:
    data = text.encode() if isinstance(text, str) else text
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()
