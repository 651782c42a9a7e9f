"""Advice on one answer: the four advisory judges, beside the rules that decided. Shown to a person, kept nowhere, believed by no gate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from trustops.domain.answer import AnswerVersion
from trustops.evaluation.judging import ADVISORY, Calibration, Judge, Judged, Unjudged, Worth, ask, worth
from trustops.operations.answering import alone
from trustops.operations.office import Office
from trustops.ports import ModelClient


def shown(asked: str, answer: AnswerVersion) -> Mapping[str, Any]:
    """What an advisory judge sees: question, answer and the sentences that it quotes."""
    quotes = dict.fromkeys(citation.quote for claim in answer.claims for citation in claim.citations)
    cells = [cell.value for cell in answer.cells if cell.value != answer.text]
    return {"question": asked, "answer": answer.text, "cells": cells, "quotes": list(quotes), "determination": answer.determination.value}


def advise(
    office: Office, client: ModelClient, asked: str, answer: AnswerVersion, known: Sequence[Calibration]
) -> tuple[tuple[str, Judged | Unjudged, Worth], ...]:
    """Every advisory judge's opinion with what it is worth, in order. One that fails is Unjudged; the others are asked all the same."""

    async def all_of_them() -> list[tuple[str, Judged | Unjudged]]:
        try:
            return [(name, await ask(Judge(name, client, office.roster), shown(asked, answer))) for name in ADVISORY]
        finally:
            close = getattr(client, "close", None)
            if close is not None:
                await close()

    found = asyncio.run(alone(office, all_of_them()))
    return tuple((name, said, worth(said.grader, known) if isinstance(said, Judged) else Worth(False, said.why)) for name, said in found)
