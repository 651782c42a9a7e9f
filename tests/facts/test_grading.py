"""Harm: the reader's figures look better than they are, because a finding is counted that should not be, or a label is not counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trustops.domain.errors import TrustOpsError
from trustops.evaluation.labels import LabelledPairs, LabelledSentence, LabelledSentences, load_labels
from trustops.evaluation.reading import Judgements, Readings, Tally, compare, grade_reading, implication_gates, reading_gates

TEXT = "Gates are checked every day and doors within 3 hours."


def label(kind: str, surface: str, **fields: Any) -> dict[str, Any]:
    start = TEXT.index(surface)
    return {"kind": kind, "start": start, "end": start + len(surface), "surface": surface, **fields}


def rate(comparator: str = "exactly", every: str = "P1D", surface: str = "every day") -> dict[str, Any]:
    return label("frequency", surface, comparator=comparator, every=every)


def limit(value: str = "3", unit: str = "hour", event: str = "not_stated", surface: str = "within 3 hours") -> dict[str, Any]:
    return label("deadline", surface, comparator="at_most", value=[value], unit=unit, event=event, direction="after")


HOURS = label("quantity", "3 hours", comparator="exactly", value=["3"], unit="hour")
WHOLE = label("modality", TEXT, value="fact")
GATES = label("scope", "Gates", coverage="not_stated", canonical="not_stated", who="Gates")
ONE_COUNT = label("quantity", "3", comparator="exactly", value=["3"], unit="count:door")
OTHER_NOUN = label("quantity", "3", comparator="exactly", value=["3"], unit="count:gate")
YEN = label("quantity", "3", comparator="exactly", value=["3"], unit="percent")

CASES = [
    pytest.param([rate()], [rate()], {"hit": 1}, id="the same"),
    pytest.param([rate()], [], {"missed": 1}, id="missed"),
    pytest.param([], [rate()], {"false": 1}, id="invented"),
    pytest.param([rate()], [rate(every="P1W")], {"missed": 1, "false": 1}, id="a wrong canonical field counts on both sides"),
    pytest.param([rate()], [rate(comparator="at_least")], {"missed": 1, "false": 1}, id="a wrong comparator counts on both sides"),
    pytest.param([rate()], [rate(), rate()], {"hit": 1, "false": 1}, id="doubled"),
    pytest.param([rate(), rate()], [rate()], {"hit": 1, "missed": 1}, id="one finding answers one label"),
    pytest.param([rate()], [rate(surface="day")], {"hit": 1}, id="an overlapping span"),
    pytest.param([rate()], [rate(surface="Gates")], {"missed": 1, "false": 1}, id="a span elsewhere"),
    pytest.param([limit()], [limit(event="closing")], {"hit": 1}, id="the event is secondary"),
    pytest.param([limit()], [limit(value="3.0")], {"hit": 1}, id="a number is its value"),
    pytest.param([limit()], [limit(value="180", unit="minute")], {"missed": 1, "false": 1}, id="another unit is another field"),
    pytest.param([limit()], [limit(), HOURS], {"hit": 1, "neutral": 1}, id="a number inside the outer fact"),
    pytest.param([limit()], [HOURS], {"missed": 1, "neutral": 1}, id="a number instead of the outer fact does not answer it"),
    pytest.param([HOURS], [limit()], {"missed": 1, "false": 1}, id="the outer fact around a labelled number is false"),
    pytest.param([limit()], [limit(), GATES], {"hit": 1, "false": 1}, id="a scope is never neutral"),
    pytest.param([], [WHOLE], {"neutral": 1}, id="the default modality of a sentence without labels"),
    pytest.param([rate()], [rate(), WHOLE], {"hit": 1, "false": 1}, id="the default modality of a sentence with labels"),
    pytest.param([ONE_COUNT], [OTHER_NOUN], {"hit": 1}, id="the noun of a count is secondary"),
    pytest.param([ONE_COUNT], [YEN], {"missed": 1, "false": 1}, id="a count is no percentage"),
    pytest.param([rate(surface="every"), rate()], [rate(), rate(surface="every")], {"hit": 2}, id="as many as can be paired"),
]


@pytest.mark.parametrize(("labels", "found", "wanted"), CASES)
def test_findings_are_counted_as_the_labels_say(labels: list[Any], found: list[Any], wanted: dict[str, int]) -> None:
    outcomes = [outcome for outcome, _, _ in compare(labels, found)]
    assert {outcome: outcomes.count(outcome) for outcome in outcomes} == wanted


def test_only_the_very_span_counts_as_exact() -> None:
    assert [exact for _, _, exact in compare([rate()], [rate()])] == [True]
    assert [exact for _, _, exact in compare([rate()], [rate(surface="day")])] == [False]


def test_ambiguous_dates_agree_on_their_readings() -> None:
    shared = {"value": "ambiguous", "role": "unknown", "ambiguous": True}
    one = label("date", "3", **shared, readings=["2026-03-04", "2026-04-03"])
    turned = label("date", "3", **shared, readings=["2026-04-03", "2026-03-04"])
    chosen = label("date", "3", **shared, readings=["2026-03-04"])
    assert [outcome for outcome, _, _ in compare([one], [turned])] == ["hit"]
    assert [outcome for outcome, _, _ in compare([one], [chosen])] == ["missed", "false"]


def read(**tally: int) -> Readings:
    return Readings({("scope", "en"): Tally(**tally), ("scope", "zh"): Tally(hits=1)})


def test_a_bar_that_is_missed_or_not_measured_is_no_pass() -> None:
    assert all(line.ok for line in reading_gates(read(hits=95, false=5, missed=10)))
    assert [line.name for line in reading_gates(read(hits=94, false=6)) if not line.ok] == ["precision, en"]
    assert [line.name for line in reading_gates(read(hits=1, missed=1)) if not line.ok] == ["recall, en", "recall, en, scope"]
    assert not all(line.ok for line in reading_gates(read()))
    assert not implication_gates(Judgements())[0].ok


def test_a_false_proof_in_twenty_five_misses_the_bar() -> None:
    told = Judgements()
    told.counts.update({("en", "SILENT", "SILENT"): 97, ("en", "OPPOSES", "PROVES"): 3, ("zh", "PROVES", "PROVES"): 9})
    assert implication_gates(told)[0].ok
    told.counts["zh", "SILENT", "PROVES"] += 1
    assert not implication_gates(told)[0].ok
    assert str(told.rates("PROVES")[0]) == "9/13 (69 %)"


HEAD = "half: seen\nmeta: {organisation: [Kestrel]}\nsentences:\n- id: s-en-001\n  lang: en\n  doc: policy\n  text: Gates shut.\n"
GOOD = HEAD + "  facts:\n  - {kind: modality, start: 0, end: 11, surface: Gates shut., value: fact}\n"
WRONG = [
    pytest.param(GOOD.replace("value: fact", "value: fact, sure: yes"), "line 9: sentences.0.facts.0", "unknown key", id="unknown field"),
    pytest.param(GOOD.replace("  doc:", "  note: x\n  doc:"), "line 6: sentences.0.note", "unknown key", id="unknown key"),
    pytest.param(GOOD.replace("value: fact", "value: surely"), "line 9", "value", id="unknown value"),
    pytest.param(GOOD.replace("kind: modality", "kind: mood"), "line 9", "mood", id="unknown kind"),
    pytest.param(GOOD.replace("end: 11", "end: 10"), "line 4", "does not stand at 0:10", id="a span that does not quote"),
    pytest.param(GOOD.replace("start: 0", "start: '0'"), "line 9", "integer", id="a text where a number is due"),
    pytest.param(GOOD.replace("  lang: en\n", ""), "line 4: sentences.0.lang", "required", id="a missing key"),
    pytest.param(GOOD.replace("  lang: en\n", "  lang: en\n  lang: zh\n"), "line 6", "stands twice", id="a key twice"),
    pytest.param("pairs: []\nmeta: {}\n", "line 1", "half", id="a file of pairs"),
    pytest.param("- a\n- b\n", "line 1", "valid dictionary", id="a list"),
    pytest.param("", "", "the file is empty", id="empty"),
    pytest.param("half: [", "", "not readable as YAML", id="broken"),
]


@pytest.mark.parametrize(("content", "where", "what"), WRONG)
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, content: str, where: str, what: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(TrustOpsError) as refusal:
        load_labels(file, LabelledSentences)
    assert where in str(refusal.value)
    assert what in str(refusal.value)
    assert file.read_text(encoding="utf-8") == content


def test_a_file_that_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "labels.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    for path, what in ((file, "not UTF-8"), (tmp_path / "other.yaml", "no such file")):
        with pytest.raises(TrustOpsError, match=what):
            load_labels(path, LabelledPairs)


def test_a_good_file_is_read_and_its_default_fact_counts(tmp_path: Path) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(GOOD, encoding="utf-8")
    told = grade_reading(load_labels(file, LabelledSentences))
    assert told.of("modality", "en") == Tally(hits=1, exact=1)
    assert isinstance(load_labels(file, LabelledSentences).sentences[0], LabelledSentence)
