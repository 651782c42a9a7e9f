"""Signing in over HTTP (passwords, links, sessions) and requests that were repeated."""

from trustops.storage.migrations.append_only import create
from trustops.storage.tables import links, passwords, request_replies, requests, session_marks, sessions

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """The tables where they are not there yet."""
    create(passwords, links, sessions, session_marks, requests, request_replies)
