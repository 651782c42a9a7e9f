"""What runs in the limited child for writing: original and values in, the proved file out (`confine.call`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trustops import disk
from trustops.domain.errors import Refused, UnknownName
from trustops.formats.questionnaires import carriers, headers
from trustops.formats.questionnaires.typed import Value


def write(argument: dict[str, Any]) -> dict[str, Any]:
    """`{original, target, values}`: write the answered file to `target` and prove it. Gives `{identical, changed, replaced}`.

    Raises Refused before anything is written where one value may not stand in its cell; `refusals` tells them apart beforehand.
    """
    original, target = Path(argument["original"]), Path(argument["target"])
    values = [Value(**value) for value in argument["values"]]
    carrier = carriers.open_file(original)
    disk.store(target, carrier.spliced(values))
    try:
        return {**carrier.compare(target, values), "replaced": _replaced(carrier, values)}
    except Refused:
        target.unlink(missing_ok=True)  # what cannot be proved does not stay
        raise


def compare(argument: dict[str, Any]) -> dict[str, Any]:
    """`{original, exported, cells: [[sheet, cell], ...]}` to `{identical, changed}`. Raises Refused for any other difference."""
    values = [Value(sheet, cell, "") for sheet, cell in argument["cells"]]
    return {**carriers.open_file(Path(argument["original"])).compare(Path(argument["exported"]), values), "replaced": []}


def refusals(argument: dict[str, Any]) -> list[list[str]]:
    """`{original, values}` to `[[sheet, cell, why, remedy], ...]`: each value that may not stand in its cell. Nothing is written."""
    carrier = carriers.open_file(Path(argument["original"]))
    found: list[list[str]] = []
    taken = set[object]()
    for value in (Value(**value) for value in argument["values"]):
        try:
            carrier.check(value)
            place = carrier.place(value)
            if place in taken:
                raise Refused("Another answer is for the same cell.", where=value.cell, remedy="Keep one of them.")
            taken.add(place)
        except (Refused, UnknownName) as refusal:
            found.append([value.sheet, value.cell, refusal.message, refusal.remedy])
    return found


def _replaced(carrier: carriers.Carrier, values: list[Value]) -> list[dict[str, str]]:
    """Cells in which the customer's own text gave way to an answer; a prompt such as "please select" does not count."""
    known = [(value, carrier.replaced(value)) for value in values if value.value]
    told = [(value, text) for value, text in known if text and text != value.value and not headers.is_prompt(text)]
    return [{"sheet": value.sheet, "cell": value.cell, "was": text} for value, text in told]
