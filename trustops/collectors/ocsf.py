"""The `ocsf` collector: findings of a scanner (Prowler and others) in OCSF JSON, one check counted. RECORDED: the scanner read the system.

Shape: a list of Detection Findings (OCSF class 2004) with `metadata.event_code` (the check), `status_code` (PASS, FAIL, MANUAL) and `time`
in seconds or milliseconds since 1970. Source: schema.ocsf.io, class detection_finding. A muted FAIL is a FAIL: it is as it is.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from trustops import confine
from trustops.collectors.ground import Ground, place
from trustops.collectors.reading import Reading, inside
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import canonical
from trustops.domain.control import Control, ControlSource
from trustops.domain.errors import MalformedFile, TrustOpsError, Unavailable

LARGEST = 64 * 1024 * 1024
"""Bytes of a findings file."""
CODES = {"PASS": "passed", "FAIL": "failed", "MANUAL": "manual"}
MILLISECONDS = 10**11
"""From here on a time since 1970 counts milliseconds: as seconds it would be in the year 5138."""
_REMEDY = "Let the scanner write its findings anew as OCSF JSON."


class OcsfCollector:
    """Counts what a scanner found: RECORDED."""

    name: ClassVar[str] = "ocsf"
    source_mode: ClassVar[SourceMode] = SourceMode.RECORDED

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading:
        """`passed`, `failed`, `manual` and `total` of the check, as old as its oldest finding. Raises MalformedFile for another shape,
        Unavailable where there is no file or no finding of the check: then nobody looked."""
        where, check = f"{place(control, source)}, {source.path}", source.settings["check"]
        path = inside(ground.workspace, source.path, place(control, source, "path"))
        if not path.is_file():
            raise Unavailable(f"there are no findings at {source.path}", where=where, remedy="Run the scanner, then collect again.")
        if path.stat().st_size > LARGEST:
            raise MalformedFile(f"the findings have more than {LARGEST} bytes", where=where, remedy="Let the scanner write fewer checks.")
        try:
            found = confine.call(
                "trustops.collectors.ocsf:counted", {"path": str(path), "check": check, "where": where}, cpu_s=60, wall_s=60
            )
        except TrustOpsError as bad:
            raise bad if bad.where == where else MalformedFile("the findings could not be read", where=where, remedy=_REMEDY) from None
        counts = found["counts"]
        values = {**counts, "total": sum(counts.values())}
        at = datetime.fromtimestamp(found["oldest"], UTC)
        said = {"control": control.id, "check": check, "observed_at": at.isoformat(), "values": values, "response": found["sha256"]}
        return Reading(at, values, canonical(said))


def counted(argument: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: {"path", "check", "where"} to counts by status, the oldest time in seconds and a digest of what counted."""
    from trustops.domain.chain import sha256

    where = argument["where"]
    try:
        findings = json.loads(Path(argument["path"]).read_bytes().decode("utf-8-sig"))
    except ValueError:
        raise MalformedFile("the findings are no JSON", where=where, remedy=_REMEDY) from None
    if not isinstance(findings, list):
        raise MalformedFile("the findings are no list", where=where, remedy=_REMEDY)
    mine = [f for f in findings if _check(f) == argument["check"]]
    if not mine:
        raise Unavailable(f"there is no finding of the check {argument['check']!r}", where=where, remedy="Correct the check, or run it.")
    counts = Counter(_status(finding, where) for finding in mine)
    oldest = min(_seconds(finding, where) for finding in mine)
    said = json.dumps(mine, sort_keys=True).encode()
    return {"counts": {name: counts[name] for name in CODES.values()}, "oldest": oldest, "sha256": sha256(said)}


def _check(finding: Any) -> Any:
    metadata = finding.get("metadata") if isinstance(finding, dict) else None
    return metadata.get("event_code") if isinstance(metadata, dict) else None


def _status(finding: dict[str, Any], where: str) -> str:
    code = finding.get("status_code")
    if not isinstance(code, str) or code not in CODES:
        raise MalformedFile("a finding of the check has no status_code PASS, FAIL or MANUAL", where=where, remedy=_REMEDY)
    return CODES[code]


def _seconds(finding: dict[str, Any], where: str) -> int:
    time = finding.get("time")
    if isinstance(time, bool) or not isinstance(time, int) or not 0 < time < 100 * MILLISECONDS:
        raise MalformedFile("a finding of the check has no time", where=where, remedy=_REMEDY)
    return time // 1000 if time >= MILLISECONDS else time
