"""Secrets are taken out by their value, and by its base64 and URL forms: a pattern knows the keys of today's providers, a value is itself.

Where text leaves or is kept that others had a hand in: replies of providers, messages of failures, what the terminal shows.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from urllib.parse import quote

SHORTEST = 6
"""Characters; a shorter value would blot out words that are no secret."""
BLOT = "[secret]"


class Redactor:
    """Blots out registered values. Longer forms first, so that none is left in pieces."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __call__(self, text: str) -> str:
        """The text without them; the same object where it holds none."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, BLOT)
        return text


def _forms(secret: str) -> set[str]:
    """The value as it is, URL-encoded, and as the middle of a base64 text at each of its three offsets."""
    raw = secret.encode()
    forms = {secret, quote(secret, safe=""), quote(secret)}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for offset in range(3):
            coded = encode(b"\0" * offset + raw).decode().rstrip("=")
            skipped = (0, 2, 3)[offset]
            forms.add(coded[skipped : len(coded) - (0 if (len(raw) + offset) % 3 == 0 else 1)])
    return {form for form in forms if len(form) >= SHORTEST}
