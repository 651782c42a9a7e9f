"""The writer for JSON questionnaires: answers as further members, spliced in; the customer's own text stays as it stands."""

from __future__ import annotations

import json
from typing import Any

from trustops.domain.errors import Refused, UnknownName
from trustops.formats.questionnaires import jsonforms
from trustops.formats.questionnaires.jsonfile import Document, Node, applied, inserted
from trustops.formats.questionnaires.jsonforms import Form, Target
from trustops.formats.questionnaires.typed import Value
from trustops.formats.questionnaires.vocabulary import ticked

NAMESPACE = "urn:trustops:answer"
LONGEST = 100_000


def target(document: Document, form: Form, value: Value) -> Target:
    """What a value's cell means. Raises UnknownName for a place that takes no answer, Refused for what may not stand there."""
    where = f"{document.file}, {value.cell}"
    found = form.targets.get(value.cell) if value.sheet == jsonforms.SHEET else None
    if found is None:
        raise UnknownName("No answer goes there.", where=where, remedy="Parse the file anew.")
    if len(value.value) > LONGEST:
        raise Refused(f"The answer has {len(value.value):,} characters; {LONGEST:,} are taken.", where=where, remedy="Shorten it.")
    if found.choices and value.value and value.value not in found.choices:
        shown = ", ".join(list(found.choices)[:8])
        raise Refused(f"{value.value[:60]!r} is none of the choices ({shown}).", where=where, remedy="Choose one of them.")
    if any(0xD800 <= ord(sign) <= 0xDFFF for sign in value.value):
        raise Refused("The answer holds half a character.", where=where, remedy="Take it out of the answer.")
    known = _known(document, found)
    if known and value.value and known != value.value:
        raise Refused(f"Somebody already wrote {known[:60]!r} there.", where=where, remedy="Empty it in the file, or keep what it says.")
    return found


def _known(document: Document, found: Target) -> str:
    if found.style == "list":
        return found.node.text(found.key)
    if found.style == "vsaq":
        answers = document.root.get("answers")
        return answers.text(found.key) if answers and found.key else ""
    return next((part.text("prose") for part in found.node.list("parts") if part.text("name") == "response"), "")


def spliced(document: Document, form: Form, values: list[Value]) -> bytes:
    """The file with the answers. Raises before anything is built."""
    admitted = [(value, target(document, form, value)) for value in values]
    cells = [value.cell for value in values]
    twice = next((cell for cell in cells if cells.count(cell) > 1), "")
    if twice:
        raise Refused("Two answers are for one place.", where=f"{document.file}, {twice}", remedy="Keep one of them.")
    edits = [edit for value, found in admitted if value.value and found.style != "vsaq" for edit in _edit(value, found)]
    given = {key: text for value, found in admitted if value.value and found.style == "vsaq" for key, text in _pairs(value, found)}
    if given:
        edits.append(_answers(document, given))
    return document.bytes(applied(document.text, edits))


def _pairs(value: Value, found: Target) -> list[tuple[str, str]]:
    if found.tick:
        return [(found.key, "checked")] if ticked(value.value) else []
    return [(found.choices[value.value], "checked")] if found.choices else [(found.key, value.value)]


def _answers(document: Document, given: dict[str, str]) -> tuple[int, int, str]:
    known = document.root.get("answers")
    if known and known.kind == "object":
        new = {key: text for key, text in given.items() if key not in known.members}
        return inserted(known, _dump(new)[1:-1]) if new else (0, 0, "")
    return inserted(document.root, f'"answers": {_dump(given)}')


def _edit(value: Value, found: Target) -> list[tuple[int, int, str]]:
    if found.style == "oscal":
        part = {"name": "response", "ns": NAMESPACE, "prose": value.value}
        parts = found.node.get("parts")
        return [inserted(parts, _dump(part)) if parts else inserted(found.node, f'"parts": [{_dump(part)}]')]
    known = found.node.get(found.key)
    if known:
        return [(known.start, known.end, _dump(value.value))]
    return [inserted(found.node, f"{_dump(found.key)}: {_dump(value.value)}")]


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def undone(before: Document, form: Form, after: Document, values: list[Value]) -> bool:
    """Whether the exported text is the original with exactly these values' places changed: everything else byte for byte."""
    admitted = [form.targets[value.cell] for value in values if value.cell in form.targets]
    spans = _spans(before.root, after.root, admitted, before)
    return spans is not None and before.mark == after.mark and applied(after.text, spans) == before.text


def _spans(before: Node, after: Node, targets: list[Target], document: Document) -> list[tuple[int, int, str]] | None:
    """The stretches of the exported text that answers take, with what stood there before; None where the trees do not meet."""
    found: list[tuple[int, int, str]] = []
    parents: list[Node] = [target.node.get("parts") or target.node if target.style == "oscal" else target.node for target in targets]
    if any(target.style == "vsaq" for target in targets):
        parents = [document.root.get("answers") or document.root]
    replaced = [known for target in targets if target.style == "list" and (known := target.node.get(target.key))]

    def walk(old: Node, new: Node) -> bool:
        if any(old is known for known in replaced):
            found.append((new.start, new.end, document.text[old.start : old.end]))
            return True
        if old.kind != new.kind:
            return False
        fixed = list(old.members) == list(new.members)[: len(old.members)] and len(old.items) <= len(new.items)
        grown = len(new.members) > len(old.members) or len(new.items) > len(old.items)
        if not fixed or (grown and not any(old is parent for parent in parents)):
            return False
        pairs = [(old.members[key], new.members[key]) for key in old.members] + list(zip(old.items, new.items, strict=False))
        if not all(walk(a, b) for a, b in pairs):
            return False
        if grown:
            last = pairs[-1][1].end if pairs else new.start + 1
            start = last + (old.inner - (pairs[-1][0].end if pairs else old.start + 1))
            found.append((start, new.inner, ""))
        return True

    return found if walk(before, after) else None
