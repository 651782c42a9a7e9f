"""What one fact implies: at most 10 days proves at most 15, TLS 1.2 or higher never proves 1.3."""

from __future__ import annotations

import pytest

from tests.facts.conftest import NAMES
from trustops.facts import Fact, implies, read


def fact(text: str, kind: str) -> Fact:
    return next(found for found in read(text, NAMES).facts if found.kind == kind)


CASES = [
    pytest.param("deadline", "within 10 days", "within 15 days", "PROVES", id="10 days lie inside 15"),
    pytest.param("deadline", "within 15 days", "within 10 days", "SILENT", id="15 days do not show 10"),
    pytest.param("deadline", "within 24 hours", "within 1 day", "PROVES", id="24 hours are a day"),
    pytest.param("deadline", "within 1 day", "within 24 hours", "PROVES", id="a day is 24 hours"),
    pytest.param("deadline", "within 3 days", "30 days' notice", "SILENT", id="notice runs the other way"),
    pytest.param("quantity", "kept for 12 months", "kept for 365 days", "PROVES", id="twelve months are 365 days"),
    pytest.param("quantity", "kept for 12 months", "kept for 1 year", "PROVES", id="twelve months are a year"),
    pytest.param("quantity", "kept for 90 days", "kept for at least 3 months", "SILENT", id="90 days are about three months"),
    pytest.param("quantity", "at least 14 characters", "at least 12 characters", "PROVES", id="a higher floor"),
    pytest.param("quantity", "8 characters", "at least 12 characters", "OPPOSES", id="below the floor"),
    pytest.param("quantity", "60 percent", "at least 50 days", "SILENT", id="percent are no days"),
    pytest.param("quantity", "122 of 124 accounts", "more than 98 % of accounts", "PROVES", id="a ratio is a percentage"),
    pytest.param("version", "TLS 1.2 or higher", "TLS 1.3", "OPPOSES", id="a floor of 1.2 stands against 1.3"),
    pytest.param("version", "TLS 1.3", "TLS 1.2 or higher", "PROVES", id="1.3 satisfies a floor of 1.2"),
    pytest.param("version", "TLS 1.3", "SAML 2.0", "SILENT", id="another protocol"),
    pytest.param("version", "PostgreSQL 9.6", "PostgreSQL 15", "OPPOSES", id="versions are no decimals"),
    pytest.param("frequency", "quarterly", "at least annually", "PROVES", id="more often than asked"),
    pytest.param("frequency", "at least annually", "quarterly", "SILENT", id="a floor does not show quarterly"),
    pytest.param("frequency", "annually", "quarterly", "OPPOSES", id="yearly is rarer than quarterly"),
    pytest.param("frequency", "every 365 days", "at least once a year", "PROVES", id="365 days are a year"),
    pytest.param("standard", "AES-256", "AES-128", "OPPOSES", id="another key length"),
    pytest.param("standard", "AES-256-GCM", "AES-256", "PROVES", id="a mode of the same algorithm"),
    pytest.param("standard", "SOC 2 Type I", "SOC 2 Type II", "SILENT", id="Type I is silent on Type II"),
    pytest.param("scope", "all personnel train", "all employees train", "PROVES", id="the workforce holds the employees"),
    pytest.param("scope", "all employees train", "all personnel train", "SILENT", id="employees are not the workforce"),
    pytest.param("scope", "only administrators train", "all employees train", "OPPOSES", id="only administrators is not all"),
    pytest.param("scope", "stored only in Spain", "stored only in the EU", "PROVES", id="a country in its region"),
    pytest.param("scope", "stored only in the EEA", "stored only in the EU", "SILENT", id="the wider region"),
    pytest.param("scope", "stored in Japan", "stored only in the EU", "OPPOSES", id="outside the only region"),
    pytest.param("absolute", "All is well.", "Every door is well.", "PROVES", id="all is every"),
    pytest.param("date", "valid until 2028-02-13", "in December 2027", "PROVES", id="before the expiry"),
]


@pytest.mark.parametrize(("kind", "premise", "claim", "verdict"), CASES)
def test_implies(kind: str, premise: str, claim: str, verdict: str) -> None:
    assert implies(fact(premise, kind), fact(claim, kind)) == verdict


def test_122_of_124_is_not_all() -> None:
    ratio = fact("122 of 124 accounts have MFA", "quantity")
    assert implies(ratio, fact("All accounts have MFA.", "absolute")) == "OPPOSES"
    assert implies(fact("124 of 124 accounts have MFA", "quantity"), fact("All accounts have MFA.", "absolute")) == "PROVES"


def test_kept_for_a_time_does_not_prove_deleted_within_it() -> None:
    assert implies(fact("kept for 30 days", "quantity"), fact("deleted within 30 days", "deadline")) == "SILENT"
