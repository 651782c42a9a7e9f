"""Harm: a truth file with a misspelt key is graded as if the key were not there."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from trustops.evaluation.truth import Truth
from trustops.roster import shipped

SCHEMA = json.loads((shipped("golden") / "truth.schema.json").read_text(encoding="utf-8"))
TRUTHS = sorted(shipped("golden").glob("*/truth.yaml"))


def loaded(path):  # type: ignore[no-untyped-def]
    return json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))


def test_the_schema_is_the_models_own() -> None:
    assert Truth.model_json_schema() == SCHEMA


@pytest.mark.parametrize("path", TRUTHS, ids=lambda path: path.parent.name)
def test_every_truth_file_meets_the_schema(path) -> None:  # type: ignore[no-untyped-def]
    jsonschema.validate(loaded(path), SCHEMA)


@pytest.mark.parametrize("where", [(), ("questions", 0), ("questions", 0, "expected"), ("questions", 0, "drills", 0)])
def test_an_unknown_key_is_an_error_at_every_depth(where: tuple[str | int, ...]) -> None:
    truth = loaded(TRUTHS[0])
    node = truth
    for key in where:
        node = node[key]
    node["misspelt"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(truth, SCHEMA)
