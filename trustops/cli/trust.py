"""trust: profiles of agents, skills, publishers and sub-processors. A grade informs; it opens nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, harmless, say, table

Subject = Annotated[str, typer.Argument(help="A seat, skill, publisher or sub-processor: reviewer, skill/search-evidence.")]
INFORMS = "A trust grade informs people; it opens nothing."


def trust_show(subject: Subject, workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """A subject's trust score now: five dimensions, availability beside them, what is estimated, and its last records."""
    from trustops import assembly
    from trustops.operations.reputing import in_evaluations, reputation_row
    from trustops.operations.trusting import assess_one, history_of, profile_row
    from trustops.scoring.plotting import sparkline

    office = assembly.office(workspace)
    apart = in_evaluations(office, subject)
    found, records = assess_one(office, subject), list(history_of(office, subject))
    if as_json:
        emit({**profile_row(found), "records": len(records), "in_evaluations": [reputation_row(each) for each in apart]})
        return
    trust = found.trust
    scored = f"trust {trust.trust_score}, grade {trust.grade.value}; availability {trust.availability_score}"
    say(f"{found.subject} ({found.profile.kind}): {scored}")
    counted = f"{found.evaluations} evaluations of {found.mode} runs" if found.evaluations else "no evaluation on record"
    say(f"Base {trust.base_avg:.2f} (60 %), bonus {trust.bonus_avg:.2f} (40 %). It rests on {counted}.")
    rows = [
        (name.value, f"{d.raw:.2f}", f"{d.factor:.2f}", f"{d.score}", "estimated" if d.is_estimated else "")
        for name, d in trust.dimensions.items()
    ]
    table("", ("dimension", "measured", "freshness", "counts", ""), rows)
    if trust.vetoed_by:
        say(f"Capped at 3.0: {', '.join(trust.vetoed_by)} below 2.0 before any discount.")
    if records:
        count = f"{len(records)} record{'s' if len(records) > 1 else ''}"
        say(f"History {sparkline([each.trust_score for _, each in records])} ({count}, the last of {records[-1][0].at[:10]})")
    for each in apart:
        rep = each.reputation
        served = harmless(f"{each.model or 'no model named'}")
        say(f"Apart, in evaluations: {rep.score:.3f} over {rep.evaluation_count} grades ({served}). They are not in the score.")
    say(INFORMS)


def trust_history(subject: Subject, workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """A subject's records: one is written where a dimension moved by 0.5 or the score by 0.3."""
    from trustops import assembly
    from trustops.operations.trusting import assess_one, history_of, record_row
    from trustops.scoring.plotting import sparkline

    office = assembly.office(workspace)
    records = list(history_of(office, subject))
    if not records:
        assess_one(office, subject)  # a name that nobody knows is refused
    if as_json:
        emit({"subject": subject, "records": [record_row(record) for record, _ in records]})
        return
    if not records:
        say("There is no record yet: `trustops score grade` writes the first.")
        return
    rows = [
        (str(record.seq), record.at[:16], str(trust.trust_score), trust.grade.value, str(trust.availability_score), record.hash[:16])
        for record, trust in records
    ]
    table("", ("record", "at", "trust", "grade", "availability", "hash"), rows)
    say(sparkline([trust.trust_score for _, trust in records]))


def trust_compare(
    subjects: Annotated[list[str], typer.Argument(help="Two or more subjects.")], workspace: Workspace = HERE, as_json: AsJson = False
) -> None:
    """Subjects side by side, dimension by dimension. An estimated value is marked with ~."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.trusting import assess_one, profile_row

    office = assembly.office(workspace)
    found = [assess_one(office, subject) for subject in dict.fromkeys(subjects)]
    if as_json:
        emit({"subjects": [profile_row(each) for each in found]})
        return
    rows = [("trust", *(f"{each.trust.trust_score} {each.trust.grade.value}" for each in found))]
    for name in found[0].trust.dimensions:
        cells = [each.trust.dimensions[name] for each in found]
        rows.append((name.value, *(f"{cell.score}{' ~' if cell.is_estimated else ''}" for cell in cells)))
    rows.append(("evaluations", *(f"{each.evaluations} {each.mode}".strip() for each in found)))
    table("", ("", *(escape(each.subject) for each in found)), rows)
    say(f"~ is a default: nothing is known. {INFORMS}")


def trust_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """All subjects with a profile or with evaluations."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.trusting import assess_all, profile_row

    found = assess_all(assembly.office(workspace))
    if as_json:
        emit({"subjects": [profile_row(each) for each in found]})
        return
    rows = [
        (escape(each.subject), each.profile.kind, str(each.trust.trust_score), each.trust.grade.value, str(each.trust.availability_score),
         f"{each.evaluations} {each.mode}".strip(), f"capped by {', '.join(each.trust.vetoed_by)}" if each.trust.vetoed_by else "")
        for each in found
    ]  # fmt: skip
    table("", ("subject", "kind", "trust", "grade", "availability", "evaluations", ""), rows)
    say(INFORMS)


def trust_verify(
    head: Annotated[str, typer.Option("--head", help="A hash that was noted earlier: the chain must still hold it.")] = "",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> int:
    """Walk along the chain of trust records; every record that was altered is named. Exit 1 where one was."""
    from trustops import assembly
    from trustops.operations.trusting import verify_trust

    found = verify_trust(assembly.office(workspace), head)
    if as_json:
        bad = [{"record": seq, "subject": subject, "problem": problem} for seq, subject, problem in found.bad]
        emit({"valid": not bad, "records": found.records, "head": found.head, "bad": bad})
        return 1 if bad else 0
    for seq, subject, problem in found.bad:
        say(f"NO  record {seq}{f' ({subject})' if subject else ''}: {problem}")
    if not found.bad:
        say(f"All {found.records} records hold. Head: {found.head}")
        say("Note the head elsewhere: records that were cut off at the end show only against it (--head HASH).")
    return 1 if found.bad else 0
