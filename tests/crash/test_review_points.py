"""Harm: a review that is killed between two steps pays for a reply twice, loses one, or decides a question twice or never.

Two questions go over the wire to a provider of the tests, on the durable engine; the process dies before or after each of its effects on
the ledger and each request that leaves, and a person types `resume`, or the command again where no run had begun.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash import books
from tests.crash.organisation import Wire, settle
from tests.crash.points import Mark, effects
from tests.crash.scenes import DIED, Site
from trustops.testing.provider import serve

QUESTIONS = 2
IN_WORK = 2
"""Policy and Control of one question are asked at the same time; nothing else is."""


class Case:
    """An organisation with two questions, and the provider that its seats ask."""

    def __init__(self, wire: Wire, site: Site) -> None:
        self.wire, self.template = wire, site

    def words(self, site: Site) -> tuple[str, ...]:
        return "review", str(site.folder / "questionnaire.csv")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    wire, site = Wire(slowest_s=0.0), Site(tmp_path_factory.mktemp("case"))
    with serve(wire.provider()) as url:
        settle(site.folder, url, QUESTIONS, concurrency=1)
        yield Case(wire, site)


def journal(site: Site) -> dict[tuple[object, ...], tuple[object, ...]]:
    found = site.books.rows("SELECT run, question, attempt, seat, step, request_sha256, body FROM journal")
    return {row[:5]: row[5:] for row in found}


def killed_at(case: Case, room: Path, point: int, ledgers: tuple[str, ...]) -> None:
    """Kills the review at a point, goes on, and looks whether anything is lost, doubled or in the wrong place."""
    site = case.template.copy(room)
    case.wire.answered.clear()
    log = site.room / "log"
    code = site.run(*case.words(site), mark=Mark(str(log), str(site.room), point, ledgers))
    assert (code, effects(log)[-1:]) == (DIED, [f"died {point}"]), f"point {point} was not reached: {site.complaints.read_text()}"
    books.whole(site.folder)
    kept, asked = journal(site), Counter(case.wire.answered)
    decided = site.books.rows("SELECT question, body FROM records ORDER BY question")
    open_runs = site.books.rows("SELECT id FROM runs WHERE id NOT IN (SELECT run FROM run_ends)")
    if open_runs or site.books.rows("SELECT 1 FROM runs") == []:
        assert site.run(*(("resume",) if open_runs else case.words(site))) == 0, site.complaints.read_text()
    books.whole(site.folder)
    assert {key: journal(site)[key] for key in kept} == kept
    assert set(decided) <= set(site.books.rows("SELECT question, body FROM records"))
    _ended(site, case.wire, kept, asked)
    shutil.rmtree(room)


def _ended(site: Site, wire: Wire, kept: dict[tuple[object, ...], tuple[object, ...]], asked: Counter[tuple[str, str]]) -> None:
    """One finished run, every question decided once by five replies of its own; no reply that was kept was asked for again."""
    assert site.books.rows("SELECT state FROM run_ends") == [("FINISHED",)]
    assert site.books.rows("SELECT question, attempt FROM records ORDER BY 1") == [(f"N-{n}", 1) for n in range(1, QUESTIONS + 1)]
    final, calls = journal(site), [json.loads(body) for (body,) in site.books.rows("SELECT body FROM calls WHERE kind = 'model'")]
    assert len(final) == len(calls) == 5 * QUESTIONS
    for call in calls:
        run, ref, number, seat = call["task"].rsplit(":", 3)
        digest, body = final[run, ref, int(number), seat, 1]
        assert (call["seat"], call["request_sha256"], call["request_id"]) == (seat, digest, json.loads(str(body))["request_id"])
    sent = Counter(wire.answered)
    assert len(sent) == 5 * QUESTIONS
    again = sum(sent.values()) - len(sent)
    assert again <= sum(asked.values()) - len(kept) <= IN_WORK
    kinds = Counter(site.books.rows("SELECT kind, question FROM events"))
    assert {kinds["decided", f"N-{n}"] for n in range(1, QUESTIONS + 1)} == {1}
    assert (kinds["run_started", ""], kinds["evidence_read", ""], kinds["run_finished", ""]) == (1, 1, 1)


def counted(case: Case, room: Path, ledgers: tuple[str, ...]) -> list[str]:
    site = case.template.copy(room)
    assert site.run(*case.words(site), mark=Mark(str(site.room / "log"), str(site.room), 0, ledgers)) == 0, site.complaints.read_text()
    return effects(site.room / "log")


LEDGER = ("kestrel.db", "kestrel.index.db")


def told(name: str, found: list[str], points: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {kind: 2 * found.count(kind) for kind in sorted(set(found))}
    with capsys.disabled():
        print(f"\n{name}: {len(points)} of {2 * len(found)} crash points, all reached: {json.dumps(kinds)}")


def test_a_review_killed_at_some_points_is_ended_by_a_resume(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = counted(case, tmp_path / "counted", LEDGER)
    step = 2 * len(found) // 3
    points = [1, *range(step - 1, 2 * len(found), step)]
    for point in points:
        killed_at(case, tmp_path / f"point-{point}", point, LEDGER)
    told("review of two questions", found, points, capsys)


@pytest.mark.long
def test_a_review_killed_at_any_point_is_ended_by_a_resume(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = counted(case, tmp_path / "counted", LEDGER)
    points = list(range(1, 2 * len(found) + 1))
    for point in points:
        killed_at(case, tmp_path / f"point-{point}", point, LEDGER)
    told("review of two questions", found, points, capsys)
