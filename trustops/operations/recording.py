"""Recording: a run as one self-contained file, from which every decision can be made again without a model (evaluation.md, "Authenticity").

The file is JSON lines. Each line has a kind, a body, and the hash of itself and the line before; the last line counts them. It holds the
organisation's documents as the run saw them: it is as internal as they are. Replies stand as the providers gave them, without keys.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from trustops.domain.base import Noun
from trustops.domain.chain import digest
from trustops.domain.control import Control, Snapshot
from trustops.domain.errors import MalformedFile, Refused, UnknownName
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.record import ModelCall, RunInfo
from trustops.domain.redaction import Redactor
from trustops.operations.office import Office
from trustops.operations.resuming import events_of
from trustops.operations.shelving import basis
from trustops.ports import QuestionRecord, StoredReview

FORMAT = "trustops-recording/1"
LARGEST = 512 * 1024 * 1024


class Header(Noun):
    """What the run was started with, and by which rules its decisions were made."""

    format: Literal["trustops-recording/1"]
    organisation: str
    names: dict[str, tuple[str, ...]]
    gate: dict[str, bool | int]
    gate_version: str = ""
    """Of the rules that decided; answers are bound to it. Empty in recordings from before it was kept."""
    style: str
    """As YAML: its keys may be other than text."""
    withdrawn: tuple[str, ...]
    timeout_s: float
    max_tokens: int
    run: RunInfo


class Kept(Noun):
    """What one question's attempt concluded, and the digest of its answer version."""

    record: QuestionRecord
    answer_digest: str | None


class Recording(Noun):
    """A run's journal with all that it stood on."""

    header: Header
    passages: tuple[Passage, ...] = ()
    prior_answers: tuple[PriorAnswer, ...] = ()
    controls: tuple[Control, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    questions: tuple[Kept, ...] = ()


KINDS: dict[str, tuple[str, type[Noun]]] = {
    "passage": ("passages", Passage),
    "prior answer": ("prior_answers", PriorAnswer),
    "control": ("controls", Control),
    "snapshot": ("snapshots", Snapshot),
    "call": ("calls", ModelCall),
    "question": ("questions", Kept),
}
"""Kinds of lines between the header and the end, each with its field."""


def record(office: Office, name: str, target: Path, *, secrets: Iterable[str] = ()) -> Recording:
    """Writes a run's recording. Raises UnknownName for a run that is not there, and Refused where evidence or readings are no longer
    those that it saw, for then nobody could make the same decisions again, or where a line holds one of `secrets`: without it the line
    would be another one, and the recording would not play."""
    recording, data = _made(office, name, secrets)
    target.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
    return recording


def recorded(office: Office, name: str, *, secrets: Iterable[str] = ()) -> bytes:
    """The same, packed, as bytes; raises as `record` does."""
    return gzip.compress(_made(office, name, secrets)[1], mtime=0)


def _made(office: Office, name: str, secrets: Iterable[str]) -> tuple[Recording, bytes]:
    run = office.ledger.get_run(name)
    review = office.ledger.get_review(run.review) if run else None
    if run is None or review is None:
        raise UnknownName("there is no such run", where=name, remedy="`trustops status --json` names the newest one.")
    recording = _recording(office, run, review)
    lines = list(_lines(recording))
    _no_secret(lines, Redactor(secrets), run)
    return recording, "".join(f"{line}\n" for line in lines).encode()


def _no_secret(lines: Iterable[str], redactor: Redactor, run: RunInfo) -> None:
    for number, line in enumerate(lines, start=1):
        if redactor(line) != line:
            entry = json.loads(line)
            at = entry["body"].get("id") or entry["kind"]
            raise Refused(
                f"line {number} of the recording ({entry['kind']} {at}) would hold a key or token of this environment",
                where=run.id,
                remedy="Take it out of the document that says it, exchange it, `trustops recheck --all`, and record that run.",
            )


def _recording(office: Office, run: RunInfo, review: StoredReview) -> Recording:
    snapshots = _snapshots(office, run)
    kept = [_kept(office, review, each) for each in office.ledger.latest_records(review.id).values() if each.run == run.id]
    mine = [each for each in kept if each is not None]
    if not mine:
        raise Refused("no question of this run stands as its agents left it", where=run.id, remedy="Record a newer run of the review.")
    today = basis(office, snapshots, run.as_of)
    if any(each.record.basis != today for each in mine):
        raise Refused(
            "evidence, readings, the catalogue or the rules are no longer those that the run saw",
            where=run.id,
            remedy="`trustops recheck --all` makes a run on today's facts; record that one.",
        )
    tasks = {f"{run.id}:{each.record.question}:{each.record.attempt}:" for each in mine}
    calls = [call for (of, _), (models, _) in office.ledger.calls(review.id).items() if of == run.id for call in models]
    return Recording(
        header=_header(office, run),
        passages=office.index.passages(),
        prior_answers=office.index.prior_answers(),
        controls=office.controls,
        snapshots=tuple(snapshots.values()),
        calls=tuple(call for call in calls if call.task[: call.task.rindex(":") + 1] in tasks),
        questions=tuple(mine),
    )


def _header(office: Office, run: RunInfo) -> Header:
    return Header(
        format=FORMAT,
        organisation=office.organisation,
        names={name: tuple(values) for name, values in asdict(office.names).items()},
        gate=asdict(office.rules),
        gate_version=office.gate_version,
        style=yaml.safe_dump(dict(office.style), allow_unicode=True, sort_keys=False),
        withdrawn=tuple(sorted(office.ledger.withdrawals())),
        timeout_s=office.allowance.timeout_s,
        max_tokens=office.allowance.max_tokens,
        run=run,
    )


def _snapshots(office: Office, run: RunInfo) -> Mapping[str, Snapshot]:
    """The snapshots that the run read, where they are still the newest ones; its last `evidence_read` names their versions."""
    told = [event.data.get("read") for event in events_of(office, run) if event.kind == "evidence_read"]
    versions = told[-1] if told and isinstance(told[-1], dict) else {}
    return {name: snapshot for name, snapshot in office.ledger.latest_snapshots().items() if versions.get(name) == snapshot.version}


def _kept(office: Office, review: StoredReview, record: QuestionRecord) -> Kept | None:
    """None where a person's edit stands now: the agents' own attempt is not the newest."""
    versions = office.ledger.answers(review.id, record.question)
    version = next((v for v in versions if v.version == record.version), None)
    if version is not None and version.author != "agents":
        return None
    return Kept(record=record, answer_digest=version.digest if version else None)


def _lines(recording: Recording) -> Iterator[str]:
    """Every line with the hash that binds it to the one before."""
    bodies = [("header", recording.header.model_dump(mode="json"))]
    for kind, (field, _) in KINDS.items():
        bodies += [(kind, noun.model_dump(mode="json")) for noun in getattr(recording, field)]
    prev = ""
    for kind, body in [*bodies, ("end", {"lines": len(bodies) + 1})]:
        prev = _hash(prev, kind, body)
        yield json.dumps({"kind": kind, "body": body, "hash": prev}, ensure_ascii=False)


def _hash(prev: str, kind: str, body: object) -> str:
    return digest({"prev": prev, "kind": kind, "body": body})


def load(path: Path) -> Recording:
    """A recording from its file; raises MalformedFile with the first line that does not fit."""
    found: dict[str, list[Any]] = {field: [] for field, _ in KINDS.values()}
    header, ended, prev, number = None, False, "", 0
    for number, (kind, body, told) in enumerate(_read(path), start=1):
        prev = _hash(prev, kind, body)
        if prev != told or ended:
            raise _malformed(path, number, "it does not follow the line before it, so something was changed, removed or added")
        try:
            if kind == "header" and number == 1:
                header = Header.model_validate(body)
            elif kind == "end":
                ended = body.get("lines") == number
            else:
                field, noun = KINDS[kind]
                found[field].append(noun.model_validate(body))
        except (ValidationError, KeyError, AttributeError) as bad:
            raise _malformed(path, number, f"{kind!r} cannot be read") from bad
    if header is None or not ended:
        raise _malformed(path, number, "the recording is cut off")
    return Recording.model_validate({"header": header, **{field: tuple(nouns) for field, nouns in found.items()}})


def _read(path: Path) -> Iterator[tuple[str, Any, str]]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        try:
            entry = json.loads(line)
            yield str(entry["kind"]), entry["body"], str(entry["hash"])
        except (ValueError, KeyError, TypeError) as bad:
            raise _malformed(path, number, "it is no line of a recording") from bad


def _text(path: Path) -> str:
    """The file's text, inflated within a limit."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise MalformedFile(f"the recording is larger than {LARGEST >> 20} MB", where=path.name)
        return data.decode()
    except (OSError, EOFError, UnicodeDecodeError) as bad:
        raise MalformedFile("it cannot be read as a recording", where=path.name, remedy="Name a file of `trustops record`.") from bad


def _malformed(path: Path, line: int, what: str) -> MalformedFile:
    return MalformedFile(what, where=f"{path.name}, line {line}", remedy="Record the run again; a recording is not edited by hand.")


def spoken(calls: Iterable[ModelCall]) -> tuple[str, ...]:
    """Who served the recorded calls: origins, each once."""
    return tuple(sorted({call.origin.value for call in calls}))
