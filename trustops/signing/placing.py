"""Files that reach the disk whole: written and synced under other names first, then renamed; the folder is synced behind them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def place(files: Mapping[Path, bytes]) -> None:
    """All of them, or none: what fails before the first rename leaves the old state and no file of ours behind."""
    waiting: list[tuple[str, Path]] = []
    try:
        for target, data in files.items():
            waiting.append((_written(target, data), target))
        for name, target in waiting:
            os.replace(name, target)
    finally:
        for name, _ in waiting:
            Path(name).unlink(missing_ok=True)
    for folder in {target.parent for target in files}:
        _settle(folder)


def _written(target: Path, data: bytes) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
    except OSError:  # a full disk leaves no half of a file either
        Path(name).unlink(missing_ok=True)
        raise
    return name


def _settle(folder: Path) -> None:
    """Make the renames durable where the system lets a folder be synced."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
