"""library: earlier answers, who owns them, and which of them cannot stand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, AsOf, By, SignIn, Workspace, acting, instant
from trustops.cli.screen import emit, say, table


def library_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Earlier answers with their ids, owners and review dates; withdrawn ones are marked."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.library import entries

    answers = entries(assembly.office(workspace))
    if as_json:
        emit({"answers": [a.model_dump(mode="json") for a in answers]})
        return
    rows = [
        (
            a.id,
            escape(a.customer or a.file),
            str(a.answered_on or "-"),
            escape(a.question[:50]),
            escape(a.answer[:60]),
            escape(a.owner or "-"),
            str(a.review_by or "-"),
            "withdrawn" if a.withdrawn else "",
        )
        for a in answers
    ]
    table("", ("id", "customer", "answered", "asked", "answer", "owner", "review by", ""), rows)


def library_withdraw(
    answer: Annotated[str, typer.Argument(help="The id of an earlier answer (see `library list`).")],
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="Why it no longer counts.")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Withdraw an earlier answer: it no longer supports, opposes or conflicts. Recheck what it blocked."""
    from trustops.operations.library import withdraw

    office = acting(workspace, sign_in)
    made = withdraw(office, answer, by=by, reason=reason)
    if as_json:
        emit({"withdrawn": made.id})
    else:
        say(f"{made.id} is withdrawn ({made.question[:60]!r}). Next: trustops recheck QUESTION")


def library_add(
    export: Annotated[str, typer.Argument(help="An export, such as X-0123456789ab (see its receipt).")],
    by: By,
    owner: Annotated[str, typer.Option("--owner", help="Who sees to these answers from now on.")],
    review_by: Annotated[str, typer.Option("--review-by", help="The day by which they must be looked at again (YYYY-MM-DD).")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Make the answers of an export earlier answers. Only what was approved and left can enter; what no longer holds does not."""
    from datetime import date

    from trustops.domain.errors import UsageError
    from trustops.operations.library import add

    try:
        day = date.fromisoformat(review_by)
    except ValueError:
        raise UsageError(f"{review_by!r} is no day", where="--review-by", remedy="Write 2027-05-31.") from None
    made = add(acting(workspace, sign_in), export, by=by, owner=owner, review_by=day)
    if as_json:
        emit({"file": str(made.file), "answers": list(made.answers), "left_out": list(made.left_out)})
        return
    say(f"{len(made.answers)} answers are in {made.file}.")
    if made.left_out:
        say(f"Left out, for they no longer hold (`trustops recall`): {', '.join(made.left_out)}.")


def library_expire(
    by: Annotated[str, typer.Option("--by", help="Withdraw them, in the name of this person; without it they are listed.")] = "",
    workspace: Workspace = HERE,
    as_of: AsOf = None,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> int:
    """Earlier answers whose review date is past. Listed: exit 1 where there is one. With --by each is withdrawn."""
    from trustops.operations.answering import instant as run_instant
    from trustops.operations.library import expire, expired
    from trustops.operations.listing import brief

    office = acting(workspace, sign_in)
    today = run_instant(office, instant(as_of))[0].date()
    found = expire(office, today, by=by) if by else expired(office, today)
    if as_json:
        emit({"expired": [brief(a) for a in found], "withdrawn": bool(by)})
    else:
        _print_brief(found)
        say(f"{len(found)} earlier answers are past their review date" + (", and withdrawn." if by else "."))
    return 1 if found and not by else 0


def library_conflicts(workspace: Workspace = HERE, as_json: AsJson = False) -> int:
    """Earlier answers that contradict or repeat each other; exit 1 where two contradict."""
    from trustops import assembly
    from trustops.operations.library import conflicts
    from trustops.operations.listing import pair_rows

    found = conflicts(assembly.office(workspace))
    if as_json:
        emit({"conflicts": pair_rows(found)})
    else:
        for pair in found:
            say(f"{pair.kind}: {_named(pair.left)} against {_named(pair.right)}")
            say(f"  {' '.join(pair.words[0].split())}")
            say(f"  {' '.join(pair.words[1].split())}")
        say(f"{len(found)} pairs. Withdraw the one that is not true: trustops library withdraw ID")
    return 1 if any(pair.kind == "CONTRADICTION" for pair in found) else 0


def _named(answer: Any) -> str:
    return f"{answer.id} ({answer.customer or answer.file}, {answer.answered_on or 'undated'})"


def _print_brief(answers: Any) -> None:
    from rich.markup import escape

    rows = [(a.id, escape(a.customer or a.file), str(a.review_by), escape(a.owner or "-"), escape(a.answer[:60])) for a in answers]
    table("", ("id", "customer", "review by", "owner", "answer"), rows)
