"""The state machine: people, files and the clock do what they like in any order; after each step the books are held against the oracle."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar

import rfc8785
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.histories.oracle import MAY_APPROVE, MAY_EDIT, Oracle, Version
from tests.histories.rows import Ledger, changed, gaps
from tests.histories.world import CITED, LIE, LOGGING, NOTES, QUESTIONS, READINGS, TRUE, Template, World
from trustops.domain.errors import TrustOpsError
from trustops.operations.approving import approve, approve_green, reject
from trustops.operations.books import open_books
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import Exported, export
from trustops.operations.library import withdraw
from trustops.operations.standing import standing

REFS = st.sampled_from(sorted(QUESTIONS))
ANYBODY = st.sampled_from(["Ana", "Dee", "Bo", "Ana", "Dee", "Bo", "Cy", "Nobody"])
APPROVERS = st.sampled_from(sorted(MAY_APPROVE))
CUSTOMERS = st.sampled_from(["Harbour", "Meadow"])
OF_THE_WORLD = {"indexes", "snapshots", "confirmations", "events"}
"""Tables that tell what was found, not what somebody decided."""
CHANGES = ("drift", "other", "stale", "shorter", "shorter", "original", "30", "1080")
STATUSES = {"FAILED", "RUNNING", "PENDING", "STALE", "EXPORTED", "BLOCKED", "APPROVED", "AWAITING_APPROVAL"}


class Histories(RuleBasedStateMachine):
    """One organisation from its review on. `template` is set by whoever runs the machine."""

    template: ClassVar[Template]
    counted: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.world: World = self.template.copy()
        self.oracle = Oracle()
        self.disk = self.oracle.known
        self.file = Ledger(self.world.folder / ".trustops" / "kestrel.db")
        self.seen = self.file.rows()
        self.kept: dict[str, bytes] = {}
        self.refusal = ""
        self.learn(QUESTIONS)
        self.counted["histories"] += 1

    def teardown(self) -> None:
        try:
            self.look()
            state = self.world.office.ledger.verify_chain()
            assert state.ok, state.problem
        finally:
            self.file.close()
            self.world.close()
            shutil.rmtree(self.world.folder)

    # -- what people do --------------------------------------------------------------------------------------------------

    @rule(ref=REFS, words=st.sampled_from(["first", "second", "lie"]), by=ANYBODY)
    def edit(self, ref: str, words: str, by: str) -> None:
        text = LIE[ref] if words == "lie" else TRUE[ref][words == "second"]
        exhibits = self.world.office.ledger.latest_records(self.world.review.id)[ref].dossier.passages
        cite = [p.id for p in exhibits if p.document.path == CITED[ref]][:1]
        work = lambda: asyncio.run(edit_answer(self.world.office, self.world.review, ref, by=by, text=text, cite=cite))  # noqa: E731
        made = self.attempt(work, allowed=self.oracle.may_decide(by, MAY_EDIT))
        if made is None:
            return
        version = Version(made.version, made.digest, by, words == "lie", self.oracle.dossier[ref], self.oracle.now)
        self.append(ref, version)
        sealed, known = version.sealed, self.oracle.known
        if (ref != "K-1" or sealed == known) and (ref != "K-5" or sealed.withdrawn == known.withdrawn):
            self.held_against_blocked(ref)

    @rule(ref=REFS, which=st.sampled_from(["current", "current", "current", "older", "newer", "none"]), by=ANYBODY)
    def approve(self, ref: str, which: str, by: str) -> None:
        newest = self.oracle.current(ref).number
        number = {"current": newest, "older": newest - 1, "newer": newest + 1, "none": None}[which]
        allowed = self.oracle.may_approve(ref, number, by)
        done = self.attempt(lambda: approve(self.world.office, self.world.review, ref, number, by=by), allowed=allowed)
        if done is not None:
            self.verdict(ref, "APPROVED", by, done.digest)

    @rule(ref=REFS, to=CUSTOMERS)
    def sign_off(self, ref: str, to: str) -> None:
        """What usually happens: somebody else than the author approves what stands there, and it goes out."""
        by = "Dee" if self.oracle.current(ref).author == "Ana" else "Ana"
        number = self.oracle.current(ref).number
        allowed = self.oracle.may_approve(ref, number, by)
        done = self.attempt(lambda: approve(self.world.office, self.world.review, ref, number, by=by), allowed=allowed)
        if done is not None:
            self.verdict(ref, "APPROVED", by, done.digest)
            self.export_once(to)

    @rule(ref=st.sampled_from(["K-3", "K-3", "K-2"]), by=APPROVERS, words=st.sampled_from(["first", "second"]))
    def sign_own(self, ref: str, by: str, words: str) -> None:
        """An approver edits and approves it alone."""
        self.edit(ref, words, by)
        self.approve(ref, "current", by)

    @rule(ref=REFS, by=APPROVERS, other=APPROVERS)
    def change_of_mind(self, ref: str, by: str, other: str) -> None:
        """One verdict after another on the same version."""
        self.approve(ref, "current", by)
        self.reject(ref, other, "say where")
        self.approve(ref, "current", other)

    @rule(by=ANYBODY)
    def approve_green(self, by: str) -> None:
        done = self.attempt(
            lambda: approve_green(self.world.office, self.world.review, by=by), allowed=self.oracle.may_decide(by, MAY_APPROVE)
        )
        for approval in done or ():
            assert self.oracle.may_approve(approval.question, approval.version, by) is not False, f"{approval.question} was not green"
            assert approval.question != "K-3", "a HIGH answer is decided one by one"
            self.verdict(approval.question, "APPROVED", by, approval.digest)

    @rule(ref=REFS, by=ANYBODY, reason=st.sampled_from(["say where", " "]))
    def reject(self, ref: str, by: str, reason: str) -> None:
        allowed = self.oracle.may_decide(by, MAY_APPROVE) if reason.strip() else False
        done = self.attempt(lambda: reject(self.world.office, self.world.review, ref, by=by, reason=reason), allowed=allowed)
        if done is not None:
            self.verdict(ref, "REJECTED", by, done.digest)

    @rule(by=ANYBODY)
    def withdraw(self, by: str) -> None:
        allowed = self.oracle.may_decide(by, MAY_EDIT) if not self.oracle.known.withdrawn else False
        if self.attempt(lambda: withdraw(self.world.office, self.world.promise, by=by, reason="untrue"), allowed=allowed):
            self.oracle.known = replace(self.oracle.known, withdrawn=True)
            self.disk = replace(self.disk, withdrawn=True)

    @rule(only=st.sampled_from([("K-1",), ("K-2",), ("K-3",), ("K-5",), ("K-1", "K-2")]))
    def recheck(self, only: tuple[str, ...]) -> None:
        self.world.recheck(*only)
        self.observed()
        self.learn(only)
        for ref in only:
            self.held_against_blocked(ref)

    def observed(self) -> None:
        """The books know of the world what its files say now. An older reading stays the newest one on record where there is none."""
        known = replace(self.disk, collected=self.disk.reading != "gone")
        if not known.collected:
            known = replace(known, reading=self.oracle.known.reading, observed=self.oracle.known.observed)
        self.oracle.known = known

    # -- what the world does ---------------------------------------------------------------------------------------------

    @rule(reading=st.sampled_from(sorted(READINGS)))
    def measure(self, reading: str) -> None:
        self.world.read_out(reading)
        at = self.oracle.now - (timedelta(days=3) if reading == "stale" else timedelta(hours=1))
        self.disk = replace(self.disk, reading=reading, observed=at)

    @rule(logging=st.sampled_from(sorted(LOGGING)), notes=st.sampled_from(sorted(NOTES)))
    def rewrite(self, logging: str, notes: str) -> None:
        self.world.write("evidence/logging.md", LOGGING[logging])
        self.world.write("evidence/notes.md", NOTES[notes])
        self.disk = replace(self.disk, logging=logging, notes=notes)

    @rule(hours=st.sampled_from([1, 5, 23, 30, 24 * 45, -1, -30]))
    def pass_time(self, hours: int) -> None:
        self.world.clock.at += timedelta(hours=hours)
        self.oracle.now = self.world.clock.at

    @rule(ref=st.sampled_from(["K-1", "K-1", "K-2", "K-2", "K-5"]), change=st.sampled_from(CHANGES), to=CUSTOMERS)
    def world_turns(self, ref: str, change: str, to: str) -> None:
        """What is approved becomes untrue, and somebody sends it all the same."""
        self.approve(ref, "current", "Dee" if self.oracle.current(ref).author == "Ana" else "Ana")
        if change in READINGS:
            self.measure(change)
        elif change in LOGGING:
            self.rewrite(change, "absent")
        else:
            self.pass_time(int(change))
        self.export_once(to)

    # -- what leaves -----------------------------------------------------------------------------------------------------

    @rule(to=CUSTOMERS, again=st.booleans())
    def export(self, to: str, again: bool) -> None:
        for _ in range(1 + again):
            self.export_once(to)

    def export_once(self, to: str) -> None:
        """An export looks at the files first; what it finds is written down even where it is refused. Only one that is refused for a
        clock before the newest decision looks at nothing: a reading would go on record as one from the future."""
        before = self.oracle.known
        self.observed()
        must = {ref for ref in QUESTIONS if self.oracle.may_leave(ref)}
        may = {ref for ref in QUESTIONS if self.oracle.may_leave(ref) is not False}
        out = self.world.folder / "out"
        made = self.attempt(
            lambda: export(self.world.office, self.world.review, out, to=to),
            allowed=True if must else False if not may else None,
            looks=True,
        )
        if made is None:
            if "this machine's clock shows" in self.refusal:
                assert self.oracle.now < self.oracle.latest, "the clock stands where it may"
                self.oracle.known = before
            return
        assert must <= set(made.exported) <= may, f"exported {made.exported}, must {must}, may {may}"
        self.counted["exports"] += 1
        self.counted["answers left"] += len(made.exported)
        self.keep(to, made)

    def keep(self, to: str, made: Exported) -> None:
        """One record a key, the same bytes for the same key, and in the file exactly what was approved."""
        content = {ref: self.stored(ref) for ref in made.exported}
        key = (to, frozenset((ref, self.oracle.current(ref).digest) for ref in content))
        ids = [str(row[1]) for row in self.file.rows()["exports"]]
        assert len(ids) == len(set(ids)) == len(self.oracle.sent) + (key not in self.oracle.sent), "one record a key"
        self.oracle.sent.setdefault(key, ids[-1])
        for path in (made.file, made.receipt, made.bundle):
            assert self.kept.setdefault(path.name, path.read_bytes()) == path.read_bytes(), f"{path.name} changed"
        lines = {line[0]: line[2] for line in csv.reader(io.StringIO(made.file.read_text(encoding="utf-8")))}
        told = {ref: content[ref]["text"] if ref in content else "" for ref in QUESTIONS}
        assert {ref: lines[ref] for ref in QUESTIONS} == told, "the file says something else than what was approved"
        for ref in content:
            self.oracle.left[ref].add(self.oracle.current(ref).digest)

    def stored(self, ref: str) -> dict[str, Any]:
        """The current version as it stands in the file, its digest computed here."""
        bodies = [json.loads(str(row[-1])) for row in self.file.rows()["answers"] if row[2] == ref]
        content = {k: v for k, v in bodies[-1].items() if k not in ("version", "created_at", "author", "digest")}
        assert hashlib.sha256(rfc8785.dumps(content)).hexdigest() == self.oracle.current(ref).digest == bodies[-1]["digest"]
        return dict(bodies[-1])

    # -- after each step, and at any time -------------------------------------------------------------------------------------------------

    @invariant()
    def nothing_seen_is_lost(self) -> None:
        now = self.file.rows()
        assert changed(self.seen, now) == []
        assert gaps(now) == []
        self.seen = now

    @rule()
    def look(self) -> None:
        """Nothing of a status is stored, so that looking at any time shows what every step before did. The end of each history looks."""
        books = open_books(self.world.office, self.world.review)
        for ref in QUESTIONS:
            now = standing(self.world.office, books, ref)
            status, current = now.status.value, self.oracle.current(ref)
            assert status in STATUSES - {"FAILED", "RUNNING", "PENDING"}, status
            left, leaves = current.digest in self.oracle.left[ref], self.oracle.may_leave(ref)
            if now.gate.state == "OPEN":
                assert leaves is not False, f"the gate of {ref} is open"
            if leaves:
                assert status == ("EXPORTED" if left else "APPROVED"), f"{ref} is {status}"
            assert (status != "EXPORTED") or left, f"{ref} never left"
            assert (status != "APPROVED") or self.oracle.approved(ref), f"{ref} was not approved"
            assert (status != "AWAITING_APPROVAL") or not (self.oracle.blocked(ref) or self.oracle.rejected(ref)), f"{ref} waits"
            assert (status != "BLOCKED") or self.oracle.blocked(ref) is not False or self.oracle.rejected(ref), f"{ref} is blocked"

    # -- keeping the account ---------------------------------------------------------------------------------------------

    def attempt(self, work: Callable[[], Any], *, allowed: bool | None, looks: bool = False) -> Any:
        """Does it. What is not allowed must be refused in a clear sentence, and a refusal must leave the books as they were, except for
        what was seen of the world by a deed that `looks`."""
        before = self.file.rows()
        self.counted["steps"] += 1
        made, refusal = None, None
        try:
            made = work()
        except TrustOpsError as refused:
            refusal = refused
        if refusal is not None:
            assert not allowed, f"refused: {refusal}"
            assert str(refusal)
            self.refusal = str(refusal)
            written = {name for name, found in self.file.rows().items() if found != before[name]}
            assert written <= (OF_THE_WORLD if looks else set()), f"a refusal wrote {written}"
            self.counted["refusals"] += 1
            return None
        assert allowed is not False, "this must be refused"
        self.oracle.latest = max(self.oracle.latest, self.oracle.now)
        return made

    def learn(self, refs: Any) -> None:
        """The versions that an attempt of the seats left behind."""
        answers = self.world.office.ledger.latest_answers(self.world.review.id)
        for ref in refs:
            self.oracle.dossier[ref] = self.oracle.known
            made = answers[ref]
            assert made.author == "agents"
            self.append(ref, Version(made.version, made.digest, made.author, False, self.oracle.known, self.oracle.now))

    def append(self, ref: str, version: Version) -> None:
        """The next number, or the newest one where its content and its author are the same."""
        before = self.oracle.versions[ref]
        if before and (before[-1].digest, before[-1].author) == (version.digest, version.author):
            assert version.number == before[-1].number
            before[-1] = version
        else:
            assert version.number == len(before) + 1, f"{ref} went from {len(before)} to {version.number}"
            before.append(version)

    def verdict(self, ref: str, verdict: str, by: str, digest: str) -> None:
        assert digest == self.oracle.current(ref).digest, "it covers something else than the current version"
        self.oracle.verdicts[ref].append((verdict, digest, by, self.oracle.now, self.oracle.known))
        self.counted[verdict.lower()] += 1

    def held_against_blocked(self, ref: str) -> None:
        expected = self.oracle.blocked(ref)
        record = self.world.office.ledger.latest_records(self.world.review.id)[ref]
        if expected is not None:
            told = [f.code.value for f in record.result.findings if f.blocks]
            assert (record.result.decision.value == "BLOCK") is expected, f"{ref}: {told}, expected blocked: {expected}"
