"""The `command` collector: a program of the organisation that prints JSON. LIVE, and off unless [collectors] command = true.

No shell stands between, the program gets no environment but the variables that are named, and time, memory and output are limited. It
runs with the rights of TrustOps: who may write controls.yaml decides what runs, once an administrator switched it on.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import ClassVar

from trustops import confine
from trustops.collectors.ground import Ground, place, whole
from trustops.collectors.reading import LARGEST, Reading, inside
from trustops.collectors.selecting import document, exact_values, live, searched
from trustops.domain.authenticity import SourceMode
from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile, Unavailable, UsageError

SECONDS, LONGEST_S = 30, 300


class CommandCollector:
    """Runs a program at the moment of the reading: LIVE."""

    name: ClassVar[str] = "command"
    source_mode: ClassVar[SourceMode] = SourceMode.LIVE

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading:
        """The values that the program prints. Raises UsageError where programs are off, MalformedFile for a wrong setting or output,
        Unavailable where the program fails or hits a limit."""
        where = place(control, source)
        if not ground.permits.command:
            raise UsageError(
                "programs are not run here", where=where, remedy="An administrator sets command = true under [collectors] in trustops.toml."
            )
        arguments = _arguments(control, source, ground)
        names = source.settings.get("env", "").replace(",", " ").split()
        variables = {name: ground.secret(name, place(control, source, "env")) for name in names}
        seconds = whole(control, source, "timeout", SECONDS, LONGEST_S)
        ended = confine.program(arguments, folder=ground.workspace, environment=variables, output=LARGEST, wall_s=seconds)
        if ended.problem:
            raise Unavailable(f"the program {ended.problem}", where=where, remedy="Run it by hand and see what it says.")
        data = document(ended.output, where)
        expression = source.settings.get("values")
        found = searched(expression, data, place(control, source, "values")) if expression else data
        values = exact_values(found, where)
        if any(isinstance(value, str) and secret in value for value in values.values() for secret in variables.values()):
            raise MalformedFile("the program prints a credential in its values", where=where, remedy="Print the values only.")
        return live(control, values, ground.now, ended.output)


def _arguments(control: Control, source: ControlSource, ground: Ground) -> list[str]:
    """The program by its absolute path, or as a file of the workspace, and its arguments. Nothing is looked up."""
    where = place(control, source, "run")
    try:
        program, *arguments = shlex.split(source.settings["run"])
    except ValueError:
        raise MalformedFile("the command line cannot be read", where=where, remedy="Close the quotes; name a program.") from None
    path = Path(program) if Path(program).is_absolute() else inside(ground.workspace, program, where)
    if not path.is_file():
        raise Unavailable(f"there is no program {program}", where=where, remedy="Name it by its absolute path, or in the workspace.")
    return [str(path), *arguments]
