"""Calibrating a judge: its verdicts beside those of people, item by item, and how far they agree (scoring.md, section 5).

A file of labels: `item, judge, human` and further columns that begin with "human", one a rater. Verdicts are pass/fail (also yes/no,
true/false), or scores that count as a pass from a given one on. An empty verdict of the judge is a run that failed: it is missing, and
counted.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from trustops.domain.chain import digest
from trustops.domain.errors import MalformedFile, UsageError
from trustops.evaluation.judging import Calibration, Grader
from trustops.operations.office import Office
from trustops.operations.timing import present
from trustops.scoring.statistics import Rate, agreement, cohen_kappa, krippendorff_alpha, rogan_gladen

WORDS = {"pass": 1, "yes": 1, "true": 1, "fail": 0, "no": 0, "false": 0}
KIND = "judge_calibrated"
LARGEST = 10_000_000
"""Bytes of a file of labels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One item: the judge's verdict (None: missing) and those of people (None: this rater gave none)."""

    item: str
    judge: bool | None
    humans: tuple[bool | None, ...]

    @property
    def human(self) -> bool | None:
        """What most people say; None where as many say the other."""
        given = Counter(told for told in self.humans if told is not None)
        return None if given[True] == given[False] else given[True] > given[False]


def load_rows(path: Path, passes_from: int = 3) -> tuple[Row, ...]:
    """The rows of a file. Raises UsageError, or MalformedFile with the line of every bad row (the first five are named)."""
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path))
    if path.stat().st_size > LARGEST:
        raise UsageError(f"a file of labels holds at most {LARGEST // 1_000_000} MB", where=path.name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as bad:
        raise MalformedFile("not UTF-8 text", where=path.name) from bad
    table = list(csv.reader(io.StringIO(text, newline="")))
    header = [name.strip().casefold() for name in table[0]] if table else []
    raters = [at for at, name in enumerate(header) if name.startswith("human")]
    known = all(name in ("item", "judge", "note") or at in raters for at, name in enumerate(header))
    if not {"item", "judge"} <= set(header) or not raters or len(set(header)) != len(header) or not known:
        raise MalformedFile(
            f"the first line is {', '.join(header) or 'empty'}",
            where=f"{path.name}, line 1",
            remedy="It must be item,judge,human, with human_2 and so on for further raters; note is kept out.",
        )
    rows, bad_rows = _rows(text, header, raters, passes_from)
    if bad_rows:
        more = f" and {len(bad_rows) - 5} more" if len(bad_rows) > 5 else ""
        remedy = "Put them right; nothing was recorded."
        raise MalformedFile(f"{'; '.join(bad_rows[:5])}{more}", where=path.name, remedy=remedy)
    if not rows:
        raise MalformedFile("there is no row of labels", where=path.name, remedy="One line an item.")
    return tuple(rows)


def _rows(text: str, header: Sequence[str], raters: Sequence[int], passes_from: int) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    wrong: list[str] = []
    seen: set[str] = set()
    reader = csv.reader(io.StringIO(text, newline=""))
    next(reader)
    for cells in reader:
        line = reader.line_num
        if not cells:
            continue
        try:
            row = _row(cells, header, raters, passes_from)
            if row.item in seen:
                raise ValueError(f"item {row.item!r} stands twice")
        except ValueError as bad:
            wrong.append(f"line {line}: {bad}")
            continue
        seen.add(row.item)
        rows.append(row)
    return rows, wrong


def _row(cells: Sequence[str], header: Sequence[str], raters: Sequence[int], passes_from: int) -> Row:
    if len(cells) != len(header):
        raise ValueError(f"{len(cells)} cells, and the first line has {len(header)}")
    item = cells[header.index("item")].strip()
    if not item:
        raise ValueError("the item has no name")
    humans = tuple(_verdict(cells[at], passes_from) for at in raters)
    if all(told is None for told in humans):
        raise ValueError("no person gave a verdict")
    return Row(item, _verdict(cells[header.index("judge")], passes_from), humans)


def _verdict(told: str, passes_from: int) -> bool | None:
    word = told.strip().casefold()
    if not word:
        return None
    if word in WORDS:
        return bool(WORDS[word])
    if word in ("0", "1", "2", "3", "4", "5"):
        return int(word) >= passes_from
    raise ValueError(f"{told.strip()[:20]!r} is no verdict")


def calibrate(rows: Sequence[Row], grader: Grader, at: datetime) -> Calibration:
    """The agreement of a judge with people. A positive is a pass."""
    both = [(row.judge, row.human) for row in rows if row.judge is not None and row.human is not None]
    judge, human = [int(bool(said)) for said, _ in both], [int(bool(said)) for _, said in both]
    tpr = Rate(sum(j and h for j, h in zip(judge, human, strict=True)), sum(human))
    tnr = Rate(sum(not j and not h for j, h in zip(judge, human, strict=True)), len(human) - sum(human))
    observed = Rate(sum(row.judge is True for row in rows), sum(row.judge is not None for row in rows))
    units = [[_number(told) for told in (row.judge, *row.humans)] for row in rows]
    measurable = observed.share is not None and tpr.share is not None and tnr.share is not None
    told = {
        "grader": grader,
        "items": len(rows),
        "raters": max((len(row.humans) for row in rows), default=0),
        "missing": sum(row.judge is None for row in rows),
        "disputed": sum(row.human is None for row in rows),
        "agreement": tuple(agreement(judge, human)),
        "kappa": cohen_kappa(judge, human),
        "alpha": krippendorff_alpha(units),
        "tpr": tuple(tpr),
        "tpr_interval": tpr.interval,
        "tnr": tuple(tnr),
        "tnr_interval": tnr.interval,
        "observed": tuple(observed),
        "corrected": rogan_gladen(observed.share or 0, tpr.share or 0, tnr.share or 0) if measurable else None,
    }
    mark = digest({"grader": grader.model_dump(), "at": at.isoformat(), "rows": [[r.item, r.judge, list(r.humans)] for r in rows]})
    return Calibration.model_validate({"id": f"J-{mark[:12]}", "at": at.isoformat(), **told})


def _number(told: bool | None) -> float | None:
    return None if told is None else float(told)


def keep(office: Office, made: Calibration, *, by: str = "") -> None:
    """A calibration goes on record; the newest of its judge counts."""
    with office.ledger.writing(durable=True):
        payload = {"calibration": made.model_dump(mode="json")}
        office.ledger.append_audit(KIND, actor=by or "evaluation", payload=payload, at=present(office))


def calibrations(office: Office) -> tuple[Calibration, ...]:
    """All that are on record, oldest first."""
    rows = (row.payload.get("calibration") for row in office.ledger.audit() if row.kind == KIND and row.payload is not None)
    return tuple(Calibration.model_validate(row) for row in rows if isinstance(row, dict))
