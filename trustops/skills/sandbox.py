"""What runs in a program skill's child process. It imports nothing of the product: the child starts in a blink."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

FORBIDDEN = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.spawn",
    "ctypes.",
    "os.remove",
    "os.rename",
    "os.rmdir",
)
WRITING = frozenset("wax+")


def perform(argument: dict[str, Any]) -> Any:
    """Loads the file and calls the function, with the doors shut."""
    folder = Path(argument["folder"]).resolve()
    file, _, function = argument["entry"].partition(":")
    spec = importlib.util.spec_from_file_location("skill", folder / file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    sys.addaudithook(_shut(folder))
    spec.loader.exec_module(module)
    return getattr(module, function)(argument["input"])


def _shut(folder: Path) -> Any:
    """Refuses programs, native libraries by hand, writing, and files outside of the folder and of Python."""
    readable = tuple({str(folder), sys.prefix, sys.base_prefix, *filter(None, sys.path)})

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(FORBIDDEN):
            raise PermissionError(f"{event} is not permitted to a skill")
        if event == "open" and isinstance(args[0], (str, bytes)):
            path = args[0].decode() if isinstance(args[0], bytes) else args[0]
            if set(str(args[1] or "r")) & WRITING:
                raise PermissionError("a skill writes no file")
            if not str(Path(path).resolve()).startswith(readable):
                raise PermissionError("a skill opens no file outside of its folder")

    return hook
