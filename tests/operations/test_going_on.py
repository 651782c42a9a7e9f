"""Harm: a provider that was down for minutes leaves questions blocked, and nobody knows which one command finishes the review."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT
from tests.team.tiny import WIRES, wire_client
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import UnknownName
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.resuming import go_on, without_seat
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Fault, Script

FAULTS = (Fault.HTTP_401, Fault.HTTP_429, Fault.HTTP_500, Fault.TRUNCATED, Fault.NO_JSON, Fault.REFUSAL, Fault.BAD_JSON)
SEAT = dict(zip(FAULTS, ("policy", "answer", "control", "reviewer", "commander", "answer", "policy"), strict=True))


def deaf(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


@pytest.mark.parametrize("fault", FAULTS)
def test_the_review_goes_on_and_resume_finishes_it(workspace: Path, fault: Fault) -> None:
    wire = WIRES[FAULTS.index(fault) % len(WIRES)]
    provider = FakeProvider(Script({SEAT[fault]: [fault]}))
    client = wire_client(wire, provider)
    client.profile = "careful"
    office = assembly.office(workspace, entry=EntryPoint.EVALUATION, durable=True)
    office = replace(office, client=client)
    review = take_in(office, workspace / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=deaf), deaf))
    records = office.ledger.latest_records(review.id)
    assert len(records) == 4, "one seat's failure must not take the review with it"
    assert without_seat(office, review) == list(records)
    said = [finding.summary for record in records.values() for finding in record.result.findings if "UNAVAILABLE" in finding.code.value]
    assert all(f"The {SEAT[fault]} seat gave no usable result" in each for each in said[:1])
    if fault in (Fault.HTTP_401, Fault.HTTP_429, Fault.HTTP_500, Fault.NO_JSON):
        assert any("profile careful" in each for each in said), said
    assert {record.result.decision.value for record in records.values()} == {"BLOCK"}
    provider.script = Script()
    asyncio.run(run_review(office, go_on(office, None, deaf), deaf))
    assert without_seat(office, review) == []
    assert {record.attempt for record in office.ledger.latest_records(review.id).values()} == {2}
    with pytest.raises(UnknownName):
        go_on(office, None, deaf)
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
