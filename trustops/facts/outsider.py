"""Outside firms that speak about us: a certificate, an audit report, the letter of a penetration test.

Such a paper says "we" and means its author, and its sentences may begin with the author's full name; what it says of us is still about us.
Not checked: whether the firm is accredited, and whether the paper is genuine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trustops.facts.nouns import Names
from trustops.facts.words import words

OF_OUTSIDERS = frozenset({"certificate", "audit_report", "pen_test"})
"""Kinds of documents that others write about us."""
FORMS = r"(?:GmbH|Ltd|Limited|Inc|LLC|LLP|B\.V|N\.V|AG|AS|S\.A|SAS|plc|PLC|Corp|Corporation|Oy|AB|ApS|KG|SE|S\.r\.l|Pty)\b\.?"
FIRM = re.compile(rf"(?P<name>(?:[A-Z][\w&.'-]*\s+(?:(?:&|of|and|de|van)\s+)?){{1,5}}{FORMS})")
"""A firm's name with its legal form."""
JUDGES = re.compile(
    r"^[^.;]{0,80}?(?<!not )\b(?:(?:has |have |hereby )*(?:certif(?:y|ies|ied)|confirm(?:s|ed)?|attest(?:s|ed)?|audited"
    r"|assessed|inspected|tested|examined|reviewed|verified|surveyed|evaluated|registered))\b",
    re.IGNORECASE,
)
"""What an outsider does to somebody else."""
TESTERS = re.compile(
    r"^\W*(?:\d+(?:\.\d+)*\s+)?(?:we|our)\b.{0,40}?\b(?:test|audit|assess|inspect|examin|review|verif|survey|evaluat|sampl|observ|interview|re-?perform|found|find|note|issue|scope"
    r"|opinion|recommend|procedure|work|conclu|look|tried|obtain|report|method|carried out|select|saw|read|believe|consider|identif|conduct"
    r"|perform|check|retest|rate)",
    re.IGNORECASE | re.DOTALL,
)
WE = re.compile(r"^\W*(?:\d+(?:\.\d+)*\s+)?(?:we|our)\b", re.IGNORECASE)
OUTSIDE = words("external outside third party firm body party")


def about_us(sentence: str, kind: str, names: Names) -> bool:
    """A sentence of an outsider's paper, begun with a firm's name, that judges our organisation by name."""
    found = FIRM.search(sentence)
    if kind not in OF_OUTSIDERS or found is None or not JUDGES.match(sentence[found.end() :]):
        return False
    rest = sentence[found.end() :].casefold()
    return any(own.casefold() in rest for own in names.own)


def author_words(lines: Iterable[str], kind: str, names: Names) -> frozenset[str]:
    """Words of the firm that wrote a paper, and that it is an outside one; none where its head names no other firm."""
    if kind not in OF_OUTSIDERS - {"certificate"}:
        return frozenset()
    own = {_flat(name) for name in names.own}
    firms = [found["name"] for line in lines for found in FIRM.finditer(line) if _flat(found["name"]) not in own]
    firms = [firm for firm in firms if not any(name in _flat(firm) for name in own)]
    return words(firms[0], names) | OUTSIDE if firms else frozenset()


def of_author(sentence: str) -> bool:
    """It says "we" or "our", and the author is meant."""
    return bool(WE.match(sentence))


def about_the_author(sentence: str, author: frozenset[str]) -> bool:
    """In a paper whose outside author is known "we keep an accident book" is about the author's own house; "we tested" is about what was
    tested."""
    return bool(author) and bool(WE.match(sentence)) and not TESTERS.match(sentence)


def _flat(name: str) -> str:
    return " ".join(name.split()).rstrip(".").casefold()
