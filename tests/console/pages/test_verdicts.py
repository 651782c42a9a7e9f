"""Harm: a form decides something that the person did not see, may not decide, or that another form decided already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import House, snapshot
from tests.console.pages.conftest import Desk
from trustops.domain.approval import Identity, Verdict
from trustops.domain.risk_review import Decision

Desks = Callable[[str], Desk]
ASK = "/reviews/REVIEW/questions/K-2"


def seen(house: House, ref: str = "K-2") -> dict[str, str]:
    answer = house.office.ledger.latest_answers(house.review.id)[ref]
    return {"version": str(answer.version), "digest": answer.digest}


def verdict(house: House, ref: str = "K-2") -> Any:
    return house.office.ledger.latest_approvals(house.review.id).get(ref)


def test_what_was_seen_is_approved_in_the_persons_name_and_the_page_is_asked_for_again(desks: Desks, house: House) -> None:
    made = desks("approver").post(ASK, verb="approve", **seen(house))
    assert (made.status_code, made.headers["location"]) == (303, f"/reviews/{house.review.id}/questions/K-2?done=approved")
    kept = verdict(house)
    assert (kept.by, kept.identity, kept.verdict) == ("Ana", Identity.AUTHENTICATED, Verdict.APPROVED)
    again = desks("approver").post(ASK, verb="approve", back="queue", **seen(house))
    assert again.headers["location"] == f"/reviews/{house.review.id}/queue?done=approved"
    assert verdict(house) == kept


def test_a_rejection_keeps_its_reason_and_shows_it(desks: Desks, house: House) -> None:
    desk = desks("approver")
    assert desk.post(ASK, verb="reject", reason="Name the <b>retention</b>.", **seen(house)).status_code == 303
    assert verdict(house).reason == "Name the <b>retention</b>."
    assert "Name the &lt;b&gt;retention&lt;/b&gt;." in desk.get(ASK).text


@pytest.mark.parametrize("role", ["viewer", "analyst"])
@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_whoever_may_not_decides_nothing(desks: Desks, house: House, said: Callable[[], Any], role: str, verb: str) -> None:
    desk, before = desks(role), said()
    refused = desk.post(ASK, verb=verb, reason="no", **seen(house))
    assert (refused.status_code, "<h1>Forbidden</h1>" in refused.text) == (403, True)
    assert said() == before


BAD: list[tuple[str, dict[str, str], int, str]] = [
    ("another digest", {"verb": "approve", "version": "1", "digest": "0" * 64}, 412, "not the current one"),
    ("another version", {"verb": "approve", "version": "2", "digest": "0" * 64}, 412, "not the current one"),
    ("no digest", {"verb": "approve", "version": "1"}, 422, "which answer"),
    ("no version", {"verb": "approve", "digest": "0" * 64}, 422, "which version"),
    ("no number", {"verb": "approve", "version": "1e9", "digest": "0" * 64}, 412, "not the current one"),
    ("a reason of blanks", {"verb": "reject", "digest": "0" * 64, "reason": " \n "}, 422, "needs a reason"),
    ("a rejection of another", {"verb": "reject", "digest": "0" * 64, "reason": "no"}, 412, "another one now"),
    ("no verb", {}, 422, "nothing that can be done"),
    ("another verb", {"verb": "export"}, 422, "nothing that can be done"),
    ("a field nobody knows", {"verb": "approve", "by": "Dee"}, 422, "not known here"),
    ("an edit of another", {"verb": "edit", "digest": "0" * 64, "text": "Yes."}, 412, "another one now"),
    ("an edit without words", {"verb": "edit", "digest": "0" * 64, "text": "  "}, 422, "needs words"),
]


@pytest.mark.parametrize(("fields", "status", "told"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_form_that_is_not_as_it_was_drawn_is_refused_with_what_to_do(
    desks: Desks, house: House, said: Callable[[], Any], fields: dict[str, str], status: int, told: str
) -> None:
    desk, before = desks("approver"), said()
    refused = desk.post(ASK, **fields)
    assert (refused.status_code, told in refused.text, 'class="todo"' in refused.text) == (status, True, True)
    assert said() == before


def test_what_is_blocked_is_not_approved_however_it_is_asked(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk, before = desks("admin"), said()
    refused = desk.post("/reviews/REVIEW/questions/K-4", verb="approve", **seen(house, "K-4"))
    assert (refused.status_code, "MISSING_EVIDENCE" in refused.text) == (409, True)
    assert said() == before


def test_an_edit_is_checked_and_kept_and_the_same_again_changes_nothing(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk = desks("analyst")
    words = {"verb": "edit", "text": "Yes. Audit logs are kept for 400 days."}
    made = desk.post(ASK, **words, digest=seen(house)["digest"])
    assert made.headers["location"].endswith("?done=edited")
    assert house.office.ledger.latest_answers(house.review.id)["K-2"].author == "Bo"
    before = said()
    again = desk.post(ASK, **words, digest=seen(house)["digest"])
    assert again.headers["location"].endswith("?done=unchanged")
    assert said() == before
    page = desk.get(ASK).text
    assert "compare with 1" in page


def test_an_edit_that_promises_more_is_blocked_and_says_by_what(desks: Desks, house: House) -> None:
    desk = desks("analyst")
    desk.post(ASK, verb="edit", text="Yes. Audit logs are kept for 900 days.", digest=seen(house)["digest"])
    assert "OVERCOMMITMENT" in desk.get(ASK).text
    assert desks("approver").post(ASK, verb="approve", **seen(house)).status_code == 409


def test_bulk_approves_what_is_green_and_nothing_else(desks: Desks, house: House) -> None:
    desk = desks("approver")
    assert desk.post("/reviews/REVIEW/queue").headers["location"].endswith("done=none-green")
    assert house.office.ledger.latest_approvals(house.review.id) == {}
    record = house.office.ledger.latest_records(house.review.id)["K-2"]
    green = record.result.model_copy(update={"decision": Decision.PASS, "findings": ()})
    house.office.ledger.append_record(house.review.id, record.model_copy(update={"attempt": 2, "result": green, "risk": "LOW"}))
    assert "Approve 1 green answer" in desk.get("/reviews/REVIEW/queue").text
    assert desk.post("/reviews/REVIEW/queue").headers["location"].endswith("done=green")
    assert set(house.office.ledger.latest_approvals(house.review.id)) == {"K-2"}


def test_an_author_is_told_that_somebody_else_must_approve(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    ask = "/reviews/REVIEW/questions/K-3"
    answer = house.office.ledger.latest_answers(house.review.id)["K-3"]
    desk = desks("approver")
    desk.post(ask, verb="edit", text=answer.text + " ", digest=answer.digest)
    own = house.office.ledger.latest_answers(house.review.id)["K-3"]
    assert own.author == "Ana"
    assert "another approver must approve it" in desk.get(ask).text
    before = said()
    assert desk.post(ask, verb="approve", version=str(own.version), digest=own.digest).status_code == 403
    assert said() == before


def test_an_approval_whose_facts_changed_says_what_changed(desks: Desks, house: House) -> None:
    desk = desks("approver")
    ask = "/reviews/REVIEW/questions/K-1"
    desk.post(ask, verb="approve", **seen(house, "K-1"))
    snapshot(house.folder, 300, 311)
    assert desk.post("/controls").status_code == 303
    page = desk.get(ask).text
    assert "Changed since it was checked" in page
    assert "300" in page
    assert "A control it rests on does not pass now." in page


def test_a_recheck_begins_a_run_of_this_question(desks: Desks, house: House) -> None:
    made = desks("analyst").post(ASK, verb="recheck")
    assert made.headers["location"].endswith("?done=started")
    run = house.office.ledger.runs(house.review.id)[-1]
    assert run.questions == ("K-2",)
