"""Harm: a person cannot do with a browser what the product is for, or somebody does it who may not.

The tests of this file follow one another through one review: the upload and the run are the long part, and are made once.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ANALYST, APPROVER, Seen, Site, watched
from trustops import assembly
from trustops.operations.library import entries, withdraw
from trustops.operations.verifying import verify
from trustops.roster import shipped

NEW = {"mfa-enrolment.json"}


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen()


@pytest.fixture(scope="module")
def analyst(demo: Site, chromium: Browser, seen: Seen) -> Page:
    return watched(demo.context(chromium, ANALYST), seen)


@pytest.fixture(scope="module")
def approver(demo: Site, chromium: Browser, seen: Seen) -> Page:
    return watched(demo.context(chromium, APPROVER, accept_downloads=True), seen)


@pytest.fixture(scope="module")
def review(demo: Site, analyst: Page) -> str:
    """The address of the demo's review: uploaded, looked at, started and watched until it is finished, without a reload."""
    analyst.goto("/")
    analyst.get_by_role("link", name="New review").click()
    analyst.get_by_label("The customer's questionnaire").set_input_files(demo.office.workspace / "questionnaire.xlsx")
    analyst.get_by_role("button", name="Show what would be asked").click()
    expect(analyst.get_by_role("heading", name="What would be asked")).to_be_visible()
    expect(analyst.get_by_text("headings or explanations, nothing is asked").first).to_be_visible()
    expect(analyst.locator("tbody tr", has_text="Q-005").first).to_contain_text("Partially")
    assert not demo.office.ledger.runs(demo.office.ledger.reviews()[0].id), "it ran before anybody saw what would be asked"
    analyst.get_by_role("button", name="Start: 50 questions").click()
    expect(analyst.locator(".chip", has_text="Running").first).to_be_visible()
    analyst.evaluate("window.sameDocument = true")
    expect(analyst.locator("tr .seat.ok").first).to_be_visible()  # a row that was drawn anew while the page stayed
    assert analyst.evaluate("window.sameDocument")
    expect(analyst.locator("#runhead")).to_contain_text("Finished")
    expect(analyst.locator("#runhead")).to_contain_text("50 of 50 decided")
    return analyst.url.partition("?")[0]


def test_a_review_is_uploaded_looked_at_and_watched_to_its_end(review: str, analyst: Page) -> None:
    expect(analyst.locator("tbody tr[data-ref='Q-005']")).to_contain_text("CONTROL_DRIFT")
    analyst.get_by_role("searchbox").fill("penetration")
    analyst.get_by_role("button", name="Find").click()
    assert analyst.locator("tbody tr").count() < 5


def test_what_is_blocked_says_why_and_offers_no_approval(review: str, approver: Page) -> None:
    approver.goto(f"{review}/questions/Q-005")
    expect(approver.get_by_text("122 of 124, expected all of them", exact=False).first).to_be_visible()
    expect(approver.locator(".conflict mark").first).to_be_visible()
    expect(approver.locator("figure.exhibit mark").first).to_be_visible()
    expect(approver.get_by_role("button", name="Approve version")).to_have_count(0)


def test_new_facts_and_a_recheck_unblock_it(review: str, demo: Site, analyst: Page) -> None:
    office = demo.office
    for name in NEW:
        shutil.copyfile(shipped("golden") / "acme" / "snapshots-v2" / name, office.workspace / "snapshots" / name)
    old = next(a for a in entries(office) if "administrators only" in a.answer)
    withdraw(office, old.id, by=ANALYST, reason="Superseded by Access Control Policy 4.0")
    analyst.goto(f"{review}/questions/Q-005")
    analyst.get_by_role("button", name="Recheck with today's facts").click()
    expect(analyst.locator(".versions")).to_contain_text("compare with 1")  # the page came anew by itself when it was decided
    expect(analyst.get_by_text("124 of 124").first).to_be_visible()
    expect(analyst.locator("ins, del").first).to_be_visible()


def test_an_analyst_cannot_approve_by_any_way(review: str, demo: Site, analyst: Page) -> None:
    before = demo.office.ledger.audit()
    analyst.goto(f"{review}/queue")
    expect(analyst.get_by_role("button", name="Approve")).to_have_count(0)
    analyst.keyboard.press("a")
    answer = demo.office.ledger.latest_answers(review.rpartition("/")[2])["Q-005"]
    token = analyst.locator("input[name=csrf]").first.input_value()
    form = {"csrf": token, "verb": "approve", "version": str(answer.version), "digest": answer.digest}
    refused = analyst.request.post(f"{review}/questions/Q-005", form=form, headers={"Accept": "text/html"})
    assert refused.status == 403
    assert "not to approve" in refused.text() or "this is for approver, admin" in refused.text()
    assert demo.office.ledger.audit() == before


def test_an_approver_reads_and_approves_with_the_keyboard(review: str, demo: Site, approver: Page) -> None:
    approver.goto(f"{review}/queue")
    first = approver.locator(".waiting").first
    expect(first).to_be_focused()
    approver.keyboard.press("?")
    expect(approver.get_by_role("dialog")).to_contain_text("approve this version")
    approver.keyboard.press("Escape")
    approver.keyboard.press("j")
    expect(approver.locator(".waiting").nth(1)).to_be_focused()
    approver.keyboard.press("r")
    expect(approver.locator(".waiting").nth(1).get_by_label("What must change")).to_be_focused()
    approver.keyboard.press("a")  # a letter in a field is a letter
    expect(approver.locator(".waiting").nth(1).get_by_label("What must change")).to_have_value("a")
    approver.reload()
    five = approver.locator(".waiting[data-ref='Q-005']")
    five.focus()
    approver.keyboard.press("o")
    expect(approver.get_by_role("heading", level=1)).to_contain_text("multi-factor authentication")
    approver.go_back()
    approver.locator(".waiting[data-ref='Q-005']").focus()
    approver.keyboard.press("a")
    expect(approver.locator(".flash")).to_contain_text("Approved")
    expect(approver.locator(".waiting[data-ref='Q-005']")).to_have_count(0)
    kept = demo.office.ledger.latest_approvals(review.rpartition("/")[2])["Q-005"]
    assert (kept.by, kept.identity.value, kept.verdict.value) == (APPROVER, "authenticated", "APPROVED")


def test_an_answer_that_changed_meanwhile_is_not_approved(review: str, demo: Site, approver: Page) -> None:
    """The page is old: its form names a digest that is no longer the current one."""
    approver.goto(f"{review}/questions/Q-001")
    before = demo.office.ledger.audit()
    approver.locator("form:has(button[value=approve]) input[name=digest]").evaluate("field => field.value = '0'.repeat(64)")
    approver.get_by_role("button", name="Approve version").click()
    expect(approver.get_by_role("heading", level=1)).to_have_text("Precondition Failed")
    expect(approver.locator(".todo")).to_contain_text("Read it")
    assert demo.office.ledger.audit() == before


def test_what_is_cleared_leaves_and_the_bundle_verifies(review: str, demo: Site, approver: Page, tmp_path: Path) -> None:
    approver.goto(f"{review}/export")
    expect(approver.locator(".figures")).to_contain_text("Would leave")
    expect(approver.locator("table").first).to_contain_text("Nobody has approved this version.")
    approver.get_by_label("Customer who receives it").fill("Harborview Mutual")
    approver.get_by_role("button", name="Export 1 answer").click()
    expect(approver.locator(".sent")).to_contain_text("Harborview Mutual")
    got = {}
    for name in ("The customer's file with the answers", "Bundle for offline verification", "Receipt"):
        with approver.expect_download() as waiting:
            approver.get_by_role("link", name=name).click()
        got[name] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(got[name])
    checked = verify(assembly.bundles(), got["Bundle for offline verification"], None)
    assert checked.integrity
    assert all(path.name.startswith("TEST-") for path in got.values()), "what is in a folder of downloads shows no badge"
    receipt = json.loads(got["Receipt"].read_text(encoding="utf-8"))
    assert [answer["question"] for answer in receipt["answers"]] == ["Q-005"]
    assert receipt["execution_mode"] == "TEST"
    assert zipfile.is_zipfile(got["The customer's file with the answers"])


def test_nothing_of_it_asked_anybody_else_or_went_wrong(review: str, demo: Site, seen: Seen) -> None:
    assert len(seen.requests) > 50
    assert seen.foreign(demo.url) == []
    assert [problem for problem in seen.problems if "412" not in problem] == []
