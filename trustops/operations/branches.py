"""Branches of a questionnaire at the export: an answer to a question that its own file, or its words, switch off does not leave.

"If no, skip to 14" with a no before it: 13 stays empty. What the question depends on is judged by what will stand in the answered file:
the answers of this export, and what the customer's file already says. "Not applicable" leaves all the same: it says just that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trustops.domain.answer import AnswerVersion, Determination
from trustops.domain.export import ClearedAnswer
from trustops.domain.question import Question
from trustops.facts.vocabulary import meaning_of

Cells = dict[tuple[str, str], str]
Withheld = tuple[str, tuple[str, ...]]
OFF = frozenset({Determination.NO, Determination.NOT_APPLICABLE})


def on_open_branches(
    questions: Sequence[Question], cleared: Sequence[ClearedAnswer], answers: Mapping[str, AnswerVersion]
) -> tuple[list[ClearedAnswer], list[Withheld]]:
    """The answers whose questions are asked once all that leave stand in the file, and those that stay because theirs are not.

    One that stays leaves its cell as it was, which may switch off others in turn.
    """
    conditional = {question.ref: question for question in questions if question.condition}
    left, withheld = list(cleared), list[Withheld]()
    while True:
        values, meanings = _standing(questions, left, answers)
        off = [
            c.question
            for c in left
            if (question := conditional.get(c.question))
            and question.condition
            and question.condition.holds(values, meanings) is False
            and answers[c.question].determination is not Determination.NOT_APPLICABLE
        ]
        if not off:
            return left, withheld
        withheld += [(ref, (_reason(conditional[ref]),)) for ref in off]
        left = [c for c in left if c.question not in off]


def _standing(questions: Iterable[Question], left: Iterable[ClearedAnswer], answers: Mapping[str, AnswerVersion]) -> tuple[Cells, Cells]:
    """What will stand in each answer cell, and what the answers mean, by cell. An answer that does not leave counts only where it says no:
    what depends on a yes would contradict it."""
    values = {(a.sheet, a.cell): a.filled for question in questions for a in question.answers}
    meanings = {key: meaning.value for key, text in values.items() if (meaning := meaning_of(text))}
    leaving = {c.question: c for c in left}
    for question in questions:
        answer, sent = answers.get(question.ref), leaving.get(question.ref)
        if answer and (sent or answer.determination in OFF):
            meanings |= {(a.sheet, a.cell): answer.determination.value for a in question.answers}
        if sent:
            values |= {value.cell_key: value.value for value in sent.cells}
    return values, meanings


def _reason(question: Question) -> str:
    said = question.condition.text if question.condition else ""
    return f"BRANCH_OFF: {question.sheet}!{question.cell} is not asked with the answers of this export ({' '.join(said.split())[:200]})"
