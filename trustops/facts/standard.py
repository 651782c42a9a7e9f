"""Algorithms, protocols without a version, certificates and laws; key lengths, types and levels are their strength."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from trustops.facts.lexicon import alternation, bounded, flat, load, squeeze
from trustops.facts.nouns import Fact, Standard
from trustops.facts.page import Page, free

_EDGE = r"(?<![A-Za-z0-9_])"
_TYPES = {"1": "Type I", "2": "Type II", "i": "Type I", "ii": "Type II"}
_LEVELS = {"一": "1", "二": "2", "三": "3", "四": "4", "五": "5"}

Read = Callable[[re.Match[str]], tuple[str, str | None]]


def _soc(match: re.Match[str]) -> tuple[str, str | None]:
    return f"SOC {match['soc']}" if match["soc"] else "SOC 2", _TYPES[match["type"].lower()] if match["type"] else None


def _iso(match: re.Match[str]) -> tuple[str, str | None]:
    return f"ISO/IEC {match['number']}" if match["number"].startswith(("2", "4")) and match[
        "number"
    ] != "22301" else f"ISO {match['number']}", match["edition"]


def _fips(match: re.Match[str]) -> tuple[str, str | None]:
    level = match["level"] or _LEVELS.get(match["level2"] or "", match["level2"])
    return f"FIPS {match['number']}", f"Level {level}" if level else None


def _aes(match: re.Match[str]) -> tuple[str, str | None]:
    mode = match["mode"] or match["mode2"] or match["mode3"]
    bits = match["bits"] or match["bits2"] or match["bits3"] or match["bits4"] or match["bits5"]
    return (f"AES-{mode.upper()}" if mode else "AES"), bits


def _sha(match: re.Match[str]) -> tuple[str, str | None]:
    return f"SHA-{match['family'] or '2'}", match["bits"]


def _key(match: re.Match[str]) -> tuple[str, str | None]:
    return match["algorithm"].upper(), match["bits"] or match["curve"]


def _assurance(match: re.Match[str]) -> tuple[str, str | None]:
    return f"{match['body'].upper()} {match['number']}", _TYPES[match["type"].lower()] if match["type"] else None


def _mlps(match: re.Match[str]) -> tuple[str, str | None]:
    level = match["level"] or match["level2"]
    return "MLPS", _LEVELS.get(level, level)


def _publication(match: re.Match[str]) -> tuple[str, str | None]:
    return "NIST SP " + match["number"], match["revision"] and f"Rev. {match['revision']}"


def _tier(match: re.Match[str]) -> tuple[str, str | None]:
    return ("Uptime Tier", match["tier"])


@cache
def _families() -> tuple[tuple[re.Pattern[str], Read], ...]:
    kind = r"(?:[\s,]*(?:\(?Type|类型)[\s-]?(?P<type>II|I|1|2)\)?(?![A-Za-z\d]))"
    bits = r"(?:128|192|256|512)"
    rules: list[tuple[str, Read]] = [
        (rf"{_EDGE}SOC[\s-]?(?P<soc>[123])(?!\d)(?:®|\(R\))?{kind}?", _soc),
        (rf"(?P<soc>(?!))?{_EDGE}Type[\s-](?P<type>II|I|1|2)(?![A-Za-z\d])"
            r"(?=\s*(?:report|attestation|audit|examination|opinion|审计|报告))", _soc),
        (rf"{_EDGE}ISO(?:\s?/\s?IEC)?[\s-]?(?P<number>\d{{4,5}}(?:-\d+)?)(?::\s?(?P<edition>\d{{4}}))?(?!\d)", _iso),
        (rf"{_EDGE}FIPS(?:\s?PUB)?[\s-]?(?P<number>\d{{3}}(?:-\d)?)"
         r"(?:[\s,(]*(?:security\s+)?(?:Level|级别)\s?(?P<level>\d)\)?|\s?(?P<level2>[一二三四1-4])级)?", _fips),
        (rf"{_EDGE}(?P<mode>XTS|GCM|CBC|CTR)-AES(?:[-\s]?(?P<bits>{bits}))?(?!\d)|{_EDGE}AES[-\s]?(?P<bits2>{bits})[-\s](?P<mode2>GCM|CBC|CTR|XTS|CCM)(?![A-Za-z])|"
         rf"{_EDGE}AES[-\s](?P<mode3>GCM|CBC|CTR|XTS|CCM)(?:[-\s](?P<bits3>{bits}))?(?![A-Za-z\d])|{_EDGE}AES[-\s]?(?P<bits4>{bits})(?!\d)|"
         rf"(?<!\d)(?P<bits5>{bits})(?:[-\s]?bits?\s|位密钥的\s?|位\s?|比特(?:密钥)?的?\s?)AES(?![-A-Za-z0-9])", _aes),
        (rf"{_EDGE}SHA-?(?P<family>3)-(?P<bits>224|256|384|512)(?!\d)", _sha),
        (rf"{_EDGE}SHA-?(?:2-)?(?P<family>(?!))?(?P<bits>224|256|384|512)(?!\d)", _sha),
        (rf"{_EDGE}(?P<algorithm>RSA|DSA|DH)[-\s]?(?P<bits>1024|2048|3072|4096|8192)(?!\d)(?P<curve>(?!))?", _key),
        (rf"{_EDGE}(?P<algorithm>ECDSA|ECDHE?|ECC)(?:\s+(?:with\s+|over\s+|using\s+)?|-)(?P<curve>P-?\d{{3}})(?!\d)(?P<bits>(?!))?", _key),
        (rf"{_EDGE}(?P<body>ISAE|SSAE)[\s-]?(?:No\.?\s?)?(?P<number>\d{{2,4}}){kind}?", _assurance),
        (r"(?:网络安全等级保护|信息安全等级保护|等级保护|等保)(?:制度)?(?:2\.0)?(?:第)?(?P<level>[一二三四五\d])级|"
            r"(?<![A-Za-z])MLPS\s?(?:Level\s?)?(?P<level2>\d)(?!\d)", _mlps),
        (rf"{_EDGE}NIST\s?(?:SP\s?)?(?P<number>800-\d+[A-Z]?)(?:\s?(?:Rev\.?|r)\s?(?P<revision>\d))?", _publication),
        (rf"{_EDGE}(?:Uptime(?:\s+Institute)?\s+)?Tier[\s-](?P<tier>I{{1,3}}V?|IV|[1-4])(?=\s+(?:data|facilit|certif|design))", _tier),
    ]  # fmt: skip
    return tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in rules)


@cache
def _names() -> tuple[re.Pattern[str], dict[str, str]]:
    spellings = flat(load("standards")["names"])
    latin = [name for name in spellings if not re.search(r"[一-鿿]", name)]
    chinese = [name for name in spellings if re.search(r"[一-鿿]", name)]
    return re.compile(rf"{bounded(latin)}|{alternation(chinese)}", re.IGNORECASE), spellings


_LEVEL = re.compile(r"[\s,(]*(?P<word>Plus|Moderate|High|Low|(?:maturity\s+)?Level\s?(?P<level>\d))\b\)?", re.I)


def _strength(name: str, text: str, at: int) -> tuple[str | None, int]:
    match = _LEVEL.match(text, at)
    if match is None:
        return None, at
    word = "Level" if match["level"] else match["word"].capitalize()
    if name not in load("standards")["strength_words"].get(word, []):
        return None, at
    return (f"Level {match['level']}" if match["level"] else word), match.end()


def _listed(page: Page) -> Iterator[Standard]:
    pattern, spellings = _names()
    for match in pattern.finditer(page.text):
        name = spellings[squeeze(match.group())]
        if not _own_spelling(match.group()):
            continue
        strength, end = _strength(name, page.text, match.end())
        yield Standard(match.start(), end, page.surface(match.start(), end), name, strength)


def _own_spelling(surface: str) -> bool:
    """Short names are only read in capitals: "dora" is a person, "DORA" a regulation."""
    return (
        len(surface) > 5
        or any(character.isupper() or character > "一" for character in surface)
        or surface in ("bcrypt", "scrypt", "nginx")
    )


# one cheap look spares most sentences a dozen patterns
_HINT = re.compile(r"SOC|ISO|FIPS|AES|SHA|RSA|DSA|DH|ECD|ISAE|SSAE|等保|等级保护|MLPS|NIST|Tier|Type", re.IGNORECASE)


def find(page: Page, taken: Iterable[Fact]) -> list[Fact]:
    """Standards with a number or a strength, then plain names, each free of what was found before."""
    found: list[Fact] = []
    outer = list(taken)
    for pattern, read in _families() if _HINT.search(page.text) else ():
        for match in pattern.finditer(page.text):
            if free(*match.span(), [*outer, *found]):
                name, strength = read(match)
                found.append(Standard(*match.span(), page.surface(*match.span()).rstrip(), name, strength))
    for fact in _listed(page):
        if free(fact.start, fact.end, [*outer, *found]):
            found.append(fact)
    return found
