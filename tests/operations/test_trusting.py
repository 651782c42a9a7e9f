"""Harm: a trust record is altered and nobody notices, a script's work makes a live agent trusted, a profile's typo passes in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sqlalchemy import text

from tests.conftest import House
from tests.storage.bench import evaluation
from trustops.domain.errors import MalformedFile, UnknownName
from trustops.operations.grading import grade_all
from trustops.operations.office import TrustRules
from trustops.operations.sealing import sealed
from trustops.operations.trusting import assess_all, assess_one, history_of, record_trust, shipped, verify_trust
from trustops.scoring.agentrisk import Dimension
from trustops.scoring.plotting import sparkline, svg

Books = Callable[[], dict[str, int]]
DAY = 86_400_000
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Fixed:
    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


def at(house: House, when: datetime) -> House:
    return house.with_office(clock=Fixed(when))


def seen(house: House, scores: list[float], *, mode: str = "TEST", agent: str = "reviewer", source: str = "", first: int = 0) -> None:
    """Evaluations of an agent, a day apart, the newest one now."""
    start = int(NOW.timestamp() * 1000) - (len(scores) - 1) * DAY
    rows = [
        evaluation(
            first + n, id=f"{mode}-{agent}-{source}-{first + n}", agent=agent, mode=mode, source=source, composite=score,
            at=start + n * DAY,
            body={"scores": {"c": score}},
        )
        for n, score in enumerate(scores)
    ]  # fmt: skip
    house.office.ledger.append_evaluations([sealed(row, house.office.seal.text()) for row in rows])


def test_history_enters_times_five_as_average_and_as_change(house: House) -> None:
    now = at(house, NOW)
    seen(now, [0.8, 0.9, 1.0])
    found = assess_one(now.office, "reviewer")
    assert found.signals.dim_avg == Decimal("4.5")
    assert found.signals.avg_change == Decimal("0.5")
    assert found.trust.dimensions[Dimension.CONSISTENCY].raw == Decimal("2.5")
    assert (found.signals.active_days, found.evaluations, found.mode) == (3, 3, "TEST")


def test_scripts_never_make_a_live_agent_trusted(house: House) -> None:
    now = at(house, NOW)
    seen(now, [1.0] * 9)
    seen(now, [0.1, 0.1], mode="LIVE_AI")
    found = assess_one(now.office, "reviewer")
    assert (found.mode, found.evaluations, found.signals.dim_avg) == ("LIVE_AI", 2, Decimal("0.5"))
    assert found.trust.vetoed_by == (Dimension.AUTHENTICITY,)


def test_another_organisations_evaluations_and_forged_ones_are_not_ours(house: House) -> None:
    now = at(house, NOW)
    seen(now, [0.1, 0.1], source="mossford")
    now.office.ledger.append_evaluations([evaluation(7, composite=0.1)])
    assert assess_one(now.office, "reviewer").evaluations == 0


def test_what_is_old_is_worth_less(house: House) -> None:
    seen(at(house, NOW), [0.8, 0.8])
    later = assess_one(at(house, NOW + timedelta(days=120)).office, "reviewer")
    assert later.trust.dimensions[Dimension.AUTHENTICITY].score == Decimal("2.80")
    assert later.trust.vetoed_by == ()


def test_a_record_is_written_only_where_a_score_moved(house: House, books: Books) -> None:
    now = at(house, NOW)
    first = record_trust(now.office)
    assert {record.subject for record in first} == set(shipped().subjects)
    before = books()
    assert record_trust(now.office) == ()
    assert books() == before
    seen(now, [1.0, 1.0])
    assert [record.subject for record in record_trust(now.office)] == ["reviewer"]
    assert len(list(history_of(now.office, "reviewer"))) == 2


@pytest.mark.parametrize("column", ["body", "at", "subject", "prev", "hash", "payload_sha256", "kind"])
def test_any_altered_record_is_named(house: House, column: str) -> None:
    record_trust(at(house, NOW).office)
    assert verify_trust(house.office).bad == ()
    with house.office.ledger.writing(), house.office.ledger._connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text("DROP TRIGGER trust_records_no_update"))
        value = '{"kind":"agent"}' if column == "body" else "x"
        connection.execute(text(f"UPDATE trust_records SET {column} = '{value}' WHERE seq IN (3, 5)"))
    named = {seq for seq, _, _ in verify_trust(house.office).bad}
    assert {3, 5} <= named <= {3, 4, 5, 6}, "its successor no longer follows it where its hash was altered"


def test_a_record_that_was_taken_out_or_cut_off_is_missed(house: House) -> None:
    record_trust(at(house, NOW).office)
    whole = verify_trust(house.office)
    with house.office.ledger.writing(), house.office.ledger._connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text("DROP TRIGGER trust_records_no_delete"))
        connection.execute(text(f"DELETE FROM trust_records WHERE seq = {whole.records}"))
    assert verify_trust(house.office).bad == (), "the chain alone cannot show it"
    (cut,) = verify_trust(house.office, whole.head).bad
    assert "cut at its end" in cut[2]
    with house.office.ledger.writing(), house.office.ledger._connection() as connection:  # type: ignore[attr-defined]
        connection.execute(text("DELETE FROM trust_records WHERE seq = 4"))
    (gap,) = verify_trust(house.office).bad
    assert (gap[0], "number 4 is missing" in gap[2]) == (5, True)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("subjects: {acme-ai: {kind: sub-processor, bioo: x}}", "bioo: is not a known key"),
        ("subjects: {acme-ai: {kind: oracle}}", "kind"),
        ("subjects: {acme-ai: {kind: agent, discount_factor: 1.5}}", "discount_factor"),
        ("subjects: {acme-ai: {kind: agent, active_days: -1}}", "active_days"),
        ("subjects: {acme-ai: {kind: agent, discount_factor: .nan}}", "discount_factor"),
        ("subjects: {acme-ai: {kind: agent, observed: {mood: 2026-01-01}}}", "mood"),
        ("grades: {a: 1}", "grades: is not a known key"),
        ("subjects: [", "not readable as YAML"),
        ("[1, 2]", "trust.yaml"),
    ],
)
def test_a_wrong_profile_is_refused_and_nothing_is_recorded(written: str, told: str, house: House, books: Books) -> None:
    (house.folder / "trust.yaml").write_text(written, encoding="utf-8")
    before = books()
    with pytest.raises(MalformedFile) as refused:
        record_trust(house.office)
    assert told in str(refused.value)
    assert books() == before


def test_a_profile_adds_sub_processors_with_exact_numbers(house: House, tmp_path: Path) -> None:
    profile = "subjects:\n  acme-ai:\n    kind: sub-processor\n    discount_factor: 0.7\n    observed: {'*': 2026-10-16}\n"
    (house.folder / "trust.yaml").write_text(profile, encoding="utf-8")
    found = assess_one(at(house, NOW).office, "acme-ai")
    assert found.trust.dimensions[Dimension.AUTHENTICITY].raw == Decimal("2.0")
    assert found.trust.vetoed_by == (), "with doubles 0.7 would be vetoed"
    assert found.trust.dimensions[Dimension.AUTHENTICITY].factor == Decimal("0.925")
    with pytest.raises(UnknownName, match="trust list"):
        assess_one(house.office, "nobody")


def test_every_shipped_seat_and_skill_has_a_profile(house: House) -> None:
    seats, skills = set(house.office.roster.agents), {f"skill/{name}" for name in house.office.roster.skills}
    assert set(shipped().subjects) == seats | skills
    assert all(profile.discount_factor is None for profile in shipped().subjects.values())


def test_the_settings_move_grades_and_floor(house: House) -> None:
    (house.folder / "trust.yaml").write_text("subjects: {acme-ai: {kind: publisher, category: tools}}", encoding="utf-8")
    strict = assess_one(house.office, "acme-ai").trust
    lifted = assess_one(replace(house.office, trust=TrustRules(partial_floor=True, c=Decimal("1.0"))), "acme-ai").trust
    assert (strict.dimensions[Dimension.TRANSPARENCY].raw, lifted.dimensions[Dimension.TRANSPARENCY].raw) == (
        Decimal("0.5"),
        Decimal("2.0"),
    )
    assert (strict.grade.value, lifted.grade.value) == ("D", "C")


def test_graded_seats_are_assessed(house: House) -> None:
    grade_all(house.office)
    assert {each.subject for each in assess_all(house.office) if each.evaluations} >= {"policy", "reviewer", "skill/search-evidence"}


def test_a_history_is_drawn_against_the_scale(house: House) -> None:
    assert sparkline([Decimal(0), Decimal("2.5"), Decimal(5)]) == "▁▅█"
    assert sparkline([Decimal(9), Decimal(-1)]) == "█▁"
    drawn = svg([('<script>"', Decimal("4.2")), ("b", Decimal("3"))], "<reviewer> & co")
    root = ElementTree.fromstring(drawn)
    assert root.attrib["aria-label"] == "<reviewer> & co"
    assert "<script>" not in drawn
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 2
    assert svg([], "empty").count("circle") == 0
