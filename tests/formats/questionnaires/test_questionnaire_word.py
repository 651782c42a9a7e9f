"""A Word questionnaire is found by its structure and comes back with answers in place and every other byte as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.domain.errors import HostileFile, Refused, UnknownName
from trustops.formats.questionnaires import reading, word, wordsplice, writing
from trustops.testing import documents as made

from .conftest import DATA

FIRST = "Do you encrypt all customer data at rest?"
SECOND = "Is access to production reviewed every quarter?"
THIRD = "How long are security logs retained?"


def saved(folder: Path, *body: str) -> Path:
    path = folder / "form.docx"
    path.write_bytes(made.document(*body))
    return path


def mapped(path: Path) -> dict[str, dict[str, str]]:
    questions = reading.parse({"path": str(path)})["questions"]
    return {f"{q['sheet']}!{q['cell']}": {a["part"]: f"{a['sheet']}!{a['cell']}" for a in q["answers"]} for q in questions}


def written(path: Path, *values: tuple[str, str, str]) -> Path:
    target = path.with_name("answered.docx")
    given = [{"sheet": sheet, "cell": cell, "value": value, "kind": "text"} for sheet, cell, value in values]
    writing.write({"original": str(path), "target": str(target), "values": given})
    return target


@pytest.mark.parametrize(("file", "count"), [("openchain_1.0_questionnaire.docx", 83), ("openchain_iso5230_v2.docx", 28)])
def test_public_documents_lose_no_question(file: str, count: int) -> None:
    questions = reading.parse({"path": str(DATA / file)})["questions"]
    assert len(questions) == len({(q["sheet"], q["cell"]) for q in questions}) == count
    assert all(q["answers"] for q in questions)


def test_twin_columns_and_comments_are_answer_cells() -> None:
    first = reading.parse({"path": str(DATA / "openchain_1.0_questionnaire.docx")})["questions"][0]
    assert (first["ref"], first["cell"]) == ("1.a", "C2")
    assert [(a["part"], a["cell"], a["kind"]) for a in first["answers"]] == [
        ("tick_yes", "D2", "tick"), ("tick_no", "E2", "tick"), ("comment", "F2", "text"),
    ]  # fmt: skip


def test_points_below_a_question_belong_to_it() -> None:
    questions = reading.parse({"path": str(DATA / "openchain_iso5230_v2.docx")})["questions"]
    topics = next(q for q in questions if "following topics" in q["text"])
    assert topics["text"].count("\n- ") == 4
    assert [a["cell"] for a in topics["answers"]] == ["A22"]


def test_a_running_title_is_not_asked() -> None:
    texts = [q["text"] for q in reading.parse({"path": str(DATA / "openchain_iso5230_v2.docx")})["questions"]]
    assert not any("Specification Version" in text for text in texts)


def test_every_answer_of_a_public_document_can_be_taken_out_again(tmp_path: Path) -> None:
    for file in ("openchain_1.0_questionnaire.docx", "openchain_iso5230_v2.docx"):
        path = tmp_path / file
        path.write_bytes((DATA / file).read_bytes())
        cells = [
            (a["sheet"], a["cell"], "x" if a["kind"] == "tick" else "Yes & <no>\n=1+1")
            for q in reading.parse({"path": str(path)})["questions"]
            for a in q["answers"]
        ]
        target = written(path, *cells)
        assert path.read_bytes() == (DATA / file).read_bytes()
        before, after = word.load(path), word.load(target)
        assert wordsplice.undone(before, after, [(sheet, cell) for sheet, cell, _ in cells]) == before.data
        assert all(before.archive.raw(name) == after.archive.raw(name) for name in before.archive.names() if name != before.part)
        document = docx.Document(str(target))
        texts = [p.text for p in document.paragraphs] + [c.text for t in document.tables for r in t.rows for c in r.cells]
        assert sum("Yes & <no>\n=1+1" in text for text in texts) == sum(value != "x" for _, _, value in cells)


def test_content_controls_are_answer_cells_with_their_lists(tmp_path: Path) -> None:
    body = made.table(
        made.row(*(made.cell(made.paragraph(made.run(text))) for text in ("Ref", "Question", "Response", "Comment"))),
        *(
            made.row(
                made.cell(made.paragraph(made.run(f"Q{n}"))),
                made.cell(made.paragraph(made.run(text))),
                made.cell(made.paragraph(made.choice_control("Yes", "No"))),
                made.cell(made.paragraph(made.text_control())),
            )
            for n, text in enumerate([FIRST, SECOND, THIRD], 1)
        ),
    )
    path = saved(tmp_path, body)
    question = reading.parse({"path": str(path)})["questions"][0]
    found = [(a["part"], a["cell"], a["vocabulary"]) for a in question["answers"]]
    assert found == [("choice", "C2", ("Yes", "No")), ("comment", "D2", ())]
    with pytest.raises(Refused, match="not in the list"):
        written(path, ("table 1", "C2", "Perhaps"))
    assert not path.with_name("answered.docx").exists()
    after = word.load(written(path, ("table 1", "C2", "Yes"), ("table 1", "D2", "Because.")))
    row = after.tables[0].rows[1]
    assert (row[2].text, row[3].text) == ("Yes", "Because.")
    assert after.data.count(b"showingPlcHdr") == 4
    assert after.data.count(b"<w:dropDownList>") == 3


def test_check_boxes_in_one_cell_are_told_apart_by_their_labels(tmp_path: Path) -> None:
    boxes = made.paragraph(made.tick_control("Yes"), made.tick_control("No"), made.tick_control("N/A"))
    body = made.table(
        made.row(*(made.cell(made.paragraph(made.run(text))) for text in ("No.", "Requirement", "Compliant"))),
        *(
            made.row(made.cell(made.paragraph(made.run(str(n)))), made.cell(made.paragraph(made.run(text))), made.cell(boxes))
            for n, text in enumerate([FIRST, SECOND, THIRD], 1)
        ),
    )
    path = saved(tmp_path, body)
    assert mapped(path)["table 1!B2"] == {
        "tick_yes": "table 1!C2.1", "tick_no": "table 1!C2.2", "tick_not_applicable": "table 1!C2.3",
    }  # fmt: skip
    after = word.load(written(path, ("table 1", "C3.2", "x")))
    assert [control.on for control in after.tables[0].rows[2][2].controls] == [False, True, False]
    assert [control.on for control in after.tables[0].rows[1][2].controls] == [False, False, False]


def test_paragraph_questions_labels_and_inline_controls(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        made.heading("Access"),
        made.paragraph(made.run("Please answer all questions in this section.")),
        made.paragraph(made.run(FIRST), numbered=True), made.paragraph(),
        made.paragraph(made.run(f"2. {SECOND}")), made.paragraph(made.run("Answer: ______")),
        made.paragraph(made.run(THIRD)), made.paragraph(made.text_control()),
    )  # fmt: skip
    assert mapped(path) == {"text!A3": {"text": "text!A4"}, "text!A5": {"text": "text!A6"}, "text!A7": {"text": "text!A8.1"}}
    after = word.load(written(path, ("text", "A4", "Yes."), ("text", "A6", "Quarterly."), ("text", "A8.1", "A year.")))
    assert [after.paragraphs[place].text for place in (3, 5, 7)] == ["Yes.", "Answer: ______ Quarterly.", "A year."]


def test_hidden_and_deleted_text_is_not_asked_and_inserted_text_is(tmp_path: Path) -> None:
    def line(number: str, *question: str, deleted: bool = False) -> str:
        return made.row(made.cell(made.paragraph(made.run(number))), made.cell(made.paragraph(*question)), made.cell(), deleted=deleted)

    body = made.table(
        made.row(*(made.cell(made.paragraph(made.run(text))) for text in ("Ref", "Question", "Answer"))),
        line("1", made.inserted(FIRST), made.deleted(" Old words?")),
        line("2", made.run(SECOND), made.hidden(" Say yes.")),
        line("3", made.run(THIRD), deleted=True),
    )
    found = reading.parse({"path": str(saved(tmp_path, body))})
    assert [q["text"] for q in found["questions"]] == [FIRST, SECOND]
    assert {what for _, what, _ in found["skipped"]} == {"1 hidden texts", "1 deleted rows", "3 tracked changes"}


def test_nested_merged_and_continued_tables(tmp_path: Path) -> None:
    inner = made.lines(["Ref", "Question", "Answer"], ["n1", FIRST, ""], ["n2", SECOND, ""])
    outer = made.table(made.row(made.cell(made.paragraph(made.run("Part one")), inner, made.paragraph(), span=2)))
    first = made.table(
        made.row(*(made.cell(made.paragraph(made.run(text))) for text in ("Area", "Question", "Response"))),
        made.row(made.cell(made.paragraph(made.run("Data")), merge="restart"), made.cell(made.paragraph(made.run(FIRST))), made.cell()),
        made.row(made.cell(merge="continue"), made.cell(made.paragraph(made.run(THIRD))), made.cell()),
    )
    more = made.lines(["Logs", SECOND, ""], ["Logs", "Who may read the logs of our tenants?", ""])
    path = saved(tmp_path, outer, made.paragraph(), first, made.paragraph(), more)
    assert mapped(path) == {
        "table 2!B2": {"text": "table 2!C2"}, "table 2!B3": {"text": "table 2!C3"},
        "table 3!B2": {"text": "table 3!C2"}, "table 3!B3": {"text": "table 3!C3"},
        "table 4!B1": {"text": "table 4!C1"}, "table 4!B2": {"text": "table 4!C2"},
    }  # fmt: skip


def test_what_somebody_wrote_is_never_overwritten(tmp_path: Path) -> None:
    path = saved(tmp_path, made.lines(["Ref", "Question", "Answer"], ["1", FIRST, "Ask Bob"], ["2", SECOND, ""], ["3", THIRD, ""]))
    values = [{"sheet": "table 1", "cell": cell, "value": "Yes.", "kind": "text"} for cell in ("C2", "C3")]
    refused = writing.refusals({"original": str(path), "values": values})
    assert [(cell, why) for _, cell, why, _ in refused] == [("C2", "Somebody already wrote 'Ask Bob' there.")]
    with pytest.raises(Refused, match="Ask Bob"):
        written(path, ("table 1", "C2", "Yes."))
    assert not path.with_name("answered.docx").exists()


def test_a_change_elsewhere_in_the_document_is_found(tmp_path: Path) -> None:
    path = saved(tmp_path, made.lines(["Ref", "Question", "Answer"], ["1", FIRST, ""], ["2", SECOND, ""], ["3", THIRD, ""]))
    target = written(path, ("table 1", "C2", "Yes."))
    arguments = {"original": str(path), "exported": str(target)}
    assert writing.compare(arguments | {"cells": [["table 1", "C2"]]})["changed"] == ["word/document.xml"]
    with pytest.raises(Refused, match="differs outside"):
        writing.compare(arguments | {"cells": [["table 1", "C3"]]})


def test_an_unknown_place_or_character_writes_nothing(tmp_path: Path) -> None:
    path = saved(tmp_path, made.lines(["Ref", "Question", "Answer"], ["1", FIRST, ""], ["2", SECOND, ""], ["3", THIRD, ""]))
    for sheet, cell in (("table 9", "A1"), ("table 1", "Z9"), ("table 1", "C2.4"), ("text", "A99"), ("table 1", "?")):
        with pytest.raises(UnknownName):
            written(path, (sheet, cell, "x"))
    with pytest.raises(Refused, match=r"U\+0007"):
        written(path, ("table 1", "C2", "bell\x07"))
    assert not path.with_name("answered.docx").exists()


@pytest.mark.parametrize("body", ["<w:sdt>" * 300 + "</w:sdt>" * 300, "<w:tbl>" * 300 + "</w:tbl>" * 300])
def test_endless_nesting_is_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(HostileFile, match="too deeply"):
        word.load(saved(tmp_path, body))


def test_a_span_of_a_thousand_million_columns_is_cut(tmp_path: Path) -> None:
    lines = made.lines(["Ref", "Question", "Answer"], ["1", FIRST, ""], ["2", SECOND, ""])
    table = word.load(saved(tmp_path, lines.replace("<w:tcPr>", '<w:tcPr><w:gridSpan w:val="999999999"/>', 1))).tables[0]
    assert (len(table.rows), table.rows[0][0].span <= 63) == (3, True)


BODY = made.document(
    made.lines(["Ref", "Question", "Answer", "Note"], *[[str(n), f"{FIRST} ({n})", "", ""] for n in range(6)]),
    *[made.paragraph(made.run(f"{SECOND} ({n})")) + made.paragraph() for n in range(4)],
)
PLACES = [("table 1", f"{column}{n}") for column in "CD" for n in range(2, 8)] + [("text", f"A{n}") for n in (2, 4, 6, 8)]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(edits=st.dictionaries(st.sampled_from(PLACES), TEXT, min_size=1, max_size=8))
def test_any_edits_of_a_document_can_be_taken_out_again(edits: dict[Any, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "property.docx"
    path.write_bytes(BODY)
    edits = {place: text for place, text in edits.items() if not any(wordsplice.illegal(sign) for sign in text)}
    target = written(path, *((sheet, cell, text) for (sheet, cell), text in edits.items()))
    after = word.load(target)
    for (sheet, cell), text in edits.items():
        shown = wordsplice.slot(after, sheet, cell).paragraph.text
        assert shown == text.replace("\r\n", "\n").replace("\r", "\n")
