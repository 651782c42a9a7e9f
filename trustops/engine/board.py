"""The board: what workers of all machines share. Who works, who holds which run, which questions wait and which are taken.

Its tables hold keys, digests, numbers and instants (docs/decisions/0020); every instant is the database's, so no machine's clock counts. A
worker is alive while it was seen within its own lease; whoever looks takes the work of the dead back. What is written here decides nothing:
decisions and replies are in the organisations' ledgers, whose keys take each of them once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

Sessions = Callable[..., AbstractContextManager[Any]]
"""Opens a transaction on a connection of psycopg; it commits, or leaves nothing."""

WAITING, RESTING = "WAITING", "RESTING"
"""States of a question that nobody has: any worker may take it, or only who holds its run. TAKEN and DONE are the others."""
ALIVE = "w.seen > now() - w.lease_s * interval '1 second'"
BEGIN = """
    INSERT INTO trustops_engine.workers (id, name, version, since, seen, lease_s) VALUES (%s, %s, %s, now(), now(), %s)
    ON CONFLICT (id) DO UPDATE SET seen = now(), lease_s = excluded.lease_s, draining = false
"""
COMPANY = 3
"""A worker that dies with several questions was ended by one of them at most: of so many deaths in company one counts as a try."""
BEAT = "UPDATE trustops_engine.workers SET seen = now() WHERE id = %s"
BURY = f"""
    WITH dead AS (DELETE FROM trustops_engine.workers w WHERE id IN (
        SELECT id FROM trustops_engine.workers w WHERE NOT {ALIVE} FOR UPDATE SKIP LOCKED) RETURNING id),
    unheld AS (DELETE FROM trustops_engine.holds WHERE worker IN (SELECT id FROM dead)),
    unpaid AS (DELETE FROM trustops_engine.purse_holds WHERE worker IN (SELECT id FROM dead))
    UPDATE trustops_engine.tasks t SET state = 'WAITING', worker = NULL, tries = tries - CASE WHEN mod(begun, {COMPANY}) > 0 AND EXISTS (
        SELECT 1 FROM trustops_engine.tasks o WHERE o.state = 'TAKEN' AND o.worker = t.worker
        AND (o.org, o.run, o.question) <> (t.org, t.run, t.question)) THEN 1 ELSE 0 END
    WHERE state = 'TAKEN' AND worker IN (SELECT id FROM dead)
"""
HOLD = "INSERT INTO trustops_engine.holds (org, run, worker) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
HOLDER = f"""
    SELECT h.worker FROM trustops_engine.holds h JOIN trustops_engine.workers w ON w.id = h.worker
    WHERE h.org = %s AND h.run = %s AND {ALIVE}
"""
SUBMIT = f"""
    INSERT INTO trustops_engine.tasks AS t (org, run, question, attempt, place, version) VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (org, run, question) DO UPDATE SET attempt = excluded.attempt, place = excluded.place, version = excluded.version,
        state = 'WAITING', worker = NULL, tries = CASE WHEN t.attempt = excluded.attempt THEN t.tries ELSE 0 END,
        begun = CASE WHEN t.attempt = excluded.attempt THEN t.begun ELSE 0 END,
        kept = CASE WHEN t.attempt = excluded.attempt THEN t.kept ELSE 0 END
    WHERE t.state <> 'TAKEN' OR NOT EXISTS (SELECT 1 FROM trustops_engine.workers w WHERE w.id = t.worker AND {ALIVE})
"""
CLAIM = """
    WITH busy AS (SELECT org, count(*) AS number FROM trustops_engine.tasks WHERE state = 'TAKEN' GROUP BY org),
    next AS (
        SELECT t.org, t.run, t.question FROM unnest(%(orgs)s::text[], %(versions)s::text[]) AS o(org, version)
        CROSS JOIN LATERAL (
            SELECT w.org, w.run, w.question, w.place FROM trustops_engine.tasks w
            WHERE w.org = o.org AND w.version = o.version AND w.state = ANY(%(states)s) AND (%(run)s::text IS NULL OR w.run = %(run)s)
            ORDER BY w.place, w.run LIMIT 1 FOR UPDATE SKIP LOCKED
        ) t LEFT JOIN busy b ON b.org = t.org ORDER BY coalesce(b.number, 0), random() LIMIT 1
    )
    UPDATE trustops_engine.tasks t SET state = 'TAKEN', worker = %(worker)s, tries = tries + 1, begun = begun + 1 FROM next
    WHERE t.org = next.org AND t.run = next.run AND t.question = next.question
    RETURNING t.org, t.run, t.question, t.attempt, t.tries, t.begun
"""
MINE = "org = %s AND run = %s AND question = %s AND worker = %s"
PROGRESS = f"""
    UPDATE trustops_engine.tasks SET tries = CASE WHEN kept < %s THEN 1 ELSE tries END, kept = greatest(kept, %s) WHERE {MINE}
    RETURNING tries
"""
DONE = f"UPDATE trustops_engine.tasks SET state = 'DONE', worker = NULL WHERE {MINE}"
BACK = f"UPDATE trustops_engine.tasks SET state = %s, worker = NULL, tries = tries - %s WHERE {MINE}"
REST = "UPDATE trustops_engine.tasks SET state = 'WAITING' WHERE org = %s AND run = %s AND state = 'RESTING'"
LEFT = """
    SELECT count(*) FILTER (WHERE state = 'DONE'), count(*) FROM trustops_engine.tasks WHERE org = %s AND run = %s AND question = ANY(%s)
"""
THERE = "SELECT question FROM trustops_engine.tasks WHERE org = %s AND run = %s"
CLEAR = """
    DELETE FROM trustops_engine.tasks t USING trustops_engine.holds h WHERE t.org = %s AND t.run = %s
    AND h.org = t.org AND h.run = t.run AND h.worker = %s AND (t.state <> 'TAKEN' OR t.worker = h.worker OR %s)
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A question that a worker took. `tries` counts how often it was, this time included, and `begun` what was no try as well."""

    org: str
    run: str
    question: str
    attempt: int
    tries: int
    begun: int


class Board:
    """The board as one worker sees it. `worker` is its id, which is new in every process: two of one `name` are two."""

    def __init__(self, sessions: Sessions, worker: str, name: str, version: str, lease_s: float) -> None:
        self.sessions, self.worker, self.name, self.version, self.lease_s = sessions, worker, name, version, lease_s

    def begin(self) -> None:
        """This worker is there."""
        self._do(BEGIN, (self.worker, self.name, self.version, self.lease_s))

    def beat(self) -> bool:
        """This worker is still there. False where others took it for dead meanwhile: its work is theirs now."""
        return bool(self._do(BEAT, (self.worker,)))

    def bury(self) -> int:
        """Takes back the work of those who were silent too long; how many questions wait again."""
        return self._do(BURY, ())

    def end(self) -> None:
        """This worker goes, and leaves what it has."""
        self._do("UPDATE trustops_engine.workers SET seen = '-infinity' WHERE id = %s", (self.worker,))
        self.bury()

    def hold(self, org: str, run: str) -> bool:
        """Takes a run; False where a living worker has it."""
        self.bury()
        return bool(self._do(HOLD, (org, run, self.worker)))

    def let_go(self, org: str, run: str) -> None:
        """Gives a run back; nothing where it is not held here."""
        self._do("DELETE FROM trustops_engine.holds WHERE org = %s AND run = %s AND worker = %s", (org, run, self.worker))

    def holder(self, org: str, run: str) -> str:
        """The living worker that holds a run; empty where none does."""
        found = self._rows(HOLDER, (org, run))
        return str(found[0][0]) if found else ""

    def submit(self, org: str, run: str, questions: Sequence[tuple[str, int]], version: str) -> None:
        """Puts questions with the number of their attempt on the board, in their order. One that a living worker has stays with it."""
        rows = [(org, run, question, attempt, place, version) for place, (question, attempt) in enumerate(questions)]
        with self.sessions() as connection:
            connection.cursor().executemany(SUBMIT, rows)

    def claim(self, editions: Mapping[str, str], run: str | None = None, states: Sequence[str] = (WAITING,)) -> Claim | None:
        """The next question of these organisations, each at its edition, or of one run: that of the organisation which has the fewest in
        work, whatever the others have waiting."""
        given = {"states": list(states), "orgs": list(editions), "versions": list(editions.values()), "run": run, "worker": self.worker}
        found = self._rows(CLAIM, given)
        return Claim(*found[0]) if found else None

    def progressed(self, claim: Claim, kept: int) -> Claim:
        """The claim with its tries counted from the last reply on. Where more replies are kept than at the look before, it was not this
        question that ended its worker."""
        found = self._rows(PROGRESS, (kept, kept, claim.org, claim.run, claim.question, self.worker))
        return replace(claim, tries=int(found[0][0])) if found else claim

    def done(self, claim: Claim) -> None:
        """A question needs no worker any more."""
        self._do(DONE, (claim.org, claim.run, claim.question, self.worker))

    def put_back(self, claim: Claim, *, counted: bool = True, resting: bool = False) -> None:
        """A question waits again. Not `counted`, it was no try; `resting`, only who holds its run may take it."""
        given = (RESTING if resting else WAITING, int(not counted), claim.org, claim.run, claim.question, self.worker)
        self._do(BACK, given)

    def rouse(self, org: str, run: str) -> None:
        """The resting questions of a run wait again."""
        self._do(REST, (org, run))

    def left(self, org: str, run: str, questions: Sequence[str]) -> tuple[int, int]:
        """How many of these questions of a run are not done, and how many of them are not even on the board."""
        done, there = self._rows(LEFT, (org, run, list(questions)))[0]
        return len(questions) - int(done), len(questions) - int(there)

    def there(self, org: str, run: str) -> frozenset[str]:
        """The questions of a run that are on the board, in any state."""
        return frozenset(str(row[0]) for row in self._rows(THERE, (org, run)))

    def clear(self, org: str, run: str, *, all: bool) -> None:
        """Takes the questions of a run that is held here off the board; without `all` those stay that others have."""
        self._do(CLEAR, (org, run, self.worker, all))

    def schema(self) -> str:
        """The version of the database's schema."""
        return str(self._rows("SELECT version_num FROM alembic_version", ())[0][0])

    def names(self) -> list[str]:
        """The names of all living workers."""
        return [str(row[0]) for row in self._rows(f"SELECT name FROM trustops_engine.workers w WHERE {ALIVE}", ())]

    def _do(self, statement: str, given: Any) -> int:
        with self.sessions() as connection:
            return int(connection.execute(statement, given).rowcount)

    def _rows(self, statement: str, given: Any) -> list[tuple[Any, ...]]:
        with self.sessions() as connection:
            return list(connection.execute(statement, given).fetchall())
