"""A reply's JSON schema in the strict form of each provider. Code validates every reply again with the full schema.

A keyword that a provider would refuse is taken out and told in the description instead, so that the model still hears of it.
Sources: the installed `anthropic/lib/_parse/_transform.py` and `openai/lib/_pydantic.py`, and both guides on structured output.
"""

from __future__ import annotations

from typing import Any

STRUCTURE = frozenset({"$ref", "type", "enum", "const", "items", "properties", "required", "additionalProperties", "description"})
ANTHROPIC = STRUCTURE | {"minItems", "format"}
OPENAI = STRUCTURE | {"minItems", "maxItems", "minimum", "maximum", "format"}
SILENT = frozenset({"title", "default", "$defs", "anyOf", "oneOf", "allOf", "discriminator"})
"""Taken out, or written elsewhere, without a word to the model."""
BRIEF_TEXT, BRIEF_LIST = 120, 2
"""Characters of a text and entries of a list in the brief form."""
FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})


def for_anthropic(schema: dict[str, Any]) -> dict[str, Any]:
    """Anthropic's form: no limits on numbers and lengths; of `minItems` only 0 and 1."""
    return _strict(schema, ANTHROPIC, schema)


def for_openai(schema: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's form for `strict: true`: limits on numbers and lists stay, lengths of text go; `$ref` stands alone."""
    return _strict(schema, OPENAI, schema)


def brief(schema: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's form with short texts and lists, for a server that holds a model to the schema while it writes: a model of a few hundred
    million parameters never ends a text otherwise. Code judges the reply by the full schema, as always."""
    made: dict[str, Any] = {key: brief(value) if isinstance(value, dict) else value for key, value in schema.items()}
    for union in ("anyOf", "allOf"):
        if union in made:
            made[union] = [brief(each) for each in made[union]]
    if made.get("type") == "string" and not {"enum", "const"} & made.keys():
        made["maxLength"] = BRIEF_TEXT
    if made.get("type") == "array":
        made["maxItems"] = max(made.get("minItems", 0), min(made.get("maxItems", BRIEF_LIST), BRIEF_LIST))
    return made


def resolve(root: dict[str, Any], ref: str) -> dict[str, Any]:
    """The definition that a local `$ref` ("#/$defs/Name") points at; KeyError where there is none."""
    found: Any = root
    for key in ref.removeprefix("#/").split("/"):
        found = found[key]
    return dict(found)


def _strict(node: dict[str, Any], allowed: frozenset[str], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node and len(node) > 1 and "$defs" not in node:
        node = {**resolve(root, node["$ref"]), **{key: value for key, value in node.items() if key != "$ref"}}
    refused = {key: value for key, value in node.items() if key not in SILENT and not _takes(key, value, allowed)}
    made = {key: value for key, value in node.items() if key in allowed and key not in refused}
    if "properties" in node:
        made["properties"] = {name: _strict(value, allowed, root) for name, value in node["properties"].items()}
        made |= {"required": list(node["properties"]), "additionalProperties": False}
    if "items" in node:
        made["items"] = _strict(node["items"], allowed, root)
    for union in ("anyOf", "oneOf", "allOf"):
        if union in node:
            made["allOf" if union == "allOf" else "anyOf"] = [_strict(each, allowed, root) for each in node[union]]
    if refused:
        told = ", ".join(f"{key}: {value}" for key, value in refused.items())
        made["description"] = f"{node['description']} ({told})" if "description" in node else told
    if "$defs" in node:
        made["$defs"] = {name: _strict(value, allowed, root) for name, value in node["$defs"].items()}
    return made


def _takes(key: str, value: Any, allowed: frozenset[str]) -> bool:
    if key == "format":
        return value in FORMATS
    if key == "minItems" and "maxItems" not in allowed:
        return value in (0, 1)
    return key in allowed
