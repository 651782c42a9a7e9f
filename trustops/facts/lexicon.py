"""The data files behind the reader: word lists with a version, loaded once on first use.

No rule names an organisation or a document. What differs between fields of work stands in `trustops/catalogue/lexicon/*.yaml`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEPT = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:merge"}


class _PlainLoader(_BASE):  # type: ignore[misc]
    """YAML in which `no`, `on`, `~` and `1.2` stay the words they are."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in entries if tag in _KEPT] for first, entries in _BASE.yaml_implicit_resolvers.items()
}


@cache
def _directory() -> Traversable:
    return files("trustops.catalogue") / "lexicon"


@cache
def load(name: str) -> Any:
    """The parsed content of one lexicon file. Raises FileNotFoundError for a name that is not shipped."""
    text = (_directory() / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=_PlainLoader)


def versions() -> dict[str, str]:
    """The version of every lexicon file, by name."""
    return {name: str(load(name)["version"]) for name in _names()}


def _names() -> tuple[str, ...]:
    found = (entry.name for entry in _directory().iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml")))


@cache
def lexicon_digest() -> str:
    """SHA-256 over names and bytes of all lexicon files: what a frozen evaluation was run with."""
    digest = hashlib.sha256()
    for name in _names():
        content = (_directory() / f"{name}.yaml").read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def alternation(phrases: Iterable[str]) -> str:
    """A regular expression for any of the phrases, longest first; a space matches any run of blanks or a hyphen break."""
    return _alternation(tuple(phrases))


@cache
def _alternation(phrases: tuple[str, ...]) -> str:
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in ordered) or r"(?!)"


def flat(groups: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """`{key: [phrases]}` turned around: phrase in small letters -> key."""
    return {phrase.lower(): key for key, phrases in groups.items() for phrase in phrases}


def squeeze(phrase: str) -> str:
    """A matched phrase as it stands in the lexicon: small letters, single blanks."""
    return " ".join(phrase.lower().split())


@cache
def words_of(name: str, *path: str) -> frozenset[str]:
    """A list of a lexicon file as a set of small letters."""
    node = load(name)
    for key in path:
        node = node[key]
    return frozenset(str(item).lower() for item in node)


def bounded(phrases: Iterable[str]) -> str:
    """Like `alternation`, but a Latin phrase does not match inside a longer Latin word."""
    return rf"(?<![A-Za-z0-9_])(?:{alternation(phrases)})(?![A-Za-z0-9_])"
