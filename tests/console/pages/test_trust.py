"""Harm: a grade is shown that nothing stands behind, a forged one looks like a true one, or a default looks like knowledge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import text

from tests.conftest import House
from tests.console.pages.conftest import Desk
from trustops.console.pages.trust import bars
from trustops.operations.grading import grade_all
from trustops.operations.grading_evaluations import evaluated, keep_evaluated
from trustops.operations.trusting import record_trust
from trustops.operations.vouching import judged, last_grades
from trustops.scoring.agentrisk import Signals, assess

Desks = Callable[[str], Desk]
BAD = "Does not hold"


@pytest.fixture
def graded(house: House) -> House:
    grade_all(house.office)
    record_trust(house.office)
    return house


def altered(house: House, statement: str, **values: object) -> None:
    """What somebody writes past the ledger, who can take its triggers away."""
    with house.office.ledger.engine.begin() as connection:  # type: ignore[attr-defined]
        for table in ("evaluations", "trust_records"):
            connection.execute(text(f"DROP TRIGGER {table}_no_update"))
        connection.execute(text(statement), values)


def test_every_page_of_trust_is_there_before_anything_was_graded(desks: Desks) -> None:
    desk = desks("viewer")
    for path in ("/trust", "/trust/models", "/trust/records", "/trust/of/reviewer", "/trust/of/skill%2Fsearch-evidence"):
        page = desk.get(path)
        assert page.status_code == 200, path
    assert "No evaluation yet" in desk.get("/trust/models").text
    assert "estimated" in desk.get("/trust/of/reviewer").text


def test_a_grade_leads_to_the_case_that_it_judged(graded: House, desks: Desks) -> None:
    page = desks("viewer").get("/trust/of/answer").text
    for ref in ("K-1", "K-4"):
        assert f'href="/reviews/{graded.review.id}/questions/{ref}"' in page
    assert BAD not in page
    assert "carries no signature" in page
    assert "<svg" in page


def test_an_evaluation_that_was_altered_is_shown_as_one_that_does_not_hold(graded: House, desks: Desks) -> None:
    newest = last_grades(graded.office, "reviewer", 1)[0]
    altered(graded, "UPDATE evaluations SET composite = 1.0, mode = 'LIVE_AI' WHERE id = :id", id=newest.kept.id)
    page = desks("viewer").get("/trust/of/reviewer").text
    assert page.count(BAD) == 1
    assert "its seal does not fit" in page


def test_a_record_that_was_altered_is_named_by_its_number(graded: House, desks: Desks) -> None:
    desk = desks("viewer")
    assert BAD not in desk.get("/trust/records").text
    altered(graded, "UPDATE trust_records SET body = replace(body, '\"trust_score\":', '\"trust_score\": ') WHERE seq = 2")
    page = desk.get("/trust/records").text
    assert BAD in page
    assert "what it says is not what its digest names" in page
    told = desk.get("/v1/trust/records").json()
    assert (told["valid"], [each["record"] for each in told["bad"]]) == (False, [2])


def test_a_subject_that_nobody_knows_is_not_there(desks: Desks) -> None:
    for path in ("/trust/of/nobody", "/v1/trust/subjects/nobody", "/trust/of/%3Cscript%3E"):
        refused = desks("viewer").get(path)
        assert refused.status_code == 404
        assert "<script>" not in refused.text


def test_the_api_says_what_the_page_shows(graded: House, desks: Desks) -> None:
    desk = desks("viewer")
    subjects = {each["subject"]: each for each in desk.get("/v1/trust").json()["subjects"]}
    one = desk.get("/v1/trust/subjects/reviewer").json()
    assert one["profile"] == subjects["reviewer"]
    assert [record["subject"] for record in one["records"]] == ["reviewer"]
    assert [grade["holds"] for grade in one["grades"]] == [True] * 4
    assert {grade["question"] for grade in one["grades"]} == {"K-1", "K-2", "K-3", "K-4"}
    assert {each["mode"] for each in desk.get("/v1/reputations").json()["reputations"]} == {"TEST"}
    skill = next(name for name in subjects if name.startswith("skill/"))
    assert desk.get(f"/v1/trust/subjects/{skill}").json()["profile"]["subject"] == skill


def test_models_are_told_apart_and_test_work_is_never_called_live(graded: House, desks: Desks) -> None:
    page = desks("viewer").get("/trust/models").text
    assert page.count("<h2>") == 5
    assert "extractive" in page
    assert "Live</span>" not in page


def test_another_organisations_evaluation_is_about_no_case_of_ours(graded: House) -> None:
    kept = last_grades(graded.office, "answer", 1)[0].kept
    assert judged(kept)[1]
    assert judged(kept.model_copy(update={"source": "Other Ltd"})) == ("", "")


def test_availability_is_drawn_apart_and_a_default_is_marked() -> None:
    drawn = {bar.name: bar for bar in bars(assess(Signals(active_days=30)))}
    assert drawn["presence"].group == "apart"
    assert (drawn["presence"].width, drawn["presence"].score.is_estimated) == ("40.0", False)
    assert all(drawn[name].score.is_estimated for name in ("authenticity", "consistency", "transparency", "commitment", "choice"))


def test_grades_of_evaluations_stand_apart_from_the_score(graded: House, desks: Desks) -> None:
    desk = desks("viewer")
    before = desk.get("/v1/trust/subjects/reviewer").json()
    assert before["in_evaluations"] == []
    assert "In evaluations" not in desk.get("/trust/of/reviewer").text
    (run,) = graded.office.ledger.runs(graded.review.id)
    keep_evaluated(graded.office, evaluated(graded.office, run.id, "kestrel/honest"))
    after = desk.get("/v1/trust/subjects/reviewer").json()
    assert after["profile"]["evaluations"] == before["profile"]["evaluations"] == 4
    assert [(each["mode"], each["evaluationCount"]) for each in after["in_evaluations"]] == [("EVALUATION", 4)]
    page = desk.get("/trust/of/reviewer").text
    assert "In evaluations" in page
    assert "Evaluation</span>" in page
    assert "Live</span>" not in page
