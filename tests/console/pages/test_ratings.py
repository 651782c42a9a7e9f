"""Harm: a page fills in what a person should, takes it from a program, or loses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.conftest import House
from tests.console.conftest import bearer
from tests.console.pages.conftest import Desk
from trustops.operations.rating import HEADER

Desks = Callable[[str], Desk]
PAGE = "/reviews/REVIEW/ratings"


def test_several_people_rate_and_see_how_far_they_agree(desks: Desks, house: House) -> None:
    for role, score in (("viewer", "4"), ("analyst", "4"), ("approver", "5")):
        made = desks(role).post(PAGE, question="K-1", clarity=score, comment=f"from <{role}>")
        assert made.headers["location"].endswith("ratings?done=rated")
    page = desks("viewer").get(PAGE).text
    assert "3 raters, 3 ratings" in page
    row = re.search(r"The answer is clear</th>(.*?)</tr>", page.split("Agreement</h2>")[1], re.DOTALL)
    assert row is not None
    assert re.findall(r"(\d+ %)", row[1]) == ["33 %", "100 %"]
    assert "(1 of 3)" in row[1]
    assert 'class="num">0.00<' in row[1], "three values of one item, two of them equal: no better than chance (Krippendorff, ordinal)"
    assert "from &lt;viewer&gt;" in page
    assert {r.rater for r in house.office.ledger.ratings(house.review.id)} == {"Cy", "Bo", "Ana"}


def test_no_field_is_filled_in_beforehand(desks: Desks) -> None:
    desk = desks("viewer")
    desk.post(PAGE, question="K-1", clarity="4")
    page = desk.get(f"{PAGE}?question=K-1").text
    assert page.count('type="radio"') == 40
    assert " checked" not in page
    assert page.count("not measured") == 24


def test_a_program_rates_nothing(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk, headers = desks("viewer"), bearer(house.office, "Cy")
    desk.client.cookies.clear()
    before = said()
    refused = desk.client.post(PAGE.replace("REVIEW", house.review.id), data={"question": "K-1", "clarity": "4"}, headers=headers)
    assert (refused.status_code, "not by a program" in refused.text) == (403, True)
    sheet = {"table": ("t.csv", (",".join(HEADER) + "\nK-1,,4,,,,,,,,\n").encode())}
    assert desk.client.post(f"{PAGE.replace('REVIEW', house.review.id)}/table", files=sheet, headers=headers).status_code == 403
    assert said() == before


def test_a_table_goes_out_blank_and_comes_back_filled(desks: Desks, house: House, said: Callable[[], Any]) -> None:
    desk = desks("analyst")
    sheet = desk.get(f"{PAGE}/blank")
    assert "attachment" in sheet.headers["content-disposition"]
    filled = sheet.content.replace(b"K-2,,,", b"K-2,Bo,3,")
    made = desk.post(f"{PAGE}/table", files={"table": ("ratings.csv", filled)})
    assert made.headers["location"].endswith("ratings?done=rated")
    assert b"K-2,Bo,3," in desk.get(f"{PAGE}/given").content
    before = said()
    for wrong in (filled.replace(b"Bo", b"Ana"), b"nothing", sheet.content):
        assert desk.post(f"{PAGE}/table", files={"table": ("ratings.csv", wrong)}).status_code in (403, 422)
    assert desk.post(f"{PAGE}/table").status_code == 422
    assert desk.post(PAGE, question="K-1", clarity="9").status_code == 422
    assert desk.post(PAGE, question="K-1", clarity="x").status_code == 422
    assert desk.post(PAGE, question="K-1").status_code == 422
    assert said() == before
