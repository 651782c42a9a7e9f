"""All commands by name. A group is a noun with verbs beneath it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trustops.cli.answers import approve, edit, reject
from trustops.cli.auditing import keys_init, keys_rotate, keys_show, verify
from trustops.cli.cases import record, replay
from trustops.cli.catalogue import (
    controls_check,
    controls_collect,
    controls_list,
    evidence_check,
    evidence_list,
    library_list,
    library_withdraw,
)
from trustops.cli.evaluating import eval_run
from trustops.cli.exporting import export
from trustops.cli.hosting import serve, watch
from trustops.cli.looking import show, status
from trustops.cli.reviewing import recheck, review
from trustops.cli.running import cancel, pause, resume
from trustops.cli.workspace import doctor, init, parse

ROOT: dict[str, Callable[..., Any]] = {
    "init": init,
    "parse": parse,
    "review": review,
    "status": status,
    "show": show,
    "recheck": recheck,
    "resume": resume,
    "pause": pause,
    "cancel": cancel,
    "edit": edit,
    "approve": approve,
    "reject": reject,
    "export": export,
    "verify": verify,
    "watch": watch,
    "record": record,
    "replay": replay,
    "serve": serve,
    "doctor": doctor,
}

GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "evidence": ("What is indexed, undated, expired.", {"list": evidence_list, "check": evidence_check}),
    "controls": (
        "The control catalogue, its sources and readings.",
        {"list": controls_list, "check": controls_check, "collect": controls_collect},
    ),
    "library": ("Earlier answers.", {"list": library_list, "withdraw": library_withdraw}),
    "keys": ("The signing keys, outside the workspace.", {"init": keys_init, "rotate": keys_rotate, "show": keys_show}),
    "eval": ("Evaluation against truth files.", {"run": eval_run}),
}
