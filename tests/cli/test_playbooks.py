"""Harm: a playbook is let in by a command that does not say what it does, or that anybody may give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_mistakes import clear


def test_where_nothing_was_learned_nothing_can_be_accepted(kestrel: Path, type_in: Terminal) -> None:
    assert "Nothing new" in type_in("playbooks", "learn", "-w", kestrel).out
    assert "There are no playbooks" in type_in("playbooks", "list", "-w", kestrel).out
    clear(type_in("playbooks", "accept", "house-tone", "--by", "Dee", "-w", kestrel), 2, "house-tone")
    assert not (kestrel / "playbooks").exists()


@pytest.mark.long
def test_playbooks_from_three_edits_to_a_skill(kestrel: Path, type_in: Terminal) -> None:
    for ref in ("K-1", "K-2", "K-3"):
        text = json.loads(type_in("show", ref, "--json", "-w", kestrel).out)["answer_text"]
        assert type_in("edit", ref, "--text", text.removeprefix("Yes. "), "--by", "Bo", "-w", kestrel).code == 0
        assert type_in("approve", f"{ref}@2", "--by", "Ana", "-w", kestrel).code == 0
    (learned,) = json.loads(type_in("playbooks", "learn", "--json", "-w", kestrel).out)["proposed"]
    assert (learned["name"], learned["state"], learned["agents"]) == ("house-opening", "PROPOSED", ["answer"])
    assert "house-opening  PROPOSED  shown by 3 of 3 edits" in type_in("playbooks", "list", "-w", kestrel).out
    clear(type_in("playbooks", "accept", "house-opening", "--by", "Dee", "-w", kestrel), 1, "compared", "--without-comparison")
    clear(type_in("playbooks", "accept", "house-opening", "--by", "Ana", "--without-comparison", "x", "-w", kestrel), 1, "admin")
    clear(type_in("playbooks", "accept", "house-tone", "--by", "Dee", "-w", kestrel), 2, "house-tone")
    assert not (kestrel / "skills.lock").exists()
    done = type_in("playbooks", "accept", "house-opening", "--by", "Dee", "--without-comparison", "agreed on 30 November", "-w", kestrel)
    assert "let in by Dee" in done.out
    skills = json.loads(type_in("skills", "list", "--json", "-w", kestrel).out)["skills"]
    assert [skill["admitted"]["by"] for skill in skills if skill["name"] == "house-opening"] == ["Dee"]
    clear(type_in("playbooks", "reject", "house-opening", "--by", "Dee", "--reason", "no", "-w", kestrel), 1, "active skill")
