"""CPU time of one question in the machine: graph, seats, skills and checks, with replies that cost nothing.

    python benchmarks/machine.py [-w WORKSPACE] [FILE] [--rounds 3]

The offline provider answers once; its replies are then served from memory, so that what is measured is ours. One question after the
other; process CPU time, all threads; the best round counts, since other programs only ever add.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.question import Question
from trustops.domain.record import ModelCall
from trustops.operations.answering import Prepared, prepare
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.ports import ModelClient
from trustops.providers.recorded import RecordedClient
from trustops.workflow.desk import Desk
from trustops.workflow.machine import work
from trustops.workflow.state import Outcome

ACME = Path(__file__).resolve().parents[1] / "golden" / "acme"


def set_up(workspace: Path, file: Path, folder: Path) -> tuple[Office, Prepared]:
    """A copy of the workspace, indexed and collected: the original stays as it was."""
    copy = folder / "workspace"
    shutil.copytree(workspace, copy, ignore=shutil.ignore_patterns(".trustops"))
    office = assembly.office(copy, entry=EntryPoint.EVALUATION)
    return office, prepare(office, take_in(office, file), watch=lambda *_: None)


async def all_questions(prepared: Prepared, office: Office, client: ModelClient, questions: Sequence[Question]) -> list[Outcome]:
    """One attempt at each question, in order."""
    outcomes = []
    for question in questions:
        table = office.table(client, "bench", f"bench:{question.ref}:1")
        outcomes.append(await work(question, Desk(prepared.shelf, table)))
    return outcomes


def calls_of(outcomes: Sequence[Outcome]) -> list[ModelCall]:
    return [call for outcome in outcomes for turn in outcome.turns for call in turn.calls]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="?", type=Path, default=ACME / "questionnaire.xlsx")
    options.add_argument("-w", "--workspace", type=Path, default=ACME / "workspace")
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        office, prepared = set_up(chosen.workspace, chosen.file, Path(folder))
        questions = prepared.review.questionnaire.questions
        calls = calls_of(asyncio.run(all_questions(prepared, office, office.client, questions)))
        spent = [_round(prepared, office, calls, questions) for _ in range(chosen.rounds)]
    told = ", ".join(f"{each:.1f}" for each in spent)
    print(f"machine: {min(spent):.1f} CPU ms per question ({len(questions)} questions, {len(calls)} calls, rounds {told})")


def _round(prepared: Prepared, office: Office, calls: Sequence[ModelCall], questions: Sequence[Question]) -> float:
    client = RecordedClient(calls)
    started = time.process_time()
    outcomes = asyncio.run(all_questions(prepared, office, client, questions))
    spent = (time.process_time() - started) * 1000 / len(questions)
    if lost := [call.outcome for call in calls_of(outcomes) if call.outcome != "ok"]:
        raise SystemExit(f"{len(lost)} calls were not answered ({lost[0]}): the figure would be of failures")
    return spent


if __name__ == "__main__":
    main()
