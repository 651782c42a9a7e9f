"""Resuming, pausing and cancelling: a run that no process works on is taken up; one in work is paused or ended in the books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from trustops.domain.errors import Refused, UnknownName, UsageError
from trustops.domain.finding import FindingCode
from trustops.domain.record import Event, RunInfo
from trustops.operations.answering import Prepared, end_run, gather, prepare
from trustops.operations.office import Office
from trustops.operations.shelving import basis, shelf
from trustops.operations.telling import Watch, event_name
from trustops.ports import StoredReview

DURABLE = "durable"
"""How the name of an engine begins whose runs can be taken up (RunInfo.engine)."""


def left_behind(office: Office, run: RunInfo) -> bool:
    """Whether the run is neither over nor in the hands of a living process. Only a durable run can be."""
    return run.state == "RUNNING" and run.engine.startswith(DURABLE) and not office.engine.held(run.id)


def all_left(office: Office) -> list[RunInfo]:
    """Every run that was left behind, paused ones too, oldest first."""
    found = [run for review in office.ledger.reviews() for run in office.ledger.runs(review.id) if left_behind(office, run)]
    return sorted(found, key=lambda run: run.started_at)


def newest_left(office: Office) -> RunInfo:
    """The newest run that was left behind; raises UnknownName where there is none."""
    found = all_left(office)
    if not found:
        raise UnknownName("there is no run to go on with", where=office.organisation, remedy="`trustops status` shows where things stand.")
    return found[-1]


def take_up(office: Office, name: str | None, watch: Watch) -> Prepared:
    """The named run, or the newest one that was left behind, ready to go on: what is decided stays, at the run's own instant.

    Raises Refused for a run that is over, that a process works on, or that has no journal.
    """
    run = _named(office, name) if name else newest_left(office)
    _check(office, run)
    review = _review_of(office, run)
    office.engine.hold(run.id)
    prepared = None
    try:
        _unpause(office, run)
        watch("run_started", "", {"run": run.id, "questions": len(run.questions) - len(decided(office, run))})
        told = Counter(event_name(event.kind, event.question, event.data) for event in events_of(office, run))
        prepared = gather(office, review, run, watch, told)
    finally:
        if prepared is None:
            office.engine.let_go(run.id)
    # after the attempts were counted: what a helper decides meanwhile is done, and nothing that it decided is begun as a second attempt
    return replace(prepared, done=frozenset(decided(office, run)))


def join(office: Office, name: str) -> Prepared | None:
    """What a worker needs to answer questions of a run that another process holds: the readings that the run began with, and its instant.
    Nothing is appended. None where the run is over or paused."""
    run = office.ledger.get_run(name)
    if run is None or run.state != "RUNNING" or run.paused:
        return None
    review = _review_of(office, run)
    read = next((event.data["read"] for event in events_of(office, run) if event.kind == "evidence_read"), {})
    held = office.ledger.snapshots()
    wanted = read.items() if isinstance(read, dict) else ()
    snapshots = {control: each for control, version in wanted for each in held.get(control, ()) if each.version == version}
    purse = office.usd_per_review
    money = None if purse is None else office.engine.purse(review.id, purse, office.ledger.spent(review.id))
    desk = shelf(office, run.as_of, snapshots)
    return Prepared(run, review, desk, {}, basis(office, snapshots, run.as_of), purse=money)


def go_on(office: Office, name: str | None, watch: Watch) -> Prepared:
    """What `resume` does: takes up a run that was left behind, or else asks again where a seat gave nothing usable, at the run's own
    instant where one was given. Raises as `take_up` does where there is neither."""
    run = office.ledger.get_run(name) if name else None
    if run is None and (name or all_left(office)):
        return take_up(office, name, watch)
    if run is not None and run.state != "FINISHED":
        return take_up(office, name, watch)
    review = _review_of(office, run) if run else office.ledger.latest_review()
    missing = without_seat(office, review) if review else []
    if run is not None:
        missing = [ref for ref in missing if ref in run.questions]
    if review is None or not missing:
        return take_up(office, name, watch)
    newest = run or max(office.ledger.runs(review.id), key=lambda each: each.started_at)
    return prepare(office, review, only=missing, as_of=newest.as_of if newest.as_of_given else None, watch=watch)


def without_seat(office: Office, review: StoredReview) -> list[str]:
    """Questions whose newest attempt lacks a seat: its model failed, was too late or made no sense."""
    lost = {FindingCode.AGENT_UNAVAILABLE, FindingCode.REVIEWER_UNAVAILABLE}
    records = office.ledger.latest_records(review.id)
    return [ref for ref, record in records.items() if any(finding.code in lost for finding in record.result.findings)]


def _unpause(office: Office, run: RunInfo) -> None:
    """What was looked at before the lease was ours is looked at again: the run may have ended meanwhile."""
    with office.ledger.writing():
        kept = office.ledger.get_run(run.id) or run
        _check(office, kept)
        if kept.paused:
            office.ledger.append_pause(run.id, paused=False)
            office.ledger.append_event(run.id, "run_resumed")


def pause(office: Office, name: str, watch: Watch) -> RunInfo:
    """Pauses a run in the books; pausing it again changes nothing. A process that works on it takes no new question, ends those that
    are in work and leaves the rest to `resume`. Raises Refused for a run that is over, UsageError for one without a journal."""
    with office.ledger.writing():
        run = _named(office, name)
        _check(office, run)
        if not run.paused:
            office.ledger.append_pause(run.id, paused=True)
            office.ledger.append_event(run.id, "run_paused")
    watch("run_paused", "", {"run": run.id})
    return run


def decided(office: Office, run: RunInfo) -> set[str]:
    """Questions of the run that this run, or a run started after it, decided."""
    later = {other.id for other in office.ledger.runs(run.review) if other.started_at >= run.started_at}
    return {ref for ref, record in office.ledger.latest_records(run.review).items() if record.run in later and ref in run.questions}


def cancel(office: Office, name: str, watch: Watch) -> RunInfo:
    """Ends a run in the books with its terminal event. A process that works on it sees that, breaks off and decides nothing more."""
    run = _named(office, name)
    if run.state != "RUNNING":
        raise Refused(f"the run is over ({run.state.lower()})", where=run.id, remedy="There is nothing to cancel.")
    end_run(office, run, "CANCELLED", watch)
    return run


def events_of(office: Office, run: RunInfo) -> Iterator[Event]:
    """All events of the run, in order."""
    after = 0
    while page := office.ledger.events(run.id, after=after):
        yield from page
        after = page[-1].seq


def _named(office: Office, name: str) -> RunInfo:
    run = office.ledger.get_run(name)
    if run is None:
        raise UnknownName("there is no such run", where=name, remedy="`trustops status --json` names the newest one.")
    return run


def _check(office: Office, run: RunInfo) -> None:
    if run.state != "RUNNING":
        raise Refused(f"the run is over ({run.state.lower()})", where=run.id, remedy="`trustops recheck` runs questions again.")
    if not run.engine.startswith(DURABLE):
        raise UsageError(
            "the run has no journal", where=run.id, remedy="`trustops cancel` ends it, `trustops recheck --all` runs its questions again."
        )


def _review_of(office: Office, run: RunInfo) -> StoredReview:
    review = office.ledger.get_review(run.review)
    if review is None:
        raise UnknownName("the run's review is not in the books", where=run.review, remedy="Restore the ledger from a backup.")
    return review
