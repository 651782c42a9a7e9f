"""Harm: a shipped control names a framework's requirement that does not exist, or speaks to questions it is not about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trustops
from trustops.collectors import load_controls
from trustops.domain.control import Control
from trustops.skills.list_controls import list_controls

STARTER = Path(trustops.__file__).parent / "catalogue" / "starter_controls.yaml"
CCM = {"A&A": 6, "AIS": 7, "BCR": 11, "CCC": 9, "CEK": 21, "DCS": 15, "DSP": 19, "GRC": 8, "HRS": 13, "IAM": 16, "IPY": 4, "IVS": 9,
       "LOG": 13, "SEF": 8, "STA": 14, "TVM": 10, "UEM": 14}  # fmt: skip
"""Domains of CCM v4 and how many controls each has."""
ISO = {5: 37, 6: 8, 7: 14, 8: 34}
SOC2 = {"CC1": 5, "CC2": 3, "CC3": 4, "CC4": 2, "CC5": 3, "CC6": 8, "CC7": 5, "CC8": 1, "CC9": 2, "A1": 3, "C1": 2, "PI1": 5}
CSF = {"GV.OC", "GV.RM", "GV.RR", "GV.PO", "GV.OV", "GV.SC", "ID.AM", "ID.RA", "ID.IM", "PR.AA", "PR.AT", "PR.DS", "PR.PS", "PR.IR",
       "DE.CM", "DE.AE", "RS.MA", "RS.AN", "RS.CO", "RS.MI", "RC.RP", "RC.CO"}  # fmt: skip
"""Categories of NIST CSF 2.0."""


@pytest.fixture(scope="module")
def starter() -> tuple[Control, ...]:
    return load_controls(STARTER)


def exists(framework: str) -> bool:
    standard, _, name = framework.partition(":")
    head, _, number = name.rpartition("-" if standard in ("CCM", "CSF") else ".")
    if not number.isdigit():
        return False
    if standard == "CCM":
        return bool(re.fullmatch(r"\d\d", number)) and 1 <= int(number) <= CCM.get(head, 0)
    if standard == "ISO27001":
        return 1 <= int(number) <= ISO.get(int(head.removeprefix("A.")), 0)
    if standard == "SOC2":
        return 1 <= int(number) <= SOC2.get(head, 0)
    return standard == "CSF" and head in CSF and bool(re.fullmatch(r"\d\d", number))


def test_every_control_names_requirements_that_exist_in_all_four(starter: tuple[Control, ...]) -> None:
    assert [(c.id, f) for c in starter for f in c.frameworks if not exists(f)] == []
    for control in starter:
        assert {f.split(":")[0] for f in control.frameworks} == {"CCM", "ISO27001", "SOC2", "CSF"}, control.id


@pytest.mark.parametrize("framework", ["CCM:IAM-17", "CCM:XYZ-01", "ISO27001:A.5.38", "SOC2:CC8.2", "CSF:PR.AC-01", "CCM:IAM-1", "X:Y-01"])
def test_the_check_sees_what_does_not_exist(framework: str) -> None:
    assert not exists(framework)


def test_none_has_a_source_and_no_id_is_a_common_word(starter: tuple[Control, ...]) -> None:
    """A control's id maps it to every question that contains it."""
    assert [c.id for c in starter if c.source is not None] == []
    assert [c.id for c in starter if "-" not in c.id] == []


@pytest.mark.parametrize(
    ("question", "control"),
    [
        ("Is multi-factor authentication enforced for all staff?", "mfa-workforce"),
        ("Is customer data encrypted at rest?", "encryption-at-rest"),
        ("Which TLS versions do you support?", "tls-minimum"),
        ("How long are backups kept?", "backup-retention"),
        ("Do you provide security awareness training?", "security-training"),
        ("Do you perform a penetration test? At what frequency?", "penetration-test"),
        ("Where is customer data stored, by region?", "data-location"),
        ("How do you address PR.AA-05?", "access-review"),
    ],
)
def test_a_question_finds_its_control(starter: tuple[Control, ...], question: str, control: str) -> None:
    assert control in {found.id for found in list_controls(starter, question)}


def test_a_question_about_something_else_finds_none(starter: tuple[Control, ...]) -> None:
    assert list_controls(starter, "Do you offer source code escrow, and what is your legal form?") == ()
