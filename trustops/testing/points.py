"""Questionnaires whose questions are in pieces: lead-ins with points, sentences over two rows, tables in which the header asks.

What is to be found is written down whole, as a person would read it out: the lead-in, a colon, the point.
"""

from __future__ import annotations

from trustops.testing.bank import YES_NO, Made, head, quoted
from trustops.testing.workbook import FILLED, OPEN, Book, Sheet

SCAN = "Do you scan the following for vulnerabilities:"
SCANNED = ("source code,", "container images, and", "infrastructure")
BARE = ("source code", "container images", "infrastructure")
PLAN = "Does your incident response plan cover:"


def points() -> Made:
    """A list with ids: points with ids, marked points without, points that share one merged cell, a sentence over two rows."""
    sheet = Sheet("Controls")
    made = Made(Book([sheet]))
    head(sheet, 1, "Ref", "Question", "Response", "Comments")
    row = _open(sheet, 2, "1")
    made.ask(sheet, "B2", "Do you keep a list of all systems?", ["C2", "D2"])
    row = _with_ids(made, sheet, row)
    row = _without_ids(made, sheet, row)
    row = _merged(made, sheet, row)
    _open(sheet, row, "5")
    sheet.put(f"B{row + 1}", "recognised algorithm such as AES, whatever the storage medium?")
    made.ask(
        sheet, f"B{row}", "Are backups encrypted with an industry", [f"C{row}", f"D{row}"],
        whole="Are backups encrypted with an industry recognised algorithm such as AES, whatever the storage medium?",
    )  # fmt: skip
    made.ask(sheet, f"B{_open(sheet, row + 2, '6') - 1}", "Who reviews the results of a scan?", [f"C{row + 2}", f"D{row + 2}"])
    return made


def _open(sheet: Sheet, row: int, label: str) -> int:
    sheet.put(f"A{row}", label).put(f"C{row}", "", OPEN).put(f"D{row}", "", OPEN)
    return row + 1


def _with_ids(made: Made, sheet: Sheet, row: int) -> int:
    """2, 2.a, 2.b, 2.c: the lead-in has room of its own and an id, so it is asked too."""
    listed = "\n".join([SCAN, *(f"- {point}" for point in BARE)])
    made.ask(sheet, f"B{row}", SCAN, [f"C{row}", f"D{row}"], whole=listed)
    row = _open(sheet, row, "2")
    for letter, text, bare in zip("abc", SCANNED, BARE, strict=True):
        made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], whole=f"{SCAN} {bare}")
        row = _open(sheet, row, f"2.{letter}")
    return row


def _without_ids(made: Made, sheet: Sheet, row: int) -> int:
    """A heading that announces points, the points marked, one of them with points of its own."""
    sheet.put(f"B{row}", PLAN, FILLED)
    row += 1
    inner = f"{PLAN} notification of:"
    lines = [
        ("a) roles", f"{PLAN} roles"), ("b) notification of:", ""), ("i. customers;", f"{inner} customers"),
        ("ii. authorities", f"{inner} authorities"), ("c) lessons learned", f"{PLAN} lessons learned"),
    ]  # fmt: skip
    for text, whole in lines:
        sheet.put(f"C{row}", "", OPEN).put(f"D{row}", "", OPEN)
        if whole:
            made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], whole=whole)
        else:
            sheet.put(f"B{row}", text)
        row += 1
    return row


def _merged(made: Made, sheet: Sheet, row: int) -> int:
    """One answer for the question and its points: the cells are merged over all of them."""
    text = "Which of the following certificates do you hold?"
    _open(sheet, row, "4")
    for place, point in enumerate(("ISO 27001", "SOC 2 Type II"), row + 1):
        sheet.put(f"B{place}", f"- {point}")
    sheet.merge(f"C{row}:C{row + 2}", f"D{row}:D{row + 2}")
    made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], whole=f"{text}\n- ISO 27001\n- SOC 2 Type II")
    return row + 3


def unheaded_points() -> Made:
    """No header: drop-downs beside the points, the lead-in above them."""
    sheet = Sheet("Form").put("A1", "Vendor form", FILLED)
    made, row = Made(Book([sheet])), 3
    for lead, texts in ((SCAN, SCANNED), ("Are the following reviewed every year:", ("policies", "access rights", "contracts."))):
        sheet.put(f"A{row}", lead)
        for place, text in enumerate(texts, row + 1):
            made.ask(sheet, f"A{place}", text, [f"B{place}"], YES_NO, whole=f"{lead} {text.rstrip(',.').removesuffix(', and')}")
            sheet.put(f"B{place}", "", OPEN).choose(f"B{place}", quoted(YES_NO))
        row += len(texts) + 2
    return made


def titled_points() -> Made:
    """What is asked stands over the table; its rows are names, its header says where to answer."""
    title = "Are the following reviewed at least once a year?"
    sheet = Sheet("Reviews").put("A1", title, FILLED)
    made = Made(Book([sheet]))
    head(sheet, 2, "Control", "Response", "Comments")
    for row, text in enumerate(("Access rights", "Firewall rules", "Supplier contracts", "Recovery plans"), 3):
        sheet.put(f"B{row}", "").put(f"C{row}", "")
        made.ask(sheet, f"A{row}", text, [f"B{row}", f"C{row}"], whole=f"{title.rstrip('?')}: {text}")
    return made


SYSTEMS = ("Customer portal", "Data warehouse", "CRM", "Support desk")


def matrix() -> Made:
    """The header asks, the rows say what about; a comment belongs to the ask at its left; below an ordinary list."""
    sheet = Sheet("Systems")
    made = Made(Book([sheet]))
    head(sheet, 1, "Ref", "Question", "Answer")
    made.ask(sheet, "B2", "Do you keep a list of all systems?", ["C2"])
    made.ask(sheet, "B3", "Is the list reviewed every year?", ["C3"])
    sheet.put("A2", "1").put("A3", "2").put("C2", "").put("C3", "")
    head(sheet, 5, "", "System", "Is the data encrypted at rest?", "Is multi-factor authentication enforced?", "Comment")
    for row, system in enumerate(SYSTEMS, 6):
        sheet.put(f"B{row}", system)
        made.cross(sheet, f"B{row}", f"Is the data encrypted at rest: {system}", [f"C{row}"])
        made.cross(sheet, f"B{row}", f"Is multi-factor authentication enforced: {system}", [f"D{row}", f"E{row}"])
    return made


def listed_matrix() -> Made:
    """No question marks, but a list in every cell and a sentence that asks above."""
    sheet = Sheet("Matrix").put("A1", "For each kind of data state whether it is:", FILLED)
    made = Made(Book([sheet]))
    head(sheet, 2, "Data", "Encrypted in transit", "Encrypted at rest", "Backed up")
    for row, kind in enumerate(("Personal data", "Payment data", "Credentials"), 3):
        sheet.put(f"A{row}", kind).choose(f"B{row}:D{row}", quoted(YES_NO))
        for column, text in zip("BCD", ("Encrypted in transit", "Encrypted at rest", "Backed up"), strict=True):
            whole = f"For each kind of data state whether it is: {text}: {kind}"
            made.cross(sheet, f"A{row}", whole, [f"{column}{row}"], YES_NO)
    return made


def ticked_matrix() -> Made:
    """Yes and No to be ticked beside names; the title asks."""
    title = "Which of these do you outsource?"
    sheet = Sheet("Outsourcing").put("A1", title, FILLED)
    made = Made(Book([sheet]))
    head(sheet, 2, "", "Yes", "No", "Notes")
    for row, what in enumerate(("Hosting", "Payroll", "Customer support", "Penetration tests"), 3):
        sheet.put(f"A{row}", what)
        made.cross(sheet, f"A{row}", f"Which of these do you outsource: {what}", [f"B{row}", f"C{row}", f"D{row}"])
    return made
