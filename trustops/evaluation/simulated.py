"""The simulated customer: a model that plays a customer's reviewer, and a scripted one for runs without a model.

Both drive the two sides of a comparison in the same way: the same opening message, then a follow-up by the scenario's strategy, until the
goal is reached or the turns are spent.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import Field

from trustops.domain.authenticity import Origin
from trustops.domain.base import Noun
from trustops.domain.errors import ProviderFailed
from trustops.evaluation.judging import Dimensions, Grader, Judged, Justifications, RubricOpinion, compose, read
from trustops.evaluation.scenarios import Person, Scenario
from trustops.ports import ModelClient
from trustops.roster import Roster

PROMPT = "simulated-customer"
REACHED = "[GOAL_REACHED]"
TEMPERATURE, MOST_TOKENS, MOST_WORDS = 0.7, 512, 100
UNANSWERED = "We cannot answer this yet; it is with our security team."
"""What the customer hears where nothing may leave."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: what the customer asked and what they were told; `left` where an answer could leave, with its quotes. `fired` are the names
    of the augmentations that had a part in it."""

    asked: str
    told: str
    left: bool
    determination: str = ""
    decision: str = ""
    quotes: tuple[str, ...] = ()
    fired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the customer says next: a message, that the goal is reached, or (both empty) why there is none."""

    message: str = ""
    reached: bool = False
    why: str = ""


class Customer(Protocol):
    """Who drives a conversation. `origin` says how it is served."""

    @property
    def origin(self) -> Origin: ...

    async def speak(self, person: Person, scenario: Scenario, so_far: Sequence[Said]) -> Spoken: ...


class RubricJudge(Protocol):
    """Who judges one side of a conversation; None is a run that failed."""

    async def judge(self, person: Person, so_far: Sequence[Said]) -> Judged | None: ...


class Message(Noun):
    """The reply of the simulated customer."""

    message: str = Field(max_length=4000)


@dataclass(slots=True)
class ModelCustomer:
    """A model plays the customer. `served` collects the origins of its replies."""

    client: ModelClient
    roster: Roster
    timeout_s: float = 120.0
    served: list[Origin] = field(default_factory=list)

    @property
    def origin(self) -> Origin:
        """LIVE only where every reply was."""
        return Origin.LIVE if self.served and set(self.served) == {Origin.LIVE} else Origin.SCRIPTED

    async def speak(self, person: Person, scenario: Scenario, so_far: Sequence[Said]) -> Spoken:
        """The next message; whatever fails is said in `why`."""
        payload = {
            "user": {"role": person.role, "preferences": list(person.preferences)},
            "goal": scenario.goal_definition,
            "strategy": scenario.follow_up_strategy,
            "conversation": [{"you": turn.asked, "company": turn.told} for turn in so_far],
        }
        limits: dict[str, Any] = {"temperature": TEMPERATURE, "max_tokens": MOST_TOKENS}
        request = compose(self.roster, PROMPT, _label(self.roster), Message, payload, timeout_s=self.timeout_s, **limits)
        try:
            async with asyncio.timeout(self.timeout_s):
                reply = await self.client.complete(request)
        except (TimeoutError, ProviderFailed) as failed:
            return Spoken(why=str(failed)[:300] or f"no reply within {self.timeout_s:g} s")
        self.served.append(reply.origin)
        said = read(reply, Message)
        return Spoken(why=said) if isinstance(said, str) else spoken(said.message)


def _label(roster: Roster) -> str:
    prompt = roster.prompts[PROMPT]
    return f"{prompt.name}@{prompt.version}:{prompt.digest[:12]}"


def spoken(message: str) -> Spoken:
    """A message cut to its words; the token anywhere in it ends the conversation."""
    if REACHED in message:
        return Spoken(reached=True)
    words = re.findall(r"\S+", message)
    return Spoken(message=" ".join(words[:MOST_WORDS])) if words else Spoken(why="the simulated customer said nothing")


ASKS_AGAIN = {
    "clarify": "To be exact about the systems and people concerned: {opening}",
    "deep_dive": "Which document or record shows it? {opening}",
    "pivot": "Then what do you have in its place? {opening}",
    "correct": "I think that my question was misread. {opening}",
}


class ScriptedCustomer:
    """Reaches the goal as soon as an answer leaves; until then it asks again in the words of its strategy."""

    @property
    def origin(self) -> Origin:
        """By constant."""
        return Origin.SCRIPTED

    async def speak(self, person: Person, scenario: Scenario, so_far: Sequence[Said]) -> Spoken:
        """The next message."""
        del person
        if so_far and so_far[-1].left:
            return Spoken(reached=True)
        return spoken(ASKS_AGAIN[scenario.follow_up_strategy].format(opening=scenario.opening_message))


class ScriptedJudge:
    """Counts what can be counted: whether an answer left, whether it quotes, how long it is. Its figures say nothing of a real judge."""

    async def judge(self, person: Person, so_far: Sequence[Said]) -> Judged | None:
        """The opinion on one side."""
        del person
        left = [turn for turn in so_far if turn.left]
        longest = max((len(turn.told.split()) for turn in left), default=0)
        scores = {
            "accuracy": 4 if left and all(turn.quotes for turn in left) else 3,
            "helpfulness": 3 if left else 1,
            "source_usage": (4 if all(turn.quotes for turn in left) else 1) if left else 1,
            "personalization": 3 if left and longest <= 40 else 2,
            "clarity": 3,
            "conciseness": (4 if longest <= 25 else 3 if longest <= 50 else 2) if left else 3,
            "tone": 3,
            "multi_part_handling": None,
            "multilingual_support": None,
        }
        opinion = RubricOpinion(
            scores=Dimensions.model_validate(scores),
            justifications=Justifications.model_validate(dict.fromkeys(scores, "counted, not judged")),
            fabricated=False,
            overall_score=1,
        )
        return Judged(grader=Grader(prompt="scripted", provider="scripted", model="rules"), origin=Origin.SCRIPTED, opinion=opinion)


def shown(person: Person, so_far: Sequence[Said]) -> Mapping[str, Any]:
    """What the rubric's judge sees: preferences and conversation with its sources, and no count of anything."""
    return {
        "preferences": list(person.preferences),
        "conversation": [{"reviewer": turn.asked, "company": turn.told, "sources": list(turn.quotes)} for turn in so_far],
    }
