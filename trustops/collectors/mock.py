"""The `mock` collector: a reading somebody made up, from a file or a setting. MOCK, and so it supports no export of a live run."""

from __future__ import annotations

from typing import ClassVar

from trustops.collectors.file import FileCollector
from trustops.collectors.ground import Ground
from trustops.collectors.reading import Reading, parsed
from trustops.domain.authenticity import SourceMode
from trustops.domain.control import Control, ControlSource


class MockCollector:
    """Readings made up for a try: MOCK, and no LIVE_AI answer leaves on one."""

    name: ClassVar[str] = "mock"
    source_mode: ClassVar[SourceMode] = SourceMode.MOCK

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading | None:
        """The reading in the setting `reading` (the same JSON as one text), else in the file at `path`; None without either."""
        if "reading" in source.settings:
            where = f"controls.yaml, control {control.id}, key source.reading"
            return parsed(source.settings["reading"].encode(), control, where)
        return FileCollector().read(control, source, ground) if source.path else None
