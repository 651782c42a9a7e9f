"""The dossier: a question's case file. It is sealed at compare; nothing may be cited that is not in it."""

from __future__ import annotations

from functools import cached_property

from trustops.domain.base import Noun
from trustops.domain.chain import digest
from trustops.domain.control import ControlReading
from trustops.domain.evidence import Classification, Passage, PriorAnswer
from trustops.domain.question import Question


class Dossier(Noun):
    """Passages, earlier answers and control readings of one organisation for one question."""

    question: Question
    asks: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    prior_answers: tuple[PriorAnswer, ...] = ()
    readings: tuple[ControlReading, ...] = ()

    @cached_property
    def exhibits(self) -> dict[str, Passage | PriorAnswer | ControlReading]:
        """Every exhibit by id."""
        held: list[Passage | PriorAnswer | ControlReading] = [*self.passages, *self.prior_answers, *self.readings]
        return {exhibit.id: exhibit for exhibit in held}

    @cached_property
    def digest(self) -> str:
        """Over ids and hashes, so that the same evidence gives the same seal."""
        return digest(
            {
                "question": self.question.text,
                "asks": list(self.asks),
                "passages": sorted(f"{p.id}:{p.sha256}" for p in self.passages),
                "prior_answers": sorted(f"{a.id}:{a.sha256}" for a in self.prior_answers),
                "readings": sorted(f"{r.id}:{r.evaluation.value}" for r in self.readings),
            }
        )

    def for_models(self) -> Dossier:
        """Without restricted text, which is sent to no model though compare reads it."""
        shown = tuple(p for p in self.passages if p.document.classification is not Classification.RESTRICTED)
        return self.model_copy(update={"passages": shown})


def exhibit_text(exhibit: Passage | PriorAnswer | ControlReading) -> str:
    """The text that a quote must occur in. An earlier answer's own question is not part of it (invariant 3)."""
    if isinstance(exhibit, Passage):
        return exhibit.text
    return exhibit.answer if isinstance(exhibit, PriorAnswer) else exhibit.says


def exhibit_place(exhibit: Passage | PriorAnswer | ControlReading) -> tuple[str, str]:
    """File and locator of an exhibit, for people."""
    if isinstance(exhibit, Passage):
        return exhibit.document.path, exhibit.locator
    if isinstance(exhibit, PriorAnswer):
        return exhibit.file, exhibit.locator
    return f"control {exhibit.control.id}", f"snapshot {exhibit.snapshot.version}" if exhibit.snapshot else "no snapshot"
