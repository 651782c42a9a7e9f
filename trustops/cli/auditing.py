"""verify, keys, audit and redact: whether a bundle is what was sent and by whose key; what people decided; words taken out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting
from trustops.cli.screen import emit, say, table

if TYPE_CHECKING:
    from trustops.domain.audit import AuditRecord
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
        say("VALID: unchanged, and signed by the key that you gave or by one that it leads to (see `key` above).")
    else:
        say("VALID: unchanged. A key inside the bundle proves integrity only: who signed shows when you give --key PUB.")


def audit_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """The records of the audit chain with their numbers: who decided what when. A redacted payload is named as such."""
    from rich.markup import escape

    from trustops import assembly

    records = assembly.office(workspace).ledger.audit()
    if as_json:
        emit({"records": [record.model_dump(mode="json") for record in records]})
        return
    rows = [(str(r.seq), r.at[:19], r.kind, escape(r.actor), escape(_about(r)), r.hash[:16]) for r in records]
    table("", ("record", "at", "kind", "who", "about", "hash"), rows)


def _about(record: AuditRecord) -> str:
    if record.payload is None:
        return "[redacted]"
    named = (record.payload.get(key) for key in ("question", "prior_answer", "export", "id", "person", "record"))
    return str(next((name for name in named if name is not None), ""))


def redact(
    record: Annotated[int, typer.Argument(help="The number of an audit record (see `audit list`).", min=1)],
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="Why; it stays on record, so do not repeat what must go.")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Take the words of a rejection, a withdrawal or a library note out of the books and wipe them from the ledger's file."""
    from trustops.operations.redacting import redact as take_out

    done = take_out(acting(workspace, sign_in), record, by=by, reason=reason)
    if as_json:
        emit({"redacted": done.record.seq, "record": done.by.seq, "again": done.again})
    elif done.again:
        say(f"Record {done.record.seq} was redacted before (record {done.by.seq}); the file is wiped again.")
    else:
        say(f"The words of record {done.record.seq} are gone; record {done.by.seq} says who took them out and why. The chain holds.")
        say("Copies elsewhere are yours to see to: backups, exported files, recordings, answers/.")


def keys_init(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Make the organisation's signing key. It is encrypted where TRUSTOPS_KEY_PASSPHRASE is set."""
    from trustops import assembly

    _told(assembly.signer(workspace).create(), "Signing key made", as_json)


def keys_rotate(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Replace the signing key. The old one signs the new one, so that who knows it can follow; old bundles still verify with it."""
    from trustops import assembly

    signer = assembly.signer(workspace)
    made = signer.rotate()
    _told(made, "New signing key in use", as_json)
    if not as_json and signer.succession() is None:
        say("The old key could not sign the new one: customers who know the old fingerprint must be told of the new one.")


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
