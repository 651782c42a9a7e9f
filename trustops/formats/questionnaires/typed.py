"""A value as the content of a cell: typed strings, never formulas; numbers and dates as numbers where the cell shows them so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from trustops.domain.errors import Refused
from trustops.formats.questionnaires import markup
from trustops.formats.questionnaires.styles import Style

LONGEST = 32_767


@dataclass(frozen=True, slots=True)
class Value:
    """A value for one cell, as it comes through the pipe (`domain.question.CellValue`)."""

    sheet: str
    cell: str
    value: str
    kind: str = "text"


def content(value: Value, style: Style, prefix: str, *, since_1904: bool = False) -> tuple[str, str]:
    """(`t` attribute, inner XML) of the cell; empty where nothing is to stand in it. Raises Refused for no number or no date."""
    if not value.value:
        return "", ""
    if value.kind == "number":
        return "", f"<{prefix}v>{number(value)}</{prefix}v>"
    if value.kind == "date":
        serial = serial_of(value, since_1904=since_1904)
        if style.date and serial:
            return "", f"<{prefix}v>{serial}</{prefix}v>"
    text = markup.escape(value.value)
    return "inlineStr", f'<{prefix}is><{prefix}t xml:space="preserve">{text}</{prefix}t></{prefix}is>'


def number(value: Value) -> str:
    """The number in the form that a cell stores (18.18.11 is not used: plain decimal or exponent)."""
    try:
        parsed = Decimal(value.value.strip())
    except InvalidOperation:
        parsed = Decimal("NaN")
    if not parsed.is_finite() or abs(parsed.adjusted()) > 300:
        raise Refused(
            f"{value.value[:40]!r} is no number.",
            where=f"sheet {value.sheet!r}, cell {value.cell}",
            remedy="Give digits, such as 30 or 0.5.",
        )
    return str(parsed)


def serial_of(value: Value, *, since_1904: bool) -> str:
    """Days since the workbook's epoch (18.17.4.1). Nothing for dates before March 1900, which programs count differently."""
    try:
        moment = datetime.fromisoformat(value.value.strip())
    except ValueError:
        raise Refused(
            f"{value.value[:40]!r} is no date.", where=f"sheet {value.sheet!r}, cell {value.cell}", remedy="Give it as in 2026-05-31."
        ) from None
    if moment.date() < date(1904 if since_1904 else 1900, 3, 1):
        return ""
    delta = moment.replace(tzinfo=None) - (datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30))
    return str(delta.days) if not delta.seconds else repr(delta.days + delta.seconds / 86400)
