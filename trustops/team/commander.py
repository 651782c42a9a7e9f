"""Commander: reads the question and plans what Policy and Control look up."""

from __future__ import annotations

from trustops.domain.opinion import CommanderOpinion
from trustops.domain.question import Question
from trustops.roster.skillfiles import SkillKind
from trustops.team.material import question_view
from trustops.team.seat import Sitting, Table, sit


async def command(table: Table, question: Question) -> Sitting[CommanderOpinion]:
    """The question as read. Its plan may only add look-ups, its risk may only raise the declared one."""
    offered = [
        f"{seat}/{name}: {table.roster.skills[name].description}"
        for seat in ("policy", "control")
        for name in table.roster.agents[seat].skills
        if table.roster.skills[name].kind is not SkillKind.INSTRUCTION
    ]
    return await sit(table, "commander", CommanderOpinion, {"question": question_view(question)}, skills="; ".join(offered))
