"""Hidden text and sentences that speak to the agents, as findings (product.md, HIDDEN_TEXT and SUSPECTED_INJECTION)."""

from __future__ import annotations

from collections.abc import Iterable

from trustops.domain.finding import Finding, FindingCode, FindingSource, severity_of
from trustops.facts.testimony import Statement

REMEDIES = {
    FindingCode.SUSPECTED_INJECTION: "Read the document yourself; remove the sentence or the document if it is not yours.",
    FindingCode.HIDDEN_TEXT: "Open the file, remove the invisible characters or hidden runs, and recheck.",
}


def injection_findings(statements: Iterable[Statement], cited_exhibits: frozenset[str]) -> tuple[Finding, ...]:
    """A warning for every exhibit of the dossier that speaks to the agents; `cited` where the answer cites that exhibit."""
    found: dict[str, Finding] = {}
    for statement in statements:
        if FindingCode.SUSPECTED_INJECTION in statement.against and statement.exhibit not in found:
            summary = f"{statement.source} speaks to the agents: {_short(statement.text)!r}. The sentence supports nothing."
            found[statement.exhibit] = _finding(FindingCode.SUSPECTED_INJECTION, summary, statement, statement.exhibit in cited_exhibits)
    return tuple(found.values())


def hidden_findings(cited: Iterable[Statement], would_prove: Iterable[Statement]) -> tuple[Finding, ...]:
    """HIDDEN_TEXT where a sentence with invisible text is cited, or is the only one that would have proved the ask."""
    found: dict[str, Finding] = {}
    for statement, is_cited in [*((s, True) for s in cited), *((s, False) for s in would_prove)]:
        if FindingCode.HIDDEN_TEXT in statement.against:
            summary = f"{statement.source} holds text that a reader does not see, so what it says is not certain."
            found.setdefault(statement.exhibit, _finding(FindingCode.HIDDEN_TEXT, summary, statement, is_cited))
    return tuple(found.values())


def _finding(code: FindingCode, summary: str, statement: Statement, cited: bool) -> Finding:
    return Finding(
        code=code,
        severity=severity_of(code),
        source=FindingSource.RULES,
        summary=summary,
        exhibits=(statement.exhibit,),
        remedy=REMEDIES[code],
        cited=cited,
    )


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else flat[:97] + "..."
