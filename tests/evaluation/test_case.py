"""Harm: a case that says something else than its author meant is played, or lost, and nobody hears of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.registry import SUITES

GOOD = """\
case_id: B1-001
level: 3
dimension: B1
kind: ab
group_a: {skill_enabled: false}
group_b: {skill_enabled: true, active_skills: [search-evidence]}
input: {question: "Do you encrypt data at rest?"}
expect: {intent: yes_no}
faults: [{place: skill, kind: timeout, at: 2}]
judge: {prompt: judge-intent, metric: intent_clarification_judge}
epochs: 3
weight: 2
source: written for this file
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_case_is_read_with_every_field_of_its_model(tmp_path: Path) -> None:
    (case,) = load_cases(written(tmp_path, GOOD))
    assert (case.case_id, case.kind, case.epochs, case.weight) == ("B1-001", "ab", 3, 2)
    assert case.group_b is not None
    assert case.group_b.active_skills == ("search-evidence",)
    assert case.faults[0].at == 2
    assert case.faults[0].seat == ""


@pytest.mark.parametrize(
    ("old", "new", "where", "told"),
    [
        pytest.param("epochs: 3", "epoch: 3", "line 11", "epoch: unknown key", id="unknown key"),
        pytest.param("kind: ab", "kind: abc", "line 4", "kind: Input should be 'golden'", id="unknown kind"),
        pytest.param("level: 3", "level: 7", "line 2", "level: ", id="level out of range"),
        pytest.param("epochs: 3", "epochs: 0", "line 11", "epochs: ", id="no repetition"),
        pytest.param("weight: 2", "weight: 0", "line 12", "weight: ", id="no weight"),
        pytest.param("source: written for this file", "set: golden", "line 1", "source: Field required", id="no source"),
        pytest.param("group_a: {skill_enabled: false}\n", "", "line 1", "needs group_a and group_b", id="one side only"),
        pytest.param("expect: {intent: yes_no}\n", "", "line 1", "needs expect", id="nothing could fail"),
        pytest.param("place: skill, ", "", "line 9", "faults.0.place", id="a fault of no place"),
        pytest.param("level: 3", "level: 3\nlevel: 4", "line 3", "the key stands twice", id="a key twice"),
    ],
)
def test_a_malformed_case_is_refused_with_file_line_key_and_remedy(tmp_path: Path, old: str, new: str, where: str, told: str) -> None:
    with pytest.raises(MalformedFile) as refusal:
        load_cases(written(tmp_path, GOOD.replace(old, new, 1)))
    assert "case.yaml" in refusal.value.where
    assert where in refusal.value.where
    assert told in refusal.value.message


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    many = "cases:\n" + "".join(f"  - {{case_id: A, level: 1, dimension: d, kind: unit, source: s, expect: {{n: {n}}}}}\n" for n in (1, 2))
    with pytest.raises(MalformedFile, match="stands twice"):
        load_cases(written(tmp_path, many))


def test_a_wrong_key_of_the_third_case_is_told_with_its_own_line(tmp_path: Path) -> None:
    row = "  - {case_id: A%d, level: 1, dimension: d, kind: unit, source: s, expect: {n: 1}%s}\n"
    text = "cases:\n" + row % (1, "") + row % (2, "") + row % (3, ", wieght: 2")
    with pytest.raises(MalformedFile) as refusal:
        load_cases(written(tmp_path, text))
    assert refusal.value.where == "case.yaml, line 4"
    assert "weight" in refusal.value.remedy


@pytest.mark.parametrize("text", ["", "cases: []\n", "- 1\n", "cases: {}\n", "a: [\n"])
def test_a_file_without_a_case_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises((MalformedFile, UsageError)):
        load_cases(written(tmp_path, text))


def test_a_folder_without_a_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no case"):
        load_cases(tmp_path)


def test_a_changed_skill_makes_stale_what_plays_the_machine_and_what_names_it() -> None:
    common = {"level": 1, "dimension": "d", "source": "s", "expect": {"n": 1}}
    whole = Case(case_id="a", kind="golden", **common)
    named = Case(case_id="b", kind="unit", skills=("search-evidence",), **common)
    other = Case(case_id="c", kind="golden", skills=("map-controls",), **common)
    assert [case.stale_by(frozenset({"search-evidence"})) for case in (whole, named, other)] == [True, True, False]
    assert not whole.stale_by(frozenset())


def test_no_case_of_any_suite_has_the_id_of_another() -> None:
    ids = [case.case_id for suite in SUITES for case in suite.cases()]
    assert len(ids) == len(set(ids))
    assert len(ids) > 250
