"""Reporting: the state of a review as the machine-readable contract says (product.md, "Machine-readable contracts")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trustops.domain.answer import AnswerVersion
from trustops.domain.authenticity import AGENT_RUNTIME, SEATS, ExecutionMode, Origin, real_model
from trustops.domain.dossier import Dossier, exhibit_place
from trustops.domain.finding import Finding
from trustops.domain.question import Question
from trustops.domain.record import RunInfo
from trustops.operations.books import Books, open_books, proof_of
from trustops.operations.office import Office
from trustops.operations.standing import Standing, review_status, standing
from trustops.ports import QuestionRecord, StoredReview

UNTOLD = {"reply", "request_sha256", "repairs", "stop_reason", "outcome", "detail"}
"""What a status leaves out of a model call: it stands in the recording."""


def report(office: Office, review: StoredReview) -> dict[str, Any]:
    """The whole review: one entry a question, and totals."""
    books = open_books(office, review)
    standings = {q.ref: standing(office, books, q.ref) for q in review.questionnaire.questions}
    questions = [question_report(books, standings[q.ref], q) for q in review.questionnaire.questions]
    origins = [Origin(call["origin"]) for entry in questions for call in entry["model_calls"]]
    modes = {standings[ref].mode for ref in books.records}
    newest = max(books.runs.values(), key=lambda run: run.started_at, default=None)
    return {
        "review": review.id,
        "file": review.questionnaire.file,
        "organisation": review.organisation,
        "execution_mode": (ExecutionMode.LIVE_AI if modes == {ExecutionMode.LIVE_AI} else ExecutionMode.TEST).value,
        "agent_runtime": AGENT_RUNTIME,
        "engine": newest.engine if newest else "",
        "real_model": real_model(origins),
        "authenticity": authenticity_report(questions),
        "as_of": _as_of(newest),
        "run": newest.id if newest else None,
        "status": review_status(standings).value,
        "questions": questions,
        "totals": totals(questions),
    }


def _as_of(run: RunInfo | None) -> str | None:
    return run.as_of.isoformat() if run and run.as_of_given else None


def question_report(books: Books, now: Standing, question: Question) -> dict[str, Any]:
    """One question: where it stands, what would be said, and everything that speaks for or against it."""
    ref = question.ref
    record, answer = books.records.get(ref), books.answers.get(ref)
    calls, skills = books.calls.get((record.run, ref), ((), ())) if record else ((), ())
    return {
        "ref": ref,
        "sheet": question.sheet,
        "cell": question.cell,
        "text": question.text,
        "status": now.status.value,
        "risk": record.risk if record else None,
        "determination": answer.determination.value if answer else None,
        "decision": record.result.decision.value if record else None,
        "decision_source": record.result.source.value if record else None,
        "risk_review": _risk_review(record),
        "approval": now.approval.value,
        "export_gate": {"state": now.gate.state, "reasons": list(now.gate.reasons)},
        "answer_version": answer.version if answer else None,
        "answers": [{"part": v.part, "cell": f"{v.sheet}!{v.cell}", "value": v.value} for v in answer.cells] if answer else [],
        "attachments": list(answer.attachments) if answer else [],
        "answer_text": answer.text if answer else "",
        "claims": _claims(answer),
        "findings": [finding_report(f) for f in record.result.findings] if record else [],
        "citations": _citations(answer, record.dossier if record else None),
        "conflicts": list(record.conflicts) if record else [],
        "controls": _controls(record),
        "agent_tasks": list(record.agent_tasks) if record else [],
        "model_calls": [call.model_dump(mode="json", exclude=UNTOLD) for call in calls],
        "skill_invocations": [skill.model_dump(mode="json") for skill in skills],
        "authenticity": _proof(books, record),
    }


def _proof(books: Books, record: QuestionRecord | None) -> dict[str, Any] | None:
    """What the newest attempt proves; None where there is none."""
    if record is None:
        return None
    proof = proof_of(books, record)
    told = {name: getattr(proof, name) for name in ("seats", "ids", "request_ids", "tokens_in", "tokens_out", "latency_ms", "trace")}
    return {
        "authentic": proof.authentic,
        "execution_mode": proof.mode.value,
        **told,
        "missing": list(proof.missing),
        "not_live": list(proof.not_live),
    }


def authenticity_report(questions: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The same over a review: how many attempts are authentic, what is missing in how many of those that claim to be live, and why the
    others are not."""
    proofs = [entry["authenticity"] for entry in questions if entry["authenticity"]]
    return {
        "authentic": bool(proofs) and all(proof["authentic"] for proof in proofs),
        "attempts": len(proofs),
        "authentic_attempts": sum(proof["authentic"] for proof in proofs),
        "five_seats": sum(proof["seats"] == proof["ids"] == len(SEATS) for proof in proofs),
        "missing": dict(Counter(what for proof in proofs if not proof["not_live"] for what in proof["missing"])),
        "not_live": dict(Counter(why for proof in proofs for why in proof["not_live"])),
    }


def finding_report(finding: Finding) -> dict[str, Any]:
    """One finding for machines."""
    return {
        "code": finding.code.value,
        "severity": finding.severity.value,
        "source": finding.source.value,
        "summary": finding.summary,
        "exhibits": list(finding.exhibits),
        "remedy": finding.remedy,
    }


def totals(questions: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Counts by status and decision, and what the run cost."""
    entries = list(questions)
    calls = [call for entry in entries for call in entry["model_calls"]]
    return {
        "questions": len(entries),
        "by_status": dict(Counter(entry["status"] for entry in entries)),
        "by_decision": dict(Counter(entry["decision"] or "NONE" for entry in entries)),
        "by_determination": dict(Counter(entry["determination"] or "NONE" for entry in entries)),
        "model_calls": len(calls),
        "attempts": sum(call["attempts"] for call in calls),
        "tokens_in": sum(call["tokens_in"] for call in calls),
        "tokens_out": sum(call["tokens_out"] for call in calls),
    }


def _risk_review(record: QuestionRecord | None) -> dict[str, Any] | None:
    if record is None:
        return None
    result = record.result
    return {"status": result.status.value, "decision": result.decision.value, "source": result.source.value}


def _claims(answer: AnswerVersion | None) -> list[dict[str, Any]]:
    if answer is None:
        return []
    return [{"text": c.text, "basis": c.basis.value, "citations": [x.model_dump() for x in c.citations]} for c in answer.claims]


def _citations(answer: AnswerVersion | None, dossier: Dossier | None) -> list[dict[str, str]]:
    """Every distinct citation with its place; one that is not in the dossier has none, and a finding says so."""
    if answer is None or dossier is None:
        return []
    cited = dict.fromkeys((c.exhibit, c.quote) for claim in answer.claims for c in claim.citations)
    places = {key: exhibit_place(exhibit) for key, exhibit in dossier.exhibits.items()}
    rows = []
    for exhibit, quote in cited:
        file, locator = places.get(exhibit, ("", ""))
        rows.append({"exhibit": exhibit, "file": file, "locator": locator, "quote": quote})
    return rows


def _controls(record: QuestionRecord | None) -> list[dict[str, Any]]:
    if record is None:
        return []
    return [
        {
            "id": reading.control.id,
            "evaluation": reading.evaluation.value,
            "snapshot_version": reading.snapshot.version if reading.snapshot else None,
            "source_mode": reading.snapshot.source_mode.value if reading.snapshot else None,
            "reading": reading.value,
        }
        for reading in record.dossier.readings
    ]
