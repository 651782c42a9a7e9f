"""Shapes of what goes out under /v1. The OpenAPI document is made from them; a test holds every reply against it."""

from __future__ import annotations

from trustops.console.shapes.base import ProblemDetails, Shape
from trustops.console.shapes.holdings import Conflicts, Controls, Coverage, Documents, Entered, Library, Problems, Withdrawn
from trustops.console.shapes.people import Invitation, Me, People, Person, Records, Redaction, Revoked, Token, Well
from trustops.console.shapes.reviews import (
    Edited,
    FindingRow,
    Gate,
    Parsed,
    Part,
    QuestionReport,
    ReviewReport,
    ReviewRow,
    Reviews,
    RunRow,
    RunRows,
    Started,
    Verdict,
    Verdicts,
    Versions,
)
from trustops.console.shapes.sending import ExportMade, ExportRow, Exports, Recalled, Verification, Withheld
from trustops.console.shapes.trust import Profiles, Reputations, Subject, TrustChain

__all__ = [
    "Conflicts",
    "Controls",
    "Coverage",
    "Documents",
    "Edited",
    "Entered",
    "ExportMade",
    "ExportRow",
    "Exports",
    "FindingRow",
    "Gate",
    "Invitation",
    "Library",
    "Me",
    "Parsed",
    "Part",
    "People",
    "Person",
    "ProblemDetails",
    "Problems",
    "Profiles",
    "QuestionReport",
    "Recalled",
    "Records",
    "Redaction",
    "Reputations",
    "ReviewReport",
    "ReviewRow",
    "Reviews",
    "Revoked",
    "RunRow",
    "RunRows",
    "Shape",
    "Started",
    "Subject",
    "Token",
    "TrustChain",
    "Verdict",
    "Verdicts",
    "Verification",
    "Versions",
    "Well",
    "Withdrawn",
    "Withheld",
]
