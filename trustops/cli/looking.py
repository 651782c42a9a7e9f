"""status and show: where a review stands, and one question's whole case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace, question_named, review_named
from trustops.cli.screen import coloured, console, emit, harmless, say, table

if TYPE_CHECKING:
    from trustops.operations.office import Office
    from trustops.ports import QuestionRecord, StoredReview


def status(
    review: Annotated[str | None, typer.Argument(help="A review; the newest one when left out.")] = None,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Where a review stands: one line a question."""
    from trustops import assembly
    from trustops.operations.exporting import unplaced
    from trustops.operations.reporting import report
    from trustops.operations.resuming import left_behind

    office = assembly.office(workspace, durable=True)
    found = review_named(office, review)
    told = report(office, found)
    if as_json:
        emit(told)
        return
    print_status(told)
    for export in unplaced(office, found):
        say(f"The export {export.id} to {export.to} is on record, but not all its files are in place: run the same export again.")
    for run in office.ledger.runs(found.id):
        if left_behind(office, run):
            ways = f"`trustops resume {run.id}` goes on, `trustops cancel {run.id}` ends it"
            say(f"Run {run.id} is {'paused' if run.paused else 'resumable'}: no process works on it. {ways}.")


def print_status(told: Mapping[str, Any]) -> None:
    """The summary table."""
    from rich.markup import escape

    rows = []
    for q in told["questions"]:
        codes = ", ".join(sorted({f["code"] for f in q["findings"] if f["severity"] == "BLOCKING"}))
        rows.append((q["ref"], q["determination"] or "-", _status(q), q["risk"] or "-", codes, escape(" ".join(q["text"].split()))))
    title = f"{told['file']}  review {told['review']}  {told['status']}  {mode_line(told)}"
    table(escape(title), ("ref", "answer", "status", "risk", "blocked by", "question"), rows)
    totals = told["totals"]
    counts = ", ".join(f"{number} {name}" for name, number in sorted(totals["by_status"].items()))
    tokens = f"{totals['tokens_in']} + {totals['tokens_out']} tokens"
    say(f"{totals['questions']} questions: {counts}. {totals['model_calls']} calls of agents, {tokens}.")
    for line in authenticity_lines(told["authenticity"]):
        say(line)


MOST = 6
"""Kinds of missing proof that are listed; the rest is counted."""


def authenticity_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """What the record proves of who did it: five seats with a call of their own, and whether that was live."""
    if not told["attempts"]:
        return
    yield f"Authenticity: {told['five_seats']} of {told['attempts']} attempts have five seats with five calls of their own; " + (
        "all are live, and every proof is on record." if told["authentic"] else f"{told['authentic_attempts']} are proved live."
    )
    parts = (("not live", told["not_live"]), ("missing", told["missing"]))
    lines = [f"  {name} ({number}): {what}" for name, part in parts for what, number in sorted(part.items(), key=lambda each: -each[1])]
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"  and {len(lines) - MOST} more; `trustops status --json` lists them all."


def _status(question: Mapping[str, Any]) -> str:
    """The status in its colour; what waits and is PASS is green, the rest of what waits is yellow."""
    green = question["status"] == "AWAITING_APPROVAL" and question["decision"] == "PASS"
    return f"[green]{question['status']}[/]" if green else coloured(question["status"])


def mode_line(told: Mapping[str, Any]) -> str:
    """The mode badge: what served the calls is never left unsaid."""
    as_of = f", as of {told['as_of']}" if told.get("as_of") else ""
    unproved = ", NOT AUTHENTIC" if told["execution_mode"] == "LIVE_AI" and not told["authenticity"]["authentic"] else ""
    return f"[{told['execution_mode']}{unproved}{as_of}]"


def show(
    question: Annotated[str, typer.Argument(help="REF, or REVIEW:REF.")], workspace: Workspace = HERE, as_json: AsJson = False
) -> None:
    """The whole case of a question: answer, claims, quotes, readings, findings, versions."""
    from trustops import assembly
    from trustops.operations.differing import changed_since
    from trustops.operations.reporting import report

    office = assembly.office(workspace)
    found, ref = question_named(office, question)
    told = report(office, found)
    case = next(q for q in told["questions"] if q["ref"] == ref)
    versions = office.ledger.answers(found.id, ref)
    around = _around(office, found, ref)
    if as_json:
        emit({**case, "versions": [v.model_dump(mode="json") for v in versions], **around})
        return
    print_case(told, case)
    _print_around(around)
    for line in changed_since(office, found, ref):
        say(f"changed since version {case['answer_version']} was checked: {line}")
    _print_dossier(office.ledger.latest_records(found.id).get(ref))
    for version in versions:
        when = f"{version.created_at:%Y-%m-%d %H:%M}"
        say(f"  version {version.version} by {version.author}, {when}, {version.determination.value}: {version.text[:90]}")


def _around(office: Office, found: StoredReview, ref: str) -> dict[str, Any]:
    """The conversation that a question stands in: what it follows, and what was asked after it."""
    from trustops.operations.asking import conversation

    asked = next(question for question in found.questionnaire.questions if question.ref == ref)
    after = () if found.follows else conversation(office, found, ref)
    return {
        "follows": found.follows.model_dump() if found.follows else None,
        "conversation": [turn.model_dump() for turn in asked.conversation],
        "follow_ups": [{"ref": q.ref, "text": q.text} for case in after for q in case.questionnaire.questions],
    }


def _print_around(around: Mapping[str, Any]) -> None:
    if around["follows"]:
        say(f"It follows {around['follows']['question']}:")
    for turn in around["conversation"]:
        say(f"  asked: {turn['asked']}")
        say(f"  told:  {turn['answered'] or 'nothing has left'}")
    for after in around["follow_ups"]:
        say(f"Followed up as {after['ref']}: {after['text']}")
    if around["conversation"] or around["follow_ups"]:
        say()


def print_case(told: Mapping[str, Any], case: Mapping[str, Any]) -> None:
    """One question for a person: first what it says, then why it may not leave, then what it rests on."""
    from rich.markup import escape

    page = _Page()
    page.print(f"[bold]{case['ref']}[/]  {escape(case['text'])}")
    page.print(f"{escape(case['sheet'])}!{case['cell']}  risk {case['risk']}  {escape(mode_line(told))}")
    gate = coloured(case["export_gate"]["state"])
    page.print(f"{coloured(case['decision'])} (by {case['decision_source']})  approval {case['approval']}  export {gate}")
    if case["export_gate"]["reasons"]:
        page.print(f"does not leave because: {', '.join(case['export_gate']['reasons'])}")
    page.print(f"\n[bold]Answer[/] version {case['answer_version']}, {case['determination']}")
    for answer in case["answers"]:
        page.print(f"  {escape(answer['cell'])} {answer['part']}: {escape(answer['value'])}")
    _print_findings(page, case)
    for control in case["controls"]:
        page.print(f"\n[bold]Control[/] {control['id']}: {coloured(control['evaluation'])} {escape(control['reading'] or '')} "
                   f"(snapshot {control['snapshot_version']}, {control['source_mode']})")  # fmt: skip
    if case["conflicts"]:
        page.print("\n[bold]Conflicts[/]")
    for conflict in case["conflicts"]:
        note = " (resolved by a fresh reading)" if conflict.get("resolved") else ""
        page.print(f"  {conflict['kind']}{note}: {escape(conflict['left']['quote'])}  |  {escape(conflict['right']['quote'])}")
    if case["citations"]:
        page.print("\n[bold]Cited[/]")
    for citation in case["citations"]:
        page.print(f"  {citation['exhibit']}  {escape(citation['file'])}, {escape(citation['locator'])}: {escape(citation['quote'])}")
    say()


def _print_dossier(record: QuestionRecord | None) -> None:
    """Every exhibit of the sealed dossier: what an edit may cite and what may be withdrawn, by id."""
    from trustops.domain.dossier import exhibit_place, exhibit_text

    if record is None:
        return
    say("Dossier (ids for --cite and for `library withdraw`)")
    for name, exhibit in record.dossier.exhibits.items():
        file, locator = exhibit_place(exhibit)
        say(f"  {name}  {file}, {locator}: {' '.join(exhibit_text(exhibit).split())[:90]}")
    say()


class _Page:
    """A console whose long lines are left to the terminal: quotes stay whole and can be copied."""

    def __init__(self) -> None:
        self._console = console()

    def print(self, text: str) -> None:
        """One line of markup."""
        self._console.print(harmless(text), soft_wrap=True)


def _print_findings(page: Any, case: Mapping[str, Any]) -> None:
    from rich.markup import escape

    order = {"BLOCKING": 0, "WARNING": 1}
    unique = {(f["code"], f["summary"]): f for f in sorted(case["findings"], key=lambda f: f["source"] == "MODEL", reverse=True)}
    if unique:
        page.print("\n[bold]Findings[/]")
    for finding in sorted(unique.values(), key=lambda f: (order[f["severity"]], f["code"])):
        colour = "red" if finding["severity"] == "BLOCKING" else "yellow"
        page.print(
            f"  [{colour}]{finding['code']}[/] ({finding['severity'].lower()}, {finding['source'].lower()}) {escape(finding['summary'])}"
        )
        if finding["remedy"]:
            page.print(f"      -> {escape(finding['remedy'])}")
