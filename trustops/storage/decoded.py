"""Rows that become nouns when somebody looks: a review has a thousand records, and an approval reads one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from trustops.domain.answer import AnswerVersion
from trustops.domain.approval import Approval
from trustops.ports import QuestionRecord, StoredReview

K = TypeVar("K")
R = TypeVar("R")
N = TypeVar("N")

LAST_LOOKED_AT = 2_000
LAST_RECORDS = 600


@lru_cache(maxsize=LAST_LOOKED_AT)
def answer_of(body: str) -> AnswerVersion:
    """A version by the text of its row. The same text is the same noun, and nouns do not change; another text is read anew."""
    return AnswerVersion.model_validate_json(body)


@lru_cache(maxsize=LAST_LOOKED_AT)
def approval_of(body: str) -> Approval:
    """An approval or rejection by the text of its row."""
    return Approval.model_validate_json(body)


@lru_cache(maxsize=64)
def review_of(body: str) -> StoredReview:
    """A review with its questions by the text of its row: a large questionnaire is megabytes of JSON, and every page asks for it."""
    return StoredReview.model_validate_json(body)


@lru_cache(maxsize=LAST_RECORDS)
def record_of(body: str) -> QuestionRecord:
    """What an attempt concluded by the text of its row. A dossier is large, so fewer of them are kept."""
    return QuestionRecord.model_validate_json(body)


class Decoded(Mapping[K, N], Generic[K, R, N]):
    """Nouns by key, each decoded from its row at the first look and kept. A row that is none raises then, and not before."""

    def __init__(self, rows: Mapping[K, R], decode: Callable[[R], N]) -> None:
        self._rows, self._decode = rows, decode
        self._nouns: dict[K, N] = {}

    def __getitem__(self, key: K) -> N:
        if key not in self._nouns:
            self._nouns[key] = self._decode(self._rows[key])
        return self._nouns[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows
