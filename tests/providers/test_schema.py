"""Every opinion's schema obeys the strict rules of each provider, and the SDKs' own converters find nothing left to change."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema
import pytest
from anthropic.lib._parse._transform import transform_schema
from openai.lib._pydantic import _ensure_strict_json_schema

from tests.providers.asking import SHAPES
from trustops.providers.schema import BRIEF_LIST, BRIEF_TEXT, brief, for_anthropic, for_openai
from trustops.testing.scripts import smallest, wrong_word

FORMS = {"anthropic": for_anthropic, "openai": for_openai}
KNOWN = {
    "$defs",
    "$ref",
    "type",
    "enum",
    "const",
    "anyOf",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "description",
    "format",
}
ALSO = {"anthropic": {"minItems"}, "openai": {"minItems", "maxItems", "minimum", "maximum"}}
EVERY = pytest.mark.parametrize("seat", SHAPES)
BOTH = pytest.mark.parametrize("provider", FORMS)


def nodes(schema: dict[str, Any], depth: int = 0) -> Iterator[tuple[dict[str, Any], int]]:
    yield schema, depth
    for part in (*schema.get("$defs", {}).values(), *schema.get("properties", {}).values()):
        yield from nodes(part, depth + 1)
    for part in (*([schema["items"]] if "items" in schema else []), *schema.get("anyOf", ())):
        yield from nodes(part, depth + 1)


@BOTH
@EVERY
def test_the_schema_obeys_the_strict_rules(provider: str, seat: str) -> None:
    schema = FORMS[provider](SHAPES[seat].model_json_schema())
    assert schema["type"] == "object"
    for node, depth in nodes(schema):
        assert set(node) <= KNOWN | ALSO[provider]
        assert depth <= 10
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        if "$ref" in node:
            assert set(node) == {"$ref"}
        if provider == "anthropic":
            assert node.get("minItems", 0) in (0, 1)
    assert sum(len(node.get("enum", ())) for node, _ in nodes(schema)) <= 1000


@EVERY
def test_every_text_and_list_of_a_reply_has_a_bound(seat: str) -> None:
    """In the house's own schema, by which code judges; without one, one seat could fill the ledger. A quote is as long as the sentence it
    quotes: it is bounded by the whole reply's length (providers/bounded.py)."""
    schema = SHAPES[seat].model_json_schema()
    schema.get("$defs", {}).pop("Citation", None)
    for node, _ in nodes(schema):
        if node.get("type") == "string" and "enum" not in node and "const" not in node:
            assert node["maxLength"] <= 4000, node
        if node.get("type") == "array":
            assert node["maxItems"] <= 24, node
        if node.get("type") == "integer":
            assert {"minimum", "maximum"} <= set(node), node


@EVERY
def test_openais_own_converter_changes_nothing(seat: str) -> None:
    schema = for_openai(SHAPES[seat].model_json_schema())
    assert _ensure_strict_json_schema(deepcopy(schema), path=(), root=deepcopy(schema)) == schema


@EVERY
def test_anthropics_own_converter_finds_nothing_unsupported(seat: str) -> None:
    schema = for_anthropic(SHAPES[seat].model_json_schema())
    descriptions = [node.get("description") for node, _ in nodes(schema)]
    assert [node.get("description") for node, _ in nodes(transform_schema(deepcopy(schema)))] == descriptions


@EVERY
def test_the_brief_form_is_the_same_shape_with_shorter_texts_and_lists(seat: str) -> None:
    full = for_openai(SHAPES[seat].model_json_schema())
    short = brief(full)
    jsonschema.Draft202012Validator.check_schema(short)
    for (node, _), (asked, _) in zip(nodes(full), nodes(short), strict=True):
        assert {key: node[key] for key in node if key in ("type", "enum", "required", "$ref")} == {
            key: asked[key] for key in asked if key in ("type", "enum", "required", "$ref")
        }
        assert asked.get("type") != "array" or asked.get("minItems", 0) <= asked["maxItems"] <= BRIEF_LIST
        assert asked.get("type") != "string" or "enum" in asked or asked["maxLength"] == BRIEF_TEXT
    made = smallest(short, short, fill=1)
    jsonschema.validate(made, full)


@BOTH
@EVERY
def test_what_is_valid_for_the_house_is_valid_for_the_provider(provider: str, seat: str) -> None:
    full = SHAPES[seat].model_json_schema()
    strict = FORMS[provider](full)
    jsonschema.Draft202012Validator.check_schema(strict)
    made = smallest(strict, strict, fill=1)
    jsonschema.validate(smallest(full, full, fill=1), strict)
    if seat != "reviewer":  # a reviewer's finding beside PASS is refused by code, which no schema says
        SHAPES[seat].model_validate(made)


@EVERY
def test_a_wrong_word_is_valid_for_no_seat(seat: str) -> None:
    strict = for_openai(SHAPES[seat].model_json_schema())
    with pytest.raises(ValueError, match=r"NO_SUCH_WORD|Input should be"):
        SHAPES[seat].model_validate(wrong_word(strict, strict, "NO_SUCH_WORD"))


def test_what_is_taken_out_is_told_in_the_description() -> None:
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 5, "title": "Name", "default": "x"},
            "many": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 3, "maxItems": 4, "description": "Some."},
            "code": {"type": "string", "pattern": "^a", "format": "regex"},
        },
        "required": ["name"],
    }
    parts = for_anthropic(schema)["properties"]
    assert parts["name"] == {"type": "string", "description": "maxLength: 5"}
    assert parts["many"]["description"] == "Some. (minItems: 3, maxItems: 4)"
    assert parts["many"]["items"] == {"type": "integer", "description": "minimum: 1"}
    assert parts["code"]["description"] == "pattern: ^a, format: regex"
    kept = for_openai(schema)["properties"]["many"]
    assert (kept["minItems"], kept["maxItems"], kept["items"]) == (3, 4, {"type": "integer", "minimum": 1})


def test_a_reference_with_neighbours_is_written_out() -> None:
    schema = {
        "type": "object",
        "properties": {"risk": {"$ref": "#/$defs/Risk", "description": "How bad."}},
        "$defs": {"Risk": {"type": "string", "enum": ["LOW", "HIGH"], "title": "Risk"}},
    }
    for form in FORMS.values():
        assert form(schema)["properties"]["risk"] == {"type": "string", "enum": ["LOW", "HIGH"], "description": "How bad."}


def test_the_given_schema_is_left_as_it_was() -> None:
    schema = SHAPES["answer"].model_json_schema()
    before = deepcopy(schema)
    for form in FORMS.values():
        form(schema)
    assert schema == before
