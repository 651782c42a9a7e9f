"""What a source says is taken exactly, or not at all; and nobody calls a made-up reading live."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustops.collectors import COLLECTORS, WorkspaceCollectors, attempt, collect
from trustops.collectors.reading import parsed
from trustops.collectors.settings_of import NEEDED
from trustops.domain.authenticity import SourceMode
from trustops.domain.control import Control, ControlSource, Expectation, Measure, Risk
from trustops.domain.errors import MalformedFile, UsageError

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
GOOD = {"control": "mfa", "observed_at": "2026-11-30T08:00:00Z", "values": {"enrolled": 122, "eligible": 124}}


def control(**source: Any) -> Control:
    return Control(
        id="mfa",
        title="MFA",
        topics=("mfa",),
        measure=Measure(ratio=("enrolled", "eligible")),
        expect=Expectation(equals=1),
        max_age=timedelta(hours=24),
        risk=Risk.HIGH,
        source=ControlSource(**source) if source else None,
    )


FILE = control(collector="file", path="snapshots/mfa.json")


def dropped(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "snapshots" / "mfa.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return tmp_path


def test_a_dropped_file_is_recorded_and_never_live(tmp_path: Path) -> None:
    snapshot = WorkspaceCollectors(dropped(tmp_path, GOOD)).collect(FILE, version=3, at=AT)
    assert snapshot is not None
    assert snapshot.id == "S-mfa@3"
    assert snapshot.values == {"enrolled": 122, "eligible": 124}
    assert snapshot.source_mode is SourceMode.RECORDED
    assert snapshot.observed_at == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert snapshot.collected_at == AT


def test_a_made_up_reading_stays_mock_whatever_its_settings_say(tmp_path: Path) -> None:
    from_file = collect(control(collector="mock", path="snapshots/mfa.json"), dropped(tmp_path, GOOD), at=AT)
    settings = {"reading": json.dumps(GOOD), "source_mode": "LIVE"}
    from_setting = collect(control(collector="mock", settings=settings), tmp_path, at=AT)
    assert from_file is not None
    assert from_setting is not None
    assert {from_file.source_mode, from_setting.source_mode} == {SourceMode.MOCK}
    assert {name: collector.source_mode for name, collector in COLLECTORS.items()} == {
        "file": SourceMode.RECORDED,
        "mock": SourceMode.MOCK,
        "http": SourceMode.LIVE,
        "sql": SourceMode.LIVE,
        "ocsf": SourceMode.RECORDED,
        "command": SourceMode.LIVE,
    }


def test_equal_readings_have_equal_hashes_and_other_values_another(tmp_path: Path) -> None:
    first = collect(FILE, dropped(tmp_path, GOOD), at=AT, version=1)
    again = collect(FILE, tmp_path, at=AT + timedelta(hours=1), version=2)
    changed = collect(FILE, dropped(tmp_path, GOOD | {"values": {"enrolled": 124, "eligible": 124}}), at=AT, version=3)
    assert first is not None
    assert again is not None
    assert changed is not None
    assert first.sha256 == again.sha256 != changed.sha256


@pytest.mark.parametrize(
    "content",
    [
        "not json",
        "[]",
        "[" * 100_000,
        GOOD | {"note": "x"},
        {key: value for key, value in GOOD.items() if key != "values"},
        GOOD | {"control": "other"},
        GOOD | {"observed_at": "2026-11-30T08:00:00"},
        GOOD | {"observed_at": "yesterday"},
        GOOD | {"observed_at": 1_700_000_000},
        GOOD | {"values": {}},
        GOOD | {"values": {"rate": 0.98}},
        GOOD | {"values": {"rate": None}},
        GOOD | {"values": {"list": [1]}},
        GOOD | {"values": {"huge": 2**60}},
        '{"control": "mfa", "control": "mfa", "observed_at": "2026-11-30T08:00:00Z", "values": {"a": 1}}',
        '{"control": "mfa", "observed_at": "2026-11-30T08:00:00Z", "values": {"a": NaN}}',
    ],
)
def test_a_wrong_shape_is_an_error_and_no_reading(tmp_path: Path, content: Any) -> None:
    with pytest.raises(MalformedFile) as refused:
        collect(FILE, dropped(tmp_path, content), at=AT)
    assert refused.value.where == "snapshots/mfa.json"
    assert refused.value.remedy


@given(st.binary(max_size=200))
def test_no_bytes_get_past_the_check(raw: bytes) -> None:
    with pytest.raises(MalformedFile):
        parsed(raw, FILE, "snapshots/mfa.json")


def test_a_missing_reading_is_unavailable_with_a_reason(tmp_path: Path) -> None:
    found = attempt(FILE, tmp_path, at=AT)
    assert found.snapshot is None
    assert "snapshots/mfa.json" in found.why
    assert attempt(control(), tmp_path, at=AT).why


def test_a_reading_from_the_future_proves_nothing_today(tmp_path: Path) -> None:
    found = attempt(FILE, dropped(tmp_path, GOOD | {"observed_at": "2026-11-30T14:00:01+02:00"}), at=AT)
    assert found.snapshot is None
    assert "after" in found.why
    assert collect(FILE, dropped(tmp_path, GOOD | {"observed_at": "2026-11-30T14:00:00+02:00"}), at=AT) is not None


@pytest.mark.parametrize("path", ["../outside.json", "/etc/passwd", "snapshots/../../outside.json", "link.json", ""])
def test_no_path_leads_out_of_the_workspace(tmp_path: Path, path: str) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "outside.json").write_text(json.dumps(GOOD))
    (workspace / "link.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(MalformedFile) as refused:
        collect(control(collector="file", path=path), workspace, at=AT)
    assert "source.path" in refused.value.where


@pytest.mark.parametrize("name", sorted(set(COLLECTORS) - {"mock", "file"}))
def test_a_source_without_its_settings_says_which_are_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(MalformedFile) as refused:
        collect(control(collector=name), tmp_path, at=datetime.now(UTC))
    assert NEEDED[name][0] in refused.value.message


@pytest.mark.parametrize("name", [name for name, each in COLLECTORS.items() if each.source_mode is SourceMode.LIVE])
def test_a_live_source_is_not_asked_about_the_past(tmp_path: Path, name: str) -> None:
    """Its answer of today would stand as the reading of that day."""
    found = attempt(control(collector=name), tmp_path, at=AT, now=AT + timedelta(minutes=16))
    assert found.snapshot is None
    assert "cannot be asked" in found.why


def test_a_time_without_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        collect(FILE, dropped(tmp_path, GOOD), at=datetime(2026, 11, 30, 12))
