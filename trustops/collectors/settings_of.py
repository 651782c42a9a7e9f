"""Which settings each collector takes in controls.yaml: the ones it needs, and the ones it may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

NEEDED: Mapping[str, tuple[str, ...]] = {
    "file": ("path",),
    "mock": (),
    "http": ("url", "values"),
    "sql": ("query",),
    "ocsf": ("path", "check"),
    "command": ("run",),
}
OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "file": (),
    "mock": ("path", "reading"),
    "http": ("items", "next", "cursor", "token_env", "scheme", "header", "ca", "timeout"),
    "sql": ("path", "dsn_env", "timeout"),
    "ocsf": (),
    "command": ("values", "env", "timeout"),
}


def missing(collector: str, given: Iterable[str]) -> list[str]:
    """The settings without which the collector reads nothing."""
    return [key for key in NEEDED[collector] if key not in set(given)]


def unknown(collector: str, given: Iterable[str]) -> list[str]:
    """The settings that the collector does not have."""
    return [key for key in given if key not in (*NEEDED[collector], *OPTIONAL[collector])]
