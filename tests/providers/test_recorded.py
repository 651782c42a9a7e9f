"""Replay: the same decisions to the byte, RECORDED and never live, and a divergence that says where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.providers.asking import request
from tests.team.tiny import ENCRYPTION, MFA, Room, passage, shelf, snapshot
from trustops.domain.authenticity import EntryPoint, ExecutionMode, Origin, execution_mode
from trustops.domain.chain import canonical
from trustops.domain.errors import ProviderFailed
from trustops.domain.question import Question
from trustops.domain.record import ModelCall
from trustops.providers.recorded import RecordedClient
from trustops.testing.scripts import Answer, Fault
from trustops.workflow.machine import work
from trustops.workflow.state import Outcome

FAULTS = [
    Fault.HTTP_500,
    Fault.HTTP_400,
    Fault.HTTP_429,
    Fault.EMPTY_REPLY,
    Fault.BAD_JSON,
    Fault.WRONG_ENUM,
    Fault.REFUSAL,
    Fault.TRUNCATED,
]


def calls_of(outcome: Outcome) -> list[ModelCall]:
    return [call for turn in outcome.turns for call in turn.calls]


def concluded(outcome: Outcome) -> bytes:
    version = outcome.version.model_dump(mode="json") if outcome.version else None
    return canonical({"result": outcome.result.model_dump(mode="json"), "risk": outcome.risk.value, "version": version})


async def run(room: Room, question: Question = ENCRYPTION, **seats: Sequence[Answer]) -> Outcome:
    room.script(**seats)
    return await work(question, room.desk())


@pytest.mark.parametrize("question", [ENCRYPTION, MFA], ids=["passes", "blocks"])
async def test_a_replay_concludes_the_same_to_the_byte(tmp_path: Path, question: Question) -> None:
    room = Room(shelf(tmp_path, snapshots=[snapshot(122)]))
    first = await run(room, question)
    sent = room.provider.calls
    again = await work(question, room.desk(RecordedClient(calls_of(first))))
    assert concluded(again) == concluded(first)
    assert room.provider.calls == sent
    origins = {call.origin for call in calls_of(again)}
    assert origins == {Origin.RECORDED}
    assert execution_mode(origins, entry=EntryPoint.PRODUCT, as_of_given=False) is ExecutionMode.TEST


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seat", ["policy", "answer", "reviewer"])
async def test_a_replayed_failure_fails_again_with_the_same_words(tmp_path: Path, seat: str, fault: Fault) -> None:
    room = Room(shelf(tmp_path))
    first = await run(room, **{seat: [fault]})
    again = await work(ENCRYPTION, room.desk(RecordedClient(calls_of(first))))
    assert concluded(again) == concluded(first)


async def test_a_repaired_reply_is_replayed_as_it_was_accepted(tmp_path: Path) -> None:
    room = Room(shelf(tmp_path))
    good = {call.seat: call.reply for call in calls_of(await run(room))}
    first = await run(room, answer=[Fault.BAD_JSON, good["answer"]])
    assert concluded(await work(ENCRYPTION, room.desk(RecordedClient(calls_of(first))))) == concluded(first)


async def test_other_evidence_diverges_and_blocks(tmp_path: Path) -> None:
    first = await run(Room(shelf(tmp_path / "then")))
    now = Room(shelf(tmp_path / "now", [passage(1, "All customer data is encrypted at rest with AES-128.")]))
    again = await work(ENCRYPTION, now.desk(RecordedClient(calls_of(first))))
    assert again.result.decision.value == "BLOCK"
    assert "policy seat: it diverged here" in " ".join(finding.summary for finding in again.result.findings)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"user": "other"}, "with the recorded prompt and other material"),
        (
            {"user": "other", "prompt": "commander@2:ffffffffffff"},
            "recorded with prompt commander@1:0123456789ab and asked with commander@2",
        ),
        ({"seat": "answer"}, "where no call of this seat was recorded"),
    ],
)
async def test_a_divergence_says_where(changes: dict[str, str], why: str) -> None:
    asked = request()
    call = ModelCall(
        id="R:Q:1:commander:call",
        task="R:Q:1:commander",
        trace_id="t",
        seat="commander",
        origin=Origin.LIVE,
        provider="anthropic",
        model="m",
        prompt=asked.prompt,
        request_sha256=asked.digest,
        outcome="ok",
        reply="{}",
    )
    client = RecordedClient([call])
    assert (await client.complete(asked)).origin is Origin.RECORDED
    with pytest.raises(ProviderFailed, match=why) as failed:
        await client.complete(asked.model_copy(update=changes))
    assert failed.value.kind == "http"
