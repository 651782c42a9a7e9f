"""Harm: code that repeats its work on unchanged facts finds something else, so that every approval lapses with the next document."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.books import current_answer, open_books
from trustops.operations.confirming import Confirming
from trustops.operations.intake import take_in
from trustops.roster import shipped

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(("organisation", "questions", "at_least"), [("acme", 20, 8), ("brightwell", 20, 4)])
def test_what_is_repeated_on_the_same_facts_finds_the_same(tmp_path: Path, organisation: str, questions: int, at_least: int) -> None:
    home = shipped("golden") / organisation
    shutil.copytree(home / "workspace", tmp_path / organisation)
    office = assembly.office(tmp_path / organisation, entry=EntryPoint.EVALUATION)
    review = take_in(office, next(home.glob("questionnaire.*")))
    only = [question.ref for question in review.questionnaire.questions[:questions]]
    prepared = prepare(office, review, only=only, as_of=AT, watch=lambda *_: None)
    asyncio.run(run_review(office, prepared, lambda *_: None))
    books = open_books(office, review)
    fresh = Confirming(office, books.snapshots, ())
    found = {}
    for ref, record in books.records.items():
        answer = current_answer(books, ref)
        if answer is not None and record.result.decision.value != "BLOCK":
            found[ref] = fresh.of(record.model_copy(update={"basis": "of another day"}), answer, AT).differences
    office.ledger.close()
    office.index.close()
    assert len(found) >= at_least
    assert {ref: told for ref, told in found.items() if told} == {}
