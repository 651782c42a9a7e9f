"""Harm: a recording says what did not happen, plays otherwise than the run went, or is taken for a live one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.conftest import House
from trustops import assembly
from trustops.domain.errors import MalformedFile, Refused, UnknownName
from trustops.operations.editing import edit_answer
from trustops.operations.recording import Recording, load, record
from trustops.workflow import casework


def run_of(house: House) -> str:
    return house.office.ledger.runs(house.review.id)[-1].id


def recorded(house: House, target: Path) -> Recording:
    record(house.office, run_of(house), target)
    return load(target)


def test_a_recording_is_played_to_the_same_decisions_without_a_model(house: House, tmp_path: Path) -> None:
    for name in ("run.jsonl", "run.jsonl.gz"):
        played = assembly.replay(recorded(house, tmp_path / name))
        assert [(step.question, step.differs) for step in played] == [(ref, "") for ref in ("K-1", "K-2", "K-3", "K-4")]
        assert all(step.recorded == step.replayed for step in played)


def test_the_same_run_is_the_same_file(house: House, tmp_path: Path) -> None:
    recorded(house, tmp_path / "a.jsonl")
    recorded(house, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_other_rules_are_seen_in_the_first_part_that_differs(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(house, tmp_path / "run.jsonl")
    monkeypatch.setattr(casework, "closure_findings", lambda *rest: ())
    monkeypatch.setattr(casework, "offline_draft", lambda: ())
    assert {step.differs for step in assembly.replay(recording)} == {"agent tasks"}  # the Reviewer is shown other findings


def test_a_reply_that_was_exchanged_is_played_as_it_is_and_differs(house: House, tmp_path: Path) -> None:
    recording = recorded(house, tmp_path / "run.jsonl")
    calls = [call.model_copy(update={"reply": "{}"}) if call.seat == "answer" else call for call in recording.calls]
    assert {step.differs for step in assembly.replay(recording.model_copy(update={"calls": tuple(calls)}))} == {"agent tasks"}


def test_changed_evidence_makes_no_recording(house: House, tmp_path: Path) -> None:
    (house.folder / "evidence" / "logging.md").write_text("# Logging Standard\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
    run = run_of(house)
    house.run("K-4")
    with pytest.raises(Refused, match="no longer those that the run saw"):
        record(house.office, run, tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()


def test_a_persons_edit_is_not_told_as_the_agents(house: House, tmp_path: Path) -> None:
    asyncio.run(edit_answer(house.office, house.review, "K-2", by="Bo", text="Yes. Audit logs are kept for 400 days."))
    recording = recorded(house, tmp_path / "run.jsonl")
    assert [kept.record.question for kept in recording.questions] == ["K-1", "K-3", "K-4"]
    assert {call.task.split(":")[1] for call in recording.calls} == {"K-1", "K-3", "K-4"}


def test_an_unknown_run_is_not_recorded(house: House, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        record(house.office, "R-none.1", tmp_path / "run.jsonl")
    assert list(tmp_path.glob("*.jsonl")) == []


def test_a_line_changed_removed_doubled_or_moved_is_named(house: House, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorded(house, path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for at in range(len(lines)):
        entry = json.loads(lines[at])
        changed = json.dumps({**entry, "body": {**entry["body"], "added": 1}})
        wrongs = {
            "changed": [*lines[:at], changed, *lines[at + 1 :]],
            "removed": [*lines[:at], *lines[at + 1 :]],
            "doubled": [*lines[: at + 1], *lines[at:]],
            "cut": lines[:at],
        }
        if at:
            wrongs["moved"] = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
        for what, wrong in wrongs.items():
            path.write_text("\n".join(wrong), encoding="utf-8")
            with pytest.raises(MalformedFile, match=r"run\.jsonl, line \d+"):
                raise AssertionError(f"{what} line {at + 1} was read: {load(path)}")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}", b"[1]\n", b'{"kind": 1}\n', b"\x1f\x8b broken"])
def test_what_is_no_recording_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    for name in ("run.jsonl", "run.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MalformedFile):
            load(tmp_path / name)
