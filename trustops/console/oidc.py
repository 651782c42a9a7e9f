"""Signing in with an identity provider: OpenID Connect Core 1.0, authorization code with PKCE (RFC 7636), state and nonce.

What the provider says is believed only in an ID token that is signed with a key of its published set, by an algorithm of ours (never the
one that the token asks for), for this client, and for the very request that this browser began.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import ssl
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trustops.console import cookies
from trustops.console.guards import is_loopback
from trustops.console.hosted import Hosted, organisations
from trustops.console.people import looked_at
from trustops.console.problems import Problem
from trustops.console.signing import counted, form, inside, recorded, signed_in
from trustops.domain.errors import NotAllowed
from trustops.operations.office import SingleSignOn

ALGORITHMS = ["RS256", "PS256", "ES256"]
COOKIE = "trustops-oidc"
LASTS_S, MOST = 600, 1000
"""Seconds that a person may take at the provider, and how many may be on their way at once."""
LEEWAY_S, LARGEST = 60, 256 * 1024
FAILED = "the identity provider did not sign you in"


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in on its way: what only this service knows of it until the browser comes back."""

    organisation: str
    verifier: str
    nonce: str
    following: str
    until: float


class Refused(Exception):
    """What the provider sent is not what a sign-in needs. Its words go to the log of nobody: they may hold tokens."""


async def begin(request: Request) -> Response:
    """Leads to the provider. 404 where the organisation has none."""
    hosted = organisations(request.scope).get(request.query_params.get("organisation", "")) or looked_at(request)
    provider = _provider(hosted)
    try:
        told = await _metadata(provider)
    except (Refused, httpx2.HTTPError) as away:
        raise Problem(503, "the identity provider does not answer as it should", remedy="Sign in with a password, or try later.") from away
    state, begun = secrets.token_urlsafe(32), _begun(request, hosted)
    waiting = hosted.signing_in
    for old in [name for name, each in waiting.items() if each.until < monotonic()] or list(waiting)[: len(waiting) - MOST + 1]:
        del waiting[old]
    waiting[state] = begun
    where = prepare_grant_uri(
        told["authorization_endpoint"],
        provider.client_id,
        "code",
        redirect_uri=_back(request),
        scope="openid profile email",
        state=state,
        nonce=begun.nonce,
        code_challenge=create_s256_code_challenge(begun.verifier),
        code_challenge_method="S256",
    )
    answer = RedirectResponse(where, 303)
    cookies.write(request, answer, COOKIE, f"{hosted.name}.{state}", seconds=LASTS_S)
    return answer


async def back(request: Request) -> Response:
    """Where the provider leads back to: a session, or the sign-in page with 401 for whatever is wrong."""
    hosted, begun = _waiting(request)
    if hosted is None or begun is None:
        return form(request, 401, f"{FAILED}: begin again")
    try:
        with counted(request, hosted, "oidc"):
            person = await _person(request, hosted, begun)
    except NotAllowed as refused:
        await asyncio.to_thread(recorded, hosted.office, "", "oidc")
        answer = form(request, 401, refused.message)
        cookies.clear(request, answer, COOKIE)
        return answer
    answer = await signed_in(request, hosted, person, "oidc", begun.following)
    cookies.clear(request, answer, COOKIE)
    return answer


def _begun(request: Request, hosted: Hosted) -> Begun:
    following = inside(request.query_params.get("next", ""))
    return Begun(hosted.name, secrets.token_urlsafe(48), secrets.token_urlsafe(32), following, monotonic() + LASTS_S)


def _waiting(request: Request) -> tuple[Hosted | None, Begun | None]:
    """The sign-in that this browser began, by its cookie and by what the provider says; it is used up, whatever comes of it."""
    name, _, state = cookies.read(request, COOKIE).partition(".")
    hosted, given = organisations(request.scope).get(name), request.query_params.get("state", "")
    if hosted is None or not state or not hmac.compare_digest(state.encode(), given.encode()):
        return None, None
    begun = hosted.signing_in.pop(state, None)
    return (hosted, begun) if begun is not None and monotonic() < begun.until else (None, None)


async def _person(request: Request, hosted: Hosted, begun: Begun) -> str:
    """The person of `[people]` whom the provider names. Raises NotAllowed in the same words for whatever is wrong, but for who is not
    among the people: the provider vouched for that name."""
    provider = _provider(hosted)
    try:
        told = await _metadata(provider)
        claims = await _claims(request, provider, told, begun)
    except (Refused, JoseError, httpx2.HTTPError, ValueError) as wrong:
        raise NotAllowed(FAILED, remedy="Begin again.") from wrong
    person = claims.get(provider.claim)
    verified = provider.claim != "email" or claims.get("email_verified") is True
    if not isinstance(person, str) or not verified:
        raise NotAllowed(FAILED, remedy="Begin again.")
    if person not in hosted.office.people:
        raise NotAllowed("the identity provider knows you, and this organisation does not", remedy="See [people] in trustops.toml.")
    return person


async def _claims(request: Request, provider: SingleSignOn, told: dict[str, Any], begun: Begun) -> dict[str, Any]:
    """The claims of the ID token that the code is worth."""
    code, issuer = request.query_params.get("code", ""), request.query_params.get("iss", provider.issuer)
    if not code or issuer != provider.issuer:  # RFC 9207: an answer of another provider is not for us
        raise Refused("no code")
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": _back(request), "code_verifier": begun.verifier}
    auth = (quote(provider.client_id, safe=""), quote(provider.secret, safe=""))
    got = await _json("POST", told["token_endpoint"], data=form, auth=auth)
    token = got.get("id_token")
    if not isinstance(token, str):
        raise Refused("no ID token")
    read = jwt.decode(token, await _keys(told), registry=JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False))
    options = {"iss": {"essential": True, "value": provider.issuer}, "aud": {"essential": True, "value": provider.client_id}}
    held = CodeIDToken(read.claims, read.header, options, {"nonce": begun.nonce, "client_id": provider.client_id})
    held.validate(leeway=LEEWAY_S)
    return dict(held)


async def _keys(told: dict[str, Any]) -> KeySet:
    found = await _json("GET", told["jwks_uri"])
    return KeySet.import_key_set(found)  # type: ignore[arg-type]


async def _metadata(provider: SingleSignOn) -> dict[str, Any]:
    """The provider's own document; each of its addresses is as safe as the issuer's must be."""
    told = await _json("GET", f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
    if told.get("issuer") != provider.issuer:
        raise Refused("the document is of another issuer")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not isinstance(told.get(name), str) or not safe(told[name]):
            raise Refused(f"{name} is missing or not over TLS")
    return told


async def _json(method: str, where: str, **how: Any) -> dict[str, Any]:
    """A JSON object; redirects are not followed, and what is larger than any such document is refused."""
    async with (
        httpx2.AsyncClient(timeout=10.0, follow_redirects=False, trust_env=False, verify=_trusted()) as client,
        client.stream(method, where, **how) as got,
    ):
        body = b""
        async for piece in got.aiter_bytes():
            body += piece
            if len(body) > LARGEST:
                raise Refused("too large")
        if got.status_code != 200:
            raise Refused(f"status {got.status_code}")
        told = httpx2.Response(200, content=body).json()
    if not isinstance(told, dict):
        raise Refused("no object")
    return told


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities of this machine, read once: reading them costs more than asking a provider."""
    return ssl.create_default_context()


def safe(address: str) -> bool:
    """Whether an address may be asked: over TLS, or on this machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def _provider(hosted: Hosted) -> SingleSignOn:
    if hosted.office.single_sign_on is None:
        raise Problem(404, "this organisation has no identity provider", remedy="Sign in with a password.")
    return hosted.office.single_sign_on


def _back(request: Request) -> str:
    return f"{request.base_url}sign-in/oidc/callback"
