"""What leaves, and what is found when it comes back: exports with their files, bundles to verify, answers to recall."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from trustops.console.asked import Nothing, Send
from trustops.console.bodies import body_of
from trustops.console.downloads import attachment
from trustops.console.finding import review_named, sent_named
from trustops.console.forms import FIELD, form_of
from trustops.console.people import office_of, somebody
from trustops.console.problems import Json, Problem
from trustops.operations.collecting import collect_snapshots, unread
from trustops.operations.exporting import export
from trustops.operations.fetching import FILES, fetch
from trustops.operations.indexing import index_evidence
from trustops.operations.listing import recall_row
from trustops.operations.office import Office
from trustops.operations.recalling import recalls
from trustops.operations.verifying import verify as look
from trustops.ports import ExportRecord

LARGEST_BUNDLE = 64 * 1024 * 1024


async def send(request: Request) -> Json:
    """Exports what is cleared, to a customer: 201 with what left and what stayed. 409 where nothing is cleared. The same answers to the
    same customer again are the same export."""
    office, person = somebody(request)
    asked = await body_of(request, Send)

    def done(name: str) -> dict[str, Any]:
        review = review_named(office, name)
        with tempfile.TemporaryDirectory(prefix="trustops-") as folder:  # what left is in the ledger; these files are only its copies
            made = export(office, review, Path(folder), to=asked.to, by=person)
        name = f"X-{made.receipt.stem.removeprefix('receipt-')}"
        return {
            "export": name,
            "file": made.file.name,
            "exported": list(made.exported),
            "withheld": [{"ref": ref, "reasons": list(reasons)} for ref, reasons in made.withheld],
            "replaced": [cell.model_dump() for cell in made.parts.replaced],
            "parts": {"identical": made.parts.identical, "changed": list(made.parts.changed)},
            "execution_mode": made.execution_mode,
            "signed": made.signed,
            "files": _files(name),
        }

    told = await asyncio.to_thread(done, request.path_params["review"])
    return Json(told, 201, {"Location": f"/v1/exports/{told['export']}"})


async def exports(request: Request) -> Json:
    """The exports of a review, oldest first."""

    def told(office: Office, name: str) -> list[dict[str, Any]]:
        return [_row(record) for record in office.ledger.exports(review_named(office, name).id)]

    return Json({"exports": await asyncio.to_thread(told, office_of(request), request.path_params["review"])})


async def sent(request: Request) -> Json:
    """One export as it is on record."""

    def told(office: Office, name: str) -> dict[str, Any]:
        return _row(sent_named(office, name)[1])

    return Json(await asyncio.to_thread(told, office_of(request), request.path_params["export"]))


async def file(request: Request) -> Response:
    """A file of an export: `answered`, `receipt`, `bundle` or `oscal`, byte for byte as it left."""

    def made(office: Office, name: str, what: str) -> tuple[str, bytes, str]:
        review, record = sent_named(office, name)
        if what not in FILES:
            raise Problem(404, "an export has no such file", where="file", remedy=f"One of {', '.join(FILES)}.")
        return *fetch(office, review, record, what), str(record.receipt["execution_mode"])

    named = request.path_params
    return attachment(*await asyncio.to_thread(made, office_of(request), named["export"], named["file"]))


async def verify(request: Request) -> Json:
    """Whether a bundle is what was sent and by whose key: the form has the file `bundle`, and `key` where the sender's key reached you on
    another way."""
    form = await form_of(request, files=2)
    if unknown := sorted(set(form) - {"bundle", "key", FIELD}):
        raise Problem(422, "the form has a field that is not known", where=unknown[0][:100], remedy="Known are `bundle` and `key`.")
    bundle, key = form.get("bundle"), form.get("key")
    if not isinstance(bundle, UploadFile) or not isinstance(key, UploadFile | None):
        raise Problem(422, "there is no bundle in the request", where="bundle", remedy="Send multipart/form-data with the file `bundle`.")
    given = {"bundle.zip": await bundle.read(), **({"key.pem": await key.read()} if key is not None else {})}
    return Json(await asyncio.to_thread(_verified, office_of(request), given))


def _verified(office: Office, given: dict[str, bytes]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="trustops-") as folder:
        for name, data in given.items():
            (Path(folder) / name).write_bytes(data)
        found = look(office.bundles, Path(folder) / "bundle.zip", Path(folder) / "key.pem" if "key.pem" in given else None)
    return {
        "valid": found.valid,
        "integrity": found.integrity,
        "signer_fingerprint": found.signer_fingerprint,
        "trusted_key": found.trusted_key,
        "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in found.checks],
    }


async def recall(request: Request) -> Json:
    """Answers that left and no longer hold, on what is on record."""
    found = await asyncio.to_thread(recalls, office_of(request))
    return Json({"recall": [recall_row(one) for one in found], "notices": []})


async def recall_anew(request: Request) -> Json:
    """The same after evidence and controls are read anew, which goes on record."""
    await body_of(request, Nothing)

    def done(office: Office) -> dict[str, Any]:
        index_evidence(office)
        snapshots, notices = collect_snapshots(office, office.as_of or office.clock.now())
        found = recalls(office, unread(office, snapshots))
        return {"recall": [recall_row(one) for one in found], "notices": list(notices)}

    return Json(await asyncio.to_thread(done, office_of(request)))


def _row(record: ExportRecord) -> dict[str, Any]:
    told = record.model_dump(mode="json", exclude={"id", "receipt"})
    return {**told, "export": record.id, "files": _files(record.id)}


def _files(name: str) -> dict[str, str]:
    return {what: f"/v1/exports/{name}/{what}" for what in FILES}
