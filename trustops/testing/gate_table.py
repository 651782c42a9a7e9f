"""The export gate, written a second time from the invariants of the product and apart from the product's code.

It says for each single fact which values let an answer leave. An answer leaves when every fact lets it.
Sources: product.md, invariants 1, 2, 4, 6, 9 and 12, and "How a decision is made".
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

SPACE: dict[str, tuple[object, ...]] = {
    "decision": (None, "PASS", "APPROVAL_REQUIRED", "BLOCK"),
    "review": (None, "COMPLETED", "FAILED"),
    "affirmative": (True, False),
    "blocking_finding": (True, False),
    "approval": ("LOCKED", "PENDING", "APPROVED", "REJECTED", "INVALIDATED"),
    "validity": ("IN_FORCE", "EXPIRED", "NOT_YET"),
    "approver_may": (True, False),
    "second_person": (True, False),
    "second_person_needed": (True, False),
    "identity_enough": (True, False),
    "readings": ("NONE", "EQUAL", "CHANGED", "NOT_FRESH", "NOT_PASS"),
    "passages_held": (True, False),
    "confirmed": (True, False),
    "gate_version_equal": (True, False),
    "mock_in_live": (True, False),
    "inconsistent": (True, False),
}

LEAVES: dict[str, frozenset[object]] = {
    "decision": frozenset({"PASS", "APPROVAL_REQUIRED"}),
    "review": frozenset({"COMPLETED"}),
    "affirmative": frozenset({True}),
    "blocking_finding": frozenset({False}),
    "approval": frozenset({"APPROVED"}),
    "validity": frozenset({"IN_FORCE"}),
    "approver_may": frozenset({True}),
    "identity_enough": frozenset({True}),
    "readings": frozenset({"NONE", "EQUAL"}),
    "passages_held": frozenset({True}),
    "confirmed": frozenset({True}),
    "gate_version_equal": frozenset({True}),
    "mock_in_live": frozenset({False}),
    "inconsistent": frozenset({False}),
}


def rows() -> Iterator[tuple[tuple[object, ...], bool]]:
    """Every combination of facts, in the order of SPACE, and whether the specification lets it leave: the whole input space."""
    allowed = [LEAVES.get(name) for name in SPACE]
    person, needed = (list(SPACE).index(name) for name in ("second_person", "second_person_needed"))
    for values in itertools.product(*SPACE.values()):
        fits = all(known is None or value in known for value, known in zip(values, allowed, strict=True))
        yield values, fits and (values[needed] is False or values[person] is True)


def may_leave(row: dict[str, object]) -> bool:
    """The specification's answer for one row."""
    if row["second_person_needed"] is not False and row["second_person"] is not True:
        return False
    return all(row[name] in allowed for name, allowed in LEAVES.items())


def near(seed: int, drawn: int) -> list[dict[str, object]]:
    """A row that leaves, every row that differs from it in one or two facts, and so many drawn from the whole space; each once."""
    good = {name: sorted(LEAVES.get(name, frozenset(SPACE[name])), key=str)[-1] for name in SPACE}
    found = [good]
    for left, right in itertools.combinations(SPACE, 2):
        found += [{**good, left: a, right: b} for a in SPACE[left] for b in SPACE[right]]
    chance = random.Random(seed)
    found += [{name: chance.choice(values) for name, values in SPACE.items()} for _ in range(drawn)]
    return list({tuple(map(str, row.values())): row for row in found}.values())
