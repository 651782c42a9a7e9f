"""Harm: a page fails, shows what it should not, lets a script of somebody else in, or says nothing of use when it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.conftest import House
from tests.console.pages.conftest import PEOPLE, Desk
from trustops.console.pages import DOORS
from trustops.console.pages.drawing import POLICY
from trustops.domain.question import Question
from trustops.domain.record import RunInfo

Desks = Callable[[str], Desk]
PAGES = (
    "/",
    "/reviews",
    "/reviews/new",
    "/reviews/REVIEW",
    "/reviews/REVIEW?status=BLOCKED&find=escrow",
    "/reviews/REVIEW/rows?ref=K-1",
    "/reviews/REVIEW/mapping",
    "/reviews/REVIEW/queue",
    "/reviews/REVIEW/export",
    "/reviews/REVIEW/coverage",
    "/reviews/REVIEW/coverage?gaps=1",
    "/reviews/REVIEW/ratings",
    "/reviews/REVIEW/ratings?question=K-1",
    "/reviews/REVIEW/questions/K-1",
    "/reviews/REVIEW/questions/K-4",
    "/runs/REVIEW.1/trace/K-1",
    "/evidence",
    "/evidence?state=IN_FORCE",
    "/evidence/evidence/endpoint.md",
    "/controls",
    "/controls/disk-encryption",
    "/recall",
    "/library",
    "/library?find=nothing",
    "/recordings",
    "/reports",
    "/trust",
    "/trust/models",
    "/trust/records",
    "/trust/of/reviewer",
)


IN_TEST_REPORTS = ("/reports/E-1", "/reports/E-1/report.html")


class Parts(HTMLParser):
    """What of a page could act: scripts, styles, handlers, addresses; and what a person needs: labels, one heading, a language."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def of(self, *tags: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag in tags]


@pytest.mark.parametrize("role", PEOPLE)
def test_every_page_is_there_for_every_role_and_holds_nothing_that_acts(desks: Desks, role: str) -> None:
    desk = desks(role)
    for path in PAGES:
        page = desk.get(path)
        assert page.status_code == 200, (path, page.text[:400])
        parts = Parts(page.text)
        assert page.headers["content-security-policy"] == POLICY
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        assert parts.of("style", "iframe", "object", "embed", "base", "meta refresh") == []
        assert all(re.fullmatch(r"/static/[0-9a-f]{12}/console\.js", str(script.get("src"))) for script in parts.of("script"))
        assert [name for _, attrs in parts.tags for name in attrs if name.startswith("on") or name in ("style", "srcdoc", "ping")] == []
        addresses = [str(value) for _, attrs in parts.tags for name, value in attrs.items() if name in ("href", "src", "action")]
        assert [each for each in addresses if not each.startswith(("/", "#", "?")) or each.startswith("//")] == []
        for form in re.findall(r'<form[^>]*method="post".*?</form>', page.text, re.DOTALL):
            assert f'name="csrf" value="{desk.csrf}"' in form, path


def test_every_page_shows_its_mode(desks: Desks) -> None:
    desk = desks("approver")
    whole = [path for path in PAGES if "/rows" not in path]
    assert [path for path in whole if 'class="chip wait mode"' not in desk.get(path).text] == []


def test_people_is_for_admins(desks: Desks) -> None:
    assert desks("admin").get("/people").status_code == 200
    refused = desks("approver").get("/people")
    assert (refused.status_code, "<h1>Forbidden</h1>" in refused.text, "Ask somebody who may." in refused.text) == (403, True, True)


def test_every_door_of_the_console_is_tried_here(house: House) -> None:
    """A page that is added without a test stands out."""
    tried = {re.sub(r"\?.*", "", path) for path in PAGES} | {"/people", *IN_TEST_REPORTS}
    patterns = [re.sub(r"\{\w+:path\}", ".+", re.sub(r"\{\w+\}", "[^/]+", door.path)) for door in DOORS if door.method == "GET"]
    assert [p for p in patterns if not p.startswith("/static") and "ratings/" not in p and not any(re.fullmatch(p, t) for t in tried)] == []


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/reviews/R-000000000000",
        "/reviews/REVIEW/questions/K-9",
        "/reviews/REVIEW/questions/",
        "/reviews/REVIEW/ratings/everything",
        "/runs/REVIEW.1/trace/K-9",
        "/runs/REVIEW.9/trace/K-1",
        "/evidence/trustops.toml",
        "/evidence/../trustops.toml",
        "/controls/nothing",
        "/static/000000000000/../console.css",
        "/reviews/REVIEW/nothing",
    ],
)
def test_what_is_not_there_is_told_by_a_page_and_to_programs_by_a_document(desks: Desks, path: str) -> None:
    desk = desks("viewer")
    page = desk.get(path)
    assert (page.status_code, "<h1>Not Found</h1>" in page.text) == (404, True)
    document = desk.client.get(path.replace("REVIEW", desk.review), headers={"Accept": "*/*"})
    assert (document.status_code, document.headers["content-type"]) == (404, "application/problem+json")
    assert str(desk.client.get("/v1/nowhere").headers["content-type"]) == "application/problem+json"


def test_a_stranger_is_led_to_the_sign_in_which_is_drawn_like_the_rest(desks: Desks) -> None:
    desk = desks("viewer")
    desk.client.cookies.clear()
    led = desk.get("/reviews/REVIEW?status=BLOCKED")
    assert (led.status_code, led.headers["location"].partition("?")[0]) == (303, "/sign-in")
    shown = desk.get("/sign-in")
    assert "console.css" in shown.text
    assert '<nav aria-label="Console">' not in shown.text
    refused = desk.client.post(f"/reviews/{desk.review}/queue", data={})
    assert (refused.status_code, 'href="/sign-in"' in refused.text) == (401, True)


def test_a_question_is_shown_whole(desks: Desks, house: House) -> None:
    text = desks("approver").get("/reviews/REVIEW/questions/K-1").text
    for part in ("Full-disk encryption is switched on", "<mark>", "311 of 311", "OFFLINE_DRAFT", "Approve version 1", "version 1 by"):
        assert part in text
    assert "Authentic:" not in text, "what was served offline is never called so"
    blocked = desks("approver").get("/reviews/REVIEW/questions/K-4").text
    assert "MISSING_EVIDENCE" in blocked
    assert 'value="approve"' not in blocked


def odd(house: House, refs: tuple[str, ...]) -> str:
    """A review that was run in no way, whose refs and texts try to be more than text."""
    questions = tuple(
        Question(ref=ref, text=f"Is <img src=x onerror=alert(1)> \u202e safe? {ref}", sheet="<b>S</b>", cell="B2", section="\u200bx")
        for ref in refs
    )
    sheet = house.review.questionnaire.model_copy(update={"questions": questions, "file": "<script>.csv"})
    house.office.ledger.append_review(house.review.model_copy(update={"id": "R-0dd0dd0dd0dd", "questionnaire": sheet}))
    return "R-0dd0dd0dd0dd"


REFS = ("a/b", "..", "a b?c#d", "100%", "ü", '"><script>', "\u202ex")


def test_a_ref_of_any_characters_has_its_page_and_stays_text(desks: Desks, house: House) -> None:
    desk, review = desks("admin"), odd(house, REFS)
    listed = desk.get(f"/reviews/{review}/mapping").text + desk.get(f"/reviews/{review}").text
    for path in (f"/reviews/{review}", f"/reviews/{review}/mapping"):
        links = [a["href"] for a in Parts(desk.get(path).text).of("a") if "/questions/" in str(a.get("href"))]
        for link in links:
            page = desk.get(str(link))
            assert page.status_code == 200, link
            assert "<script>" not in page.text.replace("</script>", "")
            assert "\u202e" not in re.sub(r'"[^"]*"', '""', page.text)  # what a form sends back is exact, what a person reads is not
    assert "<img src=x" not in listed
    assert "U+202E" in listed
    assert "\u200b" not in re.sub(r'"[^"]*"', '""', listed)


def test_a_run_that_was_left_behind_says_so(desks: Desks, house: House) -> None:
    newest = house.office.ledger.runs(house.review.id)[-1]
    run = RunInfo.model_validate({**newest.model_dump(), "id": f"{house.review.id}.9", "started_at": house.office.clock.now()})
    with house.office.ledger.writing():
        house.office.ledger.append_run(run)
        house.office.ledger.append_event(run.id, "run_started")
    page = desks("analyst").get("/reviews/REVIEW").text
    assert f"/v1/runs/{run.id}/events" in page
    assert "0 of 4 decided" in page


def test_programs_get_the_mode_in_no_other_words(desks: Desks, house: House) -> None:
    """What a page calls live is what the ledger calls LIVE_AI, and nothing else is."""
    live: Any = re.findall(r'class="chip \w+ mode"><span[^>]*>[^<]*</span>(\w+)', desks("viewer").get("/reviews/REVIEW").text)
    assert live == ["Test"]
