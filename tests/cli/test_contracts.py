"""Harm: a customer's program breaks because a key is gone, renamed or newly there. Key sets as product.md, "Machine-readable contracts"."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Ended, Terminal
from tests.conftest import make_workspace
from trustops.domain.finding import FindingCode, FindingSource, Severity
from trustops.evaluation.record import Step
from trustops.evaluation.replay import Played

AT = ("--as-of", "2026-11-30T12:00:00Z")

REVIEW = {"review", "file", "organisation", "execution_mode", "agent_runtime", "engine", "real_model", "status", "questions", "totals"}
REVIEW_EXTRA = {
    "authenticity": "what the record proves of who did it (evaluation.md, Authenticity of a formal run)",
    "as_of": "the instant that makes a run TEST is shown everywhere (product.md, Time)",
    "run": "the newest run, so that `watch` and `resume` can be typed",
}
QUESTION = {
    "ref", "sheet", "cell", "text", "status", "risk", "determination", "decision", "decision_source", "risk_review", "approval",
    "export_gate", "answer_version", "answers", "claims", "findings", "citations", "conflicts", "controls", "agent_tasks", "model_calls",
    "skill_invocations",
}  # fmt: skip
QUESTION_EXTRA = {
    "authenticity": "the same of the newest attempt, with what is missing",
    "attachments": "a diagram leaves as a file beside the workbook (product.md, contracts)",
    "answer_text": "the whole text, where a question has no text cell that would hold it",
}
PARSE_EXTRA = {"condition": "when the customer asks it", "confidence": "how sure its mapping is"}
FINDING, FINDING_EXTRA = {"code", "severity", "source", "summary", "exhibits"}, {"remedy": "every finding says what to do (Vocabulary)"}
CALL = {
    "id", "task", "trace_id", "seat", "origin", "provider", "model", "prompt", "request_id", "tokens_in", "tokens_out", "latency_ms",
    "attempts", "cost_usd",
}  # fmt: skip
CALL_EXTRA = {
    "profile": "which profile of the settings answered, fallbacks included",
    "tokens_cached": "of tokens_in, what the provider's cache gave: without it a cost cannot be understood",
    "skills": 'the guidance that the seat was given (architecture.md, "A seat, a provider, a recording": skill versions)',
}
PROOF = {
    "authentic", "execution_mode", "seats", "ids", "request_ids", "tokens_in", "tokens_out", "latency_ms", "trace", "missing", "not_live",
}  # fmt: skip
PROOFS = {"authentic", "attempts", "authentic_attempts", "five_seats", "missing", "not_live"}
SKILL = {"id", "task", "trace_id", "skill", "version", "seat", "outcome", "latency_ms"}
CONTROL = {"id", "evaluation", "snapshot_version", "source_mode", "reading"}
CONFLICT, CONFLICT_EXTRA = {"kind", "left", "right"}, {"resolved": "a resolved conflict stays listed (Earlier answers)"}

PLAYED, PLAYED_EXTRA = {"case", "execution_mode", "origin", "steps", "passed"}, {"note": "a recording made with other rules says so"}


def exactly(entry: dict[str, Any], contract: set[str], extra: dict[str, str] | None = None) -> None:
    assert set(entry) == contract | set(extra or {}), f"{set(entry) ^ (contract | set(extra or {}))}"


def told(ended: Ended, code: int = 0) -> Any:
    assert (ended.code, ended.err) == (code, "")
    return ended.json


@pytest.fixture(scope="module")
def conflicting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small organisation with a paper that contradicts another, and an earlier answer."""
    folder = tmp_path_factory.mktemp("conflict") / "kestrel"
    make_workspace(folder)
    paper = folder / "evidence" / "logs-old.md"
    paper.write_text("# Log Keeping\n\nAudit logs are kept for 30 days.\n", encoding="utf-8")
    with (folder / "evidence.yaml").open("a", encoding="utf-8") as file:
        file.write(
            "\n- {path: evidence/logs-old.md, kind: policy, effective: 2026-02-01, expires: 2027-01-01, classification: shareable}\n"
        )
    return folder


def test_parse(kestrel: Path, type_in: Terminal) -> None:
    found = told(type_in("parse", kestrel / "questionnaire.csv", "--json"))
    exactly(found, {"file", "format", "questions", "skipped"}, {"mappings": "how sure each mapping is (issue 4, item 1)"})
    for mapping in found["mappings"]:
        exactly(mapping, {"sheet", "questions", "answers", "count", "by", "confidence"})
        assert 0.5 <= mapping["confidence"] <= 1
    assert [question["ref"] for question in found["questions"]] == ["K-1", "K-2", "K-3", "K-4"]
    for question in found["questions"]:
        exactly(question, {"ref", "text", "sheet", "cell", "section", "hidden", "answers"}, PARSE_EXTRA)
        assert question["answers"]
        for answer in question["answers"]:
            exactly(answer, {"part", "cell", "kind", "vocabulary"}, {"filled": "what the customer's file already says there"})
            assert answer["kind"] in ("choice", "text", "number", "date", "tick")


def test_what_parse_skips_is_told(tmp_path: Path, type_in: Terminal) -> None:
    from trustops.testing.workbook import Sheet, plain

    book = plain()
    book.sheets.append(Sheet("Notes", state="hidden").put("A1", "internal"))
    found = told(type_in("parse", book.save(tmp_path / "form.xlsx"), "--json"))
    assert found["format"] == "xlsx"
    assert found["skipped"]
    for skipped in found["skipped"]:
        exactly(skipped, {"where", "what", "why"})


def test_status(kestrel: Path, type_in: Terminal) -> None:
    review = told(type_in("status", "-w", kestrel, "--json"))
    check_review(review)
    assert (review["execution_mode"], review["real_model"], review["agent_runtime"]) == ("TEST", False, "AGENTTEAMS")
    assert review["engine"].startswith("inline")
    by_ref = {question["ref"]: question for question in review["questions"]}
    assert by_ref["K-1"]["controls"]
    assert by_ref["K-2"]["citations"]
    assert all(len(question["model_calls"]) == 5 for question in review["questions"])
    assert all(question["skill_invocations"] for question in review["questions"])


def test_review_ends_with_the_same_document_as_status(conflicting: Path, type_in: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "kestrel"
    shutil.copytree(conflicting, folder)
    review = told(type_in("review", folder / "questionnaire.csv", "--only", "K-2", *AT, "-w", folder, "--json"))
    check_review(review)
    assert review == told(type_in("status", "-w", folder, "--json"))
    question = next(q for q in review["questions"] if q["ref"] == "K-2")
    assert (question["decision"], question["status"]) == ("BLOCK", "BLOCKED")
    assert question["conflicts"], question["findings"]
    never = next(q for q in review["questions"] if q["ref"] == "K-1")
    assert (never["status"], never["decision"], never["risk_review"], never["answers"]) == ("PENDING", None, None, [])


def check_review(review: dict[str, Any]) -> None:
    """Every key of every level."""
    exactly(review, REVIEW, REVIEW_EXTRA)
    exactly(review["authenticity"], PROOFS)
    for question in review["questions"]:
        check_question(question)


def check_question(question: dict[str, Any]) -> None:
    """Every key of one question."""
    exactly(question, QUESTION, QUESTION_EXTRA)
    exactly(question["export_gate"], {"state", "reasons"})
    if question["risk_review"] is not None:
        exactly(question["risk_review"], {"status", "decision", "source"})
    for answer in question["answers"]:
        exactly(answer, {"part", "cell", "value"})
    for claim in question["claims"]:
        exactly(claim, {"text", "basis", "citations"})
    for finding in question["findings"]:
        exactly(finding, FINDING, FINDING_EXTRA)
        assert finding["code"] in FindingCode.__members__
        assert (finding["severity"] in Severity.__members__, finding["source"] in FindingSource.__members__) == (True, True)
    for citation in question["citations"]:
        exactly(citation, {"exhibit", "file", "locator", "quote"})
    for conflict in question["conflicts"]:
        exactly(conflict, CONFLICT, CONFLICT_EXTRA)
    for control in question["controls"]:
        exactly(control, CONTROL)
    for task in question["agent_tasks"]:
        exactly(task, {"id", "seat", "outcome"})
    for call in question["model_calls"]:
        exactly(call, CALL, CALL_EXTRA)
        assert call["origin"] == "SCRIPTED"
    for skill in question["skill_invocations"]:
        exactly(skill, SKILL)
    if question["authenticity"] is not None:
        exactly(question["authenticity"], PROOF)


def test_a_trace_ties_tasks_calls_and_skills_together(kestrel: Path, type_in: Terminal) -> None:
    for question in told(type_in("status", "-w", kestrel, "--json"))["questions"]:
        tasks = {task["id"] for task in question["agent_tasks"]}
        assert len(tasks) == 5
        assert {call["task"] for call in question["model_calls"]} == tasks
        assert {skill["task"] for skill in question["skill_invocations"]} <= tasks
        assert len({made["trace_id"] for made in (*question["model_calls"], *question["skill_invocations"])}) == 1


def test_show_is_a_question_with_its_versions(kestrel: Path, type_in: Terminal) -> None:
    case = told(type_in("show", "K-2", "-w", kestrel, "--json"))
    whole = dict.fromkeys(
        ("versions", "follows", "conversation", "follow_ups"), "show is the whole case, with what came before and after it"
    )
    exactly(case, QUESTION, {**QUESTION_EXTRA, **whole})
    assert [version["version"] for version in case["versions"]] == [1]


def test_export(kestrel: Path, type_in: Terminal) -> None:
    assert told(type_in("approve", "K-2@1", "--by", "Ana", "-w", kestrel, "--json"))["approved"]
    made = told(type_in("export", "-o", kestrel / "out", "--to", "Customer", "-w", kestrel, "--json"))
    contract = {"file", "receipt", "bundle", "exported", "withheld", "parts", "execution_mode"}
    exactly(made, contract, {"replaced": "what stood before in cells that were filled already"})
    exactly(made["parts"], {"identical", "changed"})
    assert (made["exported"], made["execution_mode"]) == (["K-2"], "TEST")
    assert {entry["ref"] for entry in made["withheld"]} == {"K-1", "K-3", "K-4"}
    for entry in made["withheld"]:
        exactly(entry, {"ref", "reasons"})
        assert entry["reasons"]
    assert Path(made["file"]).is_file()
    assert Path(made["receipt"]).is_file()


@pytest.mark.parametrize(("ok", "code"), [(True, 0), (False, 1)], ids=["as expected", "otherwise"])
def test_replay(ok: bool, code: int, type_in: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document and the exit code; how the cases come out is tests/golden's to say, which plays them over the wire."""
    steps = (Step("decision", "BLOCK", "BLOCK", True), Step("export gate", "BLOCKED", "BLOCKED" if ok else "OPEN", ok))
    monkeypatch.setattr("trustops.evaluation.replay.replay_case", lambda case, *rest: Played(case.case, "TEST", "SCRIPTED", steps))
    played = told(type_in("replay", "Q-005", "--json"), code=code)
    exactly(played, PLAYED, PLAYED_EXTRA)
    assert (played["case"], played["execution_mode"], played["origin"], played["passed"]) == ("Q-005", "TEST", "SCRIPTED", ok)
    for step in played["steps"]:
        exactly(step, {"name", "expected", "actual", "ok"})


def test_a_recording_is_written_and_replayed_and_never_live(kestrel: Path, type_in: Terminal, tmp_path: Path) -> None:
    run = told(type_in("status", "-w", kestrel, "--json"))["run"]
    made = told(type_in("record", run, "-o", tmp_path / "run.jsonl", "-w", kestrel, "--json"))
    exactly(made, {"file", "run", "questions", "calls", "origins"})
    played = told(type_in("replay", tmp_path / "run.jsonl", "--json"))
    exactly(played, PLAYED, PLAYED_EXTRA)
    assert (played["case"], played["execution_mode"], played["origin"], played["passed"]) == (run, "TEST", "RECORDED", True)
