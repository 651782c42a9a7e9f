"""Harm: a wrong key, address or model, a provider that refuses, or a reply that is none leaves a person without a sentence, takes the whole
review with it, or needs more than one command to be put right."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import AT
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import UsageError
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.resuming import go_on, without_seat
from trustops.testing.provider import FakeProvider, serve
from trustops.testing.scripts import Answer, Asked, Fault, Script, minimal

GERMAN = "Ja. Die Protokolle werden 400 Tage aufbewahrt, und alle Notebooks sind verschlüsselt."
CLOSED = "http://127.0.0.1:9/v1"
"""The discard port: nobody listens."""


@dataclass(frozen=True)
class Wrong:
    """One way to be wrong. `says` must all stand in the finding; `headers`, `problem` and `code` are the provider's; `calls` is what one
    logical call costs on the wire, with two attempts."""

    says: tuple[str, ...]
    answer: Answer | None = None
    seat: str = "policy"
    headers: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    code: str = ""
    url: str = ""
    calls: int = 1


WRONG = {
    "wrong base_url: nobody there": Wrong(("cannot be reached", "Is the base_url right"), url=CLOSED, seat="commander", calls=0),
    "wrong base_url: another page": Wrong(("HTTP 404", "end where the API begins"), url="/elsewhere", seat="commander", calls=0),
    "unknown model": Wrong(
        ("HTTP 404", "model `ours` does not exist", "Is the model's name right"),
        Fault.HTTP_404,
        problem="The model `ours` does not exist",
        code="model_not_found",
    ),
    "401": Wrong(("HTTP 401", "the key was refused", "Check the key"), Fault.HTTP_401),
    "404": Wrong(("HTTP 404",), Fault.HTTP_404, seat="answer"),
    "429 for minutes": Wrong(
        ("HTTP 429", "asks to wait 300 s", "`trustops resume`"), Fault.HTTP_429, headers={"retry-after": "300"}, seat="control"
    ),
    "429 again and again": Wrong(("HTTP 429", "after 2 attempts"), Fault.HTTP_429, seat="reviewer", calls=2),
    "quota": Wrong(
        ("HTTP 429", "no credit left"), Fault.HTTP_429, problem="You exceeded your current quota", code="insufficient_quota", seat="answer"
    ),
    "context too long": Wrong(
        ("HTTP 400", "choose a model that reads more"),
        Fault.HTTP_400,
        problem="This model's maximum context length is 4096 tokens",
        code="context_length_exceeded",
        seat="answer",
    ),
    "request too large": Wrong(("HTTP 413", "choose a model that reads more"), Fault.HTTP_413, seat="reviewer"),
    "prose in another language": Wrong(("invalid", "profile careful (openai ours)"), GERMAN, seat="answer", calls=2),
    "a reply without end": Wrong(("longer than 8 MB", "look at what stands behind"), "x" * (9 << 20), seat="commander"),
    "a huge reply": Wrong(("1200000 characters, more than 1000000",), "y" * 1_200_000, seat="reviewer"),
    "an empty reply": Wrong(("empty", "profile careful", "no text"), Fault.EMPTY_REPLY, seat="control"),
    "a reply that was cut": Wrong(("truncated", "raise max_tokens of the profile"), Fault.TRUNCATED, seat="answer"),
}


EVERY_RUN = frozenset(
    {"wrong base_url: nobody there", "unknown model", "401", "429 for minutes", "quota", "context too long", "prose in another language",
     "a reply without end"}
)  # fmt: skip
ROWS = [name if name in EVERY_RUN else pytest.param(name, marks=pytest.mark.long) for name in WRONG]


@contextmanager
def opened(workspace: Path) -> Iterator[Office]:
    office = assembly.office(workspace, entry=EntryPoint.EVALUATION)
    try:
        yield office
    finally:
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def configure(workspace: Path, url: str, **profile: str) -> None:
    """The one model profile of the workspace, with two attempts and short waits."""
    path = workspace / "trustops.toml"
    house = path.read_text(encoding="utf-8").split("[models]")[0]
    told = {"provider": '"openai"', "api": '"chat"', "model": '"ours"', "base_url": f'"{url}"', "attempts": "2", "longest_wait_s": "0"}
    lines = "\n".join(f"{key} = {value}" for key, value in {**told, **profile}.items() if value)
    path.write_text(f'{house}[models]\ndefault = "careful"\n\n[models.profiles.careful]\n{lines}\n', encoding="utf-8")


@pytest.fixture
def two(workspace: Path) -> Path:
    """Two questions: one meets what is wrong, the other does not."""
    with (workspace / "questionnaire.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [("K-2", "Are audit logs kept for at least one year?", ""), ("K-4", "Do you offer source code escrow?", "")]
        csv.writer(file).writerows([("ID", "Question", "Answer"), *rows])
    return workspace


def hits(wrong: Wrong, asked: Asked) -> bool:
    return wrong.answer is not None and asked.seat == wrong.seat and "Are audit logs kept for at least one year?" in asked.user


@pytest.mark.parametrize("name", ROWS)
def test_what_is_wrong_is_a_sentence_that_names_profile_and_seat_and_resume_finishes(two: Path, name: str) -> None:
    wrong, provider = WRONG[name], FakeProvider()
    provider.problem, provider.code = wrong.problem, wrong.code

    def answer(asked: Asked) -> Answer:
        struck = hits(wrong, asked)
        provider.headers = wrong.headers if struck else {}
        return wrong.answer if struck and wrong.answer is not None else minimal(asked)

    provider.script = Script(otherwise=answer)
    with serve(provider) as base:
        configure(two, wrong.url if wrong.url.startswith("http") else f"{base}{wrong.url or '/v1'}")
        with opened(two) as office:
            review = take_in(office, two / "questionnaire.csv")
            prepared = prepare(office, review, as_of=AT, watch=lambda *_: None)
            asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
            records = office.ledger.latest_records(review.id)
            assert set(records) == {"K-2", "K-4"}, "the review must go on"
            struck = {"K-2"} if wrong.answer is not None else {"K-2", "K-4"}
            assert set(without_seat(office, review)) == struck
            for ref in struck:
                said = [f.summary for f in records[ref].result.findings if "UNAVAILABLE" in f.code.value and wrong.seat in f.exhibits]
                assert said, records[ref].result.findings
                assert said[0].startswith(f"The {wrong.seat} seat gave no usable result")
                assert [part for part in ("profile careful", *wrong.says) if part not in said[0]] == [], said[0]
                assert "sk-" not in said[0]
                assert (records[ref].result.decision.value, records[ref].result.source.value) == ("BLOCK", "SYSTEM_FAIL_CLOSED")
            if wrong.answer is not None:
                assert sum(hits(wrong, asked) for asked in provider.asked) == wrong.calls
            assert office.ledger.runs(review.id)[-1].state == "FINISHED"
        provider.script, provider.headers = Script(), {}
        configure(two, f"{base}/v1")
        with opened(two) as office:  # `trustops resume`
            asyncio.run(alone(office, run_review(office, go_on(office, None, lambda *_: None), lambda *_: None)))
            assert without_seat(office, review) == []
            attempts = {ref: record.attempt for ref, record in office.ledger.latest_records(review.id).items()}
            assert attempts == {ref: 2 if ref in struck else 1 for ref in ("K-2", "K-4")}


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ({"base_url": ""}, "profile careful: OPENAI_API_KEY is not set. Set it, or choose another profile under [models]."),
        ({"base_url": "", "provider": '"anthropic"', "api": ""}, "profile careful: ANTHROPIC_API_KEY is not set."),
        ({"model": ""}, "profile careful: the model profile names no model."),
    ],
)
def test_a_missing_key_or_name_is_told_before_anything_is_sent(two: Path, profile: dict[str, str], said: str) -> None:
    configure(two, CLOSED, **profile)
    with pytest.raises(UsageError) as refused, nullcontext():
        assembly.office(two)
    assert said in str(refused.value)
    assert not list((two / ".trustops").glob("*.db")), "the books were opened for a run that cannot be"


def test_a_draft_in_another_language_is_blocked_by_rules(two: Path) -> None:
    """The shape fits, so the seat counts; what it says is not what the documents say, in words that nobody set beside theirs."""
    draft = {"determinations": ["YES"], "text": GERMAN, "pivot": "", "parts": [], "attachments": [], "claims": []}
    provider = FakeProvider(Script({"answer": [draft]}))
    with serve(provider) as base:
        configure(two, f"{base}/v1")
        with opened(two) as office:
            review = take_in(office, two / "questionnaire.csv")
            prepared = prepare(office, review, as_of=AT, watch=lambda *_: None)
            asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
            for record in office.ledger.latest_records(review.id).values():
                assert (record.result.decision.value, record.result.source.value) == ("BLOCK", "RULES")
                assert "MISSING_EVIDENCE" in {finding.code.value for finding in record.result.findings}
