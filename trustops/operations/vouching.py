"""Vouching: whether evaluations on record hold, by the store's seal, the protocol's arithmetic and the signer's key.

Checked here: that an evaluation is what was signed and sealed. Not checked: that it was a fair one; the facts it rests on are in its run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trustops.domain.chain import digest
from trustops.domain.errors import RuleBroken, UsageError
from trustops.domain.scores import OWN, KeptEvaluation, Revocation
from trustops.operations.office import Office
from trustops.operations.sealing import holds, protocol_secret
from trustops.scoring.score import Evaluation, Rubric, composite_of, milliseconds, verify_evaluation

OURS = "signed with a key of ours"
UNSIGNED = "carries no signature that others could check"
UNKNOWN = "signed with a key that nobody here trusts"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a walk over all evaluations found. `bad` names each that does not hold, with what is wrong; `unsigned` have no envelope, and
    `unkeyed` one by a key that is neither ours nor trusted. `hmac` counts protocol signatures that fit a secret that is here."""

    of: int
    bad: tuple[tuple[str, str], ...]
    unsigned: int
    unkeyed: int
    hmac: int


@dataclass(frozen=True, slots=True)
class Grade:
    """One evaluation as a person reads it. `review` and `question` are what it judged, empty for another organisation's. `scores` are 0 to
    1 by the criterion's name, `problem` says what does not hold, `signature` who vouches for it, and `revoked` that its key is
    trusted no more: then it counts in nothing."""

    kept: KeptEvaluation
    review: str
    question: str
    scores: tuple[tuple[str, float], ...]
    problem: str
    signature: str
    revoked: Revocation | None = None


class Examiner:
    """Checks evaluations one by one, with keys and rubrics read once."""

    def __init__(self, office: Office) -> None:
        self._open, self._seal = office.bundles.opened, office.seal.text().encode()
        self._own = {each.fingerprint: Path(each.public_key).read_bytes() for each in office.signer.known()}
        self._trusted = {each.fingerprint: each for each in office.ledger.trusted_keys()}
        self._keys = {**{name: each.public_key.encode() for name, each in self._trusted.items()}, **self._own}
        self._rubrics = {row.id: Rubric.model_validate(row.body) for row in office.ledger.rubrics()}

    def problem(self, kept: KeptEvaluation) -> str:
        """What does not hold, in words; empty where all does: seal, columns against the body, composite against its rubric, envelope."""
        if not holds(kept.counted, self._seal):
            return "its seal does not fit: it was written past the ledger or altered, and does not count"
        try:
            body = Evaluation.model_validate(kept.body)
            told = (body.id, body.agent_id, body.composite_score, milliseconds(body.evaluated_at), body.output_ref)
            if told != (kept.id, kept.agent, kept.composite, kept.at, kept.about):
                return "what counts of it is not what it says"
            if composite_of(self._rubrics[body.rubric_id], body.scores) != kept.composite:
                return "its composite is not that of its scores"
            return self._sealed_in(kept)
        except (ValueError, KeyError, TypeError, RuleBroken) as found:
            return f"it cannot be checked ({found})"

    def _sealed_in(self, kept: KeptEvaluation) -> str:
        if kept.key not in self._keys:
            return ""
        signed = json.loads(self._open(kept.envelope.encode(), self._keys[kept.key]))["predicate"]
        same = digest(signed["evaluation"]) == digest(kept.body) and signed["mode"] == kept.mode
        return "" if same else "its envelope is about another evaluation"

    def knows(self, kept: KeptEvaluation) -> bool:
        """Whether its envelope is by a key of ours or a trusted one."""
        return kept.key in self._keys

    def signature(self, kept: KeptEvaluation) -> str:
        """Who vouches for it."""
        if not kept.envelope:
            return UNSIGNED
        if kept.key in self._own:
            return OURS
        known = self._trusted.get(kept.key)
        if known is None:
            return UNKNOWN
        gone = f", by a key that was revoked on {known.revoked.at[:10]}: it counts in nothing" if known.revoked else ""
        return f"signed by {known.organisation}{gone}"

    def revoked(self, kept: KeptEvaluation) -> Revocation | None:
        """The revocation of the key that signed it, where there is one."""
        known = self._trusted.get(kept.key)
        return known.revoked if known else None

    def grade(self, kept: KeptEvaluation) -> Grade:
        """The evaluation with what it judged, its scores by name, and whether it holds."""
        review, question = judged(kept)
        rubric = self._rubrics.get(str(kept.body.get("rubricId")))
        names = {each.id: each.name for each in rubric.criteria} if rubric else {}
        given = kept.body.get("scores")
        scores = given if isinstance(given, Mapping) else {}
        named = tuple((names[id], float(score)) for id, score in scores.items() if id in names and isinstance(score, int | float))
        return Grade(kept, review, question, named, self.problem(kept), self.signature(kept), self.revoked(kept))


def judged(kept: KeptEvaluation) -> tuple[str, str]:
    """The review and the question that one of our own evaluations is about; empty where it is about something else."""
    if kept.source != OWN or not kept.run:
        return "", ""
    review = kept.run.rpartition(".")[0]
    if kept.about.startswith(f"{kept.run}/"):
        return review, kept.about.removeprefix(f"{kept.run}/").rpartition("/")[0]
    return review, kept.about.partition("/")[2].rpartition("@")[0]


def last_grades(office: Office, agent: str, most: int) -> tuple[Grade, ...]:
    """The newest evaluations of an agent, newest first, each checked."""
    examiner = Examiner(office)
    return tuple(examiner.grade(kept) for kept in office.ledger.newest_evaluations(agent, most))


def verify_scores(office: Office) -> Checked:
    """Every evaluation on record, without holding them all."""
    examiner, secrets = Examiner(office), _secrets(office)
    total = unsigned = unkeyed = signed = 0
    bad: list[tuple[str, str]] = []
    for kept in office.ledger.evaluations():
        total += 1
        if problem := examiner.problem(kept):
            bad.append((kept.id, problem))
            continue
        unsigned += not kept.envelope
        unkeyed += bool(kept.envelope) and not examiner.knows(kept)
        signed += kept.source == OWN and any(verify_evaluation(Evaluation.model_validate(kept.body), secret) for secret in secrets)
    return Checked(total, tuple(bad), unsigned, unkeyed, signed)


def _secrets(office: Office) -> set[str]:
    """What the protocol's own signature may have been made with."""
    seal, pen = office.seal.text(), None
    with suppress(UsageError):  # a key that cannot be opened signs nothing, and is not needed to check what it signed
        pen = office.signer.pen()
    return {protocol_secret(None, seal), protocol_secret(pen, seal)}
