"""ask: a customer's follow-up, through the same seats, rules and gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.looking import print_case
from trustops.cli.options import HERE, AsJson, AsOf, SignIn, Workspace, acting, instant, question_named
from trustops.cli.reviewing import carried_out, progress_for
from trustops.cli.screen import emit, say
from trustops.domain.errors import UsageError

if TYPE_CHECKING:
    from trustops.operations.asking import Turn
    from trustops.operations.office import Office
    from trustops.ports import StoredReview


def ask(
    question: Annotated[str, typer.Argument(help="The question that is followed up, or a follow-up to it: REF, or REVIEW:REF.")],
    text: Annotated[str | None, typer.Argument(help="What the customer asks; without it the conversation is shown.")] = None,
    export: Annotated[Path | None, typer.Option("--export", help="Send the cleared answer of a follow-up: the folder to write to.")] = None,
    to: Annotated[str, typer.Option("--to", help="The customer who receives it.")] = "",
    by: Annotated[str, typer.Option("--by", help="Who sends it: analyst, approver or admin; goes on record.")] = "",
    workspace: Workspace = HERE,
    as_of: AsOf = None,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """A customer's follow-up to a question: five agents and the rules, then a person's approval, then it may leave. Exit 1 where what
    should be sent is not cleared."""
    if text is not None and export is not None:
        raise UsageError("ask first, send later", remedy="What was just asked is not approved yet: leave out --export.")
    if export is not None:
        _send(question, export, to, by, workspace, sign_in, as_json)
    elif text is not None:
        _ask(question, text, workspace, as_of, as_json)
    else:
        _show(question, workspace, as_json)


def _ask(name: str, text: str, workspace: Path, as_of: str | None, as_json: bool) -> None:
    from trustops import assembly
    from trustops.operations.answering import prepare
    from trustops.operations.asking import ask as ask_one
    from trustops.operations.asking import turn

    at, progress = instant(as_of), progress_for(as_json)
    office = assembly.office(workspace, durable=True)
    found, ref = question_named(office, name)
    case = ask_one(office, found, ref, text)
    carried_out(office, lambda: prepare(office, case, as_of=at, watch=progress), progress)
    _print(office, case, turn(office, case), as_json)


def _print(office: Office, case: StoredReview, now: Turn, as_json: bool) -> None:
    from trustops.operations.asking import turn_report
    from trustops.operations.reporting import report

    told = report(office, case)
    entry = told["questions"][0]
    if as_json:
        emit({**entry, **turn_report(now), "execution_mode": told["execution_mode"], "as_of": told["as_of"], "run": told["run"]})
        return
    print_case(told, entry)
    ref = now.question.ref
    say(f"{ref} follows {case.follows.question if case.follows else ''}. {_state(now)}")
    if entry["status"] == "AWAITING_APPROVAL":
        say(f"Next: trustops approve {ref}@{entry['answer_version']} --by NAME; then trustops ask {ref} --export OUT --to CUSTOMER")


def _show(name: str, workspace: Path, as_json: bool) -> None:
    from trustops import assembly
    from trustops.operations.asking import conversation_report, root_of, turns

    office = assembly.office(workspace, durable=True)
    named = question_named(office, name)
    if as_json:
        emit(conversation_report(office, *named))
        return
    root, ref = root_of(office, *named)
    found = turns(office, root, ref)
    if not found:
        say(f'Nobody followed up on {ref}. trustops ask {ref} "..." does.')
    for each in found:
        say(f"{each.question.ref}  {each.question.text}")
        say(f"  {_state(each)}")
        if each.text:
            say(f"  {each.text}")


def _send(name: str, out: Path, to: str, by: str, workspace: Path, sign_in: bool, as_json: bool) -> None:
    from trustops.operations.asking import send, turn_report

    if not to.strip():
        raise UsageError("who receives it?", where="--to", remedy="Name the customer with --to.")
    office = acting(workspace, sign_in)
    case, ref = question_named(office, name)
    if case.follows is None:
        raise UsageError(f"{ref} is no follow-up", remedy="`trustops export` sends the answers of a questionnaire.")
    made, now = send(office, case, out, to=to, by=by)
    if as_json:
        emit({**turn_report(now), "file": str(made.file), "receipt": str(made.receipt), "bundle": str(made.bundle), "to": to})
        return
    say(f"{ref} was cleared and is on record as sent to {to} [{made.execution_mode}]; receipt {made.receipt}, bundle {made.bundle}.")
    say("This text, and no other, may be copied into a reply:")
    say(now.text)


def _state(now: Turn) -> str:
    """Whether it may leave, and if not why, in one sentence."""
    if not now.reasons:
        return f"{now.standing.status.value}: cleared, it may leave."
    return f"{now.standing.status.value}: it may not leave ({', '.join(now.reasons)})."
