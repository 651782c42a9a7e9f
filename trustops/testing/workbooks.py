"""Every generated questionnaire by name: traits one by one, look-alikes of well-known ones, and mixtures of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from trustops.testing import branches, lookalikes, points
from trustops.testing.bank import THINGS, VERBS, YES_NO, YES_NO_NA, Made, asks, head, quoted
from trustops.testing.lookalikes import assessment, beside_labels, cloud, cloud_ticks, criteria, gathering, graded, payment
from trustops.testing.workbook import BOLD, DATE, FILLED, OPEN, Book, Content, Formula, Rich, Sheet, letters


def maturity(count: int = 30) -> Made:
    """A maturity self-assessment: two scores per requirement with their own lists, pre-filled, branching by formula, side columns."""
    sheet, setup = Sheet("Detail"), Sheet("Scope")
    made = Made(Book([setup, sheet]))
    head(setup, 1, "Ref", "Question", "Answer")
    made.ask(setup, "B2", "Does your product process payment data for the customer?", ["C2"], YES_NO)
    setup.put("A2", "S1").choose("C2", quoted(YES_NO))
    sheet.put("A1", "Function", BOLD).put("B1", "Category", BOLD).put("C1", "Requirement", BOLD)
    head(sheet, 1, "", "", "", "Documentation Maturity", "Implementation Maturity", "Comments", "In scope", "Average")
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
        column = letters(place + 2)
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
    head(sheet, 3, "Req. ID", "Requirement", "Compliance", "Supplier's explanation", "Customer assessment")
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
            head(sheet, row, "Ref", "Control question", "", "Response", "Notes", "Reviewer comments")
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
        sheet.choose(f"D{row}", quoted(YES_NO))
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
        ["是否对所有静态客户数据进行加密？", "生产系统的访问权限是否每季度审查一次？",
         "安全日志至少保留十二个月。", "请说明灾难恢复计划的年度测试方式。"],
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
    columns, texts, words = LANGUAGES[name]
    sheet = Sheet("Form" if name in ("german", "spanish") else texts[0][:8])
    made = Made(Book([sheet]))
    head(sheet, 2, *columns)
    for row, text in enumerate(texts * 2, 3):
        sheet.put(f"A{row}", row - 2).put(f"C{row}", "").put(f"D{row}", "")
        made.ask(sheet, f"B{row}", text if row < 7 else f"{text} ({row})", [f"C{row}", f"D{row}"], words)
    sheet.choose(f"C3:C{len(texts) * 2 + 2}", quoted(words))
    return made


def typed(count: int = 12) -> Made:
    """Answer types by ids that another sheet explains; numbers, dates and lists by validations."""
    sheet, types = Sheet("Items"), Sheet("Answer types")
    types.rows(1, [["Type", "Meaning"], ["YN", "Yes or No"], ["NUM", "A whole number"], ["DAT", "A date"], ["TXT", "Free text"]])
    made = Made(Book([sheet, types]))
    head(sheet, 1, "Item ID", "Question text", "Answer type", "Answer", "Remarks")
    for place, text in enumerate(asks(count, 1_700)):
        row, kind = place + 2, ("YN", "NUM", "DAT", "TXT")[place % 4]
        sheet.put(f"A{row}", f"IT{place}").put(f"C{row}", kind).put(f"D{row}", "", DATE if kind == "DAT" else OPEN).put(f"E{row}", "")
        if kind == "YN":
            sheet.choose(f"D{row}", quoted(YES_NO))
        elif kind == "NUM":
            sheet.limit(f"D{row}", "whole", "greaterThanOrEqual", "0")
        made.ask(sheet, f"B{row}", text, [f"D{row}", f"E{row}"], YES_NO if kind == "YN" else ())
    return made


def long_list(count: int = 1_000) -> Made:
    """A thousand questions in one sheet."""
    sheet = Sheet("All", shared=True)
    made = Made(Book([sheet]))
    head(sheet, 1, "ID", "Question", "Response", "Comments")
    for place, text in enumerate(asks(count)):
        row = place + 2
        sheet.put(f"A{row}", f"Q{place + 1}").put(f"C{row}", "").put(f"D{row}", "")
        made.ask(sheet, f"B{row}", text, [f"C{row}", f"D{row}"], YES_NO_NA)
    sheet.choose(f"C2:C{count + 1}", quoted(YES_NO_NA))
    return made


def makers() -> dict[str, Callable[[], Made]]:
    """All generated questionnaires by name, made on demand."""
    found: dict[str, Callable[[], Made]] = {
        "higher education": assessment, "cloud": cloud, "cloud, ticks": cloud_ticks, "information gathering": gathering,
        "maturity": maturity, "labelled rows": labelled, "transposed": transposed, "one column": one_column,
        "several asks": several_asks, "sections": sections, "answer types": typed, "a thousand": long_list,
    }  # fmt: skip
    found |= {"criteria": criteria, "graded": graded, "payment": payment, "labels beside": beside_labels}
    found |= {
        "points": points.points, "points without a header": points.unheaded_points, "points under a title": points.titled_points,
        "matrix": points.matrix, "matrix of lists": points.listed_matrix, "matrix of ticks": points.ticked_matrix,
    }  # fmt: skip
    found |= {
        "side by side": lookalikes.side_by_side, "stacked": lookalikes.stacked, "offered": lookalikes.offered,
        "banner": lookalikes.bannered, "foreign names": lookalikes.foreign_names,
        "branches by formula": branches.by_formula, "branches in words": branches.by_words,
    }  # fmt: skip
    found |= {f"blocks of {rows}": partial(blocks, rows) for rows in (3, 4, 5, 6)}
    return found | {name: partial(language, name) for name in LANGUAGES}


def mixtures() -> Iterator[tuple[str, Made]]:
    """Two questionnaires in one workbook, sheet beside sheet."""
    for one, other in (("cloud", "maturity"), ("sections", "blocks of 5"), ("answer types", "cloud, ticks"), ("several asks", "chinese")):
        first, second = makers()[one](), makers()[other]()
        taken = {sheet.name for sheet in first.book.sheets}
        if taken.isdisjoint(sheet.name for sheet in second.book.sheets):
            first.book.sheets += second.book.sheets
            first.book.names |= second.book.names
            for mine, more in ((first.expected.questions, second.expected.questions), (first.expected.lists, second.expected.lists)):
                mine.update(more)  # type: ignore[arg-type]
            first.expected.texts.update(second.expected.texts)
            yield f"{one} and {other}", first
