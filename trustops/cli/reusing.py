"""library reuse and library edits: earlier answers as proposals, and what people made of the seats' answers."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, SignIn, Workspace, acting, question_named
from trustops.cli.screen import emit, say, table

if TYPE_CHECKING:
    from trustops.operations.office import Office
    from trustops.operations.reusing import Proposal
    from trustops.ports import StoredReview


def library_reuse(
    question: Annotated[str, typer.Argument(help="REF, or REVIEW:REF.")],
    take: Annotated[str, typer.Option("--take", help="Make this earlier answer your version: the rules and the Reviewer look again.")] = "",
    by: Annotated[str, typer.Option("--by", help="The person whose version it becomes.")] = "",
    choice: Annotated[str | None, typer.Option("--choice", help="The member of the cell's list.")] = None,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> int:
    """Earlier answers to the same or a similar question, each sentence beside what a document says today. Exit 1 where there is none."""
    from trustops import assembly
    from trustops.operations.reusing import proposals

    office = acting(workspace, sign_in) if take else assembly.office(workspace)
    review, ref = question_named(office, question)
    found = proposals(office, review, ref)
    if take:
        _take(office, review, ref, found, take, by, choice, as_json=as_json)
        return 0
    if as_json:
        emit({"question": ref, "proposals": [_row(one) for one in found]})
        return 0 if found else 1
    for one in found:
        _print(one, question)
    if not found:
        say("No earlier answer to a question like this one.")
    return 0 if found else 1


def _take(
    office: Office, review: StoredReview, ref: str, found: tuple[Proposal, ...], take: str, by: str, choice: str | None, *, as_json: bool
) -> None:
    from trustops.domain.errors import UnknownName, UsageError
    from trustops.operations.answering import alone
    from trustops.operations.editing import edit_answer

    one = next((each for each in found if each.prior.id == take), None)
    if one is None:
        raise UnknownName(f"{take!r} is not proposed for {ref}", remedy="`trustops library reuse QUESTION` lists what is.")
    if not by:
        raise UsageError("whose version is it?", where="--by", remedy="Name the person who takes the answer over.")
    edited = edit_answer(office, review, ref, by=by, text=one.prior.answer, choice=choice, determination=one.determination, cite=one.cite)
    kept = asyncio.run(alone(office, edited))
    blocking = sorted({f.code.value for f in kept.findings if f.blocks})
    if as_json:
        emit({"question": ref, "version": kept.version, "digest": kept.digest, "blocking": blocking})
        return
    say(f"{ref} is now version {kept.version}.")
    say(f"Blocked by {', '.join(blocking)}: trustops show {ref}" if blocking else f"Next: trustops approve {ref}@{kept.version} --by NAME")


def _row(one: Proposal) -> dict[str, Any]:
    return {
        "answer": one.prior.id,
        "file": one.prior.file,
        "customer": one.prior.customer,
        "answered_on": one.prior.answered_on.isoformat() if one.prior.answered_on else None,
        "question": one.prior.question,
        "same_question": one.same,
        "likeness": f"{float(one.likeness):.2f}",
        "determination": one.determination.value,
        "text": one.prior.answer,
        "lines": [asdict(line) for line in one.lines],
        "cite": list(one.cite),
        "blocked_by": list(one.blocked_by),
    }


def _print(one: Proposal, question: str) -> None:
    like = "the same question" if one.same else f"a question with {float(one.likeness):.0%} of the words: {one.prior.question}"
    say(f"{one.prior.id}  {one.prior.customer or one.prior.file}, {one.prior.answered_on or 'undated'}, {one.determination.value}: {like}")
    marks = {"SAID": "=", "SUPPORTED": "~", "NOT_SAID": "!"}
    for line in one.lines:
        say(f"  {marks[line.state]} was:   {' '.join(line.text.split())}")
        if line.state != "SAID":
            say(
                f"    today: {' '.join(line.today.split()) or 'no document in force speaks of it'}"
                + (f" ({line.file})" if line.file else "")
            )
    for finding in one.blocked_by:
        say(f"  would block: {finding}")
    say(
        f"  next: trustops library reuse {question} --take {one.prior.id} --by NAME"
        if not one.blocked_by
        else "  next: edit what is not so"
    )
    say()


def library_edits(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """What people made of the seats' answers (unchanged, reworded, changed in meaning, rejected), per seat and per cited source."""
    from trustops import assembly
    from trustops.operations.calibrating import GRADES, calibrate, rates

    told = calibrate(assembly.office(workspace))
    if as_json:
        counted = {"seats": told.seats, "sources": told.sources}
        emit(
            {name: {key: dict(value) for key, value in part.items()} for name, part in counted.items()}
            | {"edits": [asdict(g) for g in told.graded]}
        )
        return
    head = [grade.lower().replace("_", " ") for grade in GRADES]
    table("", ("seat", *head, "left as it was"), list(rates(told.seats.items())))
    table("", ("source", *head, "left as it was"), list(rates(told.sources.items())))
    say(f"{len(told.graded)} answers of the seats that a person has looked at.")
