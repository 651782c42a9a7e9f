"""What this process has read before, by content: a file whose bytes and name are the same says the same.

Known by the digest of all of its bytes, never by size or time: what could have changed unnoticed is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from trustops.domain.chain import sha256
from trustops.formats.evidence import intake

R = TypeVar("R")
KEPT = 500


class Memory(Generic[R]):
    """The last `KEPT` results of reading files. `worth` says whether one may be kept: what came of a limit may differ next time."""

    def __init__(self, worth: Callable[[R], bool]) -> None:
        self._worth, self._read = worth, dict[str, R]()

    def read(self, paths: Sequence[Path], fresh: Callable[[list[Path]], list[R]]) -> list[R]:
        """Results in the order of the paths; those that are not known come of one call of `fresh`."""
        before = [_content(path) for path in paths]
        known = [self._read.get(content) for content in before]
        new = [path for path, kept in zip(paths, known, strict=True) if kept is None]
        more = iter(fresh(new) if new else [])
        found = [next(more) if kept is None else kept for kept in known]
        for path, content, result in zip(paths, before, found, strict=True):
            if content and self._worth(result) and content == _content(path):  # it was these bytes that the reader saw
                self._read[content] = self._read.pop(content, result)
        while len(self._read) > KEPT:
            del self._read[next(iter(self._read))]
        return found

    def forget(self) -> None:
        """Everything is read anew from now on."""
        self._read.clear()


def _content(path: Path) -> str:
    """What reading is a function of: the bytes and the name, which some titles repeat. Empty where they cannot be read."""
    try:
        return f"{sha256(path.read_bytes())} {path.name}" if path.stat().st_size <= intake.LARGEST else ""
    except OSError:
        return ""
