"""Harm: somebody approves in another's name, with a token that is wrong, old or revoked, or learns from a refusal which it was."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import House
from trustops import assembly
from trustops.domain import credential
from trustops.domain.approval import Identity
from trustops.domain.errors import NotAllowed, Refused, UnknownName
from trustops.operations.approving import approve, approve_green, reject
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.office import Rules
from trustops.operations.signing_in import holders, issue, revoke, sign_in

Count = Callable[[], dict[str, int]]
STRICT = Rules(authenticated_only=True)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work factor is looked at by one test; the others need not pay it."""
    monkeypatch.setattr(credential, "N", 2**4)
    monkeypatch.delenv("TRUSTOPS_TOKEN", raising=False)


def test_the_work_factor_is_the_one_that_is_stated() -> None:
    source = Path(credential.__file__).read_text(encoding="utf-8")
    assert "N, R, P, LENGTH = 2**14, 8, 1, 32" in source


def test_who_shows_the_token_is_authenticated_and_it_is_shown(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTOPS_KEYS", str(tmp_path / "keys"))
    token = issue(house.office, "Ana", by="Dee")
    signed = house.with_office(signed_in=sign_in(house.office, token), rules=STRICT)
    given = approve(house.with_office(signed_in="Ana").office, house.review, "K-2", 1, by="Ana")
    assert given.identity is Identity.AUTHENTICATED
    assert signed.office.signed_in == "Ana"
    sent = export(house.office, house.review, tmp_path / "out", to="Customer")
    assert '"identity": "authenticated"' in sent.receipt.read_text(encoding="utf-8")
    members = assembly.bundles().unpack(sent.bundle.read_bytes())
    assert b'"identity":"authenticated"' in members["chain.json"]


def test_where_approvals_must_be_authenticated_a_name_alone_approves_and_edits_nothing(house: House, books: Count) -> None:
    strict, before = house.with_office(rules=STRICT), books()
    deeds: list[Callable[[], object]] = [
        lambda: approve(strict.office, house.review, "K-2", 1, by="Ana"),
        lambda: approve_green(strict.office, house.review, by="Ana"),
        lambda: reject(strict.office, house.review, "K-2", by="Ana", reason="no"),
        lambda: asyncio.run(edit_answer(strict.office, house.review, "K-2", by="Bo", text="Audit logs are kept for 400 days.")),
    ]
    for deed in deeds:
        with pytest.raises(NotAllowed, match="authenticated"):
            deed()
    assert books() == before
    signed = strict.with_office(signed_in="Ana")
    assert reject(signed.office, house.review, "K-2", by="Ana", reason="no").identity is Identity.AUTHENTICATED


def test_nobody_acts_under_two_names(house: House, tmp_path: Path, books: Count) -> None:
    """Harm: one person edits in another's name what they approve in their own, and the second person is nobody."""
    signed, before = house.with_office(signed_in="Ana"), books()
    deeds: list[Callable[[], object]] = [
        lambda: approve(signed.office, house.review, "K-2", 1, by="Dee"),
        lambda: asyncio.run(edit_answer(signed.office, house.review, "K-3", by="Bo", text="It is separated.")),
        lambda: export(signed.office, house.review, tmp_path / "out", to="Customer", by="Bo"),
        lambda: issue(signed.office, "Bo", by="Dee"),
    ]
    for deed in deeds:
        with pytest.raises(NotAllowed, match="Ana signed in"):
            deed()
    assert books() == before


def wrong(token: str) -> dict[str, str]:
    name, secret = token.split("_")[1], token.split("_", 2)[2]
    return {
        "nothing": "",
        "another secret": f"tops_{name}_{secret[::-1]}",
        "another id": f"tops_00000000_{secret}",
        "no token": "correct horse battery staple",
        "one letter more": token + "A",
        "without its end": token[:-1],
        "capitals": token.upper(),
        "a null": token + "\0",
        "ciphers of another script": token.replace("1", "١") if "1" in token else "١" + token,
        "a lone surrogate": "tops_\ud800",
    }


def test_every_wrong_token_is_refused_in_the_same_words_after_the_same_work(
    house: House, books: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, old = issue(house.office, "Ana", by="Dee"), issue(house.office, "Bo", by="Dee")
    revoke(house.office, "Bo", by="Dee")
    replaced = token
    token = issue(house.office, "Ana", by="Dee")
    before, said, hashed, compared = books(), set(), [], []
    compare, work = hmac.compare_digest, credential.hashed
    monkeypatch.setattr(credential.hmac, "compare_digest", lambda a, b: compared.append(1) or compare(a, b))
    monkeypatch.setattr(credential, "hashed", lambda secret, salt: hashed.append(1) or work(secret, salt))
    tried = {**wrong(token), "revoked": old, "replaced": replaced}
    for number, guess in enumerate(tried.values(), start=1):
        with pytest.raises(NotAllowed) as refused:
            sign_in(house.office, guess)
        said.add(str(refused.value))
        assert (len(hashed), len(compared)) == (number, number), "one hash and one comparison, whatever is wrong"
    assert len(said) == 1
    assert books() == before
    assert sign_in(house.office, token) == "Ana"


def test_only_a_hash_of_the_token_is_kept(house: House) -> None:
    token = issue(house.office, "Ana", by="Dee")
    again = issue(house.office, "Ana", by="Dee")
    assert token != again
    for path in (house.folder / ".trustops").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        for each in (token, again):
            assert each.encode() not in data
            assert each.split("_", 2)[2].encode() not in data
    one, two = (issue(house.office, "Cy", by="Dee") and holders(house.office)["Cy"][0] for _ in range(2))
    assert one.salt != two.salt
    assert [(r.kind, r.actor) for r in house.office.ledger.audit()] == [("token_issued", "Dee")] * 4
    assert house.office.ledger.verify_chain().ok


def test_tokens_are_made_by_admins_and_by_signed_in_ones_once_one_holds_a_token(house: House, books: Count) -> None:
    before = books()
    for by in ("Ana", "Bo", "Nobody"):
        with pytest.raises(NotAllowed, match="no admin"):
            issue(house.office, "Ana", by=by)
    with pytest.raises(UnknownName, match="not among the people"):
        issue(house.office, "Nobody", by="Dee")
    assert books() == before
    issue(house.office, "Dee", by="Dee")
    before = books()
    for deed in (lambda: issue(house.office, "Ana", by="Dee"), lambda: revoke(house.office, "Dee", by="Dee")):
        with pytest.raises(NotAllowed, match="who signed in"):
            deed()
    assert books() == before
    signed = house.with_office(signed_in="Dee")
    issue(signed.office, "Ana", by="Dee")
    assert set(holders(house.office)) == {"Ana", "Dee"}
    gone = house.with_office(people={name: role for name, role in house.office.people.items() if name != "Dee"})
    with pytest.raises(NotAllowed, match="no admin"):
        issue(gone.office, "Ana", by="Dee")


def test_a_revoked_token_stays_revoked_and_what_it_approved_stands(house: House, books: Count) -> None:
    token = issue(house.office, "Ana", by="Dee")
    given = approve(house.with_office(signed_in=sign_in(house.office, token)).office, house.review, "K-2", 1, by="Ana")
    revoke(house.office, "Ana", by="Dee")
    before = books()
    with pytest.raises(NotAllowed, match="revoked"):
        sign_in(house.office, token)
    with pytest.raises(Refused, match="holds no token"):
        revoke(house.office, "Ana", by="Dee")
    assert books() == before
    assert house.office.ledger.latest_approvals(house.review.id)["K-2"] == given
    assert holders(house.office) == {}


def test_who_left_the_people_signs_in_no_more(house: House) -> None:
    token = issue(house.office, "Ana", by="Dee")
    gone = house.with_office(people={name: role for name, role in house.office.people.items() if name != "Ana"})
    with pytest.raises(NotAllowed, match="not among the people"):
        sign_in(gone.office, token)
