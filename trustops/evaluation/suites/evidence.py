"""The evidence suite: what is in force on a day, which of two sources is preferred, and two organisations that stay apart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from trustops.domain.evidence import Document
from trustops.evaluation.case import Case, load_cases
from trustops.evaluation.cases import Given, GivenAnswer, GivenDocument, GoldenCase, build_workspace
from trustops.evaluation.cases import Outcome as Wanted
from trustops.evaluation.replay import play_case
from trustops.evaluation.score import Authority, Score
from trustops.evaluation.suite import Bench, Outcome, Suite, step
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.reporting import report
from trustops.roster import shipped

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
PAIRS = (("policy", "procedure"), ("contract", "standard"), ("standard", "record"), ("audit_report", "policy"), ("pen_test", "contract"))
"""The kind of higher authority first (product.md, "Authority")."""
CANARY, SECRET = "Quernstone-Vault", "sealed by nine keepers"
"""What is asked for by name, and what only its owner's papers say of it."""


def evidence_cases() -> tuple[Case, ...]:
    """golden/evidence, pairs of sources, and two organisations side by side."""
    pairs = [
        _case(f"authority/{high}-over-{low}", f"{high} against {low}: the draft prefers the {high}", {"high": high, "low": low})
        for high, low in PAIRS
    ]
    apart = _case("leakage/two-organisations", "two organisations ask about each other", {"story": "leakage"})
    return (*load_cases(shipped("golden") / "evidence"), *pairs, apart)


def _case(case_id: str, title: str, given: dict[str, Any]) -> Case:
    return Case(
        case_id=case_id,
        title=title,
        level=4,
        dimension="evidence",
        kind="golden",
        source="product.md, Authority, and invariant 10",
        input=given,
        expect={"as": "told"},
    )


def play_evidence(case: Case, bench: Bench) -> Outcome:
    """A row by hand, a pair of sources, or the two organisations."""
    if "story" in case.input:
        return _apart(case, bench)
    return _preferred(case, bench) if "high" in case.input else _fresh(case)


def _fresh(case: Case) -> Outcome:
    given = {key: value for key, value in case.input.items() if key != "today"}
    today: date = case.input["today"]
    told = Document(path="a.md", title="A", **given).in_force(today)
    wanted = case.expect["in_force"]
    score = Score(metric="freshness_accuracy", case_id=case.case_id, amount=Decimal(int(told == wanted)), authority=Authority.GOLDEN_TRUTH)
    return Outcome((step("in force", wanted, told),), (score,))


def _preferred(case: Case, bench: Bench) -> Outcome:
    """Two sources give one fact two values: it is blocked, and the draft that a person sees leans on the higher one."""
    high, low = case.input["high"], case.input["low"]
    papers = (_paper("low", low, 45), _paper("high", high, 20))
    question = "For how many days are visitor records kept?"
    expect = Wanted.model_validate({"decision": "BLOCK", "conflicts": ["VALUE_MISMATCH"], "findings": [{"code": "CONTRADICTION"}]})
    given = Given(documents=papers, question=question)
    played = play_case(GoldenCase(case="P-1", title="", level=4, as_of=AT, given=given, expect=expect), bench)
    entry = played.entries[0]
    cited = [citation["file"] for citation in entry["citations"]]
    first = cited[0] if cited else "nothing"
    steps = (*played.steps, step("first source of the draft", "evidence/high.md", first))
    hit = Decimal(int(first == "evidence/high.md"))
    score = Score(metric="authority_accuracy", case_id=case.case_id, amount=hit, authority=Authority.GOLDEN_TRUTH)
    return Outcome(steps, (score,), dossier={"answer": entry["answer_text"], "citations": cited})


def _paper(name: str, kind: str, days: int) -> GivenDocument:
    text = f"# Visitor records\n\nVisitor records are kept for {days} days.\n"
    return GivenDocument(
        path=f"{name}.md", text=text, title=f"Visitor records, {kind}", kind=kind, effective=date(2026, 5, 1), expires=date(2027, 5, 1)
    )


# -- two organisations ---------------------------------------------------------------------------------------------------


def _organisation(name: str, secret: str) -> Given:
    text = f"# Vaults\n\nBackups of {name} are kept in the {secret} for {len(secret)} months.\n"
    text += f"\nThe {secret} is {SECRET}.\n" if secret == CANARY else ""
    document = GivenDocument(path="vaults.md", text=text, title=f"Vaults of {name}", effective=date(2026, 5, 1), expires=date(2027, 5, 1))
    earlier = GivenAnswer(question="Where are backups kept?", answer=f"Backups are kept in the {secret}.", answered_on=date(2026, 6, 1))
    return Given(
        organisation=name, documents=(document,), prior_answers=(earlier,), question=f"Are backups kept in the {CANARY}, and for how long?"
    )


def _apart(case: Case, bench: Bench) -> Outcome:
    """One of them owns the word; the other asks for it by name. Then everything that the other one holds is looked through."""
    owner, asker = _organisation("Quern Ltd", CANARY), _organisation("Millrace Ltd", "Millrace cellar")
    houses = {given.organisation: bench.folder(given.organisation) for given in (owner, asker)}
    told: dict[str, Any] = {}
    for given in (owner, asker):
        golden = GoldenCase(case="L-1", title="", level=4, as_of=AT, given=given, expect=Wanted(decision="BLOCK"))
        file = build_workspace(golden, houses[given.organisation])
        with bench.office(houses[given.organisation]) as opened:
            office = replace(opened, as_of=AT)
            review = take_in(office, file)
            asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=_nobody), _nobody))
            texts = [
                passage.text for passage in (*office.index.passages(), *office.index.search(CANARY), *office.index.search("vault backups"))
            ]
            texts += [answer.answer for answer in (*office.index.prior_answers(), *office.index.search_prior(CANARY))]
            records = office.ledger.latest_records(review.id).values()
            texts += [exhibit for record in records for exhibit in map(str, record.dossier.exhibits.values())]
            entry = report(office, review)["questions"][0]
            told[given.organisation] = (texts, json.dumps({**entry, "text": ""}, default=str))
    texts, shown = told["Millrace Ltd"]
    seen = [*texts, shown, *_kept(houses["Millrace Ltd"])]
    leaked = [text[:80] for text in seen if SECRET in text]
    steps = (
        step("the owner finds its own word", "yes", "yes" if any(SECRET in text for text in told["Quern Ltd"][0]) else "no"),
        step("texts of the other one that hold it", "none", "; ".join(leaked) or "none"),
    )
    amount = Decimal(len(leaked))
    score = Score(metric="cross_organisation_leakage", case_id=case.case_id, amount=amount, of=len(seen), authority=Authority.DETERMINISTIC)
    return Outcome(steps, (score,))


def _kept(house: Path) -> Iterator[str]:
    """Every file that the organisation's own state holds, as text."""
    for path in sorted((house / ".trustops").rglob("*")):
        if path.is_file():
            yield path.read_bytes().decode("utf-8", "replace")


def _nobody(kind: str, question: str, data: Any) -> None:
    """Nobody watches."""


SUITE = Suite("evidence", "freshness, authority, and organisations apart", evidence_cases, play_evidence)
