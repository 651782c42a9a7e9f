"""YAML front matter of a Markdown file: found, cut off, and handed to the register as a node with line numbers."""

from __future__ import annotations

import re

import yaml

from trustops.formats.evidence.blocks import Notice

_FENCED = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def split(text: str) -> tuple[yaml.MappingNode | None, int, list[Notice]]:
    """The node of the front matter, the number of characters it takes, and what a person should know.

    A rule that merely opens the document ("---" and then prose) is no front matter and stays text.
    """
    found = _FENCED.match(text)
    if not found:
        return None, 0, []
    try:
        node = yaml.compose("\n" + (found.group(1) or ""), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None, 0, [("line 1", "The front matter is not YAML and was read as text.", "Correct it, or use evidence.yaml.")]
    return (node, found.end(), []) if isinstance(node, yaml.MappingNode) else (None, 0, [])
