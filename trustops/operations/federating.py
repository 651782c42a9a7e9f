"""Federating: evaluations of agents go to other organisations as signed lines, and theirs come in from trusted keys alone.

A file is taken in whole or not at all. What came in keeps its source, and is never mixed unmarked with our own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

from pydantic import JsonValue, ValidationError

from trustops.disk import settle
from trustops.domain.approval import Role
from trustops.domain.chain import canonical
from trustops.domain.errors import MalformedFile, NotAllowed, Refused, RuleBroken, UnknownName, UsageError
from trustops.domain.scores import EVALUATION, OWN, KeptEvaluation, KeptRubric, Revocation, TrustedKey
from trustops.operations.grading import PREDICATE, STATEMENT, kept_rubric, statement
from trustops.operations.office import Office
from trustops.operations.sealing import holds, sealed
from trustops.scoring.score import Evaluation, Rubric, composite_of, create_rubric, milliseconds, written

LARGEST = 256 * 1024 * 1024
LONGEST_LINE = 1024 * 1024
AHEAD = timedelta(minutes=5)
"""So far the clock of another organisation may be ahead of ours."""
MODES = ("TEST", "LIVE_AI", EVALUATION)
KEYS = {"envelope", "publicKey"}
PARTS = {"organisation", "mode", "origin", "model", "evaluation", "rubric"}


def export_scores(office: Office, target: Path, agent: str = "") -> int:
    """Our own evaluations, of one agent or of all, each signed with the key in use; how many. Raises Refused without a key or without
    evaluations. What does not count here (its seal does not fit) does not leave."""
    pen, secret = office.signer.pen(), office.seal.text().encode()
    if pen is None:
        raise Refused("evaluations leave signed, and there is no signing key", remedy="`trustops keys init` makes one.")
    rubrics = {row.id: Rubric.model_validate(row.body) for row in office.ledger.rubrics()}
    count, part = 0, target.with_name(f"{target.name}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            for kept in office.ledger.evaluations(agent):
                if kept.source == OWN and holds(kept.counted, secret):
                    made = pen.envelope(statement(kept, rubrics[str(kept.body["rubricId"])], office.organisation))
                    stream.write(json.dumps({"envelope": json.loads(made), "publicKey": pen.public_key.decode()}) + "\n")
                    count += 1
        if not count:
            who = f" of {agent}" if agent else ""
            raise Refused(f"there is no evaluation{who} of our own", remedy="`trustops score show` lists what there is.")
        part.replace(target)
    except OSError as bad:
        raise MalformedFile(f"it cannot be written ({bad.strerror})", where=str(target)) from bad
    finally:
        part.unlink(missing_ok=True)
    settle(target.parent)
    return count


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: evaluations that are new and that were known, whose they are, and by which key."""

    new: int
    known: int
    organisation: str
    fingerprint: str
    newly_trusted: bool


def import_scores(office: Office, source: Path, *, key: bytes | None = None, trust: bool = False) -> Imported:
    """Takes in another organisation's evaluations. The key is trusted already, given here, or (`trust`) the one inside the file, taken at
    its word. Raises RuleBroken with the rule and the line; nothing is changed then."""
    lines = [_line(number, text, source) for number, text in lines_of(source)]
    if not lines:
        raise broken("form", source, 0, "there is no evaluation in it")
    trusted = {each.fingerprint: each for each in office.ledger.trusted_keys()}
    signer = _signer(office, lines[0], source, key)
    whose = str(lines[0].predicate.get("organisation", ""))
    known = trusted.get(signer)
    if known is not None and known.revoked is not None:
        said = f"the key {signer} was revoked on {known.revoked.at[:10]}: {known.revoked.reason}"
        raise broken("revoked_key", source, 1, said, f"Ask {known.organisation} for a file that is signed with a new key.")
    if known is None and key is None and not trust:
        remedy = "Give --key PUB, which reached you on another way, or --trust to take the key inside the file at its word."
        raise broken("untrusted_key", source, 1, f"the key {signer} is not trusted", remedy)
    if whose in ("", office.organisation):
        raise broken("own_organisation", source, 1, f"it says that it is of {whose or 'nobody'}; our own evaluations are not imported")
    bound = known.organisation if known else whose
    kept, rubrics = [], dict[str, KeptRubric]()
    for line in lines:
        if _signer(office, line, source, key) != signer:
            raise broken("untrusted_key", source, line.number, "it is signed by another key than the lines before")
        if line.predicate.get("organisation") != bound:
            raise broken("foreign_organisation", source, line.number, f"this key may sign for {bound} alone")
        made, rubric = _checked(office, line, source, bound, signer)
        kept.append(made)
        rubrics[f"{rubric.id}@{rubric.version}"] = rubric
    return _taken_in(office, source, kept, list(rubrics.values()), _key(office, signer, bound, lines[0]), trusted=known is not None)


def _taken_in(
    office: Office, source: Path, kept: list[KeptEvaluation], rubrics: list[KeptRubric], key: TrustedKey, *, trusted: bool
) -> Imported:
    """One transaction. What is on record under an id must be the same evaluation."""
    secret, new = office.seal.text(), dict[str, KeptEvaluation]()
    with office.ledger.writing():
        for number, each in enumerate(kept, start=1):
            before = new.get(each.id) or office.ledger.get_evaluation(each.id)
            if before is None:
                new[each.id] = sealed(each, secret)
            elif before.source != each.source or canonical(before.body) != canonical(each.body):
                raise broken("replay", source, number, f"another evaluation is on record under the id {each.id}")
        for rubric in rubrics:
            _same_rubric(office, rubric, source)
            office.ledger.append_rubric(rubric)
        office.ledger.append_evaluations(list(new.values()))
        if not trusted:
            office.ledger.append_trusted_key(key)
    return Imported(len(new), len(kept) - len(new), key.organisation, key.fingerprint, not trusted)


def _same_rubric(office: Office, rubric: KeptRubric, source: Path) -> None:
    for before in office.ledger.rubrics():
        if (before.id, before.version) == (rubric.id, rubric.version) and canonical(before.body) != canonical(rubric.body):
            raise broken("rubric", source, 0, f"another rubric is on record under {rubric.id} {rubric.version}")


def revoke_key(office: Office, key: str, *, by: str, reason: str) -> TrustedKey:
    """Trusts a key no more, for good. `key` is its fingerprint or as much of its beginning as no other key shares.

    What came in under it stays on record, marked, and counts in no reputation; nothing more comes in under it. Raises NotAllowed for
    anybody but an admin, UnknownName, UsageError without a reason, Refused where it was revoked before. Nothing is changed then.
    """
    if office.people.get(by) is not Role.ADMIN:
        raise NotAllowed(f"{by!r} may not revoke keys", remedy="Enter the person under [people] in trustops.toml as admin.")
    if not reason.strip():
        raise UsageError("why is it revoked?", remedy="Say it with --reason: it is shown wherever the key is.")
    found = [each for each in office.ledger.trusted_keys() if key and each.fingerprint.startswith(key)]
    if len(found) != 1:
        told = f"{len(found)} trusted keys begin with {key!r}" if found else f"there is no trusted key {key!r}"
        raise UnknownName(told, remedy="`trustops score keys` lists them.")
    revocation = Revocation(fingerprint=found[0].fingerprint, by=by, at=office.clock.now().isoformat(), reason=reason.strip())
    if not office.ledger.append_revocation(revocation):
        raise Refused(f"the key {found[0].fingerprint} was revoked before", remedy="`trustops score keys` says by whom and why.")
    return found[0].model_copy(update={"revoked": revocation})


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its envelope in bytes, the key that it names, and what it claims, unchecked until the signature is."""

    number: int
    envelope: bytes
    public_key: bytes
    predicate: dict[str, Any]


def lines_of(source: Path, remedy: str = "Name a file of `trustops score export`.") -> Iterator[tuple[int, str]]:
    """The lines of a file that are not empty with their numbers, within limits. Raises RuleBroken (form), MalformedFile with the remedy."""
    try:
        if source.stat().st_size > LARGEST:
            raise broken("form", source, 0, f"it is larger than {LARGEST >> 20} MB")
        with source.open(encoding="utf-8") as stream:
            for number, text in enumerate(stream, start=1):
                if len(text) > LONGEST_LINE:
                    raise broken("form", source, number, "the line is too long")
                if text.strip():
                    yield number, text
    except (OSError, UnicodeDecodeError) as bad:
        raise MalformedFile("it cannot be read", where=str(source), remedy=remedy) from bad


def _line(number: int, text: str, source: Path) -> Line:
    """What a line holds, by its form alone."""
    from base64 import b64decode

    found = _json(text, source, number)
    try:
        if set(found) != KEYS:
            raise ValueError("keys")
        envelope, public = canonical(found["envelope"]), str(found["publicKey"]).encode()
        told = _json(b64decode(found["envelope"]["payload"], validate=True).decode(), source, number)
        if (told["_type"], told["predicateType"]) != (STATEMENT, PREDICATE) or set(told["predicate"]) != PARTS:
            raise ValueError("statement")
    except (ValueError, KeyError, TypeError) as bad:
        raise broken("form", source, number, "it is no signed evaluation", "Name a file of `trustops score export`.") from bad
    return Line(number, envelope, public, told["predicate"])


def _json(text: str, source: Path, number: int) -> Any:
    def refuse(word: str) -> NoReturn:
        raise broken("not_a_number", source, number, f"{word} is no number that counts")

    def finite(word: str) -> float:
        value = float(word)
        if not math.isfinite(value):
            refuse(word)
        return value

    try:
        return json.loads(text, parse_constant=refuse, parse_float=finite)
    except (json.JSONDecodeError, RecursionError) as bad:
        raise broken("form", source, number, "it is no line of JSON") from bad


def _signer(office: Office, line: Line, source: Path, key: bytes | None) -> str:
    """The fingerprint of the key that signed a line: the given one, else the one it names; raises RuleBroken where it did not."""
    public = key or line.public_key
    try:
        office.bundles.opened(line.envelope, public)
        return office.bundles.fingerprint(public)
    except ValueError as bad:
        raise broken("signature", source, line.number, str(bad), "Ask for the file again, and for the signer's key.") from bad


def _key(office: Office, fingerprint: str, organisation: str, line: Line) -> TrustedKey:
    at = office.clock.now().isoformat()
    return TrustedKey(fingerprint=fingerprint, organisation=organisation, public_key=line.public_key.decode(), at=at)


def _checked(office: Office, line: Line, source: Path, organisation: str, signer: str) -> tuple[KeptEvaluation, KeptRubric]:
    """An evaluation by all rules of its protocol; raises RuleBroken naming the first that it breaks."""
    told = line.predicate
    fail: Callable[[str, str], RuleBroken] = lambda rule, said: broken(rule, source, line.number, said)  # noqa: E731
    try:
        made, rubric = Evaluation.model_validate(told["evaluation"]), Rubric.model_validate(told["rubric"])
        create_rubric(rubric.name, [criterion.json_form() for criterion in rubric.criteria], rubric.id, rubric.version)
        composite, at = composite_of(rubric, made.scores), milliseconds(made.evaluated_at)
    except ValidationError as bad:
        raise fail("form", f"{'.'.join(map(str, bad.errors()[0]['loc']))}: {bad.errors()[0]['msg']}") from bad
    except RuleBroken as bad:
        raise fail(bad.rule, bad.message) from bad
    if told["mode"] not in MODES or not all(isinstance(told[name], str) for name in ("origin", "model")):
        raise fail("mode", f"{told['mode']!r} is no mode of a run")
    if made.rubric_id != rubric.id:
        raise fail("rubric", "it was judged by another rubric than the one beside it")
    if composite != made.composite_score:
        raise fail("composite", f"its scores give {composite}, and it says {made.composite_score}")
    if not 0 <= composite <= 1:
        raise fail("score_range", f"a composite of {composite} is outside 0 to 1")
    if written(at) != made.evaluated_at:
        raise fail("time", f"{made.evaluated_at} is not written as the protocol writes instants")
    if at > milliseconds(office.clock.now() + AHEAD):
        raise fail("future", f"it was made at {made.evaluated_at}, which has not come yet")
    body: dict[str, JsonValue] = told["evaluation"]
    kept = KeptEvaluation(
        id=made.id,
        agent=made.agent_id,
        source=organisation,
        mode=told["mode"],
        origin=told["origin"],
        model=told["model"],
        rubric=f"{rubric.name}@{rubric.version}",
        composite=composite,
        at=at,
        about=made.output_ref,
        body=body,
        envelope=line.envelope.decode(),
        key=signer,
        seal="",
    )
    return kept, kept_rubric(rubric)


def broken(rule: str, source: Path, line: int, said: str, remedy: str = "") -> RuleBroken:
    """A refusal of a file: the rule, the line, and that nothing was taken in."""
    where = f"{source.name}, line {line}" if line else source.name
    return RuleBroken(said, rule=rule, where=where, remedy=f"{remedy} Nothing was taken in (rule {rule}).".strip())
