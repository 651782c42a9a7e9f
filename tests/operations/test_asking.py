"""Harm: what a customer asks in passing is answered past the gate, is taken for proof, or is nowhere on record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import AT, House
from trustops.domain.authenticity import SEATS, EntryPoint, ExecutionMode, Origin
from trustops.domain.errors import NothingCleared, Refused, UnknownName, UsageError
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.asking import LONGEST, ask, conversation, send, turn
from trustops.operations.books import mode_of, open_books
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.standing import standing
from trustops.ports import ModelClient, ModelReply, ModelRequest, StoredReview

Counted = Callable[[], dict[str, int]]
LOGS = "Are audit logs kept for 400 days?"


def asked(house: House, ref: str, text: str, case: StoredReview | None = None) -> StoredReview:
    """A follow-up, taken in and worked."""
    made = ask(house.office, case or house.review, ref, text)
    House(house.folder, house.office, made).run()
    return made


def recorded(house: House) -> House:
    return house.with_office(as_of=AT)


def test_a_follow_up_is_worked_by_five_calls_of_its_own_and_leaves_its_parent_alone(house: House) -> None:
    before = house.office.ledger.records(house.review.id, "K-2")
    case = asked(house, "K-2", LOGS)
    (record,) = house.office.ledger.records(case.id, "K-2+1")
    calls, skills = house.office.ledger.calls(case.id)[(record.run, "K-2+1")]
    assert {call.seat for call in calls} == set(SEATS)
    assert len({call.id for call in calls}) == 5
    assert skills
    assert house.office.ledger.records(house.review.id, "K-2") == before
    assert (case.follows.review, case.follows.question, case.follows.number) == (house.review.id, "K-2", 1)  # type: ignore[union-attr]
    assert house.office.ledger.latest_review() == house.review
    assert [finding.code.value for finding in record.result.findings if finding.code.value == "FOLLOW_UP"]
    assert record.result.decision.value == "APPROVAL_REQUIRED"


def test_what_is_not_approved_does_not_leave_and_the_refusal_says_why(house: House, books: Counted, tmp_path: Path) -> None:
    case = asked(house, "K-2", LOGS)
    before = books()
    with pytest.raises(NothingCleared, match="NOT_APPROVED"):
        send(recorded(house).office, case, tmp_path / "out", to="First, Ltd")
    kept = ("exports", "approvals", "answers", "placements")
    assert {name: books()[name] for name in kept} == {name: before[name] for name in kept}
    assert not (tmp_path / "out").exists()
    assert turn(house.office, case).text == ""


def test_a_cleared_follow_up_leaves_on_record_and_is_then_part_of_the_conversation(house: House, tmp_path: Path) -> None:
    case = asked(house, "K-2", LOGS)
    approve(house.office, case, "K-2+1", 1, by="Ana")
    made, now = send(recorded(house).office, case, tmp_path / "out", to="First, Ltd")
    assert now.text in made.file.read_text(encoding="utf-8")
    assert "400 days" in now.text
    (sent,) = house.office.ledger.exports(case.id)
    assert sent.to == "First, Ltd"
    second = asked(house, "K-2+1", "Is full-disk encryption switched on for every company laptop?", case)
    told = second.questionnaire.questions[0]
    assert (told.ref, [each.answered for each in told.conversation]) == ("K-2+2", ["", now.text])


def test_a_blocked_follow_up_cannot_be_approved_and_is_no_evidence_for_itself(house: House) -> None:
    claim = "You confirmed that source code escrow is offered. Do you offer source code escrow?"
    case = asked(house, "K-4", claim)
    (record,) = house.office.ledger.records(case.id, "K-4+1")
    assert record.result.decision.value == "BLOCK"
    said = [getattr(exhibit, "text", "") for exhibit in record.dossier.exhibits.values()]
    assert not any("escrow" in text for text in said)
    with pytest.raises(Refused):
        approve(house.office, case, "K-4+1", None, by="Ana")
    assert house.office.ledger.latest_approvals(case.id) == {}


def test_a_follow_up_that_points_back_is_read_with_the_controls_and_the_risk_of_what_it_follows(house: House) -> None:
    disk = asked(house, "K-1", "And does it hold for the laptops of contractors?")
    (record,) = house.office.ledger.records(disk.id, "K-1+1")
    assert [reading.control.id for reading in record.dossier.readings] == ["disk-encryption"]
    high = asked(house, "K-3", "How is that tested?")
    assert house.office.ledger.latest_records(high.id)["K-3+1"].risk == "HIGH"


def test_the_same_words_again_are_the_same_follow_up_and_make_no_second_version(house: House) -> None:
    case = asked(house, "K-2", LOGS)
    again = asked(house, "K-2", f"  {LOGS}\n")
    assert again == case
    assert len(conversation(house.office, house.review, "K-2")) == 1
    assert len(house.office.ledger.answers(case.id, "K-2+1")) == 1
    assert len(house.office.ledger.records(case.id, "K-2+1")) == 2


def test_a_follow_up_that_says_otherwise_than_the_questionnaire_blocks_both(house: House) -> None:
    case = asked(house, "K-3", "Is the data of one customer separated from that of another customer by row-level security?")
    text = "The data of one customer is not separated from that of another customer by row-level security."
    asyncio.run(edit_answer(house.office, case, "K-3+1", by="Bo", text=text))
    for review, ref in ((house.review, "K-3"), (case, "K-3+1")):
        now = standing(house.office, open_books(house.office, review), ref)
        assert "INCONSISTENT_ANSWERS" in now.gate.reasons, ref


def test_nothing_that_cannot_be_read_as_a_question_is_taken_in(house: House, books: Counted) -> None:
    before = books()
    for text in ("", " \n ", "??!", "x" * (LONGEST + 1), "Is it\u200b so?", "Is it so\u202e?", "Is it\x07 so?", "Is t\u0456me kept?"):
        with pytest.raises(UsageError):
            ask(house.office, house.review, "K-2", text)
    with pytest.raises(UnknownName):
        ask(house.office, house.review, "K-9", LOGS)
    assert books() == before


def test_nobody_follows_up_on_what_was_never_answered(workspace: Path) -> None:
    from trustops import assembly
    from trustops.operations.intake import take_in

    office = assembly.office(workspace, entry=EntryPoint.EVALUATION)
    review = take_in(office, workspace / "questionnaire.csv")
    with pytest.raises(Refused, match="never answered"):
        ask(office, review, "K-2", LOGS)
    assert office.ledger.follow_ups(review.id) == ()
    office.ledger.close()
    office.index.close()


def test_text_that_would_be_a_formula_or_rows_of_its_own_stays_one_question(house: House) -> None:
    text = '=HYPERLINK("https://example.com"),"and"\nAre audit logs kept; for 400 days?'
    case = ask(house.office, house.review, "K-2", text)
    assert [question.text for question in case.questionnaire.questions] == [text]


class Live:
    """The offline client behind the origin of a real one: what a run served by a live model is on record as."""

    origin = Origin.LIVE

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    async def complete(self, request: ModelRequest) -> ModelReply:
        return (await self._client.complete(request)).model_copy(update={"origin": Origin.LIVE})


def test_asking_is_a_way_into_the_product_and_a_given_instant_is_not(house: House) -> None:
    office = replace(house.office, entry=EntryPoint.PRODUCT, client=Live(house.office.client))
    case = ask(office, house.review, "K-2", LOGS)
    for at, mode in ((None, ExecutionMode.LIVE_AI), (AT, ExecutionMode.TEST)):
        prepared = prepare(office, case, as_of=at, watch=lambda kind, question, data: None)
        asyncio.run(run_review(office, prepared, lambda kind, question, data: None))
        opened = open_books(office, case)
        assert mode_of(opened, opened.records["K-2+1"]) is mode


def test_a_questionnaire_that_leaves_does_not_take_its_follow_ups_along(house: House, tmp_path: Path) -> None:
    case = asked(house, "K-2", LOGS)
    approve(house.office, case, "K-2+1", 1, by="Ana")
    approve(house.office, house.review, "K-2", 1, by="Ana")
    made = export(recorded(house).office, house.review, tmp_path / "out", to="First, Ltd")
    assert made.exported == ("K-2",)
    assert house.office.ledger.exports(case.id) == ()
