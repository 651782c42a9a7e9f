"""Freshness: is a document in force at the run's instant? (product.md, "Defaults" and "Eligible")"""

from __future__ import annotations

from collections.abc import Iterable

from trustops.domain.evidence import Document, Passage
from trustops.domain.finding import Finding, FindingCode, FindingSource, severity_of
from trustops.facts.testimony import Statement


def freshness_findings(cited: Iterable[Statement], would_prove: Iterable[Statement], documents: dict[str, Document]) -> tuple[Finding, ...]:
    """EXPIRED_EVIDENCE where a document past its date is cited, or is the only one that would have proved the ask; UNDATED_EVIDENCE
    where a cited document has no dates."""
    found: dict[tuple[FindingCode, str], Finding] = {}
    for statement, is_cited in [*((s, True) for s in cited), *((s, False) for s in would_prove)]:
        code = _code(statement, documents.get(statement.source))
        if code is None or (code is FindingCode.UNDATED_EVIDENCE and not is_cited):
            continue
        found.setdefault((code, statement.source), _finding(code, statement, documents[statement.source], is_cited))
    return tuple(found.values())


def _code(statement: Statement, document: Document | None) -> FindingCode | None:
    if document is None:
        return None
    if FindingCode.EXPIRED_EVIDENCE in statement.against:
        return FindingCode.EXPIRED_EVIDENCE
    undated = document.effective is None and document.expires is None
    return FindingCode.UNDATED_EVIDENCE if undated and statement.eligible else None


def _finding(code: FindingCode, statement: Statement, document: Document, cited: bool) -> Finding:
    expired = code is FindingCode.EXPIRED_EVIDENCE
    when = f"expired on {document.expires.isoformat()}" if document.expires else "has no dates"
    return Finding(
        code=code,
        severity=severity_of(code),
        source=FindingSource.RULES,
        summary=f"{document.path} {when if expired else 'has no effective or expiry date'}.",
        exhibits=(statement.exhibit,),
        remedy="File the current document and register its dates, then recheck." if expired else "Enter its dates in evidence.yaml.",
        cited=cited,
    )


def passages_by_source(passages: Iterable[Passage]) -> dict[str, Document]:
    """The document of each path that occurs."""
    return {passage.document.path: passage.document for passage in passages}
