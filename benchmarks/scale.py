"""Speed of the index and of drift at the sizes that are promised.

    python benchmarks/scale.py [--passages N] [--houses M] [--drift N] [--quality]

N passages are spread over M organisations, each with an index file of its own as in the product, and once more put into one organisation;
sentences are those of the two golden organisations, recombined (a small vocabulary: frequent words, the worst case). Queries are their
questions. Times are wall and processor milliseconds; compare on an idle machine. `--quality` ranks every row as well and tells what share
of the best ten's relevance the ten found have (bm25 of all words).
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from trustops.checks.drift import evaluate  # noqa: E402
from trustops.domain.authenticity import SourceMode  # noqa: E402
from trustops.domain.chain import sha256  # noqa: E402
from trustops.domain.control import Control, ControlSource, Expectation, Measure, Risk, Snapshot  # noqa: E402
from trustops.domain.evidence import Passage  # noqa: E402
from trustops.formats.evidence import read_folder  # noqa: E402
from trustops.retrieval import Index, segments  # noqa: E402
from trustops.retrieval.index import HEADING_WEIGHT  # noqa: E402
from trustops.retrieval.meanings import shipped  # noqa: E402

HOUSES = ("acme", "brightwell")
SENTENCES = 5


def made(seeds: Sequence[Passage], count: int, chance: random.Random) -> list[Passage]:
    """So many passages of five sentences each."""
    lines = [line for seed in seeds for line in seed.text.split("\n") if line.strip()]
    found = []
    for number in range(count):
        seed, text = chance.choice(seeds), "\n".join(chance.choices(lines, k=SENTENCES))
        update = {"id": f"P-{number}", "text": text, "sha256": sha256(text.encode())}
        found.append(seed.model_copy(update=update))
    return found


def asked() -> list[str]:
    return [
        q["question"] for house in HOUSES for q in yaml.safe_load((ROOT / "golden" / house / "truth.yaml").read_text("utf-8"))["questions"]
    ]


def report(name: str, indexes: Sequence[Index], questions: Sequence[str], chance: random.Random, rounds: int) -> None:
    wall, cpu = [], []
    for _ in range(rounds):
        for question in questions:
            index = chance.choice(indexes)
            began, worked = time.perf_counter(), time.process_time()
            index.search(question, limit=10)
            wall.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - worked) * 1000)
    for kind, values in (("wall", wall), ("processor", cpu)):
        p50, p95 = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        print(f"{name}: query p50 {p50:.1f} ms, p95 {p95:.1f} ms {kind}")


def built(path: Path, passages: Sequence[Passage]) -> tuple[Index, float, float]:
    began, worked = time.perf_counter(), time.process_time()
    index = Index(path)
    index.rebuild(passages, ())
    return index, time.perf_counter() - began, time.process_time() - worked


def quality(index: Index, questions: Sequence[str]) -> None:
    """How much of the relevance of the truly best ten is lost because a large index does not rank every row."""
    shares = []
    with sqlite3.connect(index._path) as connection:
        for question in questions:
            asked = " OR ".join(f'"{term}"' for term in segments.terms(question) + shipped().of(question))
            statement = f"""
                SELECT p.id, bm25(passage_words, {HEADING_WEIGHT}, 1.0)
                FROM passage_words JOIN passage p ON p.number = passage_words.rowid WHERE passage_words MATCH ?
            """
            scores = dict(connection.execute(statement, (asked,)).fetchall())
            best = sum(sorted(scores.values())[:10])
            shares.append(sum(scores[hit.id] for hit in index.search(question, limit=10)) / best)
    print(f"relevance of the ten found: {statistics.mean(shares):.3f} of the best ten's, the worst question {min(shares):.3f}")


def drift(count: int) -> None:
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    control = Control(
        id="c", title="Doors that are locked", topics=("doors",), measure=Measure(ratio=("locked", "doors")), expect=Expectation(equals=1),
        max_age=timedelta(hours=24), risk=Risk.LOW, source=ControlSource(collector="file", path="s.json"),
    )  # fmt: skip
    snapshots = [
        Snapshot(
            control="c", version=1, observed_at=at, collected_at=at, values={"locked": n, "doors": 1000}, collector="file",
            source_mode=SourceMode.RECORDED, sha256="0" * 64,
        )
        for n in range(1000)
    ]  # fmt: skip
    worked = time.process_time()
    for number in range(count):
        evaluate(control, snapshots[number % 1000], at)
    spent = time.process_time() - worked
    print(f"drift: {count / spent:,.0f} evaluations per second of one processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--houses", type=int, default=200)
    parser.add_argument("--drift", type=int, default=200_000)
    parser.add_argument("--quality", action="store_true")
    options = parser.parse_args()
    chance = random.Random(1)
    drift(options.drift)
    seeds = [p for house in HOUSES for p in read_folder(ROOT / "golden" / house / "workspace").passages]
    passages, questions = made(seeds, options.passages, chance), asked()
    each = options.passages // options.houses
    with tempfile.TemporaryDirectory() as folder:
        parts = [
            built(
                Path(folder) / f"{n}.db",
                [p.model_copy(update={"id": f"P-{n}-{i}"}) for i, p in enumerate(passages[n * each : (n + 1) * each])],
            )
            for n in range(options.houses)
        ]
        wall, cpu = sum(part[1] for part in parts), sum(part[2] for part in parts)
        print(f"{options.houses} organisations of {each}: indexed in {wall:.1f} s wall, {cpu:.1f} s processor")
        report(f"{options.houses} organisations", [p[0] for p in parts], questions, chance, 3)
        for index, *_ in parts:
            index.close()
        index, wall, cpu = built(Path(folder) / "one.db", passages)
        print(f"one organisation of {options.passages}: indexed in {wall:.1f} s wall, {cpu:.1f} s processor")
        report("one organisation", [index], questions, chance, 2)
        if options.quality:
            quality(index, questions)
        index.close()


if __name__ == "__main__":
    main()
