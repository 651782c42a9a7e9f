"""Questionnaires in JSON, told by their structure: VSAQ-like trees, OSCAL catalogues, and lists of objects with a question each.

An answer goes where the format itself keeps answers: VSAQ into a member `answers` (item or choice id to text or `checked`), OSCAL into
a part `response` of the control, a list into the object's own answer member. Cells are JSON pointers (RFC 6901).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from trustops.domain.errors import MalformedFile
from trustops.formats.questionnaires import conditions, headers, leads, prose
from trustops.formats.questionnaires.jsonfile import Document, Node
from trustops.formats.questionnaires.listing import Answer, Asked, Condition, Listing, distinct, kind_of

SHEET = "json"
FREE = ("line", "box", "text", "textarea", "textbox", "number", "date")
CHOICES = ("radiogroup", "checkgroup", "select", "dropdown")
SILENT = ("info", "spacer", "staticlink", "block")


@dataclass(slots=True)
class Target:
    """What a pointer to an answer means for the writer."""

    style: str  # vsaq, oscal, list
    node: Node
    key: str = ""
    choices: dict[str, str] = field(default_factory=dict)  # text of a choice to its id
    tick: bool = False


@dataclass(slots=True)
class Form(Listing):
    """The questions of a JSON document and where their answers go."""

    style: str = ""
    targets: dict[str, Target] = field(default_factory=dict)


def read(document: Document) -> Form:
    """The questions by structure. Raises MalformedFile where the JSON is no questionnaire that is known."""
    root = document.root
    form = Form()
    if root.get("catalog"):
        form.style = "oscal"
        _oscal(root.members["catalog"], "/catalog", "", form)
    else:
        form.style = "vsaq"
        _vsaq(root, "", [], form)
        conditions.resolve(form)
        if not form.asked:
            form = Form(style="list")
            _listed(root, "", "", form)
    if not form.asked:
        raise MalformedFile(
            "The JSON is no questionnaire that is known.",
            where=document.file,
            remedy="Known are VSAQ, OSCAL catalogues and question lists.",
        )
    return form


def _walk(node: Node, pointer: str) -> Iterator[tuple[Node, str]]:
    for key, member in node.members.items():
        yield member, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
    for number, item in enumerate(node.items):
        yield item, f"{pointer}/{number}"


# -- VSAQ ----------------------------------------------------------------------------------------------------------------


def _vsaq(node: Node, pointer: str, path: list[str], form: Form, before: str = "", conds: tuple[str, ...] = ()) -> None:
    """`before` is the text of the group of choices above, which one without a text of its own goes on with; `conds` those around."""
    kind, text = node.text("type"), plain(node.text("text"))
    conds = (*conds, node.text("cond")) if node.text("cond") else conds
    text = before if kind in CHOICES and not text else text
    if kind in FREE or kind in CHOICES or kind in ("yesno", "upload"):
        _item(node, pointer, kind, text, path, form, conds)
        return
    if kind == "tip":
        form.skipped.append((pointer, f"tip {node.text('id')}".strip(), "advice that an answer calls up, nothing is asked"))
        return
    inside = [*path, text] if kind == "block" and text else path
    earlier: dict[str, str] = {}
    for child, place in _walk(node, pointer):
        if child.kind in ("object", "array"):
            kind = child.text("type")
            _vsaq(child, place, inside, form, earlier.get(kind, ""), conds)
            earlier = {kind: plain(child.text("text")) or earlier.get(kind, "")} if kind in CHOICES else earlier


def _item(node: Node, pointer: str, kind: str, text: str, path: list[str], form: Form, conds: tuple[str, ...]) -> None:
    name = node.text("id")
    if kind == "upload" or not text:
        form.skipped.append((pointer, f"{kind} {name}".strip(), "a file is asked for" if kind == "upload" else "it has no text"))
        return
    answers = _choices(node, pointer, kind, form) if kind in (*CHOICES, "yesno") else [_free(node, pointer, kind, name, form)]
    condition = Condition(" && ".join(f"({cond})" if len(conds) > 1 else cond for cond in conds)) if conds else None
    form.asked.append(Asked(name, text, len(form.asked) + 1, pointer, " / ".join(path), answers, condition=condition))


def _free(node: Node, pointer: str, kind: str, name: str, form: Form) -> Answer:
    form.targets[pointer] = Target("vsaq", node, name or pointer)
    part = kind if kind in ("number", "date") else "text"
    return Answer(part, pointer, kind_of(part, ()), ())


def _choices(node: Node, pointer: str, kind: str, form: Form) -> list[Answer]:
    found = list(_options(node, pointer, kind))
    if kind != "checkgroup":
        choices = {text: name for name, text, _ in found}
        form.targets[pointer] = Target("vsaq", node, node.text("id"), choices)
        return [Answer("choice", pointer, "choice", tuple(choices))]
    answers: list[Answer] = []
    for name, text, place in found:
        form.targets[place] = Target("vsaq", node, name, tick=True)
        answers.append(Answer(distinct("tick", [answer.part for answer in answers]), place, "tick", (text,)))
    return answers


def _options(node: Node, pointer: str, kind: str) -> Iterator[tuple[str, str, str]]:
    """(id, text, pointer) of each choice."""
    if kind == "yesno":
        for word in ("yes", "no"):
            yield f"{node.text('id')}/{word}", node.text(word) or word.capitalize(), f"{pointer}/{word}"
    for number, choice in enumerate(node.list("choices")):
        for key, member in choice.members.items():
            if isinstance(member.value, str):
                yield key, plain(member.value), f"{pointer}/choices/{number}"


# -- OSCAL ---------------------------------------------------------------------------------------------------------------


def _oscal(node: Node, pointer: str, section: str, form: Form) -> None:
    for number, group in enumerate(node.list("groups")):
        _oscal(group, f"{pointer}/groups/{number}", group.text("title") or section, form)
    for number, control in enumerate(node.list("controls")):
        place = f"{pointer}/controls/{number}"
        text = "\n".join(filter(None, [control.text("title"), _statement(control)]))
        label = next((p.text("value") for p in control.list("props") if p.text("name") == "label"), control.text("id"))
        if any(p.text("name") == "status" and p.text("value") == "withdrawn" for p in control.list("props")) or not text:
            form.skipped.append((place, f"control {label}", "it is withdrawn or has no text"))
        else:
            form.targets[place] = Target("oscal", control, control.text("id"))
            form.asked.append(Asked(label, text, len(form.asked) + 1, place, section, [Answer("text", place, "text", ())]))
        _oscal(control, place, section, form)


def _statement(control: Node) -> str:
    """The statement with its items, in order."""
    lines: list[str] = []

    def add(part: Node) -> None:
        lines.append(part.text("prose").strip())
        for inner in part.list("parts"):
            if inner.text("name") == "item":
                add(inner)

    for part in control.list("parts"):
        if part.text("name") == "statement":
            add(part)
    return "\n".join(filter(None, lines))


# -- lists of objects ----------------------------------------------------------------------------------------------------


def _listed(node: Node, pointer: str, section: str, form: Form, lead: str = "") -> None:
    """`lead` is the text of the object around, where that announces points ("Do you scan the following:")."""
    heads = {key: headers.classify(key.replace("_", " ")) for key in node.members}
    texts = [key for key, head in heads.items() if head.question and _asks(node.text(key), lead)]
    named = next((node.text(key) for key in ("title", "section", "category", "name") if node.text(key)), section)
    inner = ""
    if texts:
        question = max(texts, key=lambda key: heads[key].question)
        inner = node.text(question) if leads.leads(node.text(question)) else ""
        before = len(form.asked)
        _object(node, pointer, question, heads, section, form, lead)
        made = form.asked[before]
        points = _children(node, pointer, section, form, inner)
        if inner and points and not any(key in heads and key in node.members for key in (a.cell.rpartition("/")[2] for a in made.answers)):
            form.asked.remove(made)
            form.skipped.append((made.cell, f"lead-in {made.text[:60]!r}", "asked together with each of the points below"))
        return
    _children(node, pointer, named if node.kind == "object" else section, form, lead)


def _asks(text: str, lead: str) -> bool:
    return prose.is_sentence(text) or bool(lead and text and leads.fragment(text, lead))


def _children(node: Node, pointer: str, section: str, form: Form, lead: str) -> int:
    before = len(form.asked)
    for child, place in _walk(node, pointer):
        if child.kind in ("object", "array"):
            _listed(child, place, section, form, lead)
    return len(form.asked) - before


def _object(node: Node, pointer: str, question: str, heads: dict[str, headers.Header], section: str, form: Form, lead: str) -> None:
    rooms = [
        key for key, head in heads.items()
        if head.part and key != question and not head.customer and node.members[key].kind in ("string", "plain")
        and isinstance(node.members[key].value, str | None)
    ]  # fmt: skip
    given = next((member for key, member in node.members.items() if key in ("options", "choices", "allowed_values")), None)
    members = tuple(str(item.value) for item in given.items if isinstance(item.value, str)) if given else ()
    answers: list[Answer] = []
    for key in rooms or ["answer"]:
        part = heads[key].part if key in heads else "text"
        mine = members if part == "text" else ()
        part = distinct("choice" if mine else part, [answer.part for answer in answers])
        place = f"{pointer}/{key}"
        form.targets[place] = Target("list", node, key)
        answers.append(Answer(part, place, kind_of(part, mine), mine))
    name = next((node.text(key) for key, head in heads.items() if head.role == "id" and node.text(key)), "")
    where = next((node.text(key) for key, head in heads.items() if head.role == "section" and node.text(key)), section)
    text = node.text(question)
    whole = leads.joined(lead, text) if lead and leads.fragment(text, lead) else text
    form.asked.append(Asked(name, whole, len(form.asked) + 1, f"{pointer}/{question}", where, answers))


class _Plain(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "p", "li", "ul", "ol", "div"):
            self.parts.append("\n- " if tag == "li" else "\n")


def plain(text: str) -> str:
    """A text without its HTML marks."""
    if "<" not in text and "&" not in text:
        return text.strip()
    parser = _Plain()
    parser.feed(text)
    parser.close()
    lines = [" ".join(line.split()) for line in "".join(parser.parts).split("\n")]
    return "\n".join(line for line in lines if line and line != "-")
