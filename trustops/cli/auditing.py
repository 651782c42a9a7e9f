"""verify and keys: whether a bundle is what was sent, and by whose key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import emit, say

if TYPE_CHECKING:
    from trustops.operations.verifying import Verified
    from trustops.ports import KeyInfo


def verify(
    bundle: Annotated[Path, typer.Argument(help="The bundle-KEY.zip of an export.")],
    key: Annotated[Path | None, typer.Option("--key", help="The sender's public key, which reached you on another way.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check a bundle, offline and without a workspace. Exit 0 valid, 1 not, 2 it is no bundle."""
    from trustops import assembly
    from trustops.operations.verifying import verify as look

    found = look(assembly.bundles(), bundle, key)
    if as_json:
        emit(
            {
                "valid": found.valid,
                "integrity": found.integrity,
                "signer_fingerprint": found.signer_fingerprint,
                "trusted_key": found.trusted_key,
                "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in found.checks],
            }
        )
    else:
        _say(found)
    return 0 if found.valid else 1


def _say(found: Verified) -> None:
    for check in found.checks:
        say(f"{'ok' if check.ok else 'NO':<4}{check.name:<11}{check.detail}")
    if found.signer_fingerprint:
        say(f"Signer's key (SHA-256): {found.signer_fingerprint}")
    if not found.valid:
        say("NOT VALID: " + ("all bytes belong together, but see above." if found.integrity else "this is not what was sent."))
    elif found.trusted_key:
        say("VALID: unchanged, and signed by the key that you gave.")
    else:
        say("VALID: unchanged. A key inside the bundle proves integrity only: who signed shows when you give --key PUB.")


def keys_init(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Make the organisation's signing key. It is encrypted where TRUSTOPS_KEY_PASSPHRASE is set."""
    from trustops import assembly

    _told(assembly.signer(workspace).create(), "Signing key made", as_json)


def keys_rotate(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Replace the signing key. Old bundles still verify with their old public key, which is kept."""
    from trustops import assembly

    _told(assembly.signer(workspace).rotate(), "New signing key in use", as_json)


def keys_show(workspace: Workspace = HERE, as_json: AsJson = False) -> int:
    """All public keys with their fingerprints, the one in use first. Exit 1 where there is none."""
    from trustops import assembly

    found = assembly.signer(workspace).known()
    if as_json:
        emit({"keys": [key.model_dump() for key in found]})
    elif not found:
        say("There is no signing key: exports are not signed. Make one with `trustops keys init`.")
    else:
        for key in found:
            say(f"{'in use' if key.current else 'old':<8}{key.fingerprint}  {key.public_key}")
    return 0 if found else 1


def _told(made: KeyInfo, what: str, as_json: bool) -> None:
    if as_json:
        emit(made.model_dump())
        return
    say(f"{what}. Fingerprint (SHA-256): {made.fingerprint}")
    say(f"Give customers {made.public_key} on another way than the bundle; they check with `trustops verify BUNDLE --key PUB`.")
