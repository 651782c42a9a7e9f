"""The public TrustDeck benchmark (MIT): 124 questions, of which its own labels call 55 evidenced by a small corpus.

Usage: python benchmarks/trustdeck.py FOLDER        (the folder with corpus, questions and completed answers)
Prints how many evidenced answers could leave after approval, how many of the others could (each of them is printed: a false pass, or a
label that one may doubt), with the offline provider. Before that, retrieval: the section that the completed answer names in its last
bracket is the wanted one; sections are told by the words of their headings, versions and paragraph numbers apart.
"""

from __future__ import annotations

import asyncio
import csv
import re
import shutil
import sys
import tempfile
from pathlib import Path

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import alone, prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.reporting import report

TOML = '[organisation]\nid = "acme-analytics"\nname = "Acme Analytics, Inc."\n'
REGISTER = "- {path: evidence/corpus.md, kind: policy, effective: 2026-03-01, expires: 2027-12-31, classification: shareable}\n"


ALIASES = {"soc": "certifications", "pen": "certifications", "bc": "business continuity", "employee": "hr"}
"""Sections that the completed answers call by another name than their headings: the first word tells which."""


def section(name: str) -> frozenset[str]:
    """The words of a section's name that tell it apart."""
    words = re.findall(r"[a-z]{2,}", name.lower())
    return frozenset(ALIASES[words[0]].split() if words and words[0] in ALIASES else words[:2])


def retrieval(office: Office, rows: list[dict[str, str]]) -> None:
    """hit@5 and mean reciprocal rank of the section that the completed answer names."""
    ranks = []
    for row in rows:
        named = re.findall(r"\(([^()]*)\)\s*$", row["Vendor Response"])
        wanted = section(named[0]) if named else frozenset()
        if not wanted:
            continue
        hits = office.index.search(row["Question"], limit=20)
        headings = [" ".join(hit.heading).lower().replace("&", " ") for hit in hits]
        ranks.append(next((at for at, heading in enumerate(headings, 1) if all(word in heading for word in wanted)), 0))
    found, mrr = sum(0 < rank <= 5 for rank in ranks), sum(1 / rank for rank in ranks if rank) / len(ranks)
    print(f"retrieval of {len(ranks)} named sections: hit@5 {found}/{len(ranks)}, MRR {mrr:.2f}")


def main() -> None:
    source = Path(sys.argv[1])
    with (source / "trustdeck_caiq_lite_124_completed.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    evidenced = {row["QuestionID"]: "evidenced" in row["Confidence"] for row in table}
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
        retrieval(office, [row for row in table if evidenced[row["QuestionID"]]])
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
