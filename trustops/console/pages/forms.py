"""What a form sends. Fields that nobody knows are refused, so that a misspelled one is never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import UploadFile
from starlette.requests import Request

from trustops.console.forms import FIELD, form_of
from trustops.console.problems import Problem

MOST = 128 * 1024
"""Bytes of a form: an edited answer with a hundred cited exhibits is far smaller."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form in the order in which they came, and the files that were chosen."""

    fields: tuple[tuple[str, str], ...]
    files: Mapping[str, UploadFile]

    def one(self, name: str) -> str:
        """The last value of a field without white space around it, empty where it was not sent."""
        return next((value.strip() for field, value in reversed(self.fields) if field == name), "")

    def every(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        return tuple(value for field, value in self.fields if field == name)

    def needed(self, name: str, said: str) -> str:
        """The value of a field that must be there. Raises Problem 422 in the words of `said`."""
        value = self.one(name)
        if not value:
            raise Problem(422, said, where=name, remedy="Go back, fill it in, and send the form again.")
        return value

    def file(self, name: str, most: int, said: str) -> UploadFile:
        """A file that must be there. Raises Problem 422 in the words of `said`, 413 where it is larger than `most` bytes."""
        found = self.files.get(name)
        if found is None:
            raise Problem(422, said, where=name, remedy="Go back and choose it.")
        if (found.size or 0) > most:
            raise Problem(413, f"the file is larger than {most // 1024} KB", where=name, remedy="Choose a smaller one.")
        return found


async def form(request: Request, *known: str, files: tuple[str, ...] = ()) -> Form:
    """The form of a request. Raises Problem 422 where it has a field that is not `known` here."""
    sent = await form_of(request, files=len(files))
    if unknown := sorted(set(sent) - {*known, *files, FIELD}):
        raise Problem(
            422, "the form has a field that is not known here", where=unknown[0][:60], remedy="Reload the page and send it again."
        )
    fields = tuple((name, value.replace("\r\n", "\n")) for name, value in sent.multi_items() if isinstance(value, str))
    chosen = {name: value for name, value in sent.multi_items() if isinstance(value, UploadFile) and value.filename and name in files}
    return Form(fields, chosen)


def flash(request: Request, sentences: Mapping[str, str]) -> str:
    """What the address says was done: a sentence of ours by its name, nothing where the name is not known."""
    return sentences.get(request.query_params.get("done", ""), "")
