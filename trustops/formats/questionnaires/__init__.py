"""Questionnaires in, answered questionnaires out: read, write, compare (the port `QuestionnaireFormat`).

All work on a file runs in a limited child process (`trustops.confine`), since customers' files are not to be trusted.
The names are loaded on first use: the child imports this package too, and starts three times as fast without pydantic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustops.formats.questionnaires.exchange import compare, propose, read, refusals, write
    from trustops.formats.questionnaires.mapping import Mapping

__all__ = ["Mapping", "compare", "propose", "read", "refusals", "write"]

HOMES = {
    "compare": "exchange",
    "propose": "exchange",
    "read": "exchange",
    "refusals": "exchange",
    "write": "exchange",
    "Mapping": "mapping",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
