"""The drawing of the machine for docs/state-machine.md, made from the compiled graph: `python -m trustops.workflow.drawing`."""

from __future__ import annotations

from trustops.workflow.machine import machine

PAGE = """# The state machine

One attempt at one question. Made by `make docs` from the compiled graph; do not edit.

```mermaid
{drawing}
```

`commander`, `policy`, `control`, `answer` and `review` each ask one seat; `compare`, `verify` and `decide` are code. All edges are
static, `compare` waits for `policy` and `control`, and a seat that fails is a value that travels on: `decide` is always reached, and
what is missing there is BLOCK.
"""


def page() -> str:
    """The whole document."""
    return PAGE.format(drawing=machine().get_graph().draw_mermaid().strip())


if __name__ == "__main__":
    print(page(), end="")
