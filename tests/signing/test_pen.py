"""Harm: a statement is taken as signed that is not, a derived secret gives the key away or changes, the seals' secret is drawn twice."""

from __future__ import annotations

import base64
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trustops.domain.chain import canonical
from trustops.domain.errors import UsageError
from trustops.signing.bundle import CanonicalBundles
from trustops.signing.keys import KeyRing
from trustops.signing.seal import SealFile

STATEMENT = canonical({"said": "so it is"})


def test_what_a_pen_signs_opens_with_its_key_alone(tmp_path: Path) -> None:
    ours, theirs = KeyRing(tmp_path / "a"), KeyRing(tmp_path / "b")
    assert ours.pen() is None
    ours.create()
    theirs.create()
    pen, other = ours.pen(), theirs.pen()
    assert pen is not None
    assert other is not None
    envelope = pen.envelope(STATEMENT)
    assert CanonicalBundles().opened(envelope, pen.public_key) == STATEMENT
    assert pen.envelope(STATEMENT) == envelope
    with pytest.raises(ValueError, match="another key"):
        CanonicalBundles().opened(envelope, other.public_key)
    with pytest.raises(ValueError, match="PEM"):
        CanonicalBundles().opened(envelope, b"no key")


@pytest.mark.parametrize("what", ["payload", "sig", "type", "second signature", "spaces", "nothing"])
def test_an_envelope_that_was_touched_does_not_open(what: str, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.create()
    pen = ring.pen()
    assert pen is not None
    found = json.loads(pen.envelope(STATEMENT))
    if what == "payload":
        found["payload"] = base64.b64encode(canonical({"said": "otherwise"})).decode()
    elif what == "sig":
        found["signatures"][0]["sig"] = base64.b64encode(bytes(64)).decode()
    elif what == "type":
        found["payloadType"] = "text/plain"
    elif what == "second signature":
        found["signatures"] *= 2
    data = b"{}" if what == "nothing" else json.dumps(found).encode() if what == "spaces" else canonical(found)
    with pytest.raises(ValueError, match=r"."):
        CanonicalBundles().opened(data, pen.public_key)


def test_a_derived_secret_is_the_same_for_its_purpose_and_no_other(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.create()
    pen, again = ring.pen(), ring.pen()
    assert pen is not None
    assert again is not None
    assert pen.secret("a") == again.secret("a")
    assert pen.secret("a") != pen.secret("b")
    assert pen.secret("a") not in (tmp_path / f"{pen.fingerprint[:16]}.private.pem").read_text("ascii")
    ring.rotate()
    turned = ring.pen()
    assert turned is not None
    assert turned.secret("a") != pen.secret("a")


def test_many_who_ask_at_once_are_given_one_secret(tmp_path: Path) -> None:
    seal = SealFile(tmp_path / "score.secret")
    with ThreadPoolExecutor(8) as pool:
        given = set(pool.map(lambda _: SealFile(tmp_path / "score.secret").text(), range(32)))
    assert given == {seal.text()}
    assert stat.S_IMODE((tmp_path / "score.secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["score.secret"]


def test_a_secret_that_is_cut_short_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "score.secret").write_text("ab", encoding="ascii")
    (tmp_path / "score.secret").chmod(0o600)
    with pytest.raises(UsageError, match="damaged"):
        SealFile(tmp_path / "score.secret").text()
