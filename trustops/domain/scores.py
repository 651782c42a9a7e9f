"""What the books keep of scores: evaluations and rubrics as the protocol writes them, keys that are trusted, records of trust.

Nothing here knows a formula, so that the books and the ports need none, and no way leads from the gate to a score.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, JsonValue

from trustops.domain.base import Noun

OWN = ""
"""The source of an organisation's own evaluations; every other source is the name of another organisation."""
EVALUATION = "EVALUATION"
"""The mode of what an evaluation graded: apart from both modes of product runs, LIVE_AI and TEST, whoever served it."""
TRUST_CHAIN = "trust"
BREAKS = 5


class Composite(NamedTuple):
    """What counts of one evaluation, `at` in milliseconds since 1970."""

    id: str
    agent: str
    source: str
    mode: str
    model: str
    rubric: str
    composite: float
    at: int
    seal: str


class KeptEvaluation(Noun):
    """One evaluation on record. `mode` and `origin` say who served what was judged, `source` whose evaluation it is, `about` what was
    judged.

    `body` is the evaluation in the protocol's form, `envelope` the DSSE envelope over all of it, empty where there is no key. `seal` is the
    store's own: it covers every field by which evaluations are counted, which the protocol's signature does not.
    """

    id: str
    agent: str
    source: str = OWN
    mode: str
    origin: str
    model: str = ""
    rubric: str
    composite: float
    at: int
    run: str = ""
    about: str
    body: dict[str, JsonValue]
    envelope: str = ""
    key: str = ""
    """Fingerprint of the key that signed the envelope."""
    seal: str

    @property
    def counted(self) -> Composite:
        """The fields that a reputation reads."""
        return Composite(self.id, self.agent, self.source, self.mode, self.model, self.rubric, self.composite, self.at, self.seal)


def seal_text(of: Composite) -> str:
    """What a seal is over. No field but the seal itself is left out; none can hold the line break between them unseen: it is escaped."""
    text = f"{of.id}\n{of.agent}\n{of.source}\n{of.mode}\n{of.model}\n{of.rubric}"
    if "\\" in text or text.count("\n") != BREAKS:
        named = (of.id, of.agent, of.source, of.mode, of.model, of.rubric)
        text = "\n".join(part.replace("\\", "\\\\").replace("\n", "\\n") for part in named)
    return f"{text}\n{of.composite.hex()}\n{of.at}"


class TrustRow(NamedTuple):
    """One record of the trust chain as it stands in the file, unchecked. `body` is its payload in RFC 8785 form, over which
    `payload_sha256` is."""

    seq: int
    prev: str
    at: str
    kind: str
    subject: str
    payload_sha256: str
    hash: str
    body: str


class KeptRubric(Noun):
    """A rubric by id and version, whole. A new version is another row: it never rescores what an older one judged."""

    id: str
    version: str
    name: str
    body: dict[str, JsonValue]


class Revocation(Noun):
    """That a key is trusted no more: who said so, when and why. It stands for good; the other side makes a new key."""

    fingerprint: str
    by: str
    at: str
    reason: str = Field(min_length=1, max_length=500)


class TrustedKey(Noun):
    """A public key whose evaluations are taken in, and for which organisation alone it may sign. What came in under a `revoked` one stays
    readable and counts in nothing."""

    fingerprint: str
    organisation: str = Field(min_length=1)
    public_key: str
    at: str
    revoked: Revocation | None = None
