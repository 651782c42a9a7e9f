"""Bundling: what left, bound together so that a receiver can check it offline (architecture.md, "Audit trail").

The members are a function of the export's record, so the same export gives the same bytes. The signed payload is an in-toto
Statement v1 (in-toto/attestation, spec v1, statement.md) whose subjects are the members.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256 as sha256_state
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from trustops.domain.audit import AuditRecord
from trustops.domain.base import Noun
from trustops.domain.chain import canonical, sha256
from trustops.domain.errors import TrustOpsError
from trustops.operations.bundle_guide import guide
from trustops.operations.office import Office
from trustops.ports import PUBLIC_KEY, STATEMENT, SUCCESSION, ExportRecord

PREDICATE = "https://trustops.example/attestation/export/v1"
MANIFEST, RECEIPT, EXCERPT, GUIDE = "manifest.json", "receipt.json", "chain.json", "VERIFY.md"
APPROVALS = ("approved", "approved_earlier")
MAX_INFLATED = 400 * 1024 * 1024
CHUNK = 1 << 20


class Member(Noun):
    name: str
    sha256: str
    size: int


class Cited(Noun):
    """The passages behind one answer: shareable ones by file and locator, the others by hash alone."""

    question: str
    passages: tuple[dict[str, str], ...]


class Checkpoint(Noun):
    """The head of the audit chain when the export was recorded: the record of the export itself."""

    chain: str
    seq: int
    hash: str


class Manifest(Noun):
    """What is in the bundle, by digest. `parts` are the answered file's zip members uncompressed; a file that is no zip is one part."""

    format: Literal["trustops-bundle/1"] = "trustops-bundle/1"
    organisation: str
    review: str
    export: str
    to: str
    exported_at: str
    execution_mode: str
    signature: Literal["ed25519", "none"]
    answered: str
    members: tuple[Member, ...]
    parts: dict[str, str]
    cited: tuple[Cited, ...]
    checkpoint: Checkpoint


class Excerpt(Noun):
    """Records of the exported answers out of the audit chain, up to the checkpoint, each with its payload."""

    organisation: str
    records: tuple[AuditRecord, ...]


def bundle(office: Office, export: ExportRecord, answered: bytes, attachments: Mapping[str, bytes]) -> bytes:
    """The bundle of a recorded export; unsigned where the organisation has no key yet."""
    public = office.signer.public_key()
    excerpt = _excerpt(office, export)
    name = answered_name(export.file)
    contents = {
        name: answered,
        **attachments,
        RECEIPT: receipt_bytes(export.receipt),
        EXCERPT: canonical(excerpt),
        GUIDE: guide(name, signed=public is not None).encode(),
        **({PUBLIC_KEY: public} if public is not None else {}),
        **({SUCCESSION: before} if public is not None and (before := office.signer.succession()) is not None else {}),
    }
    try:
        manifest = canonical(_manifest(export, excerpt, contents, name, signed=public is not None))
        signed = statement(manifest)
        added = office.signer.sign(signed) if public is not None else {}
        return office.bundles.pack({**contents, MANIFEST: manifest, STATEMENT: signed, **added})
    except ValueError as bad:
        raise TrustOpsError(f"no bundle can be made: {bad}", where=export.file) from bad


def answered_name(file: str) -> str:
    """A plain name inside the bundle: the customer's own name of the file stands in the receipt."""
    suffix = "".join(c for c in Path(file).suffix.lower() if c.isascii() and c.isalnum())
    return f"answered.{suffix or 'bin'}"


def receipt_bytes(receipt: Mapping[str, JsonValue]) -> bytes:
    """The receipt as a file, for people to read."""
    return (json.dumps(receipt, ensure_ascii=False, indent=2) + "\n").encode()


def statement(manifest: bytes) -> bytes:
    """The in-toto Statement of a manifest: its members and itself are the subjects. Raises ValueError for what is no manifest."""
    found = Manifest.model_validate_json(manifest)
    subjects = {member.name: member.sha256 for member in found.members} | {MANIFEST: sha256(manifest)}
    predicate = found.model_dump(mode="json", include={"organisation", "review", "export", "to", "exported_at", "execution_mode"})
    return canonical(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": name, "digest": {"sha256": value}} for name, value in sorted(subjects.items())],
            "predicateType": PREDICATE,
            "predicate": {**predicate, "checkpoint": found.checkpoint.model_dump()},
        }
    )


def parts_of(data: bytes) -> dict[str, str]:
    """Digests of a file's zip members, uncompressed, in chunks; raises ValueError for a damaged zip or one that inflates too far."""
    if not data.startswith(b"PK\3\4"):
        return {"": sha256(data)}
    left, found = MAX_INFLATED, {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as container:
            for entry in container.infolist():
                state = sha256_state()
                with container.open(entry) as stream:
                    while piece := stream.read(CHUNK):
                        left -= len(piece)
                        if left < 0:
                            raise ValueError(f"the answered file inflates to more than {MAX_INFLATED >> 20} MB")
                        state.update(piece)
                found[entry.filename] = state.hexdigest()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, OverflowError, zlib.error) as bad:
        raise ValueError(f"the answered file is damaged ({bad})") from bad
    return found


def _manifest(export: ExportRecord, excerpt: Excerpt, contents: Mapping[str, bytes], name: str, *, signed: bool) -> Manifest:
    head = excerpt.records[-1]
    return Manifest(
        organisation=excerpt.organisation,
        review=export.review,
        export=export.id,
        to=export.to,
        exported_at=head.at,
        execution_mode=export.execution_mode,
        signature="ed25519" if signed else "none",
        answered=name,
        members=tuple(Member(name=each, sha256=sha256(data), size=len(data)) for each, data in sorted(contents.items())),
        parts=parts_of(contents[name]),
        cited=tuple(_cited(export.receipt)),
        checkpoint=Checkpoint(chain=head.chain, seq=head.seq, hash=head.hash),
    )


def _cited(receipt: Mapping[str, JsonValue]) -> Iterable[Cited]:
    answers = receipt.get("answers")
    for answer in answers if isinstance(answers, list) else ():
        if isinstance(answer, dict):
            yield Cited.model_validate({"question": answer["question"], "passages": answer["cited"]})


def _excerpt(office: Office, export: ExportRecord) -> Excerpt:
    """The newest approval of each exported version, the edit that made it, and the export's own record as the head."""
    records = office.ledger.audit()
    head = next((r for r in records if r.kind == "exported" and told(r, "id") == export.id), None)
    if head is None:
        raise TrustOpsError(
            f"the export {export.id} is not in the audit chain", where=export.file, remedy="`trustops doctor` checks the chain."
        )
    before = [r for r in records if r.seq < head.seq and told(r, "review") == export.review]
    wanted = {(str(a["question"]), str(a["digest"])) for a in export.answers}
    approvals = {(told(r, "question"), told(r, "digest")): r for r in before if r.kind in APPROVALS}
    edits = {(told(r, "question"), told(r, "digest")): r for r in before if r.kind == "edited"}
    kept = [found[key] for found in (approvals, edits) for key in wanted if key in found]
    return Excerpt(organisation=office.organisation, records=tuple(sorted([*kept, head], key=lambda r: r.seq)))


def told(record: AuditRecord, key: str) -> str:
    """One entry of a record's payload as text; empty where the payload was redacted or has none."""
    return str(record.payload.get(key, "")) if record.payload is not None else ""


def complete_chain(office: Office, review: str, answers: Sequence[tuple[str, str]]) -> None:
    """Approvals from before the chain began are entered as such, so that every exported answer has its record."""
    known = {(told(r, "question"), told(r, "digest")) for r in office.ledger.audit() if r.kind == "approved" or r.kind in APPROVALS}
    approvals = office.ledger.latest_approvals(review)
    for question, version in answers:
        approval = approvals.get(question)
        if (question, version) not in known and approval is not None:
            payload = {"review": review, **approval.model_dump(mode="json")}
            office.ledger.append_audit("approved_earlier", actor=approval.by, payload=payload, at=office.clock.now())
