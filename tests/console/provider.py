"""A small OpenID Connect provider on loopback: it checks what a client sends, signs real tokens, and does wrong what a test asks for."""

from __future__ import annotations

import base64
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote

import uvicorn
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from trustops.console.server import listen

CLIENT, SECRET = "trustops", "a secret: with / signs"


class Provider:
    """`person` are the claims of who is signed in there. `change` alters the claims, `sign` makes a token in another way."""

    def __init__(self) -> None:
        self.url = ""
        self.key = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
        self.person: dict[str, Any] = {"email": "ana@kestrel.example", "email_verified": True, "name": "Ana"}
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
        self.sign: Callable[[dict[str, Any]], str] | None = None
        self.metadata: dict[str, Any] = {}
        self.asked: dict[str, dict[str, str]] = {}
        self.app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._about),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )

    async def _about(self, request: Request) -> Response:
        told = {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token"}
        return JSONResponse({**told, "jwks_uri": f"{self.url}/keys", **self.metadata})

    async def _keys(self, request: Request) -> Response:
        return JSONResponse(KeySet([self.key]).as_dict(private=False))

    async def _authorize(self, request: Request) -> Response:
        """Whoever is signed in here agrees at once."""
        told = dict(request.query_params)
        assert (told["response_type"], told["client_id"], told["code_challenge_method"]) == ("code", CLIENT, "S256")
        assert "openid" in told["scope"].split()
        code = secrets.token_urlsafe(16)
        self.asked[code] = told
        return RedirectResponse(f"{told['redirect_uri']}?code={code}&state={told['state']}", 302)

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        told = self.asked.pop(form.get("code", ""), None)
        name, _, secret = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode().partition(":")
        fitting = told is not None and form["redirect_uri"] == told["redirect_uri"]
        proved = told is not None and create_s256_code_challenge(form["code_verifier"]) == told["code_challenge"]
        if told is None or not fitting or not proved or (unquote(name), unquote(secret)) != (CLIENT, SECRET):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.url, "sub": "1", "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": told["nonce"], **self.person}
        claims = self.change(claims)
        token = self.sign(claims) if self.sign else jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": token})


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider that answers."""
    made = Provider()
    with listen("127.0.0.1", 0) as listening:
        made.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(made.app, log_level="warning", access_log=False, timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            end = time.monotonic() + 60
            while not server.started:
                assert time.monotonic() < end, "the provider does not start in time"
                time.sleep(0.01)
            yield made
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive(), "the provider does not end"
