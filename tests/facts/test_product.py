"""What is true of one product is said of no other, however alike their names begin."""

from __future__ import annotations

from datetime import date

import pytest

from trustops.domain.chain import sha256
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Document, EvidenceKind, Passage
from trustops.domain.question import Question
from trustops.facts.asked import Ask, asks_of
from trustops.facts.denial import denies_subject
from trustops.facts.nouns import Names
from trustops.facts.product import longer_names
from trustops.facts.testimony import Statement, read_dossier
from trustops.facts.verdict import stance

OWN = ("Northwind Freight, Inc.", "Northwind Freight", "harbourmaster")
NAMES = Names(own=OWN[:2])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does Harbourmaster Mobile Vault support single sign-on?", {"mobil", "vault"}),
        ("Is Northwind QuickSign encrypted at rest?", {"quicksign"}),
        ("Is the Harbourmaster Desktop Agent tested every year?", {"desktop", "agent"}),
        ("Is Northwind Freight Ledger hosted in Canada?", {"ledger"}),
    ],
)
def test_a_name_that_goes_on_beyond_ours_is_seen(question: str, words: set[str]) -> None:
    assert longer_names(question, OWN) == (frozenset(words),)


@pytest.mark.parametrize(
    "question",
    [
        "Does Northwind Freight have an Information Security Policy?",
        "Is Northwind Freight Harbourmaster hosted in the EU?",
        "Does the Harbourmaster API use TLS 1.2?",
        "Does Harbourmaster Enterprise support SAML?",
        "Are Northwind Freight Employees and Contractors screened before they start?",
        "Do you, Northwind Freight Inc., hold ISO 27001?",
        "Is Wide Ocean Insurance told of breaches within a day?",
        "DOES NORTHWIND FREIGHT ENCRYPT BACKUPS?",
        "Does Northwind Freight Screen New Staff Before Hiring?",
        "Harbourmaster 支持单点登录吗？",
    ],
)
def test_papers_people_forms_of_law_titles_and_customers_are_no_products(question: str) -> None:
    assert longer_names(question, OWN) == ()


def told(text: str, question: str, title: str = "Sign-in") -> tuple[Statement, Ask]:
    document = Document(path="a.md", title=title, kind=EvidenceKind.POLICY, effective=date(2026, 1, 1), products=("harbourmaster",))
    passage = Passage(id="P-1", document=document, text=text, locator="line 1", sha256=sha256(text.encode()))
    dossier = Dossier(question=Question(ref="1", text=question, sheet="s", cell="A1"), asks=(question,), passages=(passage,))
    testimony = read_dossier(dossier, NAMES, today=date(2026, 11, 30), newest=frozenset())
    (ask,) = asks_of(question, NAMES)
    return testimony.statements[0], ask


def stated(text: str, question: str, **where: str) -> str:
    return stance(*told(text, question, **where), NAMES).reads


def denied(text: str, question: str) -> bool:
    return denies_subject(*told(text, question), NAMES)


SAYS = "Harbourmaster supports single sign-on with SAML 2.0."


def test_what_is_said_of_one_product_proves_nothing_of_another() -> None:
    """Harm: the customer asks about a product that we do not have, and the answer is yes."""
    assert stated(SAYS, "Does Harbourmaster support single sign-on?") == "PROVES"
    assert stated(SAYS, "Does Harbourmaster Mobile Vault support single sign-on?") == "SILENT"
    assert stated(SAYS.replace("supports", "does not support"), "Does Harbourmaster Mobile Vault support single sign-on?") == "SILENT"


def test_a_heading_or_the_sentence_may_carry_the_longer_name() -> None:
    asked = "Does Harbourmaster Mobile Vault support single sign-on?"
    assert stated(SAYS, asked, title="Harbourmaster Mobile Vault") == "PROVES"
    assert stated(SAYS.replace("Harbourmaster", "Harbourmaster Mobile Vault"), asked) == "PROVES"


def test_that_a_kind_of_thing_is_missing_denies_no_product_with_a_name() -> None:
    """Harm: "not applicable" for a product that nobody has heard of, because we have no mobile application."""
    none = "There is no native mobile application for iOS or Android."
    assert denied(none, "Is the mobile application tested every year?")
    assert not denied(none, "Is Harbourmaster Mobile Vault tested every year?")


@pytest.mark.parametrize(
    "text",
    [
        "Incubators are certified to ISO 27001.",
        "99 | The auditors stated: Yes. Incubators are certified to ISO 27001.",
        "7 | Incubators are certified to ISO 27001.",
        "The auditors are certified to ISO 27001.",
    ],
)
def test_a_standard_that_is_named_of_another_thing_proves_nothing(text: str) -> None:
    """Harm: the customer asks about one thing, and the certificate of another is sold for its own."""
    assert stated(text, "Are boilers certified to ISO 27001?") == "SILENT"


@pytest.mark.parametrize("text", ["We are certified to ISO 27001.", "Northwind Freight is certified to ISO 27001."])
def test_what_we_are_certified_to_is_still_said(text: str) -> None:
    assert stated(text, "Are you certified to ISO 27001?") == "PROVES"


def test_a_thing_that_shares_its_word_is_not_another_one() -> None:
    assert stated("All customer data is encrypted at rest with AES-256.", "Is all of our data encrypted at rest with AES-256?") == "PROVES"
