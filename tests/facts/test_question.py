"""Questions: open or yes/no, how many asks, and the statement that a yes would make."""

from __future__ import annotations

import pytest

from tests.facts.conftest import NAMES
from trustops.facts import asks, clauses, is_open, proposition, read, split, words

OPEN = [
    pytest.param("How often are keys rotated?", True, id="how"),
    pytest.param("Please describe your backup process.", True, id="describe"),
    pytest.param("List your sub-processors.", True, id="list"),
    pytest.param("Do you encrypt backups, and how often are they tested?", False, id="yes/no and how often is yes/no"),
    pytest.param("Please confirm that backups are encrypted.", False, id="confirm that"),
    pytest.param("All laptops are encrypted.", False, id="a statement is affirmed or denied"),
    pytest.param("Could you explain how keys are managed?", True, id="a polite how"),
    pytest.param("Can you provide your SOC 2 report?", False, id="a polite request is yes/no"),
    pytest.param("请问数据存放在何处？", True, id="Chinese where"),
    pytest.param("请简述备份流程。", True, id="Chinese describe"),
    pytest.param("贵司是否加密备份？请说明。", False, id="Chinese yes/no with detail"),
]


@pytest.mark.parametrize(("text", "expected"), OPEN)
def test_is_open(text: str, expected: bool) -> None:
    assert is_open(text) is expected


ASKS = [
    pytest.param("(a) Is it logged? (b) List the logs.", 2, id="lettered parts"),
    pytest.param("(i) What is your RTO? (ii) What is your RPO?", 2, id="roman parts"),
    pytest.param("1. Is it encrypted? 2. Is it backed up?", 2, id="numbered parts"),
    pytest.param("Is it encrypted? Is it backed up?", 2, id="two question marks"),
    pytest.param("Is it tested? State how often.", 1, id="a follow-up detail stays with its ask"),
    pytest.param("Is it tested? If yes, when?", 1, id="a conditional follow-up stays"),
    pytest.param("Connections use TLS 1.3.", 1, id="a version number splits nothing"),
]


@pytest.mark.parametrize(("text", "count"), ASKS)
def test_asks(text: str, count: int) -> None:
    assert len(asks(text)) == count


def test_a_lead_belongs_to_each_part() -> None:
    assert asks("Regarding backups: (a) are they encrypted? (b) are they tested?")[1] == "Regarding backups: are they tested?"


def test_the_no_of_an_answer_hint_is_no_denial() -> None:
    asked = proposition("Are all changes approved (Yes/No/Partial)?", NAMES)
    assert not [fact for fact in asked.facts if fact.kind == "negation"]


def test_question_words_and_you_are_no_content() -> None:
    assert proposition("Do you encrypt your backups?", NAMES).words == frozenset({"=encrypt", "=backup"})


def test_an_open_question_contributes_no_absolutes() -> None:
    asked = proposition("How do you make sure that nobody can ever read all data?", NAMES)
    assert not [fact for fact in asked.facts if fact.kind in ("absolute", "negation")]


def test_synonyms_of_one_line_are_one_word_in_both_languages() -> None:
    assert words("MFA") == words("two-factor authentication") == words("多因素认证")
    assert words("supplier", NAMES) == words("third-party vendor", NAMES)


def test_own_company_names_are_no_content() -> None:
    assert words("Brightwater encrypts backups", NAMES) == words("encrypts backups", NAMES)


SENTENCES = [
    pytest.param("We use e.g. AES. It is good.", 2, id="e.g. does not split"),
    pytest.param("Run by Brightwater, Inc. and partners.", 1, id="Inc. does not split"),
    pytest.param("2.2 Access is logged.", 1, id="numbering does not split"),
    pytest.param("Write to a.b@example.com. See v2.3 of it.", 2, id="addresses and versions do not split"),
    pytest.param("- One bullet\n- Another bullet", 2, id="bullets are sentences"),
    pytest.param("Backups | 35 days | overwritten.", 1, id="a table row is one sentence"),
    pytest.param("备份已加密。密钥每年轮换。", 2, id="Chinese full stops"),
]


@pytest.mark.parametrize(("text", "count"), SENTENCES)
def test_split(text: str, count: int) -> None:
    assert len(split(text)) == count


CLAUSES = [
    pytest.param("Backups are encrypted; keys are rotated.", 2, id="a semicolon"),
    pytest.param("Backups are encrypted, and keys are rotated yearly.", 2, id="coordination with two verbs"),
    pytest.param("Employees and contractors are trained.", 1, id="coordinated nouns are one claim"),
]


@pytest.mark.parametrize(("text", "count"), CLAUSES)
def test_clauses(text: str, count: int) -> None:
    assert len(clauses(text)) == count


EXAMPLES = [
    pytest.param("Is data encrypted in transit (e.g. TLS 1.2 or higher) for all customers?", {"all", "all customers"}, id="in brackets"),
    pytest.param("Do you use strong encryption, e.g. AES-256, within 24 hours?", {"within 24 hours"}, id="what follows is asked"),
    pytest.param("Do you hold certificates such as ISO 27001 or SOC 2 Type II?", set(), id="such as"),
    pytest.param("Do you rotate keys, for example RSA-4096 keys, at least annually?", {"at least annually"}, id="for example"),
    pytest.param("贵司是否采用强加密算法（如AES-256），并每年轮换密钥？", {"每年"}, id="Chinese in brackets"),
    pytest.param("贵司是否持有第三方认证，例如ISO 27001、SOC 2等？", set(), id="Chinese list"),
    pytest.param(
        "For example, are all backups encrypted with AES-256?", {"all", "all backups", "AES-256"}, id="an example that is the question"
    ),
    pytest.param("Is TLS 1.2 or higher used for all customers?", {"TLS 1.2 or higher", "all", "all customers"}, id="no example"),
]


@pytest.mark.parametrize(("text", "demanded"), EXAMPLES)
def test_an_example_in_a_question_is_no_demand(text: str, demanded: set[str]) -> None:
    asked = proposition(text, NAMES)
    assert {fact.surface for fact in asked.facts if fact.kind != "modality"} == demanded


def test_an_example_is_no_word_that_an_answer_must_meet() -> None:
    assert "aes" not in proposition("Do you use strong encryption, e.g. AES-256, for backups?", NAMES).words


def test_an_example_in_an_answer_is_a_fact() -> None:
    assert [f.surface for f in read("We use strong encryption, e.g. AES-256.", NAMES).facts if f.kind == "standard"] == ["AES-256"]
