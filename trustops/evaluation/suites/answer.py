"""The answer suite: drafts that cite wrongly, promise more or speak of reality without a reading, each in an organisation of its own."""

from __future__ import annotations

from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.suite import Bench, Outcome, Suite
from trustops.evaluation.suites.golden import play_golden
from trustops.roster import shipped


def answer_cases() -> tuple[Case, ...]:
    """golden/answer."""
    return load_cases(shipped("golden") / "answer")


def play_answer(case: Case, bench: Bench) -> Outcome:
    """As a golden case is played."""
    return play_golden(case, bench)


SUITE = Suite("answer", "drafts that cite wrongly or promise more", answer_cases, play_answer)
