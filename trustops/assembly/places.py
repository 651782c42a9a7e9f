"""Where books, index and engine are: in files of the workspace, or in a database that many machines share."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trustops import settings
from trustops.domain.chain import digest
from trustops.domain.errors import UsageError
from trustops.ports import Engine, EvidenceIndex
from trustops.roster import Roster
from trustops.settings import Profile, Settings

if TYPE_CHECKING:
    from trustops.engine.presence import Presence
    from trustops.retrieval.index import Index
    from trustops.storage.ledger import OrganisationLedger


def books_of(chosen: Settings) -> OrganisationLedger:
    """The organisation's ledger: in the shared database where the settings name one, else in its file."""
    from trustops.storage.ledger import open_ledger, open_shared

    if chosen.database:
        return open_shared(chosen.database, chosen.organisation.id, pool=chosen.storage.pool)
    return open_ledger(chosen.state / f"{chosen.organisation.id}.db", chosen.organisation.id)


def migrate_storage(address: str, role: str) -> str:
    """The tables of a shared database in their newest form, and the role that the program works with; the schema's version."""
    from trustops.storage.postgres import migrate

    return migrate(address, role)


def index_of(chosen: Settings, ledger: OrganisationLedger) -> EvidenceIndex:
    """The index, where the ledger is. In a shared database words alone are searched: every machine must find the same."""
    if chosen.database:
        from trustops.retrieval.shared import SharedIndex
        from trustops.storage.postgres import sessions

        if chosen.embeddings == "on":
            remedy = "Leave [retrieval] embeddings at auto or off."
            raise UsageError("meanings are not searched in a shared database", where="trustops.toml", remedy=remedy)
        return SharedIndex(sessions(ledger.engine, ledger.org))
    from trustops.retrieval.index import Index

    return with_meanings(chosen, Index(chosen.state / f"{chosen.organisation.id}.index.db"))


def with_meanings(chosen: Settings, index: Index) -> EvidenceIndex:
    """The index that also finds what says the same in other words, where the extra `embeddings` is installed and not switched off."""
    from trustops.retrieval import embedding

    if chosen.embeddings == "off" or (chosen.embeddings == "auto" and not embedding.installed()):
        return index
    from trustops.retrieval.fusion import FusedIndex

    return FusedIndex(index, chosen.state / f"{chosen.organisation.id}.vectors.db", embedding.Embedder())


def engine_for(chosen: Settings, ledger: OrganisationLedger, edition: str, *, durable: bool, called: str = "") -> Engine:
    """What runs questions: the engine of many machines on a shared database, the durable engine beside the ledger's file, or the one
    without a journal."""
    if not durable:
        from trustops.engine.inline import InlineEngine

        return InlineEngine()
    from trustops.storage.journal import Replies

    replies = Replies(ledger.engine, ledger.org)
    if chosen.database:
        from trustops.engine.shared import SharedEngine
        from trustops.storage.postgres import outages

        return SharedEngine(presence_of(chosen, called), ledger.org, replies, edition, outages)
    from trustops.engine.durable import DurableEngine

    return DurableEngine(chosen.state, ledger.org, replies)


def edition_of(chosen: Settings, name: str, profile: Profile, known: Roster, gate: str) -> str:
    """What two workers must have in common to answer questions of one run: the program, its rules, the prompts, the skills, the model."""
    from trustops import __version__

    told = [chosen.organisation.id, name, profile.model_dump(mode="json"), __version__, gate]
    prompts = sorted(f"{each.name} {each.digest}" for each in known.prompts.values())
    skills = sorted(f"{each.name} {each.digest}" for each in known.skills.values())
    return digest([*told, prompts, skills])[:32]


def presence_of(chosen: Settings, name: str = "") -> Presence:
    """This process among the workers of a database; one, whatever it works on."""
    return _presence(chosen.database, chosen.storage.pool, chosen.storage.lease_s, name, settings.process())


@lru_cache(maxsize=4)
def _presence(address: str, pool: int, lease_s: float, name: str, process: int) -> Presence:
    from trustops import __version__
    from trustops.engine.presence import Presence
    from trustops.storage.postgres import open_engine, sessions

    del process  # a forked child is a worker of its own
    return Presence(sessions(open_engine(address, pool=pool)), lease_s=lease_s, version=__version__, name=name or settings.machine())
