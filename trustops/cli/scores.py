"""score: what is on record of seats and skills. Scores inform; they open nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting
from trustops.cli.screen import emit, say, table

if TYPE_CHECKING:
    from trustops.operations.reputing import Standing

Agent = Annotated[str, typer.Option("--agent", help="Only this seat or skill: reviewer, skill/search-evidence.")]
OPENS_NOTHING = "Scores inform people; no score opens the gate."


def score_show(
    agent: Annotated[str, typer.Argument(help="A seat or skill; all when left out.")] = "",
    models: Annotated[bool, typer.Option("--models", help="Apart by the model that served, to compare them.")] = False,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Reputations: the time-weighted mean of evaluations, each mode and each organisation apart."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.reputing import reputation_row, reputations

    office = assembly.office(workspace)
    found = reputations(office, agent, models=models)
    if as_json:
        emit({"reputations": [reputation_row(each) for each in found]})
        return
    gone = sum(each.revoked is not None for each in office.ledger.trusted_keys())
    if gone:
        say(f"What {gone} revoked key{'s' if gone > 1 else ''} signed counts in nothing here: `trustops score keys` says why.")
    if not found:
        say("There is no evaluation yet. A review makes them when it ends; `trustops score grade` grades what is on record.")
        return
    columns = ("agent", *(("model",) if models else ()), "mode", "of", "score", "evaluations", "last", "rubrics")
    table("", columns, [tuple(map(escape, _row(each, models))) for each in found])
    for each in found:
        if len(each.rubrics) > 1:
            say(f"{each.agent} ({each.mode}) mixes {', '.join(sorted(each.rubrics))}: none was rescored.")
        if each.forged:
            say(f"{each.agent} ({each.mode}): {each.forged} do not count, for their seal does not fit. See `trustops score verify`.")
    say(
        "TEST is what scripts, recordings and given instants served, EVALUATION what `trustops eval run` graded; neither counts as LIVE_AI."
    )
    say(OPENS_NOTHING)


def _row(each: Standing, models: bool) -> tuple[str, ...]:
    rep = each.reputation
    shown = (each.model or "-",) if models else ()
    whose = each.source or "us"
    return (
        each.agent, *shown, each.mode, whose, f"{rep.score:.3f}", str(rep.evaluation_count), rep.last_evaluated_at[:16],
        ", ".join(sorted(each.rubrics)),
    )  # fmt: skip


def score_grade(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Grade every attempt on record, and what people did with the drafts. Grading again appends nothing."""
    from trustops import assembly
    from trustops.operations.grading import grade_all
    from trustops.operations.trusting import record_trust

    office = assembly.office(workspace)
    told = grade_all(office)
    recorded = record_trust(office)
    if as_json:
        emit({"made": told.made, "of": told.of, "trust_records": len(recorded)})
        return
    say(f"{told.made} evaluations made, {told.of - told.made} were on record.")
    say(f"{len(recorded)} trust scores moved so far that they are noted.")
    if office.signer.public_key() is None:
        say("They carry no signature that others could check: there is no signing key (`trustops keys init`).")


def score_export(
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write: a signed evaluation a line.")],
    agent: Agent = "",
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Write our own evaluations for another organisation, each signed with the organisation's key."""
    from trustops import assembly
    from trustops.operations.federating import export_scores

    office = assembly.office(workspace)
    count = export_scores(office, out, agent)
    key = next((known.fingerprint for known in office.signer.known() if known.current), "")
    if as_json:
        emit({"file": str(out), "evaluations": count, "fingerprint": key})
    else:
        say(f"{count} evaluations in {out}, signed by {key}.")
        say("Give the public key (`trustops keys show`) on another way than the file.")


def score_import(
    file: Annotated[Path, typer.Argument(help="A file of another organisation's `trustops score export`.")],
    key: Annotated[Path | None, typer.Option("--key", help="The signer's public key, which reached you on another way.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Take the key inside the file at its word, from now on.")] = False,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> None:
    """Take in another organisation's evaluations, from a trusted key alone, all of them or none. They stay marked as theirs."""
    from trustops import assembly
    from trustops.domain.errors import MalformedFile
    from trustops.operations.federating import import_scores

    try:
        given = key.read_bytes() if key else None
    except OSError as bad:
        raise MalformedFile(f"the key cannot be read ({bad.strerror})", where=str(key)) from bad
    done = import_scores(assembly.office(workspace), file, key=given, trust=trust)
    if as_json:
        emit({"new": done.new, "known": done.known, "organisation": done.organisation, "fingerprint": done.fingerprint})
        return
    say(f"{done.new} evaluations of {done.organisation} taken in, {done.known} were known.")
    if done.newly_trusted:
        say(f"The key {done.fingerprint} is trusted from now on, for {done.organisation} alone.")
        if trust and not given:
            say("It came inside the file: compare its fingerprint with what its owner says on another way.")


def score_keys(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """The keys of other organisations that are trusted, or were until somebody revoked them."""
    from rich.markup import escape

    from trustops import assembly

    known = assembly.office(workspace).ledger.trusted_keys()
    if as_json:
        emit({"keys": [each.model_dump(mode="json", exclude={"public_key"}) for each in known]})
        return
    if not known:
        say("No key of another organisation is trusted: `trustops score import FILE --key PUB` trusts the first.")
        return
    rows = []
    for each in known:
        gone = each.revoked
        told = f"revoked on {gone.at[:10]} by {gone.by}: {gone.reason}" if gone else f"since {each.at[:10]}"
        rows.append((each.fingerprint, escape(each.organisation), escape(told)))
    table("", ("key", "may sign for", ""), rows)


def score_revoke(
    key: Annotated[str, typer.Argument(help="The key's fingerprint, or its beginning.")],
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is shown wherever the key is.")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Trust a key no more, for good: what came in under it counts in nothing, and nothing more comes in."""
    from trustops.operations.federating import revoke_key

    done = revoke_key(acting(workspace, sign_in), key, by=by, reason=reason)
    if as_json:
        emit(done.model_dump(mode="json", exclude={"public_key"}))
        return
    say(f"The key {done.fingerprint} of {done.organisation} is trusted no more. What it signed stays on record and counts in nothing.")


def score_mandates(
    file: Annotated[Path, typer.Argument(help="JSON lines: mandate, issuer, agent, outcome, completed_at.")],
    by: By,
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Take in what became of mandates that agents were given elsewhere (PACT and its like), as evaluations that you vouch for."""
    from trustops.operations.mandating import take_mandates

    done = take_mandates(acting(workspace, sign_in), file, by=by)
    if as_json:
        emit({"made": done.made, "of": done.of})
        return
    say(f"{done.made} mandates taken in, {done.of - done.made} were known. They count as TEST: nothing here proves them.")


def score_verify(workspace: Workspace = HERE, as_json: AsJson = False) -> int:
    """Check every evaluation on record: seal, composite, signature. Exit 1 where one does not hold."""
    from trustops import assembly
    from trustops.operations.vouching import verify_scores

    found = verify_scores(assembly.office(workspace))
    if as_json:
        bad = [{"id": id, "problem": problem} for id, problem in found.bad]
        emit(
            {
                "valid": not bad,
                "evaluations": found.of,
                "bad": bad,
                "unsigned": found.unsigned,
                "unknown_key": found.unkeyed,
                "hmac": found.hmac,
            }
        )
    else:
        for id, problem in found.bad:
            say(f"NO  {id}: {problem}")
        say(f"{found.of - len(found.bad)} of {found.of} evaluations hold: their seals fit, and their composites are those of their scores.")
        say(f"{found.unsigned} carry no Ed25519 signature, {found.unkeyed} one by a key that is not here; all others were checked.")
        say(f"{found.hmac} protocol signatures (HMAC) fit a secret that is here; those made with a key that was replaced do not.")
        if found.unsigned:
            say("A seal proves that nobody without .trustops/score.secret wrote it. It proves nothing to others.")
    return 1 if found.bad else 0


def score_rubrics(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """What seats and skills are judged by: the shipped rubrics, and those on record of earlier versions and other organisations."""
    from rich.markup import escape

    from trustops import assembly
    from trustops.operations.grading import kept_rubric, shipped
    from trustops.scoring.score import Rubric

    used = {(each.id, each.version): each for each in assembly.office(workspace).ledger.rubrics()}
    shown = {(each.id, each.version): kept_rubric(each) for each in shipped().values()}
    every = [(each, key in shown) for key, each in {**used, **shown}.items()]
    if as_json:
        emit({"rubrics": [{**each.body, "current": current} for each, current in every]})
        return
    rows = []
    for each, current in every:
        for criterion in Rubric.model_validate(each.body).criteria:
            judged = (criterion.name, f"{criterion.weight:g}", criterion.description)
            rows.append(tuple(map(escape, (each.name, each.version, "in use" if current else "earlier or foreign", *judged))))
    table("", ("rubric", "version", "", "criterion", "weight", "judged by"), rows)
