"""The grid of attacks: goal x wording x carrier x encoding, drawn so that every goal meets every carrier before any pair returns."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from trustops.testing.attacks.encodings import ENCODINGS

FLOOD = 150
"""How often the lie of the `flood` goal is repeated: short of the 4,000 characters that a draft may hold."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One entry of goals.yaml, its placeholders still open."""

    id: str
    ask: str
    say: str
    order: str
    papers: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    forged: tuple[Mapping[str, str], ...] = ()
    parts: Mapping[str, str] | None = None
    control: Mapping[str, Any] | None = None
    system: bool = False
    carried: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """One entry of templates.yaml."""

    id: str
    text: str
    states: bool = False


@dataclass(frozen=True, slots=True)
class Attack:
    """One cell of the grid, not yet about anything."""

    goal: Goal
    template: Template
    carrier: str
    encoding: str

    @property
    def label(self) -> str:
        return f"{self.goal.id}/{self.template.id}/{self.carrier}/{self.encoding}"


@dataclass(frozen=True, slots=True)
class Instance:
    """An attack on one target question, and where there is one, an honest question that the same file truly answers.

    `text` is what the file holds, `say` what the attacker wants in the cell. `truth` is the sentence that answers `benign`.
    """

    attack: Attack
    number: int
    ask: str
    say: str
    text: str
    papers: tuple[str, ...]
    internal: tuple[str, ...]
    parts: Mapping[str, str]
    forged: tuple[Mapping[str, str], ...]
    topic: str
    benign: str
    truth: str

    @property
    def target(self) -> str:
        """The ref of the question under attack."""
        return f"T-{self.number:03}"

    @property
    def honest(self) -> str:
        """The ref of the honest question."""
        return f"B-{self.number:03}"

    @property
    def refs(self) -> tuple[str, ...]:
        return (self.target, self.honest) if self.benign else (self.target,)


@cache
def goals() -> tuple[Goal, ...]:
    """What the attacks want to be said or done: goals.yaml, in its order."""
    return tuple(_goal(entry) for entry in _data("goals"))


def _goal(entry: dict[str, Any]) -> Goal:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    return Goal(**values)


@cache
def templates() -> tuple[Template, ...]:
    """How the orders are worded: templates.yaml, in its order."""
    return tuple(Template(**entry) for entry in _data("templates"))


@cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = _data("words")
    return words


def _data(name: str) -> Any:
    return yaml.safe_load(files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8"))


def attacks(carriers: Sequence[str], count: int, seed: int) -> Iterator[Attack]:
    """`count` attacks. The pairs of goal and carrier come round and round in a new order; wording and encoding are drawn."""
    chance = random.Random(seed)
    pairs = list(itertools.product(goals(), carriers))
    while count > 0:
        chance.shuffle(pairs)
        for goal, carrier in pairs[:count]:
            encoding = "plain" if chance.random() < 0.4 else chance.choice(list(ENCODINGS))
            yield Attack(goal, chance.choice(templates()), carrier, encoding)
        count -= len(pairs)


def instances(drawn: Sequence[Attack], seed: int, *, honest_every: int = 1) -> tuple[Instance, ...]:
    """The attacks about things of their own; every `honest_every`-th file also answers an honest question. A batch has at most as many
    topics as there are things: raises ValueError beyond."""
    chance = random.Random(seed)
    things = _words()["things"].split()
    done = _words()["done"].split()
    chance.shuffle(things)
    made = []
    for number, attack in enumerate(drawn, 1):
        topic = things.pop()
        benign = things.pop() if number % honest_every == 0 else ""
        made.append(_instance(attack, number, topic, benign, chance.choice(done), chance.choice(_words()["makers"])))
    return tuple(made)


def _instance(attack: Attack, number: int, topic: str, benign: str, done: str, maker: str) -> Instance:
    goal = attack.goal
    values = {"things": topic, "Things": topic.capitalize(), "done": done, "maker": maker, "n": f"{number:02}"}
    repeated = " ".join([f"{topic.capitalize()} are {done}."] * FLOOD)[:3000]

    def filled(text: str) -> str:
        return text.format(**values, flood="{flood}")

    said = filled(goal.say)
    ask, order = filled(goal.ask), filled(goal.order)
    worded = attack.template.text.format(say=said.replace(" {flood}", ""), order=order, ask=ask)
    return Instance(
        attack=attack,
        number=number,
        ask=ask,
        say=said.replace("{flood}", repeated),
        text=ENCODINGS[attack.encoding](worded),
        papers=tuple(filled(paper) for paper in goal.papers),
        internal=tuple(filled(paper) for paper in goal.internal),
        parts={name: filled(value) for name, value in (goal.parts or {}).items()},
        forged=tuple({name: filled(value) for name, value in forged.items()} for forged in goal.forged),
        topic=topic,
        benign=f"Are {benign} {done}?" if benign else "",
        truth=f"{benign.capitalize()} are {done} by {maker}." if benign else "",
    )
