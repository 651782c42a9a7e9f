"""The labelled set keeps its floor: a change that reads worse, or proves what is not proved, is seen here."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from trustops.facts import lexicon_digest, versions

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("facts_benchmark", ROOT / "benchmarks" / "facts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_each_kind_keeps_its_floor(bench: ModuleType) -> None:
    table = bench.score(bench.load(bench.DATA / "seen.yaml"))
    low = {pair: bench.rates(counts)[2] for pair, counts in table.items() if bench.rates(counts)[2] < 0.90}
    assert low == {}


def test_the_whole_keeps_its_floor(bench: ModuleType) -> None:
    table = bench.score(bench.load(bench.DATA / "seen.yaml"))
    assert bench.rates(sum(table.values(), Counter()))[2] >= 0.96


def test_nothing_is_proved_that_is_not_and_most_proofs_are_found(bench: ModuleType) -> None:
    confusion = bench.implications(bench.load(bench.DATA / "implies_seen.yaml"))
    assert confusion["SILENT", "PROVES"] + confusion["OPPOSES", "PROVES"] == 0
    assert confusion["PROVES", "PROVES"] >= 0.85 * sum(count for (gold, _), count in confusion.items() if gold == "PROVES")
    assert confusion["SILENT", "OPPOSES"] + confusion["PROVES", "OPPOSES"] == 0


def test_every_lexicon_has_a_version_and_all_have_one_digest() -> None:
    assert all(versions().values())
    assert len(lexicon_digest()) == 64
