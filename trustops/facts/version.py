"""Versions: "TLS 1.2 or higher", SSHv2, Kubernetes between 1.29 and 1.31, 4.0版."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from trustops.facts.lexicon import alternation, flat, load, squeeze
from trustops.facts.nouns import NOT_STATED, Comparator, Fact, Version
from trustops.facts.page import Page, free

_NUMBER = r"\d+(?:\.\d+)*[a-z]?"
_LATER = {
    "at_least": r"(?:or|and)\s+(?:higher|later|newer|above|greater|better|more\s+recent|up|upwards)|\+|onwards?|"
                r"(?:（|\()?(?:及|或|和)?(?:以上|更高版本|更新版本|更高|更新|以后)(?:的?版本)?(?:）|\))?",
    "less_than": r"(?:之前|以前)的?版本",
    "at_most": r"(?:or|and)\s+(?:lower|earlier|older|below)|(?:及|或)?(?:以下|更低版本|更早版本|更旧版本)",
}  # fmt: skip
_SOONER = {
    "at_least": r"at\s+least|minimum(?:\s+of)?|a\s+minimum\s+of|no(?:t)?\s+(?:lower|older|less|earlier)\s+than|"
    r"至少(?:为|使用|采用|支持)?|不低于|最低(?:为|版本为)?|不得低于|应不低于",
    "at_most": r"at\s+most|up\s+to|no(?:t)?\s+(?:higher|newer|later)\s+than|最高(?:为)?",
    "less_than": r"below|older\s+than|lower\s+than|earlier\s+than|prior\s+to|before|less\s+than|低于|早于",
    "more_than": r"above|newer\s+than|higher\s+than|later\s+than|高于",
}


@cache
def _product() -> str:
    data = load("standards")["version"]
    return alternation([*data["protocols"], *data["software"]])


@cache
def _pattern() -> re.Pattern[str]:
    sooner = "|".join(rf"(?P<s_{key}>{words})" for key, words in _SOONER.items())
    later = "|".join(rf"(?P<l_{key}>{words})" for key, words in _LATER.items())
    linked = r"(?:\s*(?:版本|须为|应为|为|需为|需|须|要求|versions?|\(?min(?:imum)?\.?\)?|at\s+(?:version|least)|v\.?|/|-)?\s*)"
    joined = rf"(?:(?P<between>between\s+|from\s+)?(?P<vs>(?:{sooner})\s*)?v?(?P<value>{_NUMBER})"
    joined += rf"(?:\s*(?:-|to|through|and|至|到|~)\s*v?(?P<high>{_NUMBER}))?)"
    return re.compile(
        rf"(?<![A-Za-z0-9-])(?P<product>{_product()}){linked}{joined}(?![\d%])(?:\s+LTS)?(?:版本?)?(?:\s*(?:{later}))?", re.I)  # fmt: skip


@cache
def _inherited() -> re.Pattern[str]:
    """A further number behind a version: "TLS 1.2 and 1.3", "TLS 1.0/1.1"."""
    later = "|".join(rf"(?P<l_{key}>{words})" for key, words in _LATER.items())
    return re.compile(
        rf"\s*(?:,|/|and|or|、|和|与|及|或)\s*(?:and\s+|or\s+)?v?(?P<value>\d+\.\d+(?:\.\d+)*)(?:\s*(?:{later}))?(?![\d%])", re.I
    )


@cache
def _document() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?P<agent>agent|client|firmware|software|app|platform|api|kernel|engine|browser|module|server|library|schema|sdk|connector|plugin|image|hypervisor|database)\s+)?"
        r"(?<![A-Za-z])(?:versions?|v\.?|release|rev(?:ision)?\.?)\s?(?P<value>\d+(?:\.\d+)*)(?![\w%])|"
        r"(?<![A-Za-z\d.])(?P<camel>[A-Z][a-z]*[A-Z][A-Za-z]+|[A-Z][a-z]{2,})\s+v?(?P<dotted>\d+\.\d+(?:\.\d+)+)(?![\w%])|"
        r"(?<![\d.A-Za-z])[vV]?(?P<zh>\d+\.\d+(?:\.\d+)*)版(?!本以)|版本(?:号)?(?:为|是|：|:)?\s*[vV]?(?P<zh2>\d+(?:\.\d+)+)|"
        r"(?<![A-Za-z\d])[vV](?P<bare>\d+\.\d+(?:\.\d+)*)(?![\w%])", re.I)  # fmt: skip


def _comparator(match: re.Match[str], page: Page) -> tuple[Comparator, int]:
    if match["high"]:
        return "between", match.start()
    for prefix, words in (("l_", _LATER), ("s_", _SOONER)):
        for key in words:
            if match[prefix + key]:
                return key, match.start()  # type: ignore[return-value]
    for key, sooner in _SOONER.items():
        before = re.search(rf"(?<![A-Za-z])(?:{sooner})\s*$", page.text[max(0, match.start() - 24) : match.start()], re.I)
        if before:
            return key, match.start() - len(before.group())  # type: ignore[return-value]
    return "exactly", match.start()


def _named(page: Page) -> Iterator[Version]:
    for match in _pattern().finditer(page.text):
        product = _canonical(match["product"])
        if not _plausible(match, product):
            continue
        comparator, start = _comparator(match, page)
        value = f"{match['value']}..{match['high']}" if match["high"] else match["value"]
        if re.search(r"\band\b|和", page.text[match.end("value") : match.start("high")] if match["high"] else "") and not match["between"]:
            yield from _pair(page, match, product)
            continue
        yield Version(start, match.end(), page.surface(start, match.end()), product, comparator, value)
        yield from _further(page, match.end(), product)


def _pair(page: Page, match: re.Match[str], product: str) -> Iterator[Version]:
    first, second = (match.start(), match.end("value")), (match.start("high"), match.end())
    later: Comparator = "at_least" if match["l_at_least"] else "exactly"
    yield Version(*first, page.surface(*first), product, "exactly", match["value"])
    yield Version(*second, page.surface(*second), product, later, match["high"])


def _further(page: Page, at: int, product: str) -> Iterator[Version]:
    while match := _inherited().match(page.text, at):
        start, at = match.start("value"), match.end()
        comparator: Comparator = "at_least" if match["l_at_least"] else "at_most" if match["l_at_most"] else "exactly"
        yield Version(start, at, page.surface(start, at), product, comparator, match["value"])


def _plausible(match: re.Match[str], product: str) -> bool:
    """A word such as Go or Edge is a product only in its own spelling, and "SSH 22" is a port."""
    proper = (
        match["product"] in [*load("standards")["version"]["software"], *load("standards")["version"]["protocols"]] or product.isupper()
    )
    return proper and not (
        match["value"].isdigit() and len(match["value"]) > 2 and product not in ("Windows Server", "SQL Server", "Windows")
    )


@cache
def _spellings() -> dict[str, str]:
    data = load("standards")["version"]
    return flat({name: [name] for name in [*data["protocols"], *data["software"]]})


def _canonical(product: str) -> str:
    name = _spellings()[squeeze(product)]
    return str(load("standards")["version"]["canonical"].get(name, name))


def _generic(page: Page) -> Iterator[Version]:
    for match in _document().finditer(page.text):
        value = next(match[name] for name in ("value", "dotted", "zh", "zh2", "bare") if match[name])
        if re.search(r"800-\d+[A-Z]?,?\s*$", page.text[: match.start()]):
            continue  # the revision of a publication is part of its name
        if (match["camel"] and not match["camel"][0].isupper()) or re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}", value):
            continue
        if match["camel"] and re.fullmatch(
            r"(?i)section|clause|article|annex|appendix|chapter|table|figure|version|step|requirement|control", match["camel"]
        ):
            continue
        product = match["camel"] or (match["agent"] if match["agent"] else None) or _document_name(page, match)
        start = match.start("agent") if match["agent"] else match.start()
        end = match.end()
        later = re.compile(rf"(?:版本)?\s*(?:{_LATER['at_least']})", re.I).match(page.text, end)
        comparator: Comparator
        comparator, start = ("at_least", start) if later else _sooner(page, start)
        product = (_versioned(page, start) or product) if product == NOT_STATED else product
        yield Version(start, later.end() if later else end, page.surface(start, later.end() if later else end), product, comparator, value)


def _sooner(page: Page, start: int) -> tuple[Comparator, int]:
    """ "older than version 11.2", "at least release 4"."""
    for key, words in _SOONER.items():
        before = re.search(rf"(?<![A-Za-z])(?:{words})\s*$", page.text[max(0, start - 24) : start], re.I)
        if before:
            return key, start - len(before.group())  # type: ignore[return-value]
    return "exactly", start


def _versioned(page: Page, start: int) -> str | None:
    """The thing right before a comparator: "the agent older than version 11.2"."""
    thing = re.search(
        r"\b(agent|client|firmware|software|app|platform|api|kernel|engine|browser|server|library)s?\s+$", page.text[:start], re.I
    )
    return thing[1].lower() if thing else None


def _document_name(page: Page, match: re.Match[str]) -> str:
    documents = load("standards")["version"]["documents"]
    names = [name for name in [*documents["en"], *documents["zh"]] if name in page.text.lower()]
    return names[0] if names else NOT_STATED


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Versions of a page that touch no outer fact."""
    found: list[Fact] = []
    outer = list(taken)
    for source in (_named(page), _generic(page)):
        for fact in source:
            if free(fact.start, fact.end, [*outer, *found]):
                found.append(fact)
    return found
