"""What a call costs, in US dollars: from the table that `genai-prices` ships, or from the two prices a profile states.

The table is the one of the installed release and is never fetched; which release it is stands beside every sum. Not known here:
discounts, batches, taxes. A model that neither knows has no price, and a run with a money limit then does not start.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from importlib.metadata import version

MILLION = Decimal(1_000_000)
CENT_PART = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply. `tokens_in` holds all that went in; of them `cached` were read from a cache and `written` into one."""

    tokens_in: int
    tokens_out: int
    cached: int = 0
    written: int = 0


def about(text: str) -> int:
    """About how many tokens a text has: four ASCII characters, or one other character, are one. For limits, never for a bill."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return plain // 4 + (len(text) - plain) + 1


@dataclass(frozen=True)
class Stated:
    """Prices that a profile states, per million tokens; cached tokens cost as others do."""

    usd_in: Decimal
    usd_out: Decimal
    source: str = "trustops.toml"

    def cost(self, usage: Usage) -> Decimal:
        """Dollars for a reply, rounded up to a millionth."""
        return _rounded((usage.tokens_in * self.usd_in + usage.tokens_out * self.usd_out) / MILLION)


@dataclass(frozen=True)
class Listed:
    """The price of a model in the shipped table. The table is loaded at the first sum."""

    provider: str
    model: str

    @property
    def source(self) -> str:
        """The table's release. It holds prices with the day they begin, so a sum is that of the day on which it is made."""
        return f"genai-prices {version('genai-prices')}"

    def cost(self, usage: Usage) -> Decimal:
        """Dollars for a reply, rounded up to a millionth; LookupError for a model that the table does not hold."""
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price

        tokens = Tokens(
            input_tokens=usage.tokens_in,
            output_tokens=usage.tokens_out,
            cache_read_tokens=usage.cached or None,
            cache_write_tokens=usage.written or None,
        )
        return _rounded(calc_price(tokens, self.model, provider_id=self.provider).total_price)


Price = Stated | Listed


def known(price: Price) -> bool:
    """Whether a sum can be made with it."""
    try:
        price.cost(Usage(1, 1))
    except LookupError:
        return False
    return True


def _rounded(dollars: Decimal) -> Decimal:
    return dollars.quantize(CENT_PART, rounding=ROUND_UP)
