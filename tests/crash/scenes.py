"""The commands that are killed at every point, each on its own copy of an organisation, and what must be true when they were repeated."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash import books
from tests.crash.child import start
from tests.crash.points import Mark, effects

DIED, WAIT_S = -9, 60.0


@dataclass(frozen=True)
class Site:
    """One copy: a workspace with its keys beside it, and the folder that exports go to."""

    room: Path

    @property
    def folder(self) -> Path:
        return self.room / "kestrel"

    @property
    def out(self) -> Path:
        return self.room / "out"

    @property
    def keys(self) -> Path:
        return self.room / "keys" / "kestrel"

    @property
    def books(self) -> books.Books:
        return books.Books(self.folder)

    @property
    def complaints(self) -> Path:
        return self.room / "complaints"

    def signers(self) -> list[str]:
        return [path.read_text() for path in self.keys.glob("*.public.pem")]

    def run(self, *words: str, mark: Mark | None = None) -> int:
        """The program with these words, to its end; how it ended."""
        given = [word.format(out=self.out, folder=self.folder) for word in words]
        process = start(
            *given, "-w", self.folder, complaints=self.complaints, environment={"TRUSTOPS_KEYS": str(self.keys.parent)}, mark=mark
        )
        process.join(WAIT_S)
        assert process.exitcode is not None, f"{words} hangs"
        return process.exitcode

    def copy(self, room: Path) -> Site:
        shutil.copytree(self.room, room)
        return Site(room)


Look = Callable[[Site, Site], None]
"""What must hold: of the site as it is, and as it was before the command."""


@dataclass(frozen=True)
class Scene:
    """A command; what a person does after a crash (the same, unless said); and what must then be true."""

    words: tuple[str, ...]
    after: Look
    crashed: Look = lambda site, before: None
    again: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    once: bool = False
    """Repeating it after it came to its end makes something new; so behind its last effect it is not repeated."""
    ledgers: tuple[str, ...] = field(default=(".db",))


def count(scene: Scene, template: Site, room: Path) -> list[str]:
    """The effects of the command where nothing kills it."""
    site = template.copy(room)
    mark = Mark(str(site.room / "log"), str(site.room), ledgers=scene.ledgers)
    code = site.run(*scene.words, mark=mark)
    assert code == 0, site.complaints.read_text()
    scene.after(site, template)
    books.whole(site.folder)
    found = effects(site.room / "log")
    shutil.rmtree(site.room)
    return found


def crash(scene: Scene, template: Site, room: Path, point: int, *, last: bool = False) -> None:
    """Kills the command at a point, looks, repeats it and looks again. `last` says that the point lies behind the last effect."""
    site = template.copy(room)
    log = site.room / "log"
    code = site.run(*scene.words, mark=Mark(str(log), str(site.room), point, scene.ledgers))
    assert (code, effects(log)[-1:]) == (DIED, [f"died {point}"]), f"point {point} was not reached: {site.complaints.read_text()}"
    log.unlink()
    books.whole(site.folder)
    books.nothing_unrecorded(site.folder, site.out)
    scene.crashed(site, template)
    if not (last and scene.once):
        code = site.run(*(scene.again or scene.words))
        assert code == 0, site.complaints.read_text()
    books.whole(site.folder)
    scene.after(site, template)
    shutil.rmtree(site.room)
