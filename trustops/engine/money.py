"""The money of a review that workers of several machines spend: what is spent and held stands on the board, not in one process."""

from __future__ import annotations

import asyncio
from decimal import Decimal

from trustops.domain.errors import ProviderFailed
from trustops.engine.board import Board
from trustops.operations.paying import Purse

OPEN = """
    INSERT INTO trustops_engine.purses AS p (org, review, spent) VALUES (%s, %s, %s)
    ON CONFLICT (org, review) DO UPDATE SET spent = greatest(p.spent, excluded.spent)
"""
SPENT = "SELECT spent FROM trustops_engine.purses WHERE org = %s AND review = %s FOR UPDATE"
HELD = "SELECT coalesce(sum(held), 0) FROM trustops_engine.purse_holds WHERE org = %s AND review = %s"
HOLD = """
    INSERT INTO trustops_engine.purse_holds AS h (org, review, worker, held) VALUES (%s, %s, %s, %s)
    ON CONFLICT (org, review, worker) DO UPDATE SET held = h.held + excluded.held
"""
SETTLE = "UPDATE trustops_engine.purse_holds SET held = held - %s WHERE org = %s AND review = %s AND worker = %s"
SPEND = "UPDATE trustops_engine.purses SET spent = spent + %s WHERE org = %s AND review = %s"
LOOK_S = 0.2


class SharedPurse(Purse):
    """A purse that all workers of a review take from. What a worker holds falls back when it dies; what its lost call cost is not known."""

    def __init__(self, board: Board, org: str, review: str, limit: Decimal, spent: Decimal) -> None:
        super().__init__(limit, spent)
        self.board, self.place = board, (org, review)
        with board.sessions() as connection:
            connection.execute(OPEN, (*self.place, spent))

    async def take(self, most: Decimal) -> None:
        """As for one process; who waits for calls of other workers looks a few times a second."""
        while not await asyncio.to_thread(self._taken, most):
            if not self.held:
                raise ProviderFailed(self.told(most), kind="money", remedy="Raise usd_per_review under [limits].", attempts=0)
            await asyncio.sleep(LOOK_S)

    async def settle(self, most: Decimal, cost: Decimal) -> None:
        """What was held for a call becomes what it cost."""
        await asyncio.to_thread(self._settle, most, cost)

    def _taken(self, most: Decimal) -> bool:
        with self.board.sessions() as connection:
            self.spent = Decimal(connection.execute(SPENT, self.place).fetchone()[0])
            self.held = Decimal(connection.execute(HELD, self.place).fetchone()[0])
            if self.spent + self.held + most > self.limit:
                return False
            connection.execute(HOLD, (*self.place, self.board.worker, most))
        return True

    def _settle(self, most: Decimal, cost: Decimal) -> None:
        with self.board.sessions() as connection:
            connection.execute(SETTLE, (most, *self.place, self.board.worker))
            connection.execute(SPEND, (cost, *self.place))
