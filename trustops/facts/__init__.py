"""Typed facts read out of a sentence, English and Chinese: the ONE reader of meaning for checks and the extractive provider.

Pure and deterministic: no clock, no network; the only files read are the lexicons shipped in `trustops/catalogue/lexicon`,
once, on first use. Never used for grading.
"""

from trustops.facts.closure import absolutes, closure_facts, implied_never, limiters, months, subtract_months, windows
from trustops.facts.implication import implies
from trustops.facts.lexicon import lexicon_digest, versions
from trustops.facts.nouns import (
    Absolute,
    Attribution,
    Capability,
    Date,
    Deadline,
    Exclusion,
    Fact,
    Frequency,
    Limiter,
    Modality,
    Names,
    Negation,
    Place,
    Quantity,
    Relation,
    Scope,
    Sentence,
    Span,
    Standard,
    Version,
)
from trustops.facts.page import language
from trustops.facts.polarity import polarity
from trustops.facts.question import asks, is_open, proposition
from trustops.facts.relation import relation
from trustops.facts.sentence import read
from trustops.facts.split import clauses, split
from trustops.facts.words import words

__all__ = [
    "Absolute", "Attribution", "Capability", "Date", "Deadline", "Exclusion", "Fact", "Frequency", "Limiter", "Modality", "Names",
    "Negation", "Place", "Quantity", "Relation", "Scope", "Sentence", "Span", "Standard", "Version", "absolutes", "asks", "clauses",
    "closure_facts", "implied_never", "implies", "is_open", "language", "lexicon_digest", "limiters", "months", "polarity",
    "proposition", "read", "relation", "split", "subtract_months", "versions", "windows", "words",
]  # fmt: skip
