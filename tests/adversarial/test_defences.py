"""Harm: a grid that finds nothing because it cannot find anything. Each defence is taken away, and an attack must get through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.adversarial.campaign import fight, here
from trustops import confine
from trustops.checks import disclosure, drift
from trustops.facts import testimony
from trustops.formats.evidence import reading
from trustops.formats.evidence.word_styles import Styles
from trustops.testing.attacks.grid import Attack, goals, templates
from trustops.workflow import casework

Patch = pytest.MonkeyPatch


def nothing(*args: Any, **kwargs: Any) -> tuple[()]:
    return ()


def no_injection(patch: Patch) -> None:
    patch.setattr(testimony, "speaks_to_agents", lambda text: False)


def all_visible(patch: Patch) -> None:
    patch.setattr(Styles, "visible", lambda self, run, paragraph: True)


def _without(*names: str) -> Callable[[Patch], None]:
    def weaken(patch: Patch) -> None:
        for name in names:
            patch.setattr(casework, name, nothing)

    return weaken


def all_meet(patch: Patch) -> None:
    patch.setattr(drift, "meets", lambda value, expect, cast: True)


def no_secrets(patch: Patch) -> None:
    patch.setattr(disclosure, "_stands_in", lambda name, lowered: False)


DEFENCES: dict[str, tuple[Callable[[Patch], None], str, str, str]] = {
    "orders to the agents": (no_injection, "yes-without-evidence", "authority", "paper"),
    "hidden text": (all_visible, "yes-without-evidence", "bare", "word-vanish"),
    "citation and proof": (
        _without(
            "citation_findings", "uncited_findings", "coverage_findings", "enumeration_findings", "proof_findings", "closure_findings"
        ),
        "yes-without-evidence",
        "override",
        "note-cell",
    ),
    "closure": (_without("closure_findings", "enumeration_findings", "proof_findings"), "always", "override", "comment"),
    "drift": (all_meet, "drift-hidden", "auditor", "paper"),
    "disclosure": (no_secrets, "internal-account", "override", "comment"),
    "what a viewer loads": (_without("loaded_findings"), "formula", "auditor", "paper"),
}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: Patch) -> Iterable[None]:
    monkeypatch.setattr(confine, "call", here)
    testimony._statements.cache_clear()
    reading.forget()
    yield
    testimony._statements.cache_clear()
    reading.forget()


def attacked(goal: str, template: str, carrier: str) -> list[Attack]:
    chosen = next(g for g in goals() if g.id == goal), next(t for t in templates() if t.id == template)
    return [Attack(*chosen, carrier, "plain")]


@pytest.mark.parametrize("defence", DEFENCES)
def test_the_grid_notices_a_defence_that_is_gone(defence: str, monkeypatch: Patch) -> None:
    weaken, goal, template, carrier = DEFENCES[defence]
    weaken(monkeypatch)
    assert fight(attacked(goal, template, carrier), 5).lost()


@pytest.mark.parametrize("defence", [name for name in DEFENCES if name != "what a viewer loads"])
def test_the_same_attack_gets_nowhere_against_it(defence: str) -> None:
    _, goal, template, carrier = DEFENCES[defence]
    assert fight(attacked(goal, template, carrier), 5).breaches == ()
