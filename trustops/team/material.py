"""How exhibits are shown to a model: the same typed views for real models (rendered, fenced) and for the offline provider."""

from __future__ import annotations

from typing import Any

from trustops.domain.control import ControlReading
from trustops.domain.dossier import Dossier
from trustops.domain.evidence import Passage, PriorAnswer
from trustops.domain.question import Question


def question_view(question: Question) -> dict[str, Any]:
    """The question as asked, with its answer cells."""
    cells = [{"part": a.part, "kind": a.kind.value, "vocabulary": list(a.vocabulary)} for a in question.answers]
    told = {"ref": question.ref, "section": question.section, "text": question.text, "cells": cells}
    if question.conversation:  # what went before: context to understand the question by, never evidence
        told["conversation"] = [turn.model_dump() for turn in question.conversation]
    return told


def passage_view(passage: Passage) -> dict[str, Any]:
    """A passage with what a reader must know to weigh it."""
    document = passage.document
    return {
        "id": passage.id,
        "file": document.path,
        "title": document.title,
        "kind": document.kind.value,
        "authority": document.authority,
        "classification": document.classification.value,
        "effective": document.effective.isoformat() if document.effective else None,
        "expires": document.expires.isoformat() if document.expires else None,
        "products": list(document.products),
        "heading": list(passage.heading),
        "concealed": passage.concealed,
        "text": passage.text,
    }


def prior_view(answer: PriorAnswer) -> dict[str, Any]:
    """An earlier answer. The colleague's remark beside it is for people, not for models."""
    when = answer.answered_on.isoformat() if answer.answered_on else None
    return {"id": answer.id, "file": answer.file, "question": answer.question, "answer": answer.answer, "answered_on": when}


def reading_view(reading: ControlReading) -> dict[str, Any]:
    """A control and what code makes of its newest snapshot. `says` is the sentence that may be cited."""
    return {
        "id": reading.id,
        "control": reading.control.id,
        "title": reading.control.title,
        "scope": reading.control.scope,
        "evaluation": reading.evaluation.value,
        "says": reading.says,
    }


def case_view(dossier: Dossier) -> dict[str, Any]:
    """The question's case file as Answer and Reviewer are both shown it, letter by letter: without restricted text, which is sent to no
    model."""
    shown = dossier.for_models()
    return {
        "question": question_view(dossier.question),
        "asks": list(dossier.asks),
        "passages": [passage_view(p) for p in shown.passages],
        "prior_answers": [prior_view(a) for a in shown.prior_answers],
        "readings": [reading_view(r) for r in shown.readings],
    }
