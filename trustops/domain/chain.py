"""Canonical bytes and digests (RFC 8785, SHA-256), and the link of the audit chain (architecture.md, "Audit trail")."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785
from pydantic import BaseModel


def canonical(value: Any) -> bytes:
    """The RFC 8785 bytes of a noun or of a JSON value; raises rfc8785's error on what JSON cannot hold exactly."""
    return rfc8785.dumps(value.model_dump(mode="json") if isinstance(value, BaseModel) else value)


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 over the canonical bytes of a noun or a JSON value."""
    return sha256(canonical(value))


def link(*, chain: str, seq: int, prev: str, at: str, kind: str, actor: str, payload_sha256: str) -> str:
    """Hash of one audit record. The payload stands apart, by digest, so that it can be redacted without breaking the chain."""
    return digest(
        {"v": 1, "chain": chain, "seq": seq, "prev": prev, "ts": at, "type": kind, "actor": actor, "payload_sha256": payload_sha256}
    )


def genesis(organisation: str, chain: str) -> str:
    """The `prev` of the first record: it names the organisation, so that no chain can be moved to another one."""
    return digest({"v": 1, "organisation": organisation, "chain": chain})
