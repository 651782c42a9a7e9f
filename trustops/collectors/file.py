"""The `file` collector: a JSON file in the workspace that somebody's job drops there. RECORDED, since we did not read the system."""

from __future__ import annotations

from typing import ClassVar

from trustops.collectors.ground import Ground
from trustops.collectors.reading import LARGEST, Reading, inside, parsed
from trustops.domain.authenticity import SourceMode
from trustops.domain.control import Control, ControlSource


class FileCollector:
    """Readings that a job of the organisation left as JSON files: RECORDED."""

    name: ClassVar[str] = "file"
    source_mode: ClassVar[SourceMode] = SourceMode.RECORDED

    def read(self, control: Control, source: ControlSource, ground: Ground) -> Reading | None:
        """The reading, or None where there is no file. Raises MalformedFile for a wrong shape or a path out of the workspace."""
        path = inside(ground.workspace, source.path, f"controls.yaml, control {control.id}, key source.path")
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
        return parsed(raw, control, source.path)
