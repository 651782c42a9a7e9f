"""Harm: an answer leaves although one of its preconditions fails."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest

from trustops.domain.approval import ApprovalStatus, Validity
from trustops.domain.export import Bound, ClearedAnswer, ExportGate, GateInput, clear, gate
from trustops.testing.gate_table import LEAVES, SPACE, may_leave, rows

TYPED = {
    "approval": {status.value: status for status in ApprovalStatus},
    "readings": {bound.value: bound for bound in Bound},
    "validity": {validity.value: validity for validity in Validity},
}
OPEN_ROW = {
    "decision": "PASS",
    "review": "COMPLETED",
    "affirmative": True,
    "blocking_finding": False,
    "approval": "APPROVED",
    "validity": "IN_FORCE",
    "approver_may": True,
    "second_person": True,
    "second_person_needed": True,
    "identity_enough": True,
    "readings": "EQUAL",
    "passages_held": True,
    "confirmed": True,
    "gate_version_equal": True,
    "mock_in_live": False,
    "inconsistent": False,
}


def seen(row: dict[str, object]) -> GateInput:
    return GateInput(**vars_of(row))


def test_the_table_names_every_fact_the_gate_sees() -> None:
    assert set(SPACE) == {field.name for field in fields(GateInput)}


def test_the_gate_agrees_with_the_table_on_the_whole_input_space() -> None:
    assert list(SPACE) == [field.name for field in fields(GateInput)]
    seen = 0
    for values, leaves in rows():
        seen += 1
        if (gate(GateInput(*values)).state == "OPEN") is not leaves:  # type: ignore[arg-type]
            pytest.fail(f"the gate and the table disagree on {dict(zip(SPACE, values, strict=True))}")
    assert seen == math.prod(len(values) for values in SPACE.values()) > 1_800_000


@pytest.mark.parametrize("fact", sorted(LEAVES))
@pytest.mark.parametrize("value", [None, "", "YES", "junk", (), float("nan")], ids=repr)
def test_a_value_that_nobody_knows_shuts_the_gate(fact: str, value: object) -> None:
    assert not may_leave(OPEN_ROW | {fact: value})
    assert gate(GateInput(**{**vars_of(OPEN_ROW), fact: value})).state == "BLOCKED"


def vars_of(row: dict[str, object]) -> dict[str, Any]:
    return {name: TYPED[name][value] if name in TYPED else value for name, value in row.items()}  # type: ignore[index]


def test_nothing_is_open_by_default() -> None:
    assert gate(GateInput()).state == "BLOCKED"


@pytest.mark.parametrize("fact", sorted(LEAVES))
def test_each_fact_alone_shuts_the_gate_and_is_named(fact: str) -> None:
    for value in SPACE[fact]:
        if value in LEAVES[fact]:
            continue
        result = gate(seen(OPEN_ROW | {fact: value}))
        assert result.state == "BLOCKED"
        assert len(result.reasons) == 1


def test_a_closed_gate_hands_out_no_answer() -> None:
    given = {"question": "Q", "version": 1, "digest": "d", "cells": (), "attachments": (), "approved_by": "Ana", "identity": "asserted"}
    assert isinstance(clear(seen(OPEN_ROW), **given), ClearedAnswer)
    refused = clear(seen(OPEN_ROW | {"blocking_finding": True}), **given)
    assert isinstance(refused, ExportGate)
    assert refused.reasons == ("BLOCKING_FINDING",)
