"""Harm: a score points to a trace that nobody can open, that shows another attempt, or that tells what somebody wrote."""

from __future__ import annotations

from collections.abc import Callable

from tests.conftest import DOCUMENTS, House
from tests.console.pages.conftest import Desk
from tests.console.test_contract import door, held
from trustops.operations.tracing import question_trace, span_report

Desks = Callable[[str], Desk]
WHERE = "/runs/REVIEW.1/trace/K-2"


def test_the_tree_has_every_call_and_skill_of_the_attempt(desks: Desks, house: House) -> None:
    page = desks("viewer").get(WHERE).text
    models, skills = house.office.ledger.calls(house.review.id)[f"{house.review.id}.1", "K-2"]
    assert len(models) == 5
    for name in (*(call.id for call in models), *(skill.id for skill in skills)):
        assert f"<code>{name}</code>" in page
    assert "decision PASS" in page or "decision APPROVAL_REQUIRED" in page
    assert f'href="/reviews/{house.review.id}/questions/K-2"' in page
    assert WHERE.replace("REVIEW", house.review.id) in desks("viewer").get("/reviews/REVIEW/questions/K-2").text


def test_programs_get_the_same_spans_and_no_words(desks: Desks, house: House) -> None:
    told = desks("viewer").get(f"/v1{WHERE}")
    body = held(told, door("GET", f"/v1{WHERE}"))
    run = house.office.ledger.get_run(f"{house.review.id}.1")
    assert run is not None
    assert body["spans"] == [span_report(span) for span in question_trace(house.office, run, "K-2")]
    assert (body["run"], body["review"], body["question"]) == (run.id, house.review.id, "K-2")
    for _, text in DOCUMENTS.values():
        assert text.splitlines()[-1][:30] not in told.text


def test_an_earlier_attempt_stays_at_its_address_and_says_that_it_is_not_the_newest(desks: Desks, house: House) -> None:
    before = desks("viewer").get(f"/v1{WHERE}").json()["spans"]
    assert "A newer attempt" not in desks("viewer").get(WHERE).text
    house.run("K-2")
    desk = desks("viewer")
    seen = [(span["span_id"], span["name"], span["attributes"]) for span in desk.get(f"/v1{WHERE}").json()["spans"]]
    assert seen == [(span["span_id"], span["name"], span["attributes"]) for span in before]
    assert "A newer attempt" in desk.get(WHERE).text
    assert "A newer attempt" not in desk.get("/runs/REVIEW.2/trace/K-2").text


def test_what_the_run_does_not_ask_is_not_found(desks: Desks, house: House) -> None:
    house.run("K-2")
    for path in ("/runs/REVIEW.2/trace/K-1", "/runs/REVIEW.1/trace/K-9", "/runs/R-0123456789ab.1/trace/K-1"):
        assert (desks("viewer").get(path).status_code, desks("viewer").get(f"/v1{path}").status_code) == (404, 404), path
