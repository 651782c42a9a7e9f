"""What many machines share on PostgreSQL: the full-text index, and the tables of the engine. A file of SQLite needs neither.

They are no ledger: an index is rebuilt from the evidence, and the engine's rows are about work that goes on now. The index has a policy
as every table of the ledger; the engine's tables are all workers' and hold keys, digests, numbers and instants alone.
"""

from alembic import op

from trustops.storage.rowlevel import policed

revision = "0011"
down_revision = "0010"

INDEX = (
    "CREATE SCHEMA IF NOT EXISTS trustops_index",
    """CREATE TABLE trustops_index.meta (org text COLLATE "C" NOT NULL, key text NOT NULL, value text NOT NULL, PRIMARY KEY (org, key))""",
    """CREATE TABLE trustops_index.document (org text COLLATE "C" NOT NULL, number integer NOT NULL, noun text NOT NULL,
        PRIMARY KEY (org, number))""",
    """CREATE TABLE trustops_index.passage (org text COLLATE "C" NOT NULL, number integer NOT NULL, id text COLLATE "C" NOT NULL,
        document integer NOT NULL, noun text NOT NULL, words tsvector NOT NULL, length integer NOT NULL,
        PRIMARY KEY (org, number), UNIQUE (org, id))""",
    """CREATE TABLE trustops_index.prior (org text COLLATE "C" NOT NULL, number integer NOT NULL, noun text NOT NULL,
        words tsvector NOT NULL, length integer NOT NULL, PRIMARY KEY (org, number))""",
    """CREATE TABLE trustops_index.term (org text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, term text COLLATE "C" NOT NULL,
        held integer NOT NULL, PRIMARY KEY (org, kind, term))""",
)
ENGINE = (
    "CREATE SCHEMA IF NOT EXISTS trustops_engine",
    """CREATE TABLE trustops_engine.workers (id text PRIMARY KEY, name text NOT NULL, version text NOT NULL, since timestamptz NOT NULL,
        seen timestamptz NOT NULL, lease_s double precision NOT NULL, draining boolean NOT NULL DEFAULT false)""",
    "CREATE TABLE trustops_engine.holds (org text NOT NULL, run text NOT NULL, worker text NOT NULL, PRIMARY KEY (org, run))",
    """CREATE TABLE trustops_engine.tasks (org text NOT NULL, run text NOT NULL, question text NOT NULL, attempt integer NOT NULL,
        place integer NOT NULL, version text NOT NULL, state text NOT NULL DEFAULT 'WAITING', worker text, tries integer NOT NULL DEFAULT 0,
        begun integer NOT NULL DEFAULT 0, kept integer NOT NULL DEFAULT 0,
        PRIMARY KEY (org, run, question))""",
    "CREATE INDEX tasks_waiting ON trustops_engine.tasks (org, place) WHERE state = 'WAITING'",
    "CREATE INDEX tasks_taken ON trustops_engine.tasks (worker) WHERE state = 'TAKEN'",
    """CREATE TABLE trustops_engine.paces (key text NOT NULL, ticket bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL,
        tokens integer NOT NULL, PRIMARY KEY (key, ticket))""",
    "CREATE TABLE trustops_engine.purses (org text NOT NULL, review text NOT NULL, spent numeric NOT NULL, PRIMARY KEY (org, review))",
    """CREATE TABLE trustops_engine.purse_holds (org text NOT NULL, review text NOT NULL, worker text NOT NULL, held numeric NOT NULL,
        PRIMARY KEY (org, review, worker))""",
)
INDEXED = ("meta", "document", "passage", "prior", "term")


def upgrade() -> None:
    """The schemas of the index and of the engine."""
    bind = op.get_bind()
    if bind.dialect.name != "postgresql":
        return
    for statement in (*INDEX, *ENGINE, *(each for name in INDEXED for each in policed(f"trustops_index.{name}"))):
        bind.exec_driver_sql(statement)
