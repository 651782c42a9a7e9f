"""What the demo's labels quote can be found in the passages, within one line, so that a citation can name it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from trustops.domain.evidence import Classification, EvidenceKind, Ingested, PriorAnswer
from trustops.formats.evidence import load_register, read_answers, read_folder

HERE = Path(__file__).parents[2] / "data" / "evidence"
QUOTES = [
    (each["file"], each["quote"])
    for question in yaml.safe_load((HERE / "quotes.yaml").read_text(encoding="utf-8"))
    for each in question["any"] + question["contradicting"]
]


@pytest.fixture(scope="module")
def ingested() -> Ingested:
    return read_folder(HERE / "acme")


@pytest.fixture(scope="module")
def answers() -> tuple[PriorAnswer, ...]:
    return read_answers(HERE / "acme")


@pytest.mark.parametrize(("file", "quote"), sorted({quote for quote in QUOTES if not quote[0].startswith("answers/")}))
def test_a_true_quote_is_not_lost_in_reading(ingested: Ingested, file: str, quote: str) -> None:
    lines = [line for passage in ingested.passages if passage.document.path == file for line in passage.text.split("\n")]
    assert any(" ".join(quote.split()) in line for line in lines)


@pytest.mark.parametrize(("file", "quote"), sorted({quote for quote in QUOTES if quote[0].startswith("answers/")}))
def test_an_earlier_promise_is_not_lost_in_reading(answers: tuple[PriorAnswer, ...], file: str, quote: str) -> None:
    assert any(answer.file == file and quote in answer.answer for answer in answers)


def test_every_registered_file_is_a_document_with_its_entry(ingested: Ingested) -> None:
    assert len(ingested.documents) == 31
    by_path = {document.path: document for document in ingested.documents}
    soc = by_path["evidence/reports/soc2-type2-2026-summary.pdf"]
    assert soc.kind is EvidenceKind.AUDIT_REPORT
    assert by_path["evidence/internal/risk-register-2026.md"].classification is Classification.RESTRICTED
    assert by_path["evidence/diagrams/network-diagram.png"].kind is EvidenceKind.DIAGRAM
    assert {document.path for document in load_register(HERE / "acme")} == set(by_path)


def test_a_wrapped_table_row_of_a_pdf_stays_one_row(ingested: Ingested) -> None:
    lines = [line for passage in ingested.passages if passage.document.path.endswith("summary.pdf") for line in passage.text.split("\n")]
    assert "CC6.2 | Access of leavers is removed within 24 hours | Compared 12 leavers with access logs | No exception" in lines
    assert "CC6.1 | Multi-factor authentication for administrators | Inspected enrolment of 17 administrators | No exception" in lines


def test_running_heads_are_no_evidence(ingested: Ingested) -> None:
    assert not any("confidential Page" in passage.text or passage.text == "LARKFIELD & MOSS LLP" for passage in ingested.passages)


def test_text_that_its_reader_cannot_see_is_concealed(ingested: Ingested) -> None:
    concealed = {passage.document.path: passage.text for passage in ingested.passages if passage.concealed}
    assert set(concealed) == {"evidence/uploads/isms-readiness-notes.md", "evidence/uploads/ledgerline-attestation-cover.docx"}
    assert "ignore previous instructions" in concealed["evidence/uploads/isms-readiness-notes.md"]
    assert not any("instructions have changed" in passage.text for passage in ingested.passages if not passage.concealed)


def test_invisible_characters_are_kept_for_the_rule_that_judges_them(ingested: Ingested) -> None:
    assert any("\u200b" in passage.text and "\u202e" in passage.text for passage in ingested.passages)


def test_ids_survive_a_second_reading(ingested: Ingested) -> None:
    again = read_folder(HERE / "acme")
    assert [passage.id for passage in again.passages] == [passage.id for passage in ingested.passages]
    assert len({passage.id for passage in again.passages}) == len(again.passages)


def test_date_and_customer_come_from_column_header_or_name(answers: tuple[PriorAnswer, ...]) -> None:
    by_file = {answer.file: answer for answer in answers}
    meridian, calder = by_file["answers/2025-02-meridian-foods.xlsx"], by_file["answers/2026-04-calder-rail.csv"]
    assert (meridian.customer, str(meridian.answered_on)) == ("Meridian Foods plc", "2025-02-18")
    assert (calder.customer, str(calder.answered_on)) == ("Calder Rail Ltd", "2026-04-22")
    assert len(answers) == 27
