"""The OpenAPI 3.1 document, made from the table of doors and the shapes of bodies and replies. Nothing of it is written by hand twice."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request

from trustops.console.doors import Door, Need
from trustops.console.problems import Json
from trustops.console.shapes import ProblemDetails

REF = "#/components/schemas/{model}"
SECURED: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
PATH: dict[str, dict[str, Any]] = {
    "review": {"type": "string", "pattern": "^[RF]-[0-9a-f]{12}$"},
    "run": {"type": "string", "pattern": r"^[RF]-[0-9a-f]{12}\.[0-9]{1,6}$"},
    "export": {"type": "string", "pattern": "^X-[0-9a-f]{12}$"},
    "file": {"type": "string", "enum": ["answered", "receipt", "bundle", "oscal"]},
    "record": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
}
"""Parameters of paths; every other one is some text."""
TEXT = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^/]+$"}
QUERY: dict[str, dict[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 100},
    "cursor": {"type": "string", "maxLength": 400, "description": "`next` of the page before."},
    "after": {"type": "string", "maxLength": 400, "description": "The id of the last event that was heard; `Last-Event-ID` wins."},
}
LINKS: dict[tuple[str, str], dict[str, dict[str, str]]] = {
    ("POST", "/v1/reviews"): {
        "/v1/reviews/{review}": {"review": "review"},
        "/v1/runs/{run}": {"run": "run"},
        "/v1/runs/{run}/events": {"run": "run"},
        "/v1/reviews/{review}/exports": {"review": "review"},
    },
    ("POST", "/v1/reviews/{review}/questions/{ref}/follow-ups"): {
        "/v1/reviews/{review}/questions/{ref}": {"review": "review", "ref": "question"},
        "/v1/runs/{run}/events": {"run": "run"},
    },
    ("POST", "/v1/reviews/{review}/exports"): {"/v1/exports/{export}": {"export": "export"}},
}
"""What a reply leads to: the address, and which field of the reply each parameter is."""


async def show(request: Request) -> Json:
    """This document."""
    from trustops.console.api import API

    del request
    return Json(document(API))


@cache
def document(doors: tuple[Door, ...]) -> dict[str, Any]:
    """The whole document for these doors."""
    paths: dict[str, dict[str, Any]] = {}
    for door in doors:
        paths.setdefault(door.address, {})[door.method.lower()] = _operation(door, doors)
    return {
        "openapi": "3.1.0",
        "info": {"title": "TrustOps", "version": "1", "description": "Security questionnaires, answered and approved."},
        "paths": paths,
        "components": {
            "schemas": _schemas(doors),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "trustops-session-ORGANISATION"},
            },
        },
        "security": SECURED,
    }


def name_of(door: Door) -> str:
    """The operation's id: its method and the words of its path."""
    return "_".join([door.method.lower(), *re.findall(r"[a-z]+", door.address.removeprefix("/v1"))])


def _operation(door: Door, doors: tuple[Door, ...]) -> dict[str, Any]:
    told = " ".join((door.endpoint.__doc__ or "").split())
    made: dict[str, Any] = {
        "operationId": name_of(door),
        "summary": told.partition(".")[0],
        "description": told,
        "parameters": _parameters(door),
        "responses": _responses(door, doors),
        "security": SECURED if door.need is not Need.NOTHING else [],
        "x-needs": door.need.value,
    }
    if door.fields:
        made["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": _form(door)}}}
    elif door.body is not None:
        wanted = any(field.is_required() for field in door.body.model_fields.values())
        made["requestBody"] = {"required": wanted, "content": {"application/json": {"schema": _ref(door.body)}}}
    return made


def _form(door: Door) -> dict[str, Any]:
    """The first field is the file that must be there."""
    binary = {"type": "string", "format": "binary"}
    kinds = {"only": {"type": "array", "items": {"type": "string"}}}
    fields = {name: kinds.get(name, binary) for name in door.fields}
    return {"type": "object", "properties": fields, "required": [door.fields[0]], "additionalProperties": False}


def _parameters(door: Door) -> list[dict[str, Any]]:
    made = [
        {"name": name, "in": "path", "required": True, "schema": PATH.get(name, TEXT)} for name in re.findall(r"\{(\w+)\}", door.address)
    ]
    made += [{"name": name, "in": "query", "required": False, "schema": QUERY[name]} for name in door.query]
    if door.match:
        told = "The ETag of the question as it was read."
        made.append({"name": "If-Match", "in": "header", "required": True, "description": told, "schema": {"type": "string"}})
    if door.kind == "text/event-stream":
        made.append({"name": "Last-Event-ID", "in": "header", "required": False, "schema": {"type": "string", "maxLength": 400}})
    if door.method == "POST":
        key = {"type": "string", "minLength": 1, "maxLength": 200}
        made.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return made


def _responses(door: Door, doors: tuple[Door, ...]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": HTTPStatus(door.status).phrase}
    good["content"] = {door.kind: {"schema": _ref(door.reply)} if door.reply else {}}
    by_path = {other.address: other for other in doors if other.method == "GET"}
    links = {
        name_of(by_path[path]): {
            "operationId": name_of(by_path[path]),
            "parameters": {name: f"$response.body#/{field}" for name, field in fields.items()},
        }
        for path, fields in LINKS.get((door.method, door.address), {}).items()
    }
    if links:
        good["links"] = links
    made = {str(door.status): good}
    if door.kind == "text/event-stream":
        made["204"] = {"description": "There is nothing left to hear"}
    for status in sorted(_refusals(door)):
        made[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": {"application/problem+json": {"schema": _ref(ProblemDetails)}},
        }
    return made


def _refusals(door: Door) -> set[int]:
    found = {*door.errors, 400, 429}
    if door.need is not Need.NOTHING:
        found |= {401, 403}
    if "{" in door.address:
        found.add(404)
    if door.match:
        found |= {412, 428}
    if door.method == "POST":
        found |= {409, 413, 422}
    return found


def _schemas(doors: tuple[Door, ...]) -> dict[str, Any]:
    bodies = {door.body for door in doors if door.body is not None}
    replies = {door.reply for door in doors if door.reply is not None} | {ProblemDetails}
    wanted = [(model, "validation") for model in bodies] + [(model, "serialization") for model in replies]
    _, made = models_json_schema(sorted(wanted, key=lambda pair: pair[0].__name__), ref_template=REF)  # type: ignore[arg-type]
    schemas: dict[str, Any] = made["$defs"]
    return dict(sorted(schemas.items()))


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
