"""Fetching: the files of an export out of the books, byte for byte as they left."""

from __future__ import annotations

import tempfile
from pathlib import Path

from trustops.domain.chain import sha256
from trustops.domain.errors import TrustOpsError, UnknownName
from trustops.operations.books import open_books
from trustops.operations.bundling import bundle, receipt_bytes
from trustops.operations.gap_register import write_gap_register
from trustops.operations.office import Office
from trustops.operations.oscal import assessment_results
from trustops.operations.standing import standing
from trustops.ports import ExportRecord, StoredReview

FILES = ("answered", "receipt", "bundle", "oscal")


def export_named(office: Office, name: str) -> tuple[StoredReview, ExportRecord]:
    """An export and its review; raises UnknownName where there is none."""
    for review in office.ledger.reviews():
        for record in office.ledger.exports(review.id):
            if record.id == name:
                return review, record
    raise UnknownName(f"there is no export {name!r}", remedy="Its receipt is called receipt-KEY.json; the export is X-KEY.")


def fetch(office: Office, review: StoredReview, record: ExportRecord, what: str) -> tuple[str, bytes]:
    """Name and bytes of one file of an export; `what` is one of FILES. The bundle is a function of the record and the key, so it is made
    again."""
    key = record.id.removeprefix("X-")
    if what == "receipt":
        return f"receipt-{key}.json", receipt_bytes(record.receipt)
    if what == "oscal":
        return f"assessment-results-{key}.json", assessment_results(office, open_books(office, review), record)
    answered = _blob(office, record.sha256, record.file)
    if what == "answered":
        return record.file, answered
    told = record.receipt.get("attachments")
    named = [entry for entry in told if isinstance(entry, dict)] if isinstance(told, list) else []
    attachments = {str(entry["file"]): _blob(office, str(entry["sha256"]), str(entry["file"])) for entry in named}
    return f"bundle-{key}.zip", bundle(office, record, answered, attachments)


def gaps(office: Office, review: StoredReview) -> tuple[str, bytes]:
    """The gap register of a review as it stands now, as CSV."""
    books = open_books(office, review)
    standings = {q.ref: standing(office, books, q.ref) for q in review.questionnaire.questions}
    with tempfile.TemporaryDirectory() as scratch:
        written = write_gap_register(books, standings, Path(scratch), review.id).with_suffix(".csv")
        return written.name, written.read_bytes()


def _blob(office: Office, name: str, file: str) -> bytes:
    data = office.ledger.get_blob(name)
    if data is None or sha256(data) != name:
        raise TrustOpsError("a file of this export is not in the ledger as it left", where=file, remedy="`trustops doctor` looks closer.")
    return data
