"""The `cond` of VSAQ: ids of choices and items joined by `&&`, `||`, `!` and brackets, as alternatives of what must be answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trustops.formats.questionnaires.jsonforms import Form

TOKEN = re.compile(r"\s*(&&|\|\||!|\(|\)|[^\s&|!()]+)")
MAX_GROUPS = 32
SHEET = "json"

Need = tuple[str, str, bool]  # cell, value, negated
Groups = list[tuple[Need, ...]]


def resolve(form: Form) -> None:
    """Fill in what the conditions of a form's questions need. One that names an unknown id, or is no such expression, stays in words."""
    known = _ids(form)
    for asked in form.asked:
        if asked.condition:
            try:
                groups = _Reader(TOKEN.findall(asked.condition.text), known).whole()
            except (LookupError, RecursionError):
                continue
            asked.condition.needs = [
                [{"sheet": SHEET, "cell": cell, "value": value, "negated": negated} for cell, value, negated in group] for group in groups
            ]


def _ids(form: Form) -> dict[str, Need]:
    """What it takes for an id to hold: its choice is taken, its box is ticked, or its text is not empty."""
    known: dict[str, Need] = {}
    for pointer, target in form.targets.items():
        for text, name in target.choices.items():
            known[name] = (pointer, text, False)
        if target.key and not target.choices:
            known[target.key] = (pointer, "", True)
    return known


class _Reader:
    """A reader of one expression. Raises LookupError for what is none, for unknown ids, and for too many alternatives."""

    def __init__(self, tokens: list[str], known: dict[str, Need]) -> None:
        self.tokens, self.known = tokens, known

    def whole(self) -> Groups:
        groups = self._either(negated=False)
        if self.tokens:
            raise LookupError(self.tokens[0])
        return groups

    def _either(self, *, negated: bool) -> Groups:
        return self._chain("||", negated=negated)

    def _chain(self, sign: str, *, negated: bool) -> Groups:
        def part() -> Groups:
            return self._chain("&&", negated=negated) if sign == "||" else self._one(negated=negated)

        groups = part()
        while self.tokens[:1] == [sign]:
            self.tokens.pop(0)
            groups = self._joined(groups, part(), every=(sign == "&&") is not negated)
        return groups

    def _joined(self, one: Groups, other: Groups, *, every: bool) -> Groups:
        made = [(*a, *b) for a in one for b in other] if every else [*one, *other]
        if len(made) > MAX_GROUPS:
            raise LookupError("too many alternatives")
        return made

    def _one(self, *, negated: bool) -> Groups:
        if not self.tokens:
            raise LookupError("nothing")
        token = self.tokens.pop(0)
        if token == "!":
            return self._one(negated=not negated)
        if token == "(":
            groups = self._either(negated=negated)
            if self.tokens[:1] != [")"]:
                raise LookupError(token)
            self.tokens.pop(0)
            return groups
        cell, value, flag = self.known[token]
        return [((cell, value, flag is not negated),)]
