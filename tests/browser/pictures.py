"""The pictures of docs/images, taken of the demo organisation by the browser of the tests: `python -m tests.browser.pictures [FOLDER]`."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import ANALYST, APPROVER, CHROMIUM, FLAGS, PATIENCE_MS, Site, hosting
from trustops import assembly
from trustops.operations.founding import found
from trustops.operations.library import entries, withdraw
from trustops.roster import shipped

WIDE = {"width": 1280, "height": 800}
SMALL = {"width": 390, "height": 800}
SOME = re.compile(r"1[5-9]|[2-4]\d")
"""Decided questions in the picture of a run that goes on."""


def live(site: Site, browser: Browser, out: Path) -> str:
    """Uploads and starts the demo's questionnaire; the address of its review when it is finished."""
    page = site.context(browser, ANALYST, viewport=WIDE).new_page()
    page.goto("/reviews/new")
    page.get_by_label("The customer's questionnaire").set_input_files(site.office.workspace / "questionnaire.xlsx")
    page.get_by_role("button", name="Show what would be asked").click()
    page.screenshot(path=out / "mapping.png")
    page.get_by_role("button", name="Start: 50 questions").click()
    expect(page.locator("#runhead progress")).to_have_attribute("value", SOME)
    page.screenshot(path=out / "live.png")
    expect(page.locator("#runhead")).to_contain_text("Finished")
    return page.url.partition("?")[0]


def new_facts(site: Site, page: Page, review: str) -> None:
    """What the README does: a new reading, a withdrawn promise, a recheck."""
    name = "mfa-enrolment.json"
    page.goto("/controls")
    shutil.copyfile(shipped("golden") / "acme" / "snapshots-v2" / name, site.office.workspace / "snapshots" / name)
    old = next(a for a in entries(site.office) if "administrators only" in a.answer)
    withdraw(site.office, old.id, by=ANALYST, reason="Superseded by Access Control Policy 4.0")
    page.goto(f"{review}/questions/Q-005")
    page.get_by_role("button", name="Recheck with today's facts").click()
    expect(page.locator(".versions")).to_contain_text("compare with 1")


def pictures(site: Site, browser: Browser, out: Path) -> None:
    review = live(site, browser, out)
    page = site.context(browser, APPROVER, viewport=WIDE).new_page()
    page.goto(f"{review}/questions/Q-005")
    page.screenshot(path=out / "question.png")
    page.locator("#h-conflicts").scroll_into_view_if_needed()
    page.locator(".conflict").first.screenshot(path=out / "conflict.png")
    new_facts(site, page, review)
    page.goto(f"{review}/queue")
    page.locator(".waiting").first.focus()
    page.screenshot(path=out / "queue.png")
    page.goto(f"{review}/questions/Q-005")
    page.get_by_role("button", name="Approve version 2").click()
    page.goto(f"{review}/export")
    page.get_by_label("Customer who receives it").fill("Harborview Mutual")
    page.get_by_role("button", name="Export 1 answer").click()
    page.screenshot(path=out / "export.png")
    page.goto("/controls")
    page.screenshot(path=out / "controls.png")
    page.goto("/trust/of/reviewer")
    page.screenshot(path=out / "trust.png")
    dark = site.context(browser, APPROVER, viewport=WIDE, color_scheme="dark").new_page()
    dark.goto(review)
    dark.screenshot(path=out / "dark.png")
    small = site.context(browser, APPROVER, viewport=SMALL).new_page()
    small.goto(f"{review}/questions/Q-005")
    small.screenshot(path=out / "small.png")


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = found(Path(folder) / "acme", name="", demo=True)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        with hosting(assembly.office(made.workspace)) as site:
            pictures(site, browser, out)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "images")
