"""review and recheck: run the five agents over questions, and show it as it happens."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.looking import print_status
from trustops.cli.options import HERE, AsJson, AsOf, Workspace, instant, question_named, review_named
from trustops.cli.screen import coloured, emit, harmless, say

if TYPE_CHECKING:
    from trustops.operations.answering import Prepared
    from trustops.operations.office import Office
    from trustops.ports import StoredReview

SEATS = ("commander", "policy", "control", "answer", "reviewer")


def review(
    file: Annotated[Path, typer.Argument(help="The customer's questionnaire (xlsx or csv).")],
    workspace: Workspace = HERE,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only this question; may be given again.")] = None,
    map_file: Annotated[Path | None, typer.Option("--map", help="A corrected mapping.")] = None,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Review a questionnaire: five agents and the rules on each question. Exit 0 even when answers are blocked."""
    from trustops import assembly
    from trustops.operations.intake import take_in

    at = instant(as_of)
    progress = progress_for(as_json)
    progress("reading", "", {"file": file.name})
    office = assembly.office(workspace, durable=True)
    found = take_in(office, file, map_file)
    _run(office, found, only or [], at, as_json, progress)


def recheck(
    questions: Annotated[list[str] | None, typer.Argument(help="Questions to run again.")] = None,
    workspace: Workspace = HERE,
    everything: Annotated[bool, typer.Option("--all", help="All questions of the newest review.")] = False,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Index, collect and run again, with five new calls a question. An equal outcome makes no new version."""
    from trustops import assembly
    from trustops.domain.errors import UsageError

    if not questions and not everything:
        raise UsageError("which questions?", remedy="Name some, or give --all.")
    office = assembly.office(workspace, durable=True)
    named = [question_named(office, name) for name in questions or []]
    found = named[0][0] if named else review_named(office, None)
    if any(other.id != found.id for other, _ in named):
        raise UsageError("the questions are of different reviews", remedy="Recheck one review at a time.")
    _run(office, found, [ref for _, ref in named], instant(as_of), as_json, progress_for(as_json))


def _run(office: Office, found: StoredReview, only: list[str], at: datetime | None, as_json: bool, progress: Any) -> None:
    from trustops.operations.answering import prepare

    finish(office, lambda: prepare(office, found, only=only, as_of=at, watch=progress), as_json, progress)


def finish(office: Office, preparing: Callable[[], Prepared], as_json: bool, progress: Any) -> None:
    """Prepares a run, carries it to its end and shows where its review stands."""
    from trustops.operations.reporting import report

    prepared = carried_out(office, preparing, progress)
    told = report(office, prepared.review)
    if as_json:
        emit(told)
        return
    print_status(told)
    _next_steps(told)


def carried_out(office: Office, preparing: Callable[[], Prepared], progress: Any) -> Prepared:
    """A run prepared and brought to its end, with its trace sent and its seats scored."""
    from trustops.operations.answering import alone, run_review

    try:
        prepared = preparing()
        asyncio.run(alone(office, run_review(office, prepared, progress)))
    finally:
        progress.close()
    conclude(office, prepared)
    return prepared


def conclude(office: Office, prepared: Prepared) -> None:
    """What follows the end of a run: its trace and its scores."""
    _send_trace(office, prepared)
    _grade(office, prepared)


def _send_trace(office: Office, prepared: Prepared) -> None:
    """To the collector, where one is configured. A trace that could not be sent is told, and changes nothing else."""
    import sys

    from trustops import assembly
    from trustops.domain.errors import TrustOpsError

    try:
        run = office.ledger.get_run(prepared.run.id) or prepared.run
        told = assembly.send_trace(office, run)
    except TrustOpsError as failed:
        told = str(failed)
    if told:
        sys.stderr.write(f"trace: {told}\n")


def _grade(office: Office, prepared: Prepared) -> None:
    """Scores of the seats and skills. The run is over and stands whatever becomes of them; what failed is told."""
    import sys

    from trustops.domain.errors import TrustOpsError
    from trustops.operations.grading import grade_run
    from trustops.operations.trusting import record_trust

    try:
        grade_run(office, prepared.run)
        record_trust(office)
    except (TrustOpsError, ValueError, LookupError, TypeError, OSError) as failed:
        sys.stderr.write(f"scores: {harmless(' '.join(str(failed).split()))} The run stands; `trustops score grade` grades it later.\n")


def _next_steps(told: Mapping[str, Any]) -> None:
    """What to type next."""
    blocked = [q["ref"] for q in told["questions"] if q["status"] == "BLOCKED"]
    waiting = [q for q in told["questions"] if q["status"] == "AWAITING_APPROVAL"]
    say()
    if blocked:
        say(f"Why is {blocked[0]} blocked, and what to do:   trustops show {blocked[0]}")
    if waiting:
        first = waiting[0]
        named = f"{first['ref']}@{first['answer_version']}"
        say(f"Read and approve:                          trustops show {first['ref']}; trustops approve {named} --by NAME")
    say(f"After fixing evidence or a control:        trustops recheck {blocked[0] if blocked else 'REF'}")
    say(f"What is cleared goes to the customer with: trustops export {told['review']} -o out --to CUSTOMER")


def progress_for(as_json: bool) -> Any:
    """How progress is shown: not at all for machines, live on a terminal, else in lines."""
    import sys

    if as_json:
        return Silent()
    return Live() if sys.stdout.isatty() else Lines()


class Silent:
    """No progress: machines read the document at the end."""

    def __call__(self, kind: str, question: str, data: Mapping[str, Any]) -> None:
        del kind, question, data

    def close(self) -> None:
        """Nothing is open."""


class Lines(Silent):
    """One plain line for each step that matters, where nobody watches a terminal."""

    def __init__(self) -> None:
        self.started, self.total, self.done = time.monotonic(), 0, 0

    def __call__(self, kind: str, question: str, data: Mapping[str, Any]) -> None:
        if kind == "reading":
            say(f"Reading {data['file']} ...")
        elif kind == "run_started":
            self.total = int(data["questions"])
            say(f"Run {data['run']}: {self.total} questions. Reading the evidence ...")
        elif kind == "evidence_read":
            say(f"{data['passages']} passages, {data['snapshots']} snapshots.")
            for notice in data["notices"]:
                say(f"  notice: {notice}")
        elif kind == "decided":
            self.done += 1
            codes = ", ".join(sorted(set(data["codes"]))) or "no finding"
            say(f"[{self.done}/{self.total}] {question}: {data['decision']} ({codes})")


class Live(Silent):
    """A live table of the questions in work, with seats, counts, rate and time left."""

    def __init__(self) -> None:
        from rich.live import Live as RichLive

        from trustops.cli.screen import console

        self.started, self.total = time.monotonic(), 0
        self.seats: dict[str, dict[str, str]] = {}
        self.decisions: Counter[str] = Counter()
        self.recent: list[str] = []
        self.note = "Reading ..."
        self.live = RichLive(self._render(), console=console(), refresh_per_second=8, transient=True)
        self.live.start()

    def __call__(self, kind: str, question: str, data: Mapping[str, Any]) -> None:
        from rich.markup import escape

        if kind == "run_started":
            self.total, self.started = int(data["questions"]), time.monotonic()
            self.note = "Reading the evidence ..."
        elif kind == "indexing":
            self.note = f"Reading {harmless(str(data['what']))}"
        elif kind == "evidence_read":
            self.note = f"{data['passages']} passages, {data['snapshots']} snapshots"
        elif kind == "seat_started":
            self.seats.setdefault(question, {})[data["seat"]] = "[yellow]..[/]"
        elif kind == "seat_finished":
            self.seats.setdefault(question, {})[data["seat"]] = "[green]ok[/]" if data["outcome"] == "ok" else "[red]!![/]"
        elif kind == "finding":
            self.recent = [*self.recent[-5:], f"{question} {data['code']}: {escape(harmless(str(data['summary'])[:100]))}"]
        elif kind == "decided":
            self.decisions[str(data["decision"])] += 1
            self.seats.pop(question, None)
        self.live.update(self._render())

    def close(self) -> None:
        """Leaves the terminal as it was."""
        self.live.stop()

    def _render(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        done = sum(self.decisions.values())
        table = Table(box=None, pad_edge=False)
        for column in ("question", *SEATS):
            table.add_column(column)
        for ref, seats in list(self.seats.items())[-12:]:
            table.add_row(ref, *(seats.get(seat, "") for seat in SEATS))
        counts = "  ".join(f"{coloured(name)} {number}" for name, number in sorted(self.decisions.items()))
        head = Text.from_markup(f"{done}/{self.total or '?'} decided  {counts}  {self._pace(done)}  {self.note}")
        return Group(head, table, Text.from_markup("\n".join(self.recent), style="dim"))

    def _pace(self, done: int) -> str:
        passed = time.monotonic() - self.started
        if not done or passed <= 0:
            return ""
        left = (self.total - done) * passed / done
        return f"{60 * done / passed:.0f} a minute, {left:.0f} s left"
