"""The public TrustDeck benchmark (MIT): 124 questions, of which its own labels call 55 evidenced by a small corpus.

Usage: python benchmarks/trustdeck.py FOLDER        (the folder with corpus, questions and completed answers)
Prints how many evidenced answers could leave after approval, how many of the others could (each of them is printed: a false pass, or a
label that one may doubt), with the offline provider.
"""

from __future__ import annotations

import asyncio
import csv
import shutil
import sys
import tempfile
from pathlib import Path

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.reporting import report

TOML = '[organisation]\nid = "acme-analytics"\nname = "Acme Analytics, Inc."\n'
REGISTER = "- {path: evidence/corpus.md, kind: policy, effective: 2026-03-01, expires: 2027-12-31, classification: shareable}\n"


def main() -> None:
    source = Path(sys.argv[1])
    with (source / "trustdeck_caiq_lite_124_completed.csv").open(newline="", encoding="utf-8") as file:
        evidenced = {row["QuestionID"]: "evidenced" in row["Confidence"] for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as scratch:
        house = Path(scratch)
        (house / "evidence").mkdir()
        shutil.copyfile(source / "acme-sample-corpus.md", house / "evidence" / "corpus.md")
        (house / "trustops.toml").write_text(TOML, encoding="utf-8")
        (house / "evidence.yaml").write_text(REGISTER, encoding="utf-8")
        office = assembly.office(house, entry=EntryPoint.EVALUATION)
        review = take_in(office, source / "trustdeck_caiq_lite_124.csv")
        prepared = prepare(office, review, watch=lambda *_: None)
        asyncio.run(alone(office, run_review(office, prepared, lambda *_: None)))
        rows = report(office, review)["questions"]
    good = [q for q in rows if evidenced[q["ref"]]]
    rest = [q for q in rows if not evidenced[q["ref"]]]
    leaving = [q for q in rest if q["decision"] != "BLOCK"]
    print(
        f"evidenced {len(good)}, could leave {sum(q['decision'] != 'BLOCK' for q in good)}; others {len(rest)}, could leave {len(leaving)}"
    )
    for q in leaving:
        print(f"  {q['ref']} {q['determination']} {q['text']} => {q['answer_text'][:120]}")


if __name__ == "__main__":
    main()
