"""The secret of the store's seals: random, in a file of its owner alone. Implements ports.Seal."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from trustops.domain.errors import UsageError

LENGTH = 64
"""Hexadecimal digits."""


class SealFile:
    """One file. Whoever may read it can forge seals; it is no signature that others could check."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self) -> str:
        """The secret, drawn when it is first asked for. Raises UsageError where the file is damaged or others may read it."""
        try:
            if not self.path.exists():
                self._draw()
            found = self.path.read_text(encoding="ascii").strip()
            loose = os.name == "posix" and self.path.stat().st_mode & 0o077
        except (OSError, UnicodeDecodeError) as bad:
            raise UsageError(f"the secret of the scores cannot be read ({bad})", where=self.path.name, remedy="Restore it.") from bad
        if loose:
            raise UsageError("others may read the secret of the scores", where=self.path.name, remedy=f"`chmod 600 {self.path}`.")
        if len(found) != LENGTH:
            raise UsageError(
                "the secret of the scores is damaged",
                where=self.path.name,
                remedy="Restore it from a backup: without it no evaluation on record counts.",
            )
        return found

    def _draw(self) -> None:
        """Two processes may draw at once: the one whose file is linked first wins, and nobody reads half a secret."""
        part = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.part")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(LENGTH // 2) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(part, self.path)
        except FileExistsError:
            pass
        finally:
            part.unlink()
