"""Compare and verify: the two pieces of code that know all the rules, used by the machine, by edit and by recheck alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trustops.checks.citation import citation_findings, locate, uncited_findings, valid
from trustops.checks.closure import closure_findings
from trustops.checks.conflict import conflict_findings, find_conflicts, reported_conflicts
from trustops.checks.declining import declined
from trustops.checks.disclosure import disclosure_findings
from trustops.checks.drift import drift_findings
from trustops.checks.form import TICK, form_findings
from trustops.checks.freshness import freshness_findings, passages_by_source
from trustops.checks.injection import hidden_findings, injection_findings
from trustops.checks.language import language_findings, pivoted
from trustops.checks.rows import row_findings
from trustops.checks.support import best_support, coverage_findings, enumeration_findings, proof_findings, would_prove
from trustops.checks.system import follow_up, offline_draft, unmeasured
from trustops.checks.written import attachment_findings, cell_findings, disguised_findings, free_texts, loaded_findings
from trustops.domain.answer import AnswerVersion, AskAnswer, BoundPassage, BoundReading, Determination, combine
from trustops.domain.claim import Basis, Citation, Claim, Conflict
from trustops.domain.control import ControlReading, Evaluation, Risk, highest
from trustops.domain.dossier import Dossier, exhibit_place, exhibit_text
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.finding import Finding, FindingSource
from trustops.domain.opinion import AnswerDraft, PolicyOpinion
from trustops.domain.question import AnswerCell, CellValue, PartKind, Question
from trustops.facts.asked import Ask, asks_of
from trustops.facts.elapsed import rest_claimed, rest_given
from trustops.facts.nouns import Names, Sentence
from trustops.facts.risk import declared_risk
from trustops.facts.sentence import read
from trustops.facts.split import clauses, split
from trustops.facts.testimony import Statement, Testimony, newest_answers, read_dossier
from trustops.facts.vocabulary import member_for, tick_meaning
from trustops.facts.words import words
from trustops.team.policy import Found, Search
from trustops.workflow.desk import Shelf
from trustops.workflow.state import Case, Verified

LEAD_IN = re.compile(
    r"^\s*(?:(?:yes|in part|partly|partially|not applicable|n/a|we confirm(?: that)?)\b|no(?=\s*[.,:;]|$)"
    r"|(?:是的?|否|部分|不适用)(?=[，。：；]|$))"
    r"\s*[.,:;，。：；]*\s*",
    re.IGNORECASE,
)
"""What opens an answer and says nothing by itself. A "no" without punctuation belongs to its sentence: "No backup leaves AWS"."""
ENUMERATION = re.compile(r"^\s*[(（]?(?:[a-h]|[ivx]{1,4}|\d{1,2}|[一二三四五六七八九十])[)）]\s*", re.IGNORECASE)
SHOWN = 5
"""Most citations shown for one claim: what supports it first, then what else the draft cited for the same thing."""


# -- compare -------------------------------------------------------------------------------------------------------------


def compare(
    shelf: Shelf, question: Question, found: Found, policy: PolicyOpinion, mapped: tuple[ControlReading, ...], raised: Risk
) -> Case:
    """Seals the dossier and finds what stands against any answer: conflict, drift, injection."""
    reported = tuple(Conflict(kind=c.kind, left=c.left, right=c.right) for c in policy.conflicts)
    return open_case(shelf, seal(shelf, question, found, mapped), reported, raised, found.searches)


def seal(shelf: Shelf, question: Question, found: Found, mapped: tuple[ControlReading, ...]) -> Dossier:
    """The question's case file; nothing may be cited that is not in it."""
    return Dossier(
        question=question,
        asks=tuple(ask.text for ask in asks_of(question.text, shelf.names)),
        passages=found.passages,
        prior_answers=tuple(a.model_copy(update={"withdrawn": a.withdrawn or a.id in shelf.withdrawn}) for a in found.prior_answers),
        readings=mapped,
    )


def open_case(shelf: Shelf, dossier: Dossier, reported: Sequence[Conflict], raised: Risk, searches: tuple[Search, ...]) -> Case:
    """A dossier read into statements with the findings that need no draft; the same for a new dossier and a stored one."""
    asks = asks_of(dossier.question.text, shelf.names)
    today = shelf.at.date()
    newest = newest_answers(dossier.prior_answers, asks, shelf.names)
    testimony = read_dossier(dossier, shelf.names, today=today, newest=newest)
    eligible = _not_history(testimony.eligible(), dossier.readings)
    conflicts = find_conflicts(asks, eligible, shelf.names)
    seen = tuple(c for c in reported_conflicts(reported, eligible) if _pair(c) not in {_pair(k) for k in conflicts})
    places = {key: exhibit_place(exhibit)[0] for key, exhibit in dossier.exhibits.items()}
    findings = (
        *conflict_findings(conflicts, places),
        *conflict_findings(seen, places, source=FindingSource.MODEL),
        *drift_findings(dossier.readings),
        *injection_findings(testimony.statements, frozenset()),
    )
    spoken_of = (declared_risk(turn.asked) for turn in dossier.question.conversation)
    risk = highest(declared_risk(dossier.question.text), raised, *spoken_of, *(reading.control.risk for reading in dossier.readings))
    findings = (*findings, *unmeasured(risk, dossier.readings), *follow_up(dossier.question))
    return Case(dossier, asks, testimony, (*conflicts, *seen), findings, risk, searches)


def _pair(conflict: Conflict) -> frozenset[str]:
    return frozenset({conflict.left.exhibit, conflict.right.exhibit})


def _not_history(statements: Sequence[Statement], readings: Sequence[ControlReading]) -> tuple[Statement, ...]:
    """Without records of a measured figure that a fresh PASS reading overtook: 122 of 124 on Friday is history on Monday."""
    passed = [r for r in readings if r.evaluation is Evaluation.PASS and r.snapshot is not None]
    return tuple(s for s in statements if not any(_overtaken(s, reading) for reading in passed))


def _overtaken(statement: Statement, reading: ControlReading) -> bool:
    if statement.kind != "passage" or statement.doc != "record":
        return False
    figures = any(fact.kind == "quantity" and getattr(fact, "ratio", False) for fact in statement.sentence.facts)
    topics = words(" ".join((reading.control.title, *reading.control.topics)), Names())
    return figures and bool(statement.anchors & topics)


# -- verify --------------------------------------------------------------------------------------------------------------


def verify(shelf: Shelf, case: Case, draft: AnswerDraft, *, author: str, offline: bool = False) -> Verified:
    """The draft as a version with every finding of code. Code splits the text into claims; the draft's list is not trusted."""
    dossier, names = case.dossier, shelf.names
    verdicts = _verdicts(draft, case.asks)
    determination = combine(verdicts)
    given = [Claim(text=c.text, basis=c.basis, citations=c.citations) for c in draft.claims]
    cited = cited_statements(case.testimony, dossier, given)
    bound = [s for s in case.testimony.statements if s.kind == "reading" and s.eligible]
    basis = list(dict.fromkeys([*cited, *bound]))
    checked = draft.pivot if pivoted(draft.text, draft.pivot) else draft.text
    cells = cell_values(dossier.question, determination, draft)
    prose = "\n".join((checked, *free_texts(draft.text, determination, cells)))
    sentences, refused = _told(prose, determination, case.asks, names)
    claims = tuple(_claim(sentence, basis, dossier, given) for sentence in sentences)
    kept = claims if determination.affirmative else tuple(given)  # what an unknown shows is for people, not for customers
    version = _version(shelf, case, draft, verdicts, determination, kept, cells, author)
    findings = (
        *case.findings,
        *citation_findings(given, dossier),
        *uncited_findings(_to_cite(determination, claims, cited, draft), dossier),
        *enumeration_findings(sentences, basis, names),
        *row_findings(sentences, basis, names),
        *coverage_findings([(s, not c.citations) for s, c in zip(sentences, claims, strict=True)], basis),
        *_proofs(case, verdicts, basis, sentences, refused, names),
        *(closure_findings(sentences, determination, case.asks, basis, names, shelf.at.date()) if determination.affirmative else ()),
        *freshness_findings(cited, would_prove(case.asks, case.testimony.statements, names), passages_by_source(dossier.passages)),
        *hidden_findings(cited, would_prove(case.asks, case.testimony.statements, names)),
        *disclosure_findings([draft.text, *(c.value for c in cells), *draft.attachments], shelf.secret),
        *form_findings(determination, dossier.question.answers, cells),
        *cell_findings(cells, sentences, basis, case.asks),
        *attachment_findings(draft.attachments, passages_by_source(dossier.passages).values(), shelf.at.date()),
        *disguised_findings([draft.text, *(c.value for c in cells)]),
        *loaded_findings([draft.text, *(c.value for c in cells)]),
        *language_findings(draft.text, draft.pivot, cited, names),
        *(offline_draft() if offline else ()),
    )
    findings = _marked(findings, {c.exhibit for claim in (*claims, *given) for c in claim.citations})
    return Verified(version.model_copy(update={"findings": findings}), findings)


def _told(prose: str, determination: Determination, asks: Sequence[Ask], names: Names) -> tuple[tuple[Sentence, ...], frozenset[Ask]]:
    """What an affirmative answer claims, and which asks it declines. A refusal to hand over names or papers claims nothing about them."""
    said = material_claims(prose, names) if determination.affirmative else ()
    if determination is not Determination.PARTIAL:
        return said, frozenset()
    refusals = {sentence: ask for sentence in said if (ask := declined(sentence, asks)) is not None}
    return tuple(sentence for sentence in said if sentence not in refusals), frozenset(refusals.values())


def _proofs(
    case: Case,
    verdicts: Sequence[Determination],
    basis: Sequence[Statement],
    said: Sequence[Sentence],
    refused: frozenset[Ask],
    names: Names,
) -> Iterator[Finding]:
    """Proof of each ask. Where one of several is declined, PARTIAL is of the whole, and what is not declined may be proved in full."""
    scan = _scan(case)
    for ask, verdict in zip(case.asks, verdicts, strict=True):
        found = proof_findings(ask, verdict, basis, scan, said, names)
        if refused and verdict is Determination.PARTIAL and said and not (ask in refused and len(case.asks) > 1):
            found = found and proof_findings(ask, Determination.YES, basis, scan, said, names)
        elif ask in refused and len(refused) < len(case.asks):
            found = ()
        yield from found


def _scan(case: Case) -> tuple[Statement, ...]:
    """What may stand against a determination: not history, and no earlier answer whose narrower promise a fresh reading has overtaken."""
    settled = {side.exhibit for c in case.conflicts if c.resolved for side in (c.left, c.right)}
    living = _not_history(case.testimony.eligible(), case.dossier.readings)
    return tuple(s for s in living if s.kind != "prior" or s.exhibit not in settled)


def _verdicts(draft: AnswerDraft, asks: Sequence[Ask]) -> tuple[Determination, ...]:
    """One determination an ask. A draft that gives another number is not understood: what is missing is UNKNOWN."""
    given = list(draft.determinations[: len(asks)])
    if len(draft.determinations) == 1 and len(asks) > 1 and not draft.determinations[0].affirmative:
        given = [Determination.UNKNOWN] * len(asks)
    return tuple(given + [Determination.UNKNOWN] * (len(asks) - len(given)))


def cited_statements(testimony: Testimony, dossier: Dossier, claims: Sequence[Claim]) -> tuple[Statement, ...]:
    """The whole sentences behind every valid citation, in order, without repetition."""
    found: dict[Statement, None] = {}
    for citation in (c for claim in claims for c in claim.citations):
        exhibit = dossier.exhibits.get(citation.exhibit)
        text = exhibit_text(exhibit) if exhibit is not None else ""
        quote = locate(text, citation.quote)
        if quote is not None:
            found |= dict.fromkeys(testimony.quoted(citation.exhibit, quote, text))
    return tuple(found)


def material_claims(text: str, names: Names) -> tuple[Sentence, ...]:
    """The text split at sentences, semicolons and coordinated clauses, without lead-ins and list marks."""
    pieces = [clause.text for span in split(text) for clause in clauses(_plain(span.text))]
    plain = [_plain(piece) for piece in pieces]
    return tuple(read(piece, names, "answer") for piece in plain if words(piece, names) or rest_claimed(piece) is not None)


def _plain(text: str) -> str:
    before = None
    while before != text:
        before, text = text, ENUMERATION.sub("", LEAD_IN.sub("", text))
    return text.strip()


def _claim(sentence: Sentence, basis: Sequence[Statement], dossier: Dossier, given: Sequence[Claim]) -> Claim:
    """A claim with the sentences that support it best; where none does, with what the draft itself cited for these words."""
    rest = rest_claimed(sentence.text)
    support, _ = best_support(sentence, basis)
    support = support if rest is None else tuple(s for s in basis if rest_given(s.sentence, rest))[:1]
    beside = [s for s in basis if s not in support and s.kind != "reading" and len(s.anchors & sentence.words) >= 2]
    quotes = [Citation(exhibit=s.exhibit, quote=s.text) for s in [*support, *beside][:SHOWN]]
    citations = tuple(citation for citation in quotes if valid(citation, dossier))
    if not citations:
        near = [c for claim in given if words(claim.text, Names()) & sentence.words for c in claim.citations]
        citations = tuple(dict.fromkeys(near))[:6]
    kind = (
        Basis.REALITY
        if any(s.kind == "reading" for s in support)
        else Basis.HISTORY
        if any(s.kind == "prior" for s in support)
        else Basis.POLICY
    )
    return Claim(text=sentence.text, basis=kind, citations=citations)


def _to_cite(determination: Determination, claims: Sequence[Claim], cited: Sequence[Statement], draft: AnswerDraft) -> Sequence[Claim]:
    """What needs a citation: every material claim; of an affirmative answer without any, the bare word itself."""
    if not determination.affirmative:
        return ()
    return claims or ([] if cited else [Claim(text=draft.text or determination.value)])


def cell_values(question: Question, determination: Determination, draft: AnswerDraft) -> tuple[CellValue, ...]:
    """What would be written. Code fills a choice the draft left out; a choice it gave is taken as given and judged by form."""
    if not determination.affirmative:
        return ()
    parts = {part.part: part.value for part in draft.parts}
    values = []
    texts = [a for a in question.answers if a.kind is PartKind.TEXT]
    for cell in question.answers:
        value = parts.get(cell.part)
        if value is None:
            value = _default(cell, determination, draft, first_text=texts[:1] == [cell])
        if value:
            values.append(CellValue(part=cell.part, sheet=cell.sheet, cell=cell.cell, value=value, kind=cell.kind))
    return tuple(values)


def _default(cell: AnswerCell, determination: Determination, draft: AnswerDraft, *, first_text: bool) -> str | None:
    if cell.kind is PartKind.CHOICE:
        return member_for(determination, cell.vocabulary)
    if cell.kind is PartKind.TICK:
        return TICK if tick_meaning(cell.part, cell.vocabulary) is determination else None
    return draft.text if first_text else None


def _version(
    shelf: Shelf,
    case: Case,
    draft: AnswerDraft,
    verdicts: tuple[Determination, ...],
    determination: Determination,
    claims: tuple[Claim, ...],
    cells: tuple[CellValue, ...],
    author: str,
) -> AnswerVersion:
    cited = [c.exhibit for claim in claims for c in claim.citations] + [c.exhibit for claim in draft.claims for c in claim.citations]
    return AnswerVersion(
        question=case.dossier.question.ref,
        version=0,
        author=author,
        created_at=shelf.at,
        determination=determination,
        asks=tuple(AskAnswer(ask=ask.text, determination=verdict) for ask, verdict in zip(case.asks, verdicts, strict=True)),
        text=draft.text,
        pivot=draft.pivot,
        cells=cells,
        attachments=draft.attachments,
        claims=claims,
        passages=_bound_passages(case.dossier, cited),
        readings=_bound_readings(case.dossier),
        gate_version=shelf.gate_version,
    )


def _bound_passages(dossier: Dossier, cited: Sequence[str]) -> tuple[BoundPassage, ...]:
    bound = []
    for name in dict.fromkeys(cited):
        exhibit = dossier.exhibits.get(name)
        if isinstance(exhibit, (Passage, PriorAnswer)):
            file, locator = exhibit_place(exhibit)
            bound.append(BoundPassage(exhibit=name, file=file, locator=locator, sha256=exhibit.sha256))
    return tuple(bound)


def _bound_readings(dossier: Dossier) -> tuple[BoundReading, ...]:
    """Every mapped control with a snapshot: all of them must still hold at export, cited or not."""
    return tuple(
        BoundReading(
            control=reading.control.id,
            evaluation=reading.evaluation.value,
            scope=reading.control.scope,
            values=dict(reading.snapshot.values),
            source_mode=reading.snapshot.source_mode.value,
        )
        for reading in dossier.readings
        if reading.snapshot is not None
    )


def _marked(findings: Sequence[Finding], cited: set[str]) -> tuple[Finding, ...]:
    """Findings once each, with `cited` set where their exhibits are cited by the answer."""
    unique = dict.fromkeys(f.model_copy(update={"cited": f.cited or bool(cited & set(f.exhibits))}) for f in findings)
    return tuple(unique)
