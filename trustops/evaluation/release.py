"""The release check: all suites, and the record of Q-005 by a real model through the product (evaluation.md, "Release blockers").

The record is what a workspace's ledger holds of it: calls, skill invocations, tasks, findings. Not told here: whether somebody wrote into
that ledger; its audit chain and whoever signs the report answer for it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from trustops.domain.authenticity import SEATS, ExecutionMode
from trustops.evaluation.case import Case
from trustops.evaluation.cases import GoldenCase, load_case
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, close, step
from trustops.operations.office import Office
from trustops.operations.reporting import report

NAME = "release/q-005-live-ai"
HOW = "Write it with `trustops eval live-case DIR`, review it there with a real model, then name DIR with --live."


def release_suite(workspace: Path | None) -> Suite:
    """The suite that holds the record; `workspace` is where Q-005 was reviewed by a real model."""
    return Suite("release", "Q-005 by five real calls through the product", partial(_cases, workspace), play_live)


def _cases(workspace: Path | None) -> tuple[Case, ...]:
    return (
        Case(
            case_id=NAME,
            title="Q-005 by five independent calls of a real model",
            level=5,
            dimension="authenticity",
            kind="authenticity",
            source="evaluation.md, Release blockers",
            input={"workspace": str(workspace) if workspace else ""},
            expect={"mode": "LIVE_AI"},
        ),
    )


def play_live(case: Case, bench: Bench) -> Outcome:
    """The newest review of Q-005 in that workspace. Without a LIVE_AI record it is skipped, its score missing, the whole INCOMPLETE."""
    folder = case.input["workspace"]
    if not folder or not (Path(folder) / "trustops.toml").is_file():
        return _missing(case, "there is no LIVE_AI record of Q-005")
    office = bench.open_office(Path(folder))
    try:
        entry, prompts = (
            _entry(office),
            {office.roster.label(office.roster.prompts[agent.prompt]) for agent in office.roster.agents.values()},
        )
    finally:
        close(office)
    if entry is None:
        return _missing(case, "the workspace holds no review of Q-005")
    proof = entry["authenticity"] or {}
    if proof.get("execution_mode") != ExecutionMode.LIVE_AI.value:
        return _missing(case, f"the record of Q-005 is {proof.get('execution_mode', 'not there')}: {'; '.join(proof.get('not_live', ()))}")
    if other := {call["prompt"] for call in entry["model_calls"]} - prompts:
        return _missing(case, f"the record was made with other prompts than today's ({', '.join(sorted(other))})")
    codes = {finding["code"] for finding in entry["findings"]}
    steps = (
        step("seats with a call of their own", len(SEATS), proof["seats"]),
        step("different ids of calls", len(SEATS), proof["ids"]),
        step("missing proofs", "none", "; ".join(proof["missing"]) or "none"),
        step("decision", "BLOCK", entry["decision"]),
        step("CONTRADICTION and CONTROL_DRIFT", True, {"CONTRADICTION", "CONTROL_DRIFT"} <= codes),
        step("approval", "LOCKED", entry["approval"]),
    )
    passed = all(each.ok for each in steps)
    return Outcome(
        steps, (_score(case, Decimal(int(passed))),), str(proof["trace"]), dossier={"authenticity": proof, "codes": sorted(codes)}
    )


def _missing(case: Case, why: str) -> Outcome:
    return Outcome((), (_score(case, None),), skipped=f"{why}. {HOW}")


def _score(case: Case, amount: Decimal | None) -> Score:
    return Score(metric="q_005_live_ai", case_id=case.case_id, amount=amount, authority=Authority.DETERMINISTIC)


def _entry(office: Office) -> dict[str, Any] | None:
    """The newest report on a question with the wording of Q-005."""
    asked = " ".join(load_case("Q-005").given.question.split())
    for review in sorted(office.ledger.reviews(), key=lambda each: each.created_at, reverse=True):
        for entry in report(office, review)["questions"]:
            if " ".join(entry["text"].split()) == asked and entry["decision"]:
                return dict(entry)
    return None


def dated_today(case: GoldenCase, now: datetime | None = None) -> GoldenCase:
    """The case with all its dates moved so that its instant is now: a LIVE_AI run judges by the present."""
    now = now or datetime.now(UTC)
    shift = now - case.as_of
    days = timedelta(days=shift.days)
    documents = tuple(
        document.model_copy(
            update={
                "effective": document.effective + days if document.effective else None,
                "expires": document.expires + days if document.expires else None,
            }
        )
        for document in case.given.documents
    )
    earlier = tuple(answer.model_copy(update={"answered_on": answer.answered_on + days}) for answer in case.given.prior_answers)
    snapshots = {name: _moved(body, shift) for name, body in case.given.snapshots.items()}
    given = case.given.model_copy(update={"documents": documents, "prior_answers": earlier, "snapshots": snapshots})
    return case.model_copy(update={"as_of": now, "given": given})


def _moved(body: dict[str, Any], shift: timedelta) -> dict[str, Any]:
    observed = datetime.fromisoformat(body["observed_at"].replace("Z", "+00:00")) + shift
    return body | {"observed_at": observed.isoformat(timespec="seconds").replace("+00:00", "Z")}
