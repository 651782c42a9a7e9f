"""Whether a clause is a fact, a rule, a plan, something past: a rule proves that the rule exists, not that it is followed.

Cue words give rule, recommendation, permission, plan and condition; verbs give the past; a clause without a cue is a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal

from trustops.facts.lexicon import alternation, bounded, load, squeeze, words_of
from trustops.facts.nouns import Date, Deadline, Exclusion, Fact, Frequency, Modality, Span
from trustops.facts.page import Page, free

Mood = Literal["fact", "policy", "recommendation", "permission", "plan", "past", "conditional"]
_ORDER: tuple[Mood, ...] = ("policy", "recommendation", "permission", "plan", "conditional", "past")


@cache
def _cue(mood: str) -> re.Pattern[str]:
    return re.compile(bounded(load("modality")["en"][mood]), re.I)


@cache
def _chinese_cue(mood: str) -> re.Pattern[str]:
    return re.compile(alternation(load("modality")["zh"][mood]))


_MAJOR = re.compile(
    r";|；|。|(?<=[a-z)])\.\s(?=[A-Z])|\sand\s(?=(?:one|two|three|four|five|the\s(?:others?|rest|remaining))\s)|:\s(?=[A-Z])|,\s+(?:but|whereas|while)\s|，(?:而|但)|,\s+(?:and|so)\s+(?=(?:we|they|it|the|all|no|each|our)\s)"
)
_COMMA_ZH = re.compile(r"[，,。；;]")


def pieces(text: str) -> list[Span]:
    """A sentence in its major clauses: at semicolons and at conjunctions that start a new statement."""
    spans, start = [], 0
    for match in _MAJOR.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(text)))
    return [_trimmed(text, low, high) for low, high in spans if text[low:high].strip()]


def _trimmed(text: str, low: int, high: int) -> Span:
    while low < high and text[low].isspace():
        low += 1
    while high > low and text[high - 1].isspace():
        high -= 1
    return Span(text[low:high], low, high)


def _english_cues(page: Page) -> Iterator[Modality]:
    for mood in _ORDER:
        if mood == "past":
            continue
        for match in _cue(mood).finditer(page.text):
            read = _read_cue(page, match, mood)
            if read is not None:
                yield Modality(*match.span(), page.surface(*match.span()), read)
    yield from _imperative(page)
    yield from _further_imperatives(page)


def _read_cue(page: Page, match: re.Match[str], mood: Mood) -> Mood | None:
    word, before, after = squeeze(match.group()), page.text[: match.start()], page.text[match.end() :]
    negated = bool(re.search(r"(?:\bnot|n't)\s+$", before, re.I))
    if word in ("permitted", "allowed", "allowed to", "permitted to", "able to"):
        if (mood == "permission" and re.search(r"\b(?:not|no longer|never|only)\s+$", before)) or not re.search(
            r"\b(?:is|are|be|not|was|were|only)\s+(?:not\s+|only\s+)?$", before, re.I
        ):
            return "policy" if negated and word != "able to" else None
        return mood
    if mood == "plan":
        return _plan(page, word, before, after)
    if mood == "conditional":
        return mood if _is_condition(word, match, page) else None
    if (
        word == "may"
        and (re.search(r"\b(?:\d{1,2}|in|of|since|until|by|on)\s+$", before) or re.match(r"\s+\d{4}", after))
        and match.group()[0] == "M"
    ):
        return None
    if word == "may" and re.match(r"\s+(?:not|only)\b", after):
        return None if re.match(r"\s+not\b", after) else mood
    if word == "can" and (re.match(r"not\b", after) or re.search(r"\b(?:nor|neither)\s+$", before, re.I)):
        return None
    if word in ("required", "needs", "requires", "require") and re.match(r"\s*(?:by\s+(?:law|applicable)|for\s+this)", after):
        return None
    if word == "need" and (
        re.search(r"\b(?:the|a|an|business|no|any|of|this|every|your|our|their|operational|legitimate)\s+$", before, re.I)
        or not after[:1].isspace()
        or re.match(r"\s+(?:for|not|is|was|arises|and|or)\b", after)
    ):
        return None
    if word == "required" and re.search(r"\b(?:where|as|if|when)\s+$", before, re.I):
        return None
    if word == "should" and re.match(r"\s+(?:a|an|the)\b", after) and not before.strip():
        return None
    return None if word in ("needs", "free to") and negated else mood


def _plan(page: Page, word: str, before: str, after: str) -> Mood | None:
    if word in ("will", "will be"):
        return "policy" if page.doc == "contract" else "plan"
    if word in ("plan", "plans", "plan to", "plans to"):
        return (
            "plan"
            if re.match(r"\s+(?:to|for|on)\s", after)
            or (word.endswith("to") and not re.search(r"\b(?:the|a|this|our|response|recovery|continuity)\s+$", before, re.I))
            else None
        )
    if word == "due":
        return "plan" if not re.match(r"\s+(?:to|diligence|care)\b", after) and not before.lower().endswith(("undue ", "with ")) else None
    if word in ("planned", "scheduled", "intended", "expected", "upcoming", "targets"):
        noun_follows = re.match(r"\s+(?:maintenance|downtime|outage|use|purpose|changes?|work)\b", after)
        return None if noun_follows or word == "targets" else "plan"
    return "plan"


_CONDITION_START = re.compile(r"(?:^|[,;:(]\s*|\band\s+|\bor\s+|\bbut\s+|\bonly\s+)$", re.I)


def _is_condition(word: str, match: re.Match[str], page: Page) -> bool:
    before, after = page.text[: match.start()], page.text[match.end() :]
    if page.doc == "questionnaire" and page.text.rstrip().endswith("?"):
        return False
    if word == "where":
        return bool(_CONDITION_START.search(before)) and not before.rstrip().endswith(("except", "place"))
    if word == "provided":
        return bool(re.search(r",\s*$|^$", before)) and not re.match(r"\s+(?:by|to|with|in|for)\b", after)
    if word == "subject to" and re.search(r"\b(?:is|are|be|was|were|been|also)\s+$", before, re.I):
        return False
    if word in ("had the", "should the", "were the"):
        return not before.strip()
    return not (word == "if" and re.search(r"\bas\s+$", before))


@cache
def _imperative_pattern() -> re.Pattern[str]:
    verbs = alternation(load("modality")["imperatives"])
    behind = r"(?:the|all|your|a|an|any|only|every|not|no|it|them|each|[a-z]+\s+(?:with|to|in|before|every|for))\b"
    others = rf"(?!(?i:{alternation(load('modality')['no_imperatives'])})\s)[A-Z](?:[a-z]|-[a-z])+(?<!ing|ion)(?<!ed|ly)(?<!s)(?<!ment)"
    object_follows = r"(?:the|all|your|a|an|any|every|them|each|both)\b"
    known = rf"(?:Do\s+not|Never|{verbs})(?=\s+{behind})"
    return re.compile(rf"\s*(?:[-*•]\s+|\d+[.)]\s+)?(?P<verb>(?i:{known})|{others}(?=\s+{object_follows}))")


@cache
def _further() -> re.Pattern[str]:
    verbs = alternation(load("modality")["imperatives"])
    return re.compile(
        rf"[;:]\s+(?:otherwise\s+|then\s+)?(?P<verb>do\s+not|never|{verbs})\s+(?=the|all|your|a|an|any|only|no|it|them|each|every|[A-Z])"
    )


def _further_imperatives(page: Page) -> Iterator[Modality]:
    """ "...; use TLS 1.3": an instruction behind a semicolon."""
    if page.doc in ("policy", "standard", "procedure"):
        for match in _further().finditer(page.text):
            yield Modality(*match.span("verb"), page.surface(*match.span("verb")), "policy")


def _imperative(page: Page) -> Iterator[Modality]:
    match = _imperative_pattern().match(page.text)
    if match and page.doc in ("policy", "standard", "procedure") and match["verb"][0].isupper():
        yield Modality(*match.span("verb"), page.surface(*match.span("verb")), "policy")


@cache
def _perfect() -> re.Pattern[str]:
    participles = alternation(load("modality")["en"]["participles"])
    return re.compile(
        rf"(?<![A-Za-z])(?:has|have|had)\s+(?:not\s+|never\s+|already\s+|also\s+|since\s+|now\s+|all\s+|both\s+|recently\s+|fully\s+|successfully\s+|just\s+)*(?:{participles}|[a-z]{{2,}}ed)(?![A-Za-z])",
        re.I,
    )


@cache
def _simple() -> re.Pattern[str]:
    data = load("modality")["en"]
    adverbs = r"(?:not\s+|last\s+|also\s+|then\s+|never\s+|fully\s+|all\s+|successfully\s+|[a-z]+ly\s+)*"
    be = rf"(?:was|were)(?:\s+{adverbs}(?:[a-z-]+ed|{alternation(data['participles'])}))?|did|could|had"
    return re.compile(
        rf"(?<![A-Za-z])(?:(?P<be>{be})|(?P<irregular>{alternation(data['past_irregular'])})|(?P<regular>[a-z]{{2,}}ed))(?![A-Za-z-])", re.I
    )


_AUXILIARY = re.compile(
    r"(?<![A-Za-z])(?:is|are|be|been|being|am|must|shall|will|(?-i:may)|can|cannot|should|has|have|do|does|don't|doesn't|isn't|aren't|gets?|stays?|remains?|keeps?|becomes?)(?![A-Za-z])",
    re.I,
)
_BOUNDARY = re.compile(
    r"[,;:]|\s(?:and(?!\s+[a-z]+ed\b)|but|that|which|who|whose|where|after|before|until|when|if|once|because|since|as|so)\s", re.I
)
_OBJECT = re.compile(
    r"\s+(?:the|a|an|that|to|in|on|by|no|all|our|its|\d|for|at|with|from|both|two|three|each|every|as|under|during|after|before|and|between|successfully|without|last|this|yesterday)\b|\s*$|\s*[.,;]|\s+\d",
    re.I,
)
_NOT_VERB = re.compile(
    r"(?:\b(?:a|an|the|of|for|to|with|by|and|or|our|your|its|their|this|that|is|are|be|been|being|was|were|has|have|had|not|no|all|any|each|every|as|than|when|if|where|in|on|at|from|via|through|per|using|more|most|only|only|fully|newly|well|least|more|so|other|[a-z]+ly|which)|[,;:(]|^)\s*$",
    re.I,
)


def _past(page: Page, piece: Span, dated: Sequence[Fact]) -> Iterator[Modality]:
    """The first verb of a clause that reports something past: a perfect, was/were/did, or a simple past."""
    spans = [span for span in (_perfect_span(piece.text), *_simple_spans(page, piece.text)) if span is not None]
    spans = [(start, end) for start, end in spans if free(piece.start + start, piece.start + end, dated)]
    if spans:
        start, end = min(spans)
        yield Modality(piece.start + start, piece.start + end, page.surface(piece.start + start, piece.start + end), "past")


_SUBORDINATE = re.compile(r"\b(?:if|once|after|until|when|unless|as|before|who|that|which|since)\b[^,]*$", re.I)


def _perfect_span(text: str) -> tuple[int, int] | None:
    match = _perfect().search(text)
    if match is None or "yet to" in text or _SUBORDINATE.search(text[: match.start()]):
        return None
    return match.span()


def _simple_spans(page: Page, text: str) -> Iterator[tuple[int, int]]:
    matches = list(_simple().finditer(text))
    helped = any(match["be"] for match in matches)
    for match in matches:
        before, after = text[: match.start()], text[match.end() :]
        finite = _AUXILIARY.search(before) or _AUXILIARY.search(_rest_of_clause(after))
        if match["be"]:
            possession = match["be"].lower() == "had" and not re.match(r"\s+(?:[a-z]+ed|no|been|a|the)\b", after)
            if not possession and not (finite and _SUBORDINATE.search(before)):
                yield match.span()
        elif not finite and _finite_past(text, match) and page.doc != "certificate" and not (helped and re.match(r"\s*[,.]", after)):
            yield match.span()


def _rest_of_clause(after: str) -> str:
    """What belongs to the same verb: "data encrypted at rest must be ..." has its verb behind, "noted that two were ..." has not."""
    end = None if re.match(r"\s+(?:and|or)\s", after) else _BOUNDARY.search(after)
    return after[: end.start()] if end else after


def _finite_past(text: str, match: re.Match[str]) -> bool:
    """Whether an -ed word is the verb of the clause: a noun before it, an object or the end behind it."""
    word = match.group().lower()
    if word in words_of("modality", "en", "not_past") or match.group()[0].isupper():
        return False
    before = text[: match.start()]
    object_follows = bool(match["irregular"]) or bool(_OBJECT.match(text, match.end()))
    return bool(before.strip()) and not _NOT_VERB.search(before) and object_follows


@cache
def _chinese_inside(name: str) -> re.Pattern[str]:
    return re.compile(alternation(load("modality")["zh"][name]))


def _inside(text: str, match: re.Match[str], name: str) -> bool:
    patterns = (_chinese_inside(name), _chinese_friends())
    low, high = max(0, match.start() - PHRASE), match.end() + PHRASE
    near = (found for pattern in patterns for found in pattern.finditer(text, low, high))
    return any(found.start() <= match.start() and match.end() <= found.end() for found in near)


PHRASE = 24
"""Characters of the longest phrase that a cue may stand inside, and more."""


@cache
def _chinese_friends() -> re.Pattern[str]:
    """不得晚于 is a limit, no prohibition."""
    return re.compile(alternation(load("negation")["false_friends"]["zh"]))


@cache
def _chinese_patterns() -> re.Pattern[str]:
    """Conditions that wrap what they depend on: 根据客户请求, 在…情况下."""
    return re.compile("|".join(load("modality")["zh"]["conditional_patterns"]))


_DATED = re.compile(
    r"(?<!已)于[^，。；]{0,14}[年月日季度底初](?P<verb>举行|召开|举办|完成|开展|进行|实施|修复|整改|关闭|发生|取得|获得|通过|更新|修订|复核|恢复|更换|销毁|删除|上线|退役)"
)
"""Done on a day: 于2026年5月举行."""
_MODIFIER = re.compile(r"(?:需要|应当|必须|须|需|应)[^，。；、的]{1,3}的(?=[一-鿿])")


def _chinese_cues(page: Page) -> Iterator[Modality]:
    for match in _chinese_patterns().finditer(page.text):
        yield Modality(*match.span(), page.surface(*match.span()), "conditional")
    for match in _DATED.finditer(page.text):
        if not any(_chinese_cue("plan").search(part) for part in re.split(r"[，。；]", page.text[: match.end()])[-1:]):
            yield Modality(*match.span("verb"), page.surface(*match.span("verb")), "past")
    for mood in _ORDER:
        for match in _chinese_cue(mood).finditer(page.text):
            if _chinese_meant(page, match, mood):
                barred = mood == "permission" and page.text[: match.start()].endswith("不")
                value: Mood = "policy" if barred or (mood == "plan" and match.group().startswith("将") and page.doc == "contract") else mood
                yield Modality(*match.span(), page.surface(*match.span()), value)


def _chinese_meant(page: Page, match: re.Match[str], mood: Mood) -> bool:
    text, word = page.text, match.group()
    if mood in ("policy", "permission", "plan") and _inside(text, match, f"not_{mood}_inside"):
        return False
    if mood == "plan" and word == "将":
        return bool(re.compile(load("modality")["zh"]["will_followed_by"]).match(text, match.end()))
    if mood == "conditional" and word in ("如", "若", "如有", "如需"):
        return bool(re.search(r"(?:^|[，。；、,;：:（(])$", text[: match.start()])) and not text.startswith(("下", "上"), match.end())
    if mood == "past":
        return not re.match(r"[^，。；]{0,12}?(?:之?后|时|之日)", text[match.end() :])
    if mood == "policy" and _MODIFIER.match(text, match.start()):
        return False  # 需要上报的事件 is a kind of event, no duty
    return mood != "policy" or word not in ("要求",) or not re.match(r"[。，；]|$", text[match.end() :])


def _outranked(cues: list[Modality], outer: Sequence[Fact]) -> list[Fact]:
    """Longest cue first at one place; none inside an exception. They are kept in order and apart, so that only the last can touch."""
    kept: list[Modality] = []
    for cue in sorted(cues, key=lambda cue: (cue.start, -(cue.end - cue.start))):
        repeated = cue.value == "plan" and any(other.value == "plan" and cue.start - other.end < 40 for other in kept[-40:])
        if free(cue.start, cue.end, [*kept[-1:], *outer]) and not repeated:
            kept.append(cue)
    return list(kept)


def find(page: Page, outer: Iterable[Fact]) -> list[Fact]:
    """Modalities of a page; a major clause without a cue is a fact. Questions carry none."""
    if page.doc == "questionnaire":
        return []
    outer = list(outer)
    exceptions = [fact for fact in outer if isinstance(fact, Exclusion)]
    if page.language == "zh":
        cues = _outranked([*_chinese_cues(page)], exceptions)
    else:
        spans = pieces(page.text)
        dated = [fact for fact in outer if isinstance(fact, Date | Deadline | Frequency)]
        past = [cue for piece in spans for cue in _past(page, piece, dated)]
        cues = _outranked([*_english_cues(page), *past], exceptions)
    return sorted([*cues, *_plain(page, cues, exceptions)], key=lambda fact: fact.start)


def _plain(page: Page, cues: list[Fact], exceptions: Sequence[Fact]) -> list[Fact]:
    if not cues:
        return [Modality(0, len(page.text), page.surface(0, len(page.text)), "fact")] if page.text.strip() else []
    spans = _statements(page.text) if page.language == "en" else _chinese_pieces(page.text, cues)
    plain: list[Fact] = []
    for piece in spans:
        covered = any(piece.start <= cue.start < piece.end for cue in cues)
        if not covered and _clause_like(piece.text) and free(piece.start, piece.end, exceptions):
            plain.append(Modality(piece.start, piece.end, page.surface(piece.start, piece.end), "fact"))
    return plain


_STATE = re.compile(r"已|均|尚未|仍|目前|现有|为|支持|采用|从不|审批|由")
_ACT = re.compile(
    r"禁用|停用|启用|关闭|位于|保留|保存|加密|存储|存放|运行|部署|提供|使用|覆盖|接入|隔离|执行|备份|监控|记录|通过|轮换|复核|更新|包含|包括"
)
_OWN_SUBJECT = re.compile(
    r",\s+and\s+(?=(?!(?:is|are|has|have|do|does|was|were|must|shall|may|can|will|not|then|also)\s)(?:(?!(?:if|when|where|unless|until|once|after|before|that|which|who)\s)[a-z-]+\s+){1,4}(?:is|are|has|have|does|do)\s)|\s(?:and|but)\s+(?=(?:was|were|(?:is|are)\s+on\s|has\s+been|have\s+been|had\s+been|will|shall|must|may)\s)"
)
_NO_SUBJECT = re.compile(
    r"(?:(?:does|do|did|is|are|was|were|has|have|must|shall|will|may|can)\s|.*\b(?:has|have)\s+yet\s+to\b)", re.I | re.S
)


def _statements(text: str) -> list[Span]:
    """Major clauses, and those behind "and" with a subject and a verb of their own."""
    found: list[Span] = []
    for piece in pieces(text):
        start = piece.start
        for match in _OWN_SUBJECT.finditer(text, piece.start, piece.end):
            found.append(_trimmed(text, start, match.start()))
            start = match.end()
        found.append(_trimmed(text, start, piece.end))
    return [span for span in found if not _NO_SUBJECT.match(span.text)]


def _chinese_pieces(text: str, cues: Sequence[Fact]) -> list[Span]:
    """Comma clauses that state something by themselves; beside a condition or something past only those that say so."""
    narrow = any(isinstance(cue, Modality) and cue.value in ("past", "conditional") for cue in cues)
    state = _STATE if narrow else re.compile(f"{_STATE.pattern}|{_ACT.pattern}")
    spans, start = [], 0
    for match in [*_COMMA_ZH.finditer(text)]:
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(text)))
    return [
        _trimmed(text, low, high)
        for low, high in spans
        if state.search(text[low:high]) and (narrow or not text[low:high].startswith(("并", "且", "同时")))
    ]


def _clause_like(text: str) -> bool:
    return len(text.split()) >= 3 or (len(text) >= 6 and bool(re.search(r"[一-鿿]", text)))
