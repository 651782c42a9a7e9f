"""The command line: one command a verb. Heavy rooms are imported inside a command, so that `--help` answers at once."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.exceptions import TyperException

from trustops.cli import commands
from trustops.cli.screen import fail
from trustops.domain.errors import TrustOpsError

app = typer.Typer(
    help="Answers customers' security questionnaires; nothing unsupported, stale or unapproved leaves.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for name, command in commands.ROOT.items():
    app.command(name)(command)
for name, (help_text, members) in commands.GROUPS.items():
    group = typer.Typer(help=help_text, no_args_is_help=True)
    for verb, command in members.items():
        group.command(verb)(command)
    app.add_typer(group, name=name)


def run(arguments: list[str] | None = None) -> None:
    """Runs one command. A refusal is one sentence on stderr and exit code 1 or 2; a user never sees a traceback for a mistake."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        outcome: Any = app(given, standalone_mode=False)
    except TrustOpsError as refusal:
        fail(refusal, as_json="--json" in given)
        raise SystemExit(refusal.exit_code) from None
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(130) from None
    except TyperException as problem:  # a wrong option or argument: the library knows how to say it
        problem.show()  # type: ignore[attr-defined]
        raise SystemExit(2) from None
    raise SystemExit(outcome if isinstance(outcome, int) else 0)
