"""Harm: a build that gates on the reader passes because the command does not fail, or fails where nothing was asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

DATA = Path(__file__).parents[1] / "data" / "facts"
BLIND = (
    "half: seen\nmeta: {organisation: [Kestrel]}\nsentences:\n"
    "- {id: s-en-001, lang: en, doc: policy, text: Gates shut., facts: [{kind: absolute, start: 0, end: 5, surface: Gates, value: all}]}\n"
)
TRUSTING = (
    "meta: {organisation: [Kestrel]}\npairs:\n- {id: is-001, lang: en, topic: gates, premise: Gates are locked every night., "
    "claim: Gates are locked every night., relation: SILENT, reason: labelled wrong on purpose}\n"
)


@pytest.mark.parametrize(("command", "content"), [("facts", BLIND), ("implies", TRUSTING)])
def test_a_missed_bar_fails_only_where_the_gate_is_asked_for(tmp_path: Path, type_in: Terminal, command: str, content: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(content, encoding="utf-8")
    assert type_in("eval", command, file).code == 0
    assert type_in("eval", command, file, "--gate").code == 1
    assert type_in("eval", command, file, "--gate", "--json").code == 1


def test_rates_come_with_their_counts(type_in: Terminal) -> None:
    told = type_in("eval", "facts", DATA / "own.yaml", "--json").json
    assert set(told) == {"file", "sentences", "kinds", "totals", "gates", "slips"}
    assert {(row["kind"], row["lang"]) for row in told["kinds"]} >= {("scope", "en"), ("exception", "zh")}
    for row in [*told["kinds"], *told["totals"]]:
        assert row["precision"]["of"] == row["hits"] + row["false"]
        assert row["recall"]["of"] == row["hits"] + row["missed"]


def test_the_confusion_holds_every_pair(type_in: Terminal) -> None:
    told = type_in("eval", "implies", DATA / "own_implies.yaml", "--json").json
    assert set(told) == {"file", "pairs", "confusion", "by_language", "verdicts", "unproved", "gates", "wrong"}
    assert sum(count for row in told["confusion"].values() for count in row.values()) == told["pairs"] > 60


@pytest.mark.parametrize("command", ["facts", "implies"])
def test_a_malformed_file_is_one_sentence_with_the_line(tmp_path: Path, type_in: Terminal, command: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text("half: seen\nmeta: {}\nsurplus: 1\nsentences: []\npairs: []\n", encoding="utf-8")
    ended = type_in("eval", command, file)
    assert ended.code == 2
    assert "labels.yaml, line" in ended.err
    assert "unknown key" in ended.err
    assert len(ended.err.strip().splitlines()) == 1
