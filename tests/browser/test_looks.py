"""Harm: a person who needs a keyboard, a screen reader, a small screen, a dark one, or no script is left out.

axe-core (MPL-2.0) comes with a development package; it is run in the page and shipped with nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, hosting
from tests.conftest import House, _open
from trustops.operations.approving import approve
from trustops.operations.asking import ask

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
SMALL = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def kestrel(chromium: Browser, reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, House]]:
    """The small organisation with a review, an approval and its ledger behind a console."""
    del chromium
    folder = tmp_path_factory.mktemp("looks") / "kestrel"
    shutil.copytree(reviewed, folder)
    house = _open(folder)
    approve(house.office, house.review, "K-2", 1, by="Ana")
    with ThreadPoolExecutor(1) as apart:  # this thread has the browser's loop
        case = ask(house.office, house.review, "K-2", "Are audit logs kept for 400 days?")
        apart.submit(House(folder, house.office, case).run).result()
    with hosting(house.office) as site:
        yield site, house


def pages(house: House) -> list[str]:
    """Every kind of page, and a refusal."""
    base = f"/reviews/{house.review.id}"
    return [
        "/reviews",
        "/reviews/new",
        *(base + part for part in ("", "/mapping", "/queue", "/export", "/coverage", "/ratings", "/questions/K-1", "/questions/K-4")),
        *(f"/reviews/{case.id}/questions/K-2%2B1" for case in house.office.ledger.follow_ups(house.review.id)),
        f"{base}/questions/K-2",
        f"/runs/{house.review.id}.1/trace/K-1",
        "/evidence",
        "/evidence/evidence/endpoint.md",
        "/controls",
        "/controls/disk-encryption",
        "/recall",
        "/library",
        "/recordings",
        "/trust",
        "/trust/models",
        "/trust/of/reviewer",
        "/people",
        "/nowhere",
    ]


def faults(page: Page, rules: Sequence[str] = RULES) -> list[tuple[str, str]]:
    """What axe finds on the page as it stands, with the element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    told: dict[str, Any] = page.evaluate("rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", list(rules))
    return [(fault["id"], node["html"][:160]) for fault in told["violations"] for node in fault["nodes"]]


@pytest.mark.parametrize(("scheme", "rules"), [("light", RULES), ("dark", ("color-contrast",))])
def test_axe_finds_nothing_on_any_page(kestrel: tuple[Site, House], chromium: Browser, scheme: str, rules: tuple[str, ...]) -> None:
    """Colours are what another scheme changes; the rest is the same page."""
    site, house = kestrel
    page = site.context(chromium, "Dee", color_scheme=scheme).new_page()
    found = {}
    for address in pages(house):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true })")
        found[address] = faults(page, rules)
    page.context.clear_cookies()
    page.goto("/sign-in")
    found["/sign-in"] = faults(page, rules)
    assert {address: told for address, told in found.items() if told} == {}


def test_axe_would_find_something(kestrel: tuple[Site, House], chromium: Browser) -> None:
    site, _ = kestrel
    page = site.context(chromium, "Dee").new_page()
    page.goto("/reviews")
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<input><img src=\"/x.png\">')")
    assert {"label", "image-alt"} <= {name for name, _ in faults(page)}


def test_no_page_is_wider_than_a_small_screen(kestrel: tuple[Site, House], chromium: Browser) -> None:
    site, house = kestrel
    page = site.context(chromium, "Dee", viewport=SMALL).new_page()
    wide = {}
    for address in pages(house):
        page.goto(address)
        wide[address] = page.evaluate("document.documentElement.scrollWidth")
    assert {address: width for address, width in wide.items() if width > SMALL["width"]} == {}


def test_the_dark_scheme_is_dark_and_the_light_one_light(kestrel: tuple[Site, House], chromium: Browser) -> None:
    site, _ = kestrel
    shades = {}
    for scheme in ("light", "dark"):
        page = site.context(chromium, "Dee", color_scheme=scheme).new_page()
        page.goto("/reviews")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades[scheme] = sum(int(part) for part in colour[4:-1].split(","))
    assert shades["light"] > 600 > 150 > shades["dark"]


def test_all_of_it_works_without_a_script(kestrel: tuple[Site, House], chromium: Browser, tmp_path: Path) -> None:
    """Upload, start, wait by reload, read, approve, export: forms and links alone."""
    site, _ = kestrel
    asked = tmp_path / "again.csv"
    asked.write_text("ID,Question,Answer\nN-1,Are audit logs kept for at least one year?,\n", encoding="utf-8")
    page = site.context(chromium, "Dee", java_script_enabled=False, accept_downloads=True).new_page()
    page.goto("/reviews/new")
    page.get_by_label("The customer's questionnaire").set_input_files(asked)
    page.get_by_role("button", name="Show what would be asked").click()
    page.get_by_role("button", name="Start: 1 question").click()
    address = page.url.partition("?")[0]
    for _ in range(200):
        if "Finished" in page.inner_text("#runhead"):
            break
        page.goto(address)
    expect(page.locator("#runhead")).to_contain_text("1 of 1 decided")
    page.get_by_role("link", name="N-1").first.click()
    expect(page.locator("blockquote").first).to_contain_text("400 days")
    page.get_by_role("button", name="Approve version 1").click()
    expect(page.locator(".flash")).to_contain_text("Approved")
    page.goto(f"{address}/export")
    page.get_by_label("Customer who receives it").fill("Harborview")
    page.get_by_role("button", name="Export 1 answer").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="The customer's file with the answers").click()
    assert "400 days" in waiting.value.path().read_text(encoding="utf-8")
    page.goto(f"{address}/ratings")
    page.get_by_label("The answer is clear: 4").check()
    page.get_by_role("button", name="Keep my ratings").click()
    expect(page.locator(".flash")).to_contain_text("kept")


def test_a_page_can_be_walked_with_the_keyboard_alone(kestrel: tuple[Site, House], chromium: Browser) -> None:
    site, house = kestrel
    page = site.context(chromium, "Ana").new_page()
    page.goto(f"/reviews/{house.review.id}/questions/K-1")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", "what has the focus must show it"
        if "Approve version 1" in reached:
            break
    assert "Approve version 1" in reached
