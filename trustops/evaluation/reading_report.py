"""The reader's figures as one document for machines, every rate with its numerator and denominator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trustops.evaluation.grade import Rate
from trustops.evaluation.reading import CANONICAL, LANGUAGES, VERDICTS, Judgements, Readings, Tally, implication_gates, reading_gates
from trustops.evaluation.report import GateLine


def reading_document(file: str, told: Readings) -> dict[str, Any]:
    """Counts and rates per kind and language, totals, gates, and each slip with its sentence."""
    rows = [_tally(kind, lang, told.of(kind, lang)) for kind in CANONICAL for lang in LANGUAGES]
    slips = [{"id": s.sentence.id, "outcome": s.outcome} | {k: v for k, v in s.found.items() if v is not None} for s in told.slips]
    return {
        "file": file,
        "sentences": told.sentences,
        "kinds": rows,
        "totals": [_tally("all", lang, told.total(lang)) for lang in LANGUAGES],
        "gates": _gates(reading_gates(told)),
        "slips": slips,
    }


def implication_document(file: str, told: Judgements) -> dict[str, Any]:
    """The confusion of verdicts, all and per language, the rates of each verdict, gates, and each pair judged wrong."""
    langs = ("en", "zh", "mixed")
    wrong = [
        {"id": pair.id, "lang": pair.lang, "labelled": pair.relation, "judged": verdict, "why": why, "doubtful": bool(pair.doubtful)}
        for pair, verdict, why in told.wrong
    ]
    return {
        "file": file,
        "pairs": sum(told.counts.values()),
        "confusion": _confusion(told, None),
        "by_language": {lang: _confusion(told, lang) for lang in langs},
        "verdicts": [_verdict(told, verdict, lang) for verdict in VERDICTS for lang in (None, *langs)],
        "unproved": _rate(told.unproved),
        "gates": _gates(implication_gates(told)),
        "wrong": wrong,
    }


def _confusion(told: Judgements, lang: str | None) -> dict[str, dict[str, int]]:
    return {labelled: {judged: told.count(labelled, judged, lang) for judged in VERDICTS} for labelled in VERDICTS}


def _verdict(told: Judgements, verdict: str, lang: str | None) -> dict[str, Any]:
    precision, recall = told.rates(verdict, lang)
    return {"verdict": verdict, "lang": lang or "all", "precision": _rate(precision), "recall": _rate(recall)}


def _tally(kind: str, lang: str, tally: Tally) -> dict[str, Any]:
    return {
        "kind": kind,
        "lang": lang,
        "hits": tally.hits,
        "missed": tally.missed,
        "false": tally.false,
        "neutral": tally.neutral,
        "precision": _rate(tally.precision),
        "recall": _rate(tally.recall),
        "span_exact": _rate(Rate(tally.exact, tally.hits)),
    }


def _rate(rate: Rate) -> dict[str, float | int | None]:
    return {"hits": rate.hits, "of": rate.of, "share": rate.share}


def _gates(lines: Iterable[GateLine]) -> list[dict[str, Any]]:
    return [{"name": g.name, "value": g.value, "wanted": g.wanted, "ok": g.ok} for g in lines]
