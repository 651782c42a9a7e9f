"""What generated questionnaires are made of: questions by the hundred, and a note of which cells ask and which take the answers.

The makers (`lookalikes`, `workbooks`) write down what is to be found as they put the cells; it is never read back from the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trustops.testing.workbook import BOLD, Book, Content, Formula, Rich, Sheet, letters

Cells = tuple[str, str]
YES_NO = ("Yes", "No")
YES_NO_NA = ("Yes", "No", "N/A")
OWNERS = ("Provider-owned", "Customer-owned", "Shared", "Third party")

VERBS = ("encrypt", "classify", "review", "log", "back up", "delete", "monitor", "segregate", "inventory", "test", "restrict", "document")
THINGS = (
    "all customer data at rest", "privileged accounts", "production changes", "administrative access", "removable media", "source code",
    "security incidents", "subcontractors with access to our data", "network boundaries", "cryptographic keys", "employee endpoints",
    "recovery plans", "physical entrances", "application interfaces", "audit trails", "data exports", "service accounts",
    "third-party libraries", "default passwords", "test environments",
)  # fmt: skip
WHEN = ("every quarter", "before each release", "at least once a year", "on a documented schedule", "without delay", "in every region")


def asks(count: int, start: int = 0) -> list[str]:
    """Different questions; every fourth is a statement, every ninth an open question."""
    found = []
    for number in range(start, start + count):
        verb, thing, when = VERBS[number % 12], THINGS[(number // 12) % 20], WHEN[(number // 240) % 6]
        if number % 4 == 3:
            found.append(f"The supplier shall {verb} {thing} {when} (clause {number}).")
        elif number % 9 == 5:
            found.append(f"Describe how you {verb} {thing} {when}, and who is responsible (item {number}).")
        else:
            found.append(f"Do you {verb} {thing} {when}, as item {number} of our policy asks?")
    return found


@dataclass
class Expected:
    """What a careful person would find. The first answer cell of a question is its primary one."""

    questions: dict[Cells, list[str]] = field(default_factory=dict)
    lists: dict[Cells, tuple[str, ...]] = field(default_factory=dict)
    mirrors: set[Cells] = field(default_factory=set)
    texts: dict[Cells, str] = field(default_factory=dict)
    crossed: dict[Cells, tuple[str, list[str]]] = field(default_factory=dict)  # by the first answer cell: what is asked, all its cells


@dataclass
class Made:
    """A generated workbook and its expected."""

    book: Book
    expected: Expected = field(default_factory=Expected)

    def ask(self, sheet: Sheet, cell: str, text: Content, answers: list[str], *lists: tuple[str, ...], whole: str = "") -> None:
        """Put a question and note its answer cells; `lists` are the vocabularies of the first of them, `whole` what a person would
        read out where the cell alone does not say it."""
        sheet.put(cell, text, sheet.cells.get(cell, ("", 0))[1])
        self.expected.questions[sheet.name, cell] = answers
        shown = text.cached if isinstance(text, Formula) else "".join(text.runs) if isinstance(text, Rich) else str(text)
        self.expected.texts[sheet.name, cell] = whole or shown
        for answer, words in zip(answers, lists, strict=False):
            if words:
                self.expected.lists[sheet.name, answer] = words

    def cross(self, sheet: Sheet, cell: str, whole: str, answers: list[str], *lists: tuple[str, ...]) -> None:
        """Note a question that a header and the name at the head of its row ask together; the answer cells are put, empty."""
        self.expected.crossed[sheet.name, answers[0]] = (whole, answers)
        for answer in answers:
            sheet.put(answer, "", sheet.cells.get(answer, ("", 0))[1])
        for answer, words in zip(answers, lists, strict=False):
            self.expected.lists[sheet.name, answer] = words


def head(sheet: Sheet, row: int, *texts: str, style: int = BOLD) -> None:
    """A header row; an empty text leaves no cell."""
    for column, text in enumerate(texts, 1):
        if text:
            sheet.put(f"{letters(column)}{row}", text, style)


def quoted(words: tuple[str, ...]) -> str:
    """Words as the formula of a literal list."""
    return '"' + ",".join(words) + '"'
