"""From what a source sent to exact values: JSON read strictly, and a JMESPath expression of the catalogue over it.

What a source sends is text of strangers. It becomes values or nothing; no part of it stands in a message.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NoReturn

from trustops.collectors.reading import Reading, once, values_of
from trustops.domain.chain import canonical, sha256
from trustops.domain.control import Control, Exact
from trustops.domain.errors import MalformedFile

LONGEST_TEXT = 1000
"""Characters of one value: a longer text is no measurement."""


def document(raw: bytes, where: str) -> Any:
    """The JSON of a response. Raises MalformedFile for anything else, a key that stands twice, and NaN."""
    try:
        return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=lambda pairs: once(pairs, where), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise MalformedFile("what it gave is not JSON", where=where, remedy="Ask it by hand and look what it says.") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def searched(expression: str, data: Any, where: str) -> Any:
    """What an expression finds. Raises MalformedFile where it is no JMESPath, or does not fit what was sent."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, RecursionError) as bad:
        raise MalformedFile(
            f"this is no JMESPath ({' '.join(str(bad).split())[:160]})", where=where, remedy="Correct the expression."
        ) from None
    try:
        return compiled.search(data)
    except (JMESPathError, TypeError, ValueError, RecursionError, ArithmeticError):
        raise MalformedFile(
            "the expression does not fit what the source sent", where=where, remedy="Ask the source by hand and correct the expression."
        ) from None


def exact_values(found: Any, where: str) -> dict[str, Exact]:
    """The values of a reading: whole numbers, flags and short texts by name; a float or nothing is refused."""
    values = values_of(found, where)
    for name, value in values.items():
        if isinstance(value, str) and (len(value) > LONGEST_TEXT or not value.isprintable()):
            raise MalformedFile(
                f"the value {name!r} is no text of one line and at most {LONGEST_TEXT} characters", where=where, remedy="Select less."
            )
    return values


def live(control: Control, values: dict[str, Exact], at: datetime, raw: bytes) -> Reading:
    """A reading of a source that was asked at this instant. Asked again, it is another reading, even where it says the same."""
    said = {"control": control.id, "observed_at": at.isoformat(), "values": dict(values), "response": sha256(raw)}
    return Reading(at, values, canonical(said))
