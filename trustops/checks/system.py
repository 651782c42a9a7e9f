"""Warnings about how the answer came to be: measured by nobody, drafted offline, or asked in the middle of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from trustops.domain.control import ControlReading, Risk
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.question import Question


def unmeasured(risk: Risk, readings: Sequence[ControlReading]) -> tuple[Finding, ...]:
    """A HIGH-risk question that no control of the catalogue speaks to rests on documents alone: a person should know."""
    if risk is not Risk.HIGH or readings:
        return ()
    summary = "The risk is HIGH and no control of the catalogue measures what is asked; documents alone speak."
    return (_warning(FindingCode.NOT_MEASURED, summary, "Declare a control with a source for it in controls.yaml."),)


def offline_draft() -> tuple[Finding, ...]:
    """The draft was quoted and classified by rules, without a model: a person decides each."""
    summary = "Drafted offline by rules, without a model."
    return (_warning(FindingCode.OFFLINE_DRAFT, summary, "Read it as a proposal, or configure a model and recheck."),)


def follow_up(question: Question) -> tuple[Finding, ...]:
    """Rules read a follow-up by itself: what "it" or "the others" means there they cannot know, so a person decides each."""
    if not question.conversation:
        return ()
    summary = "A follow-up in a conversation: rules read its words alone, and a person sees whether they mean what was spoken of before."
    return (_warning(FindingCode.FOLLOW_UP, summary, "Read it beside the question that it follows."),)


def _warning(code: FindingCode, summary: str, remedy: str) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, source=FindingSource.RULES, summary=summary, remedy=remedy, cited=True)
