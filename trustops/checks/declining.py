"""Declining: of several asks, one wants names or a paper, and the answer says that they are not given out (product.md, "Several asks").

Only what wants something handed over can be declined; a yes/no question cannot, since "in part" would be read as half a yes. A refusal
states nothing else: no figure, no reason of substance, nothing about a thing that the ask does not name. Not checked: whether the
organisation does give it to others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trustops.facts.asked import Ask
from trustops.facts.nouns import Sentence
from trustops.facts.number import has_number
from trustops.facts.page import normalise
from trustops.facts.words import words

DEMANDS = re.compile(
    r"(?:^|[.?!;:]\s+)\W*(?:please\s+|kindly\s+)?(?:list|name|attach|enclose|provide|supply|submit|share|give|state|identify|who)\b"
    r"|请?(?:列出|提供|附上|提交|说明[^，。]{0,12}(?:姓名|名称|编号))",
    re.IGNORECASE,
)
WITHHELD = (
    r"(?:(?:strictly\s+|company\s+)?(?:internal|confidential|private|sensitive|restricted|proprietary|secret|personal data)"
    r"(?:\s+(?:information|data))?"
    r"|(?:not|never|cannot\s+be|can\s+not\s+be|may\s+not\s+be|will\s+not\s+be)\s+(?:be\s+)?"
    r"(?:given|passed|handed|disclosed|shared|provided|published|released|revealed|named|listed|communicated|sent|made\s+available)"
    r"(?:\s+(?:out|on|over))?)"
    r"(?:\s+(?:to|with)\s+(?:any\s+)?(?:third\s+parties|customers|clients|others|anybody|anyone|outsiders|external\s+parties))?"
    r"(?:\s+for\s+(?:reasons\s+of\s+)?(?:security|confidentiality|privacy|data\s+protection)(?:\s+reasons)?)?"
)
THING = r"(?P<thing>(?!we\b)[\w'’ -]{2,80}?)"
PASSIVE = re.compile(
    rf"{THING}\s+(?:is|are)?\s*{WITHHELD}(?:\s*,?\s*and\s+(?:(?:it|they)\s+)?(?:is|are)?\s*{WITHHELD})?\s*\.?", re.IGNORECASE
)
ACTIVE = re.compile(
    r"we\s+(?:do\s+not|don't|cannot|can\s+not|will\s+not|never)\s+(?:disclose|share|name|provide|list|publish|reveal|pass\s+on|hand\s+over|give(?:\s+out)?)\s+"
    r"(?P<thing>[\w'’ -]{2,80}?)(?:\s+(?:to|with)\s+(?:third\s+parties|customers|clients|others|anyone))?\s*\.?",
    re.IGNORECASE,
)
CHINESE = re.compile(
    r"(?P<thing>[^，。；]{1,24}?)(?:属于|属|为|系)(?:内部|保密|机密|个人)(?:信息|资料|数据)?(?:，(?:不予?|恕不)(?:对外)?(?:提供|披露|公开|透露))?。?"
    r"|(?:我们|我司)?(?:不予?|恕不)(?:对外)?(?:提供|披露|公开|透露)(?P<other>[^，。；]{1,24})。?"
)
OF_PAPERS = words("list name names detail information document copy report number identity policy serial 信息 姓名 名称 名单")
UNNAMED = 1
"""Words of what is withheld that the ask need not have: "code holders" for "people who hold the codes"."""


def wants_handing_over(ask: Ask) -> bool:
    """The ask, or its last sentence, wants names or a paper."""
    return bool(DEMANDS.search(ask.text))


def declined(claim: Sentence, asks: Sequence[Ask]) -> Ask | None:
    """The ask whose names or papers a sentence refuses, where it does nothing else; the last of those that fit."""
    text = normalise(claim.text).strip()
    found = PASSIVE.fullmatch(text) or ACTIVE.fullmatch(text) or CHINESE.fullmatch(text)
    told = found.groupdict() if found else {}
    withheld = told.get("thing") or told.get("other") or ""
    if not withheld or has_number(withheld):
        return None
    thing = words(withheld) - OF_PAPERS
    return next((ask for ask in reversed(asks) if wants_handing_over(ask) and len(thing - words(ask.text)) <= UNNAMED), None)
