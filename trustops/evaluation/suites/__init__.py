"""The suites by name. Another room adds its own with `add`, before the command line lists them."""

from __future__ import annotations
