"""VERIFY.md: how a receiver checks a bundle with plain openssl, without this program."""

from __future__ import annotations

HEAD = """# How to check this bundle

With the program that made it, offline: `trustops verify BUNDLE --key PUBLIC-KEY`, where PUBLIC-KEY reached you on another way.

Without it: unpack the zip and type these commands in its folder. They need openssl 3 and a POSIX shell.
"""
SIGNED = """
1. The signature is one of `public-key.pem` over `signed.bin` (Ed25519). It must say "Signature Verified Successfully".

```sh
openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in signed.bin -sigfile signature.bin
```

2. `signed.bin` is `statement.json` behind the header of a DSSE envelope. This prints nothing when it is so.

```sh
tail -c "$(wc -c < statement.json)" signed.bin | cmp - statement.json
```

3. The statement names every file by SHA-256. Each line must end in OK.

{digests}
4. The key's fingerprint. Compare it with the one that the sender told you on another way. A key inside the bundle proves integrity
only: whoever replaces all of the bundle can replace the key too.

```sh
openssl pkey -pubin -in public-key.pem -outform DER | openssl dgst -sha256
```
"""
UNSIGNED = """
This bundle is **not signed** (signature: none). The digests find damage; they do not show who made the bundle. Ask the sender for a
signed one.

The statement names every file by SHA-256. Each line must end in OK.

{digests}"""
DIGESTS = """```sh
for f in VERIFY.md {answered} chain.json manifest.json {key}receipt.json succession.json attachments/*; do
  [ -f "$f" ] || continue
  d="$(openssl dgst -sha256 -r "$f" | cut -d ' ' -f 1)"
  grep -qF "{{\\"digest\\":{{\\"sha256\\":\\"$d\\"}},\\"name\\":\\"$f\\"}}" statement.json && echo "$f OK" || echo "$f CHANGED"
done
```
"""
FILES = """
Files: `{answered}` is your file with the answers, byte-identical outside the answer cells. `receipt.json` lists each answer with its
approval, and says of each whether the approver was asserted or authenticated. `manifest.json` holds the digests of all files, of the
parts of `{answered}` and of the cited passages. `chain.json` is an excerpt of the sender's audit chain. `succession.json`, where it is
there, leads from the sender's earlier keys to `public-key.pem`: each signed the next. The program follows it; a key that you knew before is
enough for it.
"""


def guide(answered: str, *, signed: bool) -> str:
    """The text for a bundle whose answered file has this name."""
    digests = DIGESTS.format(answered=answered, key="public-key.pem " if signed else "")
    return HEAD + (SIGNED if signed else UNSIGNED).format(digests=digests) + FILES.format(answered=answered)
