"""Harm: a seat that made something up scores well, a run is graded twice or held up, a script's work counts as a live model's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from tests.conftest import AT, House
from trustops.domain.authenticity import EntryPoint, Origin
from trustops.domain.claim import Basis, Citation
from trustops.domain.control import Evaluation, Risk
from trustops.domain.errors import UsageError
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PlannedCall, PolicyClaim, PolicyOpinion, ReviewerOpinion
from trustops.domain.record import ModelCall, SkillInvocation
from trustops.domain.risk_review import Decision, RiskReviewResult
from trustops.operations.approving import approve
from trustops.operations.calibrating import calibrate
from trustops.operations.grading import grade_all, grade_run, shipped
from trustops.operations.intake import take_in
from trustops.operations.judging import Judged, judge
from trustops.operations.reputing import reputations
from trustops.operations.resuming import events_of
from trustops.operations.sealing import protocol_secret
from trustops.ports import QuestionRecord
from trustops.scoring.signal import COMPLETED, UPDATED, verify_event

Books = Callable[[], dict[str, int]]


def attempt(house: House, ref: str) -> tuple[QuestionRecord, tuple[ModelCall, ...], tuple[SkillInvocation, ...]]:
    record = house.office.ledger.latest_records(house.review.id)[ref]
    return record, *house.office.ledger.calls(house.review.id)[(record.run, ref)]


def judged(house: House, ref: str, seat: str, change: Callable[[Any], Any] = lambda said: said, **record: Any) -> dict[str, float]:
    """The scores of one seat, with its reply or its record changed."""
    was, calls, _ = attempt(house, ref)
    shapes = {"policy": PolicyOpinion, "answer": AnswerDraft, "control": ControlOpinion, "commander": CommanderOpinion}
    (call,) = (call for call in calls if call.seat == seat)
    said = change(shapes.get(seat, ReviewerOpinion).model_validate_json(call.reply))
    changed = call.model_copy(update={"reply": said.model_dump_json()})
    (found,) = judge(was.model_copy(update=record), [changed], ())
    return found.scores


def blocked(code: FindingCode) -> RiskReviewResult:
    finding = Finding(code=code, severity=Severity.BLOCKING, source=FindingSource.RULES, summary="so it is")
    return RiskReviewResult(decision=Decision.BLOCK, findings=(finding,))


def test_an_exhibit_that_is_made_up_scores_nothing_however_many_quotes_are_right(house: House) -> None:
    passage = attempt(house, "K-2")[0].dossier.passages[0]
    real, invented = Citation(exhibit=passage.id, quote=passage.text), Citation(exhibit="P-nowhere", quote=passage.text)

    def citing(*citations: Citation) -> Callable[[PolicyOpinion], PolicyOpinion]:
        claim = PolicyClaim(ask=0, text="so it is", basis=Basis.POLICY, scope="", value="", citations=citations)
        return lambda said: said.model_copy(update={"claims": (claim,)})

    assert judged(house, "K-2", "policy", citing(real))["citations_valid"] == 1
    assert judged(house, "K-2", "policy", citing(real, real, real, invented))["citations_valid"] == 0


def test_a_quote_that_is_not_word_for_word_does_not_count(house: House) -> None:
    def misquote(said: AnswerDraft) -> AnswerDraft:
        first = said.claims[0].citations[0]
        wrong = first.model_copy(update={"quote": f"{first.quote} and more"})
        return said.model_copy(update={"claims": (said.claims[0].model_copy(update={"citations": (first, wrong)}),)})

    assert judged(house, "K-1", "answer", misquote)["citations_valid"] == 0.5


def test_a_reviewer_that_lets_pass_what_rules_block_scores_nothing_for_it(house: House) -> None:
    bad = blocked(FindingCode.OVERCOMMITMENT)
    assert judged(house, "K-1", "reviewer")["findings_found"] == 1
    assert judged(house, "K-1", "reviewer", result=bad)["findings_found"] == 0


def test_a_draft_that_claims_more_than_is_proved_or_discloses_loses_for_it(house: House) -> None:
    assert judged(house, "K-1", "answer") == {
        "usable": 1, "citations_valid": 1, "supported": 1, "fits_the_cell": 1, "keeps_secrets": 1,
    }  # fmt: skip
    for code, criterion in (
        (FindingCode.OVERCOMMITMENT, "supported"),
        (FindingCode.ANSWER_FORM, "fits_the_cell"),
        (FindingCode.SENSITIVE_DISCLOSURE, "keeps_secrets"),
    ):
        assert judged(house, "K-1", "answer", result=blocked(code))[criterion] == 0, code


def test_a_conflict_that_the_seat_did_not_name_is_missed(house: House) -> None:
    side = {"exhibit": "P-1", "quote": "a"}
    conflict = {"kind": "SCOPE_MISMATCH", "left": side, "right": {**side, "exhibit": "P-2"}, "resolved": False}
    assert judged(house, "K-1", "policy")["conflicts_found"] == 1
    assert judged(house, "K-1", "policy", conflicts=(conflict,))["conflicts_found"] == 0


def test_a_reading_that_does_not_pass_and_was_not_named_is_missed(house: House) -> None:
    ref = next(ref for ref, record in house.office.ledger.latest_records(house.review.id).items() if record.dossier.readings)
    record, _, _ = attempt(house, ref)
    drifting = tuple(reading.model_copy(update={"evaluation": Evaluation.DRIFT}) for reading in record.dossier.readings)
    dossier = record.dossier.model_copy(update={"readings": drifting})
    silent = ControlOpinion(readings=(), missing=())
    assert judged(house, ref, "control", dossier=dossier)["drift_read"] == 1
    said = judged(house, ref, "control", lambda _: silent, dossier=dossier)
    assert (said["drift_read"], said["controls_found"]) == (0, 0)


def test_a_risk_below_the_declared_one_and_a_refused_plan_cost_commander(house: House) -> None:
    record, calls, _ = attempt(house, "K-3")
    (call,) = (call for call in calls if call.seat == "commander")
    said = CommanderOpinion.model_validate_json(call.reply)
    plan = (PlannedCall(seat="policy", skill="no-such-skill", query="x"), PlannedCall(seat="policy", skill="search-evidence", query="x"))
    low = said.model_copy(update={"risk": Risk.LOW, "plan": plan})
    refused = SkillInvocation(
        id="s", task=f"{record.run}:K-3:{record.attempt}:policy", trace_id="t", skill="no-such-skill", version="", seat="policy",
        outcome="unknown_skill",
    )  # fmt: skip
    found = list(judge(record, [call.model_copy(update={"reply": low.model_dump_json()})], [refused]))
    assert [each.agent for each in found] == ["commander"], "a skill that is not there is not judged"
    assert found[0].scores == {"usable": 1, "plan_valid": 0.5, "risk_not_understated": 0}


def test_a_seat_that_gave_nothing_usable_scores_nothing_and_one_that_was_not_asked_is_not_judged(house: House) -> None:
    record, calls, _ = attempt(house, "K-1")
    failed = [call.model_copy(update={"outcome": "unavailable: timeout", "reply": ""}) for call in calls]
    assert {each.agent: set(each.scores.values()) for each in judge(record, failed, ())} == {call.seat: {0.0} for call in calls}
    unasked = [call.model_copy(update={"outcome": "unavailable: input_unavailable"}) for call in calls]
    assert list(judge(record, unasked, ())) == []


def test_a_skill_that_fails_or_breaks_its_contract_is_told_apart(house: House) -> None:
    record, _, _ = attempt(house, "K-1")
    task = f"{record.run}:K-1:{record.attempt}:policy"
    made = [
        SkillInvocation(id=str(n), task=task, trace_id="t", skill="search-evidence", version="1", seat="policy", outcome=outcome)
        for n, outcome in enumerate(("ok", "timeout", "failed: OSError", "not_permitted"))
    ]
    assert list(judge(record, (), made)) == [Judged("skill/search-evidence", "skill", {"worked": 1 / 3, "within_contract": 2 / 3})]


def test_the_rubrics_of_the_package_keep_the_protocols_rules_and_their_ids_are_their_own() -> None:
    ids = [id for rubric in shipped().values() for id in (rubric.id, *(criterion.id for criterion in rubric.criteria))]
    assert len(set(ids)) == len(ids)
    assert {UUID(id).version for id in ids} == {4}
    assert set(shipped()) == {"commander", "policy", "control", "answer", "answer-by-people", "reviewer", "skill", "mandate"}


def test_grading_a_run_again_appends_nothing(house: House, books: Books) -> None:
    run = house.office.ledger.runs(house.review.id)[-1]
    first = grade_run(house.office, run)
    before = books()
    assert first.made == first.of > 20
    assert grade_run(house.office, run).made == 0
    assert grade_all(house.office).made == 0
    assert books() == before


def test_the_order_of_grading_changes_no_evaluation(house: House) -> None:
    grade_all(house.office)
    kept = {each.id: each for each in house.office.ledger.evaluations()}
    for each in kept.values():
        assert each.body["agentId"] == each.agent
        assert each.body["compositeScore"] == each.composite
    assert {each.mode for each in kept.values()} == {"TEST"}
    assert {each.origin for each in kept.values()} == {"SCRIPTED"}


def test_what_a_script_served_is_never_counted_as_live(house: House) -> None:
    record, calls, _ = attempt(house, "K-1")
    run = house.office.ledger.runs(house.review.id)[-1]
    live = run.model_copy(update={"id": "R-live.1", "entry": EntryPoint.PRODUCT.value, "as_of_given": False})

    house.office.ledger.append_run(live)
    house.office.ledger.append_record(house.review.id, record.model_copy(update={"run": live.id, "attempt": 2}))
    second = [
        call.model_copy(update={"id": f"live-{call.seat}", "origin": Origin.LIVE, "task": f"{live.id}:K-1:2:{call.seat}"}) for call in calls
    ]
    house.office.ledger.append_calls(house.review.id, live.id, "K-1", second, ())
    grade_all(house.office)
    found = {(each.agent, each.mode): each.reputation.evaluation_count for each in reputations(house.office)}
    assert found[("reviewer", "LIVE_AI")] == 1
    assert found[("reviewer", "TEST")] == 4


def test_a_persons_verdict_on_a_draft_counts_once(house: House) -> None:
    grade_all(house.office)
    before = {each.agent: each.reputation.evaluation_count for each in reputations(house.office)}
    answer = house.office.ledger.latest_answers(house.review.id)["K-1"]
    approve(house.office, house.review, "K-1", answer.version, by="Ana")
    assert grade_all(house.office).made == 1
    (mixed,) = (each for each in reputations(house.office) if each.agent == "answer")
    assert mixed.reputation.evaluation_count == before["answer"] + 1
    assert mixed.rubrics == {"answer@1.0", "answer-by-people@1.0"}, "which rubrics are mixed is named"
    assert grade_all(house.office).made == 0


def test_a_question_without_an_answer_stops_neither_grading_nor_calibrating(house: House) -> None:
    file = house.folder / "other.csv"
    file.write_text("ID,Question,Answer\nZ-1,Do you keep a register of risks?,\n", encoding="utf-8")
    take_in(house.office, file)
    assert calibrate(house.office).graded == ()
    assert grade_all(house.office).made > 20


def test_an_evaluation_that_was_written_past_the_ledger_does_not_count(house: House) -> None:
    grade_all(house.office)
    (before,) = (each for each in reputations(house.office) if each.agent == "policy")
    best = next(house.office.ledger.evaluations("policy"))
    forged = best.model_copy(update={"id": "forged", "composite": 0.0})
    house.office.ledger.append_evaluations([forged])
    (after,) = (each for each in reputations(house.office, as_of=AT + timedelta(days=400)) if each.agent == "policy")
    assert (after.reputation.evaluation_count, after.forged) == (before.reputation.evaluation_count, 1)
    assert after.reputation.score == pytest.approx(before.reputation.score)


def test_an_altered_evaluation_does_not_count_whichever_column_was_altered(house: House) -> None:
    grade_all(house.office)
    ledger = house.office.ledger
    with ledger.writing(), ledger._connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text("DROP TRIGGER evaluations_no_update"))
        for number, change in enumerate(("composite = 0.25", "at = 7", "mode = 'LIVE_AI'", "source = 'mossford'", "model = 'm'")):
            where = f"id = (SELECT id FROM evaluations WHERE agent = 'control' ORDER BY id LIMIT 1 OFFSET {min(number, 3)})"
            connection.execute(text(f"UPDATE evaluations SET {change} WHERE {where}"))
    found = [each for each in reputations(house.office) if each.agent == "control"]
    assert sum(each.forged for each in found) == 4
    assert sum(each.reputation.evaluation_count for each in found) == 0


def test_models_of_a_seat_are_told_apart(house: House) -> None:
    grade_all(house.office)
    found = [each for each in reputations(house.office, models=True) if each.agent == "answer"]
    assert [(each.model != "", each.reputation.evaluation_count) for each in found] == [(True, 4)]


def test_events_are_one_of_each_a_seat_and_signed(house: House) -> None:
    run = house.office.ledger.runs(house.review.id)[-1]
    grade_run(house.office, run)
    told = [event for event in events_of(house.office, run) if event.kind in (COMPLETED, UPDATED)]
    agents = {each.agent for each in house.office.ledger.evaluations()}
    assert sorted((event.kind, event.data["payload"]["agentId"]) for event in told) == sorted(  # type: ignore[index, call-overload]
        (kind, agent) for kind in (COMPLETED, UPDATED) for agent in agents
    )
    secret = protocol_secret(None, house.office.seal.text())
    assert all(verify_event(event.data, secret) for event in told)
    assert not any(verify_event({**event.data, "publisher": "mossford"}, secret) for event in told)


def test_a_key_that_cannot_be_used_is_an_error_of_grading_and_leaves_nothing(house: House, books: Books) -> None:
    class Locked:
        def pen(self) -> None:
            raise UsageError("the signing key cannot be used")

    before = books()
    run = house.office.ledger.runs(house.review.id)[-1]
    with pytest.raises(UsageError):
        grade_run(replace(house.office, signer=Locked()), run)  # type: ignore[arg-type]
    assert books() == before
