"""Lead-ins and the points below them: "Do you scan the following for vulnerabilities:" over "a) source code,".

A point alone is no question: answered by itself, "source code" would be affirmed for anything that happens to it. So it is asked together
with what leads in to it. The words are data (`catalogue/questionnaire_headers.yaml`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trustops.formats.questionnaires import headers, prose
from trustops.formats.questionnaires.grid import Grid

END_OF_MARK = r"(?:[)）]\s*|\.\s+)"
MARK = re.compile(
    rf"\s*(?:(?P<bullet>[-•●▪◦‣–—*□☐○■])\s+|[(（]?(?P<roman>[ivx]{{1,5}}){END_OF_MARK}|[(（]?(?P<letter>[a-zA-Z]){END_OF_MARK}"
    r"|[(（]?(?P<digit>\d{1,2})[)）]\s*|(?P<number>\d{1,2}(?:\.\d{1,2})+\.?)\s+|(?P<circled>[①-⑳])\s*)(?=\S)"
)
COLONS = (":", "：")
ENDS = (".", "?", "!", "。", "？", "！", "؟", ":", "：", ";", "；")
FEW_WORDS = 8
FEW_HEADING = 4
LONGEST_LEAD = 600


def mark_of(text: str) -> tuple[str, str, str]:
    """(family, mark, rest) of a point: `a)`, `(ii)`, `3)`, `-`. Empty families for a text that opens with a word."""
    found = MARK.match(text)
    if not found or found.lastgroup is None:
        return "", "", text.strip()
    return found.lastgroup, found[found.lastgroup].lower(), text[found.end() :].strip()


def leads(text: str) -> bool:
    """Whether a text announces points: it ends in a colon, or speaks of the following and asks nothing else after it."""
    plain = text.strip()
    if len(plain) > LONGEST_LEAD or headers.starts_guidance(plain) or _instructs(plain):
        return False
    if plain.endswith(COLONS):
        return True
    last = re.split(r"(?<=[.?!。？！])\s+", plain)[-1]
    return any(word in f" {last.casefold()} " for word in headers.catalogue()["announces"])


def hangs(text: str) -> bool:
    """Whether a text breaks off where its points would go on: `... sufficiently resourced regarding`."""
    return (
        not text.strip().endswith(ENDS) and headers.tokens(text)[-1:] != [] and headers.tokens(text)[-1] in headers.catalogue()["hanging"]
    )


def asks_for_points(text: str) -> bool:
    """A heading that is itself a question, or announces points: what stands below it is what it asks about."""
    return leads(text) or (prose.asks(text) and len(text) <= LONGEST_LEAD and not headers.starts_guidance(text))


def over(grid: Grid, header: int, column: int) -> str:
    """What asks over a table: the header of its labels, or the only text of the line above the header."""
    above = [row for row in grid.lines if header - 3 < row < header][-1:]
    texts = [grid.text(header, column), *(text for row in above if len(grid.lines[row]) == 1 for text in grid.lines[row].values())]
    return next((text for text in texts if text and asks_for_points(text)), "")


def _instructs(text: str) -> bool:
    """`Please complete the following:` tells how to fill the sheet in and asks nothing."""
    words = headers.tokens(text)[:3]
    return any(word in headers.catalogue()["instructs"] for word in (words[1:2] if words[:1] == ["please"] else words[:1]))


def fragment(text: str, lead: str, *, below: bool = False) -> bool:
    """Whether a text under a lead-in needs it: it does not ask by itself, and is marked as a point, begins small or is a few words.

    `below`: its id goes on from the lead-in's (1.h, 1.h.i), so it may be longer, and may end like a sentence ("Email address?").
    """
    family, _, rest = mark_of(text)
    if not rest or headers.starts_guidance(text) or len(rest) > LONGEST_LEAD:
        return False
    announced = lead.strip().endswith(COLONS)
    if below and (leads(lead) or hangs(lead)):
        return not _opens(rest, "question_starts") and not (rest.endswith((".", "。")) and _opens(rest, "subjects"))
    if prose.asks(rest):
        return bool(family) and announced and not _opens(rest, "question_starts") and len(headers.tokens(rest)) <= FEW_WORDS
    if family or rest[:1].islower():
        return not lead or announced or not _stands_alone(rest)
    words = [word for word in headers.tokens(rest) if any(sign.isalpha() for sign in word)]
    return len(words) <= (2 * FEW_WORDS if any(headers.is_wide(sign) for sign in rest) else FEW_WORDS) and not _stands_alone(rest)


def _opens(text: str, kind: str) -> bool:
    first = headers.tokens(text)[:1]
    return bool(first) and first[0] in headers.catalogue()[kind]


def _stands_alone(text: str) -> bool:
    """A sentence of its own: `Describe ...`, `The supplier encrypts all data.`"""
    return _opens(text, "question_starts") or (text.endswith((".", "。")) and prose.is_sentence(text))


def goes_on(before: str, text: str) -> bool:
    """Whether a text is the rest of the sentence in the row above: that one has no end, and this one no beginning."""
    return bool(before.strip()) and not before.strip().endswith(ENDS) and text.strip()[:1].islower() and not mark_of(text)[0]


def bare_point(text: str) -> str:
    """A point without its mark and without the comma or `and` that joins it to the next."""
    plain = mark_of(text)[2].rstrip(" ,;，；、?？؟.。")
    for word in headers.catalogue()["joins"]:
        if plain.casefold().endswith((f" {word}", f",{word}")):
            plain = plain[: -len(word)].rstrip(" ,;，；、")
    return plain


def joined(lead: str, point: str) -> str:
    """A point as it is asked. The lead-in's question mark becomes a colon: a question that ends before its point would lose it."""
    plain = lead.strip().rstrip("?？؟.:：… ").rstrip()
    wide = bool(plain) and headers.is_wide(plain[-1])
    return f"{plain}{'：' if wide else ': '}{bare_point(point)}"


def listed(lead: str, points: list[str]) -> str:
    """A question with the points that share its one answer."""
    return "\n".join([lead, *(f"- {bare_point(point)}" for point in points)])


@dataclass(slots=True)
class Leads:
    """The lead-ins that are open, outermost first, each with the family of marks of the points below it."""

    open: list[tuple[str, str]] = field(default_factory=list)
    weak: bool = False

    def clear(self) -> None:
        self.open.clear()

    def start(self, text: str) -> None:
        """`Governance:` is a heading rather than a lead-in: only what is marked, or begins small, goes on from it."""
        self.open[:] = [(text, "")]
        self.weak = not prose.asks(text) and len(headers.tokens(text)) <= FEW_HEADING and not _opens(text, "question_starts")

    def takes(self, text: str, *, below: bool = False) -> bool:
        if not self.open or (self.weak and not below and not mark_of(text)[0] and not text.strip()[:1].islower()):
            return False
        return fragment(text, self.open[-1][0], below=below)

    def point(self, text: str) -> str:
        """The point as it is asked. One that announces points itself leads in to them; a mark of an outer family closes the inner."""
        family, mark, _ = mark_of(text)
        while len(self.open) > 1 and self._outer(family, mark):
            self.open.pop()
        lead, known = self.open[-1]
        if not known:
            self.open[-1] = (lead, family)
        whole = joined(lead, text)
        if text.strip().rstrip(" ,;").endswith(COLONS):
            self.open.append((whole, ""))
        return whole

    def _outer(self, family: str, mark: str) -> bool:
        inner, outer = self.open[-1][1], self.open[-2][1]
        if inner == "roman" and family == "letter":
            return outer == "letter"
        if inner == "letter" and family == "roman":  # `i)` after `h)`
            return False
        return bool(inner) and family == outer != inner
