"""What travels through the machine: one key a node, one writer a key, no reducers. Values are frozen nouns or Unavailable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from trustops.domain.answer import AnswerVersion
from trustops.domain.claim import Conflict
from trustops.domain.control import ControlReading, Risk
from trustops.domain.dossier import Dossier
from trustops.domain.finding import Finding
from trustops.domain.opinion import AnswerDraft, CommanderOpinion, ControlOpinion, PolicyOpinion, ReviewerOpinion, Unavailable
from trustops.domain.question import Question
from trustops.domain.record import AgentTask, ModelCall, SkillInvocation
from trustops.domain.risk_review import RiskReviewResult
from trustops.facts.asked import Ask
from trustops.facts.testimony import Testimony
from trustops.team.policy import Found, Search


@dataclass(frozen=True, slots=True)
class Turn:
    """One seat's turn as the machine keeps it: the task, its calls and skill invocations."""

    task: AgentTask
    calls: tuple[ModelCall, ...] = ()
    skills: tuple[SkillInvocation, ...] = ()


@dataclass(frozen=True, slots=True)
class Commanded:
    opinion: CommanderOpinion | Unavailable
    turn: Turn


@dataclass(frozen=True, slots=True)
class PolicyRead:
    opinion: PolicyOpinion | Unavailable
    found: Found | None
    turn: Turn


@dataclass(frozen=True, slots=True)
class ControlRead:
    """`mapped` are the controls that rules, framework ids or the seat tie to the question, evaluated."""

    opinion: ControlOpinion | Unavailable
    mapped: tuple[ControlReading, ...]
    turn: Turn


@dataclass(frozen=True, slots=True)
class Case:
    """The sealed dossier, read into statements, with what code found before anything was drafted."""

    dossier: Dossier
    asks: tuple[Ask, ...]
    testimony: Testimony
    conflicts: tuple[Conflict, ...]
    findings: tuple[Finding, ...]
    risk: Risk
    searches: tuple[Search, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    opinion: AnswerDraft | Unavailable
    turn: Turn


@dataclass(frozen=True, slots=True)
class Verified:
    """The draft as an answer version (number and time are given when it is appended), with every finding of code."""

    version: AnswerVersion
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    opinion: ReviewerOpinion | Unavailable
    turn: Turn


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one attempt at one question. It always exists, whatever failed."""

    result: RiskReviewResult
    risk: Risk
    case: Case | None
    version: AnswerVersion | None
    turns: tuple[Turn, ...]


class State(TypedDict, total=False):
    """The machine's state; `question` comes in, every other key has the node of its line as only writer."""

    question: Question
    commanded: Commanded  # commander
    policy: PolicyRead  # policy
    control: ControlRead  # control
    case: Case | Unavailable  # compare
    drafted: Drafted  # answer
    verified: Verified | Unavailable  # verify
    reviewed: Reviewed  # review
    outcome: Outcome  # decide
