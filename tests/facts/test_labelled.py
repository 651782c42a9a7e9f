"""The labelled sets keep their floor: a change that reads worse, or proves what is not proved, is seen here."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustops.evaluation.labels import LabelledPairs, LabelledSentences, load_labels
from trustops.evaluation.reading import Tally, grade_implications, grade_reading, implication_gates, reading_gates
from trustops.facts import lexicon_digest, versions

DATA = Path(__file__).parents[1] / "data" / "facts"
FILES = ["seen.yaml", "own.yaml"]


@pytest.mark.parametrize("file", FILES)
def test_every_bar_is_reached(file: str) -> None:
    told = grade_reading(load_labels(DATA / file, LabelledSentences))
    assert [line for line in reading_gates(told) if not line.ok] == []


def test_the_whole_keeps_its_floor() -> None:
    told = grade_reading(load_labels(DATA / "seen.yaml", LabelledSentences))
    total = sum((told.total(lang) for lang in ("en", "zh")), Tally())
    assert 2 * total.hits / (2 * total.hits + total.missed + total.false) >= 0.96


@pytest.mark.parametrize("file", ["implies_seen.yaml", "own_implies.yaml"])
def test_nothing_is_proved_or_opposed_that_is_not_and_most_proofs_are_found(file: str) -> None:
    told = grade_implications(load_labels(DATA / file, LabelledPairs))
    assert [line for line in implication_gates(told) if not line.ok] == []
    assert told.unproved.hits == 0
    assert told.count("SILENT", "OPPOSES") + told.count("PROVES", "OPPOSES") == 0
    proofs = told.rates("PROVES")[1]
    assert proofs.hits >= 0.85 * proofs.of


def test_every_lexicon_has_a_version_and_all_have_one_digest() -> None:
    assert all(versions().values())
    assert len(lexicon_digest()) == 64
