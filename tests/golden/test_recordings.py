"""Harm: a shipped recording plays otherwise than its run went, was changed and plays all the same, or is taken for a live run."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from trustops import assembly
from trustops.domain.authenticity import SEATS
from trustops.domain.errors import MalformedFile
from trustops.evaluation.cases import load_case
from trustops.evaluation.replay import replay_case
from trustops.operations import recording as recordings
from trustops.operations.recording import KINDS, Recording, load, spoken
from trustops.roster import shipped

FOLDER = shipped("golden") / "recordings"
ANEW = "`trustops replay Q-005 --record golden/recordings` makes them anew"
DECIDED = {
    "q-005-v1": ("BLOCK", {"CONTRADICTION", "CONTROL_DRIFT"}, "DRIFT"),
    "q-005-v2": ("APPROVAL_REQUIRED", set(), "PASS"),
}
NAMES = pytest.mark.parametrize("name", DECIDED)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a replay tried to reach somebody")

    monkeypatch.setattr(socket.socket, "connect", refused)


def shipped_one(name: str) -> Recording:
    return load(FOLDER / f"{name}.jsonl")


@NAMES
@pytest.mark.usefixtures("no_network")
def test_a_shipped_recording_plays_to_the_same_decisions_byte_for_byte(name: str) -> None:
    (step,) = assembly.replay(shipped_one(name))
    assert (step.question, step.differs) == ("Q-005", ""), f"the first difference is in {step.differs}; {ANEW}"
    assert step.recorded == step.replayed


@NAMES
def test_a_shipped_recording_holds_what_the_case_is_about(name: str) -> None:
    recording = shipped_one(name)
    decision, codes, evaluation = DECIDED[name]
    (kept,) = recording.questions
    assert kept.record.result.decision.value == decision
    assert {finding.code.value for finding in kept.record.result.findings if finding.blocks} == codes
    assert [reading.evaluation.value for reading in kept.record.dossier.readings] == [evaluation]
    assert sorted(call.seat for call in recording.calls) == sorted(SEATS)
    assert len({call.id for call in recording.calls}) == 5
    assert spoken(recording.calls) == ("SCRIPTED",)


@NAMES
@pytest.mark.usefixtures("no_network")
def test_one_changed_letter_of_a_shipped_recording_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if json.loads(line)["kind"] == "snapshot")
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join([*lines[:at], lines[at].replace("124", "123", 1), *lines[at + 1 :]]) + "\n", encoding="utf-8")
    with pytest.raises(MalformedFile, match=rf"changed\.jsonl, line {at + 1}: it does not follow the line before it"):
        load(path)


FORGED = {
    "what was read": ("snapshot", '"enrolled": 122', '"enrolled": 124', "dossier"),
    "what a document says": ("passage", "entire workforce, employees", "administrators alone, employees", "dossier"),
    "what was decided": ("question", '"decision": "BLOCK"', '"decision": "PASS"', "decision"),
    "what a seat said": ("call", "PARTIAL", "YES", "agent tasks"),
}


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.usefixtures("no_network")
def test_a_recording_forged_with_a_new_chain_is_caught_at_the_first_divergence(what: str, tmp_path: Path) -> None:
    """Whoever can write the file can also hash it anew: then the replay shows what does not follow from what."""
    kind, old, new, where = FORGED[what]
    lines, prev, hits = [], "", 0
    for line in (FOLDER / "q-005-v1.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        text = json.dumps(entry["body"], ensure_ascii=False)
        if entry["kind"] == kind and old in text:
            text, hits = text.replace(old, new), hits + 1
        prev = recordings._hash(prev, entry["kind"], json.loads(text))
        lines.append(json.dumps({"kind": entry["kind"], "body": json.loads(text), "hash": prev}, ensure_ascii=False))
    assert hits, "nothing was forged"
    (tmp_path / "forged.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (step,) = assembly.replay(load(tmp_path / "forged.jsonl"))
    assert step.differs == where
    assert step.recorded != step.replayed


def test_the_documented_command_makes_them_anew(tmp_path: Path) -> None:
    played = replay_case(load_case("Q-005"), assembly.office, assembly.provider_at, tmp_path / "made")
    assert played.passed
    for name in DECIDED:
        made, ours = load(tmp_path / "made" / f"{name}.jsonl"), shipped_one(name)
        assert made.questions[0].record.result == ours.questions[0].record.result, ANEW
        assert [getattr(made, field) for field, _ in KINDS.values() if field not in ("calls", "questions")] == [
            getattr(ours, field) for field, _ in KINDS.values() if field not in ("calls", "questions")
        ], ANEW


@NAMES
def test_a_shipped_recording_tells_no_place_of_a_machine(name: str) -> None:
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    assert not any(place in text for place in ("/tmp/", "/home/", "/root/", "127.0.0.1"))
