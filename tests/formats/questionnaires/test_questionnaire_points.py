"""Harm: "source code," is asked by itself and affirmed for whatever happens to source code.

Points are asked together with what leads in to them, in every format; workbooks with points stand in `testing/points.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trustops.formats.questionnaires import leads, reading
from trustops.testing import documents as made

LEAD = "Do you scan the following for vulnerabilities:"
WHOLE = [f"{LEAD} {point}" for point in ("source code", "container images", "infrastructure")]


def texts(path: Path) -> list[str]:
    return [q["text"] for q in reading.parse({"path": str(path)})["questions"]]


def test_records_of_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [
        "Ref,Question,Answer",
        "1,Do you keep a list of all systems?,",
        f"2,{LEAD},",
        ',"a) source code,",',
        ',"b) container images, and",',
    ]
    path.write_text("\n".join([*rows, ",c) infrastructure,", "3,Who reads the results of a scan?,"]), encoding="utf-8")
    assert texts(path)[2:5] == WHOLE


def test_paragraphs_with_room_for_each_point(tmp_path: Path) -> None:
    def point(text: str) -> str:
        return made.paragraph(made.run(text), numbered=True) + made.paragraph()

    path = tmp_path / "a.docx"
    body = made.paragraph(made.run(LEAD)) + "".join(point(text) for text in ("source code,", "container images, and", "infrastructure"))
    first = made.paragraph(made.run("Do you keep a list of all systems?")) + made.paragraph()
    path.write_bytes(made.document(first, body, first.replace("Do you", "Who may")))
    assert texts(path) == ["Do you keep a list of all systems?", *WHOLE, "Who may keep a list of all systems?"]


def test_paragraphs_with_room_for_one_answer(tmp_path: Path) -> None:
    points = "".join(made.paragraph(made.run(text), numbered=True) for text in ("source code", "infrastructure"))
    path = tmp_path / "a.docx"
    path.write_bytes(made.document(made.paragraph(made.run("Do you scan the following for flaws?")), points, made.paragraph()))
    assert texts(path) == ["Do you scan the following for flaws?\n- source code\n- infrastructure"]


def test_lines_of_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    lines = ["1. Do you keep a list of all systems?", f"2. {LEAD}", "a) source code,", "b) container images, and", "c) infrastructure"]
    path.write_bytes(made.pdf([*lines, "3. Who reads the results of a scan?", "4. Is each of the results kept for a year?"]))
    found = texts(path)
    assert found[1] == f"{LEAD}\n- source code\n- container images\n- infrastructure"
    assert len(found) == 4


@pytest.mark.parametrize("own", [True, False])
def test_objects_within_an_object(own: bool, tmp_path: Path) -> None:
    """`own`: the lead-in has a member for an answer, so it is asked too."""
    inner = [
        {"id": f"2{mark}", "question": text, "answer": ""}
        for mark, text in zip("abc", ("source code,", "container images, and", "infrastructure"), strict=True)
    ]
    outer = {"id": "2", "question": LEAD, **({"answer": ""} if own else {}), "items": inner}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": "1", "question": "Do you keep a list of all systems?", "answer": ""}, outer]), encoding="utf-8")
    assert texts(path)[1:] == ([LEAD] if own else []) + WHOLE


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a) source code", ("letter", "a", "source code")),
        ("(iv) backups", ("roman", "iv", "backups")),
        ("3) logs", ("digit", "3", "logs")),
        ("• logs", ("bullet", "•", "logs")),
        ("4.2 logs", ("number", "4.2", "logs")),
        ("e.g. logs", ("", "", "e.g. logs")),
        ("a policy", ("", "", "a policy")),
        ("-5 degrees", ("", "", "-5 degrees")),
    ],
)
def test_marks_of_points(text: str, parts: tuple[str, str, str]) -> None:
    assert leads.mark_of(text) == parts


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("source code,", True), ("a) source code", True), ("Source code", True), ("a) Is it encrypted?", False),
        ("Do you encrypt it?", False), ("The supplier encrypts all data of the customer.", False), ("Guidance: name the system", False),
        ("b) Email address?", True), ("源代码", True),
    ],
)  # fmt: skip
def test_what_stands_alone_is_left_alone(text: str, needs: bool) -> None:
    assert leads.fragment(text, LEAD) is needs


@pytest.mark.parametrize(
    ("text", "is_lead"),
    [
        (LEAD, True), ("Which of the following do you scan?", True),
        ("Haben Sie folgende Verfahren?", True), ("贵公司是否扫描以下内容：", True),
        ("Please complete the following:", False),
        ("Please describe the following:", True), ("Do you scan source code?", False),
    ],
)  # fmt: skip
def test_what_announces_points(text: str, is_lead: bool) -> None:
    assert leads.leads(text) is is_lead


@pytest.mark.parametrize(
    ("heading", "text", "joined"),
    [
        ("Governance:", "Policies are reviewed", False),
        ("Governance:", "a) policies", True),
        ("Governance:", "policies", True),
        ("For each of the following state who is responsible:", "Policies", True),
    ],
)
def test_a_heading_with_a_colon_is_no_lead_in(heading: str, text: str, joined: bool) -> None:
    """Harm: every short statement below a heading is asked as if the heading asked it."""
    open_ = leads.Leads()
    open_.start(heading)
    assert open_.takes(text) is joined
