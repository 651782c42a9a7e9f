"""Harm: a browser stays signed in for ever, a link opens twice, a stolen file opens an account, a password is guessed or too easy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from argon2 import PasswordHasher

from tests.conftest import House
from trustops.domain import credential
from trustops.domain.approval import Role
from trustops.domain.credential import Scope
from trustops.domain.errors import NotAllowed, Refused, UnknownName, UsageError
from trustops.operations import passwords
from trustops.operations.approving import approve
from trustops.operations.inviting import FIRST, LATER, accept, first_link, invite, invited
from trustops.operations.office import Stay
from trustops.operations.passwords import password_opens, set_password
from trustops.operations.sessions import MARK, end_session, form_token, open_session, session_of
from trustops.operations.signing_in import Opened, credential_of, holders, issue, revoke, sign_in

Count = Callable[[], dict[str, int]]
GOOD = "a quiet walk along the river"


@dataclass
class Hand:
    """A clock that stands until it is moved."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    def on(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The work factors are looked at by one test each; the others need not pay them."""
    monkeypatch.setattr(credential, "N", 2**4)
    monkeypatch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    passwords._nobodys.cache_clear()
    yield
    passwords._nobodys.cache_clear()


@pytest.fixture
def clock(house: House) -> Hand:
    return Hand(house.office.clock.now())


@pytest.fixture
def timed(house: House, clock: Hand) -> House:
    return house.with_office(clock=clock, stay=Stay(timedelta(minutes=30), timedelta(hours=4)))


def test_a_session_is_its_persons_until_it_is_idle_for_too_long(timed: House, clock: Hand) -> None:
    secret = open_session(timed.office, "Ana", how="password")
    for _ in range(5):
        clock.on(minutes=29)
        held = session_of(timed.office, secret)
        assert held is not None
        assert held.person == "Ana"
    clock.on(minutes=30)
    assert session_of(timed.office, secret) is None


def test_a_session_is_over_after_its_longest_time_however_busy_it_is(timed: House, clock: Hand) -> None:
    secret = open_session(timed.office, "Ana", how="password")
    for _ in range(23):
        clock.on(minutes=10)
        assert session_of(timed.office, secret) is not None
    clock.on(minutes=10)
    assert session_of(timed.office, secret) is None


def test_uses_are_written_down_now_and_then_only(timed: House, clock: Hand, books: Count) -> None:
    secret = open_session(timed.office, "Ana", how="password")
    before = books()
    for _ in range(50):
        session_of(timed.office, secret)
    assert books() == before
    clock.on(seconds=MARK.total_seconds())
    for _ in range(50):
        session_of(timed.office, secret)
    assert books()["session_marks"] == before["session_marks"] + 1


def test_a_new_sign_in_ends_the_session_before_and_has_another_secret(timed: House) -> None:
    first = open_session(timed.office, "Ana", how="password")
    second = open_session(timed.office, "Ana", how="password", before=first)
    assert first != second
    assert session_of(timed.office, first) is None
    assert session_of(timed.office, second) is not None
    assert end_session(timed.office, second)
    assert not end_session(timed.office, second)
    assert session_of(timed.office, second) is None
    assert [r.kind for r in timed.office.ledger.audit()] == ["signed_in", "signed_out", "signed_in", "signed_out"]
    assert timed.office.ledger.verify_chain().ok


@pytest.mark.parametrize("guess", ["", "x", "A" * 43, "\0", "ü" * 43])
def test_a_secret_that_was_never_given_opens_nothing(timed: House, guess: str, books: Count) -> None:
    open_session(timed.office, "Ana", how="password")
    before = books()
    assert session_of(timed.office, guess) is None
    assert not end_session(timed.office, guess)
    assert books() == before


def test_who_left_the_people_has_no_session(timed: House) -> None:
    secret = open_session(timed.office, "Ana", how="password")
    gone = timed.with_office(people={"Dee": Role.ADMIN})
    assert session_of(gone.office, secret) is None
    assert session_of(timed.office, secret) is not None


def test_nothing_that_opens_is_kept(timed: House) -> None:
    secret, token, key = (
        open_session(timed.office, "Ana", how="link"),
        issue(timed.office, "Bo", by="Dee"),
        invite(timed.office, "Bo", by="Dee"),
    )
    set_password(timed.office, "Ana", GOOD, by="Ana")
    for path in (timed.folder / ".trustops").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        for each in (secret, token.split("_", 2)[2], key, GOOD, form_token(secret)):
            assert each.encode() not in data


def test_the_work_factor_of_passwords_is_that_of_the_library() -> None:
    source = PasswordHasher()
    assert (source.memory_cost, source.time_cost) >= (64 * 1024, 3)
    assert "HASHER = PasswordHasher()\n" in __import__("inspect").getsource(passwords)


def test_a_password_opens_for_its_person_alone_and_refusals_cost_the_same(
    house: House, books: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(house.office, "Ana", GOOD, by="Ana")
    gone = house.with_office(people={name: role for name, role in house.office.people.items() if name != "Ana"})
    before, said, verified = books(), set(), []
    real = passwords._verified
    monkeypatch.setattr(passwords, "_verified", lambda stored, word: verified.append(stored) or real(stored, word))
    tried = [
        (house, "Ana", "wrong"),
        (house, "Bo", GOOD),
        (house, "Nobody", GOOD),
        (house, "", ""),
        (gone, "Ana", GOOD),
        (house, "Ana", "x" * 9999),
    ]
    for number, (where, person, word) in enumerate(tried, start=1):
        with pytest.raises(NotAllowed) as refused:
            password_opens(where.office, person, word)
        said.add(str(refused.value))
        assert (len(verified), bool(verified[-1])) == (number, True), "one hash, whatever is wrong"
    assert len(said) == 1
    assert books() == before
    password_opens(house.office, "Ana", GOOD)


def test_a_hash_of_weaker_settings_is_replaced_at_the_next_sign_in(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    set_password(house.office, "Ana", GOOD, by="Ana")
    old = house.office.ledger.passwords()["Ana"].argon2
    monkeypatch.setattr(passwords, "HASHER", PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    password_opens(house.office, "Ana", GOOD)
    assert house.office.ledger.passwords()["Ana"].argon2 != old
    password_opens(house.office, "Ana", GOOD)


@pytest.mark.parametrize("word", ["", "short", "x" * 257, "aaaaaaaaaaaaaaaa", "Ana12345678", "ana-ana-ana-"])
def test_a_password_that_is_guessed_at_once_is_refused(house: House, word: str, books: Count) -> None:
    before = books()
    with pytest.raises(UsageError):
        set_password(house.office, "Ana", word, by="Ana")
    assert books() == before


def test_the_first_link_is_for_the_first_admin_and_only_until_one_can_sign_in(house: House, books: Count) -> None:
    made = first_link(house.office)
    assert made is not None
    person, key = made
    assert (person, invited(house.office, key)) == ("Dee", "Dee")
    assert accept(house.office, key, GOOD) == "Dee"
    assert first_link(house.office) is None
    assert first_link(house.with_office(people={"Ana": Role.APPROVER}).office) is None
    before = books()
    with pytest.raises(NotAllowed, match="used"):
        accept(house.office, key, "another good sentence")
    assert books() == before
    password_opens(house.office, "Dee", GOOD)


def test_a_link_that_is_old_replaced_or_of_somebody_gone_opens_nothing(timed: House, clock: Hand, books: Count) -> None:
    first = first_link(timed.office)
    again = first_link(timed.office)
    assert first is not None
    assert again is not None
    late = again[1]
    gone = timed.with_office(people={"Ana": Role.APPROVER})
    for office, key in ((timed.office, first[1]), (gone.office, late), (timed.office, ""), (timed.office, "x" * 43)):
        before = books()
        with pytest.raises(NotAllowed):
            accept(office, key, GOOD)
        assert books() == before
    clock.on(seconds=FIRST.total_seconds())
    before = books()
    with pytest.raises(NotAllowed):
        accept(timed.office, late, GOOD)
    assert books() == before


def test_a_password_that_will_not_do_leaves_the_link_unused(timed: House, clock: Hand, books: Count) -> None:
    key = invite(timed.office, "Bo", by="Dee")
    before = books()
    with pytest.raises(UsageError):
        accept(timed.office, key, "short")
    assert books() == before
    clock.on(seconds=LATER.total_seconds() - 1)
    assert accept(timed.office, key, GOOD) == "Bo"


def test_a_new_password_ends_the_sessions_that_there_were(house: House) -> None:
    """Harm: somebody who knows the old one stays signed in."""
    mine, others = open_session(house.office, "Bo", how="password"), open_session(house.office, "Ana", how="password")
    accept(house.office, invite(house.office, "Bo", by="Dee"), GOOD)
    assert session_of(house.office, mine) is None
    assert session_of(house.office, others) is not None


def test_people_are_invited_by_admins_and_by_signed_in_ones_once_one_can_sign_in(house: House, books: Count) -> None:
    before = books()
    for by in ("Ana", "Bo", "Nobody"):
        with pytest.raises(NotAllowed, match="no admin"):
            invite(house.office, "Ana", by=by)
    with pytest.raises(UnknownName):
        invite(house.office, "Nobody", by="Dee")
    assert books() == before
    set_password(house.office, "Dee", GOOD, by="Dee")
    before = books()
    for deed in (lambda: invite(house.office, "Ana", by="Dee"), lambda: issue(house.office, "Ana", by="Dee")):
        with pytest.raises(NotAllowed, match="who signed in"):
            deed()
    assert books() == before
    assert invited(house.office, invite(house.with_office(signed_in="Dee").office, "Ana", by="Dee")) == "Ana"


def test_revoking_ends_every_way_in(timed: House) -> None:
    token, extra = issue(timed.office, "Ana", by="Dee"), issue(timed.office, "Ana", by="Dee", label="ci")
    secret, key = open_session(timed.office, "Ana", how="password"), invite(timed.office, "Ana", by="Dee")
    set_password(timed.office, "Ana", GOOD, by="Ana")
    revoke(timed.office, "Ana", by="Dee")
    for each in (token, extra):
        with pytest.raises(NotAllowed):
            sign_in(timed.office, each)
    assert session_of(timed.office, secret) is None
    for deed in (lambda: accept(timed.office, key, GOOD), lambda: password_opens(timed.office, "Ana", GOOD)):
        with pytest.raises(NotAllowed):
            deed()
    with pytest.raises(Refused, match="holds no token"):
        revoke(timed.office, "Ana", by="Dee")


def test_a_token_of_a_label_is_revoked_alone(timed: House) -> None:
    token, extra = issue(timed.office, "Ana", by="Dee"), issue(timed.office, "Ana", by="Dee", label="ci")
    revoke(timed.office, "Ana", by="Dee", label="ci")
    assert sign_in(timed.office, token) == "Ana"
    with pytest.raises(NotAllowed):
        sign_in(timed.office, extra)
    assert [kept.label for kept in holders(timed.office)["Ana"]] == [""]


def test_a_token_ends_when_it_was_said_to(timed: House, clock: Hand, books: Count) -> None:
    token = issue(timed.office, "Ana", by="Dee", lasts=timedelta(days=1))
    opened = Opened()
    assert credential_of(timed.office, token, opened).person == "Ana"
    clock.on(days=1)
    for deed in (lambda: sign_in(timed.office, token), lambda: credential_of(timed.office, token, opened)):
        with pytest.raises(NotAllowed):
            deed()
    assert holders(timed.office) == {}
    before = books()
    for lasts in (timedelta(), timedelta(days=-1), timedelta(days=400)):
        with pytest.raises(Refused):
            issue(timed.office, "Ana", by="Dee", lasts=lasts)
    assert books() == before


def test_a_token_that_was_remembered_opens_nothing_once_it_is_revoked(house: House) -> None:
    opened, token = Opened(), issue(house.office, "Ana", by="Dee")
    assert credential_of(house.office, token, opened).person == "Ana"
    assert credential_of(house.office, token, opened).person == "Ana"
    with pytest.raises(NotAllowed):
        credential_of(house.office, token[:-1] + ("A" if token[-1] != "A" else "B"), opened)
    revoke(house.office, "Ana", by="Dee")
    with pytest.raises(NotAllowed):
        credential_of(house.office, token, opened)


def test_a_token_does_no_more_than_it_was_issued_for(house: House, books: Count) -> None:
    token = issue(house.office, "Ana", by="Dee", scopes=(Scope.REVIEW,))
    held = credential_of(house.office, token)
    assert held.scopes == (Scope.READ, Scope.REVIEW)
    narrow = house.with_office(signed_in="Ana", scopes=frozenset(held.scopes))
    before = books()
    with pytest.raises(NotAllowed, match="this token is for read, review"):
        approve(narrow.office, house.review, "K-2", 1, by="Ana")
    assert books() == before
