"""One reader of the table for each run or review that is watched, whose frames all watchers share. Whoever comes late or comes back reads
the table until it has caught up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from trustops.console.feeds import Feed, Frame
from trustops.console.runs import Bell

POLL_S = 1.0
"""Another process may have appended, and it rings no bell here."""


class Tail:
    """The frames after an id, as they come. It ends with the feed, or with its last watcher."""

    def __init__(self, feed: Feed, bell: Bell, begin: str) -> None:
        self.feed, self.bell = feed, bell
        self.over = False
        self.watchers = 0
        self._frames: list[Frame] = []
        self._places = {begin: 0}
        self._news = asyncio.Event()
        self._last = begin
        self.task = asyncio.create_task(self._follow())
        self.task.add_done_callback(lambda done: self._tell())  # also where it failed: each watcher raises that, and comes back

    @property
    def news(self) -> asyncio.Event:
        """Set with the next frames; take it before you look."""
        return self._news

    def after(self, id: str) -> list[Frame] | None:
        """What followed an id so far; None where the tail began later."""
        place = self._places.get(id)
        return None if place is None else self._frames[place:]

    async def _follow(self) -> None:
        while not self.over:
            heard = self.bell.count(self.feed.name)
            frames, over = await asyncio.to_thread(self.feed.read, self._last)
            if frames:
                self._take(frames)
            self.over = over
            if not frames:
                await self.bell.wait(self.feed.name, heard, POLL_S)

    def _take(self, frames: list[Frame]) -> None:
        for frame in frames:
            self._frames.append(frame)
            self._places[frame.id] = len(self._frames)
        self._last = frames[-1].id
        self._tell()

    def wake(self) -> None:
        """Lets every watcher look again."""
        self._tell()

    def _tell(self) -> None:
        told, self._news = self._news, asyncio.Event()
        told.set()


class Tails:
    """The tails of one organisation, by what they follow."""

    def __init__(self) -> None:
        self._tails: dict[str, Tail] = {}

    @asynccontextmanager
    async def of(self, feed: Feed, bell: Bell, begin: str) -> AsyncIterator[Tail]:
        """The tail of a feed, begun where this watcher stands if nobody watches yet."""
        tail = self._tails.get(feed.name)
        if tail is None or tail.task.done():
            tail = self._tails[feed.name] = Tail(feed, bell, begin)
        tail.watchers += 1
        try:
            yield tail
        finally:
            tail.watchers -= 1
            if not tail.watchers:
                tail.task.cancel()
                if self._tails.get(feed.name) is tail:
                    del self._tails[feed.name]


async def frames(feed: Feed, tail: Tail, after: str, gone: Callable[[], bool] = lambda: False) -> AsyncIterator[bytes]:
    """Everything that follows an id, in order, to the end of the feed, or until the watcher is `gone`."""
    over = False
    while not over and not gone():
        news, over = tail.news, tail.over
        shared = tail.after(after)
        found, over = (shared, over) if shared is not None else await asyncio.to_thread(feed.read, after)
        if shared is not None and not found and not over and tail.task.done():
            tail.task.result()
        for frame in found:
            yield frame.data
            after = frame.id
        if not found and not over:
            await news.wait()
