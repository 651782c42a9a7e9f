"""OSCAL: an export as assessment results (NIST OSCAL 1.1.3, assessment-results), so that governance tools can read what was said and why.

A projection: the ledger, the receipt and the bundle stay the truth. A finding is one exported answer; its target is "the answer as
written is supported and approved", which every exported answer satisfies, and says nothing about whether YES or NO is good. What was
withheld is not in it. Texts that are not shareable stand by their hash alone, as in the receipt. Not signed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from pydantic import JsonValue

from trustops.domain.answer import AnswerVersion
from trustops.domain.control import ControlReading
from trustops.operations.books import Books
from trustops.operations.office import Office
from trustops.ports import ExportRecord

VERSION = "1.1.3"
NAMESPACE = "https://trustops.example/ns/oscal"
Entry = dict[str, JsonValue]


def assessment_results(office: Office, books: Books, export: ExportRecord) -> bytes:
    """The document of one export; the same export gives the same bytes."""
    answers = [a for a in (books.answers.get(str(sent["question"])) for sent in export.answers) if a is not None]
    told = [(answer, list(_observations(books, export, answer))) for answer in answers]
    result: Entry = {
        "uuid": _id(export, "result"),
        "title": f"Answers to {export.file}",
        "description": f"What left for {export.to}, with what each answer rests on.",
        "start": export.at.isoformat(),
        "end": export.at.isoformat(),
        "props": [_prop("execution-mode", export.execution_mode), _prop("export", export.id)],
        "reviewed-controls": _reviewed(answers),
        "findings": [_finding(export, books, answer, seen) for answer, seen in told],
    }
    observations = [observation for _, seen in told for observation in seen]
    if observations:
        result["observations"] = list(observations)
    document = {
        "assessment-results": {
            "uuid": _id(export, "document"),
            "metadata": {
                "title": f"Security questionnaire of {export.to}, answered by {next(iter(office.names.own), office.organisation)}",
                "last-modified": export.at.isoformat(),
                "version": export.id,
                "oscal-version": VERSION,
            },
            "import-ap": {"href": "#", "remarks": "There is no assessment plan: the customer's questionnaire was the request."},
            "results": [result],
        }
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _finding(export: ExportRecord, books: Books, answer: AnswerVersion, seen: Iterable[Entry]) -> Entry:
    approval = books.approvals[answer.question]
    made: Entry = {
        "uuid": _id(export, "finding", answer.question),
        "title": f"Question {answer.question}: {answer.determination.value}",
        "description": answer.text or answer.determination.value,
        "props": [
            _prop("determination", answer.determination.value),
            _prop("answer-version", str(answer.version)),
            _prop("answer-digest", answer.digest),
            _prop("approved-by", approval.by),
            _prop("identity", approval.identity.value),
            *(_prop("answer-cell", f"{value.sheet}!{value.cell}") for value in answer.cells),
        ],
        "target": {
            "type": "objective-id",
            "target-id": f"answer_{answer.digest[:16]}",
            "title": "The answer as written is supported and approved",
            "status": {"state": "satisfied", "reason": "pass"},
        },
    }
    related: list[JsonValue] = [{"observation-uuid": entry["uuid"]} for entry in seen]
    return {**made, "related-observations": related} if related else made


def _observations(books: Books, export: ExportRecord, answer: AnswerVersion) -> Iterator[Entry]:
    record = books.records[answer.question]
    readings = {reading.control.id: reading for reading in record.dossier.readings}
    for bound in answer.readings:
        reading = readings.get(bound.control)
        if reading is not None and reading.snapshot is not None:
            yield _tested(export, answer, reading, reading.snapshot.observed_at)
    for number, cited in enumerate(_cited(export, answer.question)):
        yield {
            "uuid": _id(export, "passage", answer.question, str(number)),
            "description": f"Read in {cited['file']}, {cited['locator']}"
            if "file" in cited
            else "Read in a document that is not shareable",
            "props": [_prop("sha256", cited["sha256"])],
            "methods": ["EXAMINE"],
            "collected": record.decided_at.isoformat(),
        }


def _tested(export: ExportRecord, answer: AnswerVersion, reading: ControlReading, observed: datetime) -> Entry:
    return {
        "uuid": _id(export, "reading", answer.question, reading.control.id),
        "title": reading.control.title,
        "description": f"Control {reading.control.id}: {reading.evaluation.value}",
        "props": [_prop("source-mode", reading.snapshot.source_mode.value if reading.snapshot else "NONE")],
        "methods": ["TEST"],
        "types": ["control-objective"],
        "collected": observed.isoformat(),
        "expires": (observed + reading.control.max_age).isoformat(),
    }


def _cited(export: ExportRecord, question: str) -> Iterator[dict[str, str]]:
    """What the receipt says was cited: it knows what may be named."""
    answers = export.receipt.get("answers")
    for entry in answers if isinstance(answers, list) else ():
        if isinstance(entry, dict) and entry["question"] == question and isinstance(entry["cited"], list):
            yield from ({str(key): str(value) for key, value in cited.items()} for cited in entry["cited"] if isinstance(cited, dict))


def _reviewed(answers: Iterable[AnswerVersion]) -> Entry:
    controls = sorted({reading.control for answer in answers for reading in answer.readings})
    selected: list[JsonValue] = [{"control-id": control} for control in controls]
    return {"control-selections": [{"include-controls": selected} if selected else {"include-all": {}}]}


def _prop(name: str, value: str) -> Entry:
    return {"name": name, "ns": NAMESPACE, "value": value}


def _id(export: ExportRecord, *path: str) -> str:
    """A name for each part that is the same every time (RFC 9562, version 5)."""
    return str(uuid5(NAMESPACE_URL, "/".join((NAMESPACE, export.review, export.id, *path))))
