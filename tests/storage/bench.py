"""One row for every table of the ledger, through the ledger's own verbs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.approval import Approval, Confirmation, Identity, Role, Verdict
from trustops.domain.authenticity import Origin, SourceMode
from trustops.domain.control import Snapshot
from trustops.domain.credential import Credential
from trustops.domain.dossier import Dossier
from trustops.domain.question import Question, Questionnaire
from trustops.domain.rating import Rating
from trustops.domain.record import ModelCall, RunInfo
from trustops.domain.request import Asked
from trustops.domain.risk_review import RiskReviewResult
from trustops.domain.scores import KeptEvaluation, KeptRubric, Revocation, TrustedKey
from trustops.domain.session import Link, Password, Session
from trustops.ports import ExportRecord, QuestionRecord, StoredReview
from trustops.storage.journal import Replies
from trustops.storage.ledger import OrganisationLedger

AT = datetime(2031, 6, 15, 9, 30, tzinfo=UTC)
QUESTION = Question(ref="L-1", text="Are vaults locked?", sheet="S", cell="B2")
REVIEW = StoredReview(
    id="R-1",
    organisation="lanternhall",
    questionnaire=Questionnaire(file="q.csv", format="csv", sha256="ab" * 32, questions=(QUESTION,)),
    created_at=AT,
)
RUN = RunInfo(
    id="R-1.1",
    review="R-1",
    started_at=AT,
    as_of=AT,
    as_of_given=False,
    entry="PRODUCT",
    engine="inline",
    profile="extractive",
    questions=("L-1",),
)


def answer(version: int = 1, text: str = "Yes.") -> AnswerVersion:
    made = AnswerVersion(
        question="L-1",
        version=version,
        author="answer seat",
        created_at=AT,
        determination=Determination.YES,
        asks=(),
        text=text,
        gate_version="g",
    )
    return made.sealed()


def snapshot(version: int = 1, locked: int = 9) -> Snapshot:
    return Snapshot(
        control="vaults",
        version=version,
        observed_at=AT,
        collected_at=AT,
        values={"locked": locked},
        collector="file",
        source_mode=SourceMode.RECORDED,
        sha256="cd" * 32,
    )


def approval() -> Approval:
    return Approval(
        question="L-1",
        version=1,
        digest=answer().digest,
        verdict=Verdict.APPROVED,
        by="Ana",
        role=Role.APPROVER,
        identity=Identity.ASSERTED,
        at=AT,
        execution_mode="TEST",
    )


def call(number: int = 1) -> ModelCall:
    return ModelCall(
        id=f"C-{number}",
        task="T-1",
        trace_id="t",
        seat="answer",
        origin=Origin.SCRIPTED,
        provider="extractive",
        model="",
        prompt="answer",
        request_sha256="",
        outcome="ok",
    )


def rating(rater: str = "Ana", **changed: Any) -> Rating:
    """What one person thought of one answer."""
    told = {
        "review": "R-1",
        "question": "L-1",
        "rater": rater,
        "identity": "authenticated",
        "scores": {"clarity": 4},
        "way": "page",
        "at": AT,
    }
    return Rating.model_validate({**told, **changed})


def evaluation(number: int = 1, **other: object) -> KeptEvaluation:
    told = {"id": f"E-{number}", "agent": "reviewer", "mode": "TEST", "origin": "SCRIPTED", "rubric": "reviewer@1.0", "composite": 0.5}
    more = {"at": number, "run": "R-1.1", "about": "R-1.1/L-1/1", "body": {"id": f"E-{number}", "scores": {"c": 0.5}}, "seal": "00"}
    return KeptEvaluation.model_validate({**told, **more, **other})


def rubric(name: str = "reviewer") -> KeptRubric:
    return KeptRubric(id=name, version="1.0", name=name, body={"name": name})


def key(organisation: str = "mossford") -> TrustedKey:
    return TrustedKey(fingerprint=f"ab{organisation}", organisation=organisation, public_key="PEM", at=AT.isoformat())


def fill(ledger: OrganisationLedger) -> None:
    """A row in every table but the journal, whose book has a connection of its own."""
    ledger.append_review(REVIEW)
    ledger.append_run(RUN)
    record = QuestionRecord.model_validate(
        {
            "run": RUN.id,
            "attempt": 1,
            "question": "L-1",
            "decided_at": AT,
            "risk": "LOW",
            "result": RiskReviewResult(),
            "version": 1,
            "dossier": Dossier(question=QUESTION, asks=(QUESTION.text,)),
        }
    )
    ledger.append_record("R-1", record)
    ledger.append_answer("R-1", answer())
    ledger.append_approval("R-1", approval())
    ledger.append_confirmation("R-1", Confirmation(question="L-1", digest=answer().digest, basis="b", stands=True, at=AT))
    ledger.append_snapshot(snapshot())
    ledger.append_calls("R-1", RUN.id, "L-1", [call()], [])
    ledger.append_event(RUN.id, "run_started")
    ledger.append_withdrawal("A-1", by="Ana", at=AT, reason="untrue")
    ledger.append_credential(Credential(person="Ana", id="0" * 8, salt="00", scrypt="00", by="Dee", at=AT))
    ledger.append_password(Password(person="Ana", argon2="hash", by="Dee", at=AT))
    ledger.append_link(Link(person="Ana", id="ab" * 32, by="Dee", at=AT, expires_at=AT))
    ledger.append_session(Session(id="ab" * 32, person="Ana", how="password", at=AT, expires_at=AT))
    ledger.mark_session("ab" * 32, "seen", at=AT)
    asked = Asked(person="Ana", key="key-1", attempt=1, fingerprint="cd" * 32, at=AT)
    ledger.append_request(asked)
    ledger.append_reply_to(asked, "{}", at=AT)
    ledger.append_rating(rating())
    ledger.append_index("ef" * 32, at=AT, passages=3)
    ledger.put_blob(b"the customer's file")
    export = ExportRecord(
        id="X-1", review="R-1", at=AT, to="Customer", file="q.answered.csv", sha256="ab" * 32, answers=(), execution_mode="TEST", receipt={}
    )
    ledger.append_export(export)
    ledger.append_placement(export.id, at=AT)
    ledger.append_pause(RUN.id, paused=True)
    ledger.end_run(RUN.id, "FINISHED")
    ledger.append_rubric(rubric())
    ledger.append_evaluations([evaluation()])
    ledger.append_trusted_key(key())
    ledger.append_revocation(Revocation(fingerprint="ab" * 32, by="Mara Vos", at=AT.isoformat(), reason="lost"))
    ledger.append_trust("reviewer", {"trust": "4.2"}, at=AT)


def keep_reply(ledger: OrganisationLedger) -> None:
    """A row in the journal."""
    Replies(ledger.engine, ledger.org).append_reply(RUN.id, "L-1", 1, "policy", 1, request_sha256="cd" * 32, body="{}")
