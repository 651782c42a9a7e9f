"""Harm: a provider, a proxy or a library says our key back, and it ends in the ledger, a recording or on the terminal."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT
from tests.team.tiny import KEY, WIRES, wire_client
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.recording import record
from trustops.testing.provider import FakeProvider
from trustops.testing.scripts import Asked, Fault, Script, minimal

CANARY = KEY.get_secret_value()
COATS = (CANARY, base64.b64encode(b"Bearer " + CANARY.encode()).decode())


def deaf(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


def chatty(asked: Asked) -> dict[str, Any] | str:
    """Says back what it was sent, wherever a reply has room for it."""
    said = " ".join(COATS)
    if asked.seat == "answer":
        return minimal(asked) | {"text": said, "determinations": ["YES"]}
    return f"no json but {said}" if asked.seat == "policy" else minimal(asked)


@pytest.mark.parametrize("fault", [None, Fault.HTTP_400, Fault.HTTP_401, Fault.HTTP_429, Fault.HTTP_500, Fault.NO_JSON, Fault.EXCEPTION])
def test_a_key_that_is_said_back_stands_nowhere(workspace: Path, fault: Fault | None, capsys: pytest.CaptureFixture[str]) -> None:
    provider = FakeProvider(Script({"reviewer": [fault]} if fault else {}, otherwise=chatty))
    provider.problem = f"your key {COATS[0]} and {COATS[1]} are wrong"
    office = assembly.office(workspace, entry=EntryPoint.EVALUATION, durable=True)
    office = replace(office, client=wire_client(WIRES[len(str(fault)) % 3], provider))
    review = take_in(office, workspace / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=deaf), deaf))
    run = office.ledger.runs(review.id)[-1]
    assert any(CANARY in str(asked.headers) for asked in provider.asked), "the canary was never at its source"
    record(office, run.id, workspace / "run.jsonl")
    spans = repr(assembly.trace(office, run))
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
    kept = {path.name: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    printed = capsys.readouterr()
    told = {**kept, "spans": spans.encode(), "terminal": (printed.out + printed.err).encode()}
    assert [name for name, data in told.items() for coat in (CANARY, COATS[1][12:-4]) if coat.encode() in data] == []
