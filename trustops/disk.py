"""Files and renames that have reached the disk when the call returns."""

from __future__ import annotations

import os
from pathlib import Path


def store(target: Path, data: bytes) -> None:
    """Write a file and sync it, so that a rename that follows cannot make an empty file of it."""
    with target.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def settle(folder: Path) -> None:
    """Make the renames within a folder durable where the system lets a folder be synced."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
