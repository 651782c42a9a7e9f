"""Harm: a format is read, but its answers do not come back in the customer's own file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest

from tests.conftest import QUESTIONS, House
from trustops.operations.approving import approve
from trustops.operations.exporting import export
from trustops.operations.intake import take_in
from trustops.operations.verifying import verify
from trustops.testing import documents


@pytest.fixture(autouse=True)
def own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of this machine is used, and none is made there."""
    for name in ("TRUSTOPS_KEY_PASSPHRASE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))


def _docx() -> bytes:
    return documents.document(documents.lines(["ID", "Question", "Answer"], *[[ref, text, ""] for ref, text in QUESTIONS]))


def _json() -> bytes:
    return json.dumps([{"id": ref, "question": text, "answer": ""} for ref, text in QUESTIONS]).encode()


def _pdf() -> bytes:
    return documents.pdf([f"{ref}. {text}" for ref, text in QUESTIONS])


def _word_answer(path: Path) -> str:
    return str(docx.Document(str(path)).tables[0].rows[2].cells[2].text)


def _json_answer(path: Path) -> str:
    return str(json.loads(path.read_text(encoding="utf-8"))[1]["answer"])


def _companion_answer(path: Path) -> str:
    return str(openpyxl.load_workbook(path)["answers"]["D3"].value)


@pytest.mark.parametrize(
    ("name", "made", "suffix", "read"),
    [
        ("form.docx", _docx, ".docx", _word_answer),
        ("form.json", _json, ".json", _json_answer),
        ("form.pdf", _pdf, ".xlsx", _companion_answer),
    ],
)
def test_an_approved_answer_leaves_in_the_file_of_its_format(
    name: str, made: Callable[[], bytes], suffix: str, read: Callable[[Path], str], house: House, tmp_path: Path
) -> None:
    source = tmp_path / name
    source.write_bytes(made())
    case = House(house.folder, house.office, take_in(house.office, source))
    case.run()
    assert [question.text for question in case.review.questionnaire.questions] == [text for _, text in QUESTIONS]
    approve(case.office, case.review, "K-2", 1, by="Ana")
    sent = export(case.office, case.review, tmp_path / "out", to="Customer")
    assert sent.exported == ("K-2",)
    assert sent.file.suffix == suffix
    assert "400 days" in read(sent.file)
    assert source.read_bytes() == made()


@pytest.mark.parametrize(("name", "made"), [("form.docx", _docx), ("form.json", _json), ("form.pdf", _pdf)])
def test_its_bundle_verifies(name: str, made: Callable[[], bytes], house: House, tmp_path: Path) -> None:
    house.office.signer.create()
    source = tmp_path / name
    source.write_bytes(made())
    case = House(house.folder, house.office, take_in(house.office, source))
    case.run()
    approve(case.office, case.review, "K-2", 1, by="Ana")
    sent = export(case.office, case.review, tmp_path / "out", to="Customer")
    checked = verify(case.office.bundles, sent.bundle)
    assert (checked.valid, [check for check in checked.checks if not check.ok]) == (True, [])
