"""Settings of a workspace: trustops.toml and the environment, read once. An unknown key is an error, never ignored.

No setting opens an invariant: [gate] can only tighten (more second people, authenticated approvals).
"""

from __future__ import annotations

import os
import re
import socket
import tomllib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, SecretStr, ValidationError, model_validator

from trustops.domain.approval import Role
from trustops.domain.base import Noun
from trustops.domain.errors import MalformedFile, UsageError

STATE = ".trustops"
SECRET = ("anthropic_api_key", "openai_api_key", "trustops_key_passphrase", "trustops_token", "trustops_database")
SECRET_NAME = re.compile(r"KEY$|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|^TRUSTOPS_DATABASE$", re.IGNORECASE)
PLAIN = ("openai_base_url", "anthropic_base_url", "trustops_keys", "trustops_server", "trustops_embeddings", "xdg_config_home")
"""Variables of the environment, in small letters."""


class Organisation(Noun):
    """Who answers. `aliases` are further names of the company; `products` its own; the others are not us."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    other_products: tuple[str, ...] = ()
    affiliates: tuple[str, ...] = ()
    subcontractors: tuple[str, ...] = ()


class Profile(Noun):
    """One way to reach a model. `api` chooses between OpenAI's two wire forms; `brief` asks a compatible server for short texts and
    lists.

    `timeout_s` is for one attempt, in seconds; `attempts` counts the first one; `longest_wait_s` bounds the wait before another one, also
    where the provider asks for more. `calls` counts calls in flight, the two limits of a minute count every attempt. `fallback` names
    profiles that are asked, in order, when this one gives no reply. Prices are dollars per million tokens, for models that the shipped
    table does not know.
    """

    provider: Literal["anthropic", "openai", "extractive"]
    model: str = ""
    api: Literal["responses", "chat"] = "responses"
    base_url: str = ""
    brief: bool = False
    temperature: float | None = None
    max_tokens: int = Field(default=4000, ge=256, le=64000)
    timeout_s: float = Field(default=60.0, gt=0, le=900)
    attempts: int = Field(default=3, ge=1, le=10)
    longest_wait_s: float = Field(default=20.0, ge=0, le=600)
    calls: int | None = Field(default=None, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    fallback: tuple[str, ...] = ()
    usd_per_million_in: Decimal | None = Field(default=None, ge=0)
    usd_per_million_out: Decimal | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def has_both_prices_or_none(self) -> Self:
        if (self.usd_per_million_in is None) != (self.usd_per_million_out is None):
            raise ValueError("usd_per_million_in and usd_per_million_out belong together")
        return self

    @property
    def turn_s(self) -> float:
        """Seconds that a call may take once it is let through, all its attempts and the waits between them included."""
        return self.attempts * self.timeout_s + (self.attempts - 1) * self.longest_wait_s


class Models(Noun):
    """`profiles` by name, and which one each seat uses; `default` is for seats not named."""

    default: str = ""
    profiles: dict[str, Profile] = {}
    seats: dict[Literal["commander", "policy", "control", "answer", "reviewer"], str] = {}


class Limits(Noun):
    """`concurrency` counts questions in work at once; `usd_per_review` is the most that a review's calls may cost, in dollars; `line_s` is
    how long a call may wait to be let through, in seconds."""

    concurrency: int = Field(default=6, ge=1, le=64)
    usd_per_review: Decimal | None = Field(default=None, gt=0)
    line_s: float = Field(default=900.0, gt=0, le=7200)


class Gate(Noun):
    """Only tightens: a second person for every answer instead of HIGH ones, authenticated approvals only, approvals for fewer days."""

    second_person: Literal["high", "all"] = "high"
    require_authenticated_approval: bool = False
    approval_days: int = Field(default=90, ge=1, le=90)


class Run(Noun):
    """`as_of` judges freshness at a recorded instant and makes every run TEST; only the demo organisation has one."""

    as_of: datetime | None = None


class Collectors(Noun):
    """What sources of controls may reach. `hosts` are NAME, NAME:PORT or NAME:PORT=ADDRESS; `command` lets programs run."""

    hosts: tuple[str, ...] = ()
    command: bool = False


class Retrieval(Noun):
    """How passages are found. `embeddings`: "auto" asks for meanings beside words where the extra is installed, "on" refuses to work
    without it, "off" leaves it alone."""

    embeddings: Literal["auto", "on", "off"] = "auto"


class Server(Noun):
    url: str = ""


class Storage(Noun):
    """Where the ledger lies: a file of SQLite in the workspace, or the PostgreSQL database at `url`, which many machines and organisations
    share. `pool` counts connections of one process; `lease_s` is how many seconds a worker may be silent before others take its work."""

    url: str = ""
    pool: int = Field(default=15, ge=3, le=200)
    lease_s: float = Field(default=15.0, ge=0.5, le=300)

    @model_validator(mode="after")
    def holds_no_password(self) -> Self:
        if re.search(r"//[^/@]*:[^/@]+@|[?&]password=", self.url):
            raise ValueError("a password does not belong into this file: set TRUSTOPS_DATABASE, or use a password file of PostgreSQL")
        return self


class Service(Noun):
    """Where `trustops serve` may be reached beyond this machine: under which names, and behind which proxies (addresses or networks, whose
    X-Forwarded-For and X-Forwarded-Proto count)."""

    hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()


class Oidc(Noun):
    """An identity provider (OpenID Connect). `client_secret_env` names the variable of the environment that holds the client's secret;
    `claim` is what of an ID token names a person of `[people]`."""

    issuer: str = Field(pattern=r"^https://|^http://(127\.0\.0\.1|localhost|\[::1\])[:/]")
    client_id: str = Field(min_length=1)
    client_secret_env: str = Field(min_length=1)
    claim: str = "email"


class SignIn(Noun):
    """How long a browser stays signed in: `idle_minutes` without a request, `hours` at most. `oidc` is how it may sign in besides."""

    idle_minutes: int = Field(default=120, ge=1, le=24 * 60)
    hours: int = Field(default=12, ge=1, le=24 * 7)
    oidc: Oidc | None = None


class Telemetry(Noun):
    """Where the spans of a run go when it ends: an OTLP endpoint over HTTP, none where it is empty. `legacy` adds the names that older
    viewers know."""

    endpoint: str = ""
    legacy: bool = False


class Trust(Noun):
    """How trust profiles are graded; grades open nothing. `partial_floor` lifts a dimension of one weak signal to its default. A from `a`
    on, B above `above_c`, C from `c` on, else D."""

    partial_floor: bool = False
    a: Decimal = Field(default=Decimal("4.0"), ge=0, le=5)
    above_c: Decimal = Field(default=Decimal("3.0"), ge=0, le=5)
    c: Decimal = Field(default=Decimal("2.0"), ge=0, le=5)

    @model_validator(mode="after")
    def falls_from_a_to_c(self) -> Self:
        if not self.a >= self.above_c >= self.c:
            raise ValueError("the grades must fall: a, above_c, c")
        return self


class Environment(Noun):
    """What is taken from the environment, once."""

    anthropic_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    openai_base_url: str = ""
    anthropic_base_url: str = ""
    trustops_keys: str = ""
    trustops_server: str = ""
    trustops_key_passphrase: SecretStr | None = None
    trustops_token: SecretStr | None = None
    trustops_database: SecretStr | None = None
    xdg_config_home: str = ""
    trustops_embeddings: Literal["", "auto", "on", "off"] = ""


class Settings(Noun):
    """The whole configuration of one organisation's workspace."""

    workspace: Path
    organisation: Organisation
    models: Models = Models()
    limits: Limits = Limits()
    people: dict[str, Role] = {}
    gate: Gate = Gate()
    run: Run = Run()
    collectors: Collectors = Collectors()
    retrieval: Retrieval = Retrieval()
    server: Server = Server()
    storage: Storage = Storage()
    service: Service = Service()
    sign_in: SignIn = SignIn()
    telemetry: Telemetry = Telemetry()
    trust: Trust = Trust()
    style: dict[str, Any] = {}
    environment: Environment = Environment()

    @property
    def state(self) -> Path:
        """The folder private to the program."""
        return self.workspace / STATE

    @property
    def embeddings(self) -> str:
        """Whether meanings are asked beside words; the environment, which may be of one machine among many, goes before the file."""
        return self.environment.trustops_embeddings or self.retrieval.embeddings

    @property
    def database(self) -> str:
        """The address of the shared database; empty where the ledger is a file of the workspace. The environment wins."""
        told = self.environment.trustops_database
        return told.get_secret_value() if told else self.storage.url

    @property
    def keys(self) -> Path:
        """Where the organisation's signing keys live: outside the workspace, so that whoever may write it cannot sign."""
        config = Path(self.environment.xdg_config_home or Path.home() / ".config")
        folder = Path(self.environment.trustops_keys or config / "trustops" / "keys").resolve() / self.organisation.id
        if folder.is_relative_to(self.workspace):
            raise UsageError("the keys would lie inside the workspace", where="TRUSTOPS_KEYS", remedy="Name a folder outside of it.")
        return folder


def load(workspace: Path) -> Settings:
    """The settings of a workspace; raises UsageError without trustops.toml and MalformedFile for an unknown or wrong key."""
    path = workspace / "trustops.toml"
    if not path.is_file():
        raise UsageError(
            "this is no workspace: there is no trustops.toml",
            where=str(workspace),
            remedy="Make one with `trustops init DIR`, or name one with -w.",
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as bad:
        raise MalformedFile(f"not readable as TOML ({bad})", where="trustops.toml") from bad
    try:
        return Settings.model_validate(
            {**data, "workspace": workspace.resolve(), "style": _style(workspace), "environment": environment(os.environ)}
        )
    except ValidationError as bad:
        raise MalformedFile(_problem(bad), where="trustops.toml", remedy="docs/operations.md lists every key.") from bad


def variables() -> Mapping[str, str]:
    """All variables, for sources of controls that name their credential's: a collector takes the one that is named, and no other."""
    return os.environ


def process() -> int:
    """The number of this process: what is open in a parent is not open in its child."""
    return os.getpid()


def machine() -> str:
    """How this process is called among others: by its machine and its number."""
    return f"{socket.gethostname()}-{os.getpid()}"


def secrets() -> tuple[str, ...]:
    """Values of the environment that may be keys of ours or of a source: what the terminal shows is cleared of them."""
    return tuple(value for name, value in os.environ.items() if SECRET_NAME.search(name) and value)


def environment(variables: Any) -> Environment:
    """The few variables the product knows."""
    secret = {name: variables[name.upper()] for name in SECRET if variables.get(name.upper())}
    plain = {name: variables[name.upper()] for name in PLAIN if variables.get(name.upper())}
    return Environment.model_validate({**secret, **plain})


def _style(workspace: Path) -> dict[str, Any]:
    path = workspace / "style.yaml"
    if not path.is_file():
        return {}
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as bad:
        raise MalformedFile(f"not readable as YAML ({bad})", where="style.yaml") from bad
    if not isinstance(data, dict):
        raise MalformedFile("must be a mapping", where="style.yaml")
    return data


def _problem(bad: ValidationError) -> str:
    first = bad.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    what = "is not a known key" if first["type"] == "extra_forbidden" else first["msg"][0].lower() + first["msg"][1:]
    return f"{key}: {what}"
