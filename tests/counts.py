"""How much of the long properties a run does: a sample in every `make test`, more where `.ci/run` asks for it, all in `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import pytest

F = TypeVar("F", bound=Callable[..., object])
IN_CI = os.environ.get("TRUSTOPS_COUNTS") == "ci"
"""Set by `.ci/run`. It makes runs longer, and no test any easier."""


def drawn(sample: int, in_ci: int) -> int:
    """How many cases this run draws."""
    return in_ci if IN_CI else sample


def sampled(cases: Iterable[Any], sample: Collection[Any], *, in_ci: Collection[Any] | None = None) -> list[Any]:
    """All cases of a table: the sample in every run, those of `in_ci` (all of them where nothing is said) in CI too, the rest in the long
    run alone."""
    found = list(cases)
    chosen = [*sample, *(found if in_ci is None else in_ci)] if IN_CI else list(sample)
    return [pytest.param(case, marks=() if case in chosen else pytest.mark.long) for case in found]


def beyond_a_desk(test: F) -> F:
    """A test that takes long for what it is: in CI and in the long run."""
    return test if IN_CI else pytest.mark.long(test)
