"""The index finds what it holds, in spite of spelling, language and threads; and never more than one organisation's."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import postgresql
from trustops.domain.chain import sha256
from trustops.domain.errors import MalformedFile, Overtaken, TrustOpsError, UnknownName
from trustops.domain.evidence import Classification, Document, Passage, PriorAnswer
from trustops.retrieval import Index, index, narrowing, writing
from trustops.retrieval.meanings import Meanings, shipped
from trustops.retrieval.narrowing import Narrowed
from trustops.retrieval.shared import SharedIndex
from trustops.storage.postgres import close_engines, open_engine, sessions

DOCUMENT = Document(path="evidence/a.md", title="Access policy")


def passage(text: str, *, heading: tuple[str, ...] = (), number: int = 0, document: Document = DOCUMENT) -> Passage:
    identity = sha256(f"{document.path}{text}{number}".encode())[:12]
    return Passage(id=f"P-{identity}", document=document, heading=heading, text=text, locator="line 1", sha256=sha256(text.encode()))


def prior(question: str, answer: str, *, withdrawn: bool = False) -> PriorAnswer:
    content = sha256(f"{question}{answer}".encode())
    return PriorAnswer(
        id=f"A-{content[:12]}",
        file="answers/a.csv",
        locator="row 2",
        question=question,
        answer=answer,
        answered_on=date(2025, 2, 18),
        withdrawn=withdrawn,
        sha256=content,
    )


MFA = passage("Multi-factor authentication is mandatory for the entire workforce.", heading=("2 Signing in",))
CHINESE = passage("所有员工登录时必须使用多因素认证。", document=Document(path="evidence/zh.md", title="访问控制制度"))
BACKUP = passage("Backups are kept for 35 days.", heading=("Backup",))
SPLIT = passage("The bill of materials is av\u200bail\u2060able to customers.")
SECRET = passage(
    "The bastion host has no spare.", document=Document(path="evidence/r.md", title="R", classification=Classification.RESTRICTED)
)
ALL = (MFA, CHINESE, BACKUP, SPLIT, SECRET)
TERMS = Meanings([["mfa", "multi-factor authentication", "2fa", "多因素认证"]], "test")


ANSWERS = [prior("Is MFA enforced?", "Yes, for administrators only."), prior("Old?", "MFA for all.", withdrawn=True)]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path / "index.db", TERMS)
    made.rebuild(ALL, ANSWERS)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[SharedIndex]:
    """The same content in a database that others use too: another organisation has its own, under the same ids."""
    address = postgresql.address(postgresql.fresh_database(), postgresql.ROLE)
    engine = open_engine(address, pool=8)
    other = SharedIndex(sessions(engine, "nightjar"), TERMS)
    other.rebuild([passage("MFA 2FA backups bastion spare available canary", number=1)], [prior("MFA? canary", "MFA canary")])
    made = SharedIndex(sessions(engine, "lanternhall"), TERMS)
    made.rebuild(ALL, ANSWERS)
    yield made
    close_engines()


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest) -> Index | SharedIndex:
    """The index in each of the two databases."""
    made: Index | SharedIndex = request.getfixturevalue("full" if request.param == "sqlite" else "shared")
    return made


def test_a_passage_comes_back_exactly(either: Index | SharedIndex) -> None:
    assert either.passages() == ALL
    assert either.passage(CHINESE.id) == CHINESE
    with pytest.raises(UnknownName):
        either.passage("P-000000000000")


@pytest.mark.parametrize("query", ["Do you use 2FA?", "multifactor MFA", "是否使用多因素认证？"])
def test_another_spelling_or_language_does_not_hide_the_evidence(either: Index | SharedIndex, query: str) -> None:
    assert {MFA.id, CHINESE.id} <= {hit.id for hit in either.search(query)}


def test_a_chinese_sentence_is_found_by_a_part_of_it(either: Index | SharedIndex) -> None:
    assert either.search("员工登录")[0] == CHINESE


def test_a_word_split_by_invisible_characters_is_found_and_left_as_it_is(either: Index | SharedIndex) -> None:
    assert either.search("available?") == (SPLIT,)


def test_restricted_text_is_found_and_says_what_it_is(either: Index | SharedIndex) -> None:
    assert either.search("bastion spare")[0].document.classification is Classification.RESTRICTED


def test_a_withdrawn_answer_is_not_found_again(either: Index | SharedIndex) -> None:
    assert [hit.answer for hit in either.search_prior("MFA")] == ["Yes, for administrators only."]


@pytest.mark.parametrize(
    "query", ["", "   ", "do you", '" OR NEAR(', "a* AND NOT b:c", "heading:x", "'; DROP TABLE passage; --", "\x00", "^"]
)
def test_no_question_is_read_as_query_syntax(either: Index | SharedIndex, query: str) -> None:
    assert isinstance(either.search(query), tuple)
    assert either.passages() == ALL


def test_an_endless_question_is_answered(either: Index | SharedIndex) -> None:
    assert either.search("backups " + " ".join(f"word{number}" for number in range(20_000))) == (BACKUP,)


def test_another_organisation_of_the_database_is_not_found(shared: SharedIndex) -> None:
    """Harm: a search, or the number of texts that hold a word, tells of another organisation's evidence."""
    assert shared.search("canary") == ()
    assert shared.search_prior("canary") == ()
    assert {hit.id for hit in shared.search("backups MFA bastion")} <= {each.id for each in ALL}
    assert "canary" not in repr((shared.passages(), shared.prior_answers()))


def test_a_shared_index_is_replaced_whole_or_not_at_all(shared: SharedIndex) -> None:
    before = shared.digest()
    shared.rebuild(ALL, ANSWERS)
    assert shared.digest() == before
    with pytest.raises(Overtaken):
        shared.rebuild((BACKUP, BACKUP), ())
    assert (shared.digest(), shared.passages()) == (before, ALL)
    assert shared.search("backups kept") == (BACKUP,)


def test_both_indexes_name_a_content_alike(full: Index, shared: SharedIndex) -> None:
    """Harm: moving to another database makes every approval stale."""
    assert full.digest() == shared.digest()


def test_a_large_shared_index_asks_for_its_rarest_words_first(monkeypatch: pytest.MonkeyPatch, shared: SharedIndex) -> None:
    from trustops.retrieval import shared as module

    monkeypatch.setattr(module, "MANY", 1)
    monkeypatch.setattr(narrowing, "ALONE", 3)
    monkeypatch.setattr(narrowing, "PAIRED", 3)
    asked: list[Narrowed] = []
    best = module._Ranking.best

    def noting(self: Any, chosen: Narrowed, counts: dict[str, int], limit: int) -> list[tuple[int, str, str]]:
        asked.append(chosen)
        return best(self, chosen, counts, limit)

    monkeypatch.setattr(module._Ranking, "best", noting)
    question = "backups kept days customers materials workforce mandatory bastion entire spare"
    assert {BACKUP.id, MFA.id, SECRET.id} <= {hit.id for hit in shared.search(question)}
    assert len(asked[0].alone) < len(asked[0].words) <= len(question.split())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=200), max_size=8), st.text(max_size=100))
def test_whatever_is_indexed_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str) -> None:
    sound = [text.encode("utf-8", "replace").decode() for text in texts]
    given_passages = tuple(passage(text, number=number) for number, text in enumerate(sound))
    made = Index(tmp_path_factory.mktemp("i") / "index.db", TERMS)
    made.rebuild(given_passages, ())
    assert made.passages() == given_passages
    assert set(made.search(query)) <= set(given_passages)
    made.close()


def test_equal_content_is_not_written_again(full: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [prior("Is MFA enforced?", "Yes, for administrators only.")]
    monkeypatch.setattr(writing, "_write_passages", lambda *_: pytest.fail("written again"))
    full.rebuild(ALL, answers)


def test_other_synonyms_rebuild_the_index(tmp_path: Path) -> None:
    plain = Index(tmp_path / "index.db", Meanings(()))
    plain.rebuild((MFA,), ())
    assert not plain.search("2FA")
    plain.close()
    taught = Index(tmp_path / "index.db", TERMS)
    taught.rebuild((MFA,), ())
    assert taught.search("2FA") == (MFA,)
    taught.close()


def test_a_rebuild_that_fails_leaves_the_old_content(full: Index) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        full.rebuild((BACKUP, BACKUP), ())
    assert full.passages() == ALL
    assert full.search("backups kept") == (BACKUP,)


def test_readers_see_the_old_or_the_new_and_never_a_mixture(tmp_path: Path) -> None:
    made = Index(tmp_path / "index.db", TERMS)
    old = tuple(passage(f"old backup {number}", number=number) for number in range(40))
    new = tuple(passage(f"new backup {number}", number=number) for number in range(60))
    made.rebuild(old, ())
    stop = threading.Event()

    def reader() -> set[tuple[int, bool]]:
        seen = set()
        while not stop.is_set():
            texts = [each.text for each in made.passages()]
            seen.add((len(texts), all(text.startswith(texts[0][:3]) for text in texts)))
            assert made.search("backup", limit=5)
        return seen

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(reader) for _ in range(6)]
        for _ in range(5):
            made.rebuild(new, ())
            made.rebuild(old, ())
        stop.set()
        assert set().union(*(each.result() for each in running)) <= {(40, True), (60, True)}
    made.close()


def test_a_large_index_asks_for_its_rarest_words_first(full: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MANY", 1)
    monkeypatch.setattr(narrowing, "ALONE", 10)
    many = (*ALL, *(passage("customers materials workforce kept days", number=number) for number in range(50)))
    full.rebuild(many, ())
    asked: list[Narrowed] = []
    real = index._match

    def noting(connection: sqlite3.Connection, kind: str, chosen: Narrowed, limit: int, weight: float) -> list[tuple[int, str, str]]:
        asked.append(chosen)
        return real(connection, kind, chosen, limit, weight)

    monkeypatch.setattr(index, "_match", noting)
    question = "backups kept days customers materials workforce mandatory bastion entire spare"
    assert {BACKUP.id, MFA.id, SECRET.id} <= {hit.id for hit in full.search(question)}
    assert "customers" not in asked[0].alone
    assert {"backups", "mandatory", "bastion", "entire", "spare"} <= {*asked[0].alone}


def test_a_file_that_is_no_index_is_named(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(MalformedFile) as refused:
        Index(path)
    assert refused.value.where == "index.db"


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    made = Index(tmp_path / "index.db", TERMS)
    made.close()
    with pytest.raises(TrustOpsError):
        made.search("anything")


def test_the_shipped_meanings_can_be_read() -> None:
    assert set(shipped().of("multi-factor authentication")) & set(shipped().of("2FA"))
