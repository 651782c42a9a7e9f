"""Rating: what people think, kept as they gave it. A person who signed in rates, in the own name and nobody else's; no program does."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from trustops.domain.approval import Identity
from trustops.domain.credential import Scope
from trustops.domain.errors import NotAllowed, UsageError
from trustops.domain.rating import HIGHEST, LOWEST, Criterion, Rating
from trustops.operations.gap_register import RISKY
from trustops.operations.office import Office
from trustops.operations.signing_in import identity_of
from trustops.operations.timing import present
from trustops.ports import StoredReview

LONGEST = 2_000
"""Characters of a comment."""
MOST_ROWS = 5_000
HEADER = ("question", "rater", *(criterion.value for criterion in Criterion), "comment")
Row = tuple[str, Mapping[Criterion, int], str]
"""Question (empty for the whole review), scores, comment."""


def rate(office: Office, review: StoredReview, rows: Sequence[Row], *, by: str, way: str) -> tuple[Rating, ...]:
    """Keeps a person's ratings, all of them or none. Raises NotAllowed for somebody who is not signed in, UsageError for a question that
    is not there, a score outside the scale, or nothing to keep."""
    _rater(office, by)
    asked = {question.ref for question in review.questionnaire.questions} | {""}
    kept = []
    for ref, scores, comment in rows:
        if ref not in asked:
            raise UsageError(f"there is no question {ref[:60]!r}", where="question", remedy="Take the refs of the blank table.")
        if not scores:
            raise UsageError(
                "nothing is rated", where=ref or "the whole review", remedy=f"Give {LOWEST} to {HIGHEST} to one criterion at least."
            )
        if bad := [score for score in scores.values() if not LOWEST <= score <= HIGHEST]:
            raise UsageError(f"{bad[0]} is no score", where=ref or "the whole review", remedy=f"Write {LOWEST} to {HIGHEST}.")
        if len(comment) > LONGEST:
            raise UsageError(f"the comment is longer than {LONGEST} characters", where=ref or "the whole review")
        kept.append((ref, dict(scores), comment))
    if not kept:
        raise UsageError("nothing is rated", remedy="Rate one question at least.")
    at = present(office)
    made = tuple(
        Rating(
            review=review.id,
            question=ref,
            rater=by,
            identity=Identity.AUTHENTICATED,
            scores=scores,
            comment=comment,
            way="table" if way == "table" else "page",
            at=at,
        )
        for ref, scores, comment in kept
    )
    with office.ledger.writing(durable=True):
        for rating in made:
            office.ledger.append_rating(rating)
    return made


def _rater(office: Office, by: str) -> None:
    if not by or identity_of(office, by, Scope.READ) is not Identity.AUTHENTICATED or by not in office.people:
        raise NotAllowed("only a person who signed in rates", remedy="Sign in, then send it again.")


def blank(review: StoredReview) -> bytes:
    """The table to fill in: a row for the whole review and one a question, without a score in it."""
    rows = [("", "", *([""] * len(Criterion)), "")]
    rows += [(question.ref, "", *([""] * len(Criterion)), "") for question in review.questionnaire.questions]
    return _written(rows)


def table(ratings: Sequence[Rating]) -> bytes:
    """All ratings as a table."""
    scores = [[str(r.scores.get(criterion, "")) for criterion in Criterion] for r in ratings]
    return _written([(r.question, r.rater, *given, r.comment) for r, given in zip(ratings, scores, strict=True)])


def _written(rows: Sequence[Sequence[str]]) -> bytes:
    written = io.StringIO(newline="")
    lines = csv.writer(written)
    lines.writerow(HEADER)
    lines.writerows([[f"'{cell}" if cell.lstrip().startswith(RISKY) else cell for cell in row] for row in rows])
    return written.getvalue().encode()


def read_table(data: bytes, by: str) -> tuple[Row, ...]:
    """The rows of an uploaded table that have a score. Raises UsageError with line and column where it is none, and NotAllowed where a row
    is in another person's name: nobody rates for somebody else."""
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as bad:
        raise UsageError(f"the table cannot be read ({bad})", where="table", remedy="Save it as CSV in UTF-8.") from bad
    if not lines or tuple(cell.strip() for cell in lines[0]) != HEADER:
        raise UsageError("the table has another header", where="line 1", remedy=f"Its columns are {', '.join(HEADER)}.")
    if len(lines) > MOST_ROWS:
        raise UsageError(f"the table has more than {MOST_ROWS} lines", where="table")
    found = [_row(number, cells, by) for number, cells in enumerate(lines[1:], start=2) if any(cell.strip() for cell in cells)]
    return tuple(row for row in found if row[1])


def _row(number: int, cells: Sequence[str], by: str) -> Row:
    if len(cells) != len(HEADER):
        raise UsageError(f"the line has {len(cells)} cells instead of {len(HEADER)}", where=f"line {number}")
    ref, rater, *given, comment = (cell.strip() for cell in cells)
    if rater not in ("", by):
        raise NotAllowed(f"line {number} is in the name of {rater!r}, and {by} signed in", remedy="Everybody uploads the own table.")
    scores = {}
    for criterion, score in zip(Criterion, given, strict=True):
        if score and not (score.isascii() and score.isdigit() and LOWEST <= int(score[:3]) <= HIGHEST):
            raise UsageError(
                f"{score[:20]!r} is no score", where=f"line {number}, {criterion.value}", remedy=f"Write {LOWEST} to {HIGHEST}."
            )
        if score:
            scores[criterion] = int(score)
    return ref.removeprefix("'"), scores, comment.removeprefix("'")
