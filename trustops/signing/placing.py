"""Files that reach the disk whole: written and synced under other names first, then renamed; the folders are synced behind them.

A process that is killed in between leaves files named `.trustops-*.part`, which nothing reads. Whoever places files into the same folder
next removes them; those of a living process are locked by it, and stay.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from trustops.disk import settle

if sys.platform != "win32":
    import fcntl

PREFIX, SUFFIX = ".trustops-", ".part"


class Waiting:
    """Files on their way: `write` puts them beside their places under other names, `place` renames them."""

    def __init__(self) -> None:
        self._files: list[tuple[int, Path, Path]] = []

    def write(self, files: Mapping[Path, bytes], mode: int = 0o644) -> None:
        """All of them, synced. What fails leaves every target as it was; raises OSError."""
        for folder in _folders(files):
            _made(folder)
            _swept(folder)
        for target, data in files.items():
            if target.is_dir():
                raise IsADirectoryError(21, "there is a folder of this name", str(target))
            handle, name = _locked(target.parent)
            self._files.append((handle, name, target))
            with os.fdopen(os.dup(handle), "wb") as stream:
                stream.write(data)
            os.fchmod(handle, mode) if hasattr(os, "fchmod") else name.chmod(mode)
            os.fsync(handle)

    def place(self) -> None:
        """Renames them in the order in which they were written, and makes that durable."""
        targets = [target for _, _, target in self._files]
        while self._files:
            handle, name, target = self._files[0]
            os.replace(name, target)
            os.close(handle)
            del self._files[0]
        for folder in _folders(targets):
            settle(folder)

    def drop(self) -> None:
        """Removes what was not placed."""
        for handle, name, _ in self._files:
            name.unlink(missing_ok=True)
            os.close(handle)
        self._files.clear()


@contextmanager
def waiting() -> Iterator[Waiting]:
    """Files that are gone at the end unless they were placed."""
    files = Waiting()
    try:
        yield files
    finally:
        files.drop()


def place(files: Mapping[Path, bytes], mode: int = 0o644) -> None:
    """All of them, or none: what fails before the first rename leaves the old state and no file of ours behind."""
    with waiting() as written:
        written.write(files, mode)
        written.place()


def _folders(targets: Mapping[Path, bytes] | list[Path]) -> list[Path]:
    return sorted({target.parent for target in targets})


def _made(folder: Path) -> None:
    """The folder, and its entry in the one above on disk."""
    if not folder.is_dir():
        _made(folder.parent)
        folder.mkdir(exist_ok=True)
        settle(folder.parent)


def _locked(folder: Path) -> tuple[int, Path]:
    """A new file that is ours: another process sees by the lock that somebody still writes it."""
    while True:
        handle, name = tempfile.mkstemp(dir=folder, prefix=PREFIX, suffix=SUFFIX)
        if sys.platform != "win32":
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink == 0:  # swept between its making and its lock
                os.close(handle)
                continue
        return handle, Path(name)


def _swept(folder: Path) -> None:
    """Removes what killed processes left. A file that cannot be opened or removed is not ours to complain about."""
    for left in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                if sys.platform != "win32":
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)
