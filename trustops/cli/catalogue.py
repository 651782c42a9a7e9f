"""evidence: the documents that answers rest on."""

from __future__ import annotations

from trustops.cli.options import HERE, AsJson, AsOf, Workspace, instant
from trustops.cli.screen import emit, say, table


def evidence_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Every document with kind, dates, classification and number of passages."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.listing import document_rows

    rows = document_rows(assembly.office(workspace))
    if as_json:
        emit({"documents": rows})
        return
    columns = ("path", "title", "kind", "effective", "expires", "classification", "passages")
    table("", columns, [[escape(str(row[c] if row[c] is not None else "-")) for c in columns] for row in rows])


def evidence_check(workspace: Workspace = HERE, as_of: AsOf = None, as_json: AsJson = False) -> int:
    """What is expired, undated or could not be read; exit 1 where something is."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.answering import instant as run_instant
    from trustops.operations.listing import evidence_problems

    office = assembly.office(workspace)
    number, problems = evidence_problems(office, run_instant(office, instant(as_of))[0].date())
    if as_json:
        emit({"problems": problems})
    else:
        table("", ("file", "what"), [(escape(p["file"]), escape(p["what"])) for p in problems])
        say(f"{number} documents, {len(problems)} problems.")
    return 1 if problems else 0
