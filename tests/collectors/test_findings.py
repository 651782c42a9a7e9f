"""Harm: a scanner's findings are counted too kindly: a muted failure, a check nobody ran, an old scan.

The shape is a Prowler 4 Detection Finding (OCSF class 2004), written by hand from the public schema.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.test_collect import control
from trustops.collectors import attempt
from trustops.collectors.ground import Ground
from trustops.collectors.ocsf import OcsfCollector, counted
from trustops.collectors.reading import Reading
from trustops.domain.authenticity import SourceMode
from trustops.domain.errors import MalformedFile, TrustOpsError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
EARLY, LATE = 1_796_014_800, 1_796_022_000
"""30 November 2026, 05:00 and 07:00 UTC."""


def finding(code: str, check: str = "iam_user_mfa_enabled_console_access", at: int = LATE, **changes: Any) -> dict[str, Any]:
    return {
        "message": f"User analyst: {code}",
        "metadata": {
            "event_code": check,
            "product": {"name": "Prowler", "uid": "prowler", "vendor_name": "Prowler", "version": "5.3.0"},
            "profiles": ["cloud", "datetime"],
            "tenant_uid": "",
            "version": "1.4.0",
        },
        "severity_id": 4,
        "severity": "High",
        "status": "New",
        "status_code": code,
        "status_detail": "User analyst has MFA enabled.",
        "status_id": 1,
        "unmapped": {"compliance": {"CIS-3.0": ["1.10"]}, "score": 0.5},
        "activity_name": "Create",
        "activity_id": 1,
        "finding_info": {"created_time": at, "title": "MFA of console users", "types": ["IAM"], "uid": f"prowler-aws-{check}-1"},
        "resources": [
            {"cloud_partition": "aws", "region": "eu-west-1", "name": "analyst", "type": "AwsIamUser", "uid": "arn:aws:iam::1:user/a"}
        ],
        "category_name": "Findings",
        "category_uid": 2,
        "class_name": "Detection Finding",
        "class_uid": 2004,
        "type_uid": 200401,
        "time": at,
        "time_dt": "2026-11-30T07:00:00",
        **changes,
    }


FINDINGS = [
    *[finding("PASS") for _ in range(5)],
    finding("FAIL", at=EARLY),
    finding("FAIL", status="Suppressed", status_id=3),
    finding("MANUAL"),
    finding("FAIL", check="s3_bucket_public_access"),
]


def read(folder: Path, content: Any, check: str = "iam_user_mfa_enabled_console_access") -> Reading:
    (folder / "findings.json").write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    asked = control(collector="ocsf", path="findings.json", settings={"check": check})
    assert asked.source is not None
    return OcsfCollector().read(asked, asked.source, Ground(folder, now=NOW))


def test_findings_of_a_check_are_counted_as_old_as_the_oldest(tmp_path: Path) -> None:
    found = read(tmp_path, FINDINGS)
    assert found.values == {"passed": 5, "failed": 2, "manual": 1, "total": 8}
    assert found.observed_at == datetime(2026, 11, 30, 5, tzinfo=UTC)
    assert read(tmp_path, [finding("PASS", at=LATE * 1000)]).observed_at == datetime(2026, 11, 30, 7, tzinfo=UTC)


def test_a_scan_is_recorded_and_the_same_scan_the_same_snapshot(tmp_path: Path) -> None:
    read(tmp_path, FINDINGS)
    asked = control(collector="ocsf", path="findings.json", settings={"check": "s3_bucket_public_access"})
    first, again = (attempt(asked, tmp_path, at=NOW).snapshot for _ in range(2))
    assert first is not None
    assert again is not None
    assert first.source_mode is SourceMode.RECORDED
    assert first.sha256 == again.sha256


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"\xff\xfe", [], [1, None, {"metadata": []}], [finding("PASS", check="another")], [finding("WARN")], [finding("pass")],
     [finding("PASS", status_code=None)], [finding("PASS", time=None)], [finding("PASS", time="2026-11-30")], [finding("PASS", time=True)],
     [finding("PASS", time=0)], [finding("PASS", time=1.5)], [finding("PASS"), finding("PASS", time=10**14)]],
)  # fmt: skip
def test_what_is_no_list_of_findings_of_the_check_is_no_reading(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "findings.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(TrustOpsError) as refused:
        counted({"path": str(path), "check": "iam_user_mfa_enabled_console_access", "where": "control mfa"})
    assert refused.value.where == "control mfa"
    assert refused.value.remedy


@pytest.mark.parametrize("content", [b"[" * 100_000, [finding("WARN")]])
def test_the_child_refuses_as_well(tmp_path: Path, content: Any) -> None:
    with pytest.raises(TrustOpsError) as refused:
        read(tmp_path, content)
    assert "control mfa" in refused.value.where


def test_findings_out_of_the_workspace_or_missing_are_not_read(tmp_path: Path) -> None:
    for path in ("../findings.json", "/etc/passwd", "none.json"):
        asked = control(collector="ocsf", path=path, settings={"check": "x"})
        with pytest.raises(TrustOpsError):
            attempt(asked, tmp_path, at=NOW)
    with pytest.raises(MalformedFile, match="no setting"):
        _catalogue(tmp_path, "{collector: ocsf, path: findings.json, check: x, region: eu}")


def _catalogue(folder: Path, source: str) -> None:
    from trustops.collectors import load_controls

    head = "- {id: a, title: A, topics: [a], measure: {flag: a}, expect: {equals: true}, max_age: 1d, risk: low, source: "
    (folder / "controls.yaml").write_text(f"{head}{source}}}")
    load_controls(folder / "controls.yaml")


@pytest.mark.parametrize(
    "source",
    ["{collector: ocsf, path: a.json}", "{collector: http, url: 'https://a.example'}", "{collector: sql}", "{collector: command}",
     "{collector: file, path: a.json, password: word}", "{collector: http, url: 'https://a.example', values: '{n: n}', token: word}"],
)  # fmt: skip
def test_a_wrong_or_missing_setting_is_told_with_its_line(tmp_path: Path, source: str) -> None:
    with pytest.raises(MalformedFile) as refused:
        _catalogue(tmp_path, source)
    assert "line 1" in refused.value.where
    assert "word" not in str(refused.value).replace("password", "")
