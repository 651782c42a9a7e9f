from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from trustops.domain.chain import sha256
from trustops.domain.evidence import Document
from trustops.formats.evidence.blocks import Block, Extraction
from trustops.formats.evidence.passages import ABOUT, LONGEST, extracted_text, passages_of
from trustops.formats.evidence.text import decoded

DOCUMENT = Document(path="evidence/a.md", title="A")
TEXT = st.text(st.characters(blacklist_categories=["Cs", "Zl", "Zp", "Cc"]), min_size=1, max_size=600).map(str.strip).filter(bool)
BLOCKS = st.lists(
    st.builds(Block, text=TEXT, level=st.sampled_from([0, 0, 0, 0, 1, 2, 3]), first=st.just(1), last=st.just(1), concealed=st.booleans()),
    max_size=30,
)


@given(BLOCKS)
def test_offsets_find_the_passage_again_and_nothing_is_lost(blocks: list[Block]) -> None:
    extraction = Extraction(blocks=tuple(blocks))
    whole = extracted_text(extraction)
    passages = passages_of(extraction, DOCUMENT)
    for passage in passages:
        assert whole[passage.start : passage.end] == passage.text
        assert passage.sha256 == sha256(passage.text.encode())
    shown = [line for passage in passages for line in (*passage.heading, *passage.text.split("\n"))]
    assert all(any(block.text in line for line in shown) for block in blocks)
    assert len({passage.id for passage in passages}) == len(passages)


@given(BLOCKS)
def test_hidden_text_never_shares_a_passage_with_visible_text(blocks: list[Block]) -> None:
    hidden = {block.text for block in blocks if block.concealed}
    seen = {block.text for block in blocks if not block.concealed}
    for passage in passages_of(Extraction(blocks=tuple(blocks)), DOCUMENT):
        assert set(passage.text.split("\n")) <= (hidden if passage.concealed else seen)


def test_a_long_section_is_cut_between_blocks_only() -> None:
    sentences = [f"Sentence number {number} says something about backups and keys." for number in range(80)]
    passages = passages_of(Extraction(blocks=tuple(Block(text=each) for each in sentences)), DOCUMENT)
    assert len(passages) > 3
    assert all(len(passage.text) <= ABOUT for passage in passages)
    assert [line for passage in passages for line in passage.text.split("\n")] == sentences


def test_one_endless_block_does_not_make_an_endless_passage() -> None:
    passages = passages_of(Extraction(blocks=(Block(text="word " * 20_000 + "end"),)), DOCUMENT)
    assert all(len(passage.text) <= LONGEST for passage in passages)


def test_equal_text_in_two_places_has_two_ids() -> None:
    blocks = (Block(text="A", level=1), Block(text="Same."), Block(text="B", level=1), Block(text="Same."))
    first, second = passages_of(Extraction(blocks=blocks), DOCUMENT)
    assert first.id != second.id
    assert (first.heading, second.heading) == (("A",), ("B",))


def test_a_heading_that_is_the_whole_statement_is_found() -> None:
    blocks = (Block(text="SOC 2 Type II", level=1), Block(text="Scope", level=1), Block(text="All of it."))
    assert [passage.text for passage in passages_of(Extraction(blocks=blocks), DOCUMENT)] == ["SOC 2 Type II", "All of it."]


def test_a_foreign_encoding_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("所有员工都使用多因素认证。".encode("gb18030"))
    text, notices = decoded(path)
    assert text == "所有员工都使用多因素认证。"
    assert "gb18030" in notices[0][1]
