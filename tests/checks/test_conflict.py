"""Harm: two papers say different things and only the pleasant one is heard."""

from __future__ import annotations

import pytest

from tests.checks.bench import AT, NAMES, TODAY, asks, control, hearing, passage, prior, snapshot, statements
from trustops.checks.conflict import conflict_findings, find_conflicts, reported_conflicts
from trustops.checks.drift import evaluate
from trustops.domain.claim import Citation, Conflict, ConflictKind
from trustops.domain.control import Expectation, Measure
from trustops.domain.evidence import Passage, PriorAnswer

FOOTAGE = "Is camera footage deleted within 30 days?"
GUARDS = "Are all night guards vetted before their first shift?"
STAFF = "Do all employees wear a badge?"
VAULTS = "Are vault doors inspected every quarter?"


def kinds(question: str, *texts: str) -> list[str]:
    return [c.kind.value for c in find_conflicts(asks(question), statements(question, *texts), NAMES)]


PAIRS = [
    pytest.param(
        FOOTAGE,
        "Camera footage is deleted within 30 days.",
        "Camera footage is deleted within 90 days.",
        "VALUE_MISMATCH",
        id="two deadlines around the asked one",
    ),
    pytest.param(
        VAULTS, "Vault doors are inspected every quarter.", "Vault doors are inspected every year.", "VALUE_MISMATCH", id="two frequencies"
    ),
    pytest.param(
        GUARDS,
        "All night guards are vetted before their first shift.",
        "Night guards are vetted before their first shift, except volunteers.",
        "SCOPE_MISMATCH",
        id="all against all but some",
    ),
    pytest.param(
        STAFF, "All employees wear a badge.", "Only administrators wear a badge.", "SCOPE_MISMATCH", id="all against only a known group"
    ),
    pytest.param(
        GUARDS,
        "All night guards are vetted before their first shift.",
        "Only permanent night guards are vetted before their first shift.",
        "SCOPE_MISMATCH",
        id="all against only a group of no lexicon",
    ),
    pytest.param(
        VAULTS, "Vault doors are inspected every quarter.", "Vault doors are not inspected.", "SUPPORT_MISMATCH", id="said and denied"
    ),
]


@pytest.mark.parametrize(("question", "left", "right", "kind"), PAIRS)
def test_two_papers_that_disagree_on_what_is_asked_conflict(question: str, left: str, right: str, kind: str) -> None:
    assert kinds(question, left, right) == [kind]
    assert kinds(question, right, left) == [kind]


AGREEING = [
    pytest.param(FOOTAGE, "Camera footage is deleted within 30 days.", "Camera footage is deleted within 30 days.", id="the same twice"),
    pytest.param(
        FOOTAGE, "Camera footage is deleted within 10 days.", "Camera footage is deleted within 20 days.", id="both on the asked side"
    ),
    pytest.param(FOOTAGE, "Camera footage is deleted within 30 days.", "Guest lists are deleted within 90 days.", id="another object"),
    pytest.param(VAULTS, "Vault doors are inspected every quarter.", "Coats are not kept in the hall.", id="another topic"),
]


@pytest.mark.parametrize(("question", "left", "right"), AGREEING)
def test_papers_that_agree_or_speak_of_other_things_do_not_conflict(question: str, left: str, right: str) -> None:
    assert kinds(question, left, right) == []


def test_one_document_does_not_conflict_with_itself() -> None:
    told = hearing(FOOTAGE, passage("Camera footage is deleted within 30 days.\nCamera footage is deleted within 90 days.")).statements
    assert find_conflicts(asks(FOOTAGE), told, NAMES) == ()


def test_rows_of_different_subjects_do_not_conflict() -> None:
    left = passage("North hall | vault doors are inspected every quarter", "a.md")
    right = passage("South hall | vault doors are inspected every year", "b.md")
    assert find_conflicts(asks(VAULTS), hearing(VAULTS, left, right).statements, NAMES) == ()


def promised(
    answer: str, paper: str, *more: Passage | PriorAnswer, question: str = FOOTAGE, reading: int | None = None
) -> list[tuple[str, bool]]:
    """Conflicts of an earlier answer with a paper, and whether a reading resolved them."""
    exhibits = [passage(paper), prior(question, answer), *more]
    if reading is not None:
        days = control(
            "footage-days",
            title="Days until camera footage is deleted",
            topics=("camera footage",),
            measure=Measure(value="days"),
            expect=Expectation(at_most=30),
        )
        exhibits.append(evaluate(days, snapshot({"days": reading}, "footage-days"), AT))  # type: ignore[arg-type]
    eligible = hearing(question, *exhibits).eligible()
    return [(c.kind.value, c.resolved) for c in find_conflicts(asks(question), eligible, NAMES)]


def test_an_earlier_promise_of_more_than_is_true_conflicts_until_it_is_withdrawn() -> None:
    paper = "Camera footage is deleted within 90 days."
    assert promised("Camera footage is deleted within 30 days.", paper) == [("VALUE_MISMATCH", False)]
    assert promised("Camera footage is deleted within 30 days.", paper, reading=12) == [("VALUE_MISMATCH", False)]
    held = hearing(FOOTAGE, passage(paper), prior(FOOTAGE, "Camera footage is deleted within 30 days.", withdrawn=True)).eligible()
    assert find_conflicts(asks(FOOTAGE), held, NAMES) == ()


HOW_LONG = "Within how many days is camera footage deleted?"


@pytest.mark.parametrize(
    ("answer", "paper", "more", "found"),
    [
        ("Camera footage is deleted within 2 days.", "Camera footage is deleted within 30 days.", "", ["VALUE_MISMATCH"]),
        ("Camera footage is deleted within 30 days.", "Camera footage is deleted within 30 days.", "", []),
        ("Camera footage is deleted within 90 days.", "Camera footage is deleted within 30 days.", "", []),
        (
            "Camera footage of the gate is deleted within 2 days.",
            "Camera footage of the hall is deleted within 30 days.",
            "Camera footage of the gate is deleted within 2 days.",
            [],
        ),
    ],
    ids=["more than is true", "the same", "less, which is still true", "another paper bears it out"],
)
def test_who_is_asked_for_a_value_is_held_to_what_was_promised_before(answer: str, paper: str, more: str, found: list[str]) -> None:
    """Harm: one customer was told two days, and the next is told thirty without anybody seeing it."""
    others = [passage(more, "more.md")] if more else []
    assert [kind for kind, _ in promised(answer, paper, *others, question=HOW_LONG)] == found


def test_an_earlier_promise_of_less_conflicts_until_a_fresh_reading_covers_more() -> None:
    paper = "Camera footage is deleted within 30 days."
    assert promised("Camera footage is deleted within 90 days.", paper) == [("VALUE_MISMATCH", False)]
    assert promised("Camera footage is deleted within 90 days.", paper, reading=12) == [("VALUE_MISMATCH", True)]
    assert promised("Camera footage is deleted within 90 days.", paper, reading=45) == [("VALUE_MISMATCH", False)]


def test_only_the_newest_earlier_answer_of_a_topic_conflicts() -> None:
    newer = prior(FOOTAGE, "Camera footage is deleted within 30 days.", name="A-2", on=TODAY.replace(year=2031, month=1))
    found = promised("Camera footage is deleted within 90 days.", "Camera footage is deleted within 30 days.", newer)
    assert found == []


def test_two_earlier_answers_alone_are_no_conflict_of_papers() -> None:
    day = TODAY.replace(month=2)
    told = hearing(
        FOOTAGE,
        prior(FOOTAGE, "Camera footage is deleted within 30 days.", on=day),
        prior(FOOTAGE, "Camera footage is deleted within 90 days.", on=day, name="A-2"),
    )
    assert find_conflicts(asks(FOOTAGE), told.eligible(), NAMES) == ()


LEFT, RIGHT = "Camera footage is wiped promptly.", "Camera footage may linger."


def reported(left: tuple[str, str], right: tuple[str, str]) -> int:
    eligible = statements(FOOTAGE, LEFT, RIGHT, effective=None)
    seen = Conflict(
        kind=ConflictKind.SUPPORT_MISMATCH,
        left=Citation(exhibit=left[0], quote=left[1]),
        right=Citation(exhibit=right[0], quote=right[1]),
    )
    return len(reported_conflicts([seen], eligible))


def test_a_conflict_that_a_seat_reports_holds_only_with_two_verbatim_quotes_of_two_papers() -> None:
    assert reported(("P-0", LEFT), ("P-1", RIGHT)) == 1
    assert reported(("P-0", LEFT), ("P-1", "Camera footage lingers.")) == 0
    assert reported(("P-0", LEFT), ("P-0", LEFT)) == 0
    assert reported(("P-0", LEFT), ("P-9", RIGHT)) == 0
    assert reported(("P-0", ""), ("P-1", RIGHT)) == 0


@pytest.mark.parametrize(("resolved", "severity"), [(False, "BLOCKING"), (True, "WARNING")])
def test_a_conflict_blocks_and_stays_listed_once_resolved(resolved: bool, severity: str) -> None:
    seen = Conflict(
        kind=ConflictKind.VALUE_MISMATCH,
        left=Citation(exhibit="P-0", quote=LEFT),
        right=Citation(exhibit="P-1", quote=RIGHT),
        resolved=resolved,
    )
    (finding,) = conflict_findings([seen], {"P-0": "left.md"})
    assert (finding.code.value, finding.severity.value, finding.exhibits) == ("CONTRADICTION", severity, ("P-0", "P-1"))
    assert "left.md" in finding.summary
    assert "P-1" in finding.summary
