"""How well the reader reads: precision, recall and F1 per kind and language, implications, and microseconds per sentence.

Usage: python benchmarks/facts.py [labelled.yaml [pairs.yaml]] [--misses]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from trustops import facts  # noqa: E402
from trustops.facts import Names  # noqa: E402

DATA = ROOT / "tests" / "data" / "facts"
FIELDS = {
    "quantity": ("comparator", "value", "unit"),
    "frequency": ("comparator", "every"),
    "deadline": ("comparator", "value", "unit", "direction"),
    "version": ("product", "comparator", "value"),
    "standard": ("name", "strength"),
    "scope": ("coverage", "canonical"),
    "negation": ("denied",),
    "modality": ("value",),
    "exception": (),
    "date": ("value", "role"),
    "attribution": ("value",),
    "absolute": ("value",),
}
OUTER = {"deadline", "frequency", "version", "standard", "date", "exception", "quantity"}
Label = dict[str, Any]


def load(path: Path) -> Any:
    """A labelled file."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def names_of(meta: dict[str, list[str]]) -> Names:
    """The names that a labelled file gives as configuration."""
    return Names(
        own=tuple(meta["organisation"]),
        products=tuple(meta["product"]),
        other_products=tuple(meta["other_products"]),
        affiliates=tuple(meta["affiliates"]),
        subcontractors=tuple(meta["subcontractors"]),
    )


def canonical(label: Label) -> tuple[object, ...]:
    """The fields that must agree; the noun of a count is secondary."""
    fields: list[object] = []
    for name in FIELDS[label["kind"]]:
        value = label.get(name)
        if name == "value" and label["kind"] in ("quantity", "deadline"):
            value = tuple(Fraction(item) for item in value or ())
        if name == "unit" and str(value).startswith("count:"):
            value = "count"
        fields.append(value)
    return tuple(fields)


def overlap(one: Label, other: Label) -> bool:
    """Whether two spans share a character."""
    return bool(one["start"] < other["end"] and other["start"] < one["end"])


def compare(gold: list[Label], found: list[Label]) -> Iterator[tuple[str, str, Label]]:
    """(kind, hit | miss | extra, label) by the scoring rules of the labelled set."""
    open_gold = list(gold)
    for label in found:
        match = next((g for g in open_gold if g["kind"] == label["kind"] and overlap(g, label) and canonical(g) == canonical(label)), None)
        if match is not None:
            open_gold.remove(match)
            yield label["kind"], "hit", label
        elif not neutral(label, gold):
            yield label["kind"], "extra", label
    for label in open_gold:
        yield label["kind"], "miss", label


def neutral(label: Label, gold: list[Label]) -> bool:
    """Inside a gold fact of another kind, or a default modality in a sentence without facts."""
    if label["kind"] == "modality" and label["value"] == "fact" and not gold:
        return True
    inside = (g for g in gold if g["kind"] != label["kind"] and g["kind"] in OUTER)
    return label["kind"] in OUTER and any(g["start"] <= label["start"] and label["end"] <= g["end"] for g in inside)


def score(data: Any) -> dict[tuple[str, str], Counter[str]]:
    """Counts of hit, miss and extra per (kind, language)."""
    names = names_of(data["meta"])
    table: dict[tuple[str, str], Counter[str]] = {}
    for sentence in data["sentences"]:
        for kind, outcome, _ in judged(sentence, names):
            table.setdefault((kind, sentence["lang"]), Counter())[outcome] += 1
    return table


def judged(sentence: Any, names: Names) -> Iterator[tuple[str, str, Label]]:
    """The comparison of one labelled sentence."""
    read = facts.read(sentence["text"], names, sentence["doc"])
    labels = [fact.to_label() for fact in read.facts if fact.kind in FIELDS]
    return compare(sentence["facts"], labels)


def rates(counts: Counter[str]) -> tuple[float, float, float]:
    """Precision, recall, F1."""
    hit, miss, extra = counts["hit"], counts["miss"], counts["extra"]
    precision = hit / (hit + extra) if hit + extra else 0.0
    recall = hit / (hit + miss) if hit + miss else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def implications(data: Any) -> Counter[tuple[str, str]]:
    """(labelled, judged) -> number of pairs."""
    names, table = names_of(data["meta"]), Counter[tuple[str, str]]()
    for pair in data["pairs"]:
        table[pair["relation"], verdict(pair, names).verdict] += 1
    return table


def verdict(pair: Any, names: Names) -> facts.Relation:
    """What the reader says about one pair."""
    return facts.relation(facts.read(pair["premise"], names, "record"), facts.read(pair["claim"], names, "prior_answer"), names=names)


def report(path: Path, pairs: Path, *, misses: bool) -> None:
    """Print all figures."""
    data = load(path)
    table = score(data)
    print(f"{'kind':12} lang  hit miss extra     P     R    F1")
    for kind in FIELDS:
        for lang in ("en", "zh"):
            line(kind, lang, table.get((kind, lang), Counter()))
    for lang in ("en", "zh"):
        line("ALL", lang, sum((counts for (_, language), counts in table.items() if language == lang), Counter()))
    line("ALL", "both", sum(table.values(), Counter()))
    relations = load(pairs)
    confusion = implications(relations)
    print("\nlabelled \\ judged   PROVES OPPOSES SILENT")
    for gold in ("PROVES", "OPPOSES", "SILENT"):
        print(f"{gold:18} {confusion[gold, 'PROVES']:7} {confusion[gold, 'OPPOSES']:7} {confusion[gold, 'SILENT']:6}")
    if misses:
        show(data, relations)
    print(f"\n{speed(data):.0f} us/sentence, cold cache")


def line(kind: str, lang: str, counts: Counter[str]) -> None:
    """One row of the table."""
    precision, recall, f1 = rates(counts)
    print(f"{kind:12} {lang:4} {counts['hit']:4} {counts['miss']:4} {counts['extra']:5}  {precision:.2f}  {recall:.2f}  {f1:.2f}")


def show(data: Any, relations: Any) -> None:
    """Every miss, extra and wrong verdict."""
    names = names_of(data["meta"])
    for sentence in data["sentences"]:
        wrong = [(outcome, label) for _, outcome, label in judged(sentence, names) if outcome != "hit"]
        if wrong:
            print(f"\n{sentence['id']} [{sentence['doc']}] {sentence['text']}")
        for outcome, label in wrong:
            print(f"   {outcome:5} {label['kind'][:6]} «{label['surface'][:60]}» {canonical(label)}")
    for pair in relations["pairs"]:
        judged_pair = verdict(pair, names)
        if judged_pair.verdict != pair["relation"]:
            print(f"\n{pair['id']} {pair['relation']} judged {judged_pair.verdict}: {judged_pair.reason}")
            print(f"   {pair['premise']}\n   {pair['claim']}")


def speed(data: Any) -> float:
    """Microseconds to read a sentence that was not read before, lexicon loaded."""
    names = names_of(data["meta"])
    texts = [sentence["text"] + " " for sentence in data["sentences"]]
    start = time.process_time()
    for text in texts:
        facts.read(text, names)
    return (time.process_time() - start) / len(texts) * 1e6


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    report(
        Path(arguments[0]) if arguments else DATA / "seen.yaml",
        Path(arguments[1]) if len(arguments) > 1 else DATA / "implies_seen.yaml",
        misses="--misses" in sys.argv,
    )
