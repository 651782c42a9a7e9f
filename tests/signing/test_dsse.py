"""Harm: a signature over one thing is read as one over another. The vector is that of RFC 8032, section 7.1, and of DSSE's protocol.md."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from trustops.ports import Signed
from trustops.signing import dsse, ed25519
from trustops.signing.bundle import CanonicalBundles, sealed

SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


def der(prefix: str, key: bytes) -> str:
    return base64.b64encode(bytes.fromhex(prefix) + key).decode()


PEM = f"-----BEGIN PUBLIC KEY-----\n{der('302a300506032b6570032100', PUBLIC)}\n-----END PUBLIC KEY-----\n".encode()
PRIVATE = f"-----BEGIN PRIVATE KEY-----\n{der('302e020100300506032b657004220420', SECRET)}\n-----END PRIVATE KEY-----\n".encode()


def test_the_vector_of_the_standard() -> None:
    key = ed25519.opened(PRIVATE, "")
    assert ed25519.pem(key.public_key()) == PEM
    assert key.sign(b"") == SIGNATURE
    assert ed25519.verifies(PEM, SIGNATURE, b"")
    assert not ed25519.verifies(PEM, SIGNATURE, b"\0")


def test_type_and_length_stand_in_what_is_signed() -> None:
    assert dsse.signed_bytes(b"hello world") == b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"
    assert dsse.signed_bytes(b"") == b"DSSEv1 28 application/vnd.in-toto+json 0 "


def test_the_envelope_has_the_keys_of_the_protocol() -> None:
    found = json.loads(dsse.envelope(b"{}", "id", SIGNATURE))
    assert (set(found), set(found["signatures"][0])) == ({"payload", "payloadType", "signatures"}, {"keyid", "sig"})
    assert (base64.b64decode(found["payload"]), base64.b64decode(found["signatures"][0]["sig"])) == (b"{}", SIGNATURE)


def members() -> dict[str, bytes]:
    signature = ed25519.opened(PRIVATE, "").sign(dsse.signed_bytes(b"{}"))
    return {"statement.json": b"{}", **sealed(b"{}", PEM, signature, ed25519.fingerprint(PEM))}


def check(changed: dict[str, bytes]) -> Signed:
    return CanonicalBundles().check(changed)


def test_every_flipped_byte_of_a_signature_and_its_members_is_found() -> None:
    assert check(members()).ok
    for name, data in members().items():
        for at in range(len(data)):
            other = bytearray(data)
            other[at] ^= 1 << at % 8
            found = check({**members(), name: bytes(other)})
            assert not found.ok, (name, at)
            assert found.detail


@pytest.mark.parametrize("name", list(members()))
def test_a_missing_part_of_a_signature_is_named(name: str) -> None:
    found = check({other: data for other, data in members().items() if other != name})
    assert not found.ok
    assert name in found.detail


@pytest.mark.parametrize(
    "key",
    [b"", b"\xff" * 64, b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", PRIVATE, PEM + PEM, PEM.replace(b"\n", b"\r\n")],
    ids=["empty", "noise", "short", "private", "two", "other line ends"],
)
def test_what_is_no_public_key_in_its_one_form_signs_nothing(key: bytes) -> None:
    assert not check({**members(), "public-key.pem": key}).ok


def test_the_fingerprint_is_the_one_that_openssl_prints(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine")
    (tmp_path / "key.pem").write_bytes(PEM)
    block = "openssl pkey -pubin -in key.pem -outform DER | openssl dgst -sha256"
    told = subprocess.run(["sh", "-c", block], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=True)
    assert told.stdout.split()[-1] == ed25519.fingerprint(PEM)
