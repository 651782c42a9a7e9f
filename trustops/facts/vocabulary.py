"""Members of answer lists and the determinations they mean (product.md, "Vocabulary of a cell"). Data, no guessing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import yaml

from trustops.domain.answer import Determination

MEANINGS = tuple(d for d in Determination if d is not Determination.UNKNOWN)


@cache
def _table() -> dict[str, Determination]:
    data = yaml.safe_load(files("trustops.catalogue").joinpath("vocabularies.yaml").read_text(encoding="utf-8"))
    members = data.get("members", data)
    return {_plain(str(word)): meaning for meaning in MEANINGS for word in members.get(meaning.value, ())}


def _plain(member: str) -> str:
    return re.sub(r"[\s\-–—_./]+", " ", member).strip().casefold()


def meaning_of(member: str) -> Determination | None:
    """The determination a list member stands for; None where the data file does not know it. Never UNKNOWN."""
    return _table().get(_plain(member))


def tick_meaning(part: str, vocabulary: Sequence[str]) -> Determination | None:
    """What a box says when it is ticked: by its part (`tick_yes`), else by its one label; None for a box with words of its own."""
    named = part.partition("_")[2].upper()
    if named in Determination.__members__:
        return Determination(named)
    return meaning_of(vocabulary[0]) if len(vocabulary) == 1 else None


def member_for(determination: Determination, vocabulary: Sequence[str]) -> str | None:
    """The member of a cell's list that says the determination: None for UNKNOWN, and where none or several different ones do."""
    if determination is Determination.UNKNOWN:
        return None
    fitting = [member for member in vocabulary if meaning_of(member) is determination]
    return fitting[0] if fitting else None
