"""Harm: variants that are the golden cases over again, so that "seventy cases" are eleven."""

from __future__ import annotations

from collections import Counter

import pytest

from trustops.evaluation.case import Case
from trustops.evaluation.cases import golden_case
from trustops.evaluation.papers import LAYOUTS, lay_out
from trustops.evaluation.replay import replay_case
from trustops.evaluation.suites.golden import golden_cases, reviewer_alone
from trustops.evaluation.variants import FAMILIES, variants

VARIANTS = variants()
BLOCKING = {"Q-005", *(f"G-{number:03d}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 11, 12))}


def sentences(case: Case) -> set[str]:
    """The question and what its documents and seats say, as sentences."""
    given = case.input
    texts = [given["question"], *(paper["text"] for paper in given.get("documents", ()))]
    texts += [answer["answer"] for answer in given.get("prior_answers", ())]
    return {line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > 20 and not line.startswith("#")}


def test_every_blocking_case_has_at_least_six_variants_and_all_are_at_least_sixty() -> None:
    counted = Counter(case.case_id.partition("/")[0] for case in VARIANTS)
    assert set(counted) == BLOCKING == {base for base, _, _ in FAMILIES.values()}
    assert min(counted.values()) >= 6
    assert len(VARIANTS) >= 60
    assert all(case.expect["decision"] == "BLOCK" for case in VARIANTS)


def test_no_variant_says_a_sentence_of_a_golden_case() -> None:
    golden = {line for case in golden_cases() if "/" not in case.case_id for line in sentences(case)}
    assert [line for case in VARIANTS for line in sentences(case) if line in golden] == []


def test_no_two_variants_ask_the_same() -> None:
    asked = [(case.case_id.partition("-")[0], case.input["question"]) for case in VARIANTS]
    assert len(set(asked)) == len(asked)


def test_both_languages_and_every_layout_occur() -> None:
    told = [case.title.split(", ") for case in VARIANTS]
    assert Counter(words[1] for words in told)["zh"] >= 15
    assert {words[2].split(":")[0] for words in told} == set(LAYOUTS)


def test_the_same_seed_gives_the_same_cases_and_another_one_other_numbers() -> None:
    assert variants() == VARIANTS
    other = variants(seed=8)
    assert [case.case_id for case in other] == [case.case_id for case in VARIANTS]
    assert sum(a.input != b.input for a, b in zip(other, VARIANTS, strict=True)) == len(VARIANTS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_leaves_the_sentence_as_it_stands(layout: str) -> None:
    path, text = lay_out(layout, "Title", "Logs are kept for 30 days.", "en", name="paper")
    assert "Logs are kept for 30 days." in text
    assert path.startswith("paper.")


@pytest.mark.parametrize(
    ("reply", "alone"),
    [
        ('{"decision": "PASS", "findings": []}', "PASS"),
        ('{"decision": "PASS", "findings": [{"severity": "BLOCKING"}]}', "BLOCK"),
        ('{"decision": "PASS"', None),
        ("[]", None),
        ("", None),
    ],
)
def test_the_reviewer_alone_is_what_its_own_reply_says(reply: str, alone: str | None) -> None:
    assert reviewer_alone(reply) == alone


def test_a_variant_that_expects_something_else_fails() -> None:
    from trustops import assembly

    drift = next(case for case in VARIANTS if case.case_id == "G-002/drift-1")
    wrong = drift.model_copy(update={"expect": drift.expect | {"findings": [{"code": "EXPIRED_EVIDENCE"}]}})
    played = replay_case(golden_case(wrong), assembly.offline, assembly.provider_at)
    assert [step.name for step in played.steps if not step.ok] == ["finding EXPIRED_EVIDENCE"]


@pytest.mark.long
@pytest.mark.parametrize("seed", [8, 9, 10])
def test_variants_of_other_seeds_are_blocked_as_well(seed: int) -> None:
    from trustops import assembly

    played = {case.case_id: replay_case(golden_case(case), assembly.offline, assembly.provider_at) for case in variants(seed=seed)}
    assert {name: [s for s in told.steps if not s.ok] for name, told in played.items() if not told.passed} == {}
