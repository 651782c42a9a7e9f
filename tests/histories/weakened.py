"""The product weakened in one place at a time. The state machine must notice each; one that it does not notice it cannot guard.

Defences overlap: what the gate judges, approve and code's reconfirmation judge as well. A weakening therefore takes away a whole
promise, not one of its layers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import text

from trustops.domain import approval, export
from trustops.domain.approval import ApprovalStatus, Identity, Role
from trustops.domain.errors import TrustOpsError
from trustops.domain.export import Bound
from trustops.operations import approving, exporting, standing
from trustops.storage.answers import AnswerLedger
from trustops.storage.events import EventLedger
from trustops.workflow import casework

Patch = pytest.MonkeyPatch


def everywhere(patch: Patch, original: Any, other: Any) -> None:
    """Every name of the product and of the machine that stands for the one stands for the other."""
    for module in [m for name, m in sys.modules.items() if name.startswith(("trustops.", "tests.histories.machine"))]:
        for name in [n for n, value in vars(module).items() if value is original]:
            patch.setattr(module, name, other)


def gate_that_sees(patch: Patch, **facts: Any) -> None:
    """The gate is told these facts, whatever is so."""
    original = export.gate
    everywhere(patch, original, lambda seen: original(replace(seen, **facts)))


def stale_approval(patch: Patch) -> None:
    """An approval of another digest counts."""
    original = approval.approval_status

    def status(**seen: Any) -> ApprovalStatus:
        newest = seen["newest"]
        return original(**{**seen, "digest": newest.digest if newest and seen["digest"] else seen["digest"]})

    everywhere(patch, original, status)


def rejection_forgotten(patch: Patch) -> None:
    original = approval.approval_status

    def status(**seen: Any) -> ApprovalStatus:
        found = original(**seen)
        return ApprovalStatus.APPROVED if found is ApprovalStatus.REJECTED else found

    everywhere(patch, original, status)


def reading_changed(patch: Patch) -> None:
    gate_that_sees(patch, readings=Bound.EQUAL, confirmed=True)


def reading_stale(patch: Patch) -> None:
    gate_that_sees(patch, confirmed=True)
    original = standing.bound_readings

    def bound(*seen: Any) -> Bound:
        found = original(*seen)
        return Bound.EQUAL if found is Bound.NOT_FRESH else found

    everywhere(patch, original, bound)


def passage_changed(patch: Patch) -> None:
    gate_that_sees(patch, passages_held=True, confirmed=True)


def blocked(patch: Patch) -> None:
    """A blocking finding keeps nothing back, neither at approve nor at export."""
    original = approval.approval_status
    everywhere(patch, original, lambda **seen: original(**{**seen, "decision": "PASS" if seen["decision"] else None}))
    gate_that_sees(patch, decision="PASS", blocking_finding=False)
    everywhere(patch, approving._not_blocked, lambda *seen: None)


def any_version(patch: Patch) -> None:
    everywhere(patch, approving._same, lambda *seen: None)


def anybody(patch: Patch) -> None:
    everywhere(patch, approving._approver, lambda office, by: (Role.APPROVER, Identity.ASSERTED))


def own_edit(patch: Patch) -> None:
    everywhere(patch, approving._second_person, lambda *seen: None)


def all_green(patch: Patch) -> None:
    """Bulk approval takes whatever can be approved."""

    def green(office: Any, review: Any, *, by: str, **more: Any) -> tuple[Any, ...]:
        done = []
        for ref, answer in office.ledger.latest_answers(review.id).items():
            with suppress(TrustOpsError):
                done.append(approving.approve(office, review, ref, answer.version, by=by, **more))
        return tuple(done)

    everywhere(patch, approving.approve_green, green)


def no_findings(patch: Patch) -> None:
    """What a person writes is not checked."""
    original = casework.verify

    def verify(*seen: Any, author: str, **more: Any) -> Any:
        found = original(*seen, author=author, **more)
        if author == "agents":
            return found
        return type(found)(**{**_fields(found), "version": found.version.model_copy(update={"findings": ()}), "findings": ()})

    patch.setattr(casework, "verify", verify)


def _fields(noun: Any) -> dict[str, Any]:
    return {name: getattr(noun, name) for name in getattr(noun, "__slots__", None) or vars(noun)}


def double_export(patch: Patch) -> None:
    """The same export again has another key."""
    original, number = exporting.digest, count()
    patch.setattr(exporting, "digest", lambda value: original({"again": next(number), "value": value} if "to" in value else value))


def row_in_place(patch: Patch) -> None:
    """A verdict is written over the one before."""
    original = AnswerLedger.append_approval

    def append(self: Any, review: str, made: Any) -> None:
        with self.writing(), self._connection() as connection:
            found = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'approvals'")).all()
            for (name,) in found:
                connection.execute(text(f"DROP TRIGGER {name}"))
            connection.execute(
                text("UPDATE approvals SET body = :b WHERE question = :q"), {"b": made.model_dump_json(), "q": made.question}
            )
            original(self, review, made)

    patch.setattr(AnswerLedger, "append_approval", append)


def event_skipped(patch: Patch) -> None:
    original = EventLedger.append_event

    def append(self: Any, run: str, kind: str, **more: Any) -> Any:
        if kind == "approved":
            self.add(
                __import__("trustops.storage.tables", fromlist=["events"]).events,
                run=run,
                seq=9999,
                at="",
                kind=kind,
                question="",
                data="{}",
            )
            return None
        return original(self, run, kind, **more)

    patch.setattr(EventLedger, "append_event", append)


def refusal_that_writes(patch: Patch) -> None:
    original = approving.approve

    def approve(office: Any, review: Any, ref: str, version: Any, **more: Any) -> Any:
        office.ledger.append_event(f"{review.id}.1", "approving", question=ref)
        return original(office, review, ref, version, **more)

    everywhere(patch, original, approve)


def wrong_file(patch: Patch) -> None:
    """The file says what an older version said."""
    original = exporting._gate_all

    def gate_all(books: Any, standings: Any) -> Any:
        cleared, withheld = original(books, standings)
        swapped = [
            c.model_copy(update={"cells": tuple(v.model_copy(update={"value": f"{v.value} Always."}) for v in c.cells)}) for c in cleared
        ]
        return swapped, withheld

    patch.setattr(exporting, "_gate_all", gate_all)


WEAKENINGS: tuple[Callable[[Patch], None], ...] = (
    stale_approval,
    rejection_forgotten,
    reading_changed,
    reading_stale,
    passage_changed,
    blocked,
    any_version,
    anybody,
    own_edit,
    all_green,
    no_findings,
    double_export,
    row_in_place,
    event_skipped,
    refusal_that_writes,
    wrong_file,
)
