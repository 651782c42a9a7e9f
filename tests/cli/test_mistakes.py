"""Harm: a mistake ends in a traceback, in a hang, or half done. Each is one sentence with the place and what to do."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.terminal import SLOWEST_S, Ended, Terminal, rows
from trustops.testing.workbook import corner, hostile

FILES = hostile()
AT = ("--as-of", "2026-11-30T12:00:00Z")


def clear(ended: Ended, code: int, *words: str) -> None:
    """One sentence on stderr, quick, with the given words and no traceback."""
    assert ended.code == code, ended.err or ended.out
    assert ended.seconds < SLOWEST_S
    lines = ended.err.strip().splitlines()
    assert len(lines) == 1, ended.err
    assert lines[0].startswith("trustops: ")
    assert "Traceback" not in ended.err
    for word in words:
        assert word in lines[0], lines[0]


@dataclass(frozen=True)
class Mistake:
    """A command with a mistake: what is done to the workspace before, what is typed, and what must be said."""

    typed: tuple[str, ...]
    says: tuple[str, ...]
    code: int = 2
    before: Callable[[Path], object] = lambda folder: None
    run_failed: bool = False
    """The run was on record before the mistake was met; then its end must be on record too."""


def upload(name: str, data: bytes | str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def instead(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def appended(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text(encoding="utf-8") + text, encoding="utf-8")


FILE = "{folder}/upload.xlsx"
QUESTIONNAIRE = "{folder}/questionnaire.csv"
IN = ("-w", "{folder}")
MISTAKES = {
    "a letter named as a workbook": Mistake(
        ("review", FILE, *IN), ("upload.xlsx", "not a workbook"), before=upload("upload.xlsx", b"Dear all, ...")
    ),
    "an encrypted workbook": Mistake(
        ("review", FILE, *IN),
        ("upload.xlsx", "encrypted", "Remove its password"),
        before=upload("upload.xlsx", b"\xd0\xcf\x11\xe0" + b"\0" * 600),
    ),
    "a zip bomb": Mistake(("review", FILE, *IN), ("upload.xlsx",), before=upload("upload.xlsx", FILES["zip bomb"]())),
    "an entity bomb": Mistake(("review", FILE, *IN), ("upload.xlsx",), before=upload("upload.xlsx", FILES["entity bomb"]())),
    "two cells at the corners of a sheet": Mistake(
        ("review", FILE, *IN), ("upload.xlsx", "question was found", "--save-map"), before=upload("upload.xlsx", corner().bytes())
    ),
    "a file without a question": Mistake(
        ("review", "{folder}/list.csv", *IN),
        ("list.csv", "question was found", "--map"),
        before=upload("list.csv", "Name,Town\nAna,Oslo\n"),
    ),
    "an empty file": Mistake(("review", FILE, *IN), ("upload.xlsx", "empty"), before=upload("upload.xlsx", b"")),
    "a file of another kind": Mistake(("review", "{folder}/notes.odt", *IN), ("notes.odt", ".docx"), before=upload("notes.odt", b"PK\3\4")),
    "a file that is not there": Mistake(("review", "{folder}/none.xlsx", *IN), ("none.xlsx", "no such file")),
    "parse of a file that is not there": Mistake(("parse", "{folder}/none.xlsx"), ("none.xlsx", "no such file")),
    "a mapping that is not there": Mistake(("review", QUESTIONNAIRE, "--map", "{folder}/none.yaml", *IN), ("none.yaml",)),
    "a mapping of the wrong shape": Mistake(
        ("parse", QUESTIONNAIRE, "--map", "{folder}/map.yaml"), ("map.yaml",), before=upload("map.yaml", "- 1\n- 2\n")
    ),
    "no evidence folder": Mistake(
        ("review", QUESTIONNAIRE, *IN), ("evidence", "missing", "Put"), before=lambda folder: (folder / "evidence").rename(folder / "moved")
    ),
    "no workspace": Mistake(("status", "-w", "{folder}/evidence"), ("evidence", "no workspace", "trustops init")),
    "a folder that is not there": Mistake(("status", "-w", "{folder}/nowhere"), ("nowhere", "no workspace")),
    "an unknown key in trustops.toml": Mistake(
        ("status", *IN), ("trustops.toml", "colour", "not a known key"), before=appended("trustops.toml", '\n[gate]\ncolour = "red"\n')
    ),
    "a wrong value in trustops.toml": Mistake(
        ("status", *IN), ("trustops.toml", "concurrency"), before=appended("trustops.toml", "\n[limits]\nconcurrency = 0\n")
    ),
    "trustops.toml that is no TOML": Mistake(("status", *IN), ("trustops.toml",), before=appended("trustops.toml", "\n[[[\n")),
    "an unknown role in trustops.toml": Mistake(
        ("status", *IN), ("trustops.toml", "Ana"), before=instead("trustops.toml", '"approver"', '"king"')
    ),
    "a setting that would loosen the gate": Mistake(
        ("status", *IN), ("trustops.toml", "second_person"), before=appended("trustops.toml", '\n[gate]\nsecond_person = "none"\n')
    ),
    "a model profile that is not there": Mistake(
        ("status", *IN), ("trustops.toml", "clever"), before=appended("trustops.toml", '\n[models]\ndefault = "clever"\n')
    ),
    "an unknown key in evidence.yaml": Mistake(
        ("recheck", "K-1", *AT, *IN),
        ("evidence.yaml", "colour"),
        before=instead("evidence.yaml", "kind:", "colour: red, kind:"),
        run_failed=True,
    ),
    "an unknown kind in evidence.yaml": Mistake(
        ("recheck", "K-1", *AT, *IN),
        ("evidence.yaml", "saga"),
        before=instead("evidence.yaml", "kind: standard", "kind: saga"),
        run_failed=True,
    ),
    "an unknown key in controls.yaml": Mistake(
        ("status", *IN), ("controls.yaml", "disk-encryption", "colour"), before=appended("controls.yaml", "  colour: red\n")
    ),
    "an unknown collector in controls.yaml": Mistake(
        ("status", *IN),
        ("controls.yaml", "disk-encryption", "oracle"),
        before=instead("controls.yaml", "collector: file", "collector: oracle"),
    ),
    "a float in controls.yaml": Mistake(
        ("status", *IN), ("controls.yaml", "disk-encryption"), before=instead("controls.yaml", "equals: 1", "at_least: 0.95")
    ),
    "an unknown question": Mistake(("show", "K-99", *IN), ("K-99", "questionnaire.csv", "trustops status")),
    "an unknown question to run": Mistake(("review", QUESTIONNAIRE, "--only", "K-99", *IN), ("K-99", "questionnaire.csv")),
    "an unknown question to recheck": Mistake(("recheck", "K-99", *IN), ("K-99", "trustops status")),
    "no question to recheck": Mistake(("recheck", *IN), ("--all",)),
    "an unknown review": Mistake(("status", "R-none", *IN), ("R-none", "trustops review FILE")),
    "an unknown run to watch": Mistake(("watch", "R-none.1", *IN), ("R-none.1",)),
    "an unknown question to approve": Mistake(("approve", "K-99@1", "--by", "Ana", *IN), ("K-99",)),
    "an old version to approve": Mistake(("approve", "K-2@7", "--by", "Ana", *IN), ("K-2", "K-2@1"), code=1),
    "no version to approve": Mistake(("approve", "K-2", "--by", "Ana", *IN), ("K-2@1",), code=1),
    "a version that is no number": Mistake(("approve", "K-2@one", "--by", "Ana", *IN), ("K-2@one", "REF@VERSION")),
    "nothing named to approve": Mistake(("approve", "--by", "Ana", *IN), ("--green",)),
    "a blocked answer to approve": Mistake(
        ("approve", "K-4@1", "--by", "Ana", *IN), ("K-4", "blocked by MISSING_EVIDENCE", "trustops show K-4"), code=1
    ),
    "an approver who may not": Mistake(("approve", "K-2@1", "--by", "Cy", *IN), ("Cy", "may not approve"), code=1),
    "an approver nobody knows": Mistake(("approve", "K-2@1", "--by", "Zed", *IN), ("Zed", "[people]"), code=1),
    "a rejection without a reason": Mistake(("reject", "K-2", "--by", "Ana", "--reason", " ", *IN), ("K-2", "--reason"), code=1),
    "an edit by somebody who may not": Mistake(("edit", "K-2", "--by", "Cy", "--text", "Yes.", *IN), ("Cy", "[people]"), code=1),
    "an edit with no determination": Mistake(
        ("edit", "K-2", "--by", "Bo", "--text", "Yes.", "--determination", "MAYBE", *IN), ("MAYBE", "PARTIAL")
    ),
    "an edit that cites nothing of the dossier": Mistake(
        ("edit", "K-2", "--by", "Bo", "--text", "Yes.", "--cite", "P-none", *IN), ("P-none", "dossier")
    ),
    "an export with nothing cleared": Mistake(
        ("export", "-o", "{folder}/out", "--to", "Customer", *IN), ("no answer is cleared", "trustops status"), code=1
    ),
    "an unknown review to export": Mistake(("export", "R-none", "-o", "{folder}/out", "--to", "Customer", *IN), ("R-none",)),
    "an instant that is none": Mistake(("recheck", "K-1", "--as-of", "next week", *IN), ("next week", "--as-of", "2026-11-30T12:00:00Z")),
    "an instant that is none, with a new file": Mistake(
        ("review", "{folder}/other.csv", "--as-of", "2026-13-40", *IN),
        ("2026-13-40",),
        before=upload("other.csv", "ID,Question,Answer\nQ1,Are logs kept?,\n"),
    ),
    "an unknown golden case": Mistake(("replay", "Q-999"), ("Q-999", "Q-005")),
    "a golden case of the wrong shape": Mistake(("replay", "{folder}/controls.yaml"), ("controls.yaml",)),
    "an unknown earlier answer": Mistake(
        ("library", "withdraw", "A-none", "--by", "Ana", "--reason", "untrue", *IN), ("A-none", "library list")
    ),
    "a truth file that is not there": Mistake(("eval", "run", QUESTIONNAIRE, "--truth", "{folder}/none.yaml", *IN), ("none.yaml",)),
    "a workspace made twice": Mistake(("init", "{folder}"), ("workspace already",)),
    "a ledger that is none": Mistake(
        ("status", *IN),
        ("kestrel.db", "backup"),
        before=lambda folder: [path.write_bytes(b"x" * 5000) for path in (folder / ".trustops").glob("kestrel.db*")],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_clear_sentence_and_changes_nothing(name: str, kestrel: Path, type_in: Terminal) -> None:
    mistake = MISTAKES[name]
    before = rows(kestrel)
    mistake.before(kestrel)
    ended = type_in(*(part.format(folder=kestrel) for part in mistake.typed))
    clear(ended, mistake.code, *mistake.says)
    after = rows(kestrel) if name != "a ledger that is none" else before
    failed = {"runs": 1, "run_ends": 1, "events": 2} if mistake.run_failed else {}
    assert after == {table: number + failed.get(table, 0) for table, number in before.items()}
    assert not (kestrel / "out").exists()


JSON_MISTAKES = ("an unknown question", "an old version to approve", "an export with nothing cleared", "an unknown key in trustops.toml")


@pytest.mark.parametrize("name", JSON_MISTAKES)
def test_machines_read_the_same_refusal_as_json(name: str, kestrel: Path, type_in: Terminal) -> None:
    mistake = MISTAKES[name]
    mistake.before(kestrel)
    ended = type_in(*(part.format(folder=kestrel) for part in mistake.typed), "--json")
    assert ended.code == mistake.code
    assert set(ended.json) == {"error"}
    assert set(ended.json["error"]) == {"code", "message", "where", "remedy"}


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("review",), ("status", "--nonsense"), ("approve", "K-2@1"), ("controls", "nonsense"), ("watch", "R", "--after", "-1")],
    ids=["no such command", "no file", "no such option", "nobody approves", "no such verb", "a number below nothing"],
)
def test_a_wrong_command_line_is_told_and_ends_with_2(arguments: tuple[str, ...], type_in: Terminal) -> None:
    ended = type_in(*arguments)
    assert (ended.code, "Traceback" in ended.err) == (2, False)
    assert ended.err.strip()


CONTROL_STATES = {
    "a snapshot that is no JSON": ("{", "UNAVAILABLE"),
    "a snapshot of another shape": ("[1, 2]", "UNAVAILABLE"),
    "a snapshot with a key too many": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"a": 1}, "b": 1}',
        "UNAVAILABLE",
    ),
    "a snapshot with a float": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 3.0, "managed": 3}}',
        "UNAVAILABLE",
    ),
    "a snapshot of another control": (
        '{"control": "roof", "observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 3, "managed": 3}}',
        "UNAVAILABLE",
    ),
    "a snapshot from the future": (
        '{"control": "disk-encryption", "observed_at": "2026-12-30T06:00:00Z", "values": {"encrypted": 3, "managed": 3}}',
        "UNAVAILABLE",
    ),
    "a snapshot without a zone": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00", "values": {"encrypted": 3, "managed": 3}}',
        "UNAVAILABLE",
    ),
    "a snapshot that lacks a value": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 3}}',
        "UNAVAILABLE",
    ),
    "a snapshot of more than all": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 4, "managed": 3}}',
        "UNAVAILABLE",
    ),
    "an old snapshot": (
        '{"control": "disk-encryption", "observed_at": "2026-11-20T06:00:00Z", "values": {"encrypted": 3, "managed": 3}}',
        "STALE",
    ),
    "a snapshot of less than all": (
        '{"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"encrypted": 2, "managed": 3}}',
        "DRIFT",
    ),
}


@pytest.mark.parametrize("name", CONTROL_STATES)
def test_a_wrong_snapshot_makes_its_control_not_pass_and_never_a_traceback(name: str, kestrel: Path, type_in: Terminal) -> None:
    text, state = CONTROL_STATES[name]
    (kestrel / "snapshots" / "disk-encryption.json").write_text(text, encoding="utf-8")
    ended = type_in("controls", "check", *AT, "-w", kestrel, "--json")
    assert ended.code == 1
    (control,) = ended.json["controls"]
    assert (control["evaluation"], bool(control["why"])) == (state, True)


def test_a_missing_snapshot_makes_its_control_unavailable(kestrel: Path, type_in: Terminal) -> None:
    (kestrel / "snapshots" / "disk-encryption.json").unlink()
    assert type_in("controls", "check", *AT, "-w", kestrel, "--json").json["controls"][0]["evaluation"] == "UNAVAILABLE"


def test_a_wrong_snapshot_blocks_what_rests_on_it_with_a_notice(kestrel: Path, type_in: Terminal) -> None:
    (kestrel / "snapshots" / "disk-encryption.json").write_text('{"surprise": true}', encoding="utf-8")
    ended = type_in("recheck", "K-1", *AT, "-w", kestrel)
    assert ended.code == 0, ended.err
    assert "notice: disk-encryption: snapshots/disk-encryption.json" in ended.out
    assert "CONTROL_UNAVAILABLE" in ended.out


def test_a_control_without_a_source_is_allowed_and_not_measured(kestrel: Path, type_in: Terminal) -> None:
    catalogue = (kestrel / "controls.yaml").read_text(encoding="utf-8")
    (kestrel / "controls.yaml").write_text(
        "\n".join(line for line in catalogue.splitlines() if "source:" not in line) + "\n", encoding="utf-8"
    )
    ended = type_in("recheck", "K-1", *AT, "-w", kestrel, "--json")
    question = next(q for q in ended.json["questions"] if q["ref"] == "K-1")
    assert [control["evaluation"] for control in question["controls"]] == ["NOT_MEASURED"]
    assert ("NOT_MEASURED", "WARNING") in {(f["code"], f["severity"]) for f in question["findings"]}


def test_a_snapshot_folder_that_leads_out_of_the_workspace_is_not_followed(kestrel: Path, type_in: Terminal) -> None:
    secret = kestrel.parent / "elsewhere.json"
    secret.write_text(
        json.dumps({"control": "disk-encryption", "observed_at": "2026-11-30T06:00:00Z", "values": {"a": 1}}), encoding="utf-8"
    )
    instead("controls.yaml", "path: snapshots/disk-encryption.json", "path: ../elsewhere.json")(kestrel)
    assert type_in("controls", "check", *AT, "-w", kestrel, "--json").json["controls"][0]["evaluation"] == "UNAVAILABLE"


def test_a_question_with_markup_is_shown_as_it_is(kestrel: Path, type_in: Terminal) -> None:
    with (kestrel / "odd.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), ("M-1", "Is [red]everything[/] \x1b[31mfine[/] here?", "")])
    ended = type_in("parse", kestrel / "odd.csv")
    assert ended.code == 0, ended.err
    assert "[red]everything[/]" in ended.out


def test_a_question_cannot_steer_the_terminal(kestrel: Path, type_in: Terminal) -> None:
    with (kestrel / "odd.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), ("M-1", "Are logs \x1b[2J\x1b]0;title\x07kept \x9b31mhere?", "")])
    assert not set("\x1b\x07\x9b") & set(type_in("parse", kestrel / "odd.csv").out)
    told = type_in("review", kestrel / "odd.csv", *AT, "-w", kestrel)
    assert told.code == 0, told.err
    shown = type_in("show", "M-1", "-w", kestrel)
    for output in (told.out, shown.out, type_in("status", "-w", kestrel).out):
        assert not set("\x1b\x07\x9b") & set(output)
