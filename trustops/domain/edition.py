"""Two editions of one questionnaire: which questions stayed, which changed and how, which came and which went."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher, ndiff

from trustops.domain.base import Noun
from trustops.domain.question import Question

# Percents of equal characters (difflib's ratio) from which two texts are editions of one question, with another ref and with the same.
# Chosen, not measured: they decide no answer.
ALIKE = 60
ALIKE_UNDER_ONE_REF = 50
MAX_COMPARED = 400_000


class Changed(Noun):
    """A question whose text is not what it was; `diff` marks words with - and +."""

    old: Question
    new: Question
    diff: str


class Edition(Noun):
    """What a newer file makes of an older one."""

    unchanged: tuple[tuple[Question, Question], ...] = ()
    changed: tuple[Changed, ...] = ()
    added: tuple[Question, ...] = ()
    gone: tuple[Question, ...] = ()


def editions(old: tuple[Question, ...], new: tuple[Question, ...]) -> Edition:
    """Equal texts are one question (the same ref first), then equal refs with alike texts, then the most alike texts."""
    left, right = list(old), list(new)
    unchanged = _pairs(left, right, lambda a, b: _plain(a.text) == _plain(b.text) and a.ref == b.ref)
    unchanged += _pairs(left, right, lambda a, b: _plain(a.text) == _plain(b.text))
    changed = _pairs(left, right, lambda a, b: a.ref == b.ref and _alike(a, b) >= ALIKE_UNDER_ONE_REF)
    if len(left) * len(right) <= MAX_COMPARED:
        changed += _nearest(left, right)
    made = tuple(Changed(old=a, new=b, diff=_diff(a.text, b.text)) for a, b in changed)
    return Edition(unchanged=tuple(unchanged), changed=made, added=tuple(right), gone=tuple(left))


def _pairs(left: list[Question], right: list[Question], same: Callable[[Question, Question], bool]) -> list[tuple[Question, Question]]:
    """Pairs that meet the condition, taken out of both lists."""
    keyed: dict[str, list[Question]] = {}
    for question in right:
        keyed.setdefault(question.ref, []).append(question)
        keyed.setdefault(_plain(question.text), []).append(question)
    found, taken = [], set[int]()
    for a in list(left):
        for b in (*keyed.get(_plain(a.text), ()), *keyed.get(a.ref, ())):
            if id(b) not in taken and same(a, b):
                taken.add(id(b))
                left.remove(a)
                right.remove(b)
                found.append((a, b))
                break
    return found


def _nearest(left: list[Question], right: list[Question]) -> list[tuple[Question, Question]]:
    ranked = sorted(((_alike(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right)), key=lambda r: (-r[0], r[1], r[2]))
    found, ours, theirs = [], set[int](), set[int]()
    for ratio, i, j in ranked:
        if ratio >= ALIKE and i not in ours and j not in theirs:
            ours.add(i)
            theirs.add(j)
            found.append((left[i], right[j]))
    left[:] = [a for i, a in enumerate(left) if i not in ours]
    right[:] = [b for j, b in enumerate(right) if j not in theirs]
    return found


def _alike(a: Question, b: Question) -> int:
    """Percent of equal characters; 0 where a cheap bound shows that it is below both limits."""
    matcher = SequenceMatcher(None, _plain(a.text)[:500], _plain(b.text)[:500], autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) * 100 < ALIKE_UNDER_ONE_REF:
        return 0
    return int(matcher.ratio() * 100)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _diff(old: str, new: str) -> str:
    """The words that went (-) and came (+), in their order."""
    return " ".join(f"{word[0]}{word[2:]}" for word in ndiff(old.split(), new.split()) if word[0] in "+-")
