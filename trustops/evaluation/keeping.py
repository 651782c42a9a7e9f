"""Keeping a report: report.json, report.html, junit.xml and the signed test-result, whole or not at all, in a folder of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from trustops.disk import store
from trustops.domain.chain import canonical, sha256
from trustops.domain.errors import UsageError
from trustops.evaluation.junit import junit
from trustops.evaluation.page import page
from trustops.operations.evaluations import REPORT, REPORTS
from trustops.ports import Signer

HTML, JUNIT, ATTESTATION = "report.html", "junit.xml", "test-result.dsse.json"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"


def keep(told: Mapping[str, Any], folder: Path, signer: Signer | None = None) -> Path:
    """Writes the files of a report into a folder named after the run, within `folder`. Raises UsageError where the disk does not take them;
    then nothing of it is left."""
    name = str(told["evaluation_run_id"])
    target, building = folder / name, folder / f".{name}-{uuid4().hex[:6]}"
    try:
        building.mkdir(parents=True)
        for file, data in files(told, signer).items():
            store(building / file, data)
        building.rename(target)
    except OSError as bad:
        shutil.rmtree(building, ignore_errors=True)
        reason = bad.strerror or str(bad)
        raise UsageError(f"the report cannot be written ({reason})", where=str(folder), remedy="Make room, or name another -o.") from bad
    return target


def files(told: Mapping[str, Any], signer: Signer | None = None) -> dict[str, bytes]:
    """The files by name. Without a signing key there is no attestation."""
    made = {
        REPORT: (json.dumps(told, ensure_ascii=False, indent=1, default=str) + "\n").encode(),
        HTML: page(told).encode(),
        JUNIT: junit(told),
    }
    pen = signer.pen() if signer is not None else None
    return made | ({ATTESTATION: pen.envelope(statement(told, made))} if pen is not None else {})


def statement(told: Mapping[str, Any], made: Mapping[str, bytes]) -> bytes:
    """The in-toto Statement: the report's files are its subjects, the verdict and the cases its predicate (test-result v0.1)."""
    by = {kind: [case["case_id"] for case in told["cases"] if case["outcome"] in outcomes] for kind, outcomes in KINDS.items()}
    return canonical(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": name, "digest": {"sha256": sha256(data)}} for name, data in sorted(made.items())],
            "predicateType": PREDICATE,
            "predicate": {
                "result": {"PASSED": "PASSED", "FAILED": "FAILED"}.get(told["verdict"], "WARNED"),
                "configuration": [
                    {"name": "dataset", "digest": {"trustopsDataset": told["dataset_version"]}},
                    {"name": "source", "digest": {"gitCommit": told["git_commit"]}},
                ],
                **by,
                "verdict": told["verdict"],
                "evaluation": told["evaluation_run_id"],
                "execution_mode": told["execution_mode"],
                "finishedOn": told["date"],
            },
        }
    )


KINDS = {"passedTests": {"PASSED"}, "failedTests": {"FAILED", "ERROR"}, "warnedTests": {"SKIPPED"}}


def default_folder(workspace: Path) -> Path:
    """Where a workspace keeps its reports."""
    return workspace / REPORTS
