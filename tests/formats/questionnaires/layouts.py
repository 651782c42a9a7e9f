"""Questionnaires as customers lay them out, each with the mapping that a careful person would make of it."""

from __future__ import annotations

from dataclasses import dataclass

from trustops.testing.workbook import BOLD, FILLED, HOURS, OPEN, PLAIN, Book, Formula, Sheet

Q = [
    "Do you encrypt all customer data at rest?",
    "Is access to production reviewed at least every quarter?",
    "How long are security logs retained, and where are they stored?",
    "Do you test your disaster recovery plan every year?",
]
S = [
    "The organization must encrypt all customer data at rest.",
    "Access to production is reviewed at least every quarter.",
    "Security logs are retained for at least twelve months.",
    "The disaster recovery plan is tested every year.",
]
DE = ["Werden alle Kundendaten im Ruhezustand verschlüsselt?", "Wird der Zugriff auf Produktivsysteme vierteljährlich überprüft?", "Sicherheitsprotokolle werden mindestens zwölf Monate aufbewahrt."]
ZH = ["是否对所有静态客户数据进行加密？", "生产系统的访问权限是否每季度审查一次？", "安全日志至少保留十二个月。"]


@dataclass(frozen=True)
class Layout:
    """A workbook and, per question, its cell and its answer cells by part."""

    book: Book
    expected: list[tuple[str, dict[str, str]]]


def _table(head, lines, first=1, offset=0, name="Form"):
    shift = [None] * offset
    return Sheet(name).rows(first, [shift + head], {c: BOLD for c in range(1, 20)}).rows(first + 1, [shift + line for line in lines])


def layouts() -> dict[str, Layout]:
    made: dict[str, Layout] = {}

    def add(name, sheets, expected, names=None):
        made[name] = Layout(Book(sheets if isinstance(sheets, list) else [sheets], names or {}), expected)

    add("plain english", _table(["No", "Control requirement", "Vendor response", "Evidence reference"], [[i + 1, s, "", ""] for i, s in enumerate(S)]),
        [(f"B{r}", {"text": f"C{r}", "reference": f"D{r}"}) for r in range(2, 6)])
    add("german", _table(["Lfd. Nr.", "Anforderung", "Antwort", "Kommentar"], [[i + 1, s, "", ""] for i, s in enumerate(DE)]).choose("C2:C4", '"Ja,Nein,Teilweise"'),
        [(f"B{r}", {"choice": f"C{r}", "comment": f"D{r}"}) for r in range(2, 5)])
    add("chinese", _table(["编号", "控制要求", "供应商答复", "证据编号", "评分"], [[f"A{i + 1}", s, "", "", ""] for i, s in enumerate(ZH)]),
        [(f"B{r}", {"text": f"C{r}", "reference": f"D{r}"}) for r in range(2, 5)])
    add("questions in column F", _table(["Ref", "Domain", "Sub-category", "Weight", "Mapping", "Question", "Response", "Comments"],
        [[f"X-{i}", "Data", "Storage", 3, "A.8", q, "", ""] for i, q in enumerate(Q)]), [(f"F{r}", {"text": f"G{r}", "comment": f"H{r}"}) for r in range(2, 6)])
    banner = _table(["ID", "Question", "Answer"], [[f"{i}", q, ""] for i, q in enumerate(Q)], first=12)
    banner.rows(1, [["ACME Bank plc"], ["Supplier security questionnaire 2027"], ["Please answer every question in the yellow cells. Return within ten days."]]).merge("A3:C3")
    add("header on row 12", banner, [(f"B{r}", {"text": f"C{r}"}) for r in range(13, 17)])
    add("two answers before the question", _table(["Compliant?", "Your comments", "Ref", "Requirement"], [["", "", f"R{i}", s] for i, s in enumerate(S)]).choose("A2:A5", '"Yes,No"'),
        [(f"D{r}", {"choice": f"A{r}", "comment": f"B{r}"}) for r in range(2, 6)])
    add("no id column", _table(["Question", "Answer", "Remarks"], [[q, "", ""] for q in Q]), [(f"A{r}", {"text": f"B{r}", "comment": f"C{r}"}) for r in range(2, 6)])
    add("no header, numbered", Sheet("Sheet1").rows(1, [[i + 1, s, ""] for i, s in enumerate(S)]), [(f"B{r}", {"text": f"C{r}"}) for r in range(1, 5)])
    add("one column only", Sheet("Sheet1").rows(1, [[q] for q in Q]), [(f"A{r}", {"text": f"B{r}"}) for r in range(1, 5)])
    add("no header, list beside", Sheet("Sheet1").rows(1, [[s, ""] for s in S]).choose_x14("B1:B4", '"Yes,No"'), [(f"A{r}", {"choice": f"B{r}"}) for r in range(1, 5)])
    add("statements with x14 list of another sheet",
        [_table(["#", "Control", "Status", "Explanation"], [[i, s, "", ""] for i, s in enumerate(S)]).choose_x14("C2:C5", "Lists!$A$1:$A$3"),
         Sheet("Lists", "hidden").rows(1, [["Fully implemented"], ["Partially implemented"], ["Not implemented"]])],
        [(f"B{r}", {"choice": f"C{r}", "explanation": f"D{r}"}) for r in range(2, 6)])
    add("named list", [_table(["#", "Control", "Status"], [[i, s, ""] for i, s in enumerate(S)]).choose("C2:C5", "Answers"), Sheet("L").rows(1, [["Met"], ["Not met"]])],
        [(f"B{r}", {"choice": f"C{r}"}) for r in range(2, 6)], {"Answers": "L!$A$1:$A$2"})
    sections = _table(["Ref", "Question", "Response", "Comment", "Score"],
        [["1 Encryption"], ["1.1", Q[0], "", "", ""], ["1.2", Q[1], "", "", ""], ["2 Logging"], ["2.1", Q[2], "", "", ""], [None, "Guidance: name the system and the period.", None, None, None]])
    add("sections, guidance, score", sections.merge("A2:E2", "A5:E5"), [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in (3, 4, 6)])
    add("numbered headings", _table(["No.", "Question", "Answer"], [["1", "Encryption", None], ["1.1", Q[0], ""], ["1.2", Q[1], ""], ["2", "Logging", None], ["2.1", Q[2], ""]]),
        [(f"B{r}", {"text": f"C{r}"}) for r in (3, 4, 6)])
    repeated = _table(["Ref", "Question", "Answer"], [["a1", Q[0], ""], ["a2", Q[1], ""], [None], ["Ref", "Question", "Answer"], ["a3", Q[2], ""]])
    add("repeated header", repeated, [(f"B{r}", {"text": f"C{r}"}) for r in (2, 3, 6)])
    changed = _table(["Ref", "Question", "Answer"], [["a1", Q[0], ""], ["a2", Q[1], ""], [None], ["Ref", "Answer", "Comment", "Question"], ["a3", "", "", Q[2]]])
    add("second table in other order", changed, [("B2", {"text": "C2"}), ("B3", {"text": "C3"}), ("D6", {"text": "B6", "comment": "C6"})])
    add("twin tick columns", _table(["Nº", "Checklist item", "Yes", "No", "N/A", "Comments"], [[i, s, "", "", "", ""] for i, s in enumerate(S)]),
        [(f"B{r}", {"tick_yes": f"C{r}", "tick_no": f"D{r}", "tick_not_applicable": f"E{r}", "comment": f"F{r}"}) for r in range(2, 6)])
    two = Sheet("Form").rows(1, [["Ref", "Question", "Response", None, "Comment"], [None, None, "Yes", "No", None]], {c: BOLD for c in range(1, 6)}).merge("A1:A2", "B1:B2", "C1:D1", "E1:E2")
    two.rows(3, [[f"q{i}", q, "", "", ""] for i, q in enumerate(Q)])
    add("header of two rows", two, [(f"B{r}", {"tick_yes": f"C{r}", "tick_no": f"D{r}", "comment": f"E{r}"}) for r in range(3, 7)])
    add("text before the choice", _table(["Ref", "Control objective", "Supplier's statement", "Self-assessment", "Risk (customer)"], [[i, s, "", "", ""] for i, s in enumerate(S)]).choose("D2:D5", '"Compliant,Non-compliant"'),
        [(f"B{r}", {"statement": f"C{r}", "choice": f"D{r}"}) for r in range(2, 6)])
    hidden = _table(["Ref", "Question", "Answer"], [[f"h{i}", q, ""] for i, q in enumerate(Q)])
    hidden.hidden_rows = {3}
    add("hidden row", [hidden, _table(["Ref", "Question", "Answer"], [["z", Q[0], ""]], name="Old")], [(f"B{r}", {"text": f"C{r}"}) for r in (2, 4, 5)])
    made["hidden row"].book.sheets[1].state = "veryHidden"
    merged = _table(["Ref", "Question", None, None, "Your answer", None], [[f"m{i}", q, "", "", "", ""] for i, q in enumerate(Q)]).merge("B1:D1", "E1:F1")
    for row in range(2, 6):
        merged.merge(f"B{row}:D{row}", f"E{row}:F{row}")
    add("merged answers", merged, [(f"B{r}", {"text": f"E{r}"}) for r in range(2, 6)])
    side = _table(["Area", "Question", "Response"], [["Data", Q[0], ""], [None, Q[1], ""], ["Logs", Q[2], ""], [None, Q[3], ""]]).merge("A2:A3", "A4:A5")
    add("merged side column", side, [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    locked = Sheet("Form", protected=True).rows(1, [["Ref", "Question", "Response", "Contoso notes"]], {1: BOLD, 2: BOLD, 3: BOLD, 4: BOLD})
    locked.rows(2, [[f"p{i}", q, "", ""] for i, q in enumerate(Q)], {3: OPEN})
    add("protected, notes locked", locked, [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    add("customer's notes by name", _table(["Ref", "Question", "Response", "Comments", "Contoso notes"], [[f"p{i}", q, "", "", ""] for i, q in enumerate(Q)]),
        [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in range(2, 6)])
    formulas = _table(["Ref", "Question", "Answer"], [[f"f{i}", Formula(f"Texts!A{i}", q), ""] for i, q in enumerate(Q)])
    add("question text by formula", formulas, [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    figures = Sheet("Form").rows(1, [["Ref", "Question", "Y/N", "Figure", "Date of last test", "Details"]], {c: BOLD for c in range(1, 7)})
    figures.rows(2, [["n1", Q[2], "", "", "–", ""], ["n2", Q[3], "", "–", "", ""]], {4: HOURS}).choose("C2:C3", '"Y,N"')
    add("numbers and dates", figures, [("B2", {"choice": "C2", "number": "D2", "details": "F2"}), ("B3", {"choice": "C3", "date": "E3", "details": "F3"})])
    across = Sheet("Form").rows(1, [["Ref", "t1", "t2", "t3", "t4"], ["Question", *Q], ["Response", "", "", "", ""], ["Comment", "", "", "", ""]])
    add("transposed", across, [(f"{c}2", {"text": f"{c}3", "comment": f"{c}4"}) for c in "BCDE"])
    blocks = Sheet("Form")
    for number, question in enumerate(Q):
        blocks.rows(1 + 5 * number, [[f"Q{number}", question], [None, "Response:", ""], [None, "Comments:", ""], [None, "Evidence:", ""]])
    add("blocks with labels", blocks, [(f"B{r}", {"text": f"C{r + 1}", "comment": f"C{r + 2}", "reference": f"C{r + 3}"}) for r in (1, 6, 11, 16)])
    add("no answer column", _table(["QuestionID", "Category", "Question"], [[f"C-{i}", "Data", q] for i, q in enumerate(Q)]), [(f"C{r}", {"text": f"D{r}"}) for r in range(2, 6)])
    add("question column without a known header", _table(["Ref", "Matter of concern", "Response", "Comments"], [[f"u{i}", q, "", ""] for i, q in enumerate(Q)]),
        [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in range(2, 6)])
    add("title and description", _table(["Control ID", "Control", "Description", "Compliance status", "Vendor comments", "Assessor verdict"], [[f"AC-{i}", "Access control", s, "", "", ""] for i, s in enumerate(S)]),
        [(f"C{r}", {"text": f"D{r}", "comment": f"E{r}"}) for r in range(2, 6)])
    gap = _table(["Ref", "Question", "Answer"], [["g0", Q[0], ""], ["g1", Q[1], ""]])
    gap.rows(700, [["g2", Q[2], ""], ["g3", Q[3], ""]]).put("A12000", "", FILLED)
    add("gap of 700 rows", gap, [(f"B{r}", {"text": f"C{r}"}) for r in (2, 3, 700, 701)])
    french = _table(["N°", "Exigence", "Réponse du fournisseur", "Commentaires", "Pondération"], [[i, s, "", "", ""] for i, s in enumerate(["Les données des clients sont chiffrées au repos.", "Les accès sont revus chaque trimestre.", "Le plan de reprise est testé chaque année."])])
    add("french", french, [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in range(2, 5)])
    offset = _table(["Ref.", "Security question", "Supplier answer"], [[f"o{i}", q, ""] for i, q in enumerate(Q)], first=5, offset=3)
    add("table in the middle of the sheet", offset, [(f"E{r}", {"text": f"F{r}"}) for r in range(6, 10)])
    reading = [Sheet("Read me").rows(1, [["How to complete this form"], ["1. Please answer every question on the next sheet."], ["2. Do you have questions? Call us at any time."], ["3. Is something unclear? Ask your contact."]]),
               _table(["Ref", "Question", "Answer"], [[f"i{i}", q, ""] for i, q in enumerate(Q)])]
    add("instructions first", reading, [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    inner = _table(["Ref", "Question", "Response", "Reviewer score", "Internal use"], [[f"s{i}", q, "", "", ""] for i, q in enumerate(Q)])
    add("score and internal use", inner, [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    add("prefixed namespace and shared strings", _prefixed(), [(f"B{r}", {"text": f"C{r}"}) for r in range(2, 6)])
    add("response without cells", Sheet("Form").rows(1, [["Ref", "Question", "Response", "Comment"]]).rows(2, [[f"w{i}", q] for i, q in enumerate(Q)]),
        [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in range(2, 6)])
    groups = Sheet("Form").rows(1, [["Contoso", None, "To be completed by the supplier", None, "Contoso"], ["Ref", "Question", "Status", "Comment", "Comment"]]).merge("A1:B1", "C1:D1")
    groups.rows(3, [[f"k{i}", q, "", "", ""] for i, q in enumerate(Q)])
    add("groups over the header", groups, [(f"B{r}", {"text": f"C{r}", "comment": f"D{r}"}) for r in range(3, 7)])
    return made


def _prefixed() -> Sheet:
    sheet = _table(["Ref", "Question", "Answer"], [[f"x{i}", q, ""] for i, q in enumerate(Q)])
    sheet.prefix, sheet.shared, sheet.spans = "x", True, "1:3"
    return sheet


__all__ = ["FILLED", "PLAIN", "Layout", "layouts"]
