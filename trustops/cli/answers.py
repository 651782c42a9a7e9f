"""edit, approve, reject: what people decide."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting, question_named, review_named, versioned
from trustops.cli.screen import emit, say

if TYPE_CHECKING:
    from trustops.domain.approval import Approval

Named = Annotated[str, typer.Argument(help="REF, or REVIEW:REF.")]


def edit(
    question: Named,
    by: By,
    text: Annotated[str, typer.Option("--text", help="The answer in your words.")],
    choice: Annotated[str | None, typer.Option("--choice", help="The member of the cell's list.")] = None,
    determination: Annotated[str | None, typer.Option("--determination", help="YES, NO, PARTIAL, NOT_APPLICABLE or UNKNOWN.")] = None,
    cite: Annotated[list[str] | None, typer.Option("--cite", help="An exhibit of the dossier; may be given again.")] = None,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """A person's version: checked by the same rules, looked at by the Reviewer, then to be approved anew."""
    from trustops.domain.answer import Determination
    from trustops.domain.errors import UsageError
    from trustops.operations.answering import alone
    from trustops.operations.editing import edit_answer

    if determination is not None and determination not in Determination.__members__:
        raise UsageError(f"{determination!r} is no determination", remedy=f"One of {', '.join(Determination.__members__)}.")
    office = acting(workspace, sign_in)
    found, ref = question_named(office, question)
    meant = Determination(determination) if determination else None
    edited = edit_answer(office, found, ref, by=by, text=text, choice=choice, determination=meant, cite=cite or ())
    kept = asyncio.run(alone(office, edited))
    blocking = sorted({f.code.value for f in kept.findings if f.blocks})
    if as_json:
        emit({"question": ref, "version": kept.version, "digest": kept.digest, "blocking": blocking})
        return
    say(f"{ref} is now version {kept.version}.")
    say(f"Blocked by {', '.join(blocking)}: trustops show {ref}" if blocking else f"Next: trustops approve {ref}@{kept.version} --by NAME")


def approve(
    by: By,
    questions: Annotated[list[str] | None, typer.Argument(help="REF@VERSION, one or more.")] = None,
    green: Annotated[bool, typer.Option("--green", help="All PASS answers of the newest review.")] = False,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Approve exactly these answer versions. What is blocked cannot be approved."""
    from trustops.domain.errors import TrustOpsError, UsageError
    from trustops.operations.approving import approve as approve_one
    from trustops.operations.approving import approve_green, covered

    if bool(questions) == green:
        raise UsageError("which answers?", remedy="Name REF@VERSION, or give --green for all PASS answers.")
    office = acting(workspace, sign_in)
    done: list[tuple[Approval, Sequence[str]]] = []
    try:
        if green:
            found = review_named(office, None)
            done = [(given, covered(office, found, given)) for given in approve_green(office, found, by=by)]
        for name in questions or []:
            ref, version = versioned(name)
            found, ref = question_named(office, ref)
            given = approve_one(office, found, ref, version, by=by)
            done.append((given, covered(office, found, given)))
    except TrustOpsError:
        if not as_json:
            _say_approved(done)  # each is recorded by itself: what was approved before the refusal stands
        raise
    if as_json:
        emit({"approved": [{**given.model_dump(mode="json"), "covers": list(told)} for given, told in done]})
        return
    _say_approved(done)
    if not done:
        say("No answer is PASS and waiting; approve others one by one.")


def _say_approved(done: Sequence[tuple[Approval, Sequence[str]]]) -> None:
    for approval, covered in done:
        until = f" until {approval.expires_at:%Y-%m-%d}" if approval.expires_at else ""
        say(f"{approval.question}@{approval.version} approved by {approval.by} ({approval.identity.value}){until}.")
        say(f"  It covers digest {approval.digest[:16]}: {'; '.join(covered)}.")


def reject(
    question: Named,
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="What must change.")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Reject the current version of an answer, with a reason."""
    from trustops.operations.approving import reject as reject_one

    office = acting(workspace, sign_in)
    found, ref = question_named(office, question)
    made = reject_one(office, found, ref, by=by, reason=reason)
    if as_json:
        emit({"rejected": made.model_dump(mode="json")})
    else:
        say(f"{ref}@{made.version} rejected by {made.by}: {made.reason}")
