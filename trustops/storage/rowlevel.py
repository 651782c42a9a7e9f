"""Row-level security: in PostgreSQL the database itself keeps organisations apart (docs/decisions/0019).

A transaction says whose it is (`SET LOCAL trustops.org`); a policy on every table shows and takes rows of that organisation alone, and
none where nothing was said. FORCE binds the tables' owner as well. The program's role may read and append; nothing else is granted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, bindparam, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from trustops.domain.audit import AuditRecord
from trustops.storage.tables import metadata

MINE = "(SELECT current_setting('trustops.org', true))"
"""As a subquery it is looked up once a statement, not once a row."""
REDACTED = ("audit_payloads", "approvals", "withdrawals")

FUNCTIONS = (
    """
    CREATE OR REPLACE FUNCTION trustops_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('trustops.redacting', true) = 'on' AND TG_OP = 'UPDATE' THEN RETURN NEW; END IF;
        IF current_setting('trustops.redacting', true) = 'on' AND TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION trustops_redact(the_chain text, the_seq integer, verdict_review text, verdict_question text,
        verdict_seq integer, prior text, words text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    DECLARE mine text := current_setting('trustops.org', true);
    BEGIN
        PERFORM set_config('trustops.redacting', 'on', true);
        DELETE FROM audit_payloads WHERE org = mine AND chain = the_chain AND seq = the_seq;
        UPDATE approvals SET body = jsonb_set(body::jsonb, '{reason}', to_jsonb(words))::text
            WHERE org = mine AND review = verdict_review AND question = verdict_question AND seq = verdict_seq
            AND body::jsonb ->> 'verdict' = 'REJECTED';
        UPDATE withdrawals SET reason = words WHERE org = mine AND prior_answer = prior;
        PERFORM set_config('trustops.redacting', 'off', true);
    END $$
    """,
)
SIGNATURE = "trustops_redact(text, integer, text, text, integer, text, text)"


def guarded(table: str) -> tuple[str, ...]:
    """The statements that shut a table: its policy, and triggers that refuse UPDATE, DELETE and TRUNCATE whoever asks."""
    return (
        *policed(table),
        f"CREATE OR REPLACE TRIGGER no_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION trustops_append_only()",
        f"CREATE OR REPLACE TRIGGER no_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION trustops_append_only()",
    )


def policed(table: str) -> tuple[str, ...]:
    """The statements that show and take rows of the transaction's organisation alone."""
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} ALTER COLUMN org SET DEFAULT current_setting('trustops.org', true)",
        f"DROP POLICY IF EXISTS own_rows ON {table}",
        f"CREATE POLICY own_rows ON {table} USING (org = {MINE}) WITH CHECK (org = {MINE})",
    )


def granted(role: str) -> tuple[str, ...]:
    """What the program's role may do. `role` is a quoted name."""
    tables = ", ".join(table.name for table in metadata.sorted_tables)
    working = "workers, holds, tasks, paces, purses, purse_holds"
    return (
        f"GRANT SELECT, INSERT ON {tables} TO {role}",
        f"GRANT SELECT ON alembic_version TO {role}",
        f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {role}",
        f"GRANT USAGE ON SCHEMA trustops_index, trustops_engine TO {role}",
        f"GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA trustops_index TO {role}",
        *(f"GRANT SELECT, INSERT, UPDATE, DELETE ON trustops_engine.{name} TO {role}" for name in working.split(", ")),
    )


def open_tables(connection: Connection, names: Sequence[str]) -> list[str]:
    """Tables that show a row to a transaction of no organisation. It is tried, not looked up: a policy that exists may still be wrong."""
    looks = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in names)
    return [str(row[0]) for row in connection.execute(text(looks))]


def take_out(connection: Connection, record: AuditRecord, verdict: tuple[int, dict[str, Any]] | None, words: str) -> None:
    """The payload of an audit record, and the reason in the row that it repeats, by the one function that may."""
    payload = record.payload or {}
    prior = str(payload.get("prior_answer")) if record.kind == "withdrawn" else None
    review, question = (str(payload.get("review")), str(payload.get("question"))) if verdict else (None, None)
    given = {"chain": record.chain, "seq": record.seq, "review": review, "question": question, "prior": prior, "words": words}
    call = text("SELECT trustops_redact(:chain, :seq, :review, :question, :number, :prior, :words)")
    connection.execute(call.bindparams(bindparam("number", verdict[0] if verdict else None)), given)


def erase(engine: Engine) -> str:
    """Rewrites the tables that words were taken out of. Why it could not, or nothing. The server's log and old backups stay."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        try:
            for table in REDACTED:
                connection.exec_driver_sql(f"VACUUM (FULL) {table}")
        except DBAPIError as refused:
            return str(refused.orig).splitlines()[0]
    return ""
