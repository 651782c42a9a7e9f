"""Questionnaire files: what is found of what is there, what an export changes, and how long both take.

Usage: python benchmarks/formats.py [--found | --speed | --hostile] [--folder FOLDER]
Without an option all. `--folder` counts the questions of further files. Nothing is asserted here; the tests of tests/formats do.
Speed is that of a generated workbook of 15 sheets and some 165,000 cells, each step in a process of its own, the quickest of five, beside
openpyxl loading and saving the same file.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trustops.domain.errors import TrustOpsError
from trustops.formats import questionnaires
from trustops.formats.questionnaires import reading, writing
from trustops.testing import documents, workbooks
from trustops.testing.lookalikes import assessment
from trustops.testing.workbook import hostile

SHIPPED = Path(__file__).parents[1] / "tests" / "data" / "questionnaires"
EXPECTED = {
    "qramm_assessment_toolkit.xlsx": 120, "qramm_120_questions.xlsx": 120, "openchain_1.0_questionnaire.docx": 83,
    "openchain_iso5230_v2.docx": 28, "vsaq_webapp.json": 73, "vsaq_physical_and_datacenter.json": 30, "mvsp_v3.0_oscal.json": 25,
    "trustdeck_caiq_lite_124.csv": 124, "trustdeck_acme_demo.csv": 15, "trustdeck_acme_demo.xlsx": 15, "harborview.xlsx": 50,
}  # fmt: skip
SAMPLE = {"text": "An answer.", "number": "4", "date": "2026-05-31", "tick": "x", "choice": ""}
ROUNDS = 5


def answers(path: Path, *, first: bool = False) -> list[dict[str, str]]:
    """A value for every answer cell, or for each question's first."""
    questions = reading.parse({"path": str(path)})["questions"]
    cells = [a for q in questions for a in (q["answers"][:1] if first else q["answers"])]
    texts = [a["vocabulary"][0] if a["vocabulary"] and a["kind"] == "choice" else SAMPLE[a["kind"]] for a in cells]
    return [{"sheet": a["sheet"], "cell": a["cell"], "kind": a["kind"], "value": text} for a, text in zip(cells, texts, strict=True)]


def shipped(folder: Path) -> None:
    """One line a file: found of expected, and the parts that an export with every answer changes (it is proved while it is written)."""
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(p for p in folder.iterdir() if p.suffix in (".xlsx", ".docx", ".json", ".csv") and p.is_file()):
            try:
                values = answers(path)
                found = len(reading.parse({"path": str(path)})["questions"])
                made = writing.write({"original": str(path), "target": str(Path(scratch) / path.name), "values": values})
            except TrustOpsError as error:
                print(f"  {path.name}: {error}")
                continue
            wanted = EXPECTED.get(path.name, "?")
            parts = f"{made['identical']} parts identical, {len(made['changed'])} changed"
            print(f"  {path.name}: {found}/{wanted} questions, {len(values)} answers written, {parts}")


def generated() -> None:
    """Recall, primary cells, false questions, lists and mirrors over all generated workbooks and mixtures."""
    total = dict.fromkeys(
        ("questions", "found", "false", "primary", "whole texts", "lists", "lists found", "mirrors written", "workbooks"), 0
    )
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "a.xlsx"
        for _, made in [*((name, make()) for name, make in workbooks.makers().items()), *workbooks.mixtures()]:
            path.write_bytes(made.book.bytes())
            questions, expected = reading.parse({"path": str(path)})["questions"], made.expected
            crossed = [q for q in questions if q["answers"] and (q["sheet"], q["answers"][0]["cell"]) in expected.crossed]
            found = {(q["sheet"], q["cell"]): q for q in questions if not any(q is one for one in crossed)}
            shown = {(q["sheet"], a["cell"]): tuple(a["vocabulary"]) for q in questions for a in q["answers"]}
            total["workbooks"] += 1
            total["questions"] += len(expected.questions) + len(expected.crossed)
            total["found"] += len(set(found) & set(expected.questions)) + len(crossed)
            total["whole texts"] += sum(found[key]["text"] == text for key, text in expected.texts.items() if key in found) + sum(
                expected.crossed[q["sheet"], q["answers"][0]["cell"]][0] == q["text"] for q in crossed
            )
            total["false"] += len(set(found) - set(expected.questions))
            firsts = {key: q["answers"][0]["cell"] for key, q in found.items() if q["answers"]}
            total["primary"] += sum(firsts.get(key) == cells[0] for key, cells in expected.questions.items()) + len(crossed)
            total["lists"] += len(expected.lists)
            total["lists found"] += sum(shown.get(key) == words for key, words in expected.lists.items())
            total["mirrors written"] += len(expected.mirrors & set(shown))
    print("  " + ", ".join(f"{name} {count}" for name, count in total.items()))


def timed(step: Callable[[], Any]) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and peak MB of a step in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        wall, cpu = time.perf_counter(), time.process_time()
        step()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        os.write(write, f"{time.perf_counter() - wall} {time.process_time() - cpu} {peak}".encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        found = pipe.read().split()
    os.waitpid(child, 0)
    return float(found[0]), float(found[1]), int(found[2])


def harmful() -> None:
    """Each hostile file in the limited child: the slowest, the largest, and what the parent kept."""
    files = {f"{name}.xlsx": make for name, make in hostile().items()}
    files |= {f"{name}.{name.split()[0]}": make for name, make in documents.hostile().items()}
    worst: list[tuple[float, float, str]] = []
    before = _resident()
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in files.items():
            path = Path(scratch) / f"upload.{name.rpartition('.')[2]}"
            path.write_bytes(make())
            wall, spent = time.perf_counter(), _spent()
            try:
                questionnaires.read(path)
                print(f"  {name}: NOT REFUSED")
            except TrustOpsError:
                worst.append((_spent() - spent, time.perf_counter() - wall, name))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"  {len(worst)} of {len(files)} refused; the largest child {peak} MB; the parent grew by {_resident() - before} MB")
    for cpu, wall, name in sorted(worst, reverse=True)[:5]:
        print(f"  {name}: {cpu:.2f} s processor, {wall:.2f} s wall")


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024 // 1024


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def speed() -> None:
    """The three programs on one file, interleaved."""
    with tempfile.TemporaryDirectory() as scratch:
        path, target = Path(scratch) / "big.xlsx", Path(scratch) / "answered.xlsx"
        made = assessment(per_sheet=47, filler=10_600)
        path.write_bytes(made.book.bytes())
        cells = sum(len(sheet.cells) for sheet in made.book.sheets)
        print(
            f"  {path.stat().st_size // 1024} KB, {len(made.book.sheets)} sheets, {cells:,} cells, {len(made.expected.questions)} questions"
        )
        values = answers(path, first=True)[:331]
        steps = {
            "parse": lambda: reading.parse({"path": str(path)}),
            "export of 331 answers, with proof": lambda: writing.write({"original": str(path), "target": str(target), "values": values}),
            "openpyxl load and save": lambda: _openpyxl(path, target),
        }
        rounds = [{name: timed(step) for name, step in steps.items()} for _ in range(ROUNDS)]
        for name in steps:
            wall, cpu, peak = (min(done[name][place] for done in rounds) for place in range(3))
            print(f"  {name}: {wall:.2f} s wall, {cpu:.2f} s processor, {peak} MB")


def _openpyxl(path: Path, target: Path) -> None:
    import warnings

    import openpyxl

    warnings.simplefilter("ignore")
    openpyxl.load_workbook(path).save(target)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--found", action="store_true")
    options.add_argument("--speed", action="store_true")
    options.add_argument("--folder", type=Path)
    options.add_argument("--hostile", action="store_true")
    chosen = options.parse_args()
    both = not chosen.found and not chosen.speed and not chosen.hostile
    if chosen.found or both:
        print("shipped files:")
        shipped(SHIPPED)
        print("generated workbooks:")
        generated()
    if chosen.folder:
        print(f"{chosen.folder}:")
        shipped(chosen.folder)
    if chosen.hostile or both:
        print("hostile files:")
        harmful()
    if chosen.speed or both:
        print("speed:")
        sys.stdout.flush()
        speed()


if __name__ == "__main__":
    main()
