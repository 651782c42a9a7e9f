"""Harm: a model that is silent, garbled, late, moody or dear opens what a lying one beside it wants out: on the demo organisation's
workbook, with an approver who signs whatever can be signed.

At the port, in this process; the same failures on the wire: tests/team/test_seat_table.py and tests/operations/test_bad_input.py.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from trustops import assembly
from trustops.domain.authenticity import SEATS, EntryPoint
from trustops.domain.errors import NothingCleared, Refused, TrustOpsError
from trustops.evaluation.truth import load_truth
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve, approve_green
from trustops.operations.exporting import export
from trustops.operations.founding import found
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.reporting import report
from trustops.ports import ModelClient
from trustops.roster import shipped
from trustops.team.seat import Allowance
from trustops.testing.failing import WORST, Expensive, Failing, Flaky, Malformed, Silent, Slow

SAMPLE = ("Q-001", "Q-004", "Q-005")
SOON_S = 0.05
"""How long a seat may take here; only a model that never replies is meant to need it."""
LIMIT = Decimal(20)
KINDS = (Silent, Malformed, Slow, Flaky)


@dataclass(frozen=True)
class Ended:
    """What became of a review: what left, what was said of each question, and how it stopped."""

    exported: tuple[str, ...]
    told: dict[str, Any]
    stopped: str = ""

    def decisions(self) -> set[str]:
        return {q["decision"] for q in self.told["questions"] if q["decision"]}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "acme"
    found(folder, name="", demo=True)
    return folder


@contextmanager
def opened(demo: Path, folder: Path) -> Iterator[Office]:
    shutil.copytree(demo, folder)
    office = assembly.office(folder, entry=EntryPoint.EVALUATION)
    try:
        yield office
    finally:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def signed_by_all_means(office: Office, folder: Path, client: ModelClient, only: Sequence[str], **changes: Any) -> Ended:
    """A review with that model, everything approved that can be, and an export."""
    review = take_in(office, folder / "questionnaire.xlsx")
    worked, stopped = replace(office, client=client, **changes), ""
    try:
        asyncio.run(run_review(worked, prepare(worked, review, only=only, watch=lambda *_: None), lambda *_: None))
    except Refused as told:
        stopped = str(told)
    for question in review.questionnaire.questions:
        try:
            approve(office, review, question.ref, None, by="Imke Aldersley")
        except TrustOpsError:
            continue
    approve_green(office, review, by="Imke Aldersley")
    try:
        left = export(office, review, folder / "out", to="Customer").exported
    except NothingCleared:
        left = ()
        assert not (folder / "out").exists() or not any((folder / "out").iterdir())
    return Ended(tuple(left), report(office, review), stopped)


def worst(demo: Path, tmp_path: Path, model: ModelClient, only: Sequence[str]) -> Ended:
    slow = isinstance(model, Slow)
    with opened(demo, tmp_path / "acme") as office:
        changes: dict[str, Any] = {"allowance": Allowance(SOON_S), "allowances": {}} if slow else {}
        if isinstance(model, Expensive):
            changes["usd_per_review"] = LIMIT
        return signed_by_all_means(office, tmp_path / "acme", model, only, **changes)


def nothing_left(ended: Ended, model: ModelClient) -> None:
    assert ended.exported == ()
    assert ended.decisions() <= {"BLOCK"}, {q["ref"]: q["decision"] for q in ended.told["questions"]}
    if isinstance(model, Expensive):
        assert "money is spent" in ended.stopped
        assert model.calls * model.usd <= LIMIT, "more was spent than the review may cost"
    else:
        assert ended.stopped == "", "one model's failure must not take the review with it"


@pytest.mark.parametrize("name", WORST)
def test_no_worst_model_at_all_five_seats_gets_anything_out(demo: Path, tmp_path: Path, name: str) -> None:
    model = WORST[name]()
    ended = worst(demo, tmp_path, model, SAMPLE)
    nothing_left(ended, model)
    if not isinstance(model, Expensive):
        assert sum(q["decision"] == "BLOCK" for q in ended.told["questions"]) == len(SAMPLE)


@pytest.mark.parametrize(("kind", "seat"), [(Malformed, "reviewer"), (Flaky, "policy")])
def test_a_seat_that_fails_beside_lying_ones_opens_nothing(demo: Path, tmp_path: Path, kind: type[Failing], seat: str) -> None:
    model = kind([seat])
    nothing_left(worst(demo, tmp_path, model, SAMPLE), model)


@pytest.mark.long
@pytest.mark.parametrize("name", WORST)
def test_no_worst_model_gets_anything_out_of_the_whole_workbook(demo: Path, tmp_path: Path, name: str) -> None:
    model = WORST[name]()
    ended = worst(demo, tmp_path, model, ())
    nothing_left(ended, model)
    assert isinstance(model, Expensive) or len([q for q in ended.told["questions"] if q["decision"]]) == 50


@pytest.mark.long
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("kind", KINDS)
def test_on_the_whole_workbook_a_seat_that_fails_beside_lying_ones_opens_nothing(
    demo: Path, tmp_path: Path, kind: type[Failing], seat: str
) -> None:
    model = kind([seat])
    nothing_left(worst(demo, tmp_path, model, ()), model)


@pytest.mark.long
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_seat_that_fails_beside_honest_ones_lets_nothing_out_that_truth_blocks(
    demo: Path, tmp_path: Path, kind: type[Failing], seat: str
) -> None:
    truth = {q.ref: q.expected for q in load_truth(shipped("golden") / "acme" / "truth.yaml").questions}
    with opened(demo, tmp_path / "acme") as office:
        model = kind([seat], office.client)
        allowance = Allowance(1.0) if kind is Slow else office.allowance
        ended = signed_by_all_means(office, tmp_path / "acme", model, (), allowance=allowance, allowances={})
    assert ended.stopped == ""
    assert [ref for ref in ended.exported if truth[ref].decision.value == "BLOCK"] == []
    for question in ended.told["questions"]:
        failed = [task for task in question["agent_tasks"] if task["seat"] == seat and task["outcome"] != "ok"]
        assert not failed or question["decision"] == "BLOCK"
    assert kind is Flaky or ended.exported == ()
