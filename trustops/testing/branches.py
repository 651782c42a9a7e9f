"""A questionnaire with branches of every kind: texts that formulas switch off, a column that says what counts, and branches in words."""

from __future__ import annotations

from trustops.testing.bank import YES_NO, Made, head, quoted
from trustops.testing.workbook import OPEN, Book, Formula, Sheet

CARDS = "Do you store card numbers?"
SCHEME = "Which payment schemes do you report to?"
TOKENS = "Are card numbers replaced by tokens?"
LOOKED_UP = "Is the card environment scanned by an approved vendor?"
CLOUD = "Is any customer data kept in a public cloud?"
REGION = "In which regions is the data kept?"


def by_formula() -> Made:
    """C2 decides about 2 to 4: off by a literal, on by default, off and looked up; 5 is on unless D says that it is out of scope."""
    sheet = Sheet("Cards")
    bank = Sheet("Bank", "hidden").rows(1, [["4", LOOKED_UP], ["5", CLOUD]])
    made = Made(Book([sheet, bank]))
    head(sheet, 1, "Ref", "Question", "Response", "In scope")
    made.ask(sheet, "B2", CARDS, ["C2"], YES_NO)
    made.ask(sheet, "B3", Formula(f'IF($C$2="Yes","{SCHEME}","")', ""), ["C3"], whole=SCHEME)
    made.ask(sheet, "B4", Formula(f'IF(C2="No","","{TOKENS}")', TOKENS), ["C4"], YES_NO)
    made.ask(sheet, "B5", Formula('IF(AND(C2="Yes",C4<>"No"),VLOOKUP(A5,Bank!A:B,2,FALSE),"")', ""), ["C5"], YES_NO, whole=LOOKED_UP)
    made.ask(sheet, "B6", CLOUD, ["C6"], YES_NO)
    made.ask(sheet, "B7", REGION, ["C7"])
    sheet.put("D7", Formula('IF(C6="Yes","Yes","No")', "No"))
    for row in range(2, 8):
        sheet.put(f"A{row}", str(row - 1)).put(f"C{row}", "", OPEN)
    for row in (2, 4, 5, 6):
        sheet.choose(f"C{row}", quoted(YES_NO))
    return made


def by_words() -> Made:
    """If yes and how often, if no and skip to: in the question's own cell and in a row of its own."""
    sheet = Sheet("Backups")
    made = Made(Book([sheet]))
    head(sheet, 1, "No.", "Question", "Response")
    texts = [
        "Do you keep backups of customer data? If no, skip to question 5.", "If yes, how often?", "Where are the backups kept?",
        "If the backups are encrypted, who holds the keys?", "Do you test the restoration of data?", "",
        "Is each test recorded in a protocol?", "Who signs the protocol of a test?", "Do you review the plan every year?",
    ]  # fmt: skip
    number = 0
    for row, text in enumerate(texts, 2):
        if not text:
            sheet.put(f"B{row}", "If no, please go to question 8.")
            continue
        number += 1
        sheet.put(f"A{row}", str(number)).put(f"C{row}", "", OPEN)
        made.ask(sheet, f"B{row}", text, [f"C{row}"], whole=f"{texts[0]} {text}" if text == texts[1] else "")
    return made
