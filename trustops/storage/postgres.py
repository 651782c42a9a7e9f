"""PostgreSQL: one database for all organisations, kept apart by row-level security. An organisation's writers follow one another.

A writer takes the organisation's advisory lock for its transaction, as SQLite's IMMEDIATE takes the file's: numbers that are read under
it are still the last ones when the row is written. Writers of different organisations do not meet.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import psycopg
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from trustops.domain.errors import TrustOpsError, Unavailable, UsageError
from trustops.storage.faults import fault_in_postgres, translate
from trustops.storage.migrating import HEAD, newer, upgrade
from trustops.storage.rowlevel import granted, open_tables
from trustops.storage.tables import metadata

WAIT_MS = 10_000
"""How long a writer waits for another one of the same organisation."""
IDLE_MS = 300_000
"""A machine that vanished in the middle of a transaction holds its organisation's lock no longer than this."""
CONNECT_S = 5
WHERE = "the database"
MIGRATE = "An administrator of the database runs `trustops storage migrate`; docs/operations.md says how."
TABLES = tuple(table.name for table in metadata.sorted_tables)


def url_of(address: str) -> URL:
    """The address for the driver that is used. Raises UsageError for what is none of PostgreSQL."""
    try:
        url = make_url(address)
    except ArgumentError as bad:
        raise UsageError("this is no address of a database", where="TRUSTOPS_DATABASE or url under [storage]", remedy=_FORM) from bad
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise UsageError(f"{url.get_backend_name()!r} is no database for this", where="TRUSTOPS_DATABASE or [storage]", remedy=_FORM)
    return url.set(drivername="postgresql+psycopg")


_FORM = "Write postgresql://ROLE@HOST/DATABASE; leave it out for a file of SQLite."


def open_engine(address: str, *, pool: int) -> Engine:
    """An engine on the database, of the newest schema and with a role that organisations are kept apart for. One a process and address.

    Raises UsageError where the role is a superuser, owns the tables, may bypass or change rows; where tables are open; where the schema is
    another one; Unavailable where nobody answers.
    """
    url = url_of(address)
    place = (url, pool, os.getpid())  # a forked child must not use its parent's connections
    with _DOOR:
        if place not in _OPEN:
            _OPEN[place] = _checked(_engine(url, pool))
        return _OPEN[place]


_OPEN: dict[tuple[URL, int, int], Engine] = {}
_DOOR = threading.Lock()


def close_engines() -> None:
    """Closes the connections of this process to every database. Whatever is opened afterwards is checked anew."""
    with _DOOR:
        for place in [place for place in _OPEN if place[2] == os.getpid()]:
            _OPEN.pop(place).dispose()


def _checked(engine: Engine) -> Engine:
    with ExitStack() as refused:
        refused.callback(engine.dispose)
        try:
            with engine.connect() as connection:
                _refuse_powers(connection)
                _refuse_other_schemas(connection)
                _refuse_open_tables(connection)
        except DBAPIError as bad:
            raise UsageError(f"the ledger cannot be opened ({_first_line(bad)})", where=WHERE, remedy=MIGRATE) from bad
        refused.pop_all()
    return engine


def _engine(url: URL, pool: int) -> Engine:
    """Shared by all organisations of the process."""
    engine = create_engine(
        url,
        pool_size=pool,
        max_overflow=0,
        pool_timeout=WAIT_MS / 1000,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": CONNECT_S,
            "application_name": "trustops",
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "options": f"-c lock_timeout={WAIT_MS} -c idle_in_transaction_session_timeout={IDLE_MS}",
        },
    )
    event.listen(engine, "begin", _begin)
    translate(engine, _noted)
    return engine


_AWAY: deque[None] = deque()


def outages() -> int:
    """How often this process could not reach the database, or not in time."""
    return len(_AWAY)


def _noted(raised: BaseException) -> TrustOpsError | None:
    fault = fault_in_postgres(raised, WHERE)
    if isinstance(fault, Unavailable):
        _AWAY.append(None)
    return fault


def _begin(connection: Connection) -> None:
    """Whose transaction it is; a writer waits for the organisation's other writers here, a view of all is one moment's."""
    manner = connection.get_execution_options()
    org = manner.get("org")
    if manner.get("reading"):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    if org is None or manner.get("isolation_level") == "AUTOCOMMIT":
        return
    scope = "SELECT set_config('trustops.org', %s, true)"
    if manner.get("writing"):
        connection.exec_driver_sql(f"{scope}, pg_advisory_xact_lock(hashtextextended(%s, 0))", (org, f"trustops:{org}"))
    else:
        connection.exec_driver_sql(scope, (org,))


def _refuse_powers(connection: Connection) -> None:
    """A role that the policies do not bind would show every organisation to every other one."""
    query = (
        "SELECT rolname, rolsuper FROM pg_roles WHERE (rolsuper OR rolbypassrls) AND pg_has_role(session_user, oid, 'MEMBER') "
        "ORDER BY rolname <> session_user LIMIT 1"
    )
    role = connection.execute(text("SELECT session_user")).scalar_one()
    if (found := connection.execute(text(query)).first()) is not None:
        power = "is a superuser" if found.rolsuper else "may bypass row-level security"
        who = f"the role {role!r}" if found.rolname == role else f"the role {role!r} may become {found.rolname!r}, which"
        raise _too_much(f"{who} {power}")
    owned = "SELECT relname FROM pg_class WHERE relname = ANY(:names) AND relkind = 'r' AND pg_has_role(session_user, relowner, 'MEMBER')"
    if (table := connection.execute(text(owned), {"names": list(TABLES)}).first()) is not None:
        raise _too_much(f"the role {role!r} owns the tables, or may become their owner ({table.relname})")
    may = "SELECT name FROM unnest(CAST(:names AS text[])) name WHERE has_table_privilege(session_user, name, 'UPDATE, DELETE, TRUNCATE')"
    there = [name for name in TABLES if connection.execute(text("SELECT to_regclass(:name)"), {"name": name}).scalar()][:1]
    if there and (table := connection.execute(text(may), {"names": list(TABLES)}).first()) is not None:
        raise _too_much(f"the role {role!r} may change or delete rows of {table.name}")


def _too_much(what: str) -> UsageError:
    return UsageError(
        f"{what}: organisations would not be kept apart, and the program does not start",
        where=WHERE,
        remedy="Use the role that `trustops storage migrate --role NAME` makes.",
    )


def _refuse_other_schemas(connection: Connection) -> None:
    known = connection.execute(text("SELECT to_regclass('alembic_version')")).scalar()
    version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
    if version is not None and version > HEAD:
        raise newer(version, WHERE)
    if version != HEAD:
        what = "the database has no tables of ours" if version is None else f"the database is of an older version (schema {version})"
        raise UsageError(what, where=WHERE, remedy=MIGRATE)


def _refuse_open_tables(connection: Connection) -> None:
    query = "SELECT relname FROM pg_class WHERE oid = ANY(CAST(:names AS regclass[])) AND NOT (relrowsecurity AND relforcerowsecurity)"
    bare = [row.relname for row in connection.execute(text(query), {"names": list(TABLES)})]
    if shown := bare or open_tables(connection, TABLES):
        raise UsageError(f"row-level security does not guard {', '.join(shown)}", where=WHERE, remedy=MIGRATE)


def schema_version(engine: Engine) -> str:
    """The schema that the database has now: another process may have migrated it."""
    with engine.connect() as connection:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar())


def migrate(address: str, role: str) -> str:
    """Makes or updates the tables as their owner, makes the role where it is missing, and grants it what the program needs. The schema.

    An existing role keeps its password and how it signs in. Raises UsageError where the role is a superuser or may bypass policies.
    """
    engine = create_engine(url_of(address), connect_args={"connect_timeout": CONNECT_S, "application_name": "trustops migrate"})
    translate(engine, lambda raised: fault_in_postgres(raised, WHERE))
    try:
        with engine.connect() as connection, connection.begin():
            known = connection.execute(text("SELECT to_regclass('alembic_version')")).scalar()
            version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
            if version is not None and version > HEAD:
                raise newer(version, WHERE)
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtextextended('trustops migrate', 0))")
            upgrade(connection)
            _make_role(connection, role)
    except DBAPIError as bad:
        remedy = "Run it as the database's owner, with the right to make roles, or make the role before."
        raise UsageError(f"the database cannot be migrated ({_first_line(bad)})", where=WHERE, remedy=remedy) from bad
    finally:
        engine.dispose()
    return HEAD


def _make_role(connection: Connection, role: str) -> None:
    found = connection.execute(text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = :role"), {"role": role}).first()
    if found is not None and found[0]:
        raise _too_much(f"the role {role!r} is a superuser or may bypass row-level security")
    quoted = connection.dialect.identifier_preparer.quote_identifier(role)
    if found is None:
        connection.exec_driver_sql(f"CREATE ROLE {quoted} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS")
    for statement in granted(quoted):
        connection.exec_driver_sql(statement)
    if connection.execute(text("SELECT current_setting('server_version_num')::int")).scalar_one() >= 170000:
        connection.exec_driver_sql(f"GRANT MAINTAIN ON audit_payloads, approvals, withdrawals TO {quoted}")


def sessions(engine: Engine, org: str = "") -> Callable[..., AbstractContextManager[Any]]:
    """What opens a transaction on the driver's own connection, out of the pool that the ledger uses: for the index and the engine, whose
    tables are no ledger. With `org` it is that organisation's; `reading=True` is one moment's view. It commits, or leaves nothing."""
    mine = engine.execution_options(org=org) if org else engine

    @contextmanager
    def opened(*, reading: bool = False) -> Iterator[Any]:
        with mine.connect().execution_options(reading=reading) as connection, connection.begin():
            try:
                yield connection.connection.driver_connection
            except psycopg.Error as raised:
                fault = _noted(raised)
                if fault is None:
                    raise
                raise fault from raised

    return opened


def _first_line(bad: DBAPIError) -> str:
    return str(bad.orig).strip().splitlines()[0]
