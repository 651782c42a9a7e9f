"""Harm: an approval covers something else than what was approved (invariant 1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trustops.domain.answer import NOT_COVERED, AnswerVersion, AskAnswer, BoundPassage, BoundReading, Determination, combine
from trustops.domain.claim import Basis, Citation, Claim
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.question import CellValue

YES, NO, PARTIAL, NOT_APPLICABLE, UNKNOWN = Determination
AT = datetime(2031, 6, 15, 9, 30, tzinfo=UTC)

COMBINED = [
    pytest.param((), UNKNOWN, id="nothing was asked"),
    pytest.param((YES,), YES, id="one yes"),
    pytest.param((YES, YES), YES, id="yes all through"),
    pytest.param((NO, NO, NO), NO, id="no all through"),
    pytest.param((NOT_APPLICABLE, NOT_APPLICABLE), NOT_APPLICABLE, id="not applicable all through"),
    pytest.param((YES, NO), PARTIAL, id="a mix"),
    pytest.param((YES, NOT_APPLICABLE), PARTIAL, id="a mix with not applicable"),
    pytest.param((PARTIAL, YES), PARTIAL, id="a part and a whole"),
    pytest.param((YES, UNKNOWN), UNKNOWN, id="an unknown ask among others"),
    pytest.param((UNKNOWN, UNKNOWN), UNKNOWN, id="unknown all through"),
]


@pytest.mark.parametrize(("parts", "whole"), COMBINED)
def test_several_asks_make_one_determination(parts: tuple[Determination, ...], whole: Determination) -> None:
    assert combine(parts) is combine(reversed(parts)) is whole


@given(st.lists(st.sampled_from(list(Determination)), min_size=1))
def test_an_unknown_ask_is_never_lost(parts: list[Determination]) -> None:
    assert (combine(parts) is UNKNOWN) is (UNKNOWN in parts)


def test_every_determination_but_unknown_commits_us() -> None:
    assert [d for d in Determination if not d.affirmative] == [UNKNOWN]


FINDING = Finding(code=FindingCode.UNDATED_EVIDENCE, severity=Severity.WARNING, source=FindingSource.RULES, summary="undated")
PASSAGE = BoundPassage(exhibit="P-1", file="evidence/a.md", locator="line 3", sha256="ab" * 32)
READING = BoundReading(control="vaults", evaluation="PASS", scope="all", values={"locked": 9}, source_mode="LIVE")
CLAIM = Claim(text="Vaults are locked.", basis=Basis.POLICY, citations=(Citation(exhibit="P-1", quote="Vaults are locked."),))
BASE = AnswerVersion(
    question="L-1",
    version=3,
    author="Ana",
    created_at=AT,
    determination=YES,
    asks=(AskAnswer(ask="Are vaults locked?", determination=YES),),
    text="Yes. Vaults are locked.",
    pivot="",
    cells=(CellValue(part="choice", sheet="S", cell="C2", value="Yes"),),
    attachments=("evidence/plan.png",),
    claims=(CLAIM,),
    passages=(PASSAGE,),
    readings=(READING,),
    findings=(FINDING,),
    gate_version="g-1",
).sealed()

COVERED: dict[str, st.SearchStrategy[Any]] = {
    "question": st.text(),
    "determination": st.sampled_from(list(Determination)),
    "asks": st.lists(st.builds(AskAnswer, ask=st.text(max_size=4), determination=st.sampled_from(list(Determination))), max_size=2).map(
        tuple
    ),
    "text": st.text(),
    "pivot": st.text(),
    "cells": st.sampled_from([(), (BASE.cells[0].model_copy(update={"value": "No"}),), (BASE.cells[0].model_copy(update={"cell": "C3"}),)]),
    "attachments": st.lists(st.text(max_size=5), max_size=2).map(tuple),
    "claims": st.sampled_from(
        [
            (),
            (CLAIM, CLAIM),
            (CLAIM.model_copy(update={"text": "Vaults are shut."}),),
            (CLAIM.model_copy(update={"basis": Basis.REALITY}),),
            (CLAIM.model_copy(update={"citations": ()}),),
            (CLAIM.model_copy(update={"citations": (Citation(exhibit="P-2", quote="Vaults are locked."),)}),),
            (CLAIM.model_copy(update={"citations": (Citation(exhibit="P-1", quote="Vaults are"),)}),),
        ]
    ),
    "passages": st.sampled_from(
        [(), *((PASSAGE.model_copy(update={f: "x"}),) for f in ("exhibit", "file", "locator", "sha256")), (PASSAGE, PASSAGE)]
    ),
    "readings": st.sampled_from(
        [
            (),
            *((READING.model_copy(update={f: "x"}),) for f in ("control", "evaluation", "scope", "source_mode")),
            (READING.model_copy(update={"values": {"locked": 8}}),),
            (READING.model_copy(update={"values": {"locked": "9"}}),),
            (READING.model_copy(update={"values": {"shut": 9}}),),
        ]
    ),
    "findings": st.sampled_from(
        [
            (),
            (FINDING.model_copy(update={"code": FindingCode.OVERCOMMITMENT}),),
            (FINDING.model_copy(update={"severity": Severity.BLOCKING}),),
            (FINDING.model_copy(update={"source": FindingSource.MODEL}),),
            (FINDING.model_copy(update={"summary": "another"}),),
            (FINDING.model_copy(update={"exhibits": ("P-9",)}),),
        ]
    ),
    "gate_version": st.text(),
}
UNCOVERED: dict[str, st.SearchStrategy[Any]] = {
    "version": st.integers(0, 10**6),
    "author": st.text(),
    "created_at": st.integers(0, 10**8).map(lambda seconds: AT + timedelta(seconds=seconds)),
}


def test_every_field_is_either_covered_by_an_approval_or_named_here_as_not() -> None:
    assert set(AnswerVersion.model_fields) == {*COVERED, *UNCOVERED, "digest"}
    assert set(type(BASE).model_fields) - NOT_COVERED == set(COVERED)


@pytest.mark.parametrize("field", list(COVERED))
@given(data=st.data())
def test_whatever_an_approval_must_cover_changes_the_digest(field: str, data: st.DataObject) -> None:
    value = data.draw(COVERED[field])
    changed = BASE.model_copy(update={field: value})
    assert (changed.computed_digest() == BASE.digest) is (value == getattr(BASE, field))


@given(st.fixed_dictionaries(UNCOVERED))
def test_number_author_and_time_of_a_version_do_not_change_its_digest(changes: dict[str, Any]) -> None:
    assert BASE.model_copy(update=changes).sealed().digest == BASE.digest


def test_a_digest_typed_in_is_not_believed() -> None:
    forged = BASE.model_copy(update={"text": "Yes. All vaults are always locked.", "digest": BASE.digest})
    assert forged.computed_digest() != BASE.digest


def test_the_digest_survives_storage() -> None:
    assert AnswerVersion.model_validate_json(BASE.model_dump_json()).computed_digest() == BASE.digest


def test_an_answer_cannot_be_changed_in_place_nor_grow_a_field() -> None:
    with pytest.raises(ValidationError):
        BASE.text = "No."  # type: ignore[misc]
    with pytest.raises(ValidationError):
        AnswerVersion.model_validate({**BASE.model_dump(), "approved": True})
