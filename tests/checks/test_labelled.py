"""Harm: the rules block what is honest, so that people stop reading their findings; or a near-lie beside it leaves.

The cases were written and run before the rules were repaired for their classes (tests/data/answers/README.md has the blind figures). What
still ends otherwise than labelled is named here; a new name fails.
"""

from __future__ import annotations

import pytest

from tests.checks.labelled import Case, cases, tried

STILL_BLOCKED = {"ki04", "ki10", "ro06", "ro07", "el01", "au09", "li08", "ha09", "ha10"}
"""Honest, and blocked: a group within a group, columns named by a header alone, an adverb that no cited sentence has, two bounds of one."""
STILL_LEAVE = {"el15", "el19", "li17", "ha14"}
"""Near-lies of the declared class "the deciding word is untyped" (docs/threat-model.md): a person decides each."""
ALL = cases()


@pytest.mark.parametrize("kind", sorted({case.kind for case in ALL}))
def test_honest_answers_pass_and_near_lies_are_blocked(kind: str) -> None:
    found = [tried(case) for case in ALL if case.kind == kind]
    blocked = {one.case.id for one in found if one.case.honest and not one.left}
    leaving = {one.case.id for one in found if not one.case.honest and one.left}
    assert (blocked - STILL_BLOCKED, leaving - STILL_LEAVE) == (set(), set())
    ours = {one.case.id for one in found}
    assert (ours & STILL_BLOCKED, ours & STILL_LEAVE) == (blocked, leaving), "one that ends well now must be taken off its list"


def test_every_class_is_tried_in_both_directions_by_twenty_cases_or_more() -> None:
    by_kind: dict[str, list[Case]] = {}
    for case in ALL:
        by_kind.setdefault(case.kind, []).append(case)
    assert len({case.id for case in ALL}) == len(ALL)
    for kind, found in by_kind.items():
        assert len(found) >= 20, kind
        assert sum(case.honest for case in found) >= 10, kind
        assert sum(not case.honest for case in found) >= 10, kind
