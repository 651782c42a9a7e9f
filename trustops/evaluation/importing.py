"""Cases out of other forms: truth files and TrustDeck's labels become cases of the case model. A row that lacks a field, or whose label is
none, is a refusal with its place. Scenarios of the ten-dimension rubric have a reader of their own."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from trustops.domain.errors import MalformedFile, UnknownName, UsageError
from trustops.evaluation.case import Case, unique
from trustops.evaluation.suites.organisations import truth_cases

LABELS = {"evidenced": True, "needs owner input": False}
"""TrustDeck's labels: whether the corpus holds the answer."""


def trustdeck_cases(path: Path) -> tuple[Case, ...]:
    """TrustDeck's completed questionnaire: each question with its label. The label is a person's, so it is golden truth."""
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path))
    with path.open(newline="", encoding="utf-8-sig") as file:
        return unique(_labelled(path, csv.DictReader(file)), where=path.name)


def _labelled(path: Path, rows: csv.DictReader[str]) -> Iterator[Case]:
    for row in rows:
        where = f"{path.name}, line {rows.line_num}"
        missing = [name for name in ("QuestionID", "Question", "Confidence") if not row.get(name)]
        if missing:
            raise MalformedFile(f"{missing[0]} is missing", where=where, remedy="The columns are QuestionID, Question, Confidence.")
        label = next((word for word in LABELS if word in row["Confidence"].lower()), None)
        if label is None:
            raise MalformedFile(f"unknown label {row['Confidence']!r}", where=where, remedy=f"Known are {', '.join(LABELS)}.")
        yield Case(
            case_id=row["QuestionID"],
            title=row["Question"],
            level=4,
            dimension="answer",
            kind="golden",
            source="TrustDeck",
            input={"question": row["Question"], "domain": row.get("Domain", "")},
            expect={"evidenced": LABELS[label], "label": label},
        )


FORMS: dict[str, Callable[[Path], tuple[Case, ...]]] = {"truth": truth_cases, "trustdeck": trustdeck_cases}


def imported(form: str, source: Path) -> tuple[Case, ...]:
    """The cases of a source in one of the forms; raises UnknownName for another form."""
    if form not in FORMS:
        raise UnknownName(f"there is no form {form!r}", remedy=f"There are {', '.join(FORMS)}.")
    return FORMS[form](source)


def as_yaml(cases: tuple[Case, ...]) -> str:
    """The cases as a file of the case model."""
    rows = [case.model_dump(mode="json", exclude_defaults=True) for case in cases]
    return yaml.safe_dump({"cases": rows}, sort_keys=False, allow_unicode=True, width=140)
