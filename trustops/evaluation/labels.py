"""Labelled sentences and pairs: the shape of `tests/data/facts/schema.json`, held strictly, and every error with its line.

An unknown key is an error, as is a span that does not quote the text. Only this room opens such files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from trustops.domain.errors import MalformedFile
from trustops.evaluation.lined import first_error, line_of, parsed

Comparator = Literal["at_least", "at_most", "less_than", "more_than", "exactly", "about", "between"]
Number = Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]
Unit = Annotated[
    str,
    Field(pattern=r"^(second|minute|hour|day|business_day|week|month|quarter|year|percent|character|bit|count:[a-z_]+)$"),
]
_POINT = r"\d{4}(-(\d{2}(-\d{2})?|Q[1-4]|H[12]))?"
_GROUPS = "all_workforce|employees|contractors|administrators|privileged_users|all_customers|production_systems|all_systems|endpoints"
Words = Annotated[str, Field(min_length=1)]
Doc = Literal[
    "policy", "standard", "procedure", "audit_report", "pen_test", "certificate", "contract", "diagram", "record", "prior_answer",
    "questionnaire",
]  # fmt: skip
Verdict = Literal["PROVES", "OPPOSES", "SILENT"]


class Shape(BaseModel):
    """Closed, frozen and strict: a number where a text is due is an error, not a text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Spanned(Shape):
    """What every label has: half-open code point offsets, and the characters that stand there."""

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    surface: Words


class Quantity(Spanned):
    kind: Literal["quantity"]
    comparator: Comparator
    value: list[Number] = Field(min_length=1, max_length=2)
    unit: Unit
    ratio: Literal[True] | None = None


class Frequency(Spanned):
    kind: Literal["frequency"]
    comparator: Literal["at_least", "at_most", "exactly", "about"]
    every: str = Field(pattern=r"^P(\d+[YMWD]|T\d+[HMS])$")


class Deadline(Spanned):
    kind: Literal["deadline"]
    comparator: Comparator
    value: list[Number] = Field(min_length=1, max_length=2)
    unit: Unit
    event: Words
    direction: Literal["after", "before"]


class Version(Spanned):
    kind: Literal["version"]
    comparator: Comparator
    value: str = Field(pattern=r"^[0-9A-Za-z.]+(\.\.[0-9.]+)?$")
    product: Words


class Standard(Spanned):
    kind: Literal["standard"]
    name: Words
    strength: str | None


class Scope(Spanned):
    kind: Literal["scope"]
    coverage: Literal["all", "only", "some", "none", "except", "not_stated"]
    canonical: str = Field(pattern=rf"^({_GROUPS}|region:(EU|EEA|[A-Z]{{2}})|product:.+|not_stated)$")
    who: Words


class Negation(Spanned):
    kind: Literal["negation"]
    denied: bool
    negated: str | None


class Modality(Spanned):
    kind: Literal["modality"]
    value: Literal["fact", "policy", "recommendation", "permission", "plan", "past", "conditional"]


class Exclusion(Spanned):
    kind: Literal["exception"]


class Date(Spanned):
    kind: Literal["date"]
    value: str = Field(pattern=rf"^(ambiguous|{_POINT}(/{_POINT})?)$")
    role: Literal["issued", "expires", "effective", "observed", "due", "unknown"]
    ambiguous: Literal[True] | None = None
    readings: list[Annotated[str, Field(pattern=rf"^{_POINT}$")]] | None = None


class Attribution(Spanned):
    kind: Literal["attribution"]
    value: Literal["self", "subcontractor", "affiliate", "other_product", "customer", "draft"]


class Absolute(Spanned):
    kind: Literal["absolute"]
    value: Literal["all", "every", "always", "never", "none", "full", "hundred_percent", "no_exception"]


Label = Annotated[
    Quantity | Frequency | Deadline | Version | Standard | Scope | Negation | Modality | Exclusion | Date | Attribution | Absolute,
    Field(discriminator="kind"),
]


class LabelledSentence(Shape):
    """One sentence, the kind of document it stands in, and its labels."""

    id: str = Field(pattern=r"^[su]-(en|zh)-\d{3}$")
    lang: Literal["en", "zh"]
    doc: Doc
    text: Words
    facts: list[Label]

    @model_validator(mode="after")
    def _quoted(self) -> Self:
        for label in self.facts:
            if self.text[label.start : label.end] != label.surface:
                raise ValueError(f"{self.id}: {label.surface!r} does not stand at {label.start}:{label.end} of the text")
        return self


class LabelledSentences(Shape):
    half: Literal["seen", "unseen"]
    meta: dict[str, list[str]]
    sentences: list[LabelledSentence]


class LabelledPair(Shape):
    """A quote, what an answer would say, and what the quote says about that."""

    id: str = Field(pattern=r"^i[su]-\d{3}$")
    half: Literal["seen", "unseen"] | None = None
    lang: Literal["en", "zh", "mixed"]
    topic: str
    premise: str
    claim: str
    relation: Verdict
    reason: str
    doubtful: Literal[True] | None = None


class LabelledPairs(Shape):
    half: Literal["seen", "unseen"] | None = None
    meta: dict[str, list[str]]
    pairs: list[LabelledPair]


File = TypeVar("File", LabelledSentences, LabelledPairs)
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BASE):  # type: ignore[misc]
    """YAML in which a date and `1.2` stay the texts they are."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in entries if tag.rpartition(":")[2] not in ("timestamp", "float")]
    for first, entries in _BASE.yaml_implicit_resolvers.items()
}


def load_labels(path: Path, shape: type[File]) -> File:
    """The labels of a file. Raises UsageError or MalformedFile, which names the line and the first thing that is wrong."""
    node, data = parsed(path, _Loader)
    try:
        return shape.model_validate(data)
    except ValidationError as bad:
        place, told = first_error(bad)
        name = ".".join(str(part) for part in place) or "the file"
        where = f"{path.name}, line {line_of(node, place)}"
        raise MalformedFile(f"{name}: {told}", where=where, remedy="The shape is tests/data/facts/schema.json.") from bad
