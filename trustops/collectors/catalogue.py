"""The control catalogue, controls.yaml: what is measured, what it must be, how old a reading may get, and where it comes from."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import yaml

from trustops.collectors.nodes import Place, compose, exact, exacts, mapping, text, texts
from trustops.collectors.settings_of import NEEDED, OPTIONAL, missing, unknown
from trustops.domain.control import Control, ControlSource, Expectation, Measure, Risk

KEYS = ("id", "title", "topics", "frameworks", "scope", "measure", "expect", "max_age", "risk", "source", "owner")
_NEEDED = ("id", "title", "topics", "measure", "expect", "max_age", "risk")
MEASURES = ("ratio", "value", "flag", "version")
EXPECTATIONS = ("equals", "at_least", "at_most", "one_of")
KNOWN_COLLECTORS: tuple[str, ...] = get_args(ControlSource.model_fields["collector"].annotation)
_IDENTITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_AGE = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def load_controls(path: Path) -> tuple[Control, ...]:
    """The controls of a catalogue in file order; none where the file is missing or empty, for a catalogue is optional.

    Raises MalformedFile naming file, control, key and line for an unknown key or collector, a missing key, an empty or double
    measure or expectation, a float, a wrong duration, or an id that stands twice.
    """
    if not path.is_file():
        return ()
    root = compose(path.read_text(encoding="utf-8-sig"), path.name)
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise Place(path.name).wrong(root, "The catalogue must be a list of controls.", "Begin every control with '- id: ...'.")
    found: dict[str, Control] = {}
    for node in root.value:
        control = _control(node, Place(path.name))
        if control.id in found:
            raise Place(path.name, control.id).wrong(node, "The id stands twice.", "Give every control its own id.")
        found[control.id] = control
    return tuple(found.values())


def _control(node: yaml.Node, place: Place) -> Control:
    name = _identity(node, place)
    place = Place(place.file, name)
    values = mapping(node, place, KEYS)
    missing = [key for key in _NEEDED if key not in values]
    if missing:
        raise place.wrong(node, f"Without {', '.join(missing)} nothing can be measured.", "Add what is missing.")
    readers: dict[str, Any] = {
        "topics": texts,
        "frameworks": texts,
        "measure": _measure,
        "expect": _expectation,
        "max_age": _age,
        "risk": _risk,
        "source": _source,
    }
    return Control(**{key: readers.get(key, text)(value, place.at(key)) for key, value in values.items()})


def _identity(node: yaml.Node, place: Place) -> str:
    """The id first, so that every further error can name its control."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    known = next((value for key, value in pairs if key.value == "id"), None)
    if known is None:
        raise place.wrong(node, "A control without an id.", "Begin it with '- id: ...'.")
    name = text(known, place.at("id"))
    if not _IDENTITY.fullmatch(name):
        raise place.wrong(known, f"The id {name!r} is not usable.", "Use letters, digits, '-', '_' and '.'.")
    return name


def _one(node: yaml.Node, place: Place, allowed: tuple[str, ...], noun: str) -> tuple[str, yaml.Node]:
    values = mapping(node, place, allowed)
    if len(values) != 1:
        raise place.wrong(node, f"There must be exactly one {noun}, not {len(values)}.", f"Give one of {', '.join(allowed)}.")
    return next(iter(values.items()))


def _measure(node: yaml.Node, place: Place) -> Measure:
    key, value = _one(node, place, MEASURES, "measure")
    if key != "ratio":
        return Measure(**{key: text(value, place.at(key))})
    names = texts(value, place.at(key))
    if len(names) != 2:
        raise place.at(key).wrong(value, f"A ratio has two values, not {len(names)}.", "Write it as [part, whole].")
    return Measure(ratio=(names[0], names[1]))


def _expectation(node: yaml.Node, place: Place) -> Expectation:
    key, value = _one(node, place, EXPECTATIONS, "expectation")
    if key == "one_of":
        return Expectation(one_of=exacts(value, place.at(key)))
    return Expectation(**{key: exact(value, place.at(key))})


def _age(node: yaml.Node, place: Place) -> timedelta:
    found = _AGE.fullmatch(text(node, place))
    if not found or not int(found[1]):
        raise place.wrong(node, f"{node.value!r} is no duration.", "Write a whole number and m, h, d or w, such as 24h or 7d.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _risk(node: yaml.Node, place: Place) -> Risk:
    name = text(node, place)
    if name.upper() not in Risk.__members__:
        raise place.wrong(node, f"Unknown risk {name!r}.", "Known are low, medium and high.")
    return Risk[name.upper()]


def _source(node: yaml.Node, place: Place) -> ControlSource:
    """`collector` and `path` are ours; every other key is the collector's own setting and must be plain text."""
    keys = tuple(str(key.value) for key, _ in node.value) if isinstance(node, yaml.MappingNode) else ()
    values = mapping(node, place, keys or ("collector",))
    if "collector" not in values:
        raise place.wrong(node, "A source without a collector.", f"Known are {', '.join(KNOWN_COLLECTORS)}.")
    name = text(values.pop("collector"), place.at("collector"))
    if name not in KNOWN_COLLECTORS:
        raise place.wrong(node, f"Unknown collector {name!r}.", f"Known are {', '.join(KNOWN_COLLECTORS)}.")
    path = text(values.pop("path"), place.at("path")) if "path" in values else ""
    settings = {key: text(value, place.at(key)) for key, value in values.items()}
    _known_settings(node, place, name, [*settings, *(["path"] if path else [])])
    return ControlSource.model_validate({"collector": name, "path": path, "settings": settings})


def _known_settings(node: yaml.Node, place: Place, collector: str, given: list[str]) -> None:
    if strange := unknown(collector, given):
        known = ", ".join((*NEEDED[collector], *OPTIONAL[collector]))
        raise place.at(strange[0]).wrong(node, f"The collector {collector} has no setting {strange[0]!r}.", f"It has {known}.")
    if lacking := missing(collector, given):
        raise place.wrong(node, f"The collector {collector} reads nothing without {', '.join(lacking)}.", "Add what is missing.")
