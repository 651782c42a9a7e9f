"""Who acts. A sister company, a subcontractor, another product and a draft are not us; a contract's Supplier is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal

from trustops.facts.lexicon import alternation, bounded, load
from trustops.facts.nouns import Attribution, Fact
from trustops.facts.page import Page, free

Party = Literal["self", "subcontractor", "affiliate", "other_product", "customer", "draft"]
_AUDITOR = frozenset(["audit_report", "pen_test", "questionnaire"])


@cache
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{alternation(names)})(?![A-Za-z])", re.I)


@cache
def _generic(party: str, language: str) -> re.Pattern[str]:
    words = load("attribution")[party][language]
    return re.compile(bounded(words) if language == "en" else alternation(words), re.I if party != "draft" else 0)


def _others(page: Page) -> Iterator[Attribution]:
    """First mention of each other party; a name is preferred to its description."""
    named: dict[Party, tuple[str, ...]] = {
        "affiliate": page.names.affiliates,
        "subcontractor": page.names.subcontractors,
        "other_product": page.names.other_products,
    }
    for party, names in named.items():
        match = _named(names).search(page.text) if names else None
        if match is None and party != "other_product":
            match = _described(page, party)
        if match is not None:
            yield Attribution(*match.span(), page.surface(*match.span()), party)
    draft = _generic("draft", page.language).search(page.text)
    if draft and _is_draft(page.text, draft):
        yield Attribution(*draft.span(), page.surface(*draft.span()), "draft")


def _described(page: Page, party: str) -> re.Match[str] | None:
    weak = load("attribution")["weak"]
    matches = _generic(party, page.language).finditer(page.text)
    return next((match for match in matches if match.group().lower() not in weak and _acting_word(page, match)), None)


def _acting_word(page: Page, match: re.Match[str]) -> bool:
    return not re.match(r"清单|名单|\s(?:list|register)\b", page.text[match.end() :])


def _is_draft(text: str, match: re.Match[str]) -> bool:
    """A status at the head of the line or in brackets, not the verb and not "a draft of the report"."""
    head = text[: match.start()].strip(" -*#[(（【•")
    bracketed = text[match.start() - 1 : match.start()] in ("(", "（", "[", "【") if match.start() else True
    return not head or bracketed or match.group().isupper() or " " in match.group()


_VERBAL = (
    r"\s+(?:shall|will|must|may|can|cannot|should|is|are|was|has|have|had|does|do|did|not|never|also|only|currently|therefore|[a-z]{3,}(?:s|ed)|"
    r"[A-Za-z]+ly\s)(?!\w)"
)
_ACTS = re.compile(_VERBAL)
_NOT_VERB = re.compile(r"\s+(?:systems|data|services|customers|users|employees|accounts|premises|details|sites|processes|has\s+been)\b")


def _is_subject(page: Page, match: re.Match[str]) -> bool:
    if page.language == "zh":
        return _chinese_subject(page.text, match)
    if match.group().lower() == "we":
        return True
    before = page.text[: match.start()].lower()
    agent = bool(re.search(r"\bby\s+(?:the\s+)?$", before))
    if not agent and re.search(
        r"\b(?:of|to|for|with|from|at|in|between|notify|giving|give|inform|provide|against|on|the\s+\w+\s+of)\s+(?:the\s+)?$", before
    ):
        return False
    return agent or (bool(_ACTS.match(page.text, match.end())) and not _NOT_VERB.match(page.text, match.end()))


def _chinese_subject(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()], text[match.end() :]
    if match.group() == "公司" and not re.search(r"(?:^|[，。；、：:,;]|由|但|则|时)$", before):
        return False  # 子公司, 兄弟公司, 云服务公司
    if re.search(r"(?:通知|告知|向|对|为|给|与|和|是|返还|提供给)$", before) or re.match(r"[的之]|书面", after):
        return False
    return bool(after) and not re.match(r"[，。；、]?$", after)


def _parties(page: Page) -> Iterator[tuple[Party, re.Pattern[str]]]:
    data = load("attribution")
    if page.doc in _AUDITOR:
        if page.names.own and page.doc != "questionnaire":
            yield "self", _named(page.names.own)
        return
    contract = page.doc == "contract"
    own = [*page.names.own, *data["self"]["zh"], *(data["contract_self"]["en"] + data["contract_self"]["zh"] if contract else ())]
    yield "self", re.compile(rf"(?<![A-Za-z-])(?:{alternation(own)}|[Ww]e)(?![A-Za-z])")
    words = data["contract_customer"]["en"] + data["contract_customer"]["zh"] if contract else data["customer"]["en"]
    yield "customer", re.compile(rf"(?<![A-Za-z-])(?:{alternation(words)})(?![A-Za-z'])")


def _selves(page: Page, others: list[Attribution]) -> Iterator[Attribution]:
    products = [*page.names.products, *page.names.other_products]
    inside = [Attribution(*m.span(), m.group(), "self") for m in (_named(tuple(products)).finditer(page.text) if products else ())]
    for party, pattern in _parties(page):
        for match in pattern.finditer(page.text):
            free_span = free(*match.span(), [*others, *inside])
            if (
                not free_span
                or not _is_subject(page, match)
                or (party == "customer" and page.doc != "contract" and not _conditional_customer(page, match))
            ):
                continue
            yield Attribution(*match.span(), page.surface(*match.span()), party)
            break


def _conditional_customer(page: Page, match: re.Match[str]) -> bool:
    return bool(re.search(r"(?:\bthe|\bif|\bwhen|\bunless|\beach)\s+(?:the\s+)?$", page.text[: match.start()], re.I))


def find(page: Page, outer: Iterable[Fact] = ()) -> list[Fact]:
    """Attributions of a page. Questions carry none for "you"."""
    others = list(_others(page))
    if re.search(load("attribution")["courtesy"], page.text, re.I):
        return [*others]
    return [*others, *_selves(page, others)]
