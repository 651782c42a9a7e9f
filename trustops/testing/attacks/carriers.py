"""Where an attack stands: in a paper, in the questionnaire's parts, in a name, in an earlier answer or in what a control says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trustops.testing.attacks import papers
from trustops.testing.attacks.papers import Lines, Written

PAPERS: Mapping[str, Callable[[Lines, str], Written]] = {
    "paper": papers.markdown,
    "paper-comment": papers.markdown_comment,
    "paper-heading": papers.markdown_heading,
    "paper-text": papers.text,
    "paper-json": papers.json_text,
    "csv-cell": papers.table,
    "web-comment": papers.web_comment,
    "web-display-none": papers.web_unshown,
    "web-white": papers.web_white,
    "web-class": papers.web_class,
    "word-vanish": papers.word_vanish,
    "word-white": papers.word_white,
    "word-deletion": papers.word_deletion,
    "word-control": papers.word_control,
    "pdf-invisible": papers.pdf_invisible,
    "pdf-white": papers.pdf_white,
    "workbook-row": papers.workbook_row,
    "workbook-column": papers.workbook_column,
    "workbook-sheet": papers.workbook_sheet,
    "workbook-white": papers.workbook_white,
}
"""An evidence file of the organisation that holds the attack beside its true lines."""

NAMES = ("file-name", "register-title")
"""The attack is what an evidence file is called."""

QUESTIONNAIRE = (
    "question-cell",
    "note-cell",
    "comment",
    "hidden-row",
    "hidden-column",
    "hidden-sheet",
    "very-hidden-sheet",
    "defined-name",
    "validation-prompt",
    "header-footer",
    "document-property",
    "sheet-name",
)
"""The attack stands in the customer's file."""

RECORDS = ("earlier-answer", "earlier-question", "snapshot-string")
"""The attack stands in what we answered before, or in a control's reading."""

CARRIERS = (*PAPERS, *NAMES, *QUESTIONNAIRE, *RECORDS)

SEEN = frozenset({"paper", "paper-heading", "paper-text", "paper-json", "csv-cell", "word-control"})
"""Papers that show the attack to their reader. A plain false sentence there is a document that lies, not an order to a machine."""
