"""Where the readings of controls come from: the control catalogue, and one collector for each kind of source."""

from trustops.collectors.catalogue import load_controls
from trustops.collectors.ground import Permits
from trustops.collectors.registry import COLLECTORS, Collected, WorkspaceCollectors, attempt, collect

__all__ = ["COLLECTORS", "Collected", "Permits", "WorkspaceCollectors", "attempt", "collect", "load_controls"]
