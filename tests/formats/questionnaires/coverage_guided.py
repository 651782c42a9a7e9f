"""Coverage-guided fuzzing of the scanners and the splice writer with atheris, for as long as one likes. Not part of any test run.

Usage: pip install atheris; python -m tests.formats.questionnaires.coverage_guided sheet|document|csv|json|formula [libFuzzer options]
An example: `python -m tests.formats.questionnaires.coverage_guided sheet -max_total_time=60`
A part is refused with an error of ours, or answers spliced into it come out again to the last byte; anything else is a finding.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trustops.domain.errors import TrustOpsError


def sheet(fuzz: Any, data: bytes) -> None:
    from tests.formats.questionnaires.test_questionnaire_fuzz import PARTS, scan_and_splice

    given = fuzz.FuzzedDataProvider(data)
    number = given.ConsumeIntInRange(0, len(PARTS) - 1)
    edits = [(given.ConsumeIntInRange(0, 6_000), given.ConsumeIntInRange(0, 12), given.ConsumeBytes(12)) for _ in range(3)]
    scan_and_splice(number, edits, [(given.ConsumeIntInRange(1, 40), given.ConsumeIntInRange(1, 9))])


def document(fuzz: Any, data: bytes) -> None:
    from tests.formats.questionnaires.test_questionnaire_fuzz import splice_document

    given = fuzz.FuzzedDataProvider(data)
    edits = [(given.ConsumeIntInRange(0, 6_000), given.ConsumeIntInRange(0, 12), given.ConsumeBytes(12)) for _ in range(3)]
    splice_document(edits, FOLDER / "fuzz.docx")


def csv(fuzz: Any, data: bytes) -> None:
    from trustops.formats.questionnaires import csvfile

    _file(data, "fuzz.csv", csvfile.load)


def json(fuzz: Any, data: bytes) -> None:
    from trustops.formats.questionnaires import jsonfile, jsonforms

    _file(data, "fuzz.json", lambda path: jsonforms.read(jsonfile.load(path)))


def formula(fuzz: Any, data: bytes) -> None:
    from trustops.formats.questionnaires import formulas, grid

    formulas.Formulas(grid.SheetGrid("S", 1)).condition(data.decode("utf-8", "replace"))


def _file(data: bytes, name: str, read: Callable[[Path], Any]) -> None:
    path = FOLDER / name
    path.write_bytes(data)
    try:
        read(path)
    except TrustOpsError:
        return


FOLDER = Path(tempfile.mkdtemp(prefix="trustops-fuzz-"))
TARGETS = {"sheet": sheet, "document": document, "csv": csv, "json": json, "formula": formula}


def main() -> None:
    fuzz = importlib.import_module("atheris")
    target = TARGETS[sys.argv.pop(1)]
    with fuzz.instrument_imports(include=["trustops.formats"]):
        for module in ("carriers", "reading", "formulas", "jsonforms"):
            importlib.import_module(f"trustops.formats.questionnaires.{module}")
    fuzz.Setup(sys.argv, lambda data: target(fuzz, data))
    fuzz.Fuzz()


if __name__ == "__main__":
    main()
