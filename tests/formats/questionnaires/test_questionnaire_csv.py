"""A CSV comes back in the customer's own dialect, and no answer becomes a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.domain.errors import MalformedFile, Refused, UnknownName
from trustops.formats.questionnaires import csvfile, reading, writing
from trustops.formats.questionnaires.csvfile import guarded
from trustops.formats.questionnaires.typed import Value

from .conftest import DATA

TEXT = 'Ref;Question;Answer;Comment\r\n1;"Do you encrypt ""all"" data; at rest?";;\r\n2;Do you review access?;;old\r\n'


def answered(data: bytes, folder: Path, *values: tuple[str, str]) -> bytes:
    original, target = folder / "a.csv", folder / "b.csv"
    original.write_bytes(data)
    given = [{"sheet": "csv", "cell": cell, "value": text, "kind": "text"} for cell, text in values]
    writing.write({"original": str(original), "target": str(target), "values": given})
    assert original.read_bytes() == data
    return target.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_dialect_newlines_and_encoding_are_kept(encoding: str, tmp_path: Path) -> None:
    text = TEXT.replace("old", "größer")
    expected = text.replace('at rest?";;\r\n', 'at rest?";"Yes; AES";\r\n')
    assert answered(text.encode(encoding), tmp_path, ("C2", "Yes; AES")) == expected.encode(encoding)


def test_a_chinese_file_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    data = "编号,问题,答复\n1,是否对所有客户数据进行加密？,\n2,是否每季度审查访问权限？,\n".encode("gb18030")
    assert answered(data, tmp_path, ("C2", "是")) == data.replace("加密？,".encode("gb18030"), "加密？,是".encode("gb18030"))
    assert [q["cell"] for q in reading.parse({"path": str(tmp_path / "a.csv")})["questions"]] == ["B2", "B3"]


def test_an_appended_column_gets_a_header_and_nothing_else_moves(tmp_path: Path) -> None:
    data = (DATA / "trustdeck_caiq_lite_124.csv").read_bytes()
    lines = answered(data, tmp_path, ("E2", "Yes."), ("E125", "No.")).decode("utf-8-sig").splitlines()
    before = data.decode("utf-8-sig").splitlines()
    assert (lines[0], lines[1], lines[124]) == (before[0] + ",Answer", before[1] + ",Yes.", before[124] + ",No.")
    assert lines[2:124] == before[2:124]


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-cmd", "@SUM(A1)", "\tx", "\rx", "＝1+1", "＋x", "－x", "＠x", " =1", "\u3000=1"])
def test_formula_like_text_never_runs(text: str) -> None:
    assert guarded(text) == "'" + text


@pytest.mark.parametrize("text", ["-5", "+3.2", "-1e5", "-12.5%", "122", "Yes", "a=b", "30 days"])
def test_a_number_is_not_corrupted_by_the_guard(text: str) -> None:
    assert guarded(text) == text


def test_a_change_outside_the_answer_cells_is_found(tmp_path: Path) -> None:
    answered(TEXT.encode(), tmp_path, ("C2", "Yes"))
    cells = {"original": str(tmp_path / "a.csv"), "exported": str(tmp_path / "b.csv")}
    writing.compare(cells | {"cells": [["csv", "C2"]]})
    with pytest.raises(Refused, match="differs outside"):
        writing.compare(cells | {"cells": [["csv", "C3"]]})


def test_a_wrong_cell_writes_nothing(tmp_path: Path) -> None:
    for values in ([("C9", "x")], [("C2", "x"), ("C2", "y")], [("0", "x")]):
        with pytest.raises((UnknownName, Refused)):
            answered(TEXT.encode(), tmp_path, *values)
        assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_encoding_comes_back_byte_for_byte(encoding: str, newline: str, delimiter: str, tmp_path: Path) -> None:
    question = "是否对所有客户数据进行加密，并定期审查？" if encoding == "gb18030" else "Do you encrypt “all” data – at rest, é?"
    lines = [["Ref", "Question", "Answer"], ["1", question, ""], ["2", f"{question}\nAnd how?", ""], ["3", question, ""]]
    quoted = [[f'"{cell}"' if any(sign in cell for sign in (delimiter, "\n")) else cell for cell in line] for line in lines]
    text = newline.join(delimiter.join(line) for line in quoted) + newline
    found = answered(text.encode(encoding), tmp_path, ("C2", "Yes"), ("C4", "No"))
    expected = newline.join(delimiter.join([*line[:2], answer]) for line, answer in zip(quoted, ["Answer", "Yes", "", "No"], strict=True))
    assert found == (expected + newline).encode(encoding)
    assert [q["cell"] for q in reading.parse({"path": str(tmp_path / "a.csv")})["questions"]] == ["B2", "B3", "B4"]


def test_a_sign_that_the_encoding_lacks_is_refused_and_not_replaced(tmp_path: Path) -> None:
    data = TEXT.replace("old", "größer").encode("cp1252")
    with pytest.raises(Refused, match="cp1252, which has no"):
        answered(data, tmp_path, ("C2", "≥ 1"))
    assert not (tmp_path / "b.csv").exists()


def test_an_answer_does_not_change_how_the_file_is_split(tmp_path: Path) -> None:
    """Harm: answers full of another delimiter make the proof read the exported file by that one."""
    data = b"Question;Answer\nDo you encrypt our data?;\nDo you read our data?;\nDo you sell our data?;\n"
    found = answered(data, tmp_path, *[(f"B{row}", "a, b, c, d") for row in (2, 3, 4)])
    assert found.count(b";a, b, c, d") == 3


def test_an_open_quote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('Ref,Question,Answer\n1,"Do you,\n')
    with pytest.raises(MalformedFile, match="no end"):
        csvfile.load(path)


def test_a_delimiter_that_leaves_a_quote_open_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(b'"","","\t"\n"","\t","\t"\n')
    document = csvfile.load(path)
    assert document.delimiter == ","
    assert [[part.value for part in record] for record in document.records] == [["", "", "\t"], ["", "\t", "\t"]]


FIELD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=2, max_size=6),
    delimiter=st.sampled_from(",;\t|"),
    newline=st.sampled_from(["\n", "\r\n"]),
    edits=st.dictionaries(st.tuples(st.integers(1, 2), st.integers(1, 5)), FIELD, min_size=1, max_size=4),
)
def test_any_edits_can_be_taken_out_again(
    rows: list[list[str]], delimiter: str, newline: str, edits: dict[tuple[int, int], str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL).writerows(rows)
    path, target = tmp_path_factory.getbasetemp() / "p.csv", tmp_path_factory.getbasetemp() / "q.csv"
    path.write_bytes(stream.getvalue().encode())
    document = csvfile.load(path)
    document.delimiter, document.records = delimiter, csvfile.split(document.text, delimiter)
    assert [[part.value for part in record] for record in document.records] == rows
    values = [Value("csv", f"{'ABCDE'[column - 1]}{row}", text) for (row, column), text in edits.items()]
    target.write_bytes(document.spliced(values))
    csvfile.compare(document, csvfile.load(target, like=document), set(edits))  # as the product does: a delimiter is not guessed twice
