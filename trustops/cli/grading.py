"""eval run with a truth file, eval facts and eval implies: one run or the reader of facts against labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import AsJson
from trustops.cli.screen import emit, say, table
from trustops.domain.errors import UsageError

if TYPE_CHECKING:
    from trustops.evaluation.report import GateLine


def graded(file: Path | None, labels: Path | None, workspace: Path, *, drills: bool, answers: bool, as_json: bool) -> int:
    """Grades an honest run, and the drills, against a truth file. Exit 0 all gates pass, 1 one failed, 2 could not run."""
    if file is None or labels is None:
        raise UsageError(
            "a questionnaire and its truth file go together",
            where="eval run",
            remedy="Name both: eval run FILE --truth TRUTH -w WORKSPACE; neither runs the suites.",
        )
    from rich.markup import escape

    from trustops import assembly
    from trustops.cli.keeping_grades import keep_grades, say_grades
    from trustops.evaluation.harness import evaluate
    from trustops.evaluation.report import as_document, gates

    told = evaluate(
        labels,
        workspace,
        file,
        open_office=assembly.office,
        connect=assembly.provider_at,
        drills=drills,
        model_answers=answers,
        progress=None if as_json else say,
    )
    kept = keep_grades(workspace, told.grades)
    if as_json:
        emit(as_document(told) | {"grades": kept})
        return 0 if all(g.ok for g in gates(told)) else 1
    rows = [(escape(g.name), escape(g.value), escape(g.wanted), "[green]ok[/]" if g.ok else "[red]missed[/]") for g in gates(told)]
    table(f"{labels.name}: {len(told.graded)} questions, {told.commands}", ("figure", "reached", "wanted", ""), rows)
    for name, value in told.figures.items():
        say(f"  {name}: {value}")
    say_grades(kept)
    return 0 if all(g.ok for g in gates(told)) else 1


Labelled = Annotated[Path, typer.Argument(help="A file of labels, tests/data/facts/schema.json.")]
Gate = Annotated[bool, typer.Option("--gate", help="Exit 1 where a figure misses its bar.")]


def eval_facts(file: Labelled, gate: Gate = False, as_json: AsJson = False) -> int:
    """Precision and recall of the reader per kind and language, against labels. Exit 0 measured, 1 with --gate below a bar."""
    from trustops.evaluation.labels import LabelledSentences, load_labels
    from trustops.evaluation.reading import grade_reading, reading_gates
    from trustops.evaluation.reading_report import reading_document

    told = grade_reading(load_labels(file, LabelledSentences))
    document, lines = reading_document(file.name, told), reading_gates(told)
    if as_json:
        emit(document)
        return _code(lines, gate=gate)
    columns = ("kind", "language", "precision", "recall", "same span")
    rows = [
        (row["kind"], row["lang"], *(_share(row[name]) for name in ("precision", "recall", "span_exact")))
        for row in [*document["kinds"], *document["totals"]]
    ]
    table(f"{file.name}: {told.sentences} sentences", columns, rows)
    _missed(lines)
    return _code(lines, gate=gate)


def eval_implies(file: Labelled, gate: Gate = False, as_json: AsJson = False) -> int:
    """PROVES, OPPOSES and SILENT of the reader against labelled pairs. Exit 0 measured, 1 with --gate below a bar."""
    from trustops.evaluation.labels import LabelledPairs, load_labels
    from trustops.evaluation.reading import VERDICTS, grade_implications, implication_gates
    from trustops.evaluation.reading_report import implication_document

    told = grade_implications(load_labels(file, LabelledPairs))
    document, lines = implication_document(file.name, told), implication_gates(told)
    if as_json:
        emit(document)
        return _code(lines, gate=gate)
    confusion = document["confusion"]
    table(
        f"{file.name}: {document['pairs']} pairs",
        ("labelled", *(f"judged {v}" for v in VERDICTS)),
        [(v, *(str(confusion[v][other]) for other in VERDICTS)) for v in VERDICTS],
    )
    rows = [(row["verdict"], row["lang"], _share(row["precision"]), _share(row["recall"])) for row in document["verdicts"]]
    table("", ("verdict", "language", "precision", "recall"), rows)
    for line in lines:
        say(f"  {line.name}: {line.value} (wanted {line.wanted})")
    _missed(lines)
    return _code(lines, gate=gate)


def _share(rate: dict[str, float | int | None]) -> str:
    return "NOT_MEASURED" if rate["share"] is None else f"{rate['share']:.3f} ({rate['hits']}/{rate['of']})"


def _missed(lines: Sequence[GateLine]) -> None:
    for line in lines:
        if not line.ok:
            say(f"  missed: {line.name} {line.value}, wanted {line.wanted}")


def _code(lines: Sequence[GateLine], *, gate: bool) -> int:
    return int(gate and not all(line.ok for line in lines))
