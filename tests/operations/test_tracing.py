"""Harm: a link to what was done for a question leads to something else, or to nothing, once another attempt was made."""

from __future__ import annotations

import pytest

from tests.conftest import House
from trustops.domain.errors import UnknownName
from trustops.operations.tracing import question_trace, trace


def test_a_questions_trace_is_its_part_of_the_runs_with_the_same_ids(house: House) -> None:
    (run,) = house.office.ledger.runs(house.review.id)
    whole = trace(house.office, run)
    parts = [question_trace(house.office, run, ref) for ref in run.questions]
    assert [span for part in parts for span in part] == list(whole[1:])
    assert [part[0].name for part in parts] == [f"question {ref}" for ref in run.questions]
    assert all(part[0].marks for part in parts), "the verdict is in it"


def test_an_earlier_attempts_trace_stays_when_another_is_made(house: House) -> None:
    (run,) = house.office.ledger.runs(house.review.id)
    before = [(span.span_id, span.name, span.start, span.end, span.attributes) for span in question_trace(house.office, run, "K-2")]
    house.run("K-2")
    again = house.office.ledger.runs(house.review.id)[-1]
    assert again.id != run.id
    now = [(span.span_id, span.name, span.start, span.end, span.attributes) for span in question_trace(house.office, run, "K-2")]
    assert now == before
    assert not {told[0] for told in before} & {span.span_id for span in question_trace(house.office, again, "K-2")}


def test_a_question_that_the_run_does_not_ask_has_no_trace_there(house: House) -> None:
    house.run("K-2")
    again = house.office.ledger.runs(house.review.id)[-1]
    for ref in ("K-1", "K-9", ""):
        with pytest.raises(UnknownName, match="does not ask"):
            question_trace(house.office, again, ref)
