"""Every public method of the ledger, with its scope and a way to look through it. Two organisations stand in one file here, with the same
names everywhere, although the product keeps a file for each: what holds in one file holds in a database that they share.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import text

from tests.storage.bench import AT, QUESTION, RUN, answer, approval, call, evaluation, key, rating, rubric, snapshot
from trustops.domain.approval import Confirmation, Verdict
from trustops.domain.chain import sha256
from trustops.domain.credential import Credential
from trustops.domain.dossier import Dossier
from trustops.domain.question import Follows, Questionnaire
from trustops.domain.request import Asked
from trustops.domain.risk_review import RiskReviewResult
from trustops.domain.scores import Revocation
from trustops.domain.session import Link, Password, Session
from trustops.ports import ExportRecord, QuestionRecord, StoredReview

Probe = Callable[[Any, str], object]
"""Looks through one method of a ledger, given the organisation's canary."""

READS: dict[str, Probe] = {
    "get_review": lambda ledger, canary: ledger.get_review("R-1"),
    "latest_review": lambda ledger, canary: ledger.latest_review(),
    "reviews": lambda ledger, canary: ledger.reviews(),
    "get_run": lambda ledger, canary: ledger.get_run(RUN.id),
    "follow_ups": lambda ledger, canary: ledger.follow_ups("R-1"),
    "runs": lambda ledger, canary: ledger.runs("R-1"),
    "latest_records": lambda ledger, canary: ledger.latest_records("R-1"),
    "records": lambda ledger, canary: ledger.records("R-1", "L-1"),
    "latest_answers": lambda ledger, canary: ledger.latest_answers("R-1"),
    "answers": lambda ledger, canary: ledger.answers("R-1", "L-1"),
    "latest_approvals": lambda ledger, canary: ledger.latest_approvals("R-1"),
    "confirmations": lambda ledger, canary: ledger.confirmations("R-1"),
    "placements": lambda ledger, canary: sorted(ledger.placements()),
    "exports": lambda ledger, canary: ledger.exports("R-1"),
    "latest_snapshots": lambda ledger, canary: ledger.latest_snapshots(),
    "snapshots": lambda ledger, canary: sorted(ledger.snapshots().items()),
    "ratings": lambda ledger, canary: ledger.ratings("R-1"),
    "calls": lambda ledger, canary: sorted(ledger.calls("R-1").items()),
    "events": lambda ledger, canary: [event.model_dump(exclude={"at"}) for event in ledger.events(RUN.id)],
    "withdrawals": lambda ledger, canary: sorted(ledger.withdrawals()),
    "credentials": lambda ledger, canary: [kept.model_dump(exclude={"salt", "scrypt", "id"}) for kept in ledger.credentials()],
    "passwords": lambda ledger, canary: sorted(ledger.passwords().items()),
    "links": lambda ledger, canary: sorted(ledger.links().items()),
    "get_session": lambda ledger, canary: ledger.get_session("ab" * 32),
    "sessions": lambda ledger, canary: ledger.sessions("Ana"),
    "latest_request": lambda ledger, canary: ledger.latest_request("Ana", "key-1"),
    "audit": lambda ledger, canary: ledger.audit(),
    "get_blob": lambda ledger, canary: ledger.get_blob(ledger.put_blob(f"the file of {canary}".encode())),
    "evaluations": lambda ledger, canary: [*ledger.evaluations(), *ledger.evaluations("reviewer")],
    "newest_evaluations": lambda ledger, canary: [*ledger.newest_evaluations("reviewer", 9), *ledger.newest_evaluations(canary, 9)],
    "get_evaluation": lambda ledger, canary: ledger.get_evaluation("E-1"),
    "composites": lambda ledger, canary: [*ledger.composites(), *ledger.composites("reviewer"), *ledger.composites(canary)],
    "rubrics": lambda ledger, canary: ledger.rubrics(),
    "trusted_keys": lambda ledger, canary: ledger.trusted_keys(),
    "trust_records": lambda ledger, canary: [*ledger.trust_records(), *ledger.trust_records("both")],
    "reply": lambda ledger, canary: ledger.reply(RUN.id, "L-1", 1, "policy", 1),
    "replies": lambda ledger, canary: ledger.replies(RUN.id, "L-1", 1),
}
"""Bound to the organisation at opening; each must show the own canary."""

SILENT: dict[str, Probe] = {
    "origins": lambda ledger, canary: ledger.origins("R-1"),
    "spent": lambda ledger, canary: ledger.spent("R-1"),
    "the reasons of withdrawals": lambda ledger, canary: ledger.all(
        text("SELECT prior_answer, reason FROM withdrawals WHERE org = :org ORDER BY 1")
    ),
    "last_attempt": lambda ledger, canary: ledger.last_attempt("R-1", "L-1"),
    "latest_audit": lambda ledger, canary: ledger.latest_audit(),
    "verify_chain": lambda ledger, canary: ledger.verify_chain(),
    "get_review of a beginning": lambda ledger, canary: ledger.get_review("R-1"[:2]),
    "get_run of the other": lambda ledger, canary: [ledger.get_run(f"R-{other}.1") for other in ledger.others],
    "get_review of the other": lambda ledger, canary: [ledger.get_review(f"R-{other}") for other in ledger.others],
    "a blob of the other": lambda ledger, canary: [ledger.get_blob(sha256(f"the file of {other}".encode())) for other in ledger.others],
}
"""Reads that carry no words of an organisation: they must be as they are without the other one."""

WRITES = frozenset(
    {
        "append_review",
        "append_run",
        "end_run",
        "append_record",
        "append_answer",
        "append_approval",
        "append_confirmation",
        "append_export",
        "append_pause",
        "append_placement",
        "append_snapshot",
        "append_calls",
        "append_event",
        "append_events",
        "append_withdrawal",
        "append_credential",
        "append_password",
        "append_link",
        "append_session",
        "mark_session",
        "append_request",
        "append_reply_to",
        "redact",
        "append_rating",
        "append_index",
        "append_audit",
        "put_blob",
        "append_reply",
        "append_evaluations",
        "append_rubric",
        "append_trusted_key",
        "append_revocation",
        "append_trust",
    }
)
"""Bound to the organisation at opening: `fill` calls each, and the rows must be those of an organisation that is alone."""

UNSCOPED = {
    "writing": "a transaction; it reads and writes nothing by itself",
    "reading": "a view; it reads nothing by itself",
    "add": "puts the organisation into the row itself: every write above goes through it",
    "add_all": "the same for many rows",
    "all": "runs a query that another method made; the mutants are of those",
    "hears": "listens on the channel of its own organisation, and hears ids of runs alone (tests/storage/test_postgres.py)",
    "erase": "rewrites the organisation's own file",
    "close": "gives the connections back",
}


def fill(ledger: Any, canary: str) -> None:
    """The same story in every organisation, told with its own words."""
    question = QUESTION.model_copy(update={"text": f"Are vaults of {canary} locked?"})
    asked = Questionnaire(file=f"{canary}.csv", format="csv", sha256="ab" * 32, questions=(question,))
    run = RUN.model_copy(update={"profile": canary})
    later = timedelta(hours=len(canary) if "alder" in canary else 0)
    for name in (f"R-{canary}", "R-1"):
        ledger.append_review(StoredReview(id=name, organisation=ledger.org, questionnaire=asked, created_at=AT + later))
    follows = Follows(review="R-1", question="L-1", number=1)
    ledger.append_review(
        StoredReview(id=f"F-{canary}", organisation=ledger.org, questionnaire=asked, created_at=AT + later, follows=follows)
    )
    ledger.before_any_run = repr(ledger.latest_review())
    ledger.append_run(run)
    ledger.append_run(run.model_copy(update={"id": f"R-{canary}.1", "review": f"R-{canary}", "started_at": AT + later}))
    attempts = 2 if "alder" in canary else 1
    for number in range(1, attempts + 1):
        ledger.append_record("R-1", record(question, canary).model_copy(update={"attempt": number}))
        ledger.append_pause(run.id, paused=number == 1)
    for number in (1, 2):
        ledger.append_answer("R-1", answer(number, f"Yes, by {canary}, {number}."))
        ledger.append_approval("R-1", approval().model_copy(update={"by": canary, "version": number}))
        ledger.append_snapshot(snapshot(number).model_copy(update={"collector": canary}))
        ledger.append_index(f"{number}{canary}", at=AT, passages=number)
        ledger.append_event(run.id, "run_started", question=canary, data={"said": canary})
        ledger.append_events(run.id, [("seat_started", canary, {"said": canary})])
    ledger.append_answer("R-1", answer(3, f"Yes, edited by {canary}.").model_copy(update={"author": canary}))
    ledger.append_calls(
        "R-1", run.id, "L-1", [call().model_copy(update={"reply": canary, "cost_usd": "1" if "alder" in canary else "2"})], []
    )
    confirmed = Confirmation(question="L-1", digest="d", basis="b", stands=False, differences=(canary,), at=AT)
    ledger.append_confirmation("R-1", confirmed)
    ledger.append_withdrawal(f"A-{canary}", by=canary, at=AT, reason=canary)
    ledger.append_credential(Credential(person=canary, id="0" * 8, salt="00", scrypt="00", by=canary, at=AT))
    ledger.append_credential(Credential(person="Ana", id="0" * 8, salt="00", scrypt="00", by=canary, at=AT))
    if "alder" in canary:
        ledger.append_credential(Credential(person="Ana", id="0" * 8, salt="00", scrypt="00", by=canary, at=AT, revoked=True))
    for question in ("L-1", "L-2")[: 1 + ("alder" in canary)]:
        ledger.append_rating(rating(canary, question=question))
    signed_in(ledger, canary)
    ledger.append_audit("noted", actor=canary, payload={"said": canary}, at=AT)
    ledger.append_withdrawal("A-both", by=canary, at=AT, reason=canary)
    words = approval().model_copy(update={"by": canary, "verdict": Verdict.REJECTED, "reason": canary})
    ledger.append_approval("R-1", words)
    for kept in ledger.audit():  # each takes out something that stands at the same place in the other's books and stays there
        about = (kept.payload or {}).get("prior_answer")
        gone = about == f"A-{canary}" if "alder" in canary else kept.kind == "rejected" or about == "A-both"
        if gone:
            ledger.redact(kept, by=canary, at=AT, reason=canary)
    ledger.put_blob(f"the file of {canary}".encode())
    for name in ("X-1", f"X-{canary}"):
        ledger.append_export(export(canary).model_copy(update={"id": name}))
    ledger.append_placement(f"X-{canary}", at=AT)
    ledger.end_run(run.id, "FINISHED" if "alder" in canary else "FAILED")
    ledger.append_reply(run.id, "L-1", 1, "policy", 1, request_sha256="cd" * 32, body=paid(canary))
    # what was paid and not decided: attempt 2 is decided in one of the two only, and the run is on record in one of the two only
    ledger.append_reply(run.id, "L-1", 2, "policy", 1, request_sha256="cd" * 32, body=paid(canary))
    ledger.append_reply("R-1.7", "L-1", 9, "policy", 1, request_sha256="cd" * 32, body=paid(canary))
    if "alder" in canary:
        ledger.append_run(run.model_copy(update={"id": "R-1.7"}))
    fill_scores(ledger, canary)


def fill_scores(ledger: Any, canary: str) -> None:
    """The same names in every organisation; what they say is its own."""
    ledger.append_evaluations([evaluation(1, model=canary), evaluation(2, about=canary, agent=canary)])
    ledger.append_evaluations([evaluation(1, model=canary)])
    for name in ("reviewer", canary):
        ledger.append_rubric(rubric(name).model_copy(update={"body": {"said": canary}}))
        ledger.append_trusted_key(key(name).model_copy(update={"public_key": canary}))
        ledger.append_revocation(Revocation(fingerprint=key(name).fingerprint, by=canary, at=AT.isoformat(), reason="lost"))
    ledger.append_evaluations([evaluation(3, key="lent", agent=canary)])
    if "alder" in canary:  # trusted no more by one of the two only
        ledger.append_revocation(Revocation(fingerprint="lent", by=canary, at=AT.isoformat(), reason="lost"))
    for subject in ("both", canary, "both"):
        ledger.append_trust(subject, {"said": canary}, at=AT)


def signed_in(ledger: Any, canary: str) -> None:
    """The same person with the same session and the same key of a request in each; more of it in one of the two only."""
    more = "alder" in canary
    for number in (1, 2) if more else (1,):
        ledger.append_password(Password(person="Ana", argon2=canary, by=canary, at=AT))
        ledger.append_link(Link(person="Ana", id=f"{number}", by=canary, at=AT, expires_at=AT))
        ledger.append_request(Asked(person="Ana", key="key-1", attempt=number, fingerprint=canary, at=AT))
        ledger.mark_session("ab" * 32, "seen", at=AT + timedelta(hours=number))
    ledger.append_session(Session(id="ab" * 32, person="Ana", how=canary, at=AT, expires_at=AT))
    if more:
        ledger.mark_session("ab" * 32, "ended", at=AT)
        ledger.append_reply_to(Asked(person="Ana", key="key-1", attempt=1, fingerprint=canary, at=AT), canary, at=AT)


def paid(canary: str) -> str:
    """A reply as the journal keeps it."""
    return json.dumps({"text": canary, "cost_usd": "4" if "alder" in canary else "8"})


def record(question: Any, canary: str) -> QuestionRecord:
    told = {"run": RUN.id, "attempt": 1, "question": "L-1", "decided_at": AT, "risk": canary, "result": RiskReviewResult(), "version": 1}
    return QuestionRecord.model_validate({**told, "dossier": Dossier(question=question, asks=(question.text,))})


def export(canary: str) -> ExportRecord:
    receipt = {"to": f"the customer of {canary}"}
    made = {"id": "X-1", "review": "R-1", "at": AT, "to": f"the customer of {canary}", "file": f"{canary}.answered.csv"}
    return ExportRecord.model_validate({**made, "sha256": "ab" * 32, "answers": (), "execution_mode": "TEST", "receipt": receipt})


def shown(value: object) -> str:
    """All of a value in words; some mappings read their rows only when somebody looks."""
    return repr({key: value[key] for key in sorted(value)}) if isinstance(value, Mapping) else repr(value)


def seen(ledger: Any, canary: str) -> dict[str, str]:
    """What an organisation sees through every door, and its rows as they stand in the file."""
    told = {name: shown(look(ledger, canary)) for name, look in {**READS, **SILENT}.items()}
    told["latest_review before any run"] = ledger.before_any_run
    tables = [name for (name,) in ledger.all(text("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'"))]
    for table in tables:
        rows = [dict(row._mapping) for row in ledger.all(text(f"SELECT * FROM {table} WHERE org = '{ledger.org}' ORDER BY rowid"))]
        told[f"rows of {table}"] = repr([{k: v for k, v in row.items() if (table, k) != ("events", "at")} for row in rows])
    return told
