"""What the fake provider server answers: a script by seat, faults, the smallest valid reply, and an offline client behind the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trustops.domain.chain import sha256
from trustops.ports import ModelClient, ModelReply, ModelRequest

SEAT = re.compile(r"^You are (?:the )?(Commander|Policy|Control|Answer|Reviewer)\b", re.MULTILINE)


class Fault(StrEnum):
    """A way for one reply to go wrong. HTTP_* end with that status; EXCEPTION breaks the connection off in mid-reply."""

    TIMEOUT = "timeout"
    HTTP_500 = "http 500"
    HTTP_529 = "http 529"
    HTTP_429 = "http 429"
    HTTP_400 = "http 400"
    HTTP_401 = "http 401"
    HTTP_404 = "http 404"
    HTTP_413 = "http 413"
    EXCEPTION = "exception"
    NO_JSON = "no json"
    BAD_JSON = "bad_json"
    EMPTY_REPLY = "empty_reply"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    MISSING_KEY = "missing_key"
    WRONG_ENUM = "wrong_enum"

    @property
    def status(self) -> int:
        """The HTTP status of the reply: 200 for what goes wrong inside it."""
        return int(self.value.removeprefix("http ")) if self.value.startswith("http ") else 200


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the server saw it. `schema` is the reply's schema in the provider's strict form; `headers` are lower-case."""

    api: str
    seat: str
    model: str
    system: str
    user: str
    schema: dict[str, Any]
    headers: Mapping[str, str]
    body: Mapping[str, Any]


Answer = str | dict[str, Any] | Fault
"""A reply as text, as JSON, or the fault it ends in."""
Answerer = Callable[[Asked], Answer | Awaitable[Answer]]


def seat_of(told: str) -> str:
    """The seat whose task this is, by its opening words; empty where no seat is named. Material cannot name one: it stands in JSON, which
    has no line of its own."""
    found = SEAT.search(told)
    return found.group(1).lower() if found else ""


def minimal(asked: Asked) -> dict[str, Any]:
    """The smallest reply that is valid for the requested schema."""
    made = smallest(asked.schema, asked.schema)
    return made if isinstance(made, dict) else {}


class Script:
    """By seat: a list of answers, given in order and the last for ever, or a function. `otherwise` answers for all other seats.

    MISSING_KEY and WRONG_ENUM spoil what `otherwise` would have said.
    """

    def __init__(self, seats: Mapping[str, Sequence[Answer] | Answerer] | None = None, *, otherwise: Answerer = minimal) -> None:
        self._functions = {seat: told for seat, told in (seats or {}).items() if callable(told)}
        self._queues = {seat: list(told) for seat, told in (seats or {}).items() if not callable(told)}
        self._otherwise = otherwise

    async def answer(self, asked: Asked) -> Answer:
        """The next answer for this request's seat."""
        queue = self._queues.get(asked.seat)
        if queue:
            told = queue.pop(0) if len(queue) > 1 else queue[0]
        else:
            told = await _said(self._functions.get(asked.seat, self._otherwise), asked)
        if told in (Fault.MISSING_KEY, Fault.WRONG_ENUM):
            return spoiled(await _said(self._otherwise, asked), asked, Fault(told))
        return told


async def _said(function: Answerer, asked: Asked) -> Answer:
    told = function(asked)
    return await told if isinstance(told, Awaitable) else told


def spoiled(answer: Answer, asked: Asked, fault: Fault) -> Answer:
    """A valid answer without its first key, or with a word that is in no list where a word of a list belongs."""
    reply = json.loads(answer) if isinstance(answer, str) and not isinstance(answer, Fault) else answer
    if not isinstance(reply, dict):
        return reply
    if fault is Fault.MISSING_KEY:
        return {key: value for key, value in reply.items() if key != asked.schema["required"][0]}
    return dict(wrong_word(asked.schema, asked.schema, "NO_SUCH_WORD"))


def smallest(node: Mapping[str, Any], root: Mapping[str, Any], *, fill: int = 0) -> Any:
    """The smallest value of a schema; `fill` puts that many items into lists that may be empty."""
    if "$ref" in node:
        return smallest(_resolved(node["$ref"], root), root, fill=fill)
    if "enum" in node:
        return node["enum"][0]
    if "const" in node:
        return node["const"]
    if "anyOf" in node:
        return smallest(node["anyOf"][0], root, fill=fill)
    kind = node.get("type")
    if kind == "object":
        return {name: smallest(part, root, fill=fill) for name, part in node.get("properties", {}).items()}
    if kind == "array":
        return [smallest(node["items"], root, fill=fill) for _ in range(max(fill, node.get("minItems", 0)))]
    return {"string": "", "integer": node.get("minimum", 0), "number": node.get("minimum", 0), "boolean": False}.get(str(kind))


def wrong_word(node: Mapping[str, Any], root: Mapping[str, Any], word: str) -> Any:
    """A value of the schema with one item in every list, and `word` wherever a word of a list, or a number, belongs."""
    if "$ref" in node:
        return wrong_word(_resolved(node["$ref"], root), root, word)
    if "enum" in node or node.get("type") == "integer":
        return word
    if node.get("type") == "object":
        return {name: wrong_word(part, root, word) for name, part in node["properties"].items()}
    if node.get("type") == "array":
        return [wrong_word(node["items"], root, word)]
    return smallest(node, root)


def _resolved(ref: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for key in ref.removeprefix("#/").split("/"):
        found = found[key]
    return dict(found)


class Tap:
    """Typed requests by the digest of their user text: the side channel from a tapped client to the server behind the wire."""

    def __init__(self) -> None:
        self._requests: dict[str, ModelRequest] = {}

    def keep(self, request: ModelRequest) -> None:
        self._requests[sha256(request.user.encode())] = request

    def find(self, user: str) -> ModelRequest | None:
        return self._requests.get(sha256(user.encode()))


class Tapped:
    """A ModelClient that leaves each request with the tap before it goes over the wire."""

    def __init__(self, client: ModelClient, tap: Tap) -> None:
        self._client, self._tap = client, tap

    async def complete(self, request: ModelRequest) -> ModelReply:
        self._tap.keep(request)
        return await self._client.complete(request)

    async def close(self) -> None:
        """Closes the client where it has something to close."""
        close = getattr(self._client, "close", None)
        if close is not None:
            await close()


class Behind:
    """An answerer that lets an offline ModelClient answer what came over the wire. Use it as `Script(otherwise=Behind(...))`."""

    def __init__(self, client: ModelClient, tap: Tap) -> None:
        self._client, self._tap = client, tap

    async def __call__(self, asked: Asked) -> Answer:
        """The client's reply; HTTP 400 for a request that did not pass a tapped client."""
        request = self._tap.find(asked.user)
        return (await self._client.complete(request)).text if request else Fault.HTTP_400
