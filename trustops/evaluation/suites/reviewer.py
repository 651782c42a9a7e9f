"""The reviewer suite: however the Reviewer fails, the question is BLOCKED by SYSTEM_FAIL_CLOSED; and what decide concludes without it."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

from trustops.domain.answer import Determination
from trustops.domain.control import Risk
from trustops.domain.opinion import Unavailable
from trustops.domain.risk_review import conclude
from trustops.evaluation.case import Case, Fault, load_cases
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.evaluation.suites.golden import play_golden
from trustops.roster import shipped

FORMS = {
    "timeout": "it does not answer in time",
    "exception": "the connection breaks off",
    "empty_reply": "it replies with nothing",
    "bad_json": "it replies with half of a document",
    "missing_key": "a key is missing",
    "wrong_enum": "the decision is a word of no list",
    "refusal": "it refuses",
    "truncated": "the reply is cut at its limit",
    "http 500": "the provider fails",
    "http 429": "the provider wants it slower",
}


def reviewer_cases() -> tuple[Case, ...]:
    """Each form of failure on the organisation of G-012, and the whole table of decide without a Reviewer."""
    base = load_cases(shipped("golden") / "g-012.yaml")[0]
    failing = [
        base.model_copy(
            update={
                "case_id": f"reviewer/{form.replace(' ', '-')}",
                "title": f"The reviewer fails: {told}",
                "kind": "fault",
                "source": "evaluation.md, Failure injection",
                "input": base.input | {"seats": {"reviewer": {"fault": form}}},
                "faults": (Fault(place="reviewer", kind=form),),
            }
        )
        for form, told in FORMS.items()
    ]
    table = Case(
        case_id="reviewer/no-opinion",
        title="decide without a Reviewer's opinion, at every risk and determination",
        level=1,
        dimension="reviewer",
        kind="unit",
        source="product.md, invariant 6",
        expect={"decision": "BLOCK", "source": "SYSTEM_FAIL_CLOSED"},
    )
    return (*failing, table)


def play_reviewer(case: Case, bench: Bench) -> Outcome:
    """A failure through the whole machine, or the table."""
    if case.kind == "unit":
        return _table(case)
    played = play_golden(case, bench)
    return Outcome(played.steps, (*played.scores, _score(case, 0 if played.passed else 1, 1)), played.trace, played.dossier)


def _table(case: Case) -> Outcome:
    opinions = (None, Unavailable(seat="reviewer", reason="timeout"))
    rows = list(product(opinions, Risk, [*Determination, None]))
    told = [conclude((), seats=("a", "b", "c", "d"), reviewer=opinion, risk=risk, determination=said) for opinion, risk, said in rows]
    shut = sum((r.status.value, r.decision.value, r.source.value) == ("FAILED", "BLOCK", "SYSTEM_FAIL_CLOSED") for r in told)
    return Outcome((step("rows that end in BLOCK, SYSTEM_FAIL_CLOSED", len(rows), shut),), (_score(case, len(rows) - shut, len(rows)),))


def _score(case: Case, passed: int, of: int) -> Score:
    amount = Decimal(passed)
    return Score(metric="reviewer_failure_treated_as_pass", case_id=case.case_id, amount=amount, of=of, authority=Authority.DETERMINISTIC)


SUITE = Suite("reviewer", "a Reviewer that fails, in every form", reviewer_cases, play_reviewer)
