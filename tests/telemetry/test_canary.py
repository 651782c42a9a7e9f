"""Harm: a key, a source's token, a passphrase or a sign-in token is read somewhere it never belonged: logs, spans, metrics, recordings,
exceptions, events, the ledger or the screen, on any way that a call, a source or a deed can fail.

Each secret is seen at its source first, so that a test which never used it cannot pass.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from tests.cli.terminal import typed
from tests.conftest import AT
from tests.counts import sampled
from tests.providers.asking import request
from tests.telemetry.collecting import collector
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import TrustOpsError
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.recording import record
from trustops.operations.resuming import events_of
from trustops.providers.attempts import Patience
from trustops.providers.openai import OpenAIClient
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Answer, Asked, Fault, Script, minimal

KEY = "sk-canary-9Qm2vX7tLr4Kp8Zd"
SOURCE = "source-canary-5Hn1bW6yTe3Jc0Gs"
PASS = "passphrase-canary-8Fk4sR2uMo7Vq1"
FAULTS = sampled((None, *Fault), sample=(None, Fault.HTTP_401), in_ci=(Fault.TIMEOUT, Fault.BAD_JSON))


SCAN = """#!/bin/sh
printf "%s" "$SCANNER_TOKEN" > seen.txt
echo "bad token $SCANNER_TOKEN"
echo "$SCANNER_TOKEN" >&2
exit 3
"""


def coats(secret: str) -> list[bytes]:
    """The secret as it is, URL-encoded, and the middle of it in base64 at its three offsets."""
    raw = secret.encode()
    packed = [base64.b64encode(b"\0" * offset + raw)[4 + offset : -6] for offset in range(3)]
    return [raw, quote(secret, safe="").encode(), *packed]


class Listening(logging.Handler):
    """Everything that any library logs, down to the smallest word, as it would be written."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.lines: list[str] = []

    def emit(self, entry: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter("%(name)s %(message)s").format(entry))


@pytest.fixture
def logs() -> Iterator[Listening]:
    listening, root = Listening(), logging.getLogger()
    level = root.level
    root.addHandler(listening)
    root.setLevel(logging.INFO)
    yield listening
    root.setLevel(level)
    root.removeHandler(listening)


def saying_it_back(asked: Asked) -> Answer:
    """Repeats what it was sent, in every coat, wherever a reply has room for it."""
    said = " ".join(coat.decode() for coat in coats(KEY)[:2]) + " " + base64.b64encode(f"Bearer {KEY}".encode()).decode()
    if asked.seat == "answer":
        return minimal(asked) | {"text": said, "determinations": ["YES"]}
    return minimal(asked)


def found_in(told: dict[str, bytes], *secrets: str) -> list[tuple[str, str]]:
    return [(where, secret[:10]) for where, data in told.items() for secret in secrets for coat in coats(secret) if coat in data]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_the_key_of_a_model_is_nowhere_however_its_call_fails(
    workspace: Path, fault: Fault | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], logs: Listening
) -> None:
    provider = FakeProvider(Script({"reviewer": [fault]} if fault else {}, otherwise=saying_it_back))
    provider.problem = f"the key {KEY} ({base64.b64encode(KEY.encode()).decode()}) and {quote(KEY, safe='')} are wrong"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(provider) as base, collector() as (otlp, sent):
        profile = 'provider = "openai"\nmodel = "m"\nattempts = 2\nlongest_wait_s = 0.0\ntimeout_s = 0.4'
        config = workspace / "trustops.toml"
        told = f'[models]\ndefault = "careful"\n[models.profiles.careful]\n{profile}\nbase_url = "{base}/v1"\n'
        config.write_text(f'{config.read_text(encoding="utf-8")}\n{told}\n[telemetry]\nendpoint = "{otlp}/v1/traces"\n', encoding="utf-8")
        office = assembly.office(workspace, entry=EntryPoint.EVALUATION, durable=True)
        review = take_in(office, workspace / "questionnaire.csv")
        prepared = prepare(office, review, only=["K-2"], as_of=AT, watch=lambda *_: None)
        asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
        run = office.ledger.runs(review.id)[-1]
        assembly.send_trace(office, run)
        record(office, run.id, workspace / "run.jsonl")
        kept = {
            "events": repr([event.model_dump() for event in events_of(office, run)]).encode(),
            "spans": repr(assembly.trace(office, run)).encode(),
            "metrics": repr(assembly.metrics(office, assembly.trace(office, run))).encode(),
        }
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]
        for words in (["status"], ["status", "--json"], ["show", "K-2"], ["trace"], ["trace", "--json"], ["watch", run.id]):
            ended = typed(capsys, *words, "-w", workspace)
            kept[" ".join(words)] = (ended.out + ended.err).encode()
    assert any(KEY in str(asked.headers.get("authorization")) for asked in provider.asked), "the canary was never at its source"
    assert sent["/v1/traces"], "no trace was sent"
    files = {path.name: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    posted = {path: b"".join(bodies) for path, bodies in sent.items()}
    assert found_in({**kept, **files, **posted, "logs": "\n".join(logs.lines).encode()}, KEY) == []


def test_a_recording_with_a_secret_in_a_document_is_refused_and_names_the_line(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a person pasted into a policy goes where the policy goes; into a file that is handed on it does not."""
    monkeypatch.setenv("DEPLOY_TOKEN", SOURCE)
    (workspace / "evidence" / "logging.md").write_text(f"# Logging\n\nAudit logs are kept. The token is {SOURCE}.\n", encoding="utf-8")
    assert typed(capsys, "review", workspace / "questionnaire.csv", "--as-of", AT.isoformat(), "-w", workspace).code == 0
    run = typed(capsys, "status", "--json", "-w", workspace).json["run"]
    refused = typed(capsys, "record", run, "-o", workspace / "run.jsonl", "-w", workspace)
    assert refused.code == 1
    assert "line" in refused.err
    assert "would hold a key or token" in refused.err
    assert not (workspace / "run.jsonl").exists()
    assert SOURCE not in refused.out + refused.err


def test_a_program_that_prints_its_credential_leaves_it_nowhere(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], logs: Listening
) -> None:
    """A source that fails in words: the program gets its variable, and says it back on both streams."""
    monkeypatch.setenv("SCANNER_TOKEN", SOURCE)
    program = workspace / "scan.sh"
    program.write_text(SCAN, encoding="utf-8")
    program.chmod(0o755)
    catalogue = workspace / "controls.yaml"
    broken = "source: {collector: command, run: scan.sh, env: SCANNER_TOKEN, values: '@'}"
    whole = "source: {collector: file, path: snapshots/disk-encryption.json}"
    catalogue.write_text(catalogue.read_text(encoding="utf-8").replace(whole, broken), encoding="utf-8")
    config = workspace / "trustops.toml"
    config.write_text(config.read_text(encoding="utf-8") + "\n[collectors]\ncommand = true\n", encoding="utf-8")
    told = {}
    for words in (
        ["controls", "collect"],
        ["review", str(workspace / "questionnaire.csv")],
        ["show", "K-1"],
        ["status", "--json"],
        ["doctor"],
    ):
        ended = typed(capsys, *words, "-w", workspace)
        told[" ".join(words)] = (ended.out + ended.err).encode()
    seen = list(workspace.rglob("seen.txt"))
    assert [path.read_text() for path in seen] == [SOURCE], "the canary was never at its source"
    seen[0].unlink()
    files = {path.name: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    assert b"CONTROL_UNAVAILABLE" in told["show K-1"]
    assert found_in({**told, **files, "logs": "\n".join(logs.lines).encode()}, SOURCE) == []


def test_a_passphrase_and_a_sign_in_token_are_in_no_refusal(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], logs: Listening, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("TRUSTOPS_KEY_PASSPHRASE", PASS)
    assert typed(capsys, "keys", "init", "-w", workspace).code == 0
    key = next((tmp_path / "keys").rglob("*.private.pem"))
    assert b"ENCRYPTED" in key.read_bytes(), "the passphrase was never used"
    token = typed(capsys, "people", "issue", "Ana", "--by", "Dee", "-w", workspace, "--json").json["token"]
    key.write_bytes(key.read_bytes()[:-40])
    monkeypatch.setenv("TRUSTOPS_TOKEN", token[:-1] + ("a" if token[-1] != "a" else "b"))
    said, wrong = {}, token[:-1]
    for words in (
        ["keys", "rotate"],
        ["keys", "show"],
        ["approve", "K-1@1", "--by", "Ana"],
        ["doctor"],
        ["approve", "K-1@1", "--by", "Ana", "--json"],
    ):
        ended = typed(capsys, *words, "-w", workspace)
        said[" ".join(words)] = (ended.out + ended.err).encode()
    assert b"token" in said["approve K-1@1 --by Ana"].lower()
    files = {path.name: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    assert found_in({**said, **files, "logs": "\n".join(logs.lines).encode()}, PASS, wrong) == []


async def asked_once(client: OpenAIClient) -> None:
    try:
        await client.complete(request())
    finally:
        await client.close()


def test_an_exception_with_its_whole_trace_does_not_hold_the_key(monkeypatch: pytest.MonkeyPatch, workspace: Path) -> None:
    """What an error reporter would send: the words of the exception and of all its causes."""
    provider = FakeProvider(Script({"": [Fault.HTTP_401]}, otherwise=lambda asked: Fault.HTTP_401))
    provider.problem = f"the key {KEY} is wrong"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for fault in (Fault.HTTP_401, Fault.HTTP_400, Fault.HTTP_500, Fault.NO_JSON, Fault.EXCEPTION):
        provider.script = Script(otherwise=lambda asked, fault=fault: fault)  # type: ignore[misc]
        client = OpenAIClient("m", api_key=SecretStr(KEY), base_url="http://fake/v1", patience=Patience(1), transport=provider.transport())
        with pytest.raises(TrustOpsError) as failed:
            asyncio.run(asked_once(client))
        whole = "".join(traceback.format_exception(failed.value))
        assert KEY not in str(failed.value)
        assert found_in({"trace": whole.encode()}, KEY) == [], fault
    assert any(KEY in str(asked.headers) for asked in provider.asked)
