"""Where a collector stands: the workspace, what its organisation permits, and what it may take from the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile, UsageError

OWN_SECRETS = frozenset({"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TRUSTOPS_KEY_PASSPHRASE"})
"""Variables that no source may be sent: they open the models and the signing key."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class Permits:
    """[collectors] of trustops.toml. Shut by default: no host is reached, and no program runs."""

    hosts: tuple[str, ...] = ()
    command: bool = False
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Ground:
    """What a collector is given beside the control. `now` is the present: when a live source is asked."""

    workspace: Path
    permits: Permits = field(default_factory=Permits)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def secret(self, variable: str, where: str) -> str:
        """The value of a variable of the environment. It is handed on, and never stored or shown. Raises UsageError where it is not set."""
        if not _VARIABLE.fullmatch(variable) or variable.upper() in OWN_SECRETS:
            raise MalformedFile(
                f"{variable!r} is no variable that a source may be sent.",
                where=where,
                remedy="Name a variable of the source's own, not a value and not a key of TrustOps.",
            )
        value = self.permits.environment.get(variable, "")
        if not value:
            raise UsageError(
                f"the variable {variable} is not set", where=where, remedy="Set it in the environment of TrustOps; it belongs in no file."
            )
        return value


def place(control: Control, source: ControlSource, key: str = "") -> str:
    """The place of a source, or of one of its keys, in the control catalogue."""
    return f"controls.yaml, control {control.id}, " + (f"key source.{key}" if key else f"source {source.collector}")


def whole(control: Control, source: ControlSource, key: str, default: int, largest: int) -> int:
    """A setting that is a whole number from 1 to `largest`."""
    written = source.settings.get(key, str(default))
    if not re.fullmatch(r"\d{1,9}", written) or not 1 <= int(written) <= largest:
        raise MalformedFile(f"{written!r} is no whole number from 1 to {largest}.", where=place(control, source, key), remedy="Correct it.")
    return int(written)
