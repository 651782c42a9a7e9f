"""Harm: a link leads nowhere, a word or key of the program is explained nowhere, a page says where it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_origin

import pytest
from pydantic import BaseModel

from tests.docs.pages import BLOCK, LINK, PAGES, ROOT, SPAN, name, text
from trustops import settings
from trustops.collectors.catalogue import EXPECTATIONS, KEYS, KNOWN_COLLECTORS, MEASURES
from trustops.domain.answer import Determination
from trustops.domain.approval import ApprovalStatus, Role
from trustops.domain.authenticity import ExecutionMode, Origin, SourceMode
from trustops.domain.claim import ConflictKind
from trustops.domain.control import Evaluation
from trustops.domain.export import GateInput, gate
from trustops.domain.finding import FindingCode, severity_of
from trustops.domain.record import TERMINAL_EVENTS
from trustops.domain.risk_review import Decision, DecisionSource
from trustops.domain.trust_review import QuestionStatus, TrustReviewStatus
from trustops.formats.evidence.register_file import KEYS as REGISTER_KEYS
from trustops.settings import Settings
from trustops.workflow.drawing import page as drawn

VOCABULARY = text(ROOT / "docs" / "vocabulary.md")
OPERATIONS = text(ROOT / "docs" / "operations.md")
ENUMS = (
    Determination,
    Decision,
    DecisionSource,
    QuestionStatus,
    TrustReviewStatus,
    ApprovalStatus,
    Evaluation,
    ConflictKind,
    ExecutionMode,
    Origin,
    SourceMode,
)
SHUT = (*gate(GateInput()).reasons, "DECISION_BLOCK", "REJECTED", "APPROVAL_STALE", "READING_NOT_FRESH", "READING_NOT_PASS")
FIRST_FILE = re.compile(r"^[\w.-]+(?:/[\w.-]+)+\.(?:py|md|yaml|toml)$")


def anchors(page: Path) -> set[str]:
    """The anchors that headings of a page give."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text(page)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", text(page))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    rooted = ("trustops/", "tests/", "docs/", "golden/", "benchmarks/")
    named = [span for span in SPAN.findall(text(page)) if FIRST_FILE.match(span) and span.startswith(rooted)]
    assert [span for span in named if not (ROOT / span).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_names_no_place_of_one_machine(page: Path) -> None:
    assert re.findall(r"(?<![\w.])/(?:home|root|tmp|work|usr|Users|mnt)/\S*", text(page)) == []


@pytest.mark.parametrize("word", sorted({member.value for enum in ENUMS for member in enum}))
def test_every_status_is_in_the_vocabulary(word: str) -> None:
    assert re.search(rf"\*\*{word}\*\*", VOCABULARY)


@pytest.mark.parametrize("code", list(FindingCode), ids=str)
def test_every_finding_code_is_in_the_vocabulary_with_its_severity(code: FindingCode) -> None:
    assert f"| **{code.value}** | {severity_of(code).value.lower()} |" in VOCABULARY


@pytest.mark.parametrize("reason", sorted(set(SHUT)))
def test_every_gate_reason_is_in_the_vocabulary(reason: str) -> None:
    assert f"| `{reason}` |" in VOCABULARY


def test_the_vocabulary_knows_no_gate_reason_that_the_gate_does_not() -> None:
    source = (ROOT / "trustops" / "domain" / "export.py").read_text(encoding="utf-8")
    told = re.findall(r"^\| `([A-Z_]+)` \|", VOCABULARY, re.MULTILINE)
    assert [reason for reason in told if f'("{reason}"' not in source] == []
    assert len(told) == len(re.findall(r'^\s+\("[A-Z_]+", ', source, re.MULTILINE))


def keys(model: type[BaseModel], at: str) -> Iterator[str]:
    """The keys of a table of trustops.toml as operations.md writes them."""
    for key, field in model.model_fields.items():
        inner = field.annotation
        profile = next((each for each in get_args(inner) if isinstance(each, type) and issubclass(each, BaseModel)), None)
        if profile is not None:
            yield from keys(profile, f"{at}{key}.NAME." if get_origin(inner) is dict else f"{at}{key}.")
        elif isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{at}{key}.")
        else:
            yield f"{at}{key}"


def written() -> Iterator[str]:
    for key in keys(Settings, ""):
        if key != "workspace" and not key.startswith("environment."):
            yield {"people": 'people."NAME"', "models.seats": "models.seats.SEAT"}.get(key, key)


@pytest.mark.parametrize("key", list(written()))
def test_every_key_of_the_settings_is_in_operations(key: str) -> None:
    assert f"| `{key}` |" in OPERATIONS


@pytest.mark.parametrize("variable", list(settings.Environment.model_fields))
def test_every_variable_of_the_environment_is_in_operations(variable: str) -> None:
    assert variable.upper() in OPERATIONS


@pytest.mark.parametrize("key", [*REGISTER_KEYS, *KEYS])
def test_every_key_of_register_and_catalogue_has_a_row(key: str) -> None:
    assert f"| `{key}` |" in OPERATIONS


@pytest.mark.parametrize("word", [*MEASURES, *EXPECTATIONS, *KNOWN_COLLECTORS, *sorted(TERMINAL_EVENTS), *(role.value for role in Role)])
def test_every_word_of_catalogue_events_and_roles_is_in_operations(word: str) -> None:
    assert f"`{word}`" in OPERATIONS or f"`{word}:" in OPERATIONS


def test_the_drawing_in_the_documents_is_the_machine() -> None:
    assert text(ROOT / "docs" / "state-machine.md") == drawn(), "run `make docs`"


def test_decisions_are_numbered_without_gaps_and_have_their_four_parts() -> None:
    found = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [page.name[:4] for page in found] == [f"{number:04}" for number in range(1, len(found) + 1)]
    for page in found:
        assert all(f"**{part}.**" in text(page) for part in ("Context", "Decision", "Consequences", "Source")), page.name


def test_decisions_that_the_code_names_exist() -> None:
    numbers = {page.name[:4] for page in (ROOT / "docs" / "decisions").glob("*.md")}
    for source in (ROOT / "trustops").rglob("*.py"):
        assert set(re.findall(r"docs/decisions/(\d{4})", source.read_text(encoding="utf-8"))) <= numbers, source.name
