"""What stored answers say about citations, claims and readings: told from the books by plain comparison, without any rule of the product.

Material claims are those of the answer versions that could leave. Not told here: whether a quote means what the claim says; typed facts are
compared as words only (numbers, versions, acronyms).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from trustops.domain.answer import AnswerVersion
from trustops.domain.authenticity import SourceMode
from trustops.domain.claim import Basis, Citation, Claim
from trustops.domain.control import ControlReading, Snapshot
from trustops.domain.dossier import Dossier, exhibit_text
from trustops.evaluation.score import Authority, Score
from trustops.operations.office import Office
from trustops.ports import QuestionRecord

TYPED = re.compile(r"\d[\d.,/-]*|\b[A-Z]{2,}[A-Z0-9-]*\b")
MODES = {"file": SourceMode.RECORDED, "ocsf": SourceMode.RECORDED, "mock": SourceMode.MOCK}
MODES |= dict.fromkeys(("http", "sql", "command"), SourceMode.LIVE)
"""The source mode of each collector, as product.md says it: written a second time, to compare."""


def claim_scores(office: Office, name: str, report: Mapping[str, Any]) -> Iterator[Score]:
    """The scores of a review's newest records. `name` is the case; a question's scores carry its ref."""
    answers = office.ledger.latest_answers(report["review"])
    held = {p.id for p in office.index.passages()} | {a.id for a in office.index.prior_answers()}
    for ref, record in office.ledger.latest_records(report["review"]).items():
        answer = answers.get(ref)
        case_id = f"{name}/{ref}"
        if answer is not None and record.result.decision.value != "BLOCK":
            yield from of_answer(case_id, answer, record, held | {reading.id for reading in record.dossier.readings})
        yield from of_readings(case_id, record.dossier.readings)


def of_answer(case_id: str, answer: AnswerVersion, record: QuestionRecord, held: set[str]) -> Iterator[Score]:
    """One answer that could leave: its claims and its citations."""
    dossier, claims = record.dossier, answer.claims
    cited = [citation for claim in claims for citation in claim.citations]
    covered = [claim for claim in claims if any(verbatim(c, dossier) for c in claim.citations)]

    def score(metric: str, hits: int, of: int) -> Score:
        return Score(metric=metric, case_id=case_id, amount=Decimal(hits), of=of, authority=Authority.DETERMINISTIC)

    if claims:
        bare = len(claims) - len(covered)
        yield score("citation_coverage", len(covered), len(claims))
        yield score("unsupported_assertion", bare, len(claims))
        if answer.determination.value in ("YES", "PARTIAL"):
            yield score("unsupported_affirmative", bare, len(claims))
        yield score("policy_reality_separation", sum(apart(claim, dossier) for claim in claims), len(claims))
    if covered:
        yield score("citation_entailment", sum(entailed(claim) for claim in covered), len(covered))
    if cited:
        yield score("citation_validity", sum(verbatim(c, dossier) for c in cited), len(cited))
        yield score("hallucinated_evidence_id", sum(c.exhibit not in held for c in cited), len(cited))


def verbatim(citation: Citation, dossier: Dossier) -> bool:
    """The exhibit is in the dossier and holds the quote as it stands, white space apart."""
    exhibit = dossier.exhibits.get(citation.exhibit)
    return exhibit is not None and bool(citation.quote.strip()) and _flat(citation.quote) in _flat(exhibit_text(exhibit))


def _flat(text: str) -> str:
    return " ".join(text.split())


def entailed(claim: Claim) -> bool:
    """Every number, version and acronym of the claim stands in its quotes."""
    told = " ".join(citation.quote for citation in claim.citations)
    return all(typed.strip(".,") in told for typed in TYPED.findall(claim.text))


def apart(claim: Claim, dossier: Dossier) -> bool:
    """A claim of reality cites a reading, any other one a document or an earlier answer."""
    cited = [dossier.exhibits.get(citation.exhibit) for citation in claim.citations]
    if claim.basis is Basis.REALITY:
        return any(isinstance(exhibit, ControlReading) for exhibit in cited)
    return any(exhibit is not None and not isinstance(exhibit, ControlReading) for exhibit in cited)


def of_readings(case_id: str, readings: Iterable[ControlReading]) -> Iterator[Score]:
    """Which collector made each reading, what it says of its source, and whether it has the shape of a snapshot."""
    for reading in readings:
        snapshot, source = reading.snapshot, reading.control.source
        if snapshot is None or source is None:
            continue

        def score(metric: str, hit: bool, control: str = reading.control.id) -> Score:
            amount = Decimal(int(hit))
            return Score(metric=metric, case_id=f"{case_id}/{control}", amount=amount, authority=Authority.DETERMINISTIC)

        yield score("adapter_selection", snapshot.collector == source.collector)
        yield score("source_mode_accuracy", snapshot.source_mode is MODES[source.collector])
        yield score("snapshot_schema_validity", well_formed(snapshot))
        if MODES[source.collector] is not SourceMode.LIVE:
            yield score("mock_reported_as_live", snapshot.source_mode is SourceMode.LIVE)


def well_formed(snapshot: Snapshot) -> bool:
    """It fits its noun when read anew from JSON, and its id and values are told exactly."""
    try:
        again = Snapshot.model_validate_json(snapshot.model_dump_json())
    except ValidationError:
        return False
    return again == snapshot and bool(snapshot.values) and snapshot.observed_at <= snapshot.collected_at
