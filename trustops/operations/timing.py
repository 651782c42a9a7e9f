"""Timing: the present, where it can be believed."""

from __future__ import annotations

from datetime import datetime

from trustops.domain.approval import CLOCK_TOLERANCE
from trustops.domain.errors import Refused
from trustops.operations.office import Office


def present(office: Office) -> datetime:
    """The present, in UTC; raises Refused where it lies before the newest record of the audit chain: what people decide has an order,
    and a clock that went back would put this decision before one that it follows."""
    now, newest = office.clock.now(), office.ledger.latest_audit()
    if newest is not None and now + CLOCK_TOLERANCE < datetime.fromisoformat(newest.at):
        raise Refused(
            f"this machine's clock shows {now:%Y-%m-%d %H:%M} UTC, and the newest decision on record is of {newest.at[:16]}",
            where=office.organisation,
            remedy="Set the clock right, then try again; nothing was written.",
        )
    return now
