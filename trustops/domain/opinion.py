"""What the five seats say. Opinions: code recomputes what can be computed and never takes a value from them on trust."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from trustops.domain.answer import Determination
from trustops.domain.base import Noun
from trustops.domain.claim import Basis, Citation, ConflictKind
from trustops.domain.control import Risk
from trustops.domain.finding import FindingCode, Severity

Short = Annotated[str, StringConstraints(max_length=400)]
Long = Annotated[str, StringConstraints(max_length=4000)]


class Unavailable(Noun):
    """A seat that gave no usable opinion, as a value: failures do not travel as exceptions inside the machine. `money`: its call was not
    made, for the review's money is spent."""

    seat: str
    reason: Literal["exception", "timeout", "empty", "invalid", "refusal", "truncated", "http", "input_unavailable", "limit", "money"]
    detail: str = ""


class PlannedCall(Noun):
    """One skill call that Commander plans for a seat."""

    seat: Literal["policy", "control"]
    skill: Short
    query: Short


class AskedFor(Noun):
    """One ask of the question and whether it wants yes/no or a description."""

    text: Long
    form: Literal["yes_no", "open"]


class CommanderOpinion(Noun):
    """The question as read: asks, risk (may only raise the declared one) and a plan of skill calls."""

    asks: tuple[AskedFor, ...] = Field(min_length=1, max_length=12)
    risk: Risk
    plan: tuple[PlannedCall, ...] = Field(max_length=12)


class PolicyClaim(Noun):
    """A claim that documents make, with verbatim quotes. Scope and value are the seat's reading; code reads again."""

    ask: int = Field(ge=0, le=11)
    text: Long
    basis: Basis
    scope: Short
    value: Short
    citations: tuple[Citation, ...] = Field(max_length=6)


class SeenConflict(Noun):
    kind: ConflictKind
    left: Citation
    right: Citation


class PolicyOpinion(Noun):
    claims: tuple[PolicyClaim, ...] = Field(max_length=24)
    conflicts: tuple[SeenConflict, ...] = Field(max_length=12)


class ReadingForAsk(Noun):
    """Which control's reading answers which ask. No arithmetic: the value is code's."""

    ask: int = Field(ge=0, le=11)
    control: Short


class ControlOpinion(Noun):
    readings: tuple[ReadingForAsk, ...] = Field(max_length=24)
    missing: tuple[Short, ...] = Field(max_length=12)


class DraftClaim(Noun):
    text: Long
    basis: Basis
    citations: tuple[Citation, ...] = Field(max_length=6)


class DraftPart(Noun):
    """Text for one answer cell by the name of its part."""

    part: Short
    value: Long


class AnswerDraft(Noun):
    """The Answer seat's draft: one determination per ask, the text, values for the cells, claims and citations."""

    determinations: tuple[Determination, ...] = Field(min_length=1, max_length=12)
    text: Long
    pivot: Long
    parts: tuple[DraftPart, ...] = Field(max_length=12)
    attachments: tuple[Short, ...] = Field(max_length=4)
    claims: tuple[DraftClaim, ...] = Field(max_length=24)


class OpinionFinding(Noun):
    code: FindingCode
    severity: Severity
    summary: Long
    exhibits: tuple[Short, ...] = Field(max_length=12)


class ReviewerOpinion(Noun):
    """The Reviewer's reason to say no, if there is one. A verdict that disagrees with its own findings is no verdict."""

    decision: Literal["PASS", "APPROVAL_REQUIRED", "BLOCK"]
    findings: tuple[OpinionFinding, ...] = Field(max_length=12)

    @model_validator(mode="after")
    def agrees_with_itself(self) -> Self:
        blocking = any(finding.severity is Severity.BLOCKING for finding in self.findings)
        if self.decision == "PASS" and self.findings:
            raise ValueError("PASS with findings")
        if self.decision == "BLOCK" and not blocking:
            raise ValueError("BLOCK without a blocking finding")
        if self.decision == "APPROVAL_REQUIRED" and blocking:
            raise ValueError("APPROVAL_REQUIRED with a blocking finding")
        return self


Opinion = CommanderOpinion | PolicyOpinion | ControlOpinion | AnswerDraft | ReviewerOpinion
