"""How much of the long properties a run does: a sample in every `make test`, more where `.ci/run` asks for it, all in `make test-long`."""

from __future__ import annotations

import os

IN_CI = os.environ.get("TRUSTOPS_COUNTS") == "ci"
"""Set by `.ci/run`. It makes runs longer, and no test any easier."""


def drawn(sample: int, in_ci: int) -> int:
    """How many cases this run draws."""
    return in_ci if IN_CI else sample
