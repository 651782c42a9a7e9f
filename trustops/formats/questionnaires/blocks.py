"""Questions without a header row: found by the drop-down beside them, by labelled answer rows, or by a bare column of questions."""

from __future__ import annotations

from dataclasses import dataclass

from trustops.formats.questionnaires.grid import Grid
from trustops.formats.questionnaires.listing import Listing


@dataclass(slots=True)
class Blocks(Listing):
    """A listing; `unsure` where something looked like questions but not clearly enough."""

    unsure: bool = False


def read(grid: Grid, *, alone: bool) -> Blocks:
    """The questions of a sheet without a header row. `alone` says that no other sheet has a list, which lowers the bar."""
    return Blocks()
