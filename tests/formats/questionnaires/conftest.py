"""Files that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from trustops.testing.layouts import book as book

DATA = Path(__file__).parents[2] / "data" / "questionnaires"


@pytest.fixture
def demo() -> Path:
    return DATA / "harborview.xlsx"


def layouts() -> list[dict[str, Any]]:
    """The layouts of `layouts.yaml`."""
    return list(yaml.load((DATA / "layouts.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader))
