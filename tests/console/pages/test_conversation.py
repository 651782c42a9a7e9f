"""Harm: what a customer asks back gets lost, acts on the page that shows it, or is asked by somebody who may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import House
from tests.console.pages.conftest import Desk
from trustops.operations.asking import LONGEST

Desks = Callable[[str], Desk]
ASK = "/reviews/REVIEW/questions/K-2"
WORDS = "Are audit logs kept for 400 days? <script>alert(1)</script>"


def seen(house: House, ref: str = "K-2") -> str:
    return house.office.ledger.latest_answers(house.review.id)[ref].digest


def asked(desk: Desk, house: House, text: str = WORDS) -> str:
    """The address of the follow-up's page, after its run."""
    made = desk.post(ASK, verb="ask", text=text, digest=seen(house))
    assert made.status_code == 303, made.text
    case = made.headers["location"].split("/")[2]
    assert "run_finished" in desk.get(f"/v1/runs/{case}.1/events").text
    return str(made.headers["location"])


def test_a_follow_up_is_asked_by_a_form_and_stands_on_both_pages_with_what_holds_it_back(desks: Desks, house: House) -> None:
    desk = desks("analyst")
    address = asked(desk, house)
    (case,) = house.office.ledger.follow_ups(house.review.id)
    assert address == f"/reviews/{case.id}/questions/K-2%2B1?done=asked"
    own, parent = desk.get(address).text, desk.get(ASK).text
    assert "The customer&#39;s question is taken in" in own
    assert f'Follow-up 1 to <a href="/reviews/{house.review.id}/questions/K-2">K-2</a>' in own
    assert ("What went before" in own, "Nothing had left as its answer." in own) == (True, True)
    talk = parent.partition('id="h-follow-ups"')[2].partition("</section>")[0]
    answer = house.office.ledger.latest_answers(case.id)["K-2+1"].text
    for part in (f'href="/reviews/{case.id}/questions/K-2%2B1"', "Nobody has approved this version.", "FOLLOW_UP", answer, "May not leave"):
        assert part in talk
    assert "h-follow-ups" not in desk.get("/reviews/REVIEW/questions/K-1").text


def test_the_customers_words_are_shown_as_words(desks: Desks, house: House) -> None:
    desk = desks("analyst")
    address = asked(desk, house)
    for page in (desk.get(address), desk.get(ASK), desk.get("/reviews")):
        assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in desk.get(ASK).text


BAD: list[tuple[str, dict[str, str], int]] = [
    ("nothing", {"text": " \n "}, 422),
    ("no words", {"text": "?!"}, 422),
    ("too long", {"text": "a" * (LONGEST + 1)}, 422),
    ("what nobody sees", {"text": "Are logs kept\u200b?"}, 422),
    ("another answer", {"text": WORDS, "digest": "0" * 64}, 412),
    ("no answer", {"text": WORDS, "digest": ""}, 412),
]


@pytest.mark.parametrize(("fields", "status"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_is_no_question_or_about_another_answer_is_refused_with_what_to_do(
    desks: Desks, house: House, said: Callable[[], Any], fields: dict[str, str], status: int
) -> None:
    desk, before = desks("analyst"), said()
    refused = desk.post(ASK, verb="ask", **{"digest": seen(house), **fields})
    assert (refused.status_code, 'class="todo"' in refused.text) == (status, True)
    assert said() == before


def test_whoever_may_not_edit_is_shown_no_form_and_asks_nothing(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk = desks("viewer")
    assert 'value="ask"' not in desk.get(ASK).text
    assert 'value="ask"' in desks("analyst").get(ASK).text
    before = said()
    assert desk.post(ASK, verb="ask", text=WORDS, digest=seen(house)).status_code == 403
    assert said() == before


def test_a_page_of_somebody_else_asks_nothing(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk, before = desks("analyst"), said()
    fields = {"verb": "ask", "text": WORDS, "digest": seen(house)}
    for csrf in ({}, {"csrf": "x"}):
        assert desk.client.post(ASK.replace("REVIEW", desk.review), data={**fields, **csrf}).status_code == 403
    assert said() == before


def test_a_question_that_never_ran_has_no_form_and_is_not_followed_up(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk = desks("analyst")
    up = b"ID,Question,Answer\r\nU-1,Do cats bark?,\r\n"
    desk.post("/reviews/new", files={"file": ("u.csv", up)})
    review = next(each for each in house.office.ledger.reviews() if each.id != house.review.id)
    where = f"/reviews/{review.id}/questions/U-1"
    assert 'value="ask"' not in desk.get(where).text
    before = said()
    assert desk.post(where, verb="ask", text=WORDS, digest="").status_code == 409
    assert said() == before
