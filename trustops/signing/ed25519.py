"""Ed25519 (RFC 8032) with keys in PEM form: PKCS8 for the private one, SubjectPublicKeyInfo for the public one (RFC 8410)."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)


def generate(passphrase: str) -> tuple[bytes, bytes]:
    """A new pair, private and public; the private one is encrypted where there is a passphrase."""
    key = Ed25519PrivateKey.generate()
    guard: KeySerializationEncryption = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, guard), pem(key.public_key())


def encrypted(private: bytes) -> bool:
    """Whether a private key's PEM text says that a passphrase guards it (RFC 7468, section 11)."""
    return b"ENCRYPTED" in private.partition(b"\n")[0]


def opened(private: bytes, passphrase: str) -> Ed25519PrivateKey:
    """The private key; raises ValueError where it is damaged, of another kind, or the passphrase is not its own."""
    guarded = encrypted(private)
    try:
        key = load_pem_private_key(private, passphrase.encode() if guarded and passphrase else None)
    except TypeError:
        raise ValueError("it is encrypted and there is no passphrase") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("the passphrase is not its own, or it is damaged" if guarded else "it is damaged") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("it is no Ed25519 key")
    return key


def public(data: bytes) -> Ed25519PublicKey:
    """The public key of a PEM text; raises ValueError for anything else."""
    try:
        key = load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError("it is no public key in PEM form") from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("it is no Ed25519 key")
    return key


def pem(key: Ed25519PublicKey) -> bytes:
    """The one PEM form of a public key."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def fingerprint(data: bytes) -> str:
    """SHA-256 over the DER form, lower-case hexadecimal: what `openssl pkey -pubin -outform DER | openssl dgst -sha256` prints."""
    return hashlib.sha256(public(data).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def verifies(data: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the key signed exactly this message."""
    try:
        public(data).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def derived(key: Ed25519PrivateKey, purpose: bytes) -> bytes:
    """Thirty-two bytes for one purpose, from which the key cannot be had (HKDF-SHA256, RFC 5869, no salt)."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(key.private_bytes_raw())
