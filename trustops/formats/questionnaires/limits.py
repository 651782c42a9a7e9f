"""What a data validation demands of a text or number, as far as its limits are stated in figures (ECMA-376 part 1, 18.18.20 and 18.18.21).

Limits that are formulas, dates and custom rules are not checked: they cannot be told without calculating.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from trustops.formats.questionnaires.sheet import Validation

WORDS = {
    "between": "from {0} to {1}", "notBetween": "anything but {0} to {1}", "equal": "{0}", "notEqual": "anything but {0}",
    "lessThan": "less than {0}", "lessThanOrEqual": "at most {0}", "greaterThan": "more than {0}", "greaterThanOrEqual": "at least {0}",
}  # fmt: skip


def breaks(known: Validation, text: str) -> bool:
    """Whether the text breaks the limits of a `textLength`, `whole` or `decimal` validation."""
    if known.type not in ("textLength", "whole", "decimal"):
        return False
    first, second = _figure(known.formula), _figure(known.second)
    size = Decimal(len(text)) if known.type == "textLength" else _figure(text)
    if first is None or (known.operator in ("between", "notBetween") and second is None):
        return False
    if size is None or (known.type == "whole" and size != size.to_integral_value()):
        return True
    return not _holds(known.operator, size, first, second if second is not None else first)


def longest(known: Validation) -> int:
    """The most characters that a `textLength` validation takes; 0 where it sets no such limit."""
    figure = _figure(known.second if known.operator == "between" else known.formula)
    if known.type != "textLength" or figure is None or known.operator not in ("between", "equal", "lessThan", "lessThanOrEqual"):
        return 0
    return max(0, int(figure) - (known.operator == "lessThan"))


def _holds(operator: str, size: Decimal, first: Decimal, second: Decimal) -> bool:
    return {
        "between": first <= size <= second, "notBetween": not first <= size <= second, "equal": size == first, "notEqual": size != first,
        "lessThan": size < first, "lessThanOrEqual": size <= first, "greaterThan": size > first, "greaterThanOrEqual": size >= first,
    }.get(operator, True)  # fmt: skip


def _figure(text: str) -> Decimal | None:
    try:
        made = Decimal(text.strip())
    except InvalidOperation:
        return None
    return made if made.is_finite() else None


def wording(known: Validation) -> str:
    """The limits as a person would say them."""
    words = WORDS.get(known.operator, "{0}").format(known.formula, known.second)
    return words + (" characters" if known.type == "textLength" else " as a whole number" if known.type == "whole" else " as a number")


def measure(known: Validation, text: str) -> str:
    """What the text has instead."""
    return f"{len(text):,} characters long" if known.type == "textLength" else repr(text[:40])
