"""Options that many commands share, and how a question is named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.domain.errors import UnknownName, UsageError
from trustops.domain.record import RunInfo

if TYPE_CHECKING:
    from trustops.operations.office import Office
    from trustops.ports import StoredReview

Workspace = Annotated[Path, typer.Option("--workspace", "-w", help="The workspace of the organisation.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document for machines.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Judge freshness at this instant (ISO 8601); makes the run TEST.")]
By = Annotated[str, typer.Option("--by", help="The person, as named under [people].")]
SignIn = Annotated[bool, typer.Option("--sign-in", help="Ask for your sign-in token; else TRUSTOPS_TOKEN counts, where it is set.")]
HERE = Path()


def acting(workspace: Path, sign_in: bool) -> Office:
    """The office for a person who acts, signed in where there is a token."""
    from trustops import assembly

    return assembly.acting(workspace, typer.prompt("Token", hide_input=True, err=True) if sign_in else "")


def instant(text: str | None) -> datetime | None:
    """The instant of --as-of; without a zone it is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as bad:
        raise UsageError(f"{text!r} is no instant", where="--as-of", remedy="Write 2026-11-30T12:00:00Z.") from bad
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def review_named(office: Office, name: str | None) -> StoredReview:
    """The review of an id (or its beginning), or the newest one."""
    found = office.ledger.get_review(name) if name else office.ledger.latest_review()
    if found is None:
        what = f"there is no review {name!r}" if name else "there is no review yet"
        raise UnknownName(what, where=office.organisation, remedy="Start one with `trustops review FILE`.")
    return found


def run_named(office: Office, name: str | None) -> RunInfo:
    """The run of an id, or the newest one of the newest review."""
    found = office.ledger.get_run(name) if name else None
    if not name and (review := office.ledger.latest_review()) is not None:
        found = max(office.ledger.runs(review.id), key=lambda run: run.started_at, default=None)
    if found is None:
        what = f"there is no run {name!r}" if name else "there is no run yet"
        raise UnknownName(what, where=office.organisation, remedy="`trustops status --json` names the newest one.")
    return found


def question_named(office: Office, name: str) -> tuple[StoredReview, str]:
    """REF in the newest review or among the follow-ups to it, or REVIEW:REF; raises UnknownName where there is no such question."""
    review_id, _, ref = name.rpartition(":")
    found = review_named(office, review_id or None)
    if all(question.ref != ref for question in found.questionnaire.questions):
        for case in office.ledger.follow_ups(found.id):
            if any(question.ref == ref for question in case.questionnaire.questions):
                return case, ref
        raise UnknownName(f"there is no question {ref!r}", where=found.questionnaire.file, remedy="`trustops status` lists the refs.")
    return found, ref


def versioned(name: str) -> tuple[str, int | None]:
    """REF@VERSION as a pair; the version is None where it was left out."""
    ref, _, version = name.rpartition("@")
    if not ref:
        return name, None
    if not version.isdigit():
        raise UsageError(f"{version!r} is no version", where=name, remedy="Write REF@VERSION, such as Q-001@1.")
    return ref, int(version)
