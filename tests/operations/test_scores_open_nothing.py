"""Harm: a good score opens the gate, or a bad one shuts it."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import House
from tests.storage.bench import evaluation
from trustops.domain.export import ClearedAnswer, clear
from trustops.operations.approving import approve
from trustops.operations.books import open_books
from trustops.operations.grading import grade_all
from trustops.operations.reporting import report
from trustops.operations.sealing import sealed
from trustops.operations.standing import standing
from trustops.operations.trusting import record_trust

AGENTS = ("commander", "policy", "control", "answer", "reviewer", "skill/search-evidence")
SCORES = st.lists(
    st.tuples(st.sampled_from(AGENTS), st.sampled_from(("TEST", "LIVE_AI")), st.sampled_from(("", "mossford")), st.floats(0, 1)), max_size=6
)


def decided(house: House) -> tuple[list[dict[str, Any]], dict[str, bool]]:
    """All that is said of every question, and which of them the gate would let out."""
    books = open_books(house.office, house.review)
    out = {}
    for question in house.review.questionnaire.questions:
        seen, answer = standing(house.office, books, question.ref).seen, books.answers.get(question.ref)
        digest, version = (answer.digest, answer.version) if answer else ("", 0)
        made = clear(seen, question=question.ref, version=version, digest=digest, cells=(), attachments=(), approved_by="", identity="")
        out[question.ref] = isinstance(made, ClearedAnswer)
    return report(house.office, house.review)["questions"], out


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(SCORES)
def test_whatever_is_scored_the_gate_says_the_same(house: House, scores: list[tuple[str, str, str, float]]) -> None:
    before = decided(house)
    number = sum(1 for _ in house.office.ledger.evaluations())
    rows = [
        evaluation(number + n, id=f"{number}-{n}", agent=agent, mode=mode, source=source, composite=score, body={"scores": {"c": score}})
        for n, (agent, mode, source, score) in enumerate(scores)
    ]
    house.office.ledger.append_evaluations([sealed(row, house.office.seal.text()) for row in rows])
    record_trust(house.office)
    assert decided(house) == before


def test_grading_changes_no_decision_version_or_approval(house: House) -> None:
    approve(house.office, house.review, "K-1", house.office.ledger.latest_answers(house.review.id)["K-1"].version, by="Ana")
    before = decided(house)
    assert before[1] == {"K-1": True, "K-2": False, "K-3": False, "K-4": False}
    grade_all(house.office)
    record_trust(house.office)
    assert decided(house) == before
