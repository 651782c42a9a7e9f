"""What came of a task, made by hand: known outcomes for figures with known values."""

from __future__ import annotations

from typing import Any

from tests.storage.bench import AT, QUESTION, call
from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.claim import Citation, Claim
from trustops.domain.control import Risk
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Document, Passage, PriorAnswer
from trustops.domain.finding import Finding, FindingCode, FindingSource, severity_of
from trustops.domain.question import CellValue
from trustops.domain.record import AgentTask, SkillInvocation
from trustops.domain.risk_review import Decision, RiskReviewResult
from trustops.evaluation.capability_stage import Observed
from trustops.evaluation.case import Case
from trustops.facts.asked import asks_of
from trustops.facts.nouns import Names
from trustops.facts.testimony import read_dossier
from trustops.workflow.state import Case as WorkCase
from trustops.workflow.state import Outcome, Turn

PASSAGE = Passage(
    id="P-1", document=Document(path="evidence/a.md", title="A"), text="Vaults are locked at night.", locator="line 1", sha256="ab" * 32
)
SEATS = ("commander", "policy", "control", "answer", "reviewer")


def prior(question: str, answer: str, year: int = 2026, name: str = "") -> PriorAnswer:
    told = {"file": "a.csv", "locator": "row 2", "sha256": "cd" * 32, "answered_on": f"{year}-05-01"}
    return PriorAnswer.model_validate({"id": name or f"A-{question[:8]}", "question": question, "answer": answer, **told})


def finding(code: str, summary: str = "Nothing is on file about vaults.", exhibits: tuple[str, ...] = ()) -> Finding:
    known = FindingCode(code)
    return Finding(
        code=known, severity=severity_of(known), source=FindingSource.RULES, summary=summary, exhibits=exhibits, remedy="File a document."
    )


def observed(
    text: str = "Yes. Vaults are locked at night.",
    *,
    determination: str = "YES",
    decision: str = "PASS",
    cells: dict[str, str] | None = None,
    attachments: tuple[str, ...] = (),
    quotes: tuple[str, ...] = ("Vaults are locked at night.",),
    claims: int = 1,
    findings: tuple[Finding, ...] = (),
    priors: tuple[PriorAnswer, ...] = (),
    asked: str = "Are vaults locked at night?",
    skills: tuple[tuple[str, str], ...] = (("search-evidence", "ok"),),
    lost: tuple[str, ...] = (),
    repairs: int = 0,
    tokens: int = 0,
    drafted: bool = True,
    **fields: Any,
) -> Observed:
    """An outcome with one passage in its dossier. `skills` are (name, outcome) of the Policy seat's invocations."""
    question = QUESTION.model_copy(update={"text": asked})
    cited = tuple(Citation(exhibit="P-1", quote=quote) for quote in quotes)
    version = AnswerVersion(
        question="L-1",
        version=1,
        author="agents",
        created_at=AT,
        determination=Determination(determination),
        asks=(),
        text=text,
        cells=tuple(CellValue(part=part, sheet="S", cell="C2", value=value) for part, value in (cells or {}).items()),
        attachments=attachments,
        claims=tuple(Claim(text=f"Claim {at}.", citations=cited if at == 0 else ()) for at in range(claims)),
        gate_version="g",
    )
    dossier = Dossier(question=question, asks=(asked,), passages=(PASSAGE,), prior_answers=priors)
    asks = asks_of(asked, Names())
    testimony = read_dossier(dossier, Names(), today=AT.date(), newest=frozenset())
    case = WorkCase(dossier, asks, testimony, (), (), Risk.LOW, ())
    made = tuple(
        SkillInvocation(id=f"i-{at}", task="t:policy", trace_id="t", skill=name, version="1", seat="policy", outcome=came)
        for at, (name, came) in enumerate(skills)
    )
    served = call().model_copy(update={"repairs": repairs, "tokens_in": tokens, "outcome": "ok"})
    turns = tuple(
        Turn(
            AgentTask(id=f"t:{seat}", seat=seat, outcome="unavailable: http" if seat in lost else "ok"),
            (served.model_copy(update={"seat": seat}),) if seat == "answer" else (),
            made if seat == "policy" else (),
        )
        for seat in SEATS
    )
    result = RiskReviewResult(decision=Decision(decision), findings=findings)
    return Observed(Outcome(result, Risk.LOW, case, version if drafted else None, turns), question, **fields)


def case_of(dimension: str, expect: dict[str, Any], **changes: Any) -> Case:
    """A capability case with these expectations."""
    told = {"case_id": f"{dimension}-x", "level": 4, "dimension": dimension, "kind": "unit", "source": "a test"}
    return Case.model_validate({**told, "input": {"question": "Are vaults locked?"}, "expect": expect, **changes})
