"""A floor under what the demo's questions find. Without synonyms too, since the shipped terms knew the demo."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests import postgresql
from trustops.domain.evidence import Ingested, Passage, PriorAnswer
from trustops.formats.evidence import read_answers, read_folder
from trustops.retrieval import Index, search_all, search_prior_all
from trustops.retrieval.meanings import Meanings, shipped
from trustops.retrieval.shared import SharedIndex
from trustops.storage.postgres import close_engines, open_engine, sessions

HERE = Path(__file__).parents[1] / "data" / "evidence"
QUESTIONS = yaml.safe_load((HERE / "quotes.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def material() -> tuple[Ingested, tuple[PriorAnswer, ...]]:
    return read_folder(HERE / "acme"), read_answers(HERE / "acme")


def holds(hit: Passage | PriorAnswer, quotes: list[dict[str, str]]) -> bool:
    file, text = (hit.document.path, hit.text) if isinstance(hit, Passage) else (hit.file, hit.answer)
    return any(quote["file"] == file and quote["quote"] in text for quote in quotes)


@pytest.mark.parametrize(("meanings", "floor"), [(shipped(), 0.95), (Meanings(()), 0.9)], ids=["synonyms", "plain"])
def test_evidence_is_among_the_first_five(
    tmp_path: Path, material: tuple[Ingested, tuple[PriorAnswer, ...]], meanings: Meanings, floor: float
) -> None:
    index = Index(tmp_path / "index.db", meanings)
    index.rebuild(material[0].passages, material[1])
    asked = [each for each in QUESTIONS if any(not quote["file"].startswith("answers/") for quote in each["any"])]
    found = [any(holds(hit, each["any"]) for hit in index.search(each["question"], limit=5)) for each in asked]
    index.close()
    assert sum(found) / len(found) >= floor


def test_no_contradiction_stays_unseen(tmp_path: Path, material: tuple[Ingested, tuple[PriorAnswer, ...]]) -> None:
    index = Index(tmp_path / "index.db")
    index.rebuild(material[0].passages, material[1])
    for each in QUESTIONS:
        hits: list[Passage | PriorAnswer] = [*search_all(index, each["question"]), *search_prior_all(index, each["question"])]
        for quote in each["contradicting"]:
            assert any(holds(hit, [quote]) for hit in hits), (each["ref"], quote)
    index.close()


def test_the_shared_index_finds_as_much_and_ranks_alike(tmp_path: Path, material: tuple[Ingested, tuple[PriorAnswer, ...]]) -> None:
    """Harm: moving to another database changes what is found. The figures are in docs/operations.md."""
    engine = open_engine(postgresql.address(postgresql.fresh_database(), postgresql.ROLE), pool=3)
    shared, single = SharedIndex(sessions(engine, "kestrel")), Index(tmp_path / "index.db")
    for index in (shared, single):
        index.rebuild(material[0].passages, material[1])
    asked = [each for each in QUESTIONS if any(not quote["file"].startswith("answers/") for quote in each["any"])]
    found = [any(holds(hit, each["any"]) for hit in shared.search(each["question"], limit=5)) for each in asked]
    both = [({h.id for h in shared.search(each["question"])}, {h.id for h in single.search(each["question"])}) for each in QUESTIONS]
    alike = sum(len(one & other) / max(len(one), len(other), 1) for one, other in both) / len(both)
    for each in QUESTIONS:
        hits: list[Passage | PriorAnswer] = [*search_all(shared, each["question"]), *search_prior_all(shared, each["question"])]
        for quote in each["contradicting"]:
            assert any(holds(hit, [quote]) for hit in hits), (each["ref"], quote)
    single.close()
    close_engines()
    print(f"hit@5 {sum(found) / len(found):.3f}, of the first ten {alike:.3f} are the same")
    assert sum(found) / len(found) >= 0.95
    assert alike >= 0.99
