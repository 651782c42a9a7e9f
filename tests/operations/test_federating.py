"""Harm: forged, altered, future or senseless evaluations count, or another organisation's are taken for our own."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import House
from trustops import assembly
from trustops.domain.approval import Role
from trustops.domain.chain import canonical
from trustops.domain.errors import MalformedFile, NotAllowed, Refused, RuleBroken, UnknownName, UsageError
from trustops.operations.federating import export_scores, import_scores, revoke_key
from trustops.operations.grading import grade_all
from trustops.operations.office import Office
from trustops.operations.reputing import reputations
from trustops.operations.vouching import Examiner, last_grades, verify_scores
from trustops.signing.keys import KeyRing

Books = Callable[[], dict[str, int]]
Edit = Callable[[dict[str, Any]], object]


class Mossford:
    """Another organisation: the same kind of reviews, its own name, books and keys."""

    def __init__(self, office: Office, ring: KeyRing) -> None:
        self.office, self.ring = office, ring

    @property
    def public(self) -> bytes:
        return self.ring.public_key() or b""

    def lines(self, file: Path, *, edit: Edit | None = None, ring: KeyRing | None = None, only: int | None = None) -> Path:
        """An export of theirs, with the first statement edited and signed anew."""
        export_scores(self.office, file)
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()][:only]
        if edit is not None or ring is not None:
            statement = json.loads(base64.b64decode(lines[0]["envelope"]["payload"]))
            if edit is not None:
                edit(statement)
            pen = (ring or self.ring).pen()
            assert pen is not None
            lines[0] = {"envelope": json.loads(pen.envelope(canonical(statement))), "publicKey": pen.public_key.decode()}
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return file


@pytest.fixture
def mossford(reviewed: Path, tmp_path: Path) -> Iterator[Mossford]:
    folder = tmp_path / "mossford"
    shutil.copytree(reviewed, folder)
    ring = KeyRing(tmp_path / "keys" / "mossford")
    ring.create()
    opened = assembly.office(folder)
    grade_all(opened)
    theirs = replace(opened, organisation="mossford", signer=ring)
    yield Mossford(theirs, ring)
    opened.ledger.close()
    opened.index.close()


def own(house: House) -> dict[tuple[str, str], int]:
    return {(each.source, each.agent): each.reputation.evaluation_count for each in reputations(house.office)}


def test_what_comes_in_is_kept_apart_with_its_source(house: House, mossford: Mossford, tmp_path: Path) -> None:
    done = import_scores(house.office, mossford.lines(tmp_path / "m.jsonl"), key=mossford.public)
    assert (done.new > 20, done.known, done.organisation, done.newly_trusted) == (True, 0, "mossford", True)
    assert {each.source for each in reputations(house.office)} == {"mossford"}
    assert verify_scores(house.office).bad == ()


def test_our_own_reputation_is_the_same_whatever_comes_in(house: House, mossford: Mossford, tmp_path: Path) -> None:
    ours = replace(house.office, organisation="kestrel-own")  # other ids than those of the copied books
    grade_all(ours)
    before = own(house)
    import_scores(house.office, mossford.lines(tmp_path / "m.jsonl"), key=mossford.public)
    assert {name: count for name, count in own(house).items() if name[0] == ""} == before
    with pytest.raises(Refused, match="no signing key"):
        export_scores(house.office, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_the_same_file_again_is_known_and_counts_once(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    file = mossford.lines(tmp_path / "m.jsonl")
    first = import_scores(house.office, file, trust=True)
    before = books()
    again = import_scores(house.office, file)
    assert (again.new, again.known, again.newly_trusted) == (0, first.new, False)
    assert books() == before


def test_a_line_that_stands_twice_counts_once(house: House, mossford: Mossford, tmp_path: Path) -> None:
    file = mossford.lines(tmp_path / "m.jsonl", only=1)
    file.write_text(file.read_text("utf-8") * 3, encoding="utf-8")
    done = import_scores(house.office, file, trust=True)
    assert (done.new, done.known) == (1, 2)


def set_score(value: Any) -> Edit:
    def edit(statement: dict[str, Any]) -> None:
        scores = statement["predicate"]["evaluation"]["scores"]
        scores[next(iter(scores))] = value

    return edit


def set_in(part: str, name: str, value: Any) -> Edit:
    def edit(statement: dict[str, Any]) -> None:
        statement["predicate"][part][name] = value

    return edit


def drop_score(statement: dict[str, Any]) -> None:
    statement["predicate"]["evaluation"]["scores"].popitem()


def heavier(statement: dict[str, Any]) -> None:
    statement["predicate"]["rubric"]["criteria"][0]["weight"] += 0.5


def whose(statement: dict[str, Any]) -> None:
    statement["predicate"]["organisation"] = "kestrel"


def mode(statement: dict[str, Any]) -> None:
    statement["predicate"]["mode"] = "LIVE"


def more(statement: dict[str, Any]) -> None:
    statement["predicate"]["approved"] = True


REFUSALS: dict[str, tuple[str, Edit]] = {
    "a score above one": ("score_range", set_score(1.5)),
    "a score that is a word": ("form", set_score("high")),
    "a score that is missing": ("missing_score", drop_score),
    "weights that do not add up": ("weights_sum", heavier),
    "another composite than its scores give": ("composite", set_in("evaluation", "compositeScore", 0.123)),
    "a clock in the future": ("future", set_in("evaluation", "evaluatedAt", "2099-01-01T00:00:00.000Z")),
    "an instant without a zone": ("time", set_in("evaluation", "evaluatedAt", "2026-01-01T00:00:00")),
    "an instant that is written otherwise": ("time", set_in("evaluation", "evaluatedAt", "2026-01-01T00:00:00Z")),
    "another rubric than it was judged by": ("rubric", set_in("evaluation", "rubricId", "another")),
    "our own name": ("own_organisation", whose),
    "a mode that is none": ("mode", mode),
    "a key that is not known": ("form", more),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_breaks_a_rule_is_refused_by_its_name_though_it_is_signed(
    what: str, house: House, mossford: Mossford, tmp_path: Path, books: Books
) -> None:
    rule, edit = REFUSALS[what]
    before = books()
    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, mossford.lines(tmp_path / "m.jsonl", edit=edit, only=2), key=mossford.public)
    assert refused.value.rule == rule
    assert rule in str(refused.value)
    assert books() == before


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused(word: str, house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    file = mossford.lines(tmp_path / "m.jsonl", only=1)
    line = json.loads(file.read_text("utf-8"))
    told = base64.b64decode(line["envelope"]["payload"]).decode().replace('"compositeScore":1', f'"compositeScore":{word}')
    assert word in told
    line["envelope"]["payload"] = base64.b64encode(told.encode()).decode()
    file.write_text(json.dumps(line), encoding="utf-8")
    before = books()
    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, file, trust=True)
    assert refused.value.rule == "not_a_number"
    assert books() == before


def test_a_key_that_nobody_trusts_opens_nothing(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    before = books()
    with pytest.raises(RuleBroken, match="--trust") as refused:
        import_scores(house.office, mossford.lines(tmp_path / "m.jsonl"))
    assert refused.value.rule == "untrusted_key"
    assert books() == before


def test_a_file_of_another_key_than_the_given_one_is_refused(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    other = KeyRing(tmp_path / "keys" / "other")
    other.create()
    before = books()
    for file, key in (
        (mossford.lines(tmp_path / "m.jsonl"), other.public_key()),
        (mossford.lines(tmp_path / "n.jsonl", ring=other), mossford.public),
    ):
        with pytest.raises(RuleBroken) as refused:
            import_scores(house.office, file, key=key)
        assert refused.value.rule == "signature"
    with pytest.raises(RuleBroken) as mixed:
        import_scores(house.office, mossford.lines(tmp_path / "o.jsonl", ring=other), trust=True)
    assert mixed.value.rule == "untrusted_key"
    assert books() == before


def test_a_trusted_key_speaks_for_its_own_organisation_alone(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    import_scores(house.office, mossford.lines(tmp_path / "m.jsonl", only=1), key=mossford.public)
    before = books()

    def impersonate(statement: dict[str, Any]) -> None:
        statement["predicate"]["organisation"] = "harrowgate"

    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, mossford.lines(tmp_path / "n.jsonl", edit=impersonate, only=1))
    assert refused.value.rule == "foreign_organisation"
    assert books() == before


def test_a_revoked_key_counts_in_nothing_and_opens_nothing(house: House, mossford: Mossford, tmp_path: Path) -> None:
    """Harm: a key was lost, and whoever found it goes on making our agents' reputation."""
    done = import_scores(house.office, mossford.lines(tmp_path / "m.jsonl", only=3), key=mossford.public)
    boss = replace(house.office, people={"Mara Vos": Role.ADMIN, "Pia Holt": Role.APPROVER})
    revoked = revoke_key(boss, done.fingerprint[:12], by="Mara Vos", reason="the laptop was stolen")
    assert revoked.revoked is not None
    assert reputations(house.office) == ()
    kept = [*house.office.ledger.evaluations()]
    assert len(kept) == 3, "what came in stays readable"
    assert "revoked" in Examiner(house.office).signature(kept[0])
    assert {each.revoked for each in last_grades(house.office, kept[0].agent, 3)} == {revoked.revoked}, "and says so on every page"
    assert verify_scores(house.office).bad == ()
    for file in (mossford.lines(tmp_path / "n.jsonl", only=4), tmp_path / "m.jsonl"):
        with pytest.raises(RuleBroken, match="stolen") as refused:
            import_scores(house.office, file, key=mossford.public, trust=True)
        assert refused.value.rule == "revoked_key"
    assert len([*house.office.ledger.evaluations()]) == 3
    with pytest.raises(Refused, match="before"):
        revoke_key(boss, done.fingerprint, by="Mara Vos", reason="again")


@pytest.mark.parametrize(
    ("key", "by", "reason", "error"),
    [
        ("", "Mara Vos", "lost", UnknownName),
        ("ffffffffffff", "Mara Vos", "lost", UnknownName),
        (None, "Pia Holt", "lost", NotAllowed),
        (None, "nobody", "lost", NotAllowed),
        (None, "Mara Vos", " ", UsageError),
    ],
)
def test_a_key_is_revoked_by_an_admin_with_a_reason_or_not_at_all(
    house: House, mossford: Mossford, tmp_path: Path, key: str | None, by: str, reason: str, error: type[Exception]
) -> None:
    done = import_scores(house.office, mossford.lines(tmp_path / "m.jsonl", only=1), key=mossford.public)
    office = replace(house.office, people={"Mara Vos": Role.ADMIN, "Pia Holt": Role.APPROVER})
    before = own(house)
    with pytest.raises(error):
        revoke_key(office, done.fingerprint if key is None else key, by=by, reason=reason)
    assert own(house) == before != {}
    assert [each.revoked for each in office.ledger.trusted_keys()] == [None]


def test_an_altered_byte_under_the_signature_is_refused(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    file = mossford.lines(tmp_path / "m.jsonl", only=1)
    line = json.loads(file.read_text("utf-8"))
    told = base64.b64decode(line["envelope"]["payload"]).decode().replace('"mode":"TEST"', '"mode":"LIVE_AI"')
    line["envelope"]["payload"] = base64.b64encode(told.encode()).decode()
    file.write_text(json.dumps(line), encoding="utf-8")
    before = books()
    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, file, key=mossford.public)
    assert refused.value.rule == "signature"
    assert books() == before


def test_another_evaluation_under_a_known_id_is_a_replay(house: House, mossford: Mossford, tmp_path: Path, books: Books) -> None:
    import_scores(house.office, mossford.lines(tmp_path / "m.jsonl", only=1), key=mossford.public)
    before = books()
    changed = set_in("evaluation", "outputRef", "something else")
    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, mossford.lines(tmp_path / "n.jsonl", edit=changed, only=1))
    assert refused.value.rule == "replay"
    assert books() == before


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", '{"envelope": 1, "publicKey": 2}\n', "not json\n", "[" * 100_000 + "\n"])
def test_what_is_no_export_is_refused_without_a_traceback(text: str, house: House, tmp_path: Path, books: Books) -> None:
    (tmp_path / "m.jsonl").write_text(text, encoding="utf-8")
    before = books()
    with pytest.raises(RuleBroken) as refused:
        import_scores(house.office, tmp_path / "m.jsonl", trust=True)
    assert refused.value.rule == "form"
    with pytest.raises(MalformedFile):
        import_scores(house.office, tmp_path / "nowhere.jsonl", trust=True)
    assert books() == before


def test_an_evaluation_signed_with_a_key_is_checked_by_it(house: House, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys" / "kestrel")
    ring.create()
    office = replace(house.office, signer=ring)
    grade_all(office)
    found = verify_scores(office)
    assert (found.bad, found.unsigned, found.unkeyed, found.hmac) == ((), 0, 0, found.of)
    ring.rotate()
    turned = verify_scores(office)
    assert (turned.bad, turned.unkeyed, turned.hmac) == ((), 0, 0), "the old public key still checks; its HMAC secret is gone with it"


def test_a_forged_evaluation_is_named(house: House) -> None:
    grade_all(house.office)
    one = next(house.office.ledger.evaluations())
    house.office.ledger.append_evaluations([one.model_copy(update={"id": "forged"})])
    found = verify_scores(house.office)
    assert [id for id, _ in found.bad] == ["forged"]
