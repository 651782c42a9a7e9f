"""All commands by name. A group is a noun with verbs beneath it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trustops.cli.answers import approve, edit, reject
from trustops.cli.asking import ask
from trustops.cli.auditing import audit_list, keys_init, keys_rotate, keys_show, redact, verify
from trustops.cli.capabilities import eval_capability
from trustops.cli.cases import record, replay
from trustops.cli.catalogue import evidence_check, evidence_list
from trustops.cli.controls import controls_check, controls_collect, controls_coverage, controls_list
from trustops.cli.evaluating import eval_compare, eval_import, eval_list, eval_live_case, eval_release_check, eval_run
from trustops.cli.exporting import export
from trustops.cli.grading import eval_facts, eval_implies
from trustops.cli.hosting import serve, watch
from trustops.cli.judges import eval_advise, eval_calibrate, eval_compare_styles
from trustops.cli.library import library_add, library_conflicts, library_expire, library_list, library_withdraw
from trustops.cli.looking import show, status
from trustops.cli.people import people_invite, people_issue, people_list, people_revoke
from trustops.cli.playbooks import playbooks_accept, playbooks_learn, playbooks_list, playbooks_reject
from trustops.cli.recalling import recall
from trustops.cli.reusing import library_edits, library_reuse
from trustops.cli.reviewing import recheck, review
from trustops.cli.running import cancel, pause, resume
from trustops.cli.scores import (
    score_export,
    score_grade,
    score_import,
    score_keys,
    score_mandates,
    score_revoke,
    score_rubrics,
    score_show,
    score_verify,
)
from trustops.cli.skills import skills_add, skills_check, skills_list
from trustops.cli.storage import storage_migrate
from trustops.cli.tracing import trace
from trustops.cli.trust import trust_compare, trust_history, trust_list, trust_show, trust_verify
from trustops.cli.working import worker
from trustops.cli.workspace import doctor, init, parse

ROOT: dict[str, Callable[..., Any]] = {
    "init": init,
    "parse": parse,
    "review": review,
    "status": status,
    "show": show,
    "recheck": recheck,
    "ask": ask,
    "resume": resume,
    "pause": pause,
    "cancel": cancel,
    "edit": edit,
    "approve": approve,
    "reject": reject,
    "export": export,
    "verify": verify,
    "redact": redact,
    "recall": recall,
    "watch": watch,
    "trace": trace,
    "record": record,
    "replay": replay,
    "serve": serve,
    "worker": worker,
    "doctor": doctor,
}

GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "evidence": ("What is indexed, undated, expired.", {"list": evidence_list, "check": evidence_check}),
    "controls": (
        "The control catalogue, its sources and readings.",
        {"list": controls_list, "check": controls_check, "collect": controls_collect, "coverage": controls_coverage},
    ),
    "skills": (
        "What the seats can do, and what the house taught them.",
        {"list": skills_list, "add": skills_add, "check": skills_check},
    ),
    "playbooks": (
        "Manners of the house, learned from approved edits; none is active before a person accepts it.",
        {"learn": playbooks_learn, "list": playbooks_list, "accept": playbooks_accept, "reject": playbooks_reject},
    ),
    "library": (
        "Earlier answers.",
        {
            "list": library_list,
            "add": library_add,
            "withdraw": library_withdraw,
            "expire": library_expire,
            "conflicts": library_conflicts,
            "reuse": library_reuse,
            "edits": library_edits,
        },
    ),
    "audit": ("What people decided, as the chain has it.", {"list": audit_list}),
    "keys": ("The signing keys, outside the workspace.", {"init": keys_init, "rotate": keys_rotate, "show": keys_show}),
    "people": (
        "Who may do what, and sign-in tokens that make an approval authenticated.",
        {"list": people_list, "issue": people_issue, "invite": people_invite, "revoke": people_revoke},
    ),
    "storage": ("The shared database.", {"migrate": storage_migrate}),
    "score": (
        "SCORE: how seats and skills did, by what runs proved. Scores open nothing.",
        {
            "show": score_show,
            "grade": score_grade,
            "export": score_export,
            "import": score_import,
            "keys": score_keys,
            "revoke": score_revoke,
            "mandates": score_mandates,
            "verify": score_verify,
            "rubrics": score_rubrics,
        },
    ),
    "trust": (
        "AgentRisk: trust profiles of agents, skills, publishers and sub-processors. Grades open nothing.",
        {
            "show": trust_show,
            "history": trust_history,
            "compare": trust_compare,
            "verify": trust_verify,
            "list": trust_list,
        },
    ),
    "eval": (
        "Evaluation: suites of cases, gates and reports; runs against truth files; the reader against labels.",
        {
            "run": eval_run,
            "compare": eval_compare,
            "list": eval_list,
            "import": eval_import,
            "release-check": eval_release_check,
            "live-case": eval_live_case,
            "facts": eval_facts,
            "implies": eval_implies,
            "calibrate": eval_calibrate,
            "advise": eval_advise,
            "compare-styles": eval_compare_styles,
            "capability": eval_capability,
        },
    ),
}
