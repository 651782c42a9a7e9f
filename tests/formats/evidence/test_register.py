"""The register decides what may be quoted and what is still in force, so a slip in it must be an error and not a default."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from trustops.domain.errors import MalformedFile, UsageError
from trustops.domain.evidence import Classification, EvidenceKind
from trustops.formats.evidence import load_register, read_answers, read_folder

Workspace = Callable[[dict[str, str]], Path]
ENTRY = "- {path: evidence/a.md, title: A, kind: policy, effective: 2026-01-01, expires: 2027-01-01, owner: Me, products: [x]}\n"


def test_register_comes_before_front_matter_and_both_before_defaults(workspace: Workspace) -> None:
    root = workspace(
        {
            "evidence.yaml": "- {path: evidence/a.md, kind: standard}\n",
            "evidence/a.md": "---\nkind: policy\nexpires: 2027-01-01\nclassification: shareable\nproducts: sightline\n---\n"
            "# Title of A\n\nText.\n",
            "evidence/sub/b-note.md": "Text.\n",
        }
    )
    first, second = read_folder(root).documents
    assert (first.kind, first.expires, first.title) == (EvidenceKind.STANDARD, date(2027, 1, 1), "Title of A")
    assert (first.classification, first.products) == (Classification.SHAREABLE, ("sightline",))
    assert (second.kind, second.classification, second.title) == (EvidenceKind.RECORD, Classification.INTERNAL, "b note")
    assert second.effective is None


@pytest.mark.parametrize(
    ("register", "line", "says"),
    [
        ("- {path: evidence/a.md, expire: 2026-01-01}\n", 1, "expire"),
        ("# c\n- path: evidence/a.md\n  classification: confidential\n", 3, "confidential"),
        ("- path: evidence/a.md\n  kind: polciy\n", 2, "polciy"),
        ("- path: evidence/a.md\n  expires: 31.12.2026\n", 2, "31.12.2026"),
        ("- path: evidence/a.md\n  title: A\n  title: B\n", 3, "title"),
        (ENTRY + ENTRY, 2, "twice"),
        ("- path: ../../etc/passwd\n", 1, "workspace"),
        ("- {path: evidence/a.md, effective: 2027-01-01, expires: 2026-01-01}\n", 1, "before"),
        ("- title: A\n", 1, "path"),
        ("path: evidence/a.md\n", 1, "list"),
    ],
)
def test_a_slip_in_the_register_is_an_error_with_its_line(workspace: Workspace, register: str, line: int, says: str) -> None:
    root = workspace({"evidence.yaml": register, "evidence/a.md": "Text.\n"})
    with pytest.raises(MalformedFile) as refused:
        load_register(root)
    assert refused.value.where == f"evidence.yaml, line {line}"
    assert says in refused.value.message
    assert refused.value.remedy


def test_a_wrong_value_in_front_matter_is_an_error_and_a_foreign_key_is_not(workspace: Workspace) -> None:
    root = workspace({"evidence/a.md": "---\nlayout: page\nkind: policy\n---\nText.\n"})
    ingested = read_folder(root)
    assert ingested.documents[0].kind is EvidenceKind.POLICY
    assert [(notice.file, notice.where) for notice in ingested.notices] == [("evidence/a.md", "line 2")]
    workspace({"evidence/a.md": "---\nlayout: page\nclassification: secret\n---\nText.\n"})
    with pytest.raises(MalformedFile) as refused:
        load_register(root)
    assert refused.value.where == "evidence/a.md, line 3"


def test_what_is_not_read_is_said(workspace: Workspace, tmp_path: Path) -> None:
    root = workspace(
        {"evidence.yaml": "- path: evidence/gone.pdf\n", "evidence/a.odt": "x", "evidence/.DS_Store": "x", "evidence/empty.md": ""}
    )
    (tmp_path / "secret.md").write_text("Outside.")
    (root / "evidence" / "link.md").symlink_to(tmp_path / "secret.md")
    ingested = read_folder(root)
    assert not ingested.passages
    assert sorted(notice.file for notice in ingested.notices) == [
        "evidence.yaml",
        "evidence/a.odt",
        "evidence/empty.md",
        "evidence/link.md",
    ]
    assert all(notice.remedy for notice in ingested.notices)


def test_one_hostile_file_does_not_take_the_others_with_it(workspace: Workspace) -> None:
    root = workspace({"evidence/a.md": "Good text.\n", "evidence/z.md": "More text.\n"})
    (root / "evidence" / "m.pdf").write_bytes(b"PK\x03\x04 not a pdf")
    (root / "evidence" / "n.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 encrypted")
    heard: list[str] = []
    ingested = read_folder(root, heard.append)
    assert [passage.text for passage in ingested.passages] == ["Good text.", "More text."]
    assert [notice.file for notice in ingested.notices] == ["evidence/m.pdf", "evidence/n.docx"]
    assert heard == [document.path for document in ingested.documents]


def test_a_workspace_without_evidence_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_folder(tmp_path)
    assert refused.value.remedy


def test_earlier_answers_without_header_are_not_passed_over(workspace: Workspace) -> None:
    root = workspace({"answers/a.csv": "some,table\n1,2\n"})
    with pytest.raises(MalformedFile) as refused:
        read_answers(root)
    assert refused.value.where == "answers/a.csv"


def test_headers_in_other_words_and_languages(workspace: Workspace) -> None:
    root = workspace(
        {
            "answers/2024-11-nord.csv": "Frage;Antwort;Bemerkung\nNutzen Sie MFA?;Ja.;intern\n;leer;\n",
            "answers/b.csv": "Customer: Big Bank\nCompleted on 3 March 2025,,\n问题,回答,备注\n是否加密？,是。,\n",
        }
    )
    first, second = read_answers(root)
    assert (first.question, first.remark, first.customer, first.answered_on) == ("Nutzen Sie MFA?", "intern", "Nord", date(2024, 11, 1))
    assert (second.answer, second.customer, second.answered_on) == ("是。", "Big Bank", date(2025, 3, 3))
    assert second.locator == "row 4"


def test_no_answers_folder_means_no_earlier_answers(tmp_path: Path) -> None:
    assert read_answers(tmp_path) == ()
