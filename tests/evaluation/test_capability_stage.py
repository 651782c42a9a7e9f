"""Harm: a task of a capability dimension is not what its case says, so that its figures are of something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.evaluation.observed import case_of
from trustops import assembly
from trustops.domain.authenticity import Origin
from trustops.domain.errors import MalformedFile
from trustops.evaluation.capability import BASE, DIMENSIONS, State, load_thresholds
from trustops.evaluation.capability_stage import Observed, Stage, supplied_skills
from trustops.evaluation.capability_suite import SUITE, Player, cases_of, reported, run
from trustops.evaluation.case import Case
from trustops.evaluation.running import Wiring, run_suites
from trustops.ports import ModelClient, ModelReply, ModelRequest

CASES = {case.case_id: case for case in cases_of()}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(assembly.offline, tmp_path_factory.mktemp("stage"))
    yield made
    made.close()


def played(stage: Stage, name: str, **changes: Any) -> Observed:
    return stage.play(CASES[name], **changes)


def test_a_task_goes_through_five_seats_and_the_rules(stage: Stage) -> None:
    seen = played(stage, "B3-list-and-length")
    assert [turn.task.outcome for turn in seen.outcome.turns] == ["ok"] * 5
    assert (seen.cells["choice"], seen.left, seen.real) == ("Yes", True, False)
    assert seen.asks == (("Is full-disk encryption enabled on all company laptops?", "yes_no"),)


def test_a_skill_that_fails_or_hangs_does_so_in_its_case_alone(stage: Stage) -> None:
    failed = [made.outcome for made in played(stage, "B2-skill-fails").invocations if made.skill == "read-passage"]
    assert failed == ["failed: RuntimeError"]
    hung = [made.outcome for made in played(stage, "C4-hangs-control").invocations if made.skill == "read-control"]
    assert hung == ["timeout"]
    assert played(stage, "C4-hangs-needed").decision == "BLOCK"
    plain = played(stage, "B3-list-and-length")
    assert {made.outcome for made in plain.invocations} == {"ok"}


def test_a_plan_that_repeats_itself_is_carried_out_once(stage: Stage) -> None:
    seen = played(stage, "C4-loop-passage")
    assert len(seen.plan) == 12
    assert sum(made.skill == "read-passage" for made in seen.invocations) == 1


def test_a_case_alone_knows_nothing_of_the_organisation(stage: Stage) -> None:
    seen = played(stage, "Q1-empty-tools")
    assert seen.outcome.case is not None
    assert {passage.document.path for passage in seen.outcome.case.dossier.passages} <= {"evidence/canteen.md"}
    assert seen.outcome.case.dossier.readings == ()


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_the_key_fact_stands_where_the_case_says_in_as_many_tokens(stage: Stage, place: str) -> None:
    seen = played(stage, f"C5-4k-{place}")
    assert seen.outcome.case is not None
    passages = seen.outcome.case.dossier.passages
    filler = [at for at, passage in enumerate(passages) if passage.document.title == "House notes"]
    found = [at for at in range(len(passages)) if at not in filler]
    assert 4_000 <= sum(len(passages[at].text) for at in filler) / 4 < 6_000
    before = sum(at < found[0] for at in filler)
    assert {"start": before == 0, "middle": 0 < before < len(filler), "end": before == len(filler)}[place]


def test_a_skill_let_in_by_force_stands_in_the_task_of_its_seat_alone(stage: Stage) -> None:
    saw: list[ModelRequest] = []

    class Looks:
        origin = Origin.SCRIPTED

        def __init__(self, behind: ModelClient) -> None:
            self.behind = behind

        async def complete(self, request: ModelRequest) -> ModelReply:
            saw.append(request)
            return await self.behind.complete(request)

    office = stage.office
    stage.office = replace(office, client=Looks(office.client))
    try:
        played(stage, "Q2-skill-leaks")
    finally:
        stage.office = office
    told = {request.seat for request in saw if "svc-breakglass-07" in request.user and "Guidance of this house" in request.user}
    assert told == {"answer"}


def test_group_b_is_told_the_skills_and_group_a_is_not(stage: Stage) -> None:
    names = {skill.name for skill in supplied_skills()}
    assert names == {"name-the-limit", "search-both-ways", "show-the-figure"}
    case = CASES["B3-list-and-length"]
    told = {group: {skill for call in stage.play(case, group=group).model_calls for skill in call.skills} for group in ("A", "B")}
    assert told["A"] == set()
    assert [skill.partition("@")[0] for skill in told["B"]] == ["name-the-limit"]


def test_a_repaired_reply_and_a_lost_seat_are_seen(stage: Stage) -> None:
    assert sum(call.repairs for call in played(stage, "C2-bad-reply-repaired").model_calls) == 1
    assert "AGENT_UNAVAILABLE" in played(stage, "C2-seat-lost").codes


def test_an_input_that_is_misspelt_is_refused_with_its_key(stage: Stage) -> None:
    with pytest.raises(MalformedFile, match=r"input\.cell"):
        stage.play(case_of("B1", {"intent_exact_match": {"forms": []}}, input={"question": "Is it so?", "cell": []}))


def test_offline_no_difference_of_skills_is_measured(stage: Stage) -> None:
    player = Player(stage, load_thresholds())
    made = player.play(CASES["B3-number"])
    by_metric = {score.metric: score for score in made.scores if score.group != "A"}
    assert by_metric["skill_impact_delta"].amount is None
    assert by_metric["skill_negative_rate"].amount is None
    assert by_metric["baseline_score"].amount == 1
    rows = {row.measured.metric: row for row in reported([made], player, real=False).rows}
    assert rows["skill_impact_delta"].state is State.NOT_MEASURED
    assert rows["quantity_constraint_compliance"].measured.value == 1


def test_c_is_not_looked_at_where_b_fails(stage: Stage) -> None:
    strict = load_thresholds().model_copy(update={"dimensions": {"B3": Decimal(2)}})
    made = run([CASES["B3-number"], CASES["C2-two-steps"], CASES["Q1-faithful"]], stage, strict)
    assert [one.skipped[:19] for one in made.played] == ["", "BASELINE_FAILED: B3", ""]
    assert made.failed == ("B3",)


# -- all of it -----------------------------------------------------------------------------------------------------------

KNOWN_SHORT = {
    "B1-two-verbs": "the reader takes two verbs of one subject for one ask",
    "C4-hard-training": "a share below all is given up where its control is not named in the question",
    "Q3-objectives": "the same sentence answers both parts",
}
"""Where the product falls short offline, each told in docs/evaluation.md. One that is mended must leave this list."""


@pytest.mark.long
def test_the_whole_of_it_falls_short_just_where_it_is_told(stage: Stage) -> None:
    made = run(cases_of(), stage)
    assert {one.case.case_id for one in made.played if one.short} == set(KNOWN_SHORT)
    assert not any(one.skipped for one in made.played)
    assert set(made.means) == set(DIMENSIONS)
    for name in BASE:
        assert (made.means[name][0] or 0) >= Decimal("0.70"), name


@pytest.mark.long
def test_the_runner_plays_it_in_several_processes() -> None:
    chosen: list[Case] = list(cases_of(["B1", "C1"]))
    record = run_suites([(SUITE, chosen)], Wiring(assembly.offline, assembly.provider_at), jobs=2)
    assert len(record.results) == len(chosen)
    assert not record.failed
