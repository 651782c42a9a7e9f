"""Questionnaire workbooks as customers send them, generated with the truth: which cells ask, which cells take the answers, with which lists.

Each maker shows traits of questionnaires that may not be shipped with tests; none of their texts is taken over. The truth is written
down by the maker as it puts the cells, never read back from the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from trustops.testing.workbook import BOLD, DATE, FILLED, OPEN, Book, Content, Formula, Rich, Sheet, _letters

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
class Truth:
    """What a careful person would find. The first answer cell of a question is its primary one."""

    questions: dict[Cells, list[str]] = field(default_factory=dict)
    lists: dict[Cells, tuple[str, ...]] = field(default_factory=dict)
    mirrors: set[Cells] = field(default_factory=set)
    texts: dict[Cells, str] = field(default_factory=dict)


@dataclass
class Made:
    """A generated workbook and its truth."""

    book: Book
    truth: Truth = field(default_factory=Truth)

    def ask(self, sheet: Sheet, cell: str, text: Content, answers: list[str], *lists: tuple[str, ...]) -> None:
        """Put a question and note its answer cells; `lists` are the vocabularies of the first of them."""
        sheet.put(cell, text, sheet.cells.get(cell, ("", 0))[1])
        self.truth.questions[sheet.name, cell] = answers
        shown = text.cached if isinstance(text, Formula) else "".join(text.runs) if isinstance(text, Rich) else str(text)
        self.truth.texts[sheet.name, cell] = shown
        for answer, words in zip(answers, lists, strict=False):
            if words:
                self.truth.lists[sheet.name, answer] = words


def _head(sheet: Sheet, row: int, *texts: str, style: int = BOLD) -> None:
    for column, text in enumerate(texts, 1):
        if text:
            sheet.put(f"{_letters(column)}{row}", text, style)


def _quoted(words: tuple[str, ...]) -> str:
    return '"' + ",".join(words) + '"'


def assessment(*, per_sheet: int = 45, filler: int = 0) -> Made:
    """A higher-education assessment: protected sheets, formula texts, lists in hidden sheets by x14, mirrors for the institution."""
    names = ["Organization", "Product", "Infrastructure", "Accessibility", "Case-Specific", "AI", "Privacy"]
    values = Sheet("Values", "veryHidden").rows(1, [["Yes"], ["No"], ["N/A"]]).rows(6, [["On premises"], ["Cloud"], ["Hybrid"]])
    bank, score = Sheet("Questions", "hidden"), Sheet("Score", "hidden")
    made = Made(Book([]))
    start = _start_here(made)
    evaluation = Sheet("Institution Evaluation")
    _head(
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
    _head(crosswalk, 3, "ID", "Question", "CIS Controls", "ISO 27002", "NIST CSF", "PCI DSS")
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
            _head(sheet, row, "", "", "Vendor Answers", "Additional Information", "Guidance", "Analyst Notes", style=FILLED)
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
            made.truth.mirrors.add((evaluation.name, f"{column}{mirror}"))
        crosswalk.rows(line + 3, [[label, Formula(f"'{name}'!B{row}", text), "CSC 3", "A.8", "PR.DS", "3.4"]])
        row += 1
    sheet.hidden_rows.update(range(row + 3, row + 40))
    return sheet


def _fill(sheet: Sheet, cells: int) -> None:
    """Formatted empty cells behind the text, as grown workbooks have them."""
    width = 40
    for row in range(1, cells // width + 1):
        for column in range(12, 12 + width):
            sheet.put(f"{_letters(column)}{row}", "", OPEN)


def cloud(count: int = 60) -> Made:
    """A cloud controls questionnaire: banner, answer and ownership lists, free text for both sides, merged control columns."""
    sheet = Sheet("CAIQ").put("A1", "CONSENSUS ASSESSMENTS QUESTIONNAIRE v4", FILLED).merge("A1:J1")
    made = Made(Book([Sheet("Introduction").put("A1", "This questionnaire helps customers to gauge the security of a provider."), sheet]))
    _head(sheet, 2, "Question ID", "Question", "CSP CAIQ Answer", "SSRM Control Ownership", "CSP Implementation Description (Optional/Recommended)",
          "CSC Responsibilities (Optional/Recommended)", "CCM Control ID", "CCM Control Specification", "CCM Control Title", "CCM Domain Title")  # fmt: skip
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
    sheet.choose(f"C3:C{count + 2}", _quoted(("Yes", "No", "NA"))).choose(f"D3:D{count + 2}", _quoted(OWNERS))
    return made


def cloud_ticks(count: int = 40) -> Made:
    """An older cloud questionnaire: header of two rows with Yes, No and Not Applicable below one banner, notes, merged groups."""
    sheet = Sheet("CAIQ").put("A1", "CONSENSUS ASSESSMENTS QUESTIONNAIRE v3.1", FILLED).merge("A1:H1")
    _head(
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
    _head(sheet, 3, "", "", "", "", "", "Yes", "No", "Not Applicable")
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
    _head(profile, 3, "Question", "Response")
    for row, label in enumerate(
        ["Company name", "Headquarters address", "Number of employees", "Date founded", "Name of the person completing this"], 4
    ):
        made.ask(profile, f"A{row}", label, [f"B{row}"])
    for number, name in enumerate(["A. Risk", "B. Policy", "C. Assets", "D. Access"]):
        sheet = Sheet(name, shared=True).put("A1", name, FILLED).put("A2", "0% Percent Complete").put("C3", "Completed by:")
        sheet.hidden_columns = [7, 8]
        _head(
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


def maturity(count: int = 30) -> Made:
    """A maturity self-assessment: two scores per requirement with their own lists, pre-filled, branching by formula, side columns."""
    sheet, setup = Sheet("Detail"), Sheet("Scope")
    made = Made(Book([setup, sheet]))
    _head(setup, 1, "Ref", "Question", "Answer")
    made.ask(setup, "B2", "Does your product process payment data for the customer?", ["C2"], YES_NO)
    setup.put("A2", "S1").choose("C2", _quoted(YES_NO))
    sheet.put("A1", "Function", BOLD).put("B1", "Category", BOLD).put("C1", "Requirement", BOLD)
    _head(sheet, 1, "", "", "", "Documentation Maturity", "Implementation Maturity", "Comments", "In scope", "Average")
    for place, text in enumerate(asks(count, 1_100)):
        row = place + 2
        if place % 6 == 0:
            sheet.put(f"A{row}", ("IDENTIFY", "PROTECT", "DETECT", "RESPOND", "RECOVER")[place // 6 % 5]).merge(f"A{row}:A{row + 5}")
        sheet.put(f"B{row}", f"ID.AM-{place + 1}").put(f"D{row}", "0").put(f"E{row}", "0").put(f"F{row}", "")
        sheet.put(f"G{row}", Formula('IF(Scope!C2="Yes",1,0)', "0")).put(f"H{row}", Formula(f"AVERAGE(D{row}:E{row})", "0"))
        made.ask(sheet, f"C{row}", text, [f"D{row}", f"E{row}", f"F{row}"], ("0", "1", "2", "3"), ("0", "1", "2", "3"))
    sheet.choose(f"D2:E{count + 1}", '"0,1,2,3"')
    return made


def blocks(rows: int, count: int = 12, *, listed: bool = True) -> Made:
    """Blocks of `rows` rows per question without a header: text, explanation, label, evidence; the answer beside the text."""
    sheet = Sheet("Dimension 1").put("B1", "Dimension 1: Governance", FILLED)
    made = Made(Book([sheet, Sheet("Lists", "hidden")]))
    for place, text in enumerate(asks(count, 1_200)):
        row = 3 + place * rows
        sheet.put(f"B{row}", place + 1).put(f"E{row}", "", OPEN)
        for extra in range(1, rows):
            texts = [
                "This part asks about the practice and why it matters to us.",
                "Suggested evidence",
                "Policy, minutes of meetings, reports",
            ]
            if extra <= 3:
                sheet.put(f"C{row + extra}", texts[extra - 1])
        words = (f"{place}.0 Not started", f"{place}.1 Planned", f"{place}.2 Fully in place")
        if listed:
            made.book.sheets[1].rows(place * 3 + 1, [[word] for word in words])
            made.book.names[f"Q{place}_answers"] = f"Lists!$A${place * 3 + 1}:$A${place * 3 + 3}"
            sheet.choose(f"E{row}", f"Q{place}_answers")
        made.ask(sheet, f"C{row}", text, [f"E{row}"], words if listed else ())
    return made


def labelled(count: int = 10) -> Made:
    """A question, then rows `Response:`, `Comment:` and `Evidence:` with room beside them."""
    sheet = Sheet("Form").put("A1", "Supplier questionnaire", BOLD)
    made = Made(Book([sheet]))
    for place, text in enumerate(asks(count, 1_300)):
        row = 3 + place * 5
        sheet.put(f"A{row + 1}", "Response:").put(f"A{row + 2}", "Comment:").put(f"A{row + 3}", "Evidence:")
        made.ask(sheet, f"A{row}", text, [f"B{row + 1}", f"B{row + 2}", f"B{row + 3}"])
    return made


def transposed(count: int = 8) -> Made:
    """Questions are columns: labels stand in column A."""
    sheet = Sheet("Form").rows(1, [["Ref"], ["Question"], ["Response"], ["Comment"]], {1: BOLD})
    made = Made(Book([sheet]))
    for place, text in enumerate(asks(count, 1_400)):
        column = _letters(place + 2)
        sheet.put(f"{column}1", f"T{place + 1}").put(f"{column}3", "").put(f"{column}4", "")
        made.ask(sheet, f"{column}2", text, [f"{column}3", f"{column}4"])
    return made


def one_column(count: int = 20) -> Made:
    """A single column of questions; answers are appended beside it."""
    sheet = Sheet("Sheet1")
    made = Made(Book([sheet]))
    for row, number in enumerate(range(count), 1):
        made.ask(sheet, f"A{row}", f"How do you {VERBS[number % 12]} {THINGS[number]} today?", [f"B{row}"])
    return made


def several_asks(count: int = 15) -> Made:
    """Several questions in one cell, statements, rich text, line breaks, cells with a default, limits on the length."""
    sheet = Sheet("Requirements")
    made = Made(Book([sheet]))
    _head(sheet, 3, "Req. ID", "Requirement", "Compliance", "Supplier's explanation", "Customer assessment")
    for place, text in enumerate(asks(count, 1_500)):
        row, more = place + 4, "How often?\nWho is told?"
        content: Content = Rich((text, " ", more)) if place % 2 else f"{text}\n{more}"
        sheet.put(f"A{row}", f"R-{place + 1}").put(f"C{row}", "Please select").put(f"D{row}", "").put(f"E{row}", "")
        made.ask(sheet, f"B{row}", content, [f"C{row}", f"D{row}"], ("Please select", *YES_NO_NA))
    sheet.choose(f"C4:C{count + 3}", '"Please select,Yes,No,N/A"').limit(f"D4:D{count + 3}", "textLength", "lessThanOrEqual", "500")
    return made


def sections(count: int = 24) -> Made:
    """Section and guidance rows, repeated headers, a spacer column, hidden rows and columns, an instruction sheet, a legend."""
    sheet, legend = Sheet("Questionnaire"), Sheet("Legend")
    legend.rows(
        1, [["Value", "Meaning"], ["Yes", "The control is in place for everything in scope."], ["No", "The control is not in place."]]
    )
    how = Sheet("Instructions").rows(1, [["Who should answer this questionnaire?"], ["Please answer in English."], ["When is it due?"]])
    made = Made(Book([how, sheet, legend]))
    row = 2
    for place, text in enumerate(asks(count, 1_600)):
        if place % 8 == 0:
            _head(sheet, row, "Ref", "Control question", "", "Response", "Notes", "Reviewer comments")
            row += 1
        if place % 4 == 0:
            sheet.put(f"A{row}", f"{place // 4 + 1}. Section about {THINGS[place % 20]}", FILLED).merge(f"A{row}:F{row}")
            sheet.put(f"B{row + 1}", "Guidance: name the system, the owner and the last date of the review in your answer.")
            row += 2
        sheet.put(f"A{row}", f"{place // 4 + 1}.{place % 4 + 1}").put(f"D{row}", "").put(f"E{row}", "").put(f"F{row}", "")
        if place % 10 == 9:
            sheet.put(f"B{row}", text)
            sheet.hidden_rows.add(row)
        else:
            made.ask(sheet, f"B{row}", text, [f"D{row}", f"E{row}"], YES_NO)
        sheet.choose(f"D{row}", _quoted(YES_NO))
        row += 1
    return made


LANGUAGES: dict[str, tuple[list[str], list[str], tuple[str, ...]]] = {
    "german": (
        ["Nr.", "Anforderung", "Erfüllungsgrad", "Erläuterung des Lieferanten"],
        ["Werden alle Kundendaten im Ruhezustand verschlüsselt?", "Der Zugriff auf Produktivsysteme wird vierteljährlich überprüft.",
         "Sicherheitsprotokolle werden mindestens zwölf Monate aufbewahrt.", "Wie wird der Wiederanlauf jährlich getestet?"],
        ("Erfüllt", "Teilweise erfüllt", "Nicht erfüllt"),
    ),
    "spanish": (
        ["Núm.", "Pregunta", "Respuesta", "Comentarios del proveedor"],
        ["¿Cifra todos los datos de clientes en reposo?", "¿Se revisa el acceso a producción cada trimestre?",
         "Los registros de seguridad se conservan al menos doce meses.", "Describa cómo prueba el plan de recuperación cada año."],
        ("Sí", "No", "No aplica"),
    ),
    "chinese": (
        ["编号", "评估问题", "供应商答复", "备注"],
        ["是否对所有静态客户数据进行加密？", "生产系统的访问权限是否每季度审查一次？", "安全日志至少保留十二个月。", "请说明灾难恢复计划的年度测试方式。"],
        ("是", "否", "不适用"),
    ),
    "japanese": (
        ["番号", "質問", "回答", "備考"],
        ["すべての顧客データを保存時に暗号化していますか？", "本番環境へのアクセスは四半期ごとに見直されていますか？",
         "セキュリティログは少なくとも十二か月保管すること。", "復旧計画の年次テストの方法を説明してください。"],
        ("はい", "いいえ", "該当なし"),
    ),
    "arabic": (
        ["الرقم", "السؤال", "الإجابة", "ملاحظات"],
        ["هل يتم تشفير جميع بيانات العملاء أثناء التخزين؟", "هل تتم مراجعة الوصول إلى بيئة الإنتاج كل ثلاثة أشهر؟",
         "يجب الاحتفاظ بسجلات الأمان لمدة اثني عشر شهرا على الأقل.", "اشرح كيف تختبر خطة التعافي من الكوارث كل عام."],
        ("نعم", "لا", "لا ينطبق"),
    ),
    "hebrew": (
        ["מספר", "שאלה", "תשובה", "הערות"],
        ["האם כל נתוני הלקוחות מוצפנים במנוחה?", "האם הגישה לסביבת הייצור נבדקת בכל רבעון?",
         "יומני האבטחה נשמרים לפחות שנים עשר חודשים.", "תאר כיצד נבדקת תוכנית ההתאוששות בכל שנה."],
        ("כן", "לא", "לא רלוונטי"),
    ),
}  # fmt: skip


def language(name: str) -> Made:
    """A small questionnaire in one language."""
    head, texts, words = LANGUAGES[name]
    sheet = Sheet("Form" if name in ("german", "spanish") else texts[0][:8])
    made = Made(Book([sheet]))
    _head(sheet, 2, *head)
    for row, text in enumerate(texts * 2, 3):
        sheet.put(f"A{row}", row - 2).put(f"C{row}", "").put(f"D{row}", "")
        made.ask(sheet, f"B{row}", text if row < 7 else f"{text} ({row})", [f"C{row}", f"D{row}"], words)
    sheet.choose(f"C3:C{len(texts) * 2 + 2}", _quoted(words))
    return made


def typed(count: int = 12) -> Made:
    """Answer types by ids that another sheet explains; numbers, dates and lists by validations."""
    sheet, types = Sheet("Items"), Sheet("Answer types")
    types.rows(1, [["Type", "Meaning"], ["YN", "Yes or No"], ["NUM", "A whole number"], ["DAT", "A date"], ["TXT", "Free text"]])
    made = Made(Book([sheet, types]))
    _head(sheet, 1, "Item ID", "Question text", "Answer type", "Answer", "Remarks")
    for place, text in enumerate(asks(count, 1_700)):
        row, kind = place + 2, ("YN", "NUM", "DAT", "TXT")[place % 4]
        sheet.put(f"A{row}", f"IT{place}").put(f"C{row}", kind).put(f"D{row}", "", DATE if kind == "DAT" else OPEN).put(f"E{row}", "")
        if kind == "YN":
            sheet.choose(f"D{row}", _quoted(YES_NO))
        elif kind == "NUM":
            sheet.limit(f"D{row}", "whole", "greaterThanOrEqual", "0")
        made.ask(sheet, f"B{row}", text, [f"D{row}", f"E{row}"], YES_NO if kind == "YN" else ())
    return made


def long_list(count: int = 1_000) -> Made:
    """A thousand questions in one sheet."""
    sheet = Sheet("All", shared=True)
    made = Made(Book([sheet]))
    _head(sheet, 1, "ID", "Question", "Response", "Comments")
    for place, text in enumerate(asks(count)):
        row = place + 2
        sheet.put(f"A{row}", f"Q{place + 1}").put(f"C{row}", "").put(f"D{row}", "")
        made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], YES_NO_NA)
    sheet.choose(f"C2:C{count + 1}", _quoted(YES_NO_NA))
    return made


def makers() -> dict[str, Callable[[], Made]]:
    """All generated questionnaires by name, made on demand."""
    found: dict[str, Callable[[], Made]] = {
        "higher education": assessment, "cloud": cloud, "cloud, ticks": cloud_ticks, "information gathering": gathering,
        "maturity": maturity, "labelled rows": labelled, "transposed": transposed, "one column": one_column,
        "several asks": several_asks, "sections": sections, "answer types": typed, "a thousand": long_list,
    }  # fmt: skip
    found |= {f"blocks of {rows}": lambda rows=rows: blocks(rows) for rows in (3, 4, 5, 6)}  # type: ignore[misc]
    return found | {name: lambda name=name: language(name) for name in LANGUAGES}  # type: ignore[misc]


def mixtures() -> Iterator[tuple[str, Made]]:
    """Two questionnaires in one workbook, sheet beside sheet."""
    for one, other in (("cloud", "maturity"), ("sections", "blocks of 5"), ("answer types", "cloud, ticks"), ("several asks", "chinese")):
        first, second = makers()[one](), makers()[other]()
        taken = {sheet.name for sheet in first.book.sheets}
        if taken.isdisjoint(sheet.name for sheet in second.book.sheets):
            first.book.sheets += second.book.sheets
            first.book.names |= second.book.names
            for mine, more in ((first.truth.questions, second.truth.questions), (first.truth.lists, second.truth.lists)):
                mine.update(more)  # type: ignore[arg-type]
            first.truth.texts.update(second.truth.texts)
            yield f"{one} and {other}", first
