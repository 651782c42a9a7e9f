"""Harm: one customer is told two things that cannot both be true."""

from __future__ import annotations

import pytest

from tests.checks.bench import AT, NAMES
from trustops.checks.consistency import clashes
from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.claim import Claim


def version(ref: str, *claims: str, determination: Determination = Determination.YES) -> AnswerVersion:
    return AnswerVersion(
        question=ref,
        version=1,
        author="answer seat",
        created_at=AT,
        determination=determination,
        asks=(),
        text=" ".join(claims),
        claims=tuple(Claim(text=text) for text in claims),
        gate_version="g",
    ).sealed()


PAIRS = [
    pytest.param("Gallery alarm logs are kept for 90 days.", "Gallery alarm logs are not kept for 90 days.", True, id="said and denied"),
    pytest.param("All gallery alarm keys are stored in a safe.", "Gallery alarm keys are not stored in a safe.", True, id="all and none"),
    pytest.param("Gallery alarm logs are kept for 90 days.", "Gallery alarm logs are kept for 90 days.", False, id="the same twice"),
    pytest.param("Gallery alarm logs are kept for 90 days.", "Visitor coats are not kept in the gallery.", False, id="another topic"),
    pytest.param("Gallery alarm logs are kept.", "Gallery alarm logs are kept for 90 days.", False, id="one more exact than the other"),
    pytest.param(
        "Gallery alarm logs are kept for 30 days.", "Gallery alarm logs are kept for 90 days.", True, id="two periods of one thing"
    ),
    pytest.param(
        "Alarm logs of the east wing are kept for 30 days.", "Alarm logs of the west wing are kept for 90 days.", False, id="two wings"
    ),
    pytest.param(
        "The museum does not store, process or transmit visitor card numbers, which rest with the ticket firm.",
        "Visitor card numbers go to the ticket firm directly, under data processing terms.",
        False,
        id="we and somebody else",
    ),
    pytest.param(
        "The night account administers the alarm of the gallery.",
        "The night account does not administer the lifts of the gallery.",
        False,
        id="one account and two things",
    ),
    pytest.param(
        "The night account administers the alarm of the gallery.",
        "The night account does not administer the alarm of the gallery.",
        True,
        id="one account and one thing",
    ),
    pytest.param(
        "The north account administers the alarm of the gallery.",
        "The south account does not administer the alarm of the gallery.",
        False,
        id="two accounts",
    ),
    pytest.param(
        "Model rooms hold painted figures and are not heated in winter.",
        "Figures of the model rooms are painted.",
        False,
        id="another denial",
    ),
    pytest.param("Visitor photographs are deleted after one day.", "Visitor photographs are never deleted.", True, id="never"),
    pytest.param(
        "Staff photographs are deleted after one day.", "Visitor photographs are never deleted.", False, id="never of another group"
    ),
    pytest.param("Every gallery alarm is tested weekly.", "Gallery alarms remain untested.", True, id="an antonym"),
    pytest.param("画廊报警日志保存90天。", "画廊报警日志不保存。", True, id="zh said and denied"),
    pytest.param("画廊报警日志保存90天。", "访客大衣不在画廊保存。", False, id="zh another thing"),
    pytest.param("东翼报警日志保存30天。", "西翼报警日志保存90天。", False, id="zh two wings"),
    pytest.param("画廊报警日志保存30天。", "画廊报警日志保存90天。", True, id="zh two periods"),
]


@pytest.mark.parametrize(("left", "right", "clash"), PAIRS)
def test_two_answers_that_oppose_each_other_clash(left: str, right: str, clash: bool) -> None:
    found = clashes([version("L-1", left), version("L-2", right)], NAMES)
    assert [(c.left, c.right, c.sentences) for c in found] == ([("L-1", "L-2", (left, right))] if clash else [])
    turned = clashes([version("L-2", right), version("L-1", left)], NAMES)
    assert len(turned) == len(found)


def test_a_clash_is_bound_to_both_digests_so_that_an_edit_lifts_it() -> None:
    left, right = version("L-1", str(PAIRS[0].values[0])), version("L-2", str(PAIRS[0].values[1]))
    (found,) = clashes([left, right], NAMES)
    assert found.digests == (left.digest, right.digest)


def test_an_unknown_says_nothing_and_clashes_with_nothing() -> None:
    left, right = (str(value) for value in PAIRS[0].values[:2])
    assert clashes([version("L-1", left), version("L-2", right, determination=Determination.UNKNOWN)], NAMES) == ()


def test_every_pair_is_compared_not_only_neighbours() -> None:
    told = [
        version("L-1", "Gallery alarm logs are kept for 90 days."),
        version("L-2", "Coats are hung in the hall."),
        version("L-3", "Lamps are switched off.", "Gallery alarm logs are not kept for 90 days."),
    ]
    assert [(c.left, c.right) for c in clashes(told, NAMES)] == [("L-1", "L-3")]
