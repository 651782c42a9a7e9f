"""Harm: a text of a customer, a document or a model runs as a program in an approver's browser, or makes it tell somebody something."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Seen, Site, hosting, watched
from tests.browser.payloads import payloads
from tests.conftest import House, _open
from trustops.domain.answer import AnswerVersion
from trustops.domain.control import Snapshot
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.question import Exchange, Follows
from trustops.operations.office import Office
from trustops.ports import QuestionRecord, StoredReview

PERSON = "Dee"
EACH = 10
"""Payloads on one question: its text, its answer, its claims, its passages, its findings, its cells."""


def poisoned(record: QuestionRecord, texts: list[str]) -> QuestionRecord:
    """The record with a payload in every text that a page shows."""
    dossier = record.dossier
    document = dossier.passages[0].document.model_copy(update={"title": texts[0], "path": f"evidence/{texts[1]}.md", "owner": texts[2]})
    passages = [
        Passage.model_validate(
            {**dossier.passages[0].model_dump(), "id": f"P-{n}", "document": document, "text": text, "heading": (text,), "locator": text}
        )
        for n, text in enumerate(texts)
    ]
    prior = PriorAnswer(id="A-1", file=texts[3], locator=texts[4], question=texts[5], answer=texts[6], customer=texts[7], sha256="0" * 64)
    findings = tuple(f.model_copy(update={"summary": texts[8], "remedy": f"`{texts[9]}`"}) for f in record.result.findings)
    conflict = {"kind": "SCOPE_MISMATCH", "left": {"exhibit": "P-1", "quote": texts[1]}, "right": {"exhibit": "gone", "quote": texts[2]}}
    return record.model_copy(
        update={
            "dossier": dossier.model_copy(update={"passages": tuple(passages), "prior_answers": (prior,)}),
            "result": record.result.model_copy(update={"findings": findings}),
            "conflicts": (conflict,),
        }
    )


@pytest.fixture(scope="module")
def hostile(chromium: Browser, reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, StoredReview]]:
    """A console over books in which every text is an attack."""
    del chromium
    folder = tmp_path_factory.mktemp("hostile") / "kestrel"
    shutil.copytree(reviewed, folder)
    house = _open(folder)
    texts = payloads()
    groups = {f"H-{at // EACH}": texts[at : at + EACH] for at in range(0, len(texts), EACH)}
    with house.office.ledger.writing():
        review = written(house, groups)
        poison_readings(house.office, texts)
    one = house.office.index.passages()[0].model_dump()
    indexed = [{**one, "id": f"P-x{n}", "text": text, "heading": (text,), "sha256": f"{n:064}"} for n, text in enumerate(texts)]
    house.office.index.rebuild([Passage.model_validate(passage) for passage in indexed], ())
    with hosting(house.office) as site:
        yield site, review


def written(house: House, groups: dict[str, list[str]]) -> StoredReview:
    """A review whose questions, records and answers are made of the payloads."""
    ledger, old = house.office.ledger, house.review
    one = old.questionnaire.questions[0]
    asked = tuple(one.model_copy(update={"ref": ref, "text": " ".join(group), "section": group[0]}) for ref, group in groups.items())
    first = next(iter(groups.values()))
    sheet = old.questionnaire.model_copy(update={"file": f"{first[0]}.csv", "questions": asked})
    review = old.model_copy(update={"id": "R-bad0bad0bad0", "questionnaire": sheet})
    run = ledger.runs(old.id)[-1].model_copy(update={"id": f"{review.id}.1", "review": review.id, "questions": tuple(groups)})
    record, answer = ledger.latest_records(old.id)["K-1"], ledger.latest_answers(old.id)["K-1"]
    ledger.append_review(review)
    ledger.append_run(run)
    for ref, group in groups.items():
        ledger.append_record(review.id, poisoned(record, group).model_copy(update={"question": ref, "run": run.id}))
        for version in (1, 2):
            ledger.append_answer(review.id, answered(answer, ref, version, group))
    for at, (ref, group) in enumerate(groups.items()):
        followed(house, review, ref, at, group)
    ledger.append_event(run.id, "run_started")
    ledger.append_event(run.id, "finding", question="H-1", data={"code": first[3], "summary": first[4]})
    ledger.end_run(run.id, "FINISHED")
    ledger.append_event(run.id, "run_finished")
    return review


def followed(house: House, root: StoredReview, ref: str, at: int, group: list[str]) -> None:
    """A follow-up to a question whose words, and whose conversation, are payloads."""
    ledger, asked = house.office.ledger, next(q for q in root.questionnaire.questions if q.ref == ref)
    talk = tuple(Exchange(asked=text, answered=group[-1 - n]) for n, text in enumerate(group))
    question = asked.model_copy(update={"ref": f"{ref}+1", "conversation": talk})
    sheet = root.questionnaire.model_copy(update={"questions": (question,)})
    follows = Follows(review=root.id, question=ref, number=1)
    case = root.model_copy(update={"id": f"F-bad{at:09x}", "questionnaire": sheet, "follows": follows})
    record, answer = ledger.latest_records(house.review.id)["K-1"], ledger.latest_answers(house.review.id)["K-1"]
    ledger.append_review(case)
    ledger.append_record(case.id, poisoned(record, group).model_copy(update={"question": question.ref, "run": f"{case.id}.1"}))
    ledger.append_answer(case.id, answered(answer, question.ref, 1, group))


def answered(answer: AnswerVersion, ref: str, version: int, group: list[str]) -> AnswerVersion:
    """A version all of whose texts are payloads, each cited from the passage that holds it."""
    claim, cited = answer.claims[0], answer.claims[0].citations[0]
    claims = tuple(
        claim.model_copy(update={"text": text, "citations": (cited.model_copy(update={"exhibit": f"P-{at}", "quote": text}),)})
        for at, text in enumerate(group)
    )
    cells = tuple(cell.model_copy(update={"value": group[version]}) for cell in answer.cells)
    told = {"question": ref, "version": version, "text": " ".join(group[version:]), "claims": claims, "cells": cells, "pivot": group[9]}
    return answer.model_copy(update={**told, "attachments": (group[4],), "author": group[5]}).sealed()


def poison_readings(office: Office, texts: list[str]) -> None:
    newest = office.ledger.latest_snapshots()["disk-encryption"].model_dump()
    told = {"version": 9, "values": {**newest["values"], texts[1]: texts[2]}, "collector": texts[5], "sha256": "9" * 64}
    office.ledger.append_snapshot(Snapshot.model_validate({**newest, **told}))


def addresses(site: Site, review: StoredReview) -> list[str]:
    """Every page that shows any of it, and two that are given it in the address."""
    base = f"/reviews/{review.id}"
    parts = ("", "/mapping", "/queue", "/export", "/coverage", "/ratings", "/rows?ref=H-1&ref=H-2", "/ratings?question=H-3")
    whole = ["/reviews", "/evidence", "/controls", "/controls/disk-encryption", "/recordings", *(base + part for part in parts)]
    whole += [f"{base}/questions/{question.ref}" for question in review.questionnaire.questions]
    whole += [f"/runs/{review.id}.1/trace/{question.ref}" for question in review.questionnaire.questions]
    cases = site.office.ledger.follow_ups(review.id)
    assert len(cases) == len(review.questionnaire.questions)
    whole += [f"/reviews/{case.id}/questions/{quote(case.questionnaire.questions[0].ref)}" for case in cases]
    whole += [f"/evidence/{site.office.index.passages()[0].document.path}"]
    hostile = quote('"><script>stolen(1)</script><img src=x onerror=stolen(2)>')
    return [*whole, f"{base}?find={hostile}", f"/sign-in/link?key={hostile}", f"/reviews?done={hostile}"]


def test_a_hundred_payloads_on_every_page_run_nothing_and_ask_nobody(hostile: tuple[Site, StoredReview], chromium: Browser) -> None:
    site, review = hostile
    seen, context = Seen(), site.context(chromium, PERSON)
    called: list[object] = []
    context.expose_function("stolen", lambda *told: called.append(told))
    page = watched(context, seen)
    shown = ""
    for address in addresses(site, review):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status in (200, 404), (address, answer.status)
        shown += page.inner_text("body")
        page.mouse.move(300, 300)
    assert called == []
    assert seen.foreign(site.url) == []
    assert [told for told in seen.problems if "404" not in told] == []
    assert shown.count("What went before") == len(review.questionnaire.questions) == shown.count("What the customer asked back")
    held = shown.replace("U+", "")
    assert [text for text in payloads() if plain_start(text) not in held] == [], "a payload that is not shown was not tried"


def plain_start(text: str) -> str:
    """The beginning of a payload up to a character that is shown by its number, or to white space."""
    return re.split(r"[\s\u200b\u202e\x00]", text.lstrip("\u202e"))[0][:12]


def test_a_page_that_was_told_to_would_be_stopped_by_its_policy(hostile: tuple[Site, StoredReview], chromium: Browser) -> None:
    """The test above can fail: what it counts is counted, and the second wall stands."""
    site, _ = hostile
    seen, context = Seen(), site.context(chromium, PERSON)
    page = watched(context, seen)
    page.goto("/reviews")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=\"http://evil.example/x.png\"><b style=\"color:red\">x</b>')")
    page.evaluate("fetch('http://evil.example/y').catch(() => 0)")
    assert any("Content Security Policy" in told for told in seen.problems)
