"""The pure layer without files: a small organisation's case, an adversary that chooses its citations, and the gate behind a person who
approves whatever may be approved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

from trustops.checks.disclosure import confidential
from trustops.checks.drift import evaluate
from trustops.domain.answer import Determination
from trustops.domain.approval import ApprovalStatus, Validity
from trustops.domain.authenticity import SourceMode
from trustops.domain.chain import sha256
from trustops.domain.claim import Citation
from trustops.domain.control import Control, ControlReading, ControlSource, Expectation, Measure, Risk, Snapshot
from trustops.domain.evidence import Classification, Document, EvidenceKind, Passage, PriorAnswer
from trustops.domain.export import Bound, GateInput, gate
from trustops.domain.finding import Finding
from trustops.domain.opinion import AnswerDraft, DraftClaim, DraftPart, PolicyOpinion, ReviewerOpinion
from trustops.domain.question import AnswerCell, PartKind, Question
from trustops.domain.risk_review import conclude
from trustops.facts.nouns import Names
from trustops.facts.testimony import Statement
from trustops.facts.words import words
from trustops.team.policy import Found
from trustops.workflow.casework import compare, verify
from trustops.workflow.desk import Shelf
from trustops.workflow.state import Case

AT = datetime(2031, 6, 15, 9, 30, tzinfo=UTC)
CELLS = (
    AnswerCell(part="choice", sheet="S", cell="C2", kind=PartKind.CHOICE, vocabulary=("Yes", "No", "Partial", "N/A")),
    AnswerCell(part="text", sheet="S", cell="D2", kind=PartKind.TEXT),
)
NUMBER = AnswerCell(part="number", sheet="S", cell="E2", kind=PartKind.NUMBER)
DAY = AnswerCell(part="date", sheet="S", cell="F2", kind=PartKind.DATE)
MOST = 6
"""Citations of one claim, at most (the draft's schema)."""


@dataclass(frozen=True, slots=True)
class House:
    """An invented organisation: its papers, earlier answers and readings."""

    names: Names
    passages: tuple[Passage, ...]
    priors: tuple[PriorAnswer, ...] = ()
    readings: tuple[ControlReading, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One draft for one question. `true` marks a truthful twin. `forged` replaces the citations that the adversary would choose."""

    kind: str
    question: str
    determination: Determination
    text: str
    true: bool = False
    pivot: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    forged: tuple[Citation, ...] = ()
    attachments: tuple[str, ...] = ()
    cells: tuple[AnswerCell, ...] = field(default=CELLS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attempt: whether it left, with which citations, and the blocking codes of the last try."""

    attempt: Attempt
    left: bool
    cited: tuple[str, ...]
    codes: tuple[str, ...]


def paper(
    path: str, text: str, *, kind: EvidenceKind = EvidenceKind.POLICY, shown: bool = True, expires: int = 2032, title: str = ""
) -> Passage:
    """One passage of a paper in force, or of one that expired."""
    held = Document(
        path=path,
        title=title,
        kind=kind,
        effective=date(2030, 1, 1),
        expires=date(expires, 1, 1),
        classification=Classification.SHAREABLE if shown else Classification.INTERNAL,
    )
    return Passage(id=f"P-{sha256((path + text).encode())[:8]}", document=held, text=text, locator="line 1", sha256=sha256(text.encode()))


def earlier(question: str, answer: str, name: str = "A-1") -> PriorAnswer:
    """An answer that an earlier customer got."""
    digest = sha256(answer.encode())
    return PriorAnswer(
        id=name, file=f"answers/{name}.csv", locator="row 2", question=question, answer=answer, answered_on=date(2030, 5, 1), sha256=digest
    )


def measured(topic: str, title: str, held: int, whole: int, *, hours_old: int = 1) -> ControlReading:
    """A control that demands all of them, read that many hours ago."""
    control = Control(
        id=topic.replace(" ", "-"),
        title=title,
        topics=(topic,),
        measure=Measure(ratio=("held", "whole")),
        expect=Expectation(equals=1),
        max_age=timedelta(hours=24),
        risk=Risk.LOW,
        source=ControlSource(collector="file", path="snapshots/reading.json"),
    )
    when = AT - timedelta(hours=hours_old)
    values: dict[str, Any] = {"held": held, "whole": whole}
    snapshot = Snapshot(
        control=control.id,
        version=1,
        observed_at=when,
        collected_at=when,
        values=values,
        collector="file",
        source_mode=SourceMode.RECORDED,
        sha256=sha256(repr(values).encode()),
    )
    return evaluate(control, snapshot, AT)


def shelf_of(house: House) -> Shelf:
    """The organisation's shelf; nothing here searches or reads files."""
    nothing = cast(Any, None)
    secret = confidential(house.passages, house.priors)
    return Shelf(nothing, (), {}, house.names, nothing, secret, frozenset(), AT, "g")


class Court:
    """Cases of one house by question, each opened once."""

    def __init__(self, house: House) -> None:
        self.house, self.shelf = house, shelf_of(house)
        self.cases: dict[tuple[str, tuple[AnswerCell, ...]], Case] = {}

    def case(self, attempt: Attempt) -> Case:
        """The whole organisation is the dossier: nothing true is hidden from the rules, nothing eligible from the adversary."""
        key = attempt.question, attempt.cells
        if key not in self.cases:
            asked = Question(ref="X-1", text=attempt.question, sheet="S", cell="B2", answers=attempt.cells)
            found = Found(self.house.passages, self.house.priors, ())
            mapped = tuple(r for r in self.house.readings if words(" ".join(r.control.topics)) <= words(attempt.question))
            self.cases[key] = compare(self.shelf, asked, found, PolicyOpinion(claims=(), conflicts=()), mapped, Risk.LOW)
        return self.cases[key]

    def try_out(self, attempt: Attempt, tries: int = 8) -> Outcome:
        """The attempt with the adversary's citations, the most promising first; it has left when one try leaves."""
        case, best = self.case(attempt), None
        sets = [attempt.forged] if attempt.forged else list(selections(case, attempt))[:tries]
        for cited in sets:
            left, codes = self.judge(case, draft(case, attempt, cited))
            if left:
                return Outcome(attempt, True, tuple(c.quote for c in cited), codes)
            best = codes if best is None or len(codes) < len(best) else best
        return Outcome(attempt, False, (), best or ())

    def judge(self, case: Case, proposed: AnswerDraft) -> tuple[bool, tuple[str, ...]]:
        """Through verify, decide and the gate, with a Reviewer that passes all and a person who approves all that may be approved."""
        verified = verify(self.shelf, case, proposed, author="model")
        version = verified.version
        reviewer = ReviewerOpinion(decision="PASS", findings=())
        result = conclude(
            verified.findings, seats=("a", "b", "c", "d"), reviewer=reviewer, risk=case.risk, determination=version.determination
        )
        seen = GateInput(
            decision=result.decision.value,
            review=result.status.value,
            affirmative=version.determination.affirmative,
            blocking_finding=any(f.blocks for f in result.findings),
            approval=ApprovalStatus.APPROVED,
            validity=Validity.IN_FORCE,
            approver_may=True,
            second_person=True,
            identity_enough=True,
            readings=Bound.EQUAL,
            passages_held=True,
            confirmed=True,
            gate_version_equal=True,
            mock_in_live=False,
            inconsistent=False,
        )
        return gate(seen).state == "OPEN", blocking(result.findings)


def blocking(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Code and summary of what blocks."""
    return tuple(f"{f.code.value}: {f.summary}" for f in findings if f.blocks)


def draft(case: Case, attempt: Attempt, cited: Sequence[Citation]) -> AnswerDraft:
    """The attempt as the Answer seat would hand it over: the same word for every ask."""
    return AnswerDraft(
        determinations=(attempt.determination,) * max(1, len(case.asks)),
        text=attempt.text,
        pivot=attempt.pivot,
        parts=tuple(DraftPart(part=name, value=value) for name, value in attempt.parts),
        attachments=attempt.attachments,
        claims=(DraftClaim(text=attempt.text, basis="policy", citations=tuple(cited[:MOST])),),
    )


def selections(case: Case, attempt: Attempt) -> Iterator[tuple[Citation, ...]]:
    """Sets of eligible sentences: the six nearest, the nearest alone, in pairs, then those near the question and near the text only."""
    pool = [s for s in case.testimony.statements if s.eligible]
    told, asked = words(f"{attempt.pivot or attempt.text}"), words(attempt.question)
    near = _nearest(pool, told | asked)
    yield _cite(near[:MOST])
    for size in (1, 2, 3):
        yield _cite(near[:size])
    yield _cite(_nearest(pool, asked)[:2])
    yield _cite(_nearest(pool, told)[:2])
    yield _cite([s for s in near[:MOST] if s.kind != "prior"])
    yield _cite([*near[1:2], *near[2:3]])


def _nearest(pool: Sequence[Statement], wanted: frozenset[str]) -> list[Statement]:
    return sorted(pool, key=lambda s: -len(s.anchors & wanted))


def _cite(statements: Sequence[Statement]) -> tuple[Citation, ...]:
    return tuple(Citation(exhibit=s.exhibit, quote=s.text) for s in statements)
