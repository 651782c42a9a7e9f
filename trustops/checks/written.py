"""What would be written into the customer's cells and attached beside them, apart from the text that the other checks read.

A number or date cell repeats what the text or the nearest cited sentence gives; an attachment is a document of the dossier that customers
may see. Not checked: the unit that a number cell's heading asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from trustops.domain.answer import Determination
from trustops.domain.evidence import Classification, Document
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.domain.question import CellValue, PartKind
from trustops.facts.asked import Ask
from trustops.facts.hidden import invisible, mixed_alphabets
from trustops.facts.nouns import Date, Sentence
from trustops.facts.testimony import Statement
from trustops.facts.vocabulary import meaning_of

NO_PROSE = (PartKind.NUMBER, PartKind.DATE, PartKind.TICK)
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")


def free_texts(text: str, determination: Determination, cells: Iterable[CellValue]) -> tuple[str, ...]:
    """Prose that a cell would hold beside the answer's text: it is split into claims like the text itself. Ticks are judged by form."""
    free = [c.value for c in cells if c.kind not in NO_PROSE and meaning_of(c.value) is not determination]
    return tuple(value for value in free if value.strip() != text.strip())


def cell_findings(
    cells: Iterable[CellValue], claims: Sequence[Sentence], cited: Sequence[Statement], asks: Sequence[Ask]
) -> tuple[Finding, ...]:
    """OVERCOMMITMENT for a number or date that neither the text gives nor the cited sentences nearest to the question."""
    told = [*claims, *(s.sentence for s in _nearest(cited, asks))]
    return tuple(
        _finding(FindingCode.OVERCOMMITMENT, f"No cited sentence gives {cell.value!r} for {cell.part!r}", (f"{cell.sheet}!{cell.cell}",))
        for cell in cells
        if cell.kind in (PartKind.NUMBER, PartKind.DATE) and not any(_gives(sentence, cell) for sentence in told)
    )


def _nearest(cited: Sequence[Statement], asks: Sequence[Ask]) -> Iterator[Statement]:
    """Of the cited sentences with a figure, those that share most words with an ask."""
    usable = [s for s in cited if s.eligible and s.kind != "prior" and (NUMBER.search(s.text) or _dates(s.sentence))]
    for ask in asks:
        most = max((len(s.anchors & ask.words) for s in usable), default=0)
        yield from (s for s in usable if most and len(s.anchors & ask.words) == most)


def _gives(sentence: Sentence, cell: CellValue) -> bool:
    return cell.value in _dates(sentence) if cell.kind is PartKind.DATE else _plain(cell.value) in _numbers(sentence)


def _dates(sentence: Sentence) -> frozenset[str]:
    return frozenset(fact.value for fact in sentence.facts if isinstance(fact, Date))


def _numbers(sentence: Sentence) -> frozenset[str]:
    typed = {_plain(str(v)) for fact in sentence.facts for v in getattr(fact, "value", ()) if not isinstance(v, str)}
    return frozenset(typed | {_plain(found.group()) for found in NUMBER.finditer(sentence.text)})


def _plain(number: str) -> str:
    return re.sub(r",(?=\d{3}\b)", "", number)


def attachment_findings(paths: Iterable[str], documents: Iterable[Document], today: date) -> tuple[Finding, ...]:
    """A file leaves only where it is a document of the dossier, in force, and customers may see it."""
    known = {document.path: document for document in documents}
    return tuple(found for path in paths if (found := _attached(path, known.get(path), today)) is not None)


def _attached(path: str, document: Document | None, today: date) -> Finding | None:
    if document is None:
        return _finding(FindingCode.INVALID_CITATION, f"The answer attaches {path!r}, which is no document of the dossier", ())
    if document.classification is not Classification.SHAREABLE:
        return _finding(FindingCode.SENSITIVE_DISCLOSURE, f"The answer attaches {path!r}, which is not for customers", ())
    return (
        None
        if document.in_force(today)
        else _finding(FindingCode.EXPIRED_EVIDENCE, f"The answer attaches {path!r}, which is not in force", ())
    )


def disguised_findings(texts: Iterable[str]) -> tuple[Finding, ...]:
    """HIDDEN_TEXT where the answer itself holds characters that a reader does not see, or a word in letters of two alphabets."""
    bad = [text for text in texts if invisible(text) or mixed_alphabets(text)]
    what = "The answer holds invisible characters or a word in letters of two alphabets"
    return (_finding(FindingCode.HIDDEN_TEXT, what, ()),) if bad else ()


LOADED = re.compile(
    r"!\[[^\]\n]*\]\s*[(\[]|<\s*(?:img|iframe|script|object|embed|link|video|audio|svg)\b"
    r"|=\s*[A-Z][A-Z.]+\s*\(|\b(?:HYPERLINK|WEBSERVICE|IMPORT(?:DATA|XML|HTML|RANGE|FEED))\s*\(",
    re.IGNORECASE,
)
"""A picture or another thing that a viewer fetches from an address, in Markdown or HTML, or a formula of a spreadsheet."""


def loaded_findings(texts: Iterable[str]) -> tuple[Finding, ...]:
    """ANSWER_FORM where the answer holds what a viewer would fetch or compute: the address learns who reads the answer."""
    what = "The answer holds a formula, or a picture or another thing that a viewer would load"
    found = any(LOADED.search(text) for text in texts)
    return (_finding(FindingCode.ANSWER_FORM, what, ()),) if found else ()


def _finding(code: FindingCode, summary: str, exhibits: tuple[str, ...]) -> Finding:
    remedy = "Edit the answer (`trustops edit`) so that cells and attachments say only what a cited sentence says."
    return Finding(
        code=code,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"{summary}.",
        exhibits=exhibits,
        remedy=remedy,
        cited=True,
    )
