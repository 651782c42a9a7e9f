"""Harm: processes that are killed while four of them write to one organisation's books lose, double or half-write something.

One reviews and rechecks, one approves, one edits, one exports, all without a pause. One of them is killed at a random moment, again and
again; then the books and the files are looked at, the run that was left is resumed, and the export is repeated.
"""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from statistics import median

import pytest

from tests.conftest import QUESTIONS, make_workspace
from tests.crash import books
from tests.crash.child import FORKING, quiet
from tests.crash.scenes import DIED, Site

AT = "2026-11-30T12:00:00Z"
TEXTS = (
    "Yes. Audit logs are kept for 400 days.",
    "Audit logs are kept for 400 days.",
    "Yes. Full-disk encryption is switched on for every company laptop.",
)
LONGEST_S = 60.0
REFUSED = (0, 1)
"""Ends of a command that other writers may bring about: another version is current by now, nothing is cleared, a run goes on."""


def reviewer(luck: random.Random) -> list[str]:
    return ["recheck", luck.choice(QUESTIONS)[0], "--as-of", AT] if luck.random() < 0.7 else ["resume"]


def approver(luck: random.Random) -> list[str]:
    if luck.random() < 0.2:
        return ["reject", luck.choice(QUESTIONS)[0], "--by", "Ana", "--reason", f"Say it again ({luck.random()})."]
    return ["approve", f"{luck.choice(QUESTIONS)[0]}@{luck.randint(1, 6)}", "--by", luck.choice(["Ana", "Dee"])]


def editor(luck: random.Random) -> list[str]:
    return ["edit", luck.choice(QUESTIONS)[0], "--by", "Bo", "--text", luck.choice(TEXTS)]


def exporter(luck: random.Random) -> list[str]:
    return ["export", "--out", "{out}", "--to", luck.choice(["Harborview", "Northlight"])]


WRITERS = (reviewer, approver, editor, exporter)


def write(site: Site, number: int, seed: int) -> None:
    """One writer, until it is killed. A command that ends as no command may is written down; `tests/crash` fails on it."""
    luck = random.Random(seed)
    while True:
        words = [word.format(out=site.out) for word in WRITERS[number](luck)]
        code = quiet([*words, "-w", str(site.folder)], site.room / f"said-{number}", {"TRUSTOPS_KEYS": str(site.keys.parent)})
        if code not in REFUSED and not (code == 2 and words == ["resume"]):
            (site.room / "wrong").open("a", encoding="utf-8").write(f"{words} ended with {code}\n")


@dataclass
class Tally:
    """What was seen over all kills."""

    kills: int = 0
    left: int = 0
    unplaced: int = 0
    recovered_s: list[float] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.kills, self.left, self.unplaced = self.kills + other.kills, self.left + other.left, self.unplaced + other.unplaced
        self.recovered_s += other.recovered_s

    @property
    def slowest(self) -> float:
        return max(self.recovered_s)

    def __str__(self) -> str:
        seen = f"{self.left} times a run was left in work, {self.unplaced} times a record without its files"
        back = f"recovery {median(self.recovered_s):.2f} s in the median, at most {self.slowest:.2f} s"
        return f"{self.kills} kills with four writers: 0 lost, 0 doubled; {seen}; {back}"


@dataclass
class Table:
    """Four writers at work on one site."""

    site: Site
    luck: random.Random
    writers: list[BaseProcess] = field(default_factory=list)
    kept: dict[str, set[tuple[object, ...]]] = field(default_factory=dict)

    def seat(self, number: int) -> BaseProcess:
        process = FORKING.Process(target=write, args=(self.site, number, self.luck.randrange(1 << 30)), daemon=True)
        process.start()
        return process

    def kill(self, number: int) -> None:
        """One of them; it was alive, for an error of its own would have ended it."""
        writer = self.writers[number]
        assert writer.is_alive(), (self.site.room / f"said-{number}").read_text()[-3000:]
        writer.kill()
        writer.join(LONGEST_S)
        assert writer.exitcode == DIED

    def look(self) -> None:
        """At the books as they are in one instant, while others write: whole, and nothing of what was there is gone. The folder is looked
        at first: no file may be there before its record."""
        seen = books.visible(self.site.out)
        with books.frozen(self.site.folder) as still:
            books.whole(still)
            books.all_recorded(still, seen)
            now = {table: set(books.Books(still).rows(f"SELECT * FROM {table}")) for table in KEPT}
        for table, rows in self.kept.items():
            assert rows <= now[table], f"rows of {table} are gone"
        self.kept = now
        assert not (self.site.room / "wrong").exists(), (self.site.room / "wrong").read_text()


KEPT = ("approvals", "exports", "answers", "records", "audit", "events", "journal", "snapshots", "run_ends", "placements")


def killed(site: Site, luck: random.Random) -> Tally:
    """Ten kills: six of one writer while the others go on, and at the end of all four; then recovery, with a clock."""
    table = Table(site, luck)
    table.writers = [table.seat(number) for number in range(len(WRITERS))]
    for _ in range(6):
        time.sleep(luck.uniform(0.02, 0.6))
        number = luck.randrange(len(WRITERS))
        table.kill(number)
        table.look()
        table.writers[number] = table.seat(number)
    time.sleep(luck.uniform(0.02, 0.6))
    for number in luck.sample(range(len(WRITERS)), len(WRITERS)):
        table.kill(number)
    table.look()
    unplaced = site.books.rows("SELECT 1 FROM exports WHERE id NOT IN (SELECT export FROM placements)")
    left = site.books.rows("SELECT id FROM runs WHERE id NOT IN (SELECT run FROM run_ends)")
    began = time.monotonic()
    assert site.run(*(("resume",) if left else ("status",))) == 0, site.complaints.read_text()
    tally = Tally(10, bool(left), bool(unplaced), [time.monotonic() - began])
    table.look()
    return tally


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """The small organisation, reviewed, with a key."""
    made = Site(tmp_path / "site")
    make_workspace(made.folder)
    assert made.run("review", str(made.folder / "questionnaire.csv"), "--as-of", AT) == made.run("keys", "init") == 0
    return made


def settled(site: Site) -> None:
    """Every export on record can be put in place: those of today by their command, and no file stands there that is not on record."""
    for customer in ("Harborview", "Northlight"):
        assert site.run("export", "--out", "{out}", "--to", customer) in REFUSED
    books.whole(site.folder)
    books.nothing_unrecorded(site.folder, site.out)
    if site.out.is_dir():
        waiting = [
            row[0].removeprefix("X-") for row in site.books.rows("SELECT id FROM exports WHERE id NOT IN (SELECT export FROM placements)")
        ]
        books.placed(site.folder, site.out, site.signers(), without=waiting)


def test_four_writers_killed_at_random_lose_and_double_nothing(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    luck, total = random.Random(5), Tally()
    for _ in range(2):
        total.add(killed(site, luck))
    settled(site)
    with capsys.disabled():
        print(f"\n{total}")
    assert total.kills == 20


@pytest.mark.long
def test_four_writers_killed_five_hundred_times_lose_and_double_nothing(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    total, template = Tally(), site.copy(site.room.parent / "template")
    for number in range(10):  # a fresh organisation now and then: what is judged is the kill, not the size of the books
        here, luck = template.copy(site.room.parent / f"site-{number}"), random.Random(number)
        for _ in range(5):
            total.add(killed(here, luck))
        settled(here)
        shutil.rmtree(here.room)
        with capsys.disabled():
            print(f"\n{total}")
    assert total.kills == 500
    assert total.slowest < LONGEST_S
