"""The export gate's throughput: `python benchmarks/gate.py`. Decisions a second on stored digests, and with each digest computed anew.

The answers are those of the demo organisation, reviewed offline. One decision: the approval's status from its digest, the gate's facts
as a noun, the gate. The best of fifteen rounds, in CPU time: other programs on the cores only ever add.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from machine import ACME, all_questions, set_up

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval, Identity, Role, Verdict, approval_status
from trustops.domain.export import Bound, GateInput, gate

ROUNDS = 15
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def drafted() -> list[AnswerVersion]:
    """The answer versions of the demo organisation's questionnaire."""
    with tempfile.TemporaryDirectory() as folder:
        office, prepared = set_up(ACME / "workspace", ACME / "questionnaire.xlsx", Path(folder))
        outcomes = asyncio.run(all_questions(prepared, office, office.client, prepared.review.questionnaire.questions))
        return [outcome.version.sealed() for outcome in outcomes if outcome.version is not None]


def approval(answer: AnswerVersion) -> Approval:
    return Approval(
        question=answer.question,
        version=answer.version,
        digest=answer.digest,
        verdict=Verdict.APPROVED,
        by="Ana",
        role=Role.APPROVER,
        identity=Identity.ASSERTED,
        at=AT,
        execution_mode="TEST",
        expires_at=AT + timedelta(days=90),
    )


def decide(answer: AnswerVersion, given: Approval, digest: str) -> str:
    """One decision of the gate for an answer with this digest."""
    seen = GateInput(
        decision="PASS",
        review="COMPLETED",
        affirmative=answer.determination.affirmative,
        blocking_finding=False,
        approval=approval_status(decision="PASS", digest=digest, newest=given, now=AT),
        validity=given.validity(AT),
        approver_may=True,
        second_person=True,
        second_person_needed=False,
        identity_enough=True,
        readings=Bound.EQUAL,
        passages_held=True,
        confirmed=True,
        gate_version_equal=True,
        mock_in_live=False,
        inconsistent=False,
    )
    return gate(seen).state


def rate(work: Callable[[AnswerVersion, Approval], str], pairs: Sequence[tuple[AnswerVersion, Approval]], decisions: int) -> float:
    """Decisions per second of CPU time."""
    rounds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for number in range(decisions):
            work(*pairs[number % len(pairs)])
        rounds.append(decisions / (time.process_time() - started))
    return max(rounds)


def main() -> None:
    """Both figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    answers = drafted()
    pairs = [(answer, approval(answer)) for answer in answers]
    stored = rate(lambda answer, by: decide(answer, by, answer.digest), pairs, given.decisions)
    anew = rate(lambda answer, by: decide(answer, by, answer.computed_digest()), pairs, max(given.decisions // 20, 1))
    told = {"answers": len(answers), "stored_digest_per_s": round(stored), "recomputed_digest_per_s": round(anew)}
    print(json.dumps(told) if given.json else "\n".join(f"{name}: {value:,}" for name, value in told.items()))


if __name__ == "__main__":
    main()
