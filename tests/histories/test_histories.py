"""Harm: some order of edits, approvals, changes of the world and exports lets something leave that nobody approved as it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.counts import drawn
from tests.histories.machine import Histories
from tests.histories.weakened import WEAKENINGS
from tests.histories.world import Template, confine, here

IN_EVERY_RUN, ALL, STEPS, PARTS = drawn(60, in_ci=500), 10_000, 12, 4
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Files that need not outlive a crash: what a crash leaves is looked at in tests/crash."""
QUICKLY_NOTICED = {
    "blocked",
    "any_version",
    "all_green",
    "no_findings",
    "own_edit",
    "wrong_file",
}
NOTICED_WITHIN = 200
"""Histories. The machine's choices are the same in every run of these tests, so that none is noticed by luck alone."""


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory(dir=MEMORY) as folder:
        patched.setattr(confine, "call", here)
        yield Template(Path(folder))


def run(template: Template, histories: int, *, same: bool, phases: tuple[Phase, ...] = (Phase.generate,)) -> Counter[str]:
    """So many histories; what was done in them is counted."""
    Histories.template = template
    Histories.counted.clear()
    chosen = settings(
        settings(), max_examples=histories, stateful_step_count=STEPS, database=None, phases=phases, derandomize=same, deadline=None
    )
    run_state_machine_as_test(Histories, settings=chosen)
    return Histories.counted


def check(template: Template, histories: int) -> None:
    counted = run(template, histories, same=False, phases=(Phase.generate, Phase.shrink))
    print(f"histories: {dict(counted)}")
    assert counted["histories"] >= histories
    assert counted["exports"] >= histories // 8, "too little left for the histories to say anything"
    assert counted["refusals"] >= histories


@pytest.mark.parametrize("part", range(PARTS))
def test_no_history_lets_anything_out_that_nobody_approved(template: Template, part: int) -> None:
    check(template, IN_EVERY_RUN // PARTS)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_history_of_ten_thousand_does(template: Template, part: int) -> None:
    check(template, ALL // PARTS)


@pytest.mark.parametrize("weakening", [w for w in WEAKENINGS if w.__name__ in QUICKLY_NOTICED], ids=lambda w: w.__name__)
def test_the_histories_notice_a_weakened_product(template: Template, weakening: Callable[[pytest.MonkeyPatch], None]) -> None:
    noticed(template, weakening)


@pytest.mark.long
@pytest.mark.parametrize("weakening", [w for w in WEAKENINGS if w.__name__ not in QUICKLY_NOTICED], ids=lambda w: w.__name__)
def test_the_histories_notice_every_other_weakening(template: Template, weakening: Callable[[pytest.MonkeyPatch], None]) -> None:
    noticed(template, weakening)


def noticed(template: Template, weakening: Callable[[pytest.MonkeyPatch], None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        weakening(patch)
        with pytest.raises(AssertionError):
            run(template, NOTICED_WITHIN, same=True)
    assert Histories.counted["histories"] > 0
