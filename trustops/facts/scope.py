"""Whom or what a statement covers: quantified nouns, bare groups, places and products.

A bare group is `not_stated`, never all; a restrictive modifier makes it smaller; "not all" is some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from trustops.facts.lexicon import alternation, bounded, flat, load, squeeze, words_of
from trustops.facts.nouns import NOT_STATED, Coverage, Exclusion, Fact, Frequency, Place, Quantity, Scope
from trustops.facts.page import Page, free

_WORD = re.compile(r"[\s]*([A-Za-z][\w'/-]*)")


@cache
def groups(language: str) -> dict[str, str]:
    """Nouns of the shipped groups -> group."""
    return flat({name: spellings[language] for name, spellings in load("scope")["groups"].items()})


@cache
def narrower(group: str) -> frozenset[str]:
    """A group and all that lie wholly inside it (transitive)."""
    inside = {group}
    for member in load("scope")["narrower"].get(group, []):
        inside |= narrower(member)
    return frozenset(inside)


@cache
def _group_pattern(language: str) -> re.Pattern[str]:
    return re.compile(r"(?<!-)" + bounded(groups("en")) if language == "en" else rf"(?<!离)(?:{alternation(groups('zh'))})", re.I)


@cache
def _quantifier(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    quantifiers = flat(load("scope")["quantifiers"][language])
    edge = r"(?<![A-Za-z-])" if language == "en" else r"(?<!安)"
    return re.compile(
        rf"{edge}(?P<q>{alternation(quantifiers)})(?=\s|$)" if language == "en" else rf"{edge}(?P<q>{alternation(quantifiers)})", re.I
    ), quantifiers


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{alternation(name for name in groups('en') if ' ' in name)})(?!\w)", re.I)


_DETERMINERS = frozenset(["the", "a", "an", "our", "your", "its", "their", "his", "her"])


def _phrase(text: str, at: int) -> tuple[int, int, str]:
    """The noun phrase behind a quantifier: start, end and its group (or not_stated)."""
    start = at + (len(text[at:]) - len(text[at:].lstrip()))
    joint = _joint().match(text, at)
    if joint:
        return start, joint.end(), groups("en")[squeeze(joint.group())]
    position, words = at, 0
    while words < 6 and (match := _WORD.match(text, position)):
        if words and (match[1].lower() in words_of("scope", "heads_end") or match[1].lower() in _DETERMINERS):
            break
        if words and match[1].endswith("ed") and not text[:position].endswith("ly"):
            break  # "all data encrypted at rest": a participle behind the noun
        position, words = match.end(), words + 1
        if _is_plural_group(text, start, position):
            break
    return start, position, _head_group(text[start:position])


def _is_plural_group(text: str, start: int, end: int) -> bool:
    """ "only administrators train": a plural group ends the noun phrase, unless a longer group goes on."""
    last = text[start:end].lower().split()[-1:]
    if not last or not last[0].endswith("s") or last[0] not in groups("en"):
        return False
    following = _WORD.match(text, end)
    return following is None or f"{last[0]} {following[1].lower()}" not in groups("en")


def _head_group(phrase: str) -> str:
    words = phrase.lower().split()
    for size in (3, 2, 1):
        name = " ".join(words[-size:])
        if len(words) >= size and name in groups("en"):
            restricted = (
                len(words) > size
                and groups("en")[name] != "endpoints"
                and words[0] not in ("its", "our", "your", "active", "company", "corporate")
            )
            return NOT_STATED if restricted else groups("en")[name]
    first = words[0] if words else ""
    return (
        groups("en").get(first, NOT_STATED)
        if len(words) > 1 and words[1] not in words_of("scope", "heads_end") and first in ("employees", "personnel")
        else NOT_STATED
    )


def _english(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    pattern, quantifiers = _quantifier("en")
    for match in pattern.finditer(page.text):
        coverage = quantifiers[squeeze(match["q"])]
        start, end, group = _phrase(page.text, match.end())
        if re.search(r"\b(?:not|how)\s+$", page.text[: match.start()], re.I) and coverage in ("only", "some"):
            continue
        if coverage == "only" and group == NOT_STATED:
            group = groups("en").get(page.text[start:end].lower().split()[-1] if start < end else "", NOT_STATED)
        if coverage == "only" and group == NOT_STATED:
            end = _only_subject(page.text, match, start) or end
        if start >= end or page.text[start : start + 1].isdigit() or not _meant(page, match, coverage, group, start, end):
            continue
        if not free(match.start(), match.end(), [fact for fact in outer if isinstance(fact, Exclusion | Frequency)]):
            continue
        covered: Coverage = "all" if coverage == "none" and _doubly_denied(page.text, end) else coverage  # type: ignore[assignment]
        yield Scope(match.start(), end, page.surface(match.start(), end), covered, group, page.surface(start, end))


_SUBJECT = re.compile(
    r"(?:[a-z][a-z-]*\s+){0,4}[a-z][a-z-]*(?<!s)s(?=\s+(?:is|are|was|were|has|have|do|does|can|may|must|shall|will|[a-z]+s|[a-z]{3,}ed|[a-z]{3,})\b)"
)


def _only_subject(text: str, match: re.Match[str], start: int) -> int | None:
    """Where the subject of "Only permanent night guards are ..." ends, whatever group it names; None where "only" limits something else."""
    opens = not text[: match.start()].strip() or text[: match.start()].rstrip().endswith((",", ";", ":", " and", " but"))
    found = _SUBJECT.match(text, start) if opens and match["q"].lower() in ("only", "only the", "only our") else None
    words = text[start : found.end()].lower().split() if found else []
    return found.end() if found and not words_of("scope", "heads_end") & set(words) else None


def _doubly_denied(text: str, at: int) -> bool:
    """ "no server that is not covered" is every server."""
    return bool(re.match(r"\s+(?:(?:that|which|who)\b[^,;.]{0,20}\b(?:not|lacks?|without)|without)\b", text[at:]))


def _meant(page: Page, match: re.Match[str], coverage: str, group: str, start: int, end: int) -> bool:
    word, before = squeeze(match["q"]), page.text[: match.start()].lower()
    if word == "most" and re.search(r"\b(?:our|the|its|your|their|among)\s+$", before):
        return False
    if page.text[start:end].lower().startswith(("times", "time", "of ", "but ")) or (
        re.search(r"(?:\bany|\bat|\bno|\bnot|\band|\bfor)\s+$", before)
        and word in ("other", "all")
        and before.endswith(("at ", "any ", "no "))
    ):
        return False
    if word.startswith(("none of", "not a single", "not one")):
        return bool(page.text[start:end].strip())
    if coverage == "only" and _only_subject(page.text, match, start):
        return True
    if coverage in ("none", "only") or word in ("other", "the other", "few"):
        return group != NOT_STATED
    return page.text[start:end].lower().split()[0] not in words_of("scope", "heads_end")


def _bare(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    for match in _group_pattern("en").finditer(page.text):
        name = squeeze(match.group())
        group = groups("en")[name]
        plural = name.endswith("s") or name in words_of("scope", "bare_singular") or " of " in name or "workforce" in name
        if not free(match.start(), match.end(), [fact for fact in outer if isinstance(fact, Quantity)]) or _shared_out(match, outer, page):
            continue
        if not plural or group in load("scope")["not_bare"] or _compound(page.text, match, name):
            continue
        before = re.search(r"([A-Za-z][\w-]*)\s+$", page.text[: match.start()])
        narrowed = bool(
            before and _narrows(before[1]) and (before.start() > 0 or before[1].lower() in words_of("scope", "narrowing", "en"))
        )
        behind = re.compile(load("scope")["narrowing"]["behind"]).match(page.text, match.end())
        only = re.compile(r"\s+(?:only|alone|exclusively)(?!\w)(?!\s+(?:if|when|after|for|in|with))", re.I).match(page.text, match.end())
        start = before.start() if before and narrowed else match.start()
        end = only.end() if only else match.end()
        coverage: Coverage = "only" if only else "some" if narrowed or behind else NOT_STATED  # type: ignore[assignment]
        yield Scope(start, end, page.surface(start, end), coverage, group, page.surface(*match.span()))


_PART = re.compile(r"\s+(?:of|among)\s+(?:all\s+|the\s+|our\s+|its\s+)*$")


def _shared_out(match: re.Match[str], outer: list[Fact], page: Page) -> bool:
    """ "98 % of laptops": the share of a group is a quantity, no scope."""
    shares = (fact for fact in outer if isinstance(fact, Quantity) and (fact.ratio or fact.unit == "percent"))
    return any(fact.end <= match.start() and _PART.fullmatch(page.text[fact.end : match.start()]) for fact in shares)


def _narrows(word: str) -> bool:
    return word.lower() in words_of("scope", "narrowing", "en") or bool(re.search(load("scope")["narrowing"]["suffix"], word))


def _compound(text: str, match: re.Match[str], name: str) -> bool:
    rest = text[match.end() : match.end() + 24]
    if rest.startswith(("'", "-", "/")):
        return True
    following = re.match(r"\s+([A-Za-z]+)", rest)
    singular = name in words_of("scope", "bare_singular")
    if following is None or not singular:
        return False
    word = following[1].lower()
    verb = word in words_of("scope", "heads_end") or word in words_of("scope", "person_verbs")
    return not verb and not word.endswith("ed")


def _chinese(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    text, (pattern, quantifiers) = page.text, _quantifier("zh")
    for match in pattern.finditer(text):
        coverage: Coverage = quantifiers[match["q"]]  # type: ignore[assignment]
        if match["q"] in ("全部", "全都") and _ADVERBIAL.search(text[: match.start()]) and _DOING.match(text, match.end()):
            continue  # 数据库全部恢复: the word belongs to the verb
        noun = _chinese_noun(text, match.end(), modified=coverage == "only")
        if noun is None or (coverage in ("only", "none") and noun[1] == NOT_STATED):
            continue
        start = match.start()
        if coverage == "none" and re.match(r"[^，。；]{0,4}?(?:不|未|没有|没)", text[noun[0] :]):
            coverage = "all"
        yield Scope(start, noun[0], page.surface(start, noun[0]), coverage, noun[1], page.surface(match.end(), noun[0]) or match["q"])


_DOING = re.compile(
    r"恢复|完成|修复|关闭|启用|加密|部署|通过|整改|迁移|覆盖|接入|删除|销毁|签署|停用|开启|安装|更换|解决|上线|清除|撤销|处理"
)
_ADVERBIAL = re.compile(r"[一-鿿](?<![对由为将把向给和及与或在于的是了从至到须应需要括除以用按使含])$")


@cache
def _chinese_group() -> re.Pattern[str]:
    compound = alternation(load("scope")["compound_zh"])
    return re.compile(rf"[^，。；、\s在均已]{{0,6}}?({alternation(groups('zh'))})(?!{compound})")


@cache
def _chinese_plain() -> re.Pattern[str]:
    return re.compile(rf"(?:的)?((?:(?!{load('scope')['verb_zh']})[一-鿿A-Za-z]){{2,8}})")


def _chinese_noun(text: str, at: int, *, modified: bool = False) -> tuple[int, str] | None:
    group = _chinese_group().match(text, at)
    if group and not re.search(load("scope")["verb_zh"], text[at : group.start(1)].replace("的", "")):
        modifier = text[at : group.start(1)]
        return group.end(1), groups("zh")[group[1]] if not modifier or modified or modifier in (
            "的",
            "在册",
            "在职",
            "本公司",
        ) else NOT_STATED
    plain = _chinese_plain().match(text, at)
    return (plain.end(), NOT_STATED) if plain else None


def _chinese_bare(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    text = page.text
    compound = re.compile(alternation(load("scope")["compound_zh"]))
    after = load("scope")["after"]["zh"]
    for match in _group_pattern("zh").finditer(text):
        name = match.group()
        counted = not free(match.start(), match.end(), [fact for fact in outer if isinstance(fact, Quantity)])
        if (
            counted
            or name in load("scope")["not_bare_zh"]
            or compound.match(text, match.end())
            or (text[match.start() - 1 : match.start()] in ("的",) and name == "终端")
        ):
            continue
        wide = re.compile(rf"(?:{alternation(after['all'])})(?!客户|数据)").match(text, match.end())
        none = re.compile(r"(?:中)?没有一[台名个位]").match(text, match.end())
        coverage: Coverage = "all" if wide or none or name == "全员" else NOT_STATED  # type: ignore[assignment]
        end = (wide or none or match).end()
        yield Scope(match.start(), end, page.surface(match.start(), end), coverage, groups("zh")[name], name)


_KEPT = re.compile(r"EU|EEA|[A-Z]{2}")


@cache
def _only_place(language: str) -> re.Pattern[str]:
    data = load("scope")["place_only"][language]
    gap = r"[^,;.，。；]{0,30}$" if language == "en" else r"[^，。；]{0,12}$"
    lead = r"(?<![A-Za-z])" if language == "en" else ""
    return re.compile(rf"{lead}(?P<cue>{alternation(data)}){gap}", re.I)


def _places(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    exceptions = [fact for fact in outer if isinstance(fact, Exclusion)]
    for place in (fact for fact in outer if isinstance(fact, Place)):
        if not _KEPT.fullmatch(place.code) or not free(place.start, place.end, exceptions):
            continue
        cue = _only_place(page.language).search(page.text[: place.start])
        within = re.search(r"(?:remains?|stays?|kept|held|stored|hosted)\s+within\s+(?:the\s+)?$", page.text[: place.start], re.I)
        behind = re.compile(r"\s*(?:only|exclusively|alone)(?!\w)", re.I).match(page.text, place.end)
        start = cue.start("cue") if cue else place.start
        coverage: Coverage = "only" if cue or behind or within else NOT_STATED  # type: ignore[assignment]
        end = behind.end() if behind else place.end
        yield Scope(start, end, page.surface(start, end), coverage, f"region:{place.code}", place.surface)


def _products(page: Page, outer: list[Fact]) -> Iterator[Scope]:
    names = sorted({*page.names.products, *page.names.other_products}, key=len, reverse=True)
    if not names:
        return
    for match in re.finditer(
        rf"(?P<only>(?<!\w)only\s+|仅)?(?P<name>{alternation(names)})(?![A-Za-z])(?P<behind>\s+only)?", page.text, re.I
    ):
        name = next(name for name in names if name.lower() == squeeze(match["name"]))
        coverage: Coverage = "only" if match["only"] or match["behind"] else NOT_STATED  # type: ignore[assignment]
        yield Scope(*match.span(), page.surface(*match.span()), coverage, f"product:{name}", page.surface(*match.span("name")))


def find(page: Page, outer: Iterable[Fact]) -> list[Fact]:
    """Scopes of a page: products, quantified nouns, places, bare groups; none inside an exception."""
    facts = list(outer)
    exceptions = [fact for fact in facts if isinstance(fact, Exclusion)]
    found: list[Scope] = []
    sources = [_products, _chinese, _chinese_bare] if page.language == "zh" else [_products, _english, _bare]
    for source in (*sources, _places):
        for scope in source(page, facts):
            if not free(scope.start, scope.end, [*exceptions, *found]) and scope.canonical.startswith("region:"):
                scope = _at_place(page, scope)  # "only in Amsterdam and Paris": the second place begins at its name
            if free(scope.start, scope.end, [*exceptions, *found]):
                found.append(scope)
    return [_excepted(page, scope, exceptions, found) for scope in found]


def _at_place(page: Page, scope: Scope) -> Scope:
    start = page.original.index(scope.who, scope.start)
    return Scope(start, scope.end, page.surface(start, scope.end), scope.coverage, scope.canonical, scope.who)


def _excepted(page: Page, scope: Scope, exceptions: Sequence[Fact], found: list[Scope]) -> Scope:
    """ "all X except Y": the marker follows the group, or is wrapped right before it (除…外)."""
    for exception in exceptions:
        between = page.text[scope.end : exception.start]
        nearest = not any(scope.end <= other.start < exception.start and ":" not in other.canonical for other in found)
        behind = exception.start >= scope.end and nearest and not re.search(r"[;；。]", between)
        wrapped = exception.end <= scope.start <= exception.end + 2 and exception.surface.startswith("除")
        if scope.coverage == "all" and (behind or wrapped) and not exception.surface.lower().startswith("unless"):
            return Scope(scope.start, scope.end, scope.surface, "except", scope.canonical, scope.who)
    return scope
