"""Grading: what is on record of a run becomes signed SCORE evaluations of seats and skills. They inform; nothing that decides reads them.

Grading again appends nothing: an evaluation's id is made of what it judges. It runs after a run's end and never within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from uuid import NAMESPACE_URL, uuid5

import yaml
from pydantic import JsonValue

from trustops.domain.authenticity import EntryPoint, execution_mode
from trustops.domain.chain import canonical, digest
from trustops.domain.record import ModelCall, RunInfo
from trustops.domain.scores import KeptEvaluation, KeptRubric
from trustops.operations.calibrating import CHANGED_MEANING, REJECTED, REWORDED, UNCHANGED, of_review
from trustops.operations.judging import judge
from trustops.operations.office import Office
from trustops.operations.reputing import reputations
from trustops.operations.resuming import events_of
from trustops.operations.sealing import protocol_secret, sealed
from trustops.ports import Pen, QuestionRecord, StoredReview
from trustops.scoring.score import Evaluation, Rubric, create_rubric, evaluate, milliseconds
from trustops.scoring.signal import COMPLETED, UPDATED, event

GRADER = "trustops/grading@1"
"""Who evaluates, and by which version of the mapping from facts to criteria."""
PEOPLE = "people"
KEPT = {UNCHANGED: 1.0, REWORDED: 0.7, CHANGED_MEANING: 0.3, REJECTED: 0.1}
"""What a person's verdict on a draft is worth."""
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://trustops.example/attestation/score-evaluation/v1"


@cache
def shipped() -> Mapping[str, Rubric]:
    """The rubrics of the package, by name; each has passed the protocol's own rules."""
    data = yaml.safe_load(files("trustops.catalogue").joinpath("rubrics.yaml").read_text(encoding="utf-8"))
    return {name: create_rubric(name, each["criteria"], each["id"], each["version"]) for name, each in data["rubrics"].items()}


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be graded: who, by which rubric with which scores by criterion, about what, and when it was done."""

    agent: str
    rubric: Rubric
    scores: Mapping[str, float]
    about: str
    run: str
    at: datetime
    mode: str
    origin: str
    model: str
    by: str = GRADER

    def id(self, organisation: str) -> str:
        """The same for the same thing, by whomever it is graded again."""
        named = [organisation, self.agent, self.about, self.rubric.id, self.rubric.version]
        return str(uuid5(NAMESPACE_URL, canonical(named).decode()))


@dataclass(frozen=True, slots=True)
class Told:
    """How many evaluations were made now, of how many that there are for what was asked."""

    made: int
    of: int


def grade_run(office: Office, run: RunInfo) -> Told:
    """The attempts of one run, as they are on record, and what people have done since with the review's drafts."""
    review = office.ledger.get_review(run.review)
    if review is None:
        return Told(0, 0)
    records = [record for record in office.ledger.latest_records(review.id).values() if record.run == run.id]
    return keep(office, [*tasks_of(office, review, records), *_by_people(office, review)])


def grade_all(office: Office) -> Told:
    """Every attempt of every review on record."""
    tasks: list[Task] = []
    for review in office.ledger.reviews():
        records = [r for question in review.questionnaire.questions for r in office.ledger.records(review.id, question.ref)]
        tasks += [*tasks_of(office, review, records), *_by_people(office, review)]
    return keep(office, tasks)


def tasks_of(office: Office, review: StoredReview, records: Iterable[QuestionRecord]) -> Iterator[Task]:
    """What these attempts of a review prove of the seats and skills that worked on them."""
    calls, runs = office.ledger.calls(review.id), {run.id: run for run in office.ledger.runs(review.id)}
    for record in records:
        models, skills = calls.get((record.run, record.question), ((), ()))
        own = f"{record.run}:{record.question}:{record.attempt}:"
        mine = [call for call in models if call.task.startswith(own)]
        mode = _mode(mine, runs.get(record.run))
        about = f"{record.run}/{record.question}/{record.attempt}"
        for judged in judge(record, mine, skills):
            of = judged.calls or tuple(mine)
            yield Task(
                agent=judged.agent,
                rubric=shipped()[judged.rubric],
                scores=judged.scores,
                about=about,
                run=record.run,
                at=record.decided_at,
                mode=mode,
                origin="+".join(sorted({call.origin.value for call in of})),
                model=_served(judged.calls),
            )


def _mode(calls: Sequence[ModelCall], run: RunInfo | None) -> str:
    entry, given = (EntryPoint(run.entry), run.as_of_given) if run else (EntryPoint.EVALUATION, True)
    return execution_mode([call.origin for call in calls], entry=entry, as_of_given=given).value


def _served(calls: Sequence[ModelCall]) -> str:
    return " ".join(part for part in (calls[0].provider, calls[0].model) if part) if calls else ""


def _by_people(office: Office, review: StoredReview) -> Iterator[Task]:
    """One for each verdict of a person on a draft. A draft that was approved and edited later has two: both happened."""
    calls, runs = office.ledger.calls(review.id), {run.id: run for run in office.ledger.runs(review.id)}
    for graded in of_review(office, review):
        models = calls.get((graded.run, graded.question), ((), ()))[0]
        answering = tuple(call for call in models if call.seat == "answer")[:1]
        yield Task(
            agent="answer",
            rubric=shipped()["answer-by-people"],
            scores={"kept": KEPT[graded.grade]},
            about=f"{graded.review}/{graded.question}@{graded.version}/{graded.grade}",
            run=graded.run,
            at=graded.at,
            mode=_mode(models, runs.get(graded.run)),
            origin="+".join(sorted({call.origin.value for call in answering})),
            model=_served(answering),
            by=PEOPLE,
        )


def keep(office: Office, tasks: Sequence[Task]) -> Told:
    """Signs and appends what is not on record yet, with its events, in one transaction. No key is opened where nothing is new."""
    new = [task for task in tasks if office.ledger.get_evaluation(task.id(office.organisation)) is None]
    if not new:
        return Told(0, len(tasks))
    pen, seal = office.signer.pen(), office.seal.text()
    secret = protocol_secret(pen, seal)
    with office.ledger.writing():
        for rubric in {task.rubric.id: task.rubric for task in new}.values():
            office.ledger.append_rubric(kept_rubric(rubric))
        kept = [_signed(office, task, secret, pen, seal) for task in new]
        made = office.ledger.append_evaluations(kept)
        _tell(office, kept, secret)
    return Told(made, len(tasks))


def _signed(office: Office, task: Task, secret: str, pen: Pen | None, seal: str) -> KeptEvaluation:
    scores = {criterion.id: task.scores[criterion.name] for criterion in task.rubric.criteria}
    made = evaluate(task.rubric, task.agent, task.about, scores, task.by, secret, now=task.at, id=task.id(office.organisation))
    kept = KeptEvaluation(
        id=made.id,
        agent=made.agent_id,
        mode=task.mode,
        origin=task.origin,
        model=task.model,
        rubric=f"{task.rubric.name}@{task.rubric.version}",
        composite=made.composite_score,
        at=milliseconds(made.evaluated_at),
        run=task.run,
        about=task.about,
        body=made.json_form(),
        seal="",
    )
    if pen is not None:
        envelope = pen.envelope(statement(kept, task.rubric, office.organisation)).decode()
        kept = kept.model_copy(update={"envelope": envelope, "key": pen.fingerprint})
    return sealed(kept, seal)


def kept_rubric(rubric: Rubric) -> KeptRubric:
    """A rubric as the books keep it."""
    return KeptRubric(id=rubric.id, version=rubric.version, name=rubric.name, body=rubric.json_form())


def statement(kept: KeptEvaluation, rubric: Rubric, organisation: str) -> bytes:
    """The in-toto Statement of an evaluation: all of it, its rubric, whose it is, and who served what was judged."""
    predicate: dict[str, JsonValue] = {
        "organisation": organisation,
        "mode": kept.mode,
        "origin": kept.origin,
        "model": kept.model,
        "evaluation": kept.body,
        "rubric": rubric.json_form(),
    }
    subject = [{"name": kept.about, "digest": {"sha256": digest(kept.body)}}]
    return canonical({"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": predicate})


def _tell(office: Office, kept: Sequence[KeptEvaluation], secret: str) -> None:
    """Of each run that is on record, one completed and one updated event for each agent: the last evaluation stands for its run."""
    last = {(each.run, each.agent): each for each in kept if each.run}
    standing = {(each.agent, each.mode): each.reputation for each in reputations(office)} if last else {}
    for run in dict.fromkeys(run for run, _ in last):
        info = office.ledger.get_run(run)
        if info is None:
            continue
        told = {str(past.data.get("id")) for past in events_of(office, info)}
        found: list[tuple[str, str, Mapping[str, JsonValue]]] = []
        for (of, agent), each in last.items():
            rep = standing.get((agent, each.mode))
            if of != run or rep is None:
                continue
            completed = {"evaluationId": each.id, "agentId": agent, "compositeScore": each.composite}
            updated = {"agentId": agent, "score": rep.score, "evaluationCount": rep.evaluation_count}
            for topic, payload in ((COMPLETED, completed), (UPDATED, updated)):
                id = str(uuid5(NAMESPACE_URL, f"{run} {topic} {each.id}"))
                if id not in told:
                    at = Evaluation.model_validate(each.body).evaluated_at
                    found.append((topic, "", event(id, topic, office.organisation, at, payload, secret)))
        office.ledger.append_events(run, found)
