"""Harm: two workers take one question, a dead one keeps what it had, or one that is alive loses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from tests import postgresql
from tests.crash.shared import until
from trustops.engine.board import RESTING, WAITING, Board, Claim
from trustops.engine.presence import Presence
from trustops.storage.postgres import close_engines, open_engine, sessions

NUMBER = count(1)


@pytest.fixture(scope="module")
def opened() -> Iterator[Any]:
    yield sessions(open_engine(postgresql.address(postgresql.fresh_database(), postgresql.ROLE), pool=12))
    close_engines()


@pytest.fixture
def org() -> str:
    return f"org-{next(NUMBER)}"


def worker(opened: Any, lease_s: float = 60.0) -> Board:
    made = Board(opened, f"w-{next(NUMBER)}", "test", "1", lease_s)
    made.begin()
    return made


def die(opened: Any, board: Board) -> None:
    """Silent for longer than its lease, without any test waiting."""
    with opened() as connection:
        connection.execute("UPDATE trustops_engine.workers SET seen = now() - interval '1 hour' WHERE id = %s", (board.worker,))


def submit(board: Board, org: str, run: str, number: int, edition: str = "e") -> None:
    board.submit(org, run, [(f"K-{n}", 1) for n in range(number)], edition)


def test_no_question_is_taken_twice_however_many_ask(opened: Any, org: str) -> None:
    submit(worker(opened), org, "R.1", 40)

    def take(board: Board) -> list[Claim]:
        return list(iter(lambda: board.claim({org: "e"}), None))

    with ThreadPoolExecutor(6) as pool:
        taken = [claim for found in pool.map(take, [worker(opened) for _ in range(6)]) for claim in found]
    assert Counter(claim.question for claim in taken) == Counter(f"K-{n}" for n in range(40))
    assert {claim.tries for claim in taken} == {1}


def test_the_questions_of_the_dead_wait_again_and_those_of_the_living_stay(opened: Any, org: str) -> None:
    dead, alive = worker(opened), worker(opened)
    submit(alive, org, "R.1", 2)
    first, second = dead.claim({org: "e"}), alive.claim({org: "e"})
    assert first is not None
    assert second is not None
    assert alive.hold(org, "R.2") is True
    assert dead.hold(org, "R.3") is True
    die(opened, dead)
    assert alive.holder(org, "R.3") == ""
    alive.bury()
    again = alive.claim({org: "e"})
    assert again is not None
    assert (again.question, again.tries) == (first.question, 2)
    assert alive.claim({org: "e"}) is None
    assert (alive.holder(org, "R.2"), alive.holder(org, "R.3")) == (alive.worker, "")


def test_a_run_has_one_living_holder(opened: Any, org: str) -> None:
    one, two = worker(opened), worker(opened)
    assert one.hold(org, "R.1")
    assert not two.hold(org, "R.1")
    two.let_go(org, "R.1")
    assert two.holder(org, "R.1") == one.worker
    die(opened, one)
    assert two.hold(org, "R.1")


def test_the_organisation_with_the_fewest_in_work_is_next(opened: Any, org: str) -> None:
    large, small, board = f"{org}-large", f"{org}-small", worker(opened)
    submit(board, large, "R.1", 50)
    editions = {large: "e", small: "e"}
    for _ in range(4):
        assert board.claim(editions) is not None
    submit(board, small, "R.2", 2)
    taken = [board.claim(editions) for _ in range(3)]
    assert [claim.org for claim in taken if claim] == [small, small, large]


def test_a_worker_of_another_edition_takes_nothing(opened: Any, org: str) -> None:
    """A graceful deploy: a run that the old program began is answered by the old one, or taken up whole by the new one."""
    board = worker(opened)
    submit(board, org, "R.1", 1, "old")
    assert board.claim({org: "new"}) is None
    assert board.claim({org: "old"}) is not None


def test_taking_a_run_up_leaves_what_helpers_have(opened: Any, org: str) -> None:
    helper, holder = worker(opened), worker(opened)
    submit(holder, org, "R.1", 2)
    taken = helper.claim({org: "e"})
    assert taken is not None
    submit(holder, org, "R.1", 2)
    other = holder.claim({org: "e"})
    assert other is not None
    assert other.question != taken.question
    assert holder.claim({org: "e"}) is None
    helper.done(taken)
    assert holder.left(org, "R.1", ["K-0", "K-1"]) == (1, 0)


def test_who_was_taken_for_dead_cannot_settle_what_others_have(opened: Any, org: str) -> None:
    slow, quick = worker(opened), worker(opened)
    submit(quick, org, "R.1", 1)
    lost = slow.claim({org: "e"})
    assert lost is not None
    die(opened, slow)
    quick.bury()
    taken = quick.claim({org: "e"})
    assert taken is not None
    slow.done(lost)
    slow.put_back(lost)
    assert quick.left(org, "R.1", ["K-0"]) == (1, 0)
    assert quick.claim({org: "e"}) is None
    assert slow.beat() is False


def test_who_lost_a_run_cannot_clear_it_and_what_is_gone_is_not_done(opened: Any, org: str) -> None:
    """Harm: a process that stood still wipes the board of who took its run over, and the run ends with questions that nobody answered."""
    slow, quick = worker(opened), worker(opened)
    assert slow.hold(org, "R.1")
    submit(slow, org, "R.1", 3)
    die(opened, slow)
    assert quick.hold(org, "R.1")
    submit(quick, org, "R.1", 3)
    slow.clear(org, "R.1", all=False)
    slow.clear(org, "R.1", all=True)
    refs = ["K-0", "K-1", "K-2"]
    assert quick.left(org, "R.1", refs) == (3, 0)
    with opened() as connection:
        connection.execute("DELETE FROM trustops_engine.tasks WHERE org = %s AND question = 'K-1'", (org,))
    assert quick.left(org, "R.1", refs) == (3, 1)
    assert quick.there(org, "R.1") == {"K-0", "K-2"}


def test_a_resting_question_is_for_who_holds_the_run(opened: Any, org: str) -> None:
    board = worker(opened)
    submit(board, org, "R.1", 1)
    claim = board.claim({org: "e"})
    assert claim is not None
    board.put_back(claim, counted=False, resting=True)
    assert board.claim({org: "e"}) is None
    again = board.claim({org: "e"}, "R.1", [WAITING, RESTING])
    assert again is not None
    assert again.tries == 1


def test_a_process_says_that_it_is_there_and_good_bye(opened: Any, org: str) -> None:
    presence, other = Presence(opened, lease_s=0.5, version="1", name="test"), worker(opened)
    presence.join()
    assert presence.board.hold(org, "R.1")

    def seen() -> Any:
        with opened() as connection:
            query = "SELECT seen FROM trustops_engine.workers WHERE id = %s"
            return connection.execute(query, (presence.board.worker,)).fetchone()[0]

    first = seen()
    until(lambda: seen() > first, "it does not say that it is there")
    assert other.holder(org, "R.1") == presence.board.worker
    presence.leave()
    assert other.holder(org, "R.1") == ""
    assert other.hold(org, "R.1")


def test_a_process_that_was_taken_for_dead_comes_back_and_knows_it(opened: Any, org: str) -> None:
    presence, other = Presence(opened, lease_s=1.0, version="1", name="test"), worker(opened)
    presence.join()
    assert presence.board.hold(org, "R.1")
    with opened() as connection:  # as if it had stood still, and somebody had looked meanwhile
        connection.execute("DELETE FROM trustops_engine.workers WHERE id = %s", (presence.board.worker,))
    assert other.hold(org, "R.2")
    until(lambda: presence.lost, "it does not notice")
    until(lambda: presence.board.name in other.names(), "it does not come back")
    presence.leave()


def test_a_question_that_goes_on_from_one_death_to_the_next_is_no_poison(opened: Any, org: str) -> None:
    """Its workers are killed for other reasons. One that brings nothing new is counted on."""
    submit(worker(opened), org, "R.1", 1)
    tries = []
    for kept in (0, 2, 4, 4, 4):
        board = worker(opened)
        claim = board.claim({org: "e"})
        assert claim is not None
        tries.append(board.progressed(claim, kept).tries if claim.tries > 1 else claim.tries)
        die(opened, board)
        board.bury()
    assert tries == [1, 1, 1, 2, 3]


def test_who_dies_in_company_is_suspected_a_third_and_one_that_dies_alone_wholly(opened: Any, org: str) -> None:
    """Harm: a question is given up although it never ended a worker: it stood beside others in three that were killed."""
    submit(worker(opened), org, "R.1", 2)
    tries = []
    for _ in range(7):
        board = worker(opened)
        held = [board.claim({org: "e"}), board.claim({org: "e"})]
        tries.append({claim.tries for claim in held if claim is not None})
        die(opened, board)
        board.bury()
    assert tries == [{1}, {1}, {1}, {2}, {2}, {2}, {3}]
    board = worker(opened)
    alone, other = board.claim({org: "e"}), board.claim({org: "e"})
    assert alone is not None
    assert other is not None
    board.done(other)
    die(opened, board)
    board.bury()
    again = worker(opened).claim({org: "e"})
    assert again is not None
    assert (again.question, again.tries) == (alone.question, alone.tries + 1)


def test_who_lost_a_question_changes_nothing_of_it(opened: Any, org: str) -> None:
    dead, alive = worker(opened), worker(opened)
    submit(alive, org, "R.1", 1)
    lost = dead.claim({org: "e"})
    die(opened, dead)
    alive.bury()
    held = alive.claim({org: "e"})
    assert lost is not None
    assert held is not None
    assert dead.progressed(lost, 5) == lost
    assert alive.progressed(held, 0).tries == 2
