"""Playing the capability dimensions in their order: B first, C only where B holds, then Q, X and M; each figure beside its threshold.

A case falls short by its scores and fails nothing by itself: what is enough is said by thresholds, for a dimension and for a metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from trustops.domain.errors import UnknownName
from trustops.evaluation.capability import (
    BASE,
    DIMENSIONS,
    State,
    Thresholds,
    case_score,
    load_thresholds,
    mean_score,
    state,
    why_skipped,
)
from trustops.evaluation.capability_judging import Bank
from trustops.evaluation.capability_scores import scores_of
from trustops.evaluation.capability_stage import Observed, Stage
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.listening import Heard, Listening, answering
from trustops.evaluation.metric import METRICS, Measured, measure
from trustops.evaluation.record import Step
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite
from trustops.roster import shipped

NAME = "capability"
OF_GROUPS = {"X": "skill_stability_delta", "M1": "skill_image_delta"}
"""What the difference of the groups is called in these dimensions, beside skill_impact_delta."""
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Played:
    """One case with its scores. `short` says which of them are not full, `skipped` why it was not played."""

    case: Case
    scores: tuple[Score, ...] = ()
    short: tuple[str, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure and where it stands."""

    measured: Measured
    state: State


@dataclass(frozen=True, slots=True)
class Report:
    """All cases, all figures, and the mean score of each dimension in groups A and B (None: not measured)."""

    played: tuple[Played, ...]
    rows: tuple[Row, ...]
    means: Mapping[str, tuple[Decimal | None, Decimal | None]]
    thresholds: Thresholds
    real_model: bool

    @property
    def failed(self) -> tuple[str, ...]:
        """Thresholds that are set, were measured, and do not hold."""
        bars = [f"{row.measured.metric} {row.measured.value:.3f}" for row in self.rows if row.state is State.FAILED]
        return (*bars, *(name for name in self.means if dimension_state(name, self.means[name], self.thresholds) is State.FAILED))


def dimension_state(name: str, means: tuple[Decimal | None, Decimal | None], thresholds: Thresholds) -> State:
    """A dimension's mean against its threshold: of group B where it was played, else of group A."""
    value = means[1] if means[1] is not None else means[0]
    if value is None:
        return State.NOT_MEASURED
    enough = thresholds.dimensions.get(name)
    return State.UNSET if enough is None else State.PASSED if value >= enough else State.FAILED


def cases_of(dimensions: Sequence[str] = (), folder: Path | None = None) -> tuple[Case, ...]:
    """The shipped cases of some dimensions or of all, in the order in which they are played."""
    if unknown := [name for name in dimensions if name not in DIMENSIONS]:
        raise UnknownName(f"there is no dimension {unknown[0]!r}", remedy=f"They are {', '.join(DIMENSIONS)}.")
    folder = folder or shipped("golden") / "capability"
    return tuple(
        case for name in DIMENSIONS if not dimensions or name in dimensions for case in load_cases(folder / f"{name.lower()}.yaml")
    )


@dataclass(slots=True)
class Player:
    """Plays cases one after another and keeps what B reached."""

    stage: Stage
    thresholds: Thresholds
    bank: Bank | None = None
    by_group: dict[tuple[str, str], dict[str, tuple[Score, ...]]] = field(default_factory=dict)

    def play(self, case: Case) -> Played:
        """One case in its groups and epochs; a C case is skipped where what it stands on does not hold."""
        if case.dimension.startswith("C") and (why := why_skipped(self.means(BASE), self.thresholds)):
            return Played(case, skipped=why)
        groups = ("A", "B") if case.group_a and case.group_b else ("",)
        scores: list[Score] = []
        for group in groups:
            if group == "B" and not self.stage.real:
                continue
            mine = self._group(case, group)
            self.by_group.setdefault((case.dimension, group or "A"), {})[case.case_id] = tuple(mine)
            scores += mine
        scores += self._across(case, groups)
        return Played(case, tuple(scores), tuple(_short(score) for score in scores if _short(score)))

    def complete_base(self) -> None:
        """Plays what is left of B, for what stands on it."""
        for case in cases_of(BASE):
            if case.case_id not in self.by_group.get((case.dimension, "A"), {}):
                self.play(case)

    def means(self, dimensions: Iterable[str]) -> dict[str, tuple[Decimal | None, Decimal | None]]:
        """The mean score of dimensions in groups A and B, so far."""
        return {
            name: (mean_score(self.by_group.get((name, "A"), {})), mean_score(self.by_group.get((name, "B"), {}))) for name in dimensions
        }

    def _group(self, case: Case, group: str) -> list[Score]:
        found: list[Score] = []
        first: Observed | None = None
        for epoch in range(1, case.epochs + 1):
            seen = self.stage.play(case, group=group, epoch=epoch)
            found += scores_of(case, seen, group=group, epoch=epoch, first=first, bank=self.bank)
            first = first or seen
        return found

    def _across(self, case: Case, groups: Sequence[str]) -> list[Score]:
        """What is made of a whole case in both groups. Without a model that follows skills there is no group B, and no difference."""
        if len(groups) < 2:
            return []
        a, b = (case_score(self.by_group.get((case.dimension, group), {}).get(case.case_id, ())) for group in ("A", "B"))
        why = "" if self.stage.real else "no model follows a skill offline"
        deltas = [name for name in ("skill_impact_delta", OF_GROUPS.get(case.dimension, "")) if name]
        made = [_value("baseline_score", case, a)]
        for name in deltas:
            made += [_value(name, case, a, "A", why), _value(name, case, b, "B", why)]
        worse = None if a is None or b is None else Decimal(b < a)
        return [*made, _value("skill_negative_rate", case, worse, why=why)]


def _value(metric: str, case: Case, amount: Decimal | None, group: str = "", why: str = "") -> Score:
    told = {"metric": metric, "case_id": case.case_id, "amount": amount, "authority": Authority.DETERMINISTIC, "group": group}
    return Score.model_validate(told | {"why": why if amount is None else ""})


def _short(score: Score) -> str:
    """What a rate falls short by, in words; empty where it is full, missing or no rate."""
    metric = METRICS.get(score.metric)
    if score.amount is None or metric.sort not in ("rate", "curve") or score.metric == "skill_negative_rate":
        return ""
    good = score.amount == 0 if metric.better == "low" else score.amount == score.of
    where = f" ({score.group})" if score.group else ""
    return "" if good else f"{score.metric}{where}: {score.amount} of {score.of}"


def run(
    cases: Sequence[Case],
    stage: Stage,
    thresholds: Thresholds | None = None,
    progress: Progress = lambda text: None,
    bank: Bank | None = None,
) -> Report:
    """All cases in their order; `bank` is who judges, None for nobody."""
    player = Player(stage, thresholds or load_thresholds(), bank)
    played = []
    for case in cases:
        played.append(player.play(case))
        progress(f"{case.dimension} {case.case_id}: {played[-1].skipped or '; '.join(played[-1].short) or 'as expected'}")
    return reported(played, player, real=stage.real)


def reported(played: Sequence[Played], player: Player, *, real: bool) -> Report:
    """The figures of what was played: every metric of its dimensions, measured or not."""
    scores = [score for one in played for score in one.scores]
    names = [metric.name for metric in METRICS if metric.area == NAME]
    rows = []
    for name in names:
        found = measure(METRICS.get(name), [score for score in scores if score.metric == name])
        rows.append(Row(found, state(found, player.thresholds)))
    dimensions = dict.fromkeys(one.case.dimension for one in played)
    return Report(tuple(played), tuple(rows), player.means(dimensions), player.thresholds, real)


# -- for the runner ------------------------------------------------------------------------------------------------------


def _play(case: Case, bench: Bench) -> Outcome:
    """One case for the runner. It passes where it was played to its end: whether that is enough is for thresholds to say.

    Cases may be spread over processes, so each that plays a C case plays all of B first.
    """
    heard = bench.kept.setdefault(f"{NAME} heard", Heard())
    player = bench.kept.get(NAME)
    if not isinstance(player, Player):
        client = Listening(bench.model(), heard) if bench.model else None
        player = bench.kept[NAME] = Player(Stage(bench.open_office, bench.folder(NAME), client), load_thresholds())
    if case.dimension.startswith("C"):
        player.complete_base()
    made = player.play(case)
    answering(heard)
    if made.skipped:
        return Outcome((), skipped=made.skipped)
    measured = sum(score.amount is not None for score in made.scores)
    step = Step("played", "a score for each expectation", f"{measured} measured, {len(made.scores) - measured} not", bool(made.scores))
    return Outcome((step,), made.scores, dossier={"short": list(made.short)})


SUITE = Suite(NAME, "Capability dimensions B1 to M1", cases_of, _play)
