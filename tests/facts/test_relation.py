"""What one sentence says about another. The harm is a false PROVES: it would let an unsupported answer out."""

from __future__ import annotations

import pytest

from tests.facts.conftest import NAMES
from trustops.facts import polarity, proposition, read, relation

PAIRS = [
    pytest.param("All backups are encrypted with AES-256.", "Backups are encrypted.", "PROVES", id="a plain proof"),
    pytest.param("Backups must be encrypted.", "All backups have been encrypted.", "SILENT", id="a rule read as achievement"),
    pytest.param("Backups should be encrypted.", "Backups are encrypted.", "SILENT", id="advice read as fact"),
    pytest.param("SSO will be offered to customers in 2027.", "SSO is offered to customers.", "SILENT", id="a plan read as fact"),
    pytest.param("Nimbuscore encrypts the backups.", "Our backups are encrypted.", "SILENT", id="a subcontractor read as us"),
    pytest.param("Brightwater Lite encrypts backups.", "Brightwater Vault encrypts backups.", "SILENT", id="another product read as ours"),
    pytest.param("Draft: backups are encrypted with AES-256.", "Backups are encrypted.", "SILENT", id="a draft read as in force"),
    pytest.param("Backups are not encrypted.", "Backups are encrypted.", "OPPOSES", id="a denial"),
    pytest.param("Backups are unencrypted.", "Backups are encrypted.", "OPPOSES", id="an antonym is a denial"),
    pytest.param(
        "BYOK is not supported for customer keys.", "Customers can use BYOK for their keys.", "OPPOSES", id="BYOK occurs in its denial"
    ),
    pytest.param(
        "Databases are encrypted except the archive.", "All databases are encrypted.", "OPPOSES", id="an exception hidden in a universal"
    ),
    pytest.param(
        "All databases are encrypted except the archive.", "All databases are encrypted.", "OPPOSES", id="an exception against a universal"
    ),
    pytest.param("Some customer data is stored in Japan.", "Customer data is stored only in the EU.", "OPPOSES", id="a place outside"),
    pytest.param("The target is that 95 % of staff are trained.", "95 % of staff are trained.", "SILENT", id="a target read as measured"),
    pytest.param("Employees are screened.", "Contractors are screened.", "SILENT", id="one group read as another"),
    pytest.param("Customers may request a report.", "Customers receive a report.", "SILENT", id="a permission read as a practice"),
    pytest.param("Of 60 findings 58 were remediated.", "All findings were remediated.", "OPPOSES", id="counts that stand apart"),
    pytest.param("Logs are purged after 30 days.", "Logs are kept for at least one year.", "OPPOSES", id="deleted before it is kept"),
    pytest.param(
        "All customer data is encrypted with AES-256.",
        "Backups are encrypted with AES-256.",
        "SILENT",
        id="another object with the same cipher",
    ),
    pytest.param(
        "We do not hold ISO 27701 certification.", "We hold ISO 27001 certification.", "SILENT", id="a denial of another standard"
    ),
    pytest.param(
        "A Type I report is available; the SOC 2 Type II report is scheduled.",
        "We hold a SOC 2 Type II report.",
        "SILENT",
        id="a plan beside a fact",
    ),
    pytest.param(
        "Access of administrators is reviewed quarterly.", "Access is reviewed quarterly.", "SILENT", id="one group read as everybody"
    ),
    pytest.param(
        "Data is stored in Dublin; support staff in India view tickets.",
        "Data is stored only in the EU.",
        "SILENT",
        id="a place of another clause",
    ),
    pytest.param("We support TLS 1.2 or higher.", "感谢贵司的信任与支持。", "SILENT", id="one shared word across languages"),
    pytest.param("数据仅存储于中国境内，不会出境。", "数据存储于中国境内。", "PROVES", id="a denial in the next Chinese clause"),
    pytest.param("数据仅存储于北京。", "Information is a valuable asset.", "SILENT", id="one shared word in a longer claim"),
    pytest.param("Visitors wear a badge.", "Backups are encrypted.", "SILENT", id="another topic"),
    pytest.param("备份均已加密。", "备份未加密。", "OPPOSES", id="a Chinese denial"),
    pytest.param("备份采用AES-256加密。", "Backups are encrypted with AES-256.", "PROVES", id="across languages by terms"),
]


@pytest.mark.parametrize(("premise", "claim", "verdict"), PAIRS)
def test_relation(premise: str, claim: str, verdict: str) -> None:
    found = relation(read(premise, NAMES, "record"), read(claim, NAMES, "prior_answer"), names=NAMES)
    assert found.verdict == verdict, found.reason
    assert found.reason


def test_a_question_is_proved_by_the_sentence_that_affirms_it() -> None:
    asked = proposition("Are your backups encrypted at rest?", NAMES)
    assert relation(read("Backups are encrypted at rest.", NAMES), asked, names=NAMES).verdict == "PROVES"


def test_a_negation_far_from_the_words_asked_about_does_not_flip_them() -> None:
    sentence = read(
        "Backups are encrypted with keys from a vault in another account that nobody outside the platform team may open.", NAMES
    )
    assert polarity(sentence, frozenset(["=backup", "=encrypt"])) == "positive"


def test_no_later_than_does_not_flip_polarity() -> None:
    sentence = read("Customer data is deleted no later than 30 days after termination.", NAMES)
    assert polarity(sentence, frozenset(["=delete"])) == "positive"
