"""Variants of the blocking golden cases: other numbers, words, languages and layouts, so that blocking recall is of more than eleven cases.

Words come from golden/variants/families.yaml; numbers, dates, names, layouts and the company are drawn here, from a seed: the same seed
gives the same cases on every machine. What must come of a family is what its golden case says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from trustops.evaluation.case import Case, unique
from trustops.evaluation.lined import parsed
from trustops.evaluation.papers import LAYOUTS, lay_out
from trustops.roster import shipped

SEED = 7
COMPANIES = ("Halden Systems Ltd", "Okapi Data GmbH", "Seefeld Analytics AG", "Tarn Software Inc.", "Juniper Ridge Labs")
Topic = Mapping[str, Any]
Made = tuple[dict[str, Any], dict[str, Any]]
LOCKED = {"decision": "BLOCK", "approval": "LOCKED", "export_gate": "BLOCKED"}


class Draw:
    """What is drawn for one variant."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.n, self.m = self.chance.randint(11, 40), self.chance.randint(45, 98)
        self.now = datetime(2026, self.chance.randint(3, 11), self.chance.randint(1, 28), self.chance.randint(6, 18), tzinfo=UTC)
        self.layout = self.chance.choice(LAYOUTS)
        self.company = self.chance.choice(COMPANIES)
        self.kind = self.chance.choice(("policy", "standard", "procedure"))

    def days(self, low: int, high: int) -> timedelta:
        """A number of days between both, both included."""
        return timedelta(days=self.chance.randint(low, high))


def variants(path: Path | None = None, seed: int = SEED) -> tuple[Case, ...]:
    """Every variant: one for each topic of each family."""
    path = path or shipped("golden") / "variants" / "families.yaml"
    _, families = parsed(path)
    found = (_case(family, number, topic, seed) for family, topics in families.items() for number, topic in enumerate(topics, start=1))
    return unique(found, where=path.name)


def _case(family: str, number: int, topic: Topic, seed: int) -> Case:
    base, dimension, make = FAMILIES[family]
    draw = Draw(f"{seed}:{family}:{number}")
    words = {key: _filled(value, draw, topic) for key, value in topic.items()}
    given, expect = make(words, draw)
    case_id = f"{base}/{family}-{number}"
    title = f"{family} {number}, {topic['lang']}, {draw.layout}: {words['asks']}"
    common = {"organisation": draw.company, "as_of": draw.now, "question": words["asks"]}
    return Case(
        case_id=case_id,
        title=title,
        level=4,
        dimension=dimension,
        kind="golden",
        set="regression",
        source=f"generated from golden/variants/families.yaml, seed {seed}",
        input=common | given,
        expect=LOCKED | expect,
    )


def _filled(value: Any, draw: Draw, topic: Topic) -> Any:
    if not isinstance(value, str):
        return value
    name = str(topic.get("name", "")).replace("{n}", str(draw.n))
    return value.replace("{n}", str(draw.n)).replace("{m}", str(draw.m)).replace("{name}", name)


def _paper(sentence: str, draw: Draw, topic: Topic, **changes: Any) -> dict[str, Any]:
    """A document in force that says the sentence, in the drawn layout."""
    title = changes.get("title") or ("管理规范" if topic["lang"] == "zh" else "Security handbook")
    path, text = lay_out(draw.layout, title, sentence, topic["lang"], name=changes.pop("name", "handbook"))
    effective = (draw.now - draw.days(20, 200)).date()
    found = {"path": path, "text": text, "title": title, "kind": draw.kind, "effective": effective}
    return found | {"expires": date(effective.year + 1, effective.month, min(effective.day, 28))} | changes


def _cited(paper: Mapping[str, Any], sentence: str) -> list[dict[str, str]]:
    return [{"file": f"evidence/{paper['path']}", "quote": sentence}]


def _control(topic: Topic, draw: Draw, *, counted: int, of: int, age: timedelta) -> dict[str, Any]:
    name = topic["id"]
    control = {
        "id": name,
        "title": f"Count of {name}",
        "topics": topic["words"],
        "scope": "everything counted",
        "measure": {"ratio": ["counted", "total"]},
        "expect": {"equals": 1},
        "max_age": "24h",
        "risk": draw.chance.choice(("medium", "high")),
        "source": {"collector": "file", "path": f"snapshots/{name}.json"},
    }
    observed = (draw.now - age).isoformat().replace("+00:00", "Z")
    return {"controls": [control], "snapshots": {name: {"observed_at": observed, "values": {"counted": counted, "total": of}}}}


def _drift(topic: Topic, draw: Draw) -> Made:
    of = draw.chance.randint(40, 900)
    paper = _paper(topic["says"], draw, topic)
    given = _control(topic, draw, counted=of - draw.chance.randint(1, 9), of=of, age=timedelta(hours=draw.chance.randint(1, 20)))
    shown = {"code": "CONTROL_DRIFT", "exhibit": f"S-{topic['id']}@1"}
    return {"documents": [paper], **given}, {"control_evaluation": {topic["id"]: "DRIFT"}, "findings": [shown]}


def _stale(topic: Topic, draw: Draw) -> Made:
    of = draw.chance.randint(40, 900)
    paper = _paper(topic["says"], draw, topic)
    given = _control(topic, draw, counted=of, of=of, age=timedelta(hours=draw.chance.randint(25, 2000)))
    shown = {"code": "STALE_CONTROL_SNAPSHOT", "exhibit": f"S-{topic['id']}@1"}
    return {"documents": [paper], **given}, {"control_evaluation": {topic["id"]: "STALE"}, "findings": [shown]}


def _earlier(topic: Topic, draw: Draw, answer: str) -> dict[str, Any]:
    return {"prior_answers": [{"question": topic["before"], "answer": answer, "answered_on": (draw.now - draw.days(300, 700)).date()}]}


def _scope(topic: Topic, draw: Draw) -> Made:
    given, expect = _drift(topic, draw)
    clash = {"code": "CONTRADICTION", "exhibit": "answers/earlier.csv"}
    return given | _earlier(topic, draw, topic["less"]), expect | {
        "conflicts": ["SCOPE_MISMATCH"],
        "findings": [*expect["findings"], clash],
    }


def _values(topic: Topic, draw: Draw) -> Made:
    one = _paper(topic["says"], draw, topic)
    other = _paper(
        topic["other"], draw, topic, name="agreement", title="附件协议" if topic["lang"] == "zh" else "Service agreement", kind="contract"
    )
    found = [{"code": "CONTRADICTION", "exhibit": f"evidence/{paper['path']}"} for paper in (one, other)]
    return {"documents": [one, other]}, {"conflicts": ["VALUE_MISMATCH"], "findings": found}


def _expired(topic: Topic, draw: Draw) -> Made:
    ended = (draw.now - draw.days(1, 400)).date()
    begun = date(ended.year - 1, ended.month, min(ended.day, 28))
    paper = _paper(topic["says"], draw, topic, title=topic["title"], kind=topic["kind"], effective=begun, expires=ended)
    return {"documents": [paper]}, {"findings": [{"code": "EXPIRED_EVIDENCE", "exhibit": f"evidence/{paper['path']}"}]}


def _missing(topic: Topic, draw: Draw) -> Made:
    return {"documents": [_paper(topic["says"], draw, topic)]}, {"determination": "UNKNOWN", "findings": [{"code": "MISSING_EVIDENCE"}]}


def _reversed(topic: Topic, draw: Draw) -> Made:
    given = {"documents": [_paper(topic["says"], draw, topic)], **_earlier(topic, draw, topic["more"])}
    return given, {"conflicts": ["SUPPORT_MISMATCH"], "findings": [{"code": "CONTRADICTION", "exhibit": "answers/earlier.csv"}]}


def _seats(text: str, citations: list[dict[str, str]]) -> dict[str, Any]:
    """An Answer seat that says it, and a Reviewer that lets it pass."""
    proposes = {"determination": "YES", "text": text, "citations": citations}
    return {"answer": {"proposes": proposes}, "reviewer": {"reply": {"decision": "PASS", "findings": []}}}


def _overcommitted(topic: Topic, draw: Draw) -> Made:
    paper = _paper(topic["says"], draw, topic)
    given = {"documents": [paper], "seats": _seats(topic["more"], _cited(paper, topic["says"]))}
    return given, {"decision_source": "RULES", "findings": [{"code": "OVERCOMMITMENT"}]}


def _forged(topic: Topic, draw: Draw) -> Made:
    passage = f"P-{draw.chance.getrandbits(48):012x}"
    said = ("是。" if topic["lang"] == "zh" else "Yes. ") + topic["says"]
    given = {"documents": [_paper(topic["says"], draw, topic)], "seats": _seats(said, [{"passage": passage, "quote": topic["says"]}])}
    return given, {"decision_source": "RULES", "findings": [{"code": "INVALID_CITATION", "exhibit": passage}]}


def _disclosed(topic: Topic, draw: Draw) -> Made:
    paper = _paper(topic["says"], draw, topic)
    title = "内部手册" if topic["lang"] == "zh" else "Operator notes"
    inside = _paper(topic["inside"], draw, topic, name="notes", title=title, kind="procedure", classification="internal")
    given = {"documents": [paper, inside], "seats": _seats(topic["more"], _cited(paper, topic["says"]))}
    shown = {"code": "SENSITIVE_DISCLOSURE", "exhibit": f"evidence/{inside['path']}"}
    return given, {"decision_source": "RULES", "findings": [shown]}


def _failing(topic: Topic, draw: Draw) -> Made:
    given = {"documents": [_paper(topic["says"], draw, topic)], "seats": {"reviewer": {"fault": topic["fault"]}}}
    failed = {"review_status": "FAILED", "decision_source": "SYSTEM_FAIL_CLOSED"}
    return given, failed | {"findings": [{"code": "REVIEWER_UNAVAILABLE", "exhibit": "reviewer"}]}


Make = Callable[[Topic, Draw], Made]
FAMILIES: dict[str, tuple[str, str, Make]] = {
    "drift": ("G-002", "control", _drift),
    "stale": ("G-011", "control", _stale),
    "scope": ("Q-005", "workflow", _scope),
    "values": ("G-003", "evidence", _values),
    "expired": ("G-004", "evidence", _expired),
    "missing": ("G-005", "evidence", _missing),
    "reversed": ("G-006", "evidence", _reversed),
    "overcommitted": ("G-007", "answer", _overcommitted),
    "forged": ("G-008", "answer", _forged),
    "disclosed": ("G-009", "answer", _disclosed),
    "failing": ("G-012", "reviewer", _failing),
}
"""The golden case that a family varies, its dimension, and how a variant is made."""
