"""Harm: what stands only in papers that are not for customers leaves with an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.bench import passage, prior
from trustops.checks.disclosure import RUN, confidential, disclosure_findings, identifiers, runs
from trustops.domain.evidence import Classification

INTERNAL = (
    "The alarm panel answers at panel-07.lantern.example and at 10.44.7.19; the installer's account is svc_alarm-3.\n"
    "Ask Oriel Pemberton in #alarm-desk, or write to night.desk@lantern.example.\n"
    "The spare panel key is `brass-otter` and the account number is 4410-2291-7735.\n"
    "Whoever finds the east stair unlocked after hours rings the bell twice and waits by the map."
)
PUBLIC = "The alarm panel is tested weekly. Visitors use a well-known third-party ticket shop. Write to hello@lantern.example."
SECRET = confidential([passage(INTERNAL, "a.md", classification=Classification.INTERNAL), passage(PUBLIC, "b.md")], [])

LEAKS = [
    pytest.param("See panel-07.lantern.example for its state.", id="a host"),
    pytest.param("The panel is at 10.44.7.19.", id="an address"),
    pytest.param("svc_alarm-3 has access.", id="an account"),
    pytest.param("SVC_ALARM-3 has access.", id="an account in capitals"),
    pytest.param("Oriel Pemberton looks after it.", id="a person"),
    pytest.param("Ask in #alarm-desk.", id="a channel"),
    pytest.param("Write to night.desk@lantern.example.", id="a mail address"),
    pytest.param("The key is brass-otter.", id="a name that the document set off as an identifier"),
    pytest.param("Account 4410-2291-7735 pays.", id="an account number"),
    pytest.param("(10.44.7.19)", id="an address in brackets"),
    pytest.param("Hosts: a, panel-07.lantern.example, b", id="a host in a list"),
    pytest.param("访问经由panel-07.lantern.example完成。", id="a host between Chinese characters"),
    pytest.param("账号svc_alarm-3可以访问，地址10.44.7.19。", id="an account between Chinese characters"),
]


@pytest.mark.parametrize("text", LEAKS)
def test_an_identifier_of_an_internal_paper_does_not_leave(text: str) -> None:
    found = disclosure_findings([text], SECRET)
    assert {f.code.value for f in found} == {"SENSITIVE_DISCLOSURE"}
    assert all(f.blocks for f in found)


HARMLESS = [
    pytest.param("The alarm panel is tested weekly.", id="words of a shareable paper"),
    pytest.param("We use a well-known third-party ticket shop.", id="ordinary hyphenated words"),
    pytest.param("A day-to-day check, end-to-end, is up-to-date.", id="hyphenated words of prose"),
    pytest.param("Write to hello@lantern.example.", id="an address that a shareable paper gives"),
    pytest.param("The panel is at 10.44.7.190.", id="a longer address that only begins alike"),
    pytest.param("The unlocked door rings the bell.", id="single words of an internal paper"),
    pytest.param("", id="nothing"),
]


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_are_no_disclosure(text: str) -> None:
    assert disclosure_findings([text], SECRET) == ()


WORDS = INTERNAL.rsplit("\n", 1)[1].split()


@pytest.mark.parametrize(("count", "leaks"), [(RUN - 1, False), (RUN, True), (RUN + 3, True)], ids=["seven", "eight", "eleven"])
def test_eight_words_in_a_row_of_an_internal_paper_do_not_leave(count: int, leaks: bool) -> None:
    assert bool(disclosure_findings([" ".join(WORDS[2 : 2 + count])], SECRET)) is leaks


DRESSED = [
    pytest.param(" ".join(WORDS[:9]).upper(), id="in capitals"),
    pytest.param(", ".join(WORDS[:9]), id="with commas between"),
    pytest.param("\n".join(WORDS[:9]), id="one word a line"),
    pytest.param("Yes. " + " ".join(WORDS[:9]) + ".", id="behind a lead-in"),
]


@pytest.mark.parametrize("text", DRESSED)
def test_the_same_words_in_other_dress_do_not_leave(text: str) -> None:
    assert disclosure_findings([text], SECRET)


def test_a_run_that_a_shareable_paper_holds_as_well_may_leave() -> None:
    line = " ".join(WORDS)
    both = confidential([passage(line, "a.md", classification=Classification.RESTRICTED), passage(line, "b.md")], [])
    assert disclosure_findings([line], both) == ()


def test_restricted_and_unclassified_papers_are_kept_in_as_internal_ones_are() -> None:
    for kind in (Classification.INTERNAL, Classification.RESTRICTED):
        secret = confidential([passage(INTERNAL, classification=kind)], [])
        assert disclosure_findings(["Oriel Pemberton"], secret)


def test_a_name_in_a_heading_or_title_of_an_internal_paper_is_kept_in() -> None:
    held = passage("Locked.", classification=Classification.INTERNAL, heading=("Case gull-19",), title="Notes of Wren Castellan")
    secret = confidential([held], [])
    assert len(disclosure_findings(["Case gull-19 was opened by Wren Castellan."], secret)) == 2


def test_the_registers_title_of_a_shareable_paper_makes_no_internal_name_public() -> None:
    """Harm: somebody writes an account into the register, and the account leaves although no paper for customers holds it."""
    shut = passage(INTERNAL, "a.md", classification=Classification.INTERNAL)
    titled = passage("Locked.", "b.md", title="Which account has access? svc_alarm-3")
    assert disclosure_findings(["svc_alarm-3 has access."], confidential([shut, titled], []))
    headed = passage("Locked.", "b.md", heading=("svc_alarm-3",))
    assert disclosure_findings(["svc_alarm-3 has access."], confidential([shut, headed], [])) == ()


def test_a_name_that_only_an_earlier_answer_holds_was_a_leak_and_is_not_repeated() -> None:
    secret = confidential([], [prior("Who?", "Ask Wren Castellan, who looks after every gallery door in the whole of the old east wing.")])
    assert disclosure_findings(["Wren Castellan does."], secret)
    assert disclosure_findings(["looks after every gallery door in the whole of the old east wing"], secret) == ()


def test_a_leak_in_any_cell_or_attachment_is_seen() -> None:
    assert disclosure_findings(["Yes", "see evidence/panel-07.lantern.example.png", ""], SECRET)


def test_chinese_runs_are_counted_by_character() -> None:
    secret = confidential([passage("夜间值班人员在东侧楼梯口等候两分钟", classification=Classification.INTERNAL)], [])
    assert disclosure_findings(["夜间值班人员在东侧"], secret)
    assert disclosure_findings(["夜间值班人员"], secret) == ()


WORD = st.text("abcdefghijklmnop", min_size=2, max_size=7)


@given(st.lists(WORD, min_size=RUN, max_size=20), st.lists(WORD, max_size=10), st.data())
def test_no_run_of_an_internal_paper_survives_in_an_accepted_answer(kept: list[str], other: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(kept) - RUN))
    size = data.draw(st.integers(RUN, len(kept) - start))
    secret = confidential([passage(" ".join(kept), classification=Classification.INTERNAL)], [])
    answer = [*other, *kept[start : start + size], *other]
    assert disclosure_findings([" ".join(answer)], secret)
    if not disclosure_findings([" ".join(other)], secret):
        assert not runs(" ".join(other)) & runs(" ".join(kept))


NAME = st.from_regex(r"[a-z]{2,6}[-_][a-z]{0,4}[0-9]{1,4}", fullmatch=True)
OPEN = st.sampled_from(["", "Yes. ", "(", "see ", "\n", '"'])


@given(NAME, OPEN, st.sampled_from(["", ".", ")", " does", ",", '"']))
def test_no_identifier_of_an_internal_paper_survives_in_an_accepted_answer(name: str, before: str, after: str) -> None:
    secret = confidential([passage(f"The safe is called {name} here.", classification=Classification.INTERNAL)], [])
    assert disclosure_findings([f"{before}{name}{after}"], secret)
    assert disclosure_findings([f"{before}{name.upper()}{after}"], secret)


@given(st.lists(st.from_regex(r"[a-z]{2,9}", fullmatch=True), min_size=2, max_size=4))
def test_hyphenated_words_of_prose_are_never_identifiers(parts: list[str]) -> None:
    word = "-".join(parts)
    assert word not in identifiers(f"A {word} process is kept.")
    assert word in identifiers(f"A `{word}` process is kept.")


KEYS = [
    pytest.param("The key is AKIA" + "IOSFODNN7" + "EXAMPLE.", "aws access key", id="aws"),
    pytest.param("Send it with ghp" + "_" + "a1B2" * 9 + ".", "github token", id="github"),
    pytest.param("It begins with -----BEGIN RSA" + " PRIVATE KEY----- and is kept.", "private key", id="private key"),
    pytest.param("See https://porter:tu" + "lip9@vault.example/door.", "basic auth credentials", id="password in an address"),
]


@pytest.mark.parametrize(("text", "kind"), KEYS)
def test_a_key_leaves_in_no_case_although_a_shareable_paper_holds_it(text: str, kind: str) -> None:
    (found,) = disclosure_findings([text], confidential([passage(text)], []))
    assert (found.code.value, found.blocks) == ("SENSITIVE_DISCLOSURE", True)
    assert kind in found.summary
    assert not any(word in found.summary for word in ("AKIA", "ghp_", "BEGIN", "tulip"))


@pytest.mark.parametrize(
    "text",
    [
        "Keys are rotated every 365 days and held in a key management service.",
        "Passwords are hashed with Argon2id; tokens expire after 15 minutes.",
        "See https://trust.example/reports?year=2026 for the report.",
        "密钥每365天轮换一次。",
    ],
)
def test_prose_about_keys_is_none(text: str) -> None:
    assert disclosure_findings([text], confidential([passage(text)], [])) == ()
