"""Harm: meanings hide what words find, mix organisations, keep what is gone from the evidence, or differ from one process to the next."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

from tests.retrieval.test_index import ALL, BACKUP, MFA, SECRET, TERMS, passage, prior
from trustops import assembly
from trustops.domain.errors import MalformedFile, UsageError
from trustops.retrieval import Index, embedding, fusion
from trustops.retrieval.embedding import DIMENSIONS, Embedder, installed
from trustops.retrieval.fusion import FusedIndex

ANSWERS = (prior("Is MFA enforced?", "Yes, for administrators only."), prior("Where are backups kept?", "In Ireland."))
THEMES = ({"backup", "copies", "restore"}, {"authentication", "sign", "mfa"}, {"bastion", "spare"})


class Themes:
    """A meaning for tests: one dimension a theme, and one that every text has."""

    model = "themes"

    def __init__(self) -> None:
        self.read: list[str] = []

    def vector(self, text: str) -> bytes:
        self.read.append(text)
        numbers = [0.1, *(float(any(word in text.lower() for word in theme)) for theme in THEMES)]
        found = numpy.array(numbers, dtype="<f4")
        return bytes((found / numpy.linalg.norm(found)).astype("<f4").tobytes())


@pytest.fixture
def themes() -> Themes:
    return Themes()


@pytest.fixture
def fused(tmp_path: Path, themes: Themes) -> Iterator[FusedIndex]:
    made = FusedIndex(Index(tmp_path / "index.db", TERMS), tmp_path / "vectors.db", themes)
    made.rebuild(ALL, ANSWERS)
    yield made
    made.close()


def kept(fused: FusedIndex) -> int:
    with sqlite3.connect(fused._path) as file:
        return int(file.execute("SELECT count(*) FROM vector").fetchone()[0])


def test_what_says_the_same_in_other_words_is_found(fused: FusedIndex) -> None:
    assert fused.inner.search("How are copies restored?") == ()
    assert fused.search("How are copies restored?")[0] == BACKUP
    assert fused.search_prior("Are there copies?")[0] == ANSWERS[1]


def test_what_words_find_is_never_lost(fused: FusedIndex) -> None:
    for query in ("Do you use 2FA?", "bill of materials", "多因素认证", "bastion host"):
        by_words = fused.inner.search(query, limit=5)
        assert by_words
        assert set(by_words) <= set(fused.search(query, limit=10))


def test_a_query_without_a_topic_finds_nothing(fused: FusedIndex, themes: Themes) -> None:
    themes.read.clear()
    assert fused.search("Do you?") == fused.search_prior("and the?") == ()
    assert fused.search("backup", limit=0) == ()
    assert themes.read == []


def test_only_what_is_new_is_read_again_and_what_is_gone_is_gone(fused: FusedIndex, themes: Themes) -> None:
    assert kept(fused) == len(ALL) + len(ANSWERS) == len(themes.read)
    themes.read.clear()
    fused.rebuild(ALL, ANSWERS)
    assert themes.read == []
    added = passage("Copies are restored every quarter.", number=1)
    fused.rebuild([*ALL[:-1], added], ANSWERS)
    assert len(themes.read) == 1
    assert fused.search("How are copies restored?")[0] == added
    assert SECRET not in fused.search("bastion", limit=50)
    assert kept(fused) == len(ALL) + len(ANSWERS)


def test_another_process_changes_the_content_and_this_one_notices(fused: FusedIndex, tmp_path: Path, themes: Themes) -> None:
    assert BACKUP in fused.search("copies")
    other = FusedIndex(Index(tmp_path / "index.db", TERMS), tmp_path / "vectors.db", themes)
    other.rebuild([MFA], ())
    other.close()
    assert fused.search("copies") == (MFA,)
    assert fused.search_prior("copies") == ()


def test_a_lost_cache_is_made_again(fused: FusedIndex, tmp_path: Path, themes: Themes) -> None:
    before = fused.search("copies"), fused.digest()
    (tmp_path / "vectors.db").unlink()
    again = FusedIndex(Index(tmp_path / "index.db", TERMS), tmp_path / "vectors.db", themes)
    assert (again.search("copies"), again.digest()) == before
    again.close()


def test_other_weights_are_another_digest(fused: FusedIndex, tmp_path: Path) -> None:
    other = Themes()
    other.model = "other themes"
    again = FusedIndex(fused.inner, tmp_path / "vectors.db", other)
    assert len({again.digest(), fused.digest(), fused.inner.digest()}) == 3


def test_an_index_that_is_too_large_is_searched_by_words_alone(fused: FusedIndex, monkeypatch: pytest.MonkeyPatch, themes: Themes) -> None:
    monkeypatch.setattr(fusion, "MOST", 3)
    themes.read.clear()
    fused.rebuild([*ALL, passage("Copies of everything.", number=2)], ANSWERS)
    assert fused.search("backups") == fused.inner.search("backups")
    assert themes.read == []


def test_eight_threads_find_the_same(fused: FusedIndex) -> None:
    expected = fused.search("copies of backups")
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: fused.search("copies of backups"), range(40))) == {expected}


@pytest.fixture(scope="module")
def real() -> Embedder:
    if not installed():
        pytest.skip("the extra `embeddings` is not installed")
    return Embedder()


def likeness(real: Embedder, one: str, other: str) -> float:
    return float(numpy.frombuffer(real.vector(one), "<f4") @ numpy.frombuffer(real.vector(other), "<f4"))


def test_the_real_model_gives_unit_vectors_that_are_the_same_every_time(real: Embedder) -> None:
    text = "Backups are encrypted. " * 200
    vectors = [real.vector(text), Embedder().vector(text), real.vector(text)]
    assert len(set(vectors)) == 1
    assert numpy.frombuffer(vectors[0], "<f4").shape == (DIMENSIONS,)
    assert numpy.linalg.norm(numpy.frombuffer(vectors[0], "<f4")) == pytest.approx(1, abs=1e-5)
    assert len(real.vector("")) == 4 * DIMENSIONS


def test_the_real_model_holds_like_things_for_like(real: Embedder) -> None:
    asked = "How quickly do you remove access when somebody leaves the company?"
    assert likeness(real, asked, "Accounts of departing staff are disabled within one day.") > likeness(
        real, asked, "Backups are kept for 35 days."
    )


def test_other_weights_are_not_taken_for_these(monkeypatch: pytest.MonkeyPatch, real: Embedder) -> None:
    monkeypatch.setattr(embedding, "SHA256", hashlib.sha256(b"").hexdigest())
    with pytest.raises(MalformedFile, match="not the one that is known"):
        Embedder().vector("x")


def test_on_without_the_extra_is_refused_and_auto_does_without(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "installed", lambda: False)
    for chosen, kind in (("auto", Index), ("off", Index), ("on", FusedIndex)):
        monkeypatch.setenv("TRUSTOPS_EMBEDDINGS", chosen)
        office = assembly.office(workspace)
        assert type(office.index) is kind
        if chosen == "on":
            with pytest.raises(UsageError, match="not installed"):
                office.index.rebuild(ALL, ANSWERS)
        office.ledger.close()  # type: ignore[attr-defined]
        office.index.close()  # type: ignore[attr-defined]


def test_auto_asks_for_meanings_where_the_extra_is_there(workspace: Path, monkeypatch: pytest.MonkeyPatch, real: Embedder) -> None:
    monkeypatch.setenv("TRUSTOPS_EMBEDDINGS", "auto")
    office = assembly.office(workspace)
    office.index.rebuild(ALL, ANSWERS)
    assert BACKUP in office.index.search("How long can lost data be brought back?", limit=3)
    assert sorted(path.name for path in (workspace / ".trustops").glob("kestrel.vectors.db")) == ["kestrel.vectors.db"]
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
