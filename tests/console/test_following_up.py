"""Harm: what a customer asks back over HTTP is answered past the gate, twice, about another answer, or by somebody who may not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.conftest import House, _close, _open
from tests.console.test_contract import bearer, door, held
from trustops.console.app import make_app
from trustops.domain import credential
from trustops.domain.authenticity import SEATS, EntryPoint, ExecutionMode, Origin
from trustops.operations.approving import approve
from trustops.operations.asking import LONGEST, conversation_report
from trustops.operations.books import mode_of, open_books
from trustops.operations.reporting import report
from trustops.ports import ModelClient, ModelReply, ModelRequest

WORDS = {"text": "Are audit logs kept for 400 days?"}


@pytest.fixture
def kestrel(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(credential, "N", 2**4)
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))  # before the office is opened: it keeps the place
    shutil.copytree(reviewed, tmp_path / "kestrel")
    made = _open(tmp_path / "kestrel")
    yield made
    _close(made)


@pytest.fixture
def client(kestrel: House) -> Iterator[TestClient]:
    with TestClient(make_app(kestrel.office), base_url="http://127.0.0.1:8700", raise_server_exceptions=False) as made:
        made.headers.update(bearer(kestrel, "Bo"))
        yield made


def where(house: House, ref: str = "K-2") -> str:
    return f"/v1/reviews/{house.review.id}/questions/{ref}"


def tag(client: TestClient, address: str) -> dict[str, str]:
    return {"If-Match": client.get(address).headers["etag"]}


def asked(client: TestClient, address: str, text: str = WORDS["text"], **headers: str) -> dict[str, Any]:
    """A follow-up that was worked to its end; what the service told of it."""
    made = client.post(f"{address}/follow-ups", json={"text": text}, headers={**tag(client, address), **headers})
    told: dict[str, Any] = held(made, door("POST", f"{address}/follow-ups"))
    assert made.status_code == 202, told
    assert "event: run_finished" in client.get(told["events"]).text
    return told


def state(house: House) -> Any:
    """What a refused follow-up must leave as it was."""
    ledger = house.office.ledger
    runs = [(review.id, [run.id for run in ledger.runs(review.id)]) for review in ledger.reviews()]
    return runs, ledger.follow_ups(house.review.id), ledger.exports(house.review.id)


def test_a_follow_up_is_worked_by_the_same_seats_and_waits_at_the_same_gate(kestrel: House, client: TestClient) -> None:
    before = report(kestrel.office, kestrel.review)["questions"]
    made = asked(client, where(kestrel))
    assert (made["question"], made["follows"]) == ("K-2+1", {"review": kestrel.review.id, "question": "K-2", "number": 1})
    case = f"/v1/reviews/{made['review']}/questions/K-2%2B1"
    told = client.get(case).json()
    assert {call["seat"] for call in told["model_calls"]} == set(SEATS)
    assert len({call["id"] for call in told["model_calls"]}) == 5
    assert "FOLLOW_UP" in {finding["code"] for finding in told["findings"]}
    assert (told["decision"], told["export_gate"]) == ("APPROVAL_REQUIRED", {"state": "BLOCKED", "reasons": ["NOT_APPROVED"]})
    assert report(kestrel.office, kestrel.review)["questions"] == before
    sent = client.post(f"/v1/reviews/{made['review']}/exports", json={"to": "Harborview"})
    assert sent.status_code == 409
    assert kestrel.office.ledger.exports(made["review"]) == ()


def test_an_approved_follow_up_leaves_with_its_own_case_and_is_then_part_of_what_was_said(kestrel: House, client: TestClient) -> None:
    kestrel.office.signer.create()
    made = asked(client, where(kestrel))
    case = f"/v1/reviews/{made['review']}/questions/K-2%2B1"
    given = client.post(f"{case}/approval", headers={**tag(client, case), **bearer(kestrel, "Ana")})
    assert given.status_code == 200
    sent = client.post(f"/v1/reviews/{made['review']}/exports", json={"to": "Harborview"})
    assert (sent.status_code, sent.json()["exported"]) == (201, ["K-2+1"])
    (row,) = client.get(f"{where(kestrel)}/follow-ups").json()["follow_ups"]
    assert (row["status"], row["cleared"], row["text"]) == ("EXPORTED", True, client.get(case).json()["answer_text"])
    assert kestrel.office.ledger.exports(kestrel.review.id) == ()
    second = asked(client, where(kestrel), "Is full-disk encryption switched on for every company laptop?")
    told = client.get(f"{where(kestrel)}/follow-ups").json()["follow_ups"][1]
    assert (told["ref"], [turn["answered"] for turn in told["conversation"]]) == (second["question"], ["", row["text"]])


def test_the_conversation_is_told_as_the_command_line_tells_it_and_unsent_words_are_not_in_it(kestrel: House, client: TestClient) -> None:
    first = asked(client, where(kestrel))
    second = asked(
        client, f"/v1/reviews/{first['review']}/questions/K-2%2B1", "Is full-disk encryption switched on for every company laptop?"
    )
    assert second["question"] == "K-2+2"
    told = client.get(f"{where(kestrel)}/follow-ups")
    body = held(told, door("GET", f"{where(kestrel)}/follow-ups"))
    assert body == conversation_report(kestrel.office, kestrel.review, "K-2")
    assert [(row["ref"], row["cleared"], row["text"]) for row in body["follow_ups"]] == [("K-2+1", False, None), ("K-2+2", False, None)]
    assert [turn["answered"] for turn in body["follow_ups"][1]["conversation"]] == ["", ""]
    assert client.get(f"/v1/reviews/{second['review']}/questions/K-2%2B2/follow-ups").json() == body
    assert client.get(f"{where(kestrel, 'K-1')}/follow-ups").json()["follow_ups"] == []


def test_the_same_request_again_asks_once_and_the_same_words_are_the_same_case(kestrel: House, client: TestClient) -> None:
    headers = {**tag(client, where(kestrel)), "Idempotency-Key": "once"}
    first = client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers=headers)
    client.get(first.json()["events"])
    again = client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers=headers)
    assert (again.status_code, again.json(), again.headers["location"]) == (202, first.json(), first.headers["location"])
    assert len(kestrel.office.ledger.runs(first.json()["review"])) == 1
    other = client.post(f"{where(kestrel)}/follow-ups", json={"text": "And for how long?"}, headers=headers)
    assert other.status_code == 422
    anew = asked(client, where(kestrel))
    assert (anew["review"], anew["run"]) == (first.json()["review"], f"{first.json()['review']}.2")
    assert len(kestrel.office.ledger.follow_ups(kestrel.review.id)) == 1


BAD: list[tuple[str, Any, dict[str, str], int]] = [
    ("no answer is named", WORDS, {}, 428),
    ("another answer is named", WORDS, {"If-Match": f'"{"0" * 64}"'}, 412),
    ("none is named where there is one", WORDS, {"If-Match": '"none"'}, 412),
    ("nothing is asked", {"text": " \n "}, {"If-Match": "own"}, 422),
    ("nothing but marks", {"text": "???"}, {"If-Match": "own"}, 422),
    ("no text", {}, {"If-Match": "own"}, 422),
    ("a field nobody knows", {**WORDS, "approve": True}, {"If-Match": "own"}, 422),
    ("too long", {"text": "x" * (LONGEST + 1)}, {"If-Match": "own"}, 422),
    ("characters that nobody sees", {"text": "Are logs kept\u200b?"}, {"If-Match": "own"}, 422),
]


@pytest.mark.parametrize(("body", "headers", "status"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_is_no_question_or_about_another_answer_is_refused_and_nothing_is_taken_in(
    kestrel: House, client: TestClient, body: Any, headers: dict[str, str], status: int
) -> None:
    before = state(kestrel)
    headers = tag(client, where(kestrel)) if headers.get("If-Match") == "own" else headers
    refused = client.post(f"{where(kestrel)}/follow-ups", json=body, headers=headers)
    assert (refused.status_code, bool(refused.json()["remedy"])) == (status, True)
    held(refused, door("POST", f"{where(kestrel)}/follow-ups"))
    assert state(kestrel) == before


def test_an_answer_that_changed_since_it_was_read_is_not_asked_about(kestrel: House, client: TestClient) -> None:
    old = tag(client, where(kestrel))
    edited = client.post(f"{where(kestrel)}/versions", json={"text": "Yes. Audit logs are kept for 400 days."}, headers=old)
    assert edited.status_code == 201
    before = state(kestrel)
    assert client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers=old).status_code == 412
    assert state(kestrel) == before


def test_whoever_may_not_edit_asks_nothing(kestrel: House, client: TestClient) -> None:
    before, headers = state(kestrel), {**tag(client, where(kestrel)), **bearer(kestrel, "Cy")}
    assert client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers=headers).status_code == 403
    assert client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers={**headers, "Authorization": "Bearer x"}).status_code == 401
    assert client.get(f"{where(kestrel)}/follow-ups", headers=headers).status_code == 200
    assert state(kestrel) == before


def test_what_is_not_there_is_not_found_and_a_question_that_never_ran_is_not_followed_up(kestrel: House, client: TestClient) -> None:
    headers = tag(client, where(kestrel))
    for address in (where(kestrel, "K-9"), where(kestrel).replace(kestrel.review.id, "R-0123456789ab")):
        assert client.get(f"{address}/follow-ups").status_code == 404
        assert client.post(f"{address}/follow-ups", json=WORDS, headers=headers).status_code == 404
    up = b"ID,Question,Answer\r\nU-1,Are audit logs kept for at least one year?,\r\nU-2,Do cats bark?,\r\n"
    started = client.post("/v1/reviews", files={"file": ("u.csv", up)}, data={"only": "U-1"}).json()
    client.get(started["events"])
    before = state(kestrel)
    never = client.post(f"/v1/reviews/{started['review']}/questions/U-2/follow-ups", json=WORDS, headers={"If-Match": '"none"'})
    assert (never.status_code, "never answered" in never.json()["title"] + never.json()["detail"]) == (409, True)
    assert state(kestrel) == before


def test_a_service_that_stops_takes_no_question_in(kestrel: House, client: TestClient) -> None:
    headers, before = tag(client, where(kestrel)), state(kestrel)
    hosted = next(iter(client.app.state.organisations.values()))  # type: ignore[attr-defined]
    hosted.runs.stopping = True
    try:
        assert client.post(f"{where(kestrel)}/follow-ups", json=WORDS, headers=headers).status_code == 503
    finally:
        hosted.runs.stopping = False
    assert state(kestrel) == before


class Live:
    """A client whose replies say that a live model gave them."""

    def __init__(self, inner: ModelClient, origin: Origin) -> None:
        self.inner, self.origin = inner, origin

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        return (await self.inner.complete(request)).model_copy(update={"origin": self.origin})


@pytest.mark.parametrize(
    ("origin", "entry", "mode"),
    [
        (Origin.LIVE, EntryPoint.PRODUCT, ExecutionMode.LIVE_AI),
        (Origin.LIVE, EntryPoint.EVALUATION, ExecutionMode.TEST),
        (Origin.SCRIPTED, EntryPoint.PRODUCT, ExecutionMode.TEST),
    ],
)
def test_the_mode_is_derived_from_who_served_and_where_it_came_in(
    kestrel: House, origin: Origin, entry: EntryPoint, mode: ExecutionMode
) -> None:
    """What the API takes in is live where a live model served all five seats, and by no other way."""
    house = kestrel.with_office(client=Live(kestrel.office.client, origin), entry=entry)
    with TestClient(make_app(house.office), base_url="http://127.0.0.1:8700") as client:
        client.headers.update(bearer(kestrel, "Bo"))
        made = asked(client, where(kestrel))
    case = house.office.ledger.get_review(made["review"])
    assert case is not None
    books = open_books(house.office, case)
    assert mode_of(books, books.records["K-2+1"]) is mode


def test_one_question_is_told_as_the_whole_review_tells_it(kestrel: House, client: TestClient) -> None:
    """Harm: read by itself an answer may leave that the review holds back, or the other way round."""
    office, review = kestrel.office, kestrel.review
    approve(office, review, "K-1", 1, by="Ana")
    body = {"text": "The data of one customer is not separated from that of another customer by row-level security."}
    assert client.post(f"{where(kestrel)}/versions", json=body, headers=tag(client, where(kestrel))).status_code == 201
    asked(client, where(kestrel))
    whole = {entry["ref"]: entry for entry in report(office, review)["questions"]}
    assert any("INCONSISTENT_ANSWERS" in entry["export_gate"]["reasons"] for entry in whole.values()), "two answers clash here"
    assert {ref: client.get(where(kestrel, ref)).json() for ref in whole} == whole
