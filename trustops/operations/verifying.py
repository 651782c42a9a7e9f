"""Verifying: a bundle by itself, offline, without a workspace. Every byte is accounted for, or the check that failed is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel

from trustops.domain.audit import AuditRecord
from trustops.domain.chain import canonical, digest, genesis, sha256
from trustops.domain.errors import HostileFile, MalformedFile, UsageError
from trustops.operations.bundling import APPROVALS, EXCERPT, GUIDE, MANIFEST, RECEIPT, Excerpt, Manifest, parts_of, statement, told
from trustops.ports import ENVELOPE, MESSAGE, SIGNATURE, STATEMENT, Bundles

LARGEST = 256 * 1024 * 1024
START = b"PK\3\4"
INTEGRITY_ONLY = "the key is the bundle's own: it proves integrity only. Compare it with --key PUB that reached you on another way"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """`integrity`: all bytes belong together. `valid`: and they are signed, by the key that was given where one was."""

    valid: bool
    integrity: bool
    signer_fingerprint: str | None
    trusted_key: bool
    checks: tuple[Check, ...]


class ReceiptAnswer(BaseModel):
    question: str
    version: int
    digest: str
    approved_by: str
    identity: str


class ReceiptFile(BaseModel):
    file: str
    sha256: str


class Receipt(BaseModel):
    """What is compared of a receipt; the rest of it is bound by digest."""

    review: str
    organisation: str
    to: str
    execution_mode: str
    answered: ReceiptFile
    answers: tuple[ReceiptAnswer, ...]
    attachments: tuple[ReceiptFile, ...]


def verify(bundles: Bundles, path: Path, key: Path | None = None) -> Verified:
    """Looks at all of a bundle. Raises MalformedFile or HostileFile (exit code 2) for a file that is no bundle at all."""
    return examine(bundles, _read(path), _given(bundles, key) if key is not None else None)


def examine(bundles: Bundles, data: bytes, given: str | None = None) -> Verified:
    """The same for bytes that begin as a bundle does, and the fingerprint of a key that is known otherwise."""
    try:
        members = bundles.unpack(data)
    except ValueError as bad:
        return Verified(False, False, None, False, (Check("container", False, f"{bad}; it was changed after it was made"),))
    checks = [Check("container", True, f"canonical form, {len(members)} members, {len(data)} bytes"), *_contents(members)]
    integrity = all(check.ok for check in checks)
    signed = bundles.check(members)
    checks.append(Check("signature", signed.ok, signed.detail))
    signer = signed.fingerprint if signed.ok else None  # who did not sign is not named as the signer
    if signer is not None:
        checks.append(_key(signer, given, signed.predecessors))
    trusted = signer is not None and given in (signer, *signed.predecessors)
    return Verified(all(check.ok for check in checks), integrity, signer, trusted, tuple(checks))


def _read(path: Path) -> bytes:
    """The file, where it can be a bundle at all."""
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path))
    if path.stat().st_size > LARGEST:
        raise HostileFile(f"it is larger than {LARGEST >> 20} MB, which no bundle is", where=path.name)
    data = path.read_bytes()
    if not data.startswith(START) or data[30 : 30 + len(GUIDE)] != GUIDE.encode():
        raise MalformedFile("this is not a bundle", where=path.name, remedy="Give the bundle-KEY.zip that `trustops export` wrote.")
    return data


def _given(bundles: Bundles, key: Path) -> str:
    if not key.is_file():
        raise UsageError("there is no such file", where=str(key))
    try:
        return bundles.fingerprint(key.read_bytes())
    except ValueError as bad:
        raise MalformedFile(str(bad), where=key.name, remedy="Give the sender's public key, a PEM file.") from bad


def _key(signer: str, given: str | None, predecessors: Sequence[str]) -> Check:
    if given is None:
        return Check("key", True, INTEGRITY_ONLY)
    if given == signer:
        return Check("key", True, "the signer's key is the one that you gave")
    if given in predecessors:
        steps = len(predecessors) - list(predecessors).index(given)
        how = "which signed it" if steps == 1 else f"over {steps} rotations; each key signed the next"
        return Check("key", True, f"the signer's key is the successor of the one that you gave, {how}")
    return Check("key", False, f"the bundle is signed by another key than the one that you gave ({given})")


def _contents(members: Mapping[str, bytes]) -> Iterator[Check]:
    """Each check by itself, as long as there is a manifest to check against."""
    looks: tuple[tuple[str, Callable[[Mapping[str, bytes]], str]], ...] = (
        ("manifest", _manifest),
        ("members", _members),
        ("digests", _digests),
        ("receipt", _receipt),
        ("parts", _parts),
        ("chain", _chain),
        ("statement", _statement),
    )
    for name, look in looks:
        try:
            yield Check(name, True, look(members))
        except KeyError as missing:
            yield Check(name, False, f"{missing.args[0]} is missing")
        except (ValueError, RecursionError) as bad:
            yield Check(name, False, " ".join(str(bad).split())[:300])


def _manifest(members: Mapping[str, bytes]) -> str:
    found = Manifest.model_validate_json(members[MANIFEST])
    _must(canonical(found) == members[MANIFEST], f"{MANIFEST} is not in canonical form (RFC 8785)")
    return f"export {found.export} of {found.organisation} to {found.to} at {found.exported_at} [{found.execution_mode}]"


def _members(members: Mapping[str, bytes]) -> str:
    found = Manifest.model_validate_json(members[MANIFEST])
    signature = {ENVELOPE, MESSAGE, SIGNATURE} if found.signature == "ed25519" else set()
    expected = {member.name for member in found.members} | {MANIFEST, STATEMENT} | signature
    missing, extra = sorted(expected - set(members)), sorted(set(members) - expected)
    _must(not missing, f"missing: {', '.join(missing)}")
    _must(not extra, f"not in the manifest: {', '.join(extra)}")
    return f"{len(members)}, none missing, none besides"


def _digests(members: Mapping[str, bytes]) -> str:
    found = Manifest.model_validate_json(members[MANIFEST]).members
    for member in found:
        data = members[member.name]
        _must((sha256(data), len(data)) == (member.sha256, member.size), f"{member.name} is not the file that the manifest names")
    return f"{len(found)} files as the manifest names them (SHA-256)"


def _receipt(members: Mapping[str, bytes]) -> str:
    manifest, receipt = Manifest.model_validate_json(members[MANIFEST]), Receipt.model_validate_json(members[RECEIPT])
    _must(sha256(members[manifest.answered]) == receipt.answered.sha256, f"{manifest.answered} is not the file that the receipt names")
    for attached in receipt.attachments:
        _must(sha256(members[attached.file]) == attached.sha256, f"{attached.file} is not the file that the receipt names")
    told_by_receipt = (receipt.review, receipt.organisation, receipt.to, receipt.execution_mode)
    told_by_manifest = (manifest.review, manifest.organisation, manifest.to, manifest.execution_mode)
    _must(told_by_receipt == told_by_manifest, "receipt and manifest are of different exports")
    return f"{len(receipt.answers)} answers in {receipt.answered.file}"


def _parts(members: Mapping[str, bytes]) -> str:
    manifest = Manifest.model_validate_json(members[MANIFEST])
    found = parts_of(members[manifest.answered])
    other = sorted(name for name in set(found) | set(manifest.parts) if found.get(name) != manifest.parts.get(name))
    _must(not other, f"parts of {manifest.answered} differ from the manifest: {', '.join(other[:5])}")
    return f"{len(found)} parts of {manifest.answered} as the manifest names them"


def _chain(members: Mapping[str, bytes]) -> str:
    manifest, excerpt = Manifest.model_validate_json(members[MANIFEST]), Excerpt.model_validate_json(members[EXCERPT])
    records = excerpt.records
    _must(excerpt.organisation == manifest.organisation and bool(records), "the excerpt is of another organisation, or empty")
    for record in records:
        _must(not record.problem(), f"record {record.seq}: {record.problem()}")
        _must(record.payload is not None, f"record {record.seq}: its payload is not in the excerpt")
    _must(records[0].seq > 1 or records[0].prev == genesis(excerpt.organisation, records[0].chain), "record 1: it is of another chain")
    adjacent = _links(records)
    head = records[-1]
    _must((head.chain, head.seq, head.hash) == tuple(manifest.checkpoint.model_dump().values()), "the last record is not the checkpoint")
    _covers(manifest, members, records)
    return f"{len(records)} records, {adjacent} of them linked to their neighbour; head {head.seq} {head.hash[:16]}"


def _links(records: tuple[AuditRecord, ...]) -> int:
    """Numbers must rise; a record that follows its neighbour at once must name its hash. How many do is given back."""
    adjacent = 0
    for before, after in pairwise(records):
        _must(after.chain == before.chain and after.seq > before.seq, f"record {after.seq}: it stands out of order")
        if after.seq == before.seq + 1:
            _must(after.prev == before.hash, f"record {after.seq}: it does not follow the record before it")
            adjacent += 1
    return adjacent


def _covers(manifest: Manifest, members: Mapping[str, bytes], records: tuple[AuditRecord, ...]) -> None:
    """Every answer of the receipt has its approval, and the head is this export with this receipt and this file."""
    receipt, head = Receipt.model_validate_json(members[RECEIPT]), records[-1]
    bound = ("question", "version", "digest", "by", "identity")
    approved = {tuple(told(record, key) for key in bound) for record in records if record.kind in APPROVALS}
    for answer in receipt.answers:
        named = (answer.question, str(answer.version), answer.digest, answer.approved_by, answer.identity)
        _must(named in approved, f"the approval of {answer.question} as the receipt tells it is not in the excerpt")
    found = (head.kind, told(head, "id"), told(head, "sha256"), told(head, "receipt_sha256"))
    written = digest(json.loads(members[RECEIPT]))
    _must(found == ("exported", manifest.export, receipt.answered.sha256, written), f"record {head.seq} is not the record of this export")


def _statement(members: Mapping[str, bytes]) -> str:
    _must(statement(members[MANIFEST]) == members[STATEMENT], f"{STATEMENT} is not the statement of {MANIFEST}")
    return "in-toto Statement v1 over the manifest and its members"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
