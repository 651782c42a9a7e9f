"""Which rows of a large index are ranked at all: ranking a row costs a hundred times what finding it costs.

Rows with the rarest words of a question are all ranked. Rows with its less rare words are ranked only where a second one stands beside: of
those with one alone there are too many, and they say the least. Measured against ranking every row (benchmarks/scale.py `--quality`).
Not decided here: whether an index is large (index.py), and how rows are ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ALONE, PAIRED = 3_000, 6_000
"""About so many rows are ranked for the rarest words, and at most about so many more for two others together."""
MOST_PAIRED, PARTNERS = 3, 5


@dataclass(frozen=True)
class Narrowed:
    """A row counts where it holds one of `alone`, or one of `paired` together with one of `partners`. No word stands in two of them,
    since a ranking counts a word as often as it is asked."""

    alone: tuple[str, ...]
    paired: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.alone, *self.paired, *self.partners)

    def written(self, quoted: Callable[[str], str], either: str, both: str) -> str:
        """As a query of a database that writes "or" and "and" so."""
        alone, paired, partners = (either.join(map(quoted, words)) for words in (self.alone, self.paired, self.partners))
        return f"{alone}{either}(({paired}){both}({partners}))" if partners else alone


def narrowed(wanted: Sequence[str], counts: Mapping[str, int], meanings: Callable[[str], Sequence[str]]) -> Narrowed:
    """The rows to rank, by the number of rows that hold each word. The rarest word is always among those that count alone.

    `meanings` names the meanings of a word: a word and its own meaning are one thing, and stand together in every row.
    """
    known = sorted((word for word in wanted if counts[word]), key=lambda word: counts[word])
    alone = _first(known, counts, ALONE, len(known))
    paired = _first(known[len(alone) :], counts, PAIRED, MOST_PAIRED)
    own = {meaning for word in paired for meaning in meanings(word)}
    others = [word for word in known[len(alone) + len(paired) :] if word not in own and not {*meanings(word)} & {*paired}]
    partners = others[:PARTNERS]
    return Narrowed(tuple(alone), tuple(paired), tuple(partners)) if partners else Narrowed((*alone, *paired) or tuple(wanted))


def _first(words: Sequence[str], counts: Mapping[str, int], rows: int, most: int) -> list[str]:
    """The first words that leave about so many rows; the very first in any case."""
    taken: list[str] = []
    for word in words[:most]:
        rows -= counts[word]
        if taken and rows < 0:
            break
        taken.append(word)
    return taken
