"""Models: the profiles of trustops.toml become clients, each behind its gateway."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from trustops.domain.chain import digest
from trustops.domain.errors import UsageError
from trustops.facts.nouns import Names
from trustops.ports import ModelClient
from trustops.settings import Profile, Settings
from trustops.team.seat import Allowance

if TYPE_CHECKING:
    from trustops.providers.pace import Pace
    from trustops.providers.prices import Listed, Stated


def default_profile(chosen: Settings) -> tuple[str, Profile]:
    """The configured profile, else a provider whose key is in the environment, else the offline one."""
    models = chosen.models
    if models.default:
        if models.default not in models.profiles:
            raise UsageError(
                f"there is no model profile {models.default!r}", where="trustops.toml", remedy=f"Known: {sorted(models.profiles)}."
            )
        return models.default, models.profiles[models.default]
    if chosen.environment.anthropic_api_key:
        return "anthropic", Profile(provider="anthropic", model="claude-sonnet-5-5")
    if chosen.environment.openai_api_key:
        return "openai", Profile(provider="openai", model="gpt-5.2")
    return "extractive", Profile(provider="extractive")


def client_for(chosen: Settings, profile: Profile, names: Names, *, name: str = "") -> ModelClient:
    """The client of the default profile, with other profiles for the seats that name one. Seats of one profile share its limits."""
    from trustops.providers.gateway import Fallback
    from trustops.providers.seats import BySeat

    made: dict[str, ModelClient] = {}

    def client(name: str, profile: Profile) -> ModelClient:
        if name not in made:
            made[name] = _behind_gateway(chosen, name, profile, names)
        return made[name]

    def chain(name: str, profile: Profile) -> ModelClient:
        others = [client(other, _stand_in(chosen, name, other)) for other in profile.fallback]
        return Fallback([client(name, profile), *others]) if others else client(name, profile)

    default = chain(name, profile)
    seats: dict[str, ModelClient] = {seat: chain(named, _profile(chosen, named)) for seat, named in chosen.models.seats.items()}
    return BySeat(default, seats) if seats else default


def _behind_gateway(chosen: Settings, name: str, profile: Profile, names: Names) -> ModelClient:
    """One profile's client with its line and its prices. Without a price it may not be used where a review has a money limit."""
    from trustops.providers.gateway import Gateway
    from trustops.providers.prices import known

    client, price = _one_client(chosen, name, profile, names), _price(profile)
    if profile.provider == "extractive":
        return client
    if chosen.limits.usd_per_review is not None and not known(price):
        raise UsageError(
            f"usd_per_review is set, and the price of {profile.model!r} is not known",
            where=f"profile {name}" if name else "trustops.toml",
            remedy="State usd_per_million_in and usd_per_million_out in the profile (0 for a model of your own).",
        )
    return Gateway(client, concurrency=profile.calls or 2 * chosen.limits.concurrency, price=price)


def _price(profile: Profile) -> Listed | Stated:
    from trustops.providers.prices import Listed, Stated

    if profile.usd_per_million_in is None or profile.usd_per_million_out is None:
        return Listed(profile.provider, profile.model)
    return Stated(profile.usd_per_million_in, profile.usd_per_million_out)


def _stand_in(chosen: Settings, name: str, other: str) -> Profile:
    """A profile that may stand in for another one: a real model, and not the same one."""
    profile = _profile(chosen, other)
    if profile.provider == "extractive" or other == name:
        raise UsageError(
            f"{other!r} cannot stand in for {name!r}",
            where=f"models.profiles.{name}.fallback",
            remedy="Name another profile with a model: offline drafts never stand in for one.",
        )
    return profile


def named_client(chosen: Settings, name: str, names: Names) -> ModelClient:
    """The client of a profile by its name, for a model outside of the five seats. The offline one judges nothing and plays nobody."""
    profile = _profile(chosen, name)
    if profile.provider == "extractive":
        remedy = "Name a profile with a model; without one the scripted stand-in is used, and marked so."
        raise UsageError(f"the profile {name!r} has no model", where="trustops.toml", remedy=remedy)
    return _behind_gateway(chosen, name, profile, names)


def seat_allowances(chosen: Settings) -> dict[str, Allowance]:
    """What the seats with a profile of their own may take."""
    return {seat: allowance(chosen, _profile(chosen, named)) for seat, named in chosen.models.seats.items()}


def allowance(chosen: Settings, profile: Profile) -> Allowance:
    """What a seat with this profile may take: its own attempts, those of its stand-ins, and the line before each."""
    profiles = [profile, *(_profile(chosen, other) for other in profile.fallback)]
    guard_s = sum(each.turn_s + each.attempts * chosen.limits.line_s for each in profiles)
    return Allowance(timeout_s=profile.timeout_s, guard_s=guard_s, max_tokens=profile.max_tokens)


def provider_at(url: str, api: str = "messages") -> ModelClient:
    """A real SDK client on a server's address, for the fake provider server: messages (Anthropic), responses or chat (OpenAI)."""
    from trustops.providers.anthropic import AnthropicClient
    from trustops.providers.openai import OpenAIClient

    key = SecretStr("no-key-is-needed")
    if api == "messages":
        return AnthropicClient("scripted", api_key=key, base_url=url)
    return OpenAIClient("scripted", api_key=key, api="chat" if api == "chat" else "responses", base_url=f"{url}/v1")


def _profile(chosen: Settings, name: str) -> Profile:
    if name not in chosen.models.profiles:
        known = ", ".join(sorted(chosen.models.profiles)) or "none"
        raise UsageError(f"there is no model profile {name!r}", where="trustops.toml", remedy=f"Known profiles: {known}.")
    return chosen.models.profiles[name]


def _one_client(chosen: Settings, name: str, profile: Profile, names: Names) -> ModelClient:
    """A provider without its key is refused here, not at the first call; a server of one's own needs none."""
    if profile.provider == "extractive":
        from trustops.providers.extractive import ExtractiveClient

        return ExtractiveClient(names)
    environment = chosen.environment
    if not profile.model:
        raise UsageError("the model profile names no model", where=f"trustops.toml, profile {name}", remedy='Give it model = "...".')
    if profile.provider == "anthropic":
        from trustops.providers.anthropic import AnthropicClient

        url = profile.base_url or environment.anthropic_base_url
        key = _key(environment.anthropic_api_key, url, "ANTHROPIC_API_KEY", name)
        made = AnthropicClient(profile.model, api_key=key, base_url=url, temperature=profile.temperature, **_manner(chosen, name, profile))
        made.shares = chosen.models.seats.get("answer", "") == chosen.models.seats.get("reviewer", "")
        return made
    from trustops.providers.openai import OpenAIClient

    url = profile.base_url or environment.openai_base_url
    key = _key(environment.openai_api_key, url, "OPENAI_API_KEY", name)
    asked: dict[str, Any] = {"api": profile.api, "temperature": profile.temperature, "brief": profile.brief}
    return OpenAIClient(profile.model, api_key=key, base_url=url, **asked, **_manner(chosen, name, profile))


def _manner(chosen: Settings, name: str, profile: Profile) -> dict[str, Any]:
    """How often and how fast a client tries, and how messages call it."""
    from trustops.providers.attempts import Patience

    patience = Patience(attempts=profile.attempts, longest_wait_s=profile.longest_wait_s)
    limited = profile.requests_per_minute is not None or profile.tokens_per_minute is not None
    return {"patience": patience, "profile": name, "pace": _pace(chosen, profile) if limited else None}


def _pace(chosen: Settings, profile: Profile) -> Pace:
    """The limits of a minute: of this process, or of all that share a database. A provider counts by key and model."""
    from trustops.providers.pace import Pace
    from trustops.providers.sharing import SharedPace

    limits, longest_s = (profile.requests_per_minute, profile.tokens_per_minute), chosen.limits.line_s
    if not chosen.database:
        return Pace(*limits, longest_s=longest_s)
    from trustops.storage.postgres import open_engine, sessions

    def opened(**manner: bool) -> AbstractContextManager[Any]:
        return sessions(open_engine(chosen.database, pool=chosen.storage.pool))(**manner)

    keys = {"anthropic": chosen.environment.anthropic_api_key, "openai": chosen.environment.openai_api_key}
    secret = keys.get(profile.provider)
    counted = digest([profile.provider, profile.base_url, profile.model, secret.get_secret_value() if secret else ""])
    return SharedPace(opened, counted, *limits, longest_s=longest_s)


def _key(given: SecretStr | None, url: str, variable: str, name: str) -> SecretStr:
    if given is None and not url:
        where = f"profile {name}" if name else "environment"
        raise UsageError(f"{variable} is not set", where=where, remedy="Set it, or choose another profile under [models].")
    return given or SecretStr("none")
