"""Harm: somebody copies into a mail what nobody approved, because the command did not say plainly that it may not leave."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.terminal import Terminal
from tests.cli.test_mistakes import clear

AT = ("--as-of", "2026-11-30T12:00:00Z")
LOGS = "Are audit logs kept for 400 days?"


def test_a_follow_up_from_the_question_to_the_text_that_may_be_copied(kestrel: Path, type_in: Terminal) -> None:
    with (kestrel / "trustops.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[run]\nas_of = "2026-11-30T12:00:00Z"\n')
    told = json.loads(type_in("ask", "K-2", LOGS, "--json", "-w", kestrel, *AT).out)
    assert (told["ref"], told["follows"]["question"], told["cleared"], told["text"]) == ("K-2+1", "K-2", False, None)
    assert "NOT_APPROVED" in told["blocked_because"]
    assert {call["seat"] for call in told["model_calls"]} == {"commander", "policy", "control", "answer", "reviewer"}

    out = kestrel / "out"
    clear(type_in("ask", "K-2+1", "--export", out, "--to", "First, Ltd", "-w", kestrel), 1, "may not leave", "NOT_APPROVED")
    assert not out.exists()
    shown = type_in("ask", "K-2", "-w", kestrel)
    assert "it may not leave (NOT_APPROVED)" in shown.out
    assert "400 days." not in shown.out
    around = json.loads(type_in("show", "K-2", "--json", "-w", kestrel).out)["follow_ups"]
    assert around == [{"ref": "K-2+1", "text": LOGS}]
    assert "It follows K-2" in type_in("show", "K-2+1", "-w", kestrel).out

    assert type_in("approve", "K-2+1@1", "--by", "Ana", "-w", kestrel).code == 0
    sent = type_in("ask", "K-2+1", "--export", out, "--to", "First, Ltd", "-w", kestrel)
    assert sent.code == 0
    assert "400 days" in sent.out
    assert type_in("ask", "K-2", "-w", kestrel).out.count("400 days.") == 1


def test_mistakes_in_asking_are_one_sentence_and_change_nothing(kestrel: Path, type_in: Terminal) -> None:
    clear(type_in("ask", "K-9", LOGS, "-w", kestrel), 2, "K-9")
    clear(type_in("ask", "K-2", "  ", "-w", kestrel), 2, "nothing to answer")
    clear(type_in("ask", "K-2", "x" * 2001, "-w", kestrel), 2, "2001", "2000")
    clear(type_in("ask", "K-2", "Is it\u200b so?", "-w", kestrel), 2, "nobody sees")
    clear(type_in("ask", "K-2", LOGS, "--export", kestrel / "out", "-w", kestrel), 2, "--export")
    clear(type_in("ask", "K-2", "--export", kestrel / "out", "-w", kestrel), 2, "--to")
    clear(type_in("ask", "K-2", "--export", kestrel / "out", "--to", "First", "-w", kestrel), 2, "no follow-up")
    assert json.loads(type_in("ask", "K-2", "--json", "-w", kestrel).out)["follow_ups"] == []
