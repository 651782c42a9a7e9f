"""One question, several queries: as it stands, denied, and without its scope, so that evidence which says no, or less, is found too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from trustops.domain.evidence import Passage, PriorAnswer

_DENIALS = re.compile(r"\b(?:not|no|never|without|cannot|neither|nor|none)\b|n['’]t\b|不|未|没有|无", re.IGNORECASE)
_DENYING = "not no never without except only unless 不 未 没有 除外"
_SCOPE = """
all every each any entire whole always fully completely both everybody everyone anyone nobody across throughout globally
employee employees staff personnel workforce contractor contractors user users administrator administrators admins engineers people
customers clients organisation organization company enterprise company-wide organisation-wide
"""
_SCOPE_WORDS = re.compile(
    rf"\b(?:{'|'.join(re.escape(word) for word in _SCOPE.split())})\b|所有|全部|全体|每个|每位|员工|人员", re.IGNORECASE
)
_OPPOSITES = (
    ("encrypted", "unencrypted"),
    ("supported", "unsupported"),
    ("available", "unavailable"),
    ("enabled", "disabled"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("included", "excluded"),
    ("certified", "planned"),
    ("allowed", "prohibited"),
    ("permitted", "forbidden"),
)


class Searchable(Protocol):
    """What an index offers here: best first, at most `limit`."""

    def search(self, query: str, *, limit: int = 10) -> tuple[Passage, ...]: ...

    def search_prior(self, query: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]: ...


Found = TypeVar("Found", Passage, PriorAnswer)


def forms(question: str) -> tuple[str, ...]:
    """The verbatim question, its negated (or, where it denies, its unnegated) form and its unscoped form, without doubles."""
    denied = _DENIALS.search(question)
    other = _DENIALS.sub(" ", question) if denied else f"{question} {_DENYING} {_opposites(question)}"
    return tuple(dict.fromkeys(" ".join(form.split()) for form in (question, other, _SCOPE_WORDS.sub(" ", question)) if form.strip()))


def _opposites(question: str) -> str:
    words = set(re.findall(r"\w+", question.lower()))
    return " ".join(other for pair in _OPPOSITES for word, other in (pair, pair[::-1]) if word in words)


def search_all(index: Searchable, question: str, *, limit: int = 10) -> tuple[Passage, ...]:
    """The union over all forms, best of the verbatim question first; up to `limit` from each form."""
    return _union(index.search, question, limit)


def search_prior_all(index: Searchable, question: str, *, limit: int = 10) -> tuple[PriorAnswer, ...]:
    """The same for earlier answers, which are searched apart so that documents never crowd out a contradiction."""
    return _union(index.search_prior, question, limit)


def _union(search: Callable[..., tuple[Found, ...]], question: str, limit: int) -> tuple[Found, ...]:
    found: dict[str, Found] = {}
    for form in forms(question):
        for each in search(form, limit=limit):
            found.setdefault(each.id, each)
    return tuple(found.values())
