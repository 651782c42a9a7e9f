"""From blocks to passages: split at headings and at about 1,200 characters, always at the border of a block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trustops.domain.chain import sha256
from trustops.domain.evidence import Document, Passage
from trustops.formats.evidence.blocks import Block, Extraction

ABOUT = 1_200
LONGEST = 2_400
"""A block longer than this is cut at the end of a sentence, so that no passage grows without bound."""

_SENTENCE_END = re.compile(r"[.!?;](?= )|[。！？；]")


def passages_of(extraction: Extraction, document: Document) -> tuple[Passage, ...]:
    """The passages of one document in reading order.

    `start` and `end` are offsets into the extracted text, which is every block (headings too) joined by a line break; so
    `text == extracted[start:end]`. A heading that has no text of its own becomes a passage, since it may be the statement.
    """
    seen: Counter[str] = Counter()
    made: list[Passage] = []
    for heading, run, start in _runs(tuple(_short(extraction.blocks))):
        text = "\n".join(block.text for block in run)
        seen[text] += 1
        made.append(
            Passage(
                id=_identity(document.path, text, seen[text]),
                document=document,
                heading=heading,
                text=text,
                locator=_locator(run[0], run[-1]),
                start=start,
                end=start + len(text),
                concealed=run[0].concealed,
                sha256=sha256(text.encode("utf-8", "surrogatepass")),
            )
        )
    return tuple(made)


def extracted_text(extraction: Extraction) -> str:
    """The text that the offsets of the passages count in."""
    return "\n".join(block.text for block in _short(extraction.blocks))


def _identity(path: str, text: str, occurrence: int) -> str:
    return "P-" + sha256(f"{path}\n{text}{occurrence}".encode("utf-8", "surrogatepass"))[:12]


def _locator(first: Block, last: Block) -> str:
    place = f"{first.place}, " if first.place else ""
    if first.first == last.last:
        return f"{place}{first.unit} {first.first}"
    return f"{place}{first.unit}s {first.first}-{last.last}"


def _short(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        text = block.text
        while len(text) > LONGEST:
            cut = _cut(text)
            yield block.model_copy(update={"text": text[:cut].rstrip(" ")})
            text = text[cut:].lstrip(" ")
        if text:
            yield block.model_copy(update={"text": text})


def _cut(text: str) -> int:
    ends = [match.end() for match in _SENTENCE_END.finditer(text, ABOUT // 2, ABOUT)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", ABOUT // 2, ABOUT)
    return space if space > 0 else ABOUT


def _runs(blocks: tuple[Block, ...]) -> Iterator[tuple[tuple[str, ...], list[Block], int]]:
    """Stretches of blocks that stand under one heading, in one place and in the same light (seen or concealed)."""
    path: list[tuple[int, str]] = []
    run: list[Block] = []
    start = offset = 0
    for position, block in enumerate(blocks):
        if run and _breaks(run, block):
            yield tuple(text for _, text in path), run, start
            run = []
        if block.level and not block.concealed:
            path = [step for step in path if step[0] < block.level]
            if _stands_alone(blocks, position):
                yield tuple(text for _, text in path), [block], offset
            path.append((block.level, block.text))
        else:
            start = start if run else offset
            run.append(block)
        offset += len(block.text) + 1
    if run:
        yield tuple(text for _, text in path), run, start


def _breaks(run: list[Block], block: Block) -> bool:
    last = run[-1]
    other_place = (block.place, block.unit) != (last.place, last.unit) or (block.unit == "page" and block.first != last.last)
    full = sum(len(each.text) + 1 for each in run) + len(block.text) > ABOUT
    return bool(block.level) or block.concealed != last.concealed or other_place or full


def _stands_alone(blocks: tuple[Block, ...], position: int) -> bool:
    following = blocks[position + 1] if position + 1 < len(blocks) else None
    return following is None or (bool(following.level) and following.level <= blocks[position].level)
