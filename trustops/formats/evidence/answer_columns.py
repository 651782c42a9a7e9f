"""Which column of an answered questionnaire is what, by the words of its header row, and the dates people write around it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

_WORDS: dict[str, str] = {
    "answered_on": r"answered[ _]?on|answer date|date|dated|completed( on)?|last updated|datum|fecha|日期|回答日期",
    "customer": r"customer|client|company|asked by|kunde|cliente|客户|客户名称",
    "remark": r"remarks?|notes?|internal (?:note|comment)s?|comments?|bemerkung(?:en)?|remarques?|observaciones|comentarios?|备注|说明",
    "owner": r"(?:answer )?owner|responsible(?: person)?|负责人",
    "review_by": r"review (?:by|due|date)|next review|valid until|复核日期",
    "source": r"source review",
    "question": r"questions?|question text|requirements?|controls?|security question|frage|preguntas?|domanda|问题|要求",
    "answer": r"(?:our |vendor )?(?:answers?|responses?)|reply|antwort|réponses?|respuestas?|risposta|回答|答案|答复|响应",
}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?")


def columns(row: Sequence[str]) -> dict[str, int] | None:
    """The position of each known column; None where the row is no header, which needs a question and an answer."""
    found: dict[str, int] = {}
    for position, cell in enumerate(row):
        name = " ".join(cell.replace("_", " ").split()).rstrip(":?*").lower()
        role = next((role for role, words in _WORDS.items() if re.fullmatch(words, name)), None)
        if role:
            found.setdefault(role, position)
    return found if "question" in found and "answer" in found else None


def date_in(text: str) -> dt.date | None:
    """The first unambiguous date of a text; a month alone is its first day. 03/04/2026 is ambiguous and gives None."""
    for pattern, order in ((_DAY_FIRST, (2, 1, 0)), (_MONTH_FIRST, (2, 0, 1)), (_ISO, (0, 1, 2))):
        for match in pattern.finditer(text):
            year, month, day = (match.groups()[index] for index in order)
            number = int(month) if month.isdigit() else _MONTHS.get(month[:3].lower(), 0)
            try:
                return dt.date(int(year), number, int(day or 1))
            except ValueError:
                continue
    return None
