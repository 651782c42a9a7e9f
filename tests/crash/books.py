"""What must hold after any crash, read from the ledger's file and the folders with nothing but SQLite, JSON, SHA-256 and Ed25519.

None of the product's operations is used here: they are what is judged.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from trustops.domain.record import TERMINAL_EVENTS

ORG = "kestrel"
KINDS = {"approvals": ("approved", "rejected"), "exports": ("exported",)}


class Books:
    """The ledger of a workspace, as rows."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".trustops" / f"{ORG}.db"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if not self.path.is_file():
            return []
        with closing(sqlite3.connect(self.path, timeout=30)) as file:
            try:
                return file.execute(query).fetchall()
            except sqlite3.OperationalError as missing:
                if "no such table" not in str(missing):
                    raise
                return []  # the process died before there was a ledger

    def bodies(self, table: str, order: str = "rowid") -> list[dict[str, Any]]:
        return [json.loads(row[0]) for row in self.rows(f"SELECT body FROM {table} ORDER BY {order}")]

    def count(self, *tables: str) -> dict[str, int]:
        return {table: self.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables if self.rows(f"SELECT 1 FROM {table} LIMIT 1")}


def whole(folder: Path) -> None:
    """The ledger is whole: readable, numbered without gaps, and every record of one table has its partner in the other."""
    books = Books(folder)
    assert books.rows("PRAGMA integrity_check") in ([], [("ok",)])
    _numbered(books)
    _chained(books)
    _told_once(books)
    _decided(books)


def _numbered(books: Books) -> None:
    """Events, versions, attempts, approvals and snapshots are numbered 1, 2, 3 ... in their row."""
    series = {
        "events": "SELECT run, seq FROM events ORDER BY run, seq",
        "answers": "SELECT review || question, version FROM answers ORDER BY 1, 2",
        "records": "SELECT review || question, attempt FROM records ORDER BY 1, 2",
        "approvals": "SELECT review || question, seq FROM approvals ORDER BY 1, 2",
        "snapshots": "SELECT control, version FROM snapshots ORDER BY 1, 2",
    }
    for name, query in series.items():
        found: dict[str, list[int]] = defaultdict(list)
        for key, number in books.rows(query):
            found[key].append(number)
        for key, numbers in found.items():
            assert numbers == list(range(1, len(numbers) + 1)), f"{name} of {key}: {numbers}"


def _chained(books: Books) -> None:
    """Every record of the audit chain follows the one before it, and its hash is that of its content (architecture.md, "Audit trail")."""
    prev = _sha256({"v": 1, "organisation": ORG, "chain": "audit"})
    query = (
        "SELECT a.seq, a.prev, a.at, a.kind, a.actor, a.payload_sha256, a.hash, p.body FROM audit a LEFT JOIN audit_payloads p "
        "ON p.org = a.org AND p.chain = a.chain AND p.seq = a.seq ORDER BY a.seq"
    )
    told = books.rows("SELECT p.body FROM audit a JOIN audit_payloads p ON p.seq = a.seq WHERE a.kind = 'redacted'")
    redacted = {json.loads(body)["record"] for (body,) in told}
    for expected, (seq, before, at, kind, actor, payload, made, body) in enumerate(books.rows(query), start=1):
        content = {"v": 1, "chain": "audit", "seq": seq, "prev": before, "ts": at, "type": kind, "actor": actor, "payload_sha256": payload}
        assert (seq, before, _sha256(content)) == (expected, prev, made)
        assert seq in redacted if body is None else _sha256(json.loads(body)) == payload
        prev = made


def _told_once(books: Books) -> None:
    """What people decided, edited and sent stands in the chain, and in the events, exactly as often as in its own table."""
    chain = [kind for (kind,) in books.rows("SELECT kind FROM audit")]
    events = [kind for (kind,) in books.rows("SELECT kind FROM events")]
    for table, kinds in KINDS.items():
        number = len(books.rows(f"SELECT 1 FROM {table}"))
        assert sum(kind in kinds for kind in chain) == number, (table, chain)
    decisions = len(books.rows("SELECT 1 FROM approvals"))
    assert sum(kind in KINDS["approvals"] for kind in events) == decisions
    assert chain.count("edited") == sum(answer["author"] != "agents" for answer in books.bodies("answers"))
    sent = [record["id"] for record in books.bodies("exports")]
    assert len(set(sent)) == len(sent)
    told = {json.loads(data)["export"] for (data,) in books.rows("SELECT data FROM events WHERE kind = 'exported'")}
    assert told == set(sent)


def _decided(books: Books) -> None:
    """A run ends once; every attempt has its event; every approval is of a version that there is, with its digest."""
    ends = dict(books.rows("SELECT run, count(*) FROM run_ends GROUP BY run"))
    kinds = ", ".join(f"'{kind}'" for kind in TERMINAL_EVENTS)
    told = dict(books.rows(f"SELECT run, count(*) FROM events WHERE kind IN ({kinds}) GROUP BY run"))
    assert ends == told
    assert set(ends.values()) <= {1}
    attempts = sorted(books.rows("SELECT run, question, count(*) FROM records GROUP BY run, question"))
    assert attempts == sorted(books.rows("SELECT run, question, count(*) FROM events WHERE kind = 'decided' GROUP BY run, question"))
    versions = {(question, version): digest for question, version, digest in books.rows("SELECT question, version, digest FROM answers")}
    for approval in books.bodies("approvals"):
        assert versions[approval["question"], approval["version"]] == approval["digest"]


@contextmanager
def frozen(folder: Path) -> Iterator[Path]:
    """A workspace with the ledger as it is in one instant, whoever writes to it meanwhile."""
    with tempfile.TemporaryDirectory() as room:
        (Path(room) / ".trustops").mkdir()
        with closing(sqlite3.connect(Books(folder).path, timeout=30)) as file, closing(sqlite3.connect(Books(Path(room)).path)) as copy:
            file.backup(copy)
        yield Path(room)


def nothing_unrecorded(folder: Path, out: Path) -> None:
    """No file of an export can be seen whose export is not on record."""
    all_recorded(folder, visible(out))


def all_recorded(folder: Path, seen: Sequence[Path]) -> None:
    """Each of these files belongs to an export that is on record."""
    keys = {record["id"].removeprefix("X-") for record in Books(folder).bodies("exports")}
    for path in seen:
        assert any(key in path.name or path.parent.name == f"attachments-{key}" for key in keys), f"{path.name} has no record"


def visible(out: Path) -> list[Path]:
    """Files of a folder that a person would take for something."""
    return sorted(p for p in out.rglob("*") if p.is_file() and not (p.name.startswith(".trustops-") and p.suffix == ".part"))


def placed(folder: Path, out: Path, signers: Iterable[str], without: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Every export on record is on disk, whole, and signed by one of the keys; nothing else is. The records.

    `without` are the keys of exports whose placing was cut short: of their files each is there whole, or not at all.
    """
    every = Books(folder).bodies("exports")
    records = [record for record in every if record["id"].removeprefix("X-") not in without]
    expected: set[str] = set()
    for record in records:
        key = record["id"].removeprefix("X-")
        data = (out / record["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == record["sha256"]
        receipt = (out / f"receipt-{key}.json").read_bytes()
        assert json.loads(receipt) == record["receipt"]
        _bundled(out / f"bundle-{key}.zip", data, receipt, set(signers))
        expected |= {
            record["file"],
            f"receipt-{key}.json",
            f"bundle-{key}.zip",
            f"assessment-results-{key}.json",
            f"gap-register-{key}.csv",
            f"gap-register-{key}.md",
        }
    names = {path.name for path in out.rglob("*") if path.is_file()}
    assert {name for name in names if not any(key in name for key in without)} == expected
    for record in every:
        if record not in records and (out / record["file"]).is_file():
            assert hashlib.sha256((out / record["file"]).read_bytes()).hexdigest() == record["sha256"]
    assert {row[0] for row in Books(folder).rows("SELECT export FROM placements")} == {record["id"] for record in records}
    return records


def _bundled(path: Path, answered: bytes, receipt: bytes, signers: set[str]) -> None:
    """The bundle holds the file and the receipt, every member by its digest, under a signature of a known key."""
    with zipfile.ZipFile(path) as container:
        members = {name: container.read(name) for name in container.namelist()}
    assert next(data for name, data in members.items() if name.startswith("answered.")) == answered
    assert members["receipt.json"] == receipt
    manifest = json.loads(members["manifest.json"])
    for member in manifest["members"]:
        assert hashlib.sha256(members[member["name"]]).hexdigest() == member["sha256"]
    statement = members["statement.json"]
    subjects = {subject["name"]: subject["digest"]["sha256"] for subject in json.loads(statement)["subject"]}
    assert subjects["manifest.json"] == hashlib.sha256(members["manifest.json"]).hexdigest()
    kind = b"application/vnd.in-toto+json"
    assert members["signed.bin"] == b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(statement), statement)
    key = load_pem_public_key(members["public-key.pem"])
    assert isinstance(key, Ed25519PublicKey)
    key.verify(members["signature.bin"], members["signed.bin"])
    assert members["public-key.pem"].decode() in signers


def keys(folder: Path) -> tuple[str | None, list[str], list[str]]:
    """The name of the key in use, and the names of the public and the private ones. A private key opens, and is its public one's half."""
    current = (folder / "current").read_text().strip() if (folder / "current").is_file() else None
    public = sorted(path.name.removesuffix(".public.pem") for path in folder.glob("*.public.pem"))
    private = sorted(path.name.removesuffix(".private.pem") for path in folder.glob("*.private.pem"))
    for name in private:
        key = load_pem_private_key((folder / f"{name}.private.pem").read_bytes(), None)
        assert (folder / f"{name}.private.pem").stat().st_mode & 0o777 == 0o600
        if name in public:
            assert key.public_key() == load_pem_public_key((folder / f"{name}.public.pem").read_bytes())
    return current, public, private


def _sha256(value: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()
