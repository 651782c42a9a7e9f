"""Language: an answer in another language than its evidence is checked through a pivot (product.md, "Language")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trustops.domain.finding import Finding, FindingCode, FindingSource, severity_of
from trustops.facts.closure import closure_facts
from trustops.facts.implication import implies
from trustops.facts.nouns import Fact, Names, Sentence
from trustops.facts.page import language
from trustops.facts.polarity import polarity
from trustops.facts.sentence import read
from trustops.facts.split import split
from trustops.facts.testimony import Statement


def pivoted(text: str, pivot: str) -> bool:
    """True where the pivot is in another language than the text, so that rules run on it."""
    return bool(pivot.strip()) and language(pivot) != language(text)


def language_findings(text: str, pivot: str, cited: Sequence[Statement], names: Names) -> tuple[Finding, ...]:
    """CROSS_LANGUAGE for an answer with a pivot that says the same; MISSING_EVIDENCE without one, or where it says something else."""
    foreign = [s for s in cited if s.sentence.language != language(text)]
    other = pivoted(text, pivot)
    if not text.strip() or not (other or (foreign and len(foreign) == len(cited))):
        return ()
    exhibits = tuple(dict.fromkeys(s.exhibit for s in foreign))
    if not other:
        return (
            _finding(FindingCode.MISSING_EVIDENCE, "The answer is in another language than its evidence, and no pivot is given.", exhibits),
        )
    if not same_meaning(text, pivot, names):
        return (
            _finding(FindingCode.MISSING_EVIDENCE, "The pivot does not say the same as the answer: figures or denials differ.", exhibits),
        )
    return (_finding(FindingCode.CROSS_LANGUAGE, "The answer is in another language than its evidence.", exhibits),)


def same_meaning(text: str, pivot: str, names: Names) -> bool:
    """Two texts say the same as far as rules read: typed facts of either side are implied by the other, and as many sentences deny."""
    mine, theirs = _read(text, names), _read(pivot, names)
    left, right = _facts(mine), _facts(theirs)
    met = all(any(implies(b, a) == "PROVES" for b in right) for a in left) and all(
        any(implies(a, b) == "PROVES" for a in left) for b in right
    )
    return met and _denials(mine) == _denials(theirs)


def _read(text: str, names: Names) -> list[Sentence]:
    return [read(span.text, names, "answer") for span in split(text)]


def _facts(sentences: Iterable[Sentence]) -> list[Fact]:
    return [fact for sentence in sentences for fact in closure_facts(sentence)]


def _denials(sentences: Iterable[Sentence]) -> int:
    return sum(polarity(sentence, sentence.words) == "negative" for sentence in sentences)


def _finding(code: FindingCode, summary: str, exhibits: tuple[str, ...]) -> Finding:
    remedy = "Have somebody who reads both languages compare them, or answer in the evidence's language."
    return Finding(
        code=code, severity=severity_of(code), source=FindingSource.RULES, summary=summary, exhibits=exhibits, remedy=remedy, cited=True
    )
