"""All suites by name, in the order in which a report shows them. A new suite is one module beneath `suites` and one line here."""

from __future__ import annotations

from trustops.evaluation import capability_suite
from trustops.evaluation import figures as figures
from trustops.evaluation.suite import Suite
from trustops.evaluation.suites import (
    adversarial,
    answer,
    approval,
    authenticity,
    control,
    evidence,
    failures,
    golden,
    organisations,
    questionnaire,
    reviewer,
)

SUITES: tuple[Suite, ...] = (
    golden.SUITE,
    organisations.SUITE,
    questionnaire.SUITE,
    evidence.SUITE,
    control.SUITE,
    answer.SUITE,
    reviewer.SUITE,
    approval.SUITE,
    authenticity.SUITE,
    adversarial.SUITE,
    failures.SUITE,
    capability_suite.SUITE,
)
"""What `eval run` plays without arguments: everything that needs no network and no person."""
