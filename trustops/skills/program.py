"""A program skill of a workspace: a Python function in a limited child process, given its input and nothing else.

The child has memory, processor and wall limits, no environment, no network, and opens no file but those of its folder and of Python
itself. Not a prison: an audit hook stops what goes through Python, not native code, so a person reads a program before it is admitted
(`trustops skills add`), and it is pinned by digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trustops import confine
from trustops.roster.skillfiles import SkillFile

MEMORY_MB = 512


def carry_out(skill: SkillFile, given: Mapping[str, Any]) -> Any:
    """What the program returns; raises what confine.call raises."""
    argument = {"folder": skill.folder, "entry": skill.entry, "input": dict(given)}
    seconds = max(1, int(skill.timeout_s))
    return confine.call("trustops.skills.sandbox:perform", argument, memory_mb=MEMORY_MB, cpu_s=seconds, wall_s=skill.timeout_s)
