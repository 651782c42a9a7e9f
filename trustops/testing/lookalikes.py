"""Look-alikes of well-known questionnaires that may not be shipped: their structure, none of their texts."""

from __future__ import annotations

from trustops.testing.bank import OWNERS, YES_NO_NA, Made, asks, head, quoted
from trustops.testing.workbook import BOLD, FILLED, OPEN, Book, Formula, Sheet, letters


def assessment(*, per_sheet: int = 45, filler: int = 0) -> Made:
    """A higher-education assessment: protected sheets, formula texts, lists in hidden sheets by x14, mirrors for the institution."""
    names = ["Organization", "Product", "Infrastructure", "Accessibility", "Case-Specific", "AI", "Privacy"]
    values = Sheet("Values", "veryHidden").rows(1, [["Yes"], ["No"], ["N/A"]]).rows(6, [["On premises"], ["Cloud"], ["Hybrid"]])
    bank, score = Sheet("Questions", "hidden"), Sheet("Score", "hidden")
    made = Made(Book([]))
    start = _start_here(made)
    evaluation = Sheet("Institution Evaluation")
    head(
        evaluation,
        4,
        "ID",
        "Question",
        "Vendor Answer",
        "Additional Information",
        "Preferred Response",
        "Compliant Override",
        "Weight Override",
        "Analyst Notes",
    )
    crosswalk = Sheet("Standards Crosswalk")
    head(crosswalk, 3, "ID", "Question", "CIS Controls", "ISO 27002", "NIST CSF", "PCI DSS")
    sheets = [_assessment_sheet(made, name, number, per_sheet, bank, (evaluation, crosswalk)) for number, name in enumerate(names)]
    last = per_sheet * len(names) + 12
    evaluation.choose_x14(f"F5:F{last}", "Values!$A$1:$A$3").choose(f"G5:G{last}", '"5,10,15,20"')
    summary = Sheet("Summary Report").put("A1", "Overall score", BOLD)
    for number, name in enumerate(names, 3):
        summary.put(f"A{number}", name).put(f"B{number}", Formula(f"COUNTIF('{name}'!C:C,\"Yes\")", "0"))
    changes = Sheet("Change Log").rows(
        1, [["Version", "Description", "Date"], ["4.1", "Questions about accessibility were added to the tool.", "May"]]
    )
    made.book.sheets = [start, *sheets, evaluation, summary, crosswalk, changes, bank, values, score]
    for sheet in made.book.sheets:
        sheet.shared = True
        _fill(sheet, filler)
    return made


def _start_here(made: Made) -> Sheet:
    sheet = Sheet("START HERE", protected=True).put("A1", "Community Vendor Assessment Toolkit", FILLED).merge("A1:E1")
    sheet.put("A3", "Read the instructions below before you answer. Every sheet that applies must be completed in column C.")
    sheet.put("A10", "General Information", FILLED).merge("A10:B10").put("C10", "Vendor Answers", FILLED)
    for row, label in enumerate(
        ["Vendor Name", "Product Name", "Product Description", "Web Link to Product Privacy Notice", "Vendor Contact Name"], 11
    ):
        sheet.put(f"A{row}", f"GNRL-0{row - 10}").put(f"C{row}", "", OPEN)
        made.ask(sheet, f"B{row}", label, [f"C{row}"])
    return sheet


def _assessment_sheet(made: Made, name: str, number: int, count: int, bank: Sheet, mirrors: tuple[Sheet, Sheet]) -> Sheet:
    evaluation, crosswalk = mirrors
    sheet = Sheet(name, protected=True).put("A1", f"{name} Questions", FILLED).merge("A1:F1")
    sheet.put("A2", "Complete all sections that apply to your product. Guidance changes with the answer that you choose.").merge("A2:F2")
    texts, row, code = asks(count, number * count), 4, name[:4].upper()
    for place, text in enumerate(texts):
        if place % 15 == 0:
            row += 1
            sheet.put(f"A{row}", f"{name} topic {place // 15 + 1}", FILLED).merge(f"A{row}:B{row}")
            head(sheet, row, "", "", "Vendor Answers", "Additional Information", "Guidance", "Analyst Notes", style=FILLED)
            row += 1
        line, label = number * count + place + 1, f"{code}-{place + 1:02d}"
        bank.rows(line, [[label, text, "Describe your practice."]])
        sheet.put(f"A{row}", label).put(f"C{row}", "", OPEN).put(f"D{row}", "", OPEN).put(f"F{row}", "")
        sheet.put(
            f"E{row}", Formula(f'IF(C{row}="No",VLOOKUP(A{row},Questions!A:C,3,FALSE),"")', "Describe your practice." if place % 3 else "")
        )
        hosted = place % 11 == 7
        sheet.choose_x14(f"C{row}", "Values!$A$6:$A$8" if hosted else "Values!$A$1:$A$3")
        words = ("On premises", "Cloud", "Hybrid") if hosted else YES_NO_NA
        made.ask(sheet, f"B{row}", Formula(f"VLOOKUP(A{row},Questions!A:C,2,FALSE)", text), [f"C{row}", f"D{row}"], words)
        mirror = line + 4
        evaluation.put(f"A{mirror}", label).put(f"B{mirror}", Formula(f"'{name}'!B{row}", text)).put(f"E{mirror}", "Yes").put(
            f"F{mirror}", ""
        )
        for column, source in (("C", "C"), ("D", "D")):
            evaluation.put(f"{column}{mirror}", Formula(f"IF('{name}'!{source}{row}=\"\",\"\",'{name}'!{source}{row})", ""))
            made.expected.mirrors.add((evaluation.name, f"{column}{mirror}"))
        crosswalk.rows(line + 3, [[label, Formula(f"'{name}'!B{row}", text), "CSC 3", "A.8", "PR.DS", "3.4"]])
        row += 1
    sheet.hidden_rows.update(range(row + 3, row + 40))
    return sheet


def _fill(sheet: Sheet, cells: int) -> None:
    """Formatted empty cells behind the text, as grown workbooks have them."""
    width = 40
    for row in range(1, cells // width + 1):
        for column in range(12, 12 + width):
            sheet.put(f"{letters(column)}{row}", "", OPEN)


def cloud(count: int = 60) -> Made:
    """A cloud controls questionnaire: banner, answer and ownership lists, free text for both sides, merged control columns."""
    sheet = Sheet("CAIQ").put("A1", "CONSENSUS ASSESSMENTS QUESTIONNAIRE v4", FILLED).merge("A1:J1")
    made = Made(Book([Sheet("Introduction").put("A1", "This questionnaire helps customers to gauge the security of a provider."), sheet]))
    columns = (
        "Question ID",
        "Question",
        "CSP CAIQ Answer",
        "SSRM Control Ownership",
        "CSP Implementation Description (Optional/Recommended)",
    )
    head(
        sheet,
        2,
        *columns,
        "CSC Responsibilities (Optional/Recommended)",
        "CCM Control ID",
        "CCM Control Specification",
        "CCM Control Title",
    )
    sheet.put("J2", "CCM Domain Title", BOLD)
    for place, text in enumerate(asks(count)):
        row, group = place + 3, place // 3
        sheet.put(f"A{row}", f"AA-{group:02d}.{place % 3 + 1}")
        for column in "CDEF":
            sheet.put(f"{column}{row}", "")
        if place % 3 == 0:
            sheet.put(f"G{row}", f"AA-{group:02d}").put(
                f"H{row}", f"Establish, document and approve policy number {group} for the audit of systems."
            )
            sheet.put(f"I{row}", f"Audit policy {group}").put(f"J{row}", "Audit and Assurance")
            sheet.merge(*[f"{c}{row}:{c}{row + 2}" for c in "GHI"])
        made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}", f"E{row}"], ("Yes", "No", "NA"), OWNERS)
    sheet.choose(f"C3:C{count + 2}", quoted(("Yes", "No", "NA"))).choose(f"D3:D{count + 2}", quoted(OWNERS))
    return made


def cloud_ticks(count: int = 40) -> Made:
    """An older cloud questionnaire: header of two rows with Yes, No and Not Applicable below one banner, notes, merged groups."""
    sheet = Sheet("CAIQ").put("A1", "CONSENSUS ASSESSMENTS QUESTIONNAIRE v3.1", FILLED).merge("A1:H1")
    head(
        sheet,
        2,
        "Control Domain",
        "Control ID",
        "Question ID",
        "Control Specification",
        "Consensus Assessment Questions",
        "Consensus Assessment Answers",
        "",
        "",
        "Notes",
    )
    head(sheet, 3, "", "", "", "", "", "Yes", "No", "Not Applicable")
    sheet.merge("F2:H2", *[f"{c}2:{c}3" for c in "ABCDEI"])
    made = Made(Book([sheet]))
    for place, text in enumerate(asks(count, 700)):
        row = place + 4
        sheet.put(f"C{row}", f"AIS-01.{place + 1}")
        if place % 4 == 0:
            sheet.put(f"A{row}", f"Domain {place // 4}").put(f"B{row}", f"AIS-{place // 4:02d}")
            sheet.put(f"D{row}", f"Applications shall be designed and tested to standard {place // 4} and to law.")
            sheet.merge(*[f"{c}{row}:{c}{row + 3}" for c in "ABD"])
        made.ask(sheet, f"E{row}", text, [f"F{row}", f"G{row}", f"H{row}", f"I{row}"])
    return made


def gathering(count: int = 40) -> Made:
    """A standard information-gathering questionnaire: a sheet per domain, parent and sub-questions, hidden columns, a profile sheet."""
    profile = Sheet("Business Information").put("A1", "Business Information", FILLED)
    made = Made(Book([profile]))
    head(profile, 3, "Question", "Response")
    for row, label in enumerate(
        ["Company name", "Headquarters address", "Number of employees", "Date founded", "Name of the person completing this"], 4
    ):
        made.ask(profile, f"A{row}", label, [f"B{row}"])
    for number, name in enumerate(["A. Risk", "B. Policy", "C. Assets", "D. Access"]):
        sheet = Sheet(name, shared=True).put("A1", name, FILLED).put("A2", "0% Percent Complete").put("C3", "Completed by:")
        sheet.hidden_columns = [7, 8]
        head(
            sheet,
            5,
            "Ques Num",
            "Question/Request",
            "Response",
            "Additional Information",
            "AUP Reference",
            "ISO 27002 Relevance",
            "Score",
            "Key",
        )
        texts = asks(count, 900 + number * count)
        for place, text in enumerate(texts):
            row = place + 6
            label = f"{name[0]}.{place // 5 + 1}" + (f".{place % 5}" if place % 5 else "")
            sheet.rows(row, [[label, None, "", "", "B.1", "5.1.1", 0, f"{number}{place}"]])
            made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], YES_NO_NA)
        made.book.sheets.append(sheet.choose(f"C6:C{count + 5}", "Choices"))
    made.book.names["Choices"] = "Lists!$A$2:$A$4"
    made.book.sheets.append(Sheet("Lists", "hidden").rows(1, [["Choices"], ["Yes"], ["No"], ["N/A"]]))
    dashboard = Sheet("Dashboard").put("A1", "Progress", BOLD)
    made.book.sheets.append(dashboard.rows(3, [[Formula(f"COUNTA('{s.name}'!C6:C99)", "0")] for s in made.book.sheets[1:5]]))
    return made


def criteria(count: int = 9) -> Made:
    """An interview sheet: a header per practice, a question with a list, then three rows of criteria that nobody answers."""
    sheet, row = Sheet("Interview"), 3
    made, words = Made(Book([sheet])), ("No", "Yes, for some", "Yes, for most")
    made.book.sheets.append(Sheet("Lists", "hidden").rows(1, [[word] for word in words]))
    for place, text in enumerate(asks(count, 2_000)):
        if place % 3 == 0:
            head(sheet, row, "Stream", "Level", f"Practice {place // 3 + 1}", "Answer", "Interview Notes", "Rating")
            row += 1
        sheet.put(f"A{row}", "Create and promote" if place % 3 == 0 else "").put(f"B{row}", place % 3 + 1).put(f"D{row}", "")
        sheet.put(f"E{row}", "").put(f"F{row}", 0).choose_x14(f"D{row}", "Lists!$A$1:$A$3")
        made.ask(sheet, f"C{row}", text, [f"D{row}", f"E{row}"], words)
        for extra in range(1, 4):
            sheet.put(f"C{row + extra}", f"You have captured the risk appetite of your leadership in form {extra}")
        row += 4
    return made


def graded(count: int = 12) -> Made:
    """A catalogue of controls with a maturity level: answers left of the question, headings numbered as parents, filled columns right."""
    sheet = Sheet("Information Security").put("A1", "Information Security Assessment", FILLED)
    made, levels = Made(Book([sheet])), ("0", "1", "2", "3", "4", "5", "na")
    head(sheet, 3, "Control number", "Maturity level", "Description of implementation", "Reference Documentation", "Findings / Measures")
    sheet.put("F3", "Control question", BOLD).put("G3", "Objective", BOLD).put("H3", "Requirements (must)", BOLD).put(
        "I3", "Responsible", BOLD
    )
    row = 4
    for place, text in enumerate(asks(count, 2_100)):
        if place % 6 == 0:
            number = place // 6 + 1
            sheet.put(f"A{row}", f"{number}").put(f"F{row}", "Policies and Organization of security")
            sheet.put(f"A{row + 1}", f"{number}.1").put(f"F{row + 1}", "Information Security Policies")
            row += 2
        sheet.put(f"A{row}", f"{place // 6 + 1}.1.{place % 6 + 1}").put(f"G{row}", "The organization needs a policy.")
        sheet.put(f"H{row}", "+ The requirements have been determined and written down.").put(f"I{row}", "CISO")
        for column in "BCDE":
            sheet.put(f"{column}{row}", "")
        sheet.choose(f"B{row}", quoted(levels))
        made.ask(sheet, f"F{row}", text, [f"B{row}", f"C{row}", f"D{row}"], levels)
        row += 1
    return made


def payment(count: int = 12) -> Made:
    """A card-payment self-assessment: five columns for a tick below one banner, two of which say neither yes nor no."""
    sheet = Sheet("Section 2").merge("A1:A2", "B1:B2", "C1:G1")
    made = Made(Book([sheet]))
    head(sheet, 1, "PCI DSS Question", "Expected Testing", "Response")
    head(sheet, 2, "", "", "Yes", "Yes with CCW", "No", "N/A", "Not Tested")
    for row, text in enumerate(asks(count, 2_200), 3):
        sheet.put(f"B{row}", "Review the documentation. Interview the personnel.")
        for column in "CDEFG":
            sheet.put(f"{column}{row}", "")
        made.ask(sheet, f"A{row}", text, [f"C{row}", f"E{row}", f"F{row}"])
    return made


def side_by_side(count: int = 8) -> Made:
    """Two lists under one row of headers."""
    sheet = Sheet("Form").rows(1, [["No", "Question", "Answer", None, "No", "Question", "Answer"]])
    made = Made(Book([sheet]))
    texts = asks(2 * count, 2_400)
    for row, (left, right) in enumerate(zip(texts[:count], texts[count:], strict=True), 2):
        sheet.put(f"A{row}", str(row)).put(f"C{row}", "").put(f"E{row}", str(row + count)).put(f"G{row}", "")
        made.ask(sheet, f"B{row}", left, [f"C{row}"])
        made.ask(sheet, f"F{row}", right, [f"G{row}"])
    return made


def stacked(count: int = 8) -> Made:
    """No header: a question, below it a merged cell for the answer."""
    sheet = Sheet("Form")
    made = Made(Book([sheet]))
    for place, text in enumerate(asks(count, 2_500)):
        row = 1 + 3 * place
        sheet.put(f"A{row}", place + 1).put(f"B{row + 1}", "", OPEN).merge(f"B{row + 1}:F{row + 1}")
        made.ask(sheet, f"B{row}", text, [f"B{row + 1}"])
    return made


def offered(count: int = 8) -> Made:
    """Cells that hold what may be answered (`Yes / No`); columns that the customer filled; two questions under one merged id."""
    sheet = Sheet("Form")
    made = Made(Book([sheet]))
    head(sheet, 1, "Version", "Q ID", "Mandatory?", "Question text", "Response type", "Response", "Status", "Analyst Notes")
    for place, text in enumerate(asks(count, 2_600)):
        row = 2 + place
        sheet.put(f"A{row}", "1.0").put(f"C{row}", "Y").put(f"E{row}", "Text").put(f"G{row}", "Open").put(f"H{row}", "")
        sheet.put(f"F{row}", "\u2610 Yes \u2610 No \u2610 N/A" if place % 2 else "Yes / No")
        if place % 2 == 0:
            sheet.put(f"B{row}", f"Q{place}").merge(f"B{row}:B{row + 1}")
        made.ask(sheet, f"D{row}", text, [f"F{row}"])
    return made


def bannered(count: int = 8) -> Made:
    """Two rows of headers: who fills the columns, and with what; the customer's own have the same names."""
    sheet = Sheet("Bank").merge("A1:A2", "B1:B2", "C1:D1", "E1:F1")
    made = Made(Book([sheet]))
    head(sheet, 1, "Control", "Question", "Vendor Response", "", "Bank use only")
    head(sheet, 2, "", "", "Yes/No", "Comments", "Rating", "Comments")
    for row, text in enumerate(asks(count, 2_700), 3):
        for column in "CDEF":
            sheet.put(f"{column}{row}", "")
        sheet.put(f"A{row}", f"C{row}")
        made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"])
    return made


def foreign_names(count: int = 8) -> Made:
    """Names of columns in words that nobody foresaw."""
    sheet = Sheet("Form").rows(1, [["Ref", "What we want to know", "What you say"]])
    made = Made(Book([sheet]))
    for row, text in enumerate(asks(count, 2_800), 2):
        sheet.put(f"A{row}", f"C{row}").put(f"C{row}", "")
        made.ask(sheet, f"B{row}", text, [f"C{row}"])
    return made


def beside_labels(count: int = 8) -> Made:
    """`Question 1` beside the question, `Answer` below it."""
    sheet = Sheet("Form")
    made = Made(Book([sheet]))
    for place, text in enumerate(asks(count, 2_300)):
        row = 1 + place * 2
        sheet.put(f"A{row}", f"Question {place + 1}").put(f"A{row + 1}", "Answer")
        made.ask(sheet, f"B{row}", text, [f"B{row + 1}"])
    return made
