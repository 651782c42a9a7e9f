"""Evidence that says no, or less than was asked, is looked for as well."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trustops.retrieval.queries import forms


def test_the_verbatim_question_comes_first() -> None:
    question = "Is MFA enforced for all employees?"
    assert forms(question)[0] == question


def test_a_question_is_also_asked_in_its_denied_form() -> None:
    assert any("not" in form.split() and "unencrypted" in form.split() for form in forms("Is data encrypted?"))


def test_a_denying_question_is_also_asked_without_the_denial() -> None:
    assert "Do you share data with third parties?" in forms("Do you not share data with third parties?")


def test_a_question_is_also_asked_without_its_scope() -> None:
    assert "Is MFA enforced for ?" in forms("Is MFA enforced for all employees?")
    assert "是否启用多因素认证" in forms("所有员工是否启用多因素认证")


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_its_forms_without_doubles(question: str) -> None:
    made = forms(question)
    assert len(made) == len(set(made)) <= 3
    assert all(form.strip() for form in made)
