"""The reader's totals on labelled sentences and pairs, every miss, and microseconds per sentence; `trustops eval facts` has each kind.

Usage: python benchmarks/facts.py [labelled.yaml [pairs.yaml]] [--misses]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from trustops import facts  # noqa: E402
from trustops.evaluation.labels import LabelledPairs, LabelledSentences, load_labels  # noqa: E402
from trustops.evaluation.reading import LANGUAGES, canonical, grade_implications, grade_reading, names_of  # noqa: E402

DATA = ROOT / "tests" / "data" / "facts"


def totals(sentences: LabelledSentences, pairs: LabelledPairs) -> None:
    """Precision and recall of each language, and false proofs."""
    told = grade_reading(sentences)
    for lang in LANGUAGES:
        print(f"ALL {lang} precision {told.total(lang).precision}, recall {told.total(lang).recall}")
    print(f"ALL PROVES claimed for OPPOSES or SILENT {grade_implications(pairs).unproved}")


def misses(sentences: LabelledSentences, pairs: LabelledPairs) -> None:
    """Each sentence with what is missed or false in it, each pair that is judged otherwise than labelled."""
    shown = ""
    for slip in grade_reading(sentences).slips:
        if slip.sentence.id != shown:
            print(f"\n{slip.sentence.id} [{slip.sentence.doc}] {slip.sentence.text}")
        shown = slip.sentence.id
        print(f"   {slip.outcome:6} {slip.found['kind']} «{slip.found['surface'][:60]}» {canonical(slip.found)}")
    for pair, verdict, why in grade_implications(pairs).wrong:
        print(f"\n{pair.id} {pair.relation} judged {verdict}: {why}\n   {pair.premise}\n   {pair.claim}")


def speed(data: LabelledSentences) -> float:
    """Microseconds to read a sentence that was not read before, lexicon loaded."""
    names = names_of(data.meta)
    texts = [sentence.text + " " for sentence in data.sentences]
    start = time.process_time()
    for text in texts:
        facts.read(text, names)
    return (time.process_time() - start) / len(texts) * 1e6


if __name__ == "__main__":
    named = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    labelled = load_labels(named[0] if named else DATA / "seen.yaml", LabelledSentences)
    judged = load_labels(named[1] if len(named) > 1 else DATA / "implies_seen.yaml", LabelledPairs)
    totals(labelled, judged)
    if "--misses" in sys.argv:
        misses(labelled, judged)
    print(f"\n{speed(labelled):.0f} us/sentence, cold cache")
