"""Harm: a request that nobody thought of brings the service down, or comes through a door without a sign-in.

Requests are made from the OpenAPI document (Schemathesis): fitting ones and broken ones, each operation by itself and along the links.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
)

from tests.console.conftest import Service, bearer, serving
from trustops import assembly
from trustops.console import doors, hosted, reading
from trustops.console.api import API
from trustops.console.doors import Door
from trustops.console.openapi import document, name_of
from trustops.domain import credential

EXAMPLES, HISTORIES, STEPS = 2, 2, 8
CHECKS = [not_a_server_error, ignored_auth, status_code_conformance, content_type_conformance, response_schema_conformance]
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def service(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("schema")
        patch.setattr(credential, "N", 2**4)
        patch.setattr(hosted, "FAILURES", 10**6)
        patch.setenv("TRUSTOPS_KEYS", str(folder / "keys"))
        shutil.copytree(reviewed, folder / "kestrel")
        office = assembly.office(folder / "kestrel")
        office.signer.create()
        with serving(office) as made:
            made.client.headers.update(bearer(office, "Dee"))
            yield made


API_OF = schemathesis.openapi.from_dict(document(API))
TRIED = [
    *((door, GenerationMode.POSITIVE) for door in API),
    *((door, GenerationMode.NEGATIVE) for door in API if "{" in door.path or door.query or door.body or door.method == "POST"),
]
"""What takes nothing cannot be asked wrongly."""


@pytest.mark.parametrize(("door", "mode"), TRIED, ids=[f"{name_of(door)} {mode.name.lower()}" for door, mode in TRIED])
def test_no_request_brings_the_service_down_or_comes_in_unasked(service: Service, door: Door, mode: GenerationMode) -> None:
    """An admin asks, so that no role stands in the way."""
    operation = API_OF[door.address][door.method]

    @FEW
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case: Any) -> None:
        case.call_and_validate(base_url=service.url, headers=headers, checks=CHECKS)

    headers = {"Authorization": service.client.headers["Authorization"]}
    asked()
    assert service.client.get("/readyz").status_code == 200


def test_along_the_links_of_replies_nothing_breaks(service: Service) -> None:
    """What an upload gives leads to its review, run, stream and export, which are asked with the ids that were really given."""
    walked: set[str] = set()

    class Walk(API_OF.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            """Where the service is, and who asks."""
            return {"base_url": service.url, "headers": {"Authorization": service.client.headers["Authorization"]}}

        def validate_response(self, response: Any, case: Any, additional_checks: Any = None, **kwargs: Any) -> None:
            """The same checks; what was reached with an id of a reply is noted."""
            case.validate_response(response, checks=[*CHECKS, *(additional_checks or ())], transport_kwargs=kwargs or None)
            if response.status_code < 300:
                walked.add(case.operation.label)

    run_state_machine_as_test(Walk, settings=settings(FEW, max_examples=HISTORIES, stateful_step_count=STEPS))
    assert service.client.get("/readyz").status_code == 200
    assert walked


def test_the_checks_see_a_door_that_forgot_to_ask(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the green above would prove nothing."""
    monkeypatch.setattr(doors, "admit", lambda found, need: None)
    monkeypatch.setattr(doors, "who", lambda asked: None)
    monkeypatch.setattr(reading, "office_of", lambda request: service.office)
    operation = API_OF["/v1/reviews"]["GET"]

    @FEW
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def asked(case: Any) -> None:
        case.call_and_validate(
            base_url=service.url, headers={"Authorization": service.client.headers["Authorization"]}, checks=[ignored_auth]
        )

    with pytest.raises(FailureGroup, match=r"(?i)auth"):
        asked()
