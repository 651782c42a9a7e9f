"""A JSON questionnaire is told by its structure, and answers go where its format keeps them; its own text stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.domain.errors import HostileFile, MalformedFile, Refused, UnknownName
from trustops.formats.questionnaires import jsonfile, reading, writing

from .conftest import DATA

LIST = """[
  {"id": "a", "question": "Do you encrypt all customer data at rest?", "answer": "", "comment": null},
  {"id": "b", "question": "Is access to production reviewed every quarter?", "options": ["Yes", "No"],},  // one comma too many
]
"""


def parsed(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = reading.parse({"path": str(path)})["questions"]
    return found


def written(path: Path, values: dict[str, str]) -> str:
    target = path.with_name("answered.json")
    given = [{"sheet": "json", "cell": cell, "value": text, "kind": "text"} for cell, text in values.items()]
    writing.write({"original": str(path), "target": str(target), "values": given})
    return target.read_bytes().decode("utf-8")


def answers(path: Path) -> dict[str, str]:
    """A value for every answer cell of a file: the first choice, a tick, or a text."""
    cells = [a for q in parsed(path) for a in q["answers"]]
    return {a["cell"]: "x" if a["kind"] == "tick" else a["vocabulary"][0] if a["vocabulary"] else 'Say "yes".\n' for a in cells}


@pytest.mark.parametrize(
    ("file", "count"), [("vsaq_webapp.json", 73), ("vsaq_physical_and_datacenter.json", 30), ("mvsp_v3.0_oscal.json", 25)]
)
def test_public_files_lose_no_question_and_come_back_whole(file: str, count: int, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes((DATA / file).read_bytes())
    questions = parsed(path)
    assert len(questions) == len({q["ref"] for q in questions}) == count
    assert all(q["answers"] and q["text"] and "<p>" not in q["text"] and "<b>" not in q["text"] for q in questions)
    text = written(path, answers(path))
    assert path.read_bytes() == (DATA / file).read_bytes()
    assert len(parsed(path.with_name("answered.json"))) == count
    pieces = text.split('"answers": ' if "vsaq" in file else '{"name": "response"')
    assert len(pieces) == (2 if "vsaq" in file else count + 1)


def test_a_choice_is_written_as_the_id_that_the_format_keeps(tmp_path: Path) -> None:
    path = tmp_path / "vsaq.json"
    path.write_bytes((DATA / "vsaq_physical_and_datacenter.json").read_bytes())
    question = parsed(path)[0]
    cell, words = question["answers"][0]["cell"], question["answers"][0]["vocabulary"]
    assert '"answers": {"office_facilities_excl_no": "checked"}' in written(path, {cell: words[1]})
    with pytest.raises(Refused, match="none of the choices"):
        written(path, {cell: "Perhaps"})


def test_a_group_without_words_goes_on_with_the_one_above() -> None:
    questions = parsed(DATA / "vsaq_physical_and_datacenter.json")
    assert sum(q["text"] == "Select the security controls that are in place at all of your data centers:" for q in questions) == 2


def test_a_list_of_objects_is_answered_in_its_own_members(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(LIST, encoding="utf-8")
    assert [(q["ref"], [(a["part"], a["cell"]) for a in q["answers"]]) for q in parsed(path)] == [
        ("a", [("text", "/0/answer"), ("comment", "/0/comment")]),
        ("b", [("choice", "/1/answer")]),
    ]
    text = written(path, {"/0/answer": "Yes.", "/0/comment": "AES", "/1/answer": "No"})
    expected = LIST.replace('"answer": "", "comment": null', '"answer": "Yes.", "comment": "AES"')
    assert text == expected.replace('["Yes", "No"],}', '["Yes", "No"], "answer": "No"}')


def test_what_somebody_wrote_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(LIST.replace('"answer": ""', '"answer": "Ask Bob"'), encoding="utf-8")
    with pytest.raises(Refused, match="Ask Bob"):
        written(path, {"/0/answer": "Yes."})
    assert not path.with_name("answered.json").exists()


def test_a_change_elsewhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(LIST, encoding="utf-8")
    written(path, {"/0/answer": "Yes."})
    arguments = {"original": str(path), "exported": str(path.with_name("answered.json"))}
    assert writing.compare(arguments | {"cells": [["json", "/0/answer"]]})["changed"] == ["list.json"]
    with pytest.raises(Refused, match="differs outside"):
        writing.compare(arguments | {"cells": [["json", "/1/answer"]]})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[" * 5_000, HostileFile), ('{"a": 1, "a": 2}', MalformedFile), ('{"a": NaN}', MalformedFile), ('{"a": "b', MalformedFile),
        ("/* no end", MalformedFile), ('{"a": 1} x', MalformedFile), ('{"a" 1}', MalformedFile), ('{"a": "\\x"}', MalformedFile),
        ('{"colour": "red"}', MalformedFile), ("[1 2]", MalformedFile), ("", MalformedFile),
    ],
)  # fmt: skip
def test_what_is_no_questionnaire_is_refused_with_its_place(text: str, error: type[Exception], tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error) as refusal:
        parsed(path)
    assert "bad.json" in str(refusal.value)


def test_an_unknown_place_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(LIST, encoding="utf-8")
    with pytest.raises(UnknownName):
        written(path, {"/7/answer": "x"})
    assert not path.with_name("answered.json").exists()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def plain(node: jsonfile.Node) -> object:
    if node.kind == "object":
        return {key: plain(member) for key, member in node.members.items()}
    return [plain(item) for item in node.items] if node.kind == "array" else node.value


@settings(max_examples=100, deadline=None)
@given(value=VALUES, indent=st.sampled_from([None, 1, 4]))
def test_any_json_is_read_as_the_standard_reader_does(value: object, indent: int | None, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "property.json"
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    document = jsonfile.load(path)
    assert plain(document.root) == json.loads(path.read_text(encoding="utf-8"), parse_int=str)
    assert document.text[document.root.start : document.root.end] == path.read_text(encoding="utf-8")


@settings(max_examples=100, deadline=None)
@given(noise=st.text(st.sampled_from('{}[]",:/*+ \\\n1atrue'), max_size=60))
def test_no_text_brings_the_reader_down(noise: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.json"
    path.write_text(noise, encoding="utf-8")
    try:
        jsonfile.load(path)
    except (MalformedFile, HostileFile):
        return
    assert noise.strip()
