"""Harm: a question that a customer changed since last year is answered with last year's answer, unseen."""

from __future__ import annotations

from trustops.domain.edition import editions
from trustops.domain.question import Question


def asked(**texts: str) -> tuple[Question, ...]:
    return tuple(Question(ref=ref, text=text, sheet="S", cell=f"B{place}") for place, (ref, text) in enumerate(texts.items(), 2))


OLD = asked(
    a="Do you encrypt customer data at rest?",
    b="Is access reviewed every quarter?",
    c="How long are logs kept?",
    d="Do you have a fax machine?",
)


def test_unchanged_changed_new_and_gone_questions_are_told_apart() -> None:
    new = asked(
        a="Do you encrypt customer data at rest?",
        b="Is access reviewed every month?",
        z="How long  are logs KEPT?",
        e="Do you use artificial intelligence in the product?",
    )
    made = editions(OLD, new)
    assert [(old.ref, now.ref) for old, now in made.unchanged] == [("a", "a"), ("c", "z")]
    assert [(c.old.ref, c.new.ref, c.diff) for c in made.changed] == [("b", "b", "-quarter? +month?")]
    assert ([q.ref for q in made.added], [q.ref for q in made.gone]) == (["e"], ["d"])


def test_a_renumbered_and_reworded_question_is_found_again() -> None:
    made = editions(OLD[:1], asked(x="Do you encrypt all customer data at rest and in transit?"))
    assert [(c.old.ref, c.new.ref) for c in made.changed] == [("a", "x")]


def test_an_equal_ref_with_another_question_is_not_the_same_question() -> None:
    made = editions(OLD[:1], asked(a="Who is your insurer?"))
    assert (len(made.changed), [q.ref for q in made.added], [q.ref for q in made.gone]) == (0, ["a"], ["a"])


def test_two_equal_texts_are_paired_once_each() -> None:
    twice = asked(a="Is this documented?", b="Is this documented?")
    made = editions(twice, twice)
    assert [(old.ref, now.ref) for old, now in made.unchanged] == [("a", "a"), ("b", "b")]
    assert editions(twice, twice[:1]).gone == (twice[1],)
