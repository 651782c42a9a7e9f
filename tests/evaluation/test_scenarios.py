"""Harm: a scenario that says something else than it is counted as, or a draw that is not the same again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.evaluation.scenarios import MOST_TURNS, chosen, load_scenarios

SHIPPED = load_scenarios()
FILE = """user: {user_id: a, role: r, preferences: [short]}
scenarios:
  - {scenario_id: s-1, category: similar, intent: i, expected_swarm_agent: answer-library, should_trigger_swarm: true,
     goal_definition: g, opening_message: o, follow_up_strategy: clarify, max_turns: 3}
"""


def test_each_of_five_users_has_ten_similar_and_eight_different_scenarios() -> None:
    assert len(SHIPPED) == 5
    for cast in SHIPPED:
        assert Counter(scenario.category for scenario in cast.scenarios) == {"similar": 10, "different": 8}, cast.user.user_id
        assert {scenario.follow_up_strategy for scenario in cast.scenarios} == {"clarify", "deep_dive", "pivot", "correct"}
        assert all(1 <= scenario.max_turns <= MOST_TURNS for scenario in cast.scenarios)
    openings = [scenario.opening_message for cast in SHIPPED for scenario in cast.scenarios]
    assert len(set(openings)) == len(openings) == 90


def test_a_draw_is_the_same_again_and_keeps_the_share_of_both_categories() -> None:
    drawn = chosen(SHIPPED, n=18, seed=4)
    assert drawn == chosen(SHIPPED, n=18, seed=4)
    assert drawn != chosen(SHIPPED, n=18, seed=5)
    assert Counter(scenario.category for _, scenario in drawn) == {"similar": 10, "different": 8}
    assert len(chosen(SHIPPED, n=None, seed=1, users=["insurer-audit"])) == 18
    with pytest.raises(UnknownName):
        chosen(SHIPPED, n=None, seed=1, users=["nobody"])
    with pytest.raises(UsageError):
        chosen(SHIPPED, n=0, seed=1)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("max_turns: 3", "max_turns: 7", "line 4"),
        ("follow_up_strategy: clarify", "follow_up_strategy: insist", "follow_up_strategy"),
        ("should_trigger_swarm: true", "should_trigger_swarm: false", "should_trigger_swarm"),
        ("expected_swarm_agent: answer-library", "expected_swarm_agent: null", "expected_swarm_agent"),
        ("intent: i,", "intent: i, turns: 3,", "unknown key"),
        ("preferences: [short]", "preferences: []", "preferences"),
    ],
)
def test_a_file_with_another_shape_is_refused_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    (tmp_path / "a.yaml").write_text(FILE, encoding="utf-8")
    assert len(load_scenarios(tmp_path)[0].scenarios) == 1
    (tmp_path / "a.yaml").write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(MalformedFile) as refused:
        load_scenarios(tmp_path)
    assert says in str(refused.value)


def test_one_id_twice_and_no_scenario_at_all_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        load_scenarios(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(FILE.replace("user_id: a", f"user_id: {name}"), encoding="utf-8")
    with pytest.raises(MalformedFile, match="twice"):
        load_scenarios(tmp_path)
