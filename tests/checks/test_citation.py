"""Harm: an answer rests on words that nobody wrote, on another organisation's papers, or on the question itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.bench import claim, codes, dossier, passage, prior
from trustops.checks.citation import citation_findings, locate, uncited_findings, valid
from trustops.domain.claim import Citation

QUESTION = "Are display cases opened by two people only?"
TEXT = "Display cases are opened by two people.\nThe second person signs the log book."
PAPER = passage(TEXT, name="P-cases")
EARLIER = prior(QUESTION, "Yes, two people open every display case.")
CASE = dossier(QUESTION, PAPER, EARLIER)

FORGED = [
    pytest.param("P-cases", "Display cases are opened by three people.", id="another number"),
    pytest.param("P-cases", "display cases are opened by two people.", id="another letter case"),
    pytest.param("P-cases", "Display cases are opened by two people!", id="another punctuation"),
    pytest.param("P-cases", "Display cases are always opened by two people.", id="a word put in"),
    pytest.param("P-cases", "Display cases are opened people.", id="words left out"),
    pytest.param("P-cases", "Display cases ... signs the log book.", id="an ellipsis across sentences"),
    pytest.param("P-cases", "", id="an empty quote"),
    pytest.param("P-cases", " \n\t", id="a quote of white space"),
    pytest.param("P-cases", QUESTION, id="the customer's own question"),
    pytest.param("A-1", QUESTION, id="the question of an earlier answer"),
    pytest.param("P-other", TEXT, id="a passage outside the dossier"),
    pytest.param("p-cases", TEXT, id="an exhibit id in another letter case"),
    pytest.param("", TEXT, id="no exhibit at all"),
    pytest.param("P-cases", "Display cases are opened by two people.\u200b", id="an invisible character at the end"),
    pytest.param("P-cases", "Displаy cases are opened by two people.", id="a Cyrillic letter that looks the same"),
]
HONEST = [
    pytest.param("P-cases", TEXT, id="the whole passage"),
    pytest.param("P-cases", "opened by two people", id="a piece of a sentence"),
    pytest.param("P-cases", "Display  cases are\nopened by two people.", id="other white space"),
    pytest.param("P-cases", "opened by two people. The second person", id="a line break read as a blank"),
    pytest.param("A-1", "two people open every display case", id="an earlier answer's words"),
]


@pytest.mark.parametrize(("exhibit", "quote"), FORGED)
def test_a_forged_citation_blocks(exhibit: str, quote: str) -> None:
    made = claim("Two people open them.", (exhibit, quote))
    (finding,) = citation_findings([made], CASE)
    assert (finding.code.value, finding.blocks, finding.exhibits) == ("INVALID_CITATION", True, (exhibit,))
    assert codes(uncited_findings([made], CASE)) == ["UNCITED_CLAIM"]


@pytest.mark.parametrize(("exhibit", "quote"), HONEST)
def test_an_honest_citation_raises_nothing(exhibit: str, quote: str) -> None:
    assert citation_findings([claim("Two people open them.", (exhibit, quote))], CASE) == ()
    assert valid(Citation(exhibit=exhibit, quote=quote), CASE)


def test_every_forged_citation_is_named_not_only_the_first() -> None:
    made = claim("Two people open them.", ("P-cases", "opened by two people"), ("P-x", "a"), ("P-cases", "opened by four people"))
    assert [finding.exhibits for finding in citation_findings([made], CASE)] == [("P-x",), ("P-cases",)]


def test_an_earlier_answer_alone_supports_no_claim() -> None:
    (finding,) = uncited_findings([claim("Two people open every case.", ("A-1", "two people open every display case"))], CASE)
    assert finding.code.value == "UNCITED_CLAIM"
    assert "earlier answer alone" in finding.summary


def test_a_document_beside_an_earlier_answer_is_enough() -> None:
    made = claim("Two people.", ("A-1", "two people open every display case"), ("P-cases", "opened by two people"))
    assert uncited_findings([made], CASE) == ()


def test_a_claim_without_any_citation_blocks() -> None:
    assert codes(uncited_findings([claim("Two people open them.")], CASE)) == ["UNCITED_CLAIM"]


WORDS = st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=8), min_size=1, max_size=12)
SPACES = st.text(" \t\n\r\u00a0\u3000", min_size=1, max_size=3)


@given(WORDS, st.data())
def test_white_space_is_forgiven_wherever_it_stands(words: list[str], data: st.DataObject) -> None:
    text, quote = (data.draw(SPACES).join(words) for _ in range(2))
    found = locate(f"before {text} after", quote)
    assert found is not None
    assert found.split() == quote.split()
    assert found in f"before {text} after"


@given(WORDS, st.integers(0, 11), st.characters(categories=["L", "N", "P"]))
def test_nothing_but_white_space_is_forgiven(words: list[str], at: int, letter: str) -> None:
    at %= len(words)
    for changed in (words[at] + letter, words[at][1:] + letter, letter + words[at]):
        quote = " ".join([*words[:at], changed, *words[at + 1 :]])
        if "".join(quote.split()) not in "".join(words):
            assert locate(" ".join(words), quote) is None


@given(st.text(max_size=40), st.text(max_size=20))
def test_what_is_located_stands_in_the_text_as_it_is(text: str, quote: str) -> None:
    found = locate(text, quote)
    assert found is None or (found in text and found.split() == quote.split() and bool(quote.split()))
