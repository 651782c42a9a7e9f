"""How long a page of the console takes, with a review of 400 questions: `python benchmarks/pages.py [--questions N] [--only KIND]`.

The demo organisation is reviewed offline once; its 50 questions are then written into the books again under other refs until there are as
many as are asked for. Pages are asked for over loopback, one after the other, by somebody who signed in. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import statistics
import tempfile
import threading
import time
from pathlib import Path

import httpx2
from starlette.testclient import TestClient

from trustops import assembly
from trustops.console.app import make_app
from trustops.console.cookies import session_cookie
from trustops.console.server import Server, address, listen
from trustops.operations.answering import prepare, run_review
from trustops.operations.founding import found
from trustops.operations.intake import take_in
from trustops.operations.office import Office
from trustops.operations.sessions import open_session
from trustops.ports import StoredReview

ADMIN = "Marguerite Oyelaran"


def quiet(kind: str, question: str, data: object) -> None:
    del kind, question, data


def reviewed(office: Office, workbook: Path) -> StoredReview:
    """The demo's questionnaire, run once."""
    review = take_in(office, workbook)
    asyncio.run(run_review(office, prepare(office, review, watch=quiet), quiet))
    return review


def widened(office: Office, review: StoredReview, questions: int) -> StoredReview:
    """A review of so many questions: each is one of the demo's, under another ref and with all that is on record of it."""
    asked = review.questionnaire.questions
    names = {f"{q.ref}.{n}" if n else q.ref: q for n in range(-(-questions // len(asked))) for q in asked}
    chosen = dict(list(names.items())[:questions])
    wide = tuple(q.model_copy(update={"ref": ref}) for ref, q in chosen.items())
    made = review.model_copy(update={"id": "R-400400400400", "questionnaire": review.questionnaire.model_copy(update={"questions": wide})})
    run = office.ledger.runs(review.id)[-1]
    again = run.model_copy(update={"id": f"{made.id}.1", "review": made.id, "questions": tuple(chosen)})
    records, answers, calls = (
        office.ledger.latest_records(review.id),
        office.ledger.latest_answers(review.id),
        office.ledger.calls(review.id),
    )
    with office.ledger.writing():
        office.ledger.append_review(made)
        office.ledger.append_run(again)
        office.ledger.append_event(again.id, "run_started")
        for ref, question in chosen.items():
            office.ledger.append_record(made.id, records[question.ref].model_copy(update={"question": ref, "run": again.id}))
            if question.ref in answers:
                office.ledger.append_answer(made.id, answers[question.ref].model_copy(update={"question": ref}).sealed())
            models, skills = calls[run.id, question.ref]
            office.ledger.append_calls(made.id, again.id, ref, models, skills)
        office.ledger.end_run(again.id, "FINISHED")
        office.ledger.append_event(again.id, "run_finished")
    return made


def measure(client: httpx2.Client, paths: list[str]) -> str:
    """Median and 95th percentile of the wall time and of the processor's time of service and client together, in milliseconds, and the
    size of the last page."""
    took, worked, size = [], [], 0
    for path in paths:
        begun, spent = time.perf_counter(), time.process_time()
        answer = client.get(path)
        took.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - spent) * 1000)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
        size = len(answer.content)
    late, most = (sorted(times)[int(0.95 * (len(times) - 1))] for times in (took, worked))
    wall = f"median {statistics.median(took):7.1f} ms   p95 {late:7.1f} ms"
    return f"{wall}   processor {statistics.median(worked):6.1f} ms   p95 {most:6.1f} ms   {size / 1024:5.0f} KB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--only", default="", help="one kind of page, such as `question, as JSON`")
    parser.add_argument("--profile", default="", help="print where the time of one kind of page goes, such as `question`")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = found(Path(folder) / "acme", name="", demo=True)
        office = assembly.office(made.workspace)
        assert made.questionnaire is not None
        review = widened(office, reviewed(office, made.questionnaire), chosen.questions)
        serve(office, review, open_session(office, ADMIN, how="password"), chosen)


def serve(office: Office, review: StoredReview, session: str, chosen: argparse.Namespace) -> None:
    refs = [question.ref for question in review.questionnaire.questions]
    base = f"/reviews/{review.id}"
    asked = {
        "question": [f"{base}/questions/{refs[(7 * n) % len(refs)]}" for n in range(chosen.times)],
        "question, as JSON": [f"/v1{base}/questions/{refs[(7 * n) % len(refs)]}" for n in range(chosen.times)],
        "review": [base] * 10,
        "rows of a live run": [f"{base}/rows?ref={refs[n]}&ref={refs[n + 1]}" for n in range(20)],
        "approval queue": [f"{base}/queue"] * 10,
        "export": [f"{base}/export"] * 10,
        "coverage": [f"{base}/coverage"] * 5,
        "reviews": ["/reviews"] * 10,
        "evidence": ["/evidence"] * 10,
        "controls": ["/controls"] * 10,
    }
    with listen("127.0.0.1", 0) as listening:
        server = Server(make_app(office))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        cookies = {session_cookie(office.organisation): session}
        with httpx2.Client(base_url=address(listening), cookies=cookies, timeout=60) as client:
            print(f"{len(refs)} questions, {len(office.index.passages())} passages")
            for name, paths in asked.items():
                if chosen.only not in ("", name):
                    continue
                client.get(paths[0])
                print(f"{name:<20} {measure(client, paths)}", flush=True)
        server.should_exit = True
        thread.join(20)
    if chosen.profile:
        profiled(office, session, asked[chosen.profile][:50])


def profiled(office: Office, session: str, paths: list[str]) -> None:
    """Where the processor time of one kind of page goes, in one thread."""
    profile = cProfile.Profile()
    with TestClient(make_app(office), base_url="http://127.0.0.1:8700", cookies={session_cookie(office.organisation): session}) as client:
        client.get(paths[0])
        threading.setprofile(lambda *_: profile.enable())
        for path in paths:
            client.get(path)
        threading.setprofile(None)
    profile.disable()
    pstats.Stats(profile).sort_stats("cumulative").print_stats(40)


if __name__ == "__main__":
    main()
