"""Harm: what is said of backups proves a yes about orders, because "orders" is a word that mostly frames an answer."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

import pytest

from tests.conftest import _close, _open, make_workspace
from trustops.domain.answer import Determination
from trustops.operations.editing import edit_answer

CASES = [
    ("Are orders encrypted?", "Backups are encrypted.", "Backups are encrypted.", False),
    ("Are orders encrypted?", "Orders are encrypted.", "Orders are encrypted.", True),
    ("Are parts cleaned?", "Tanks are cleaned.", "Tanks are cleaned.", False),
    ("Are parts cleaned?", "Every part is cleaned.", "Every part is cleaned.", True),
    ("Do you encrypt orders?", "We encrypt backups.", "We encrypt backups.", False),
    ("Do you encrypt orders?", "We encrypt orders.", "We encrypt orders.", True),
    ("Are notes shredded?", "Drives are shredded.", "Drives are shredded.", False),
    ("Do you offer escrow?", "Escrow is offered.", "Escrow is offered.", True),
]


@pytest.mark.parametrize(("asked", "said", "text", "leaves"), CASES, ids=[f"{asked} {said}" for asked, said, *_ in CASES])
def test_only_what_names_the_thing_speaks_of_it(tmp_path: Path, asked: str, said: str, text: str, leaves: bool) -> None:
    questionnaire = make_workspace(tmp_path / "kestrel")
    with questionnaire.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("ID", "Question", "Answer"), ("K-1", asked, "")])
    (tmp_path / "kestrel" / "evidence" / "rule.md").write_text(f"# Rules\n\n{said}\n", encoding="utf-8")
    about = "kind: policy, effective: 2026-01-01, expires: 2027-01-01, classification: shareable"
    with (tmp_path / "kestrel" / "evidence.yaml").open("a", encoding="utf-8") as register:
        register.write(f"\n- {{path: evidence/rule.md, {about}}}\n")
    house = _open(tmp_path / "kestrel")
    house.run()
    dossier = house.office.ledger.latest_records(house.review.id)["K-1"].dossier
    cite = [p.id for p in dossier.passages if p.document.path == "evidence/rule.md"]
    assert cite, "the paper is not in the dossier, so that nothing is tried"
    asyncio.run(edit_answer(house.office, house.review, "K-1", by="Bo", text=f"Yes. {text}", determination=Determination.YES, cite=cite))
    result = house.office.ledger.latest_records(house.review.id)["K-1"].result
    _close(house)
    assert (result.decision.value != "BLOCK") is leaves, [finding.summary for finding in result.findings]
