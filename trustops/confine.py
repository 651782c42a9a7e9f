"""A limited child process for work on files that nobody vouches for (architecture.md, "Questionnaire files").

The child gets its argument and gives its result as JSON over pipes, never as pickle, so that a file that takes the child over
cannot make the parent run anything. It inherits no environment beyond the locale: a key in it would be within the file's reach.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustops.domain import errors

MAX_RESULT_BYTES = 64 * 1024 * 1024

# Runs before anything is imported that the argument could reach. The path comes from the parent, so the site machinery
# (slow, and steered by the environment) is not needed; sockets are refused because no file has a reason to open one.
BOOT = """
import json, os, sys
request = json.load(sys.stdin)
sys.path[:] = request["path"]
try:
    import resource
    for limit, value in ((resource.RLIMIT_AS, request["memory"]), (resource.RLIMIT_CPU, request["cpu"]), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
except ImportError:
    pass
def guard(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo"):
        raise PermissionError("no network in here")
sys.addaudithook(guard)
out = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
from importlib import import_module
from trustops.domain.errors import TrustOpsError
module, _, name = request["target"].partition(":")
try:
    reply = {"result": getattr(import_module(module), name)(request["argument"])}
except TrustOpsError as error:
    reply = {"error": {"code": error.code, "message": error.message, "where": error.where, "remedy": error.remedy}}
except (MemoryError, RecursionError):
    reply = {"exhausted": True}
json.dump(reply, out)
out.flush()
"""


def call(target: str, argument: Mapping[str, Any], *, memory_mb: int = 1024, cpu_s: int = 20, wall_s: float = 30) -> Any:
    """Run `package.module:function` with one JSON-able dict in a limited child and return its JSON-able result.

    Raises the function's own TrustOpsError; HostileFile when a limit is hit; MalformedFile when the child dies of anything else.
    """
    request = {"target": target, "argument": dict(argument), "memory": memory_mb * 1024 * 1024, "cpu": cpu_s, "path": _path()}
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", BOOT]
    pipe, locale = subprocess.PIPE, {"LC_ALL": "C.UTF-8"}
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=locale, start_new_session=True)
    try:
        out, err = child.communicate(json.dumps(request).encode(), timeout=wall_s)
    except subprocess.TimeoutExpired:
        raise _exhausted(f"takes longer than {wall_s:g} seconds") from None
    finally:
        _end_group(child)
        _let_go(child)
    return _result(child.returncode, out, err, memory_mb=memory_mb, cpu_s=cpu_s)


def _let_go(child: subprocess.Popen[bytes]) -> None:
    """Closes the pipes without waiting for their other ends: what the child started and put into a group of its own may hold them."""
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _path() -> list[str]:
    """The parent's import path, and the directory of this package even where an import hook provides it."""
    return [*dict.fromkeys([str(Path(__file__).resolve().parent.parent), *filter(None, sys.path)])]


def _result(status: int, out: bytes, err: bytes, *, memory_mb: int, cpu_s: int) -> Any:
    if len(out) > MAX_RESULT_BYTES:
        raise _exhausted("gives a result that is too large")
    if not out:
        raise _death(status, err, memory_mb=memory_mb, cpu_s=cpu_s)
    reply = json.loads(out)
    if "exhausted" in reply:
        raise _exhausted(f"needs more than {memory_mb} MB of memory")
    if "error" in reply:
        raise _error(**reply["error"])
    return reply["result"]


def _error(code: str, message: str, where: str, remedy: str) -> errors.TrustOpsError:
    kinds = [errors.HostileFile, errors.MalformedFile, errors.UnknownName, errors.Refused]
    kind: type[errors.TrustOpsError] = next((k for k in kinds if k.code == code), errors.UsageError)
    return kind(message, where=where, remedy=remedy)


def _exhausted(what: str) -> errors.HostileFile:
    return errors.HostileFile(
        f"The file was refused: reading it {what}.", remedy="Check where it comes from, or save it anew and try again."
    )


def _death(status: int, err: bytes, *, memory_mb: int, cpu_s: int) -> errors.UsageError:
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return _exhausted(f"takes more than {cpu_s} seconds of processor time")
    last = err.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"signal {-status}"]
    if "MemoryError" in last[0] or status < 0:
        return _exhausted(f"needs more than {memory_mb} MB of memory")
    return errors.MalformedFile(
        f"The file could not be read ({last[0][:200]}).", remedy="Open it in its program, save it anew and try again."
    )


# Sets its own limits and becomes the program, so that nothing runs between fork and exec in a process with threads.
LAUNCH = """
import json, os, resource, sys
request = json.loads(sys.argv[1])
for limit, value in ((resource.RLIMIT_AS, request["memory"]), (resource.RLIMIT_CPU, request["cpu"]), (resource.RLIMIT_CORE, 0),
                     (resource.RLIMIT_FSIZE, request["files"])):
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
os.execve(request["run"][0], request["run"], dict(os.environ))
"""
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: what it printed, or why that does not count. What it wrote to stderr is not kept: it may hold anything."""

    output: bytes = b""
    problem: str = ""


def program(
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    output: int,
    memory_mb: int = 4096,
    cpu_s: int = 60,
    wall_s: float = 30,
) -> Ended:
    """Runs a program by its absolute path, without a shell and with no environment but the given one, in its own process group, which is
    killed at the end. Limits: memory and processor time of each process, wall time, bytes of `output`, and 64 times that of any file."""
    request = {"run": list(arguments), "memory": memory_mb * 1024 * 1024, "cpu": cpu_s, "files": 64 * output}
    command = [sys.executable, "-I", "-S", "-c", LAUNCH, json.dumps(request)]
    given = {"LC_ALL": "C.UTF-8", "PATH": SYSTEM_PATH, **environment}
    with tempfile.TemporaryFile() as printed:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.DEVNULL, cwd=folder, env=given, start_new_session=True
        )
        try:
            status = child.wait(timeout=wall_s)
        except subprocess.TimeoutExpired:
            return Ended(problem=f"takes longer than {wall_s:g} seconds, and was ended")
        finally:
            _end_group(child)
        if status:
            return Ended(problem=f"ended with {status}" if status > 0 else f"was ended by signal {-status}, or hit a limit")
        if printed.seek(0, 2) > output:
            return Ended(problem=f"prints more than {output} bytes")
        printed.seek(0)
        return Ended(printed.read())


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """The program and what it started. The group is the child's own: its number is the child's."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
