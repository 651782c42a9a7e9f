"""Harm: a page shows a code that nobody understands, or a status by its colour alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trustops.console.pages import words
from trustops.domain import export
from trustops.domain.answer import Determination
from trustops.domain.approval import ApprovalStatus
from trustops.domain.authenticity import ExecutionMode, Origin, SourceMode
from trustops.domain.control import Evaluation, Risk
from trustops.domain.finding import Severity
from trustops.domain.risk_review import Decision
from trustops.domain.trust_review import QuestionStatus, TrustReviewStatus

ENUMS = (
    Determination,
    ApprovalStatus,
    ExecutionMode,
    Origin,
    SourceMode,
    Evaluation,
    Risk,
    Severity,
    Decision,
    QuestionStatus,
    TrustReviewStatus,
)


@pytest.mark.parametrize("status", sorted({member.value for enum in ENUMS for member in enum}))
def test_every_status_has_a_word_a_glyph_and_a_tone(status: str) -> None:
    chip = words.CHIPS[status]
    assert chip.word
    assert chip.glyph
    assert chip.tone in {words.GOOD, words.WAIT, words.BAD, words.INFO, words.MUTE}


def test_every_reason_of_the_gate_is_told_with_what_it_waits_for() -> None:
    source = Path(export.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'^\s+\("([A-Z_]+)", ', source, re.MULTILINE))
    assert len(named) > 15
    assert named <= set(words.REASONS)
    assert all(said and remedy for said, remedy in words.REASONS.values())


def test_a_reason_that_is_not_known_is_shown_rather_than_swallowed() -> None:
    assert words.reason("SOMETHING_NEW") == ("SOMETHING_NEW", "")
    assert words.reason("CELL_REFUSED: Sheet!B2: it takes Yes or No")[0].endswith("Sheet!B2: it takes Yes or No")
    assert words.chip("SOMETHING_NEW").word == "SOMETHING_NEW"
