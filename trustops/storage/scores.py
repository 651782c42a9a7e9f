"""Evaluations of agents, the rubrics they were judged by, keys of other organisations, and the chain of trust records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Row, select

from trustops.domain.chain import canonical, genesis, link, sha256
from trustops.domain.scores import TRUST_CHAIN, Composite, KeptEvaluation, KeptRubric, Revocation, TrustedKey, TrustRow
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

E, R = t.evaluations.c, t.trust_records.c
REVOKED = select(t.key_revocations.c.fingerprint).where(t.key_revocations.c.org == ORG)
COUNTED = select(E.id, E.agent, E.source, E.mode, E.model, E.rubric, E.composite, E.at, E.seal).where(
    t.evaluations.c.org == ORG, E.key.not_in(REVOKED)
)
COUNTED_OF = COUNTED.where(E.agent == given("agent"))
EVALUATIONS = select(t.evaluations).where(t.evaluations.c.org == ORG).order_by(E.at, E.id)
EVALUATIONS_OF = EVALUATIONS.where(E.agent == given("agent"))
NEWEST_OF = EVALUATIONS_OF.order_by(None).order_by(E.at.desc(), E.id).limit(given("most"))
EVALUATION = EVALUATIONS.where(E.id == given("id"))
RUBRICS = select(t.rubrics.c.body, t.rubrics.c.id, t.rubrics.c.version, t.rubrics.c.name).where(t.rubrics.c.org == ORG)
RUBRIC = RUBRICS.where(t.rubrics.c.id == given("id"), t.rubrics.c.version == given("version"))
KEYS = select(t.trusted_keys.c.body).where(t.trusted_keys.c.org == ORG).order_by(t.trusted_keys.c.fingerprint)
KEY = KEYS.where(t.trusted_keys.c.fingerprint == given("fingerprint"))
REVOCATIONS = select(t.key_revocations.c.body).where(t.key_revocations.c.org == ORG)
REVOCATION = REVOCATIONS.where(t.key_revocations.c.fingerprint == given("fingerprint"))
RECORDS = (
    select(R.seq, R.prev, R.at, R.kind, R.subject, R.payload_sha256, R.hash, R.body).where(t.trust_records.c.org == ORG).order_by(R.seq)
)
RECORDS_OF = RECORDS.where(R.subject == given("subject"))
LAST_RECORD = select(R.seq, R.hash).where(t.trust_records.c.org == ORG).order_by(R.seq.desc()).limit(1)
AT_ONCE = 5_000
"""Rows held at one time: what is counted may be more than fits."""


class ScoreLedger(Book):
    """Evaluations by id, and one chain of trust records over all subjects."""

    def append_evaluations(self, kept: Sequence[KeptEvaluation]) -> int:
        """How many are new. Nothing changes for one that is on record just so; another one of the same id is refused by the key
        (Overtaken), and then none is appended."""
        with self.writing():
            new = [each for each in kept if self.get_evaluation(each.id) != each]
            rows = [{**each.model_dump(exclude={"body"}), "body": json.dumps(each.body, ensure_ascii=False)} for each in new]
            self.add_all(t.evaluations, rows)
            return len(new)

    def get_evaluation(self, id: str) -> KeptEvaluation | None:
        found = self.all(EVALUATION, id=id)
        return _evaluation(found[0]) if found else None

    def evaluations(self, agent: str = "") -> Iterator[KeptEvaluation]:
        """Whole evaluations, of one agent or of all, oldest first, without holding them all."""
        yield from map(_evaluation, self._each(EVALUATIONS_OF, agent=agent) if agent else self._each(EVALUATIONS))

    def newest_evaluations(self, agent: str, most: int) -> tuple[KeptEvaluation, ...]:
        """Whole evaluations of one agent, newest first, so many at most."""
        return tuple(map(_evaluation, self.all(NEWEST_OF, agent=agent, most=most)))

    def composites(self, agent: str = "") -> Iterator[Composite]:
        """What counts of each evaluation, in no order, without holding them all."""
        found = self._each(COUNTED_OF, agent=agent) if agent else self._each(COUNTED)
        yield from map(Composite._make, found)

    def append_rubric(self, rubric: KeptRubric) -> bool:
        """False where this version of it is on record already; nothing changes then."""
        with self.writing():
            if self.all(RUBRIC, id=rubric.id, version=rubric.version):
                return False
            self.add(t.rubrics, id=rubric.id, version=rubric.version, name=rubric.name, body=json.dumps(rubric.body, ensure_ascii=False))
            return True

    def rubrics(self) -> tuple[KeptRubric, ...]:
        """All versions of all rubrics that something was judged by, by name."""
        found = [KeptRubric(id=row.id, version=row.version, name=row.name, body=json.loads(row.body)) for row in self.all(RUBRICS)]
        return tuple(sorted(found, key=lambda each: (each.name, each.version, each.id)))

    def append_trusted_key(self, key: TrustedKey) -> bool:
        """False where the key is trusted already; nothing changes then."""
        with self.writing(durable=True):
            if self.all(KEY, fingerprint=key.fingerprint):
                return False
            body = key.model_dump_json(exclude={"revoked"})
            self.add(t.trusted_keys, fingerprint=key.fingerprint, organisation=key.organisation, body=body)
            return True

    def append_revocation(self, revocation: Revocation) -> bool:
        """False where the key was revoked before; the first one stands. Evaluations under it leave `composites` with it."""
        with self.writing(durable=True):
            if self.all(REVOCATION, fingerprint=revocation.fingerprint):
                return False
            self.add(t.key_revocations, fingerprint=revocation.fingerprint, body=revocation.model_dump_json())
            return True

    def trusted_keys(self) -> tuple[TrustedKey, ...]:
        """Every key that was ever trusted, with its revocation where there is one."""
        revoked = {found.fingerprint: found for found in (Revocation.model_validate_json(row.body) for row in self.all(REVOCATIONS))}
        keys = [TrustedKey.model_validate_json(row.body) for row in self.all(KEYS)]
        return tuple(key.model_copy(update={"revoked": revoked.get(key.fingerprint)}) for key in keys)

    def append_trust(self, subject: str, payload: Mapping[str, JsonValue], *, at: datetime) -> TrustRow:
        """The next record of the trust chain; number and predecessor are taken under the write lock."""
        with self.writing():
            last = self.all(LAST_RECORD)
            seq, prev = (last[0].seq + 1, str(last[0].hash)) if last else (1, genesis(self.org, TRUST_CHAIN))
            body, when, kind = canonical(dict(payload)), at.astimezone(UTC).isoformat(), "assessed"
            told = sha256(body)
            hashed = link(chain=TRUST_CHAIN, seq=seq, prev=prev, at=when, kind=kind, actor=subject, payload_sha256=told)
            row = TrustRow(seq, prev, when, kind, subject, told, hashed, body.decode())
            self.add(t.trust_records, **row._asdict())
        return row

    def trust_records(self, subject: str = "") -> Iterator[TrustRow]:
        """The chain as it stands in the file, or one subject's part of it, without holding it all."""
        found = self._each(RECORDS_OF, subject=subject) if subject else self._each(RECORDS)
        yield from map(TrustRow._make, found)

    def _each(self, query: Any, **values: Any) -> Iterator[Row[Any]]:
        with self._connection() as connection:
            yield from connection.execute(query.execution_options(yield_per=AT_ONCE), {"org": self.org, **values})


def _evaluation(row: Row[Any]) -> KeptEvaluation:
    kept = {name: row._mapping[name] for name in KeptEvaluation.model_fields}
    return KeptEvaluation.model_validate({**kept, "body": json.loads(row.body)})
