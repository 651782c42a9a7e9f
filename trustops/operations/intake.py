"""Intake: a customer's file becomes a review, identified by the file's digest."""

from __future__ import annotations

from pathlib import Path

from trustops.domain.chain import sha256
from trustops.domain.errors import UsageError
from trustops.domain.question import Questionnaire
from trustops.operations.office import Office
from trustops.ports import StoredReview


def take_in(office: Office, path: Path, mapping: Path | None = None) -> StoredReview:
    """The review of a file: the one that exists for these bytes, or a new one. Raises where no question is found."""
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path))
    if mapping is not None and not mapping.is_file():
        raise UsageError("there is no such mapping", where=str(mapping))
    data = path.read_bytes()
    name = review_id(data, mapping)
    known = office.ledger.get_review(name)
    if known is not None:
        return known
    questionnaire = parse(office, path, mapping)
    review = StoredReview(id=name, organisation=office.organisation, questionnaire=questionnaire, created_at=office.clock.now())
    with office.ledger.writing(durable=True):
        if (known := office.ledger.get_review(name)) is not None:  # somebody took the same file in while this one was parsed
            return known
        office.ledger.put_blob(data)
        office.ledger.append_review(review)
    return review


def parse(office: Office, path: Path, mapping: Path | None = None) -> Questionnaire:
    """The questions of a file, before anything is stored."""
    questionnaire = office.formats.read(path, mapping)
    if not questionnaire.questions:
        raise UsageError(
            "no question was found in this file",
            where=path.name,
            remedy="`trustops parse FILE --save-map map.yaml` writes a mapping to correct; then use --map.",
        )
    return questionnaire


def review_id(data: bytes, mapping: Path | None) -> str:
    """R- and twelve hexadecimal digits over the file, and the mapping where one was given: another mapping is another case."""
    correction = mapping.read_bytes() if mapping and mapping.is_file() else b""
    return f"R-{sha256(data + correction)[:12]}"
