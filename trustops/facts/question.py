"""What a question asks: open or yes/no, how many asks, and the proposition a yes would state."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from trustops.facts.lexicon import alternation, bounded, load, words_of
from trustops.facts.nouns import NOT_STATED, Absolute, Attribution, Fact, Modality, Names, Negation, Scope, Sentence
from trustops.facts.page import language, normalise
from trustops.facts.sentence import read
from trustops.facts.split import split
from trustops.facts.words import position_of, stem

_PART = re.compile(
    r"(?:(?<=^)|(?<=[\s;,.?!？。；]))(?:\((?P<round>[a-h]|[ivx]{1,4}|\d{1,2})\)|（(?P<wide>[一二三四五六\da-h])）|(?P<dot>[a-h]|\d{1,2})[).]|(?P<circle>[①-⑨]))\s*(?=\S)",
    re.I,
)
_MARK = re.compile(r"[?？]+")


@cache
def _polar() -> re.Pattern[str]:
    data = load("questions")
    lead = rf"(?:(?:{alternation(data['lead_ins'])})[\s,]+)*"
    return re.compile(rf"\s*{lead}(?:{alternation(data['polar']['en'])})(?!\w)", re.I)


@cache
def _confirm() -> re.Pattern[str]:
    data = load("questions")
    return re.compile(
        rf"\s*(?:{alternation(data['confirm'])})(?!\w)[\s,:]*(?:that\s+|whether\s+|if\s+)?|\s*(?:{alternation(data['confirm_zh'])})", re.I
    )


@cache
def _open() -> re.Pattern[str]:
    data = load("questions")["open"]
    return re.compile(rf"\s*(?:(?:please|kindly|for|in|to|at|on|from|under|with|by|and)\s+)*{bounded(data['en'])}", re.I)


@cache
def _open_zh() -> re.Pattern[str]:
    return re.compile(alternation(load("questions")["open"]["zh"]))


@cache
def _explained() -> re.Pattern[str]:
    """ "Could you explain how ...?" wants a description, "Can you provide the report?" a yes."""
    return re.compile(
        rf"\s+you\s+(?:please\s+|kindly\s+|briefly\s+)?(?:{alternation(load('questions')['open']['behind_polar'])})(?!\w)", re.I
    )


@cache
def _polar_zh() -> re.Pattern[str]:
    return re.compile(alternation(load("questions")["polar"]["zh"]))


def is_open(question_text: str) -> bool:
    """Whether a question wants a description rather than a yes or no. "Yes/no and how often?" counts as yes/no."""
    text = normalise(_first_part(question_text)).strip()
    if _confirm().match(text):
        return False
    if language(text) == "zh":
        return bool(_open_zh().search(text)) and not _polar_zh().search(text)
    polar = _polar().match(text)
    if polar:
        return bool(_explained().match(text, polar.end()))
    if _open().match(text):
        return True
    return _asks_inside(text)


def _asks_inside(text: str) -> bool:
    """A question mark without an auxiliary in front: "Your RTO is what?"; a statement without one is yes/no."""
    question = text.rstrip().endswith("?")
    late = re.search(r"[,:]\s*(?P<rest>.+)$", text)
    if late and _polar().match(late["rest"]):
        return False
    return question and bool(re.search(rf"(?:[,:]\s*|^|\s){bounded(['how', 'which', 'what', 'who', 'where', 'when', 'why'])}", text, re.I))


def _first_part(text: str) -> str:
    parts = _parts(text)
    return parts[0] if parts else text


def _parts(text: str) -> list[str]:
    """The enumerated parts of a cell; a lead that ends in a colon ("Regarding backups:") belongs to each."""
    marks = [match for match in _PART.finditer(text) if match.lastgroup]
    if len(marks) < 2 or not _in_sequence(marks):
        return []
    bounds = [match.start() for match in marks] + [len(text)]
    parts = [text[marks[index].end() : bounds[index + 1]].strip(" ;；,\n\t") for index in range(len(marks))]
    lead = text[: marks[0].start()].strip()
    return [f"{lead} {part}" if lead.endswith((":", "：")) else part for part in parts]


def _in_sequence(marks: list[re.Match[str]]) -> bool:
    labels = [next(value for value in match.groups() if value).lower() for match in marks]
    return labels[0] in ("a", "i", "1", "一", "①") and labels[1] in ("b", "ii", "2", "二", "②")


def _is_detail(text: str) -> bool:
    """A follow-up that only wants detail of what was asked before: "Describe the path.", "If yes, since when?"."""
    plain = normalise(text).strip().lower()
    words = load("questions")["detail"]
    return bool(re.match(rf"(?:{alternation(words)})(?![a-z])", plain)) or plain.startswith(tuple(w for w in words if w > "一"))


@lru_cache(maxsize=4096)
def asks(question_text: str) -> tuple[str, ...]:
    """The asks of one cell. Enumerated parts and further questions are asks of their own, follow-up details are not."""
    parts = _parts(question_text)
    if parts:
        return tuple(parts)
    found: list[str] = []
    for piece in (span.text for span in split(question_text)):
        further = bool(_MARK.search(piece)) and not _is_detail(piece)
        context = bool(found) and not _MARK.search(found[-1]) and not is_open(found[-1])
        if found and (not further or context):
            found[-1] = f"{found[-1]} {piece}"
        elif piece:
            found.append(piece)
    return tuple(found) or (question_text.strip(),)


_TAIL = re.compile(
    r"\s*[(（](?:yes|no|y/n|是)\b.*$|"
    r",?\s+(?:and|or|so)?\s*(?:if\s+(?:so|not|yes|no)\b|how\s+(?:often|many|long|frequently)\b|what\s+is\b|at\s+what\b|to\s+whom\b|where\b).*$|[，,](?:如果?(?:是|有|否)|频率|多久).*$",
    re.I | re.S,
)


def _main(text: str) -> str:
    """The part that a yes would affirm: the first sentence that is no detail, without "and if not, ...?"."""
    sentences = [span.text for span in split(text)]
    kept = [piece for index, piece in enumerate(sentences) if index == 0 or not _is_detail(piece)]
    main = " ".join(kept[:1]) if kept and _MARK.search(kept[0]) else " ".join(kept)
    lead = _confirm().match(main)
    start = lead.end() if lead else 0
    cut = _TAIL.search(main, start + 8)
    return main[start : cut.start()] if cut and not is_open(text) else main[start:]


_QUESTION_WORDS = frozenset(["confirm", "question", "please", "kindly", "yes", "no", "many", "much"])


@lru_cache(maxsize=4096)
def proposition(question_text: str, names: Names) -> Sentence:
    """The statement that a yes to the question makes, with facts and spans in the original text.

    `start` and `end` say which part of the question it is; fact offsets count from the start of the original.
    """
    main = _main(question_text)
    offset = max(question_text.find(main), 0)
    inner = read(main, names, "questionnaire")
    opened = is_open(question_text)
    dropped_kinds = (Attribution, Absolute, Negation) if opened else (Attribution,)
    shown = examples(main)
    demanded = (fact for fact in inner.facts if not any(low <= fact.start < high for low, high in shown))
    shifted = tuple(_asked(fact, offset, opened=opened) for fact in demanded if not isinstance(fact, dropped_kinds))
    dropped = {stem(word) for word in (words_of("questions", "open", "en") | _QUESTION_WORDS)} if opened else set()
    places = [(position_of(main, low), position_of(main, high - 1)) for low, high in shown]
    anchors = tuple((at, word) for at, word in inner.anchors if not any(low <= at <= high for low, high in places))
    kept = tuple((at, word) for at, word in anchors if word not in dropped)
    past = _past(main, offset)
    facts = tuple(sorted([*shifted, *past], key=lambda fact: (fact.start, fact.end)))
    return Sentence(
        question_text,
        offset,
        offset + len(main),
        facts,
        frozenset(word for _, word in kept),
        inner.language,
        anchors if offset == 0 else kept,
    )


_EXAMPLE = re.compile(
    r"(?<![\w.])(?:e\.\s?g\.?|eg\.|for\s+example|for\s+instance|such\s+as)(?![a-z])[,:]?\s*|例如|比如|譬如|诸如|(?<=[（(])如(?![果何需有期])",
    re.I,
)
_LIST_END = re.compile(
    r"[)）\]?？;；。!]|\.(?!\d)|，|等|,?\s+(?:for|to|in|on|at|with|by|from|within|across|during|before|after|when|where|that|which|while|is|are|was|were|do|"
    r"does|has|have|can|must|will|if|unless|and\s+(?:is|are|do|does|has|have|can|how|what|if))\s|$", re.I
)  # fmt: skip


def examples(text: str) -> tuple[tuple[int, int], ...]:
    """Stretches of a question that only illustrate: "e.g. AES-256", 例如. In an answer or in evidence they are facts like any other.

    A list ends at its bracket, or at the first word that goes on with the question, so that no demand behind it is lost.
    """
    found: list[tuple[int, int]] = []
    for match in _EXAMPLE.finditer(text):
        bracketed = re.search(r"[（(]\s*$", text[: match.start()])
        closing = re.compile(r"[)）]").search(text, match.end()) if bracketed else None
        end = closing or _LIST_END.search(text, match.end())
        if text[: match.start()].strip() and (not found or match.start() >= found[-1][1]):
            found.append((match.start(), end.start() if end else len(text)))
    return tuple(found)


_OUR_DATA = re.compile(r"(?:our|your\s+customers'|customer)\s+(?:[\w'-]+\s+){0,2}?(?:data|content|information|files)\b", re.I)


def _asked(fact: Fact, offset: int, *, opened: bool) -> Fact:
    """A fact at its place in the question. The customer's "our data" is the organisation's customer data."""
    moved = replace(fact, start=fact.start + offset, end=fact.end + offset)
    if not isinstance(moved, Scope):
        return moved
    if opened and moved.coverage in ("all", "none"):
        moved = replace(moved, coverage="not_stated")
    return replace(moved, who="customer data") if _OUR_DATA.search(moved.surface) and moved.canonical == NOT_STATED else moved


def _past(main: str, offset: int) -> list[Modality]:
    """ "Has ... been reviewed?" asks for an achievement, which a rule does not prove; "Will you ...?" asks for a promise."""
    match = re.match(
        r"\s*(?:has|have|did|was|were|had)\b(?!\s+(?:you|your\s+\w+|the\s+\w+)\s+(?:a|an|any|the)\b)", main, re.I
    ) or re.search(r"是否已经?|有没有", main)
    if match:
        return [Modality(match.start() + offset, match.end() + offset, match.group(), "past")]
    promise = re.match(r"\s*(?:will|would|shall)\b", main, re.I)
    if promise:
        return [Modality(promise.start() + offset, promise.end() + offset, promise.group(), "policy")]
    ability = re.match(r"\s*(?:can|could|may)\b|[^，。]{0,8}(?:能否|可否)", main, re.I)
    return [Modality(ability.start() + offset, ability.end() + offset, ability.group(), "permission")] if ability else []
