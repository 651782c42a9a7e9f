"""evidence: the documents that answers rest on."""

from __future__ import annotations

from typing import Any

from trustops.cli.options import HERE, AsJson, AsOf, Workspace, instant
from trustops.cli.screen import emit, say, table


def evidence_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Every document with kind, dates, classification and number of passages."""
    from collections import Counter

    from rich.markup import escape

    from trustops import assembly

    office = assembly.office(workspace)
    read = office.reader.read_folder(office.workspace)
    counts = Counter(p.document.path for p in read.passages)
    rows = [
        {
            "path": d.path,
            "title": d.title,
            "kind": d.kind.value,
            "effective": d.effective.isoformat() if d.effective else None,
            "expires": d.expires.isoformat() if d.expires else None,
            "classification": d.classification.value,
            "passages": counts[d.path],
        }
        for d in read.documents
    ]
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

    office = assembly.office(workspace)
    read = office.reader.read_folder(office.workspace)
    at, _ = run_instant(office, instant(as_of))
    problems = [{"file": d.path, "what": _dated(d, at.date())} for d in read.documents if _dated(d, at.date())]
    problems += [{"file": n.file, "what": f"{n.where} {n.what} {n.remedy}".strip()} for n in read.notices]
    if as_json:
        emit({"problems": problems})
    else:
        table("", ("file", "what"), [(escape(p["file"]), escape(p["what"])) for p in problems])
        say(f"{len(read.documents)} documents, {len(problems)} problems.")
    return 1 if problems else 0


def _dated(document: Any, today: Any) -> str:
    if document.effective is None and document.expires is None:
        return "undated"
    return "" if document.in_force(today) else f"not in force (effective {document.effective}, expires {document.expires})"
