"""Citations: every quote stands verbatim in an exhibit of the sealed dossier (product.md, invariant 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trustops.domain.claim import Citation, Claim
from trustops.domain.dossier import Dossier, exhibit_text
from trustops.domain.evidence import PriorAnswer
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity

SPACE = re.compile(r"\s+")


def locate(text: str, quote: str) -> str | None:
    """The stretch of `text` that the quote is, up to white space; None where it is not there. Nothing else is forgiven."""
    words = quote.split()
    if not words:
        return None
    if quote in text:
        return quote
    found = re.search(r"\s+".join(re.escape(word) for word in words), text)
    return found.group() if found else None


def citation_findings(claims: Iterable[Claim], dossier: Dossier) -> tuple[Finding, ...]:
    """INVALID_CITATION for an id outside the dossier or a quote that is not in its exhibit; the question's own text is no exhibit."""
    findings = [_problem(citation, dossier) for claim in claims for citation in claim.citations]
    return tuple(finding for finding in findings if finding is not None)


def valid(citation: Citation, dossier: Dossier) -> bool:
    """True where the citation's exhibit is in the dossier and holds its quote."""
    exhibit = dossier.exhibits.get(citation.exhibit)
    return exhibit is not None and locate(exhibit_text(exhibit), citation.quote) is not None


def uncited_findings(claims: Iterable[Claim], dossier: Dossier) -> tuple[Finding, ...]:
    """UNCITED_CLAIM for a material claim without a valid citation, or one that rests on earlier answers alone."""
    return tuple(finding for claim in claims if (finding := _uncited(claim, dossier)) is not None)


def _problem(citation: Citation, dossier: Dossier) -> Finding | None:
    exhibit = dossier.exhibits.get(citation.exhibit)
    if exhibit is None:
        what = f"cites {citation.exhibit!r}, which is not in the dossier"
    elif locate(exhibit_text(exhibit), citation.quote) is None:
        what = f"quotes words that are not in {citation.exhibit}: {_short(citation.quote)!r}"
    else:
        return None
    return Finding(
        code=FindingCode.INVALID_CITATION,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"The answer {what}.",
        exhibits=(citation.exhibit,),
        remedy="Cite a passage of the dossier word for word (`trustops show` lists them), or run a recheck.",
        cited=True,
    )


def _uncited(claim: Claim, dossier: Dossier) -> Finding | None:
    good = [citation for citation in claim.citations if valid(citation, dossier)]
    alone = bool(good) and all(isinstance(dossier.exhibits[c.exhibit], PriorAnswer) for c in good)
    if good and not alone:
        return None
    why = "rests on an earlier answer alone" if alone else "has no valid citation"
    return Finding(
        code=FindingCode.UNCITED_CLAIM,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"The statement {_short(claim.text)!r} {why}.",
        exhibits=tuple(citation.exhibit for citation in good),
        remedy="Cite a document for it, or take it out of the answer.",
        cited=True,
    )


def _short(text: str) -> str:
    flat = SPACE.sub(" ", text).strip()
    return flat if len(flat) <= 90 else flat[:87] + "..."
