"""Canonical bytes and digests (RFC 8785, SHA-256), and the link of the audit chain (architecture.md, "Audit trail")."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import rfc8785
from pydantic import BaseModel

_NUMBER = re.compile(r"[:,\[]-?(?:\d{16}|\d+[.eE])")
_FAR = re.compile("[\ud800-\U0010ffff]")
"""Where Python's JSON may differ from RFC 8785: floats, integers beyond 2**53, and keys beyond the plane in which code points and UTF-16
units have one order. The patterns also find such text inside strings; then the slower way gives the same bytes."""

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False, allow_nan=False).encode


def canonical(value: Any, *, exclude: frozenset[str] = frozenset()) -> bytes:
    """The RFC 8785 bytes of a noun, without the excluded fields, or of a JSON value; raises rfc8785's error on what JSON cannot hold
    exactly. A noun's JSON has text keys only, so Python's own encoder may write it; the library is ten times as slow."""
    if not isinstance(value, BaseModel):
        return rfc8785.dumps(value)
    return _quickly(value.model_dump(mode="json", exclude=set(exclude)))


def _quickly(plain: Any) -> bytes:
    """The RFC 8785 bytes of a JSON value whose keys are text."""
    try:
        quick = _encode(plain)
    except ValueError:  # not a number, or infinite
        return rfc8785.dumps(plain)
    unlike = _NUMBER.search(quick) or (not quick.isascii() and _FAR.search(quick))
    return rfc8785.dumps(plain) if unlike else quick.encode()


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any, *, exclude: frozenset[str] = frozenset()) -> str:
    """SHA-256 over the canonical bytes of a noun or a JSON value."""
    return sha256(canonical(value, exclude=exclude))


def link(*, chain: str, seq: int, prev: str, at: str, kind: str, actor: str, payload_sha256: str) -> str:
    """Hash of one audit record. The payload stands apart, by digest, so that it can be redacted without breaking the chain."""
    told = {"v": 1, "chain": chain, "seq": seq, "prev": prev, "ts": at, "type": kind, "actor": actor, "payload_sha256": payload_sha256}
    return sha256(_quickly(told))


def genesis(organisation: str, chain: str) -> str:
    """The `prev` of the first record: it names the organisation, so that no chain can be moved to another one."""
    return digest({"v": 1, "organisation": organisation, "chain": chain})
