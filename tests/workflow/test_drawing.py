"""The drawing is made from the compiled graph, and the document in docs/ is that drawing."""

from __future__ import annotations

import re
from pathlib import Path

from trustops.workflow.drawing import page
from trustops.workflow.machine import NODES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "state-machine.md"


def test_the_drawing_shows_every_node_and_only_static_edges() -> None:
    drawn = page()
    assert "```mermaid" in drawn
    assert all(f"\t{node}({node})" in drawn for node in NODES)
    assert len(re.findall(r" --> ", drawn)) == 10
    assert "-.->" not in drawn


def test_the_document_is_the_drawing() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == page(), "run `make docs`"
