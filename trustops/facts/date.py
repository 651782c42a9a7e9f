"""Dates, months, quarters, halves, years and periods, with the role that the words around them give.

Both parts of a numeric date up to twelve make it ambiguous: the two readings are kept and none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from trustops.facts.lexicon import alternation, flat, load, squeeze
from trustops.facts.nouns import Date, Fact
from trustops.facts.page import Page, free

Role = Literal["issued", "expires", "effective", "observed", "due", "unknown"]


@dataclass(frozen=True, slots=True)
class Day:
    """A date as written: its value and where it stands; two readings make it ambiguous."""

    start: int
    end: int
    value: str
    readings: tuple[str, ...] = ()


def _month(word: str) -> int:
    return int(load("dates")["months"][word.lower().rstrip(".")])


@cache
def _english() -> re.Pattern[str]:
    month = rf"(?:{alternation(load('dates')['months'])})\.?"
    ordinal = r"(?:st|nd|rd|th)?"
    return re.compile("|".join([
        r"(?<![\d-])(?P<iso>\d{4}-\d{2}-\d{2})(?![\d-])(?:T[\d:]+Z?)?",
        r"(?<![\d-])(?P<isoq>\d{4})[-\s]?Q(?P<isoqn>[1-4])(?!\d)", r"(?<![\d-])(?P<isoh>\d{4})-?H(?P<isohn>[12])(?!\d)",
        r"(?<![\d-])(?P<isom>\d{4}-(?:0[1-9]|1[0-2]))(?![\d-])",
        rf"(?<![\w.])(?P<d>\d{{1,2}}){ordinal}\s+(?:of\s+)?(?P<m>{month})(?![a-z])(?:,?\s+(?P<y>\d{{4}}))?",
        rf"(?<![\w.])(?P<d5>\d{{1,2}}){ordinal}\s*(?:-|to|and|through|until)\s*(?P<d6>\d{{1,2}}){ordinal}\s+(?:of\s+)?(?P<m5>{month}),?\s+(?P<y5>\d{{4}})",
        rf"(?<!\w)(?P<m6>{month})\s+(?P<d7>\d{{1,2}})\s*(?:-|to|and|through)\s*(?P<d8>\d{{1,2}}),?\s+(?P<y6>\d{{4}})",
        rf"(?<!\w)(?P<m2>{month})\s+(?P<d2>\d{{1,2}}){ordinal}(?!\d)(?:,?\s+(?P<y2>\d{{4}}))?",
        rf"(?<!\w)(?P<m3>{month}),?\s+(?:of\s+)?(?P<y3>\d{{4}})(?!\d)",
        r"(?<![\w./])(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})(?P=sep)(?P<y4>\d{4})(?![\d/])",
        r"(?<!\w)(?:(?P<qn>Q[1-4])|(?:the\s+)?(?P<qw>first|second|third|fourth|last)\s+quarter)(?:\s+of|,)?\s+(?P<qy>\d{4})(?!\d)",
        r"(?<!\w)(?:(?P<hn>H[12])|(?:the\s+)?(?P<hw>first|second)\s+half)(?:\s+of|,)?\s+(?P<hy>\d{4})(?!\d)",
        r"(?<![\w.,/:-])(?P<year>(?:19|20)\d{2})(?![\w/:-]|\.\d|,\d)",
    ]), re.I)  # fmt: skip


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile("|".join([
        r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", r"(?P<qy>\d{4})年?第?(?P<q>[一二三四1-4])季度",
        r"(?P<hy>\d{4})年(?P<h>[上下])半年", r"(?P<y2>\d{4})年(?P<m2>\d{1,2})月份?", r"(?<!\d)(?P<m3>\d{1,2})月(?P<d3>\d{1,2})[日号]",
        r"(?P<year>(?:19|20)\d{2})年度?(?!第|\d)", r"(?P<d4>\d{1,2})[日号](?!内|前|后|之)",
    ]))  # fmt: skip


def _iso(year: str | int, month: str | int | None = None, day: str | int | None = None) -> str:
    parts = [f"{int(year):04d}", *(f"{int(part):02d}" for part in (month, day) if part)]
    return "-".join(parts)


def _english_day(match: re.Match[str]) -> Day | None:
    g: Any = match
    span = match.span()
    if g["iso"] or g["isom"]:
        return Day(*span, g["iso"] or g["isom"])
    if g["isoq"] or g["isoh"]:
        return Day(*span, f"{g['isoq']}-Q{g['isoqn']}" if g["isoq"] else f"{g['isoh']}-H{g['isohn']}")
    if g["d5"] or g["d7"]:
        year, month = g["y5"] or g["y6"], _month(g["m5"] or g["m6"])
        return Day(*span, f"{_iso(year, month, g['d5'] or g['d7'])}/{_iso(year, month, g['d6'] or g['d8'])}")
    if g["d"] or g["d2"]:
        year, month, day = g["y"] or g["y2"], _month(g["m"] or g["m2"]), int(g["d"] or g["d2"])
        return Day(*span, _iso(year, month, day) if year else f"?-{month:02d}-{day:02d}") if 1 <= day <= 31 else None
    if g["m3"]:
        return Day(*span, _iso(g["y3"], _month(g["m3"])))
    if g["a"]:
        return _numeric(span, int(g["a"]), int(g["b"]), g["y4"], g["sep"])
    return _part_of_year(match)


def _part_of_year(match: re.Match[str]) -> Day:
    data = load("dates")
    if match["qy"]:
        number = match["qn"][1] if match["qn"] else data["quarters"][match["qw"].lower()]
        return Day(*match.span(), f"{match['qy']}-Q{number}")
    if match["hy"]:
        number = match["hn"][1] if match["hn"] else data["halves"][match["hw"].lower()]
        return Day(*match.span(), f"{match['hy']}-H{number}")
    return Day(*match.span(), match["year"])


def _numeric(span: tuple[int, int], first: int, second: int, year: str, separator: str) -> Day | None:
    if first > 12 and second <= 12:
        return Day(*span, _iso(year, second, first))
    if second > 12 and first <= 12:
        return Day(*span, _iso(year, first, second))
    if max(first, second) > 12 or min(first, second) == 0:
        return None
    if first == second:
        return Day(*span, _iso(year, first, second))
    readings = sorted([_iso(year, first, second), _iso(year, second, first)])
    return Day(*span, "ambiguous", tuple(readings))


def _chinese_day(match: re.Match[str]) -> Day:
    g, data = match, load("dates")
    if g["y"]:
        return Day(*g.span(), _iso(g["y"], g["m"], g["d"]))
    if g["q"]:
        return Day(*g.span(), f"{g['qy']}-Q{data['quarters'][g['q']]}")
    if g["h"]:
        return Day(*g.span(), f"{g['hy']}-H{data['halves'][g['h']]}")
    if g["y2"]:
        return Day(*g.span(), _iso(g["y2"], g["m2"]))
    if g["m3"]:
        return Day(*g.span(), f"?-{int(g['m3']):02d}-{int(g['d3']):02d}")
    if g["d4"]:
        return Day(*g.span(), f"?-?-{int(g['d4']):02d}")
    return Day(*g.span(), g["year"])


def _days(page: Page) -> Iterator[Day]:
    for match in _english().finditer(page.text):
        day = _english_day(match)
        if day is not None:
            yield day
    if page.language == "zh":
        yield from (_chinese_day(match) for match in _chinese().finditer(page.text))


_TO = re.compile(r"\s*(?:to|through|until|till|and|-|起?[至到]|~|～)\s*", re.I)
_FROM = re.compile(r"(?:between|from)\s+$", re.I)
_ENDED = re.compile(r"(?:(?:twelve|12|six|6|three|3|nine|9)[\s-]months?|year|quarter)(?:\s+period)?\s+(?:ended|ending)\s+(?:on\s+)?$", re.I)
_MONTHS = {"twelve": 12, "12": 12, "six": 6, "6": 6, "three": 3, "3": 3, "nine": 9, "9": 9, "year": 12, "quarter": 3}


def _joined(page: Page, days: list[Day]) -> Iterator[Day]:
    """Neighbouring dates joined to a period; a part without a year takes the year of the other."""
    index = 0
    while index < len(days):
        day = days[index]
        follower = days[index + 1] if index + 1 < len(days) else None
        link = page.text[day.end : follower.start] if follower else ""
        opened = _FROM.search(page.text[: day.start])
        if "/" in day.value:
            yield Day(opened.start() if opened else day.start, day.end, day.value)
            index += 1
            continue
        is_range = follower is not None and _TO.fullmatch(link) and (link.strip().lower() != "and" or opened)
        if follower is not None and is_range and "ambiguous" not in (day.value, follower.value):
            low, high = _filled(day.value, follower.value)
            yield Day(opened.start() if opened else day.start, follower.end, f"{low}/{high}")
            index += 2
            continue
        yield _ended(page, day)
        index += 1


def _filled(low: str, high: str) -> tuple[str, str]:
    if low.startswith("?") and not high.startswith("?"):
        return high[:4] + low[1:], high
    if high.startswith("?-?"):
        return low, low[:7] + high[3:]
    return low, low[:4] + high[1:] if high.startswith("?") else high


def _ended(page: Page, day: Day) -> Day:
    match = _ENDED.search(page.text[: day.start])
    if match is None or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day.value):
        return day
    months = next(count for word, count in _MONTHS.items() if match.group().lower().startswith(word))
    year, month, last = int(day.value[:4]), int(day.value[5:7]), int(day.value[8:])
    index = year * 12 + month - months
    start = (
        _iso(index // 12, index % 12 + 1, 1) if last >= 28 else _iso(index // 12 if month != months else year, index % 12 or 12, last + 1)
    )
    return Day(match.start(), day.end, f"{start}/{day.value}")


@cache
def _cue(language: str, side: str) -> tuple[re.Pattern[str], dict[str, str]]:
    roles = flat(load("dates")["roles"][language].get(side, {}))
    if language == "en":
        return re.compile(
            rf"(?<![A-Za-z])(?P<cue>{alternation(roles)})\s*(?:the\s+|of\s+|in\s+|on\s+|is\s+|:|,|-|period\s+|date\s+|for\s+|between\s+|from\s+|was\s+|\s+)*$",
            re.I,
        ), roles
    if side == "before":
        return re.compile(rf"(?P<cue>{alternation(roles)})\s*(?:为|是|在|于|：|:|到)*$"), roles
    return re.compile(rf"\s*(?P<cue>{alternation(roles)})"), roles


def _role(page: Page, day: Day) -> Role:
    text = page.text
    for language in dict.fromkeys((page.language, "en")):
        pattern, roles = _cue(language, "before")
        start = max(0, day.start - 40)
        before = pattern.search(text[start : day.start])
        if before and "/" in day.value and before["cue"] in ("自", "从"):
            before = pattern.search(text[start : start + before.start()])  # 自…起至…止 is a period, and no beginning of validity
        if before:
            return _settled(page, day, roles[squeeze(before["cue"])])
    if page.language == "zh":
        pattern, roles = _cue("zh", "after")
        behind = pattern.match(text, day.end)
        if behind:
            return roles[behind["cue"]]  # type: ignore[return-value]
        if _happened(page, day):
            return "observed"
    return _from_clause(page, day)


_LAST = re.compile(r"\b(?:last|latest|previous|most\s+recent)\b[^;]*$|上一?次[^，；]*$|最近一次[^，；]*$", re.I)


_HAPPENED = re.compile(
    r"[^，。；]{0,4}(?:共|抽查|复核了|完成|检查|测试了|进行了)|[^，。；]{0,3}(?:举行|召开|举办|修复|整改|关闭|发生|取得|获得|通过|批准|审议|更新|修订|审核|复核|恢复|结束|中断|开展|实施|钓鱼|经[^，。；]{1,8}(?:批准|审批|审议))"
)
_REPORTS = frozenset(["record", "audit_report", "pen_test"])


def _happened(page: Page, day: Day) -> bool:
    """A day on which something was done: a verb behind it, or the head of a report's sentence; never where something is planned."""
    clause = re.split(r"[;；。]", page.text[: day.start])[-1]
    if _future().search(clause) or _future().search(re.split(r"[，；。]", page.text[day.end :])[0]):
        return False
    opens = page.doc in _REPORTS and not clause.strip("在于 ") and page.text[day.end : day.end + 1] in "，,"
    return bool(_HAPPENED.match(page.text, day.end)) or opens


_DONE = re.compile(r"\b(?:had|has|have|was|were)\s+(?:\w+\s+)?\w+ed\b|\b(?:had|has|have)\s+been\b", re.I)


def _settled(page: Page, day: Day, role: str) -> Role:
    """ "had finished by 15 November" was observed then, it is not due."""
    clause = re.split(r"[;；]", page.text[: day.start])[-1]
    reported = page.doc in _REPORTS and re.search(r"[a-z]ed\s+by\s+$", page.text[: day.start])
    done = page.language == "en" and (_DONE.search(clause) or reported)
    return "observed" if role == "due" and done else role  # type: ignore[return-value]


@cache
def _future() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{alternation(load('dates')['future_cues'])})")


def _from_clause(page: Page, day: Day) -> Role:
    clause = re.split(r"[;；。]", page.text[: day.start])[-1].lower()
    if _LAST.search(clause) and not _future().search(clause):
        return "observed"
    if page.language == "zh" and page.text.startswith("止", day.end) and "有效" in page.text[: day.start]:
        return "expires"
    if _future().search(clause) and "/" not in day.value:
        return "due"
    if "/" in day.value:
        return "effective" if re.search(r"valid|in force|\beffective\b|有效", clause[-30:]) else "observed"
    if re.search(
        r"(?:was|were|been|completed|tested|performed|reviewed|found|passed|ed)\b[^,]{0,30}$", clause
    ) and not clause.rstrip().endswith(("until", "since", "the", "of")):
        return "observed"
    return "observed" if _stamped(page, day) or (page.language == "en" and _reported(page, day, clause)) else "unknown"


def _stamped(page: Page, day: Day) -> bool:
    """A day or month of a report is one on which something was seen; a bare year may name anything."""
    before = page.text[: day.start].rstrip().lower()
    return page.doc in _REPORTS and len(day.value) > 4 and "ambiguous" not in day.value and not before.endswith(("until", "since", "直到"))


_LEAD = re.compile(r"(?:^|[\s(,])(?:on|in|during|at)\s+(?:the\s+)?$|^\W*$")
_PAST_VERB = re.compile(r"\s*(?:,\s*)?[^,.;:]*?\b(?:was|were|did|had|took|found|held|[a-z]{3,}ed)\b")
_NOW = re.compile(r"\b(?:is|are|has|have|will|must|shall|may|can|should)\b")


def _reported(page: Page, day: Day, clause: str) -> bool:
    """ "On 17 February the gateway was restored": a day in front of a verb of the past."""
    verb = _PAST_VERB.match(page.text, day.end)
    return bool(_LEAD.search(clause) and verb and not _NOW.search(verb.group()) and not _NOW.search(clause))


@cache
def _vague_pattern(language: str) -> re.Pattern[str]:
    data = load("dates")["vague"]
    return re.compile(r"(?<!\w)(?:" + "|".join(data["en"]) + ")" if language == "en" else "|".join([*data["zh"], *data["en"]]), re.I)


def _vague(page: Page) -> Iterator[Day]:
    for match in _vague_pattern(page.language).finditer(page.text):
        yield Day(*match.span(), "ambiguous")


def _without_year(value: str) -> bool:
    return "?" in value


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Dates and periods of a page that touch no outer fact (an edition such as 27001:2022 is no date)."""
    found: list[Fact] = []
    outer = list(taken)
    days: list[Day] = []
    for day in sorted([*_vague(page), *_days(page)], key=lambda d: (d.start, -d.end)):
        clear = free(day.start, day.end, outer) and (not days or day.start >= days[-1].end)
        if clear:
            days.append(day)
    for day in _joined(page, days):
        if _without_year(day.value):
            continue
        fact = Date(
            day.start, day.end, page.surface(day.start, day.end), day.value, _role(page, day), day.value == "ambiguous", day.readings
        )
        found.append(fact)
    return found
