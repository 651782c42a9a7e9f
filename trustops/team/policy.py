"""Policy: what documents and earlier answers claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trustops.domain.evidence import Classification, Passage, PriorAnswer
from trustops.domain.opinion import CommanderOpinion, PolicyOpinion
from trustops.domain.question import Question
from trustops.ports import SkillCaller
from trustops.team.material import passage_view, prior_view, question_view
from trustops.team.seat import Sitting, Table, sit

EXTRA = 20
"""Passages beyond those that the rules' own queries found. The rules' finds are never cut (product.md, "Seats add, never subtract")."""


Search = tuple[str, str]
"""A skill and a query."""
EVIDENCE, ANSWERS = ("search-evidence", "read-passage"), ("search-answers",)


@dataclass(frozen=True, slots=True)
class Found:
    """What the searches brought: passages, earlier answers, and the searches, which are repeated when the index changes. `worked` is what
    programs of the workspace made: material for the seat, and no exhibit."""

    passages: tuple[Passage, ...]
    prior_answers: tuple[PriorAnswer, ...]
    searches: tuple[Search, ...]
    failed: tuple[str, ...] = ()
    worked: tuple[dict[str, Any], ...] = ()


def searches_of(plan: CommanderOpinion) -> tuple[Search, ...]:
    """The searches that Commander planned for Policy."""
    return tuple((call.skill, call.query) for call in plan.plan if call.seat == "policy")


async def search(skills: SkillCaller, rule_queries: Sequence[str], planned: Sequence[Search]) -> Found:
    """All searches of the rules and of the plan. A search of the rules that fails is listed: the seat then counts as unavailable."""
    wanted = both_ways(rule_queries)
    results = [(search, search in wanted, await skills.call(*search)) for search in (*wanted, *planned)]
    exhibits = [each for each in results if each[0][0] in (*EVIDENCE, *ANSWERS)]
    return replace(united(exhibits), worked=worked([(search, result) for search, _, result in results]))


def worked(results: Sequence[tuple[Search, Any]]) -> tuple[dict[str, Any], ...]:
    """What programs of the workspace made of their input: everything that is neither exhibits nor controls."""
    return tuple({"skill": skill, "query": query, "result": result} for (skill, query), result in results if isinstance(result, dict))


def both_ways(queries: Sequence[str]) -> tuple[Search, ...]:
    """Each query once among documents and once among earlier answers."""
    return tuple((skill, query) for query in queries for skill in ("search-evidence", "search-answers"))


def united(results: Sequence[tuple[Search, bool, Sequence[Passage | PriorAnswer] | None]]) -> Found:
    """What searches found, each with whether the rules made it, in one order. None is a search that failed."""
    lists: dict[str, list[tuple[bool, Sequence[Passage | PriorAnswer]]]] = defaultdict(list)
    for (skill, _), by_rule, result in results:
        lists[skill].append((by_rule, result or ()))
    failed = tuple(f"{skill}: {query[:80]}" for (skill, query), by_rule, result in results if by_rule and result is None)
    passages = _merge([found for skill in EVIDENCE for found in lists[skill]])
    answers = _merge([found for skill in ANSWERS for found in lists[skill]])
    made = tuple(dict.fromkeys(search for search, _, _ in results if search[0] in (*EVIDENCE, *ANSWERS)))
    return Found(passages, answers, made, failed)  # type: ignore[arg-type]


def _merge(lists: Iterable[tuple[bool, Sequence[Passage | PriorAnswer]]]) -> tuple[Passage | PriorAnswer, ...]:
    """Reciprocal-rank order over all lists; what only the plan found is cut at EXTRA."""
    score: dict[str, float] = defaultdict(float)
    held: dict[str, Passage | PriorAnswer] = {}
    ruled: set[str] = set()
    for by_rule, found in lists:
        for rank, exhibit in enumerate(found):
            score[exhibit.id] += 1 / (60 + rank)
            held[exhibit.id] = exhibit
            ruled |= {exhibit.id} if by_rule else set()
    order = sorted(held, key=lambda key: (-score[key], key))
    extra = [key for key in order if key not in ruled][:EXTRA]
    return tuple(held[key] for key in order if key in ruled or key in extra)


async def read_policies(table: Table, question: Question, asks: Sequence[str], found: Found) -> Sitting[PolicyOpinion]:
    """What the found material claims about each ask. Restricted passages are not shown to the model."""
    shown = [p for p in found.passages if p.document.classification is not Classification.RESTRICTED]
    payload = {
        "question": question_view(question),
        "asks": list(asks),
        "passages": [passage_view(p) for p in shown],
        "prior_answers": [prior_view(a) for a in found.prior_answers],
        **({"skill_results": list(found.worked)} if found.worked else {}),
    }
    return await sit(table, "policy", PolicyOpinion, payload)
