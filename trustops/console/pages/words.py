"""The vocabulary as a person reads it: each status with its glyph, its tone and its words; each reason with what it waits for."""

from __future__ import annotations

from typing import NamedTuple

GOOD, WAIT, BAD, INFO, MUTE = "good", "wait", "bad", "info", "mute"


class Chip(NamedTuple):
    """A status as it is shown: never by colour alone."""

    word: str
    glyph: str
    tone: str


CHIPS = {
    # a question, a review
    "EXPORTED": Chip("Exported", "↗", GOOD),
    "PARTLY_EXPORTED": Chip("Partly exported", "↗", INFO),
    "APPROVED": Chip("Approved", "✓", GOOD),
    "AWAITING_APPROVAL": Chip("Awaiting approval", "◔", WAIT),
    "BLOCKED": Chip("Blocked", "✕", BAD),
    "STALE": Chip("Stale", "↺", BAD),
    "FAILED": Chip("Failed", "!", BAD),
    "RUNNING": Chip("Running", "▸", INFO),
    "PENDING": Chip("Not run yet", "○", MUTE),
    "CREATED": Chip("Not started", "○", MUTE),
    "CANCELLED": Chip("Cancelled", "⊘", MUTE),
    "FINISHED": Chip("Finished", "✓", GOOD),
    "PAUSED": Chip("Paused", "‖", WAIT),
    "LEFT": Chip("Left behind", "‖", WAIT),
    # a decision
    "PASS": Chip("Pass", "✓", GOOD),
    "APPROVAL_REQUIRED": Chip("Approval required", "◔", WAIT),
    "BLOCK": Chip("Block", "✕", BAD),
    # an approval
    "WAITING": Chip("Pending", "◔", WAIT),
    "LOCKED": Chip("Locked", "✕", BAD),
    "REJECTED": Chip("Rejected", "✕", BAD),
    "INVALIDATED": Chip("Invalidated", "↺", BAD),
    # the export gate
    "OPEN": Chip("May leave", "↗", GOOD),
    "SHUT": Chip("May not leave", "⊘", MUTE),
    # a determination
    "YES": Chip("Yes", "●", INFO),
    "NO": Chip("No", "●", INFO),
    "PARTIAL": Chip("Partial", "◐", WAIT),
    "NOT_APPLICABLE": Chip("Not applicable", "∅", INFO),
    "UNKNOWN": Chip("Unknown", "?", MUTE),
    # risk
    "HIGH": Chip("High", "▲", BAD),
    "MEDIUM": Chip("Medium", "◆", WAIT),
    "LOW": Chip("Low", "▽", MUTE),
    # findings
    "BLOCKING": Chip("Blocking", "✕", BAD),
    "WARNING": Chip("Warning", "!", WAIT),
    # controls
    "DRIFT": Chip("Drift", "✕", BAD),
    "UNAVAILABLE": Chip("Unavailable", "!", BAD),
    "NOT_MEASURED": Chip("Not measured", "○", MUTE),
    # modes, origins and sources
    "LIVE": Chip("Live", "●", GOOD),
    "LIVE_AI": Chip("Live", "●", GOOD),
    "TEST": Chip("Test", "◌", WAIT),
    "EVALUATION": Chip("Evaluation", "◌", WAIT),
    "SCRIPTED": Chip("Scripted", "◌", WAIT),
    "RECORDED": Chip("Recorded", "▣", INFO),
    "MOCK": Chip("Mock", "◌", WAIT),
    # evidence
    "IN_FORCE": Chip("In force", "✓", GOOD),
    "EXPIRED": Chip("Expired", "✕", BAD),
    "NOT_YET": Chip("Not yet in force", "◔", WAIT),
    "UNDATED": Chip("Undated", "?", WAIT),
    "RESTRICTED": Chip("Restricted", "■", BAD),
    "INTERNAL": Chip("Internal", "▤", MUTE),
    "SHAREABLE": Chip("Shareable", "□", GOOD),
    "WITHDRAWN": Chip("Withdrawn", "⊘", MUTE),
    "CONTRADICTION": Chip("Contradiction", "✕", BAD),
    "DUPLICATE": Chip("Duplicate", "≡", WAIT),
    "CITED": Chip("Cited", "✓", GOOD),
    "CONTRADICTED": Chip("Contradicted", "✕", BAD),
    "MISSING": Chip("Missing", "○", BAD),
    "NOT_RUN": Chip("Not run yet", "○", MUTE),
    "NOT_TRUE": Chip("No longer true", "✕", BAD),
    "NOT_CONFIRMED": Chip("Cannot be confirmed", "?", WAIT),
    "OK": Chip("Done", "✓", GOOD),
    # an evaluation
    "PASSED": Chip("Passed", "✓", GOOD),
    "INCOMPLETE": Chip("Incomplete", "◔", WAIT),
    "ERROR": Chip("Error", "!", BAD),
    "SKIPPED": Chip("Skipped", "○", MUTE),
    "MEASURED": Chip("Measured", "✓", INFO),
    "UNREADABLE": Chip("Cannot be read", "!", BAD),
    # trust
    "GRADE_A": Chip("A", "◆", GOOD),
    "GRADE_B": Chip("B", "◆", INFO),
    "GRADE_C": Chip("C", "◇", WAIT),
    "GRADE_D": Chip("D", "◇", BAD),
    "REVOKED": Chip("Revoked", "⊘", BAD),
    "HOLDS": Chip("Holds", "✓", GOOD),
    "DOES_NOT_HOLD": Chip("Does not hold", "✕", BAD),
}

REASONS = {
    "NOT_DECIDED": ("There is no decision yet.", "Run the question."),
    "DECISION_BLOCK": ("The decision is BLOCK.", "Change the facts behind the blocking findings, then recheck."),
    "REVIEW_NOT_COMPLETED": ("The Reviewer gave no usable opinion.", "Recheck; `trustops doctor` tests the connection to the model."),
    "NO_ANSWER": ("The answer is unknown.", "Add evidence that answers the question, then recheck, or edit the answer."),
    "BLOCKING_FINDING": ("A finding blocks it.", "Each finding says what to do."),
    "NOT_APPROVED": ("Nobody has approved this version.", "An approver reads and approves it."),
    "REJECTED": ("This version was rejected.", "Edit the answer or recheck: a new version can be approved."),
    "APPROVAL_STALE": ("The approval is of another version.", "Approve the current version."),
    "APPROVAL_EXPIRED": ("The approval is too old.", "Approve it again."),
    "APPROVAL_NOT_YET": ("The approval is of the future, so a clock is wrong.", "Set the clock of this machine right."),
    "APPROVER_NOT_ALLOWED": ("Who approved it may not approve any more.", "Somebody whose role permits it today approves it."),
    "SECOND_PERSON_NEEDED": ("Its author approved it.", "An approver who is not the author approves it."),
    "IDENTITY_NOT_AUTHENTICATED": ("The approval was given in a name that nobody proved.", "Approve it signed in."),
    "READING_CHANGED": ("A control it rests on has other values now.", "Recheck."),
    "READING_NOT_FRESH": ("A reading it rests on is too old.", "Collect a new snapshot."),
    "READING_NOT_PASS": ("A control it rests on does not pass now.", "Bring the control back to its expectation, then recheck."),
    "PASSAGE_CHANGED": ("A text it cites changed or is gone.", "Recheck."),
    "NOT_RECONFIRMED": ("Facts changed since it was approved, and the rules find something else.", "Recheck, then approve again."),
    "GATE_VERSION_CHANGED": ("The rules changed since it was checked.", "Recheck, then approve again."),
    "MOCK_READING_IN_LIVE_RUN": ("It rests on a reading that was made up.", "Give the control a real source."),
    "INCONSISTENT_ANSWERS": ("It cannot be true beside another answer of this review.", "Change one of the two answers."),
    "BRANCH_OFF": ("The customer asks it only where another answer differs.", "Nothing: it is not asked."),
    "CELL_REFUSED": ("Its cell does not take the value.", "Edit the answer so that it fits the cell."),
}
"""Every reason of the export gate, and the two that a customer's file gives: what is wrong, and what it waits for."""

DONE = {
    "approved": "Approved. This exact version may leave as long as its facts stand.",
    "rejected": "Rejected. The analyst reads your reason.",
    "edited": "Your version is checked and kept.",
    "unchanged": "That is what stands already: nothing was changed.",
    "started": "The run has begun.",
    "asked": "The customer's question is taken in, and its run has begun.",
    "green": "The green answers are approved, each recorded by itself.",
    "none-green": "No answer is green: nothing was approved.",
    "exported": "Exported. The files are below.",
    "paused": "The run is paused.",
    "resumed": "The run goes on.",
    "cancelled": "The run is cancelled.",
    "withdrawn": "The earlier answer is withdrawn. Recheck what it blocked.",
    "collected": "Every source was read.",
    "indexed": "The evidence was read again.",
    "revoked": "Password, tokens and sessions are ended.",
    "rated": "Your ratings are kept.",
}
"""What a page says after a form was sent."""


def chip(status: str | None) -> Chip:
    """A status as it is shown; one that is not in the table stands by its own name, so that nothing goes unseen."""
    if status is None:
        return Chip("–", "", MUTE)
    return CHIPS.get(status.upper(), Chip(status, "•", MUTE))


def reason(name: str) -> tuple[str, str]:
    """A reason of the gate in words, and what it waits for. What follows a colon is told as it is."""
    code, _, detail = name.partition(":")
    said, remedy = REASONS.get(code, (name, ""))
    return (f"{said} {detail.strip()}" if detail and code in REASONS else said), remedy
