"""How often a passage that holds the wanted quote is among the first 1, 5, 10 and 20 hits, and the mean reciprocal rank (MRR@20).

    python benchmarks/retrieval.py TRUTH.yaml [-w WORKSPACE] [--misses] [--embeddings]

TRUTH.yaml is a truth file (questions with expected.evidence_any); the workspace is its folder unless named. A question counts where
at least one wanted quote stands in the evidence; quotes from earlier answers are measured by themselves.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from trustops.domain.evidence import Passage, PriorAnswer
from trustops.formats.evidence import read_answers, read_folder
from trustops.retrieval import Index, search_all
from trustops.retrieval.embedding import Embedder
from trustops.retrieval.fusion import FusedIndex

DEPTHS = (1, 5, 10, 20)
Wanted = tuple[str, str, list[dict[str, str]]]
"""Reference, question text, quotes of which one is enough."""


def wanted(truth: dict[str, Any], *, prior: bool, key: str) -> list[Wanted]:
    found = []
    for question in truth["questions"]:
        quotes = [each for each in question["expected"][key] if each["file"].startswith("answers/") is prior]
        if quotes:
            found.append((question["ref"], question["question"], quotes))
    return found


def holds(hit: Passage | PriorAnswer, quote: dict[str, str]) -> bool:
    file, text = (hit.document.path, hit.text) if isinstance(hit, Passage) else (hit.file, hit.answer)
    return file == quote["file"] and " ".join(quote["quote"].split()) in " ".join(text.split())


def measure(name: str, cases: list[Wanted], search: Callable[[str], Sequence[Passage | PriorAnswer]], misses: bool) -> None:
    ranks = []
    spent = 0.0
    for ref, text, quotes in cases:
        began = time.perf_counter()
        hits = search(text)
        spent += time.perf_counter() - began
        rank = next((place for place, hit in enumerate(hits, start=1) if any(holds(hit, quote) for quote in quotes)), 0)
        ranks.append(rank)
        if misses and not 0 < rank <= 5:
            print(f"  {ref} rank {rank or '-'}: {text}")
    shares = "  ".join(f"hit@{depth} {sum(0 < rank <= depth for rank in ranks) / max(len(ranks), 1):.2f}" for depth in DEPTHS)
    mrr = sum(1 / rank for rank in ranks if rank) / max(len(ranks), 1)
    anywhere, mean = f"{sum(map(bool, ranks))}/{len(ranks)}", spent * 1000 / max(len(cases), 1)
    print(f"{name:<32} {len(cases):>3} questions  {shares}  MRR {mrr:.2f}  anywhere {anywhere}  {mean:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("-w", "--workspace", type=Path)
    parser.add_argument("--misses", action="store_true", help="print the questions that are not among the first five")
    parser.add_argument("--embeddings", action="store_true", help="with the extra `embeddings`: meanings fused with words")
    options = parser.parse_args()
    truth = yaml.safe_load(options.truth.read_text(encoding="utf-8"))
    workspace = options.workspace or options.truth.parent
    with tempfile.TemporaryDirectory() as folder:
        index: Index | FusedIndex = Index(Path(folder) / "index.db")
        if options.embeddings:
            index = FusedIndex(index, Path(folder) / "vectors.db", Embedder())
        index.rebuild(read_folder(workspace).passages, read_answers(workspace))
        for key in ("evidence_any", "contradicting"):
            documents, answers = wanted(truth, prior=False, key=key), wanted(truth, prior=True, key=key)
            measure(f"documents, {key}", documents, lambda text: index.search(text, limit=20), options.misses)
            measure(f"  union of forms, {key}", documents, lambda text: search_all(index, text), False)
            measure(f"earlier answers, {key}", answers, lambda text: index.search_prior(text, limit=20), options.misses)
        index.close()


if __name__ == "__main__":
    main()
