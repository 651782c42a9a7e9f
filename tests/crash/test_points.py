"""Harm: a crash at the wrong moment loses, doubles or half-writes what a person decided or sent.

Each command is killed at every durable effect it has, before and after it, and repeated (SQLite's way: fail at the Nth operation, for
every N). `pytest -m long` takes every point of every command, CI every point of what people decide, a run on a desk a sample.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.conftest import AT, make_workspace, snapshot
from tests.counts import IN_CI
from tests.crash import books
from tests.crash.scenes import Scene, Site, count, crash
from trustops import assembly, settings
from trustops.domain.authenticity import EntryPoint
from trustops.operations.answering import prepare, run_review
from trustops.operations.intake import take_in
from trustops.operations.verifying import verify
from trustops.ports import ModelReply, ModelRequest
from trustops.providers.extractive import ExtractiveClient
from trustops.signing.keys import KeyRing
from trustops.signing.succession import predecessors

NAME = "Kanarienvogel"
TEXT = "Yes. Audit logs are kept for 400 days."


class Modelled:
    """Drafts of the offline provider under another name, so that some are green."""

    def __init__(self, inner: ExtractiveClient) -> None:
        self.inner = inner

    async def complete(self, request: ModelRequest) -> ModelReply:
        reply = await self.inner.complete(request)
        return reply.model_copy(update={"provider": "scripted"})


def deaf(*_: object) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Four questions decided, nothing approved, no key."""
    site = Site(tmp_path_factory.mktemp("decided"))
    make_workspace(site.folder)
    names = assembly.names_of(settings.load(site.folder))
    office = assembly.office(site.folder, client=Modelled(ExtractiveClient(names)), entry=EntryPoint.EVALUATION)
    review = take_in(office, site.folder / "questionnaire.csv")
    asyncio.run(run_review(office, prepare(office, review, as_of=AT, watch=deaf), deaf))
    office.ledger.close()  # type: ignore[attr-defined]
    office.index.close()  # type: ignore[attr-defined]
    return site


@pytest.fixture(scope="module")
def keyed(decided: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """With a key and two approvals, ready to export."""
    site = decided.copy(tmp_path_factory.mktemp("keyed") / "site")
    assert site.run("keys", "init") == site.run("approve", "--green", "--by", "Ana") == 0, site.complaints.read_text()
    return site


@pytest.fixture(scope="module")
def sent(keyed: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """With an export that left."""
    site = keyed.copy(tmp_path_factory.mktemp("sent") / "site")
    assert site.run(*EXPORT) == 0, site.complaints.read_text()
    return site


@pytest.fixture(scope="module")
def drifted(decided: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The control's source gives another reading than the one that is kept."""
    site = decided.copy(tmp_path_factory.mktemp("drifted") / "site")
    snapshot(site.folder, 310, 311)
    return site


@pytest.fixture(scope="module")
def spoken(decided: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """With a rejection that names somebody."""
    site = decided.copy(tmp_path_factory.mktemp("spoken") / "site")
    assert site.run("reject", "K-2", "--by", "Ana", "--reason", f"ask {NAME}") == 0, site.complaints.read_text()
    assert any(NAME.encode() in path.read_bytes() for path in (site.folder / ".trustops").glob("kestrel.db*"))
    return site


def approvals(site: Site) -> list[tuple[str, int, str, str]]:
    return [(a["question"], a["version"], a["verdict"], a["by"]) for a in site.books.bodies("approvals")]


def green(site: Site) -> list[str]:
    return sorted(record["question"] for record in site.books.bodies("records") if record["result"]["decision"] == "PASS")


def approved_once(site: Site, before: Site) -> None:
    assert approvals(site) == [*approvals(before), ("K-2", 1, "APPROVED", "Ana")]


def green_once(site: Site, before: Site) -> None:
    assert len(green(before)) > 1
    assert sorted(approvals(site)) == [(ref, 1, "APPROVED", "Ana") for ref in green(before)]


def rejected_once(site: Site, before: Site) -> None:
    assert approvals(site) == [*approvals(before), ("K-2", 1, "REJECTED", "Ana")]


def edited_once(site: Site, before: Site) -> None:
    kept = [(a["question"], a["version"], a["author"], a["text"]) for a in site.books.bodies("answers") if a["author"] != "agents"]
    assert kept == [("K-2", 2, "Bo", TEXT)]
    assert len(site.books.bodies("records")) == len(before.books.bodies("records")) + 1


def collected_once(site: Site, before: Site) -> None:
    kept = [(s["version"], s["values"]["encrypted"]) for s in site.books.bodies("snapshots")]
    assert kept == [(1, 311), (2, 310)]
    assert len(before.books.bodies("snapshots")) == 1


def exported_once(site: Site, before: Site) -> None:
    (record,) = books.placed(site.folder, site.out, site.signers())
    assert sorted(answer["question"] for answer in record["answers"]) == green(before)
    (bundle,) = site.out.glob("bundle-*.zip")
    assert verify(assembly.bundles(), bundle).valid


def exported_as_before(site: Site, before: Site) -> None:
    exported_once(site, before)
    for path in before.out.iterdir():
        assert (site.out / path.name).read_bytes() == path.read_bytes(), path.name
    assert site.books.bodies("exports") == before.books.bodies("exports")


def one_key(site: Site, before: Site) -> None:
    current, public, private = books.keys(site.keys)
    assert ([current], [current]) == (public, private)
    assert sorted(path.name for path in site.keys.iterdir()) == sorted(["current", f"{current}.private.pem", f"{current}.public.pem"])


def rotated_once(site: Site, before: Site) -> None:
    current, public, private = books.keys(site.keys)
    old = books.keys(before.keys)[0]
    assert current != old
    assert (private, public) == ([current], sorted([str(current), str(old)]))
    assert not (site.keys / "begun").exists()
    followed = predecessors(KeyRing(site.keys).succession() or b"", (site.keys / f"{current}.public.pem").read_bytes())
    assert [name[:16] for name in followed] == [old], "who knows the old key cannot follow to the new one"


def signs(site: Site, before: Site) -> None:
    """At no moment is there a key in use that does not sign."""
    current, public, private = books.keys(site.keys) if site.keys.is_dir() else (None, [], [])
    assert current is None or (current in public and current in private)
    if before.keys.is_dir():
        assert current is not None
        assert books.keys(before.keys)[0] in public


def redacted_once(site: Site, before: Site) -> None:
    records = site.books.rows("SELECT kind, actor FROM audit ORDER BY seq")
    assert records == [("rejected", "Ana"), ("redacted", "Dee")]
    assert site.books.rows("SELECT seq FROM audit_payloads ORDER BY seq") == [(2,)]
    assert [path for path in (site.folder / ".trustops").iterdir() if NAME.encode() in path.read_bytes()] == []
    triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
    assert site.books.rows(triggers) == before.books.rows(triggers)


def redacted_or_not(site: Site, before: Site) -> None:
    """At no moment can rows be changed, or are the words gone without a record of it."""
    triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
    assert site.books.rows(triggers) == before.books.rows(triggers)
    gone = site.books.rows("SELECT 1 FROM audit_payloads WHERE seq = 1") == []
    assert gone is bool(site.books.rows("SELECT 1 FROM audit WHERE kind = 'redacted'"))


EXPORT = ("export", "--out", "{out}", "--to", "Harborview")
SCENES = {
    "approve": ("decided", Scene(("approve", "K-2@1", "--by", "Ana"), approved_once)),
    "approve --green": ("decided", Scene(("approve", "--green", "--by", "Ana"), green_once)),
    "reject": ("decided", Scene(("reject", "K-2", "--by", "Ana", "--reason", "Say it in full."), rejected_once)),
    "edit": ("decided", Scene(("edit", "K-2", "--by", "Bo", "--text", TEXT), edited_once)),
    "controls collect": ("drifted", Scene(("controls", "collect"), collected_once)),
    "export": ("keyed", Scene(EXPORT, exported_once)),
    "export again": ("sent", Scene(EXPORT, exported_as_before)),
    "redact": ("spoken", Scene(("redact", "1", "--by", "Dee", "--reason", "a name"), redacted_once, crashed=redacted_or_not)),
    "keys init": ("decided", Scene(("keys", "init"), one_key, crashed=signs, once=True)),
    "keys rotate": ("keyed", Scene(("keys", "rotate"), rotated_once, crashed=signs, once=True)),
}


ON_A_DESK = {"export": 11, "export again": 11, "edit": 7, "approve": 3, "approve --green": 3, "reject": 3, "controls collect": 3,
             "redact": 3, "keys init": 5, "keys rotate": 5}  # fmt: skip
SAMPLED = {"export": 3, "export again": 5, "edit": 2, "keys init": 3, "keys rotate": 3} if IN_CI else ON_A_DESK
"""Every so-many-th point of these in this run; all of them in `pytest -m long`."""


@pytest.mark.parametrize("name", SCENES)
def test_a_command_killed_at_any_point_is_done_once_when_it_is_repeated(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    killed(name, tmp_path, request, capsys, step=SAMPLED.get(name, 1))


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLED)
def test_a_command_of_which_a_sample_was_tried_is_done_once_at_every_point(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    killed(name, tmp_path, request, capsys, step=1)


def killed(name: str, room: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], step: int) -> None:
    """Kills a command at every `step`th of its points, and says how many there are of which kind."""
    fixture, scene = SCENES[name]
    template: Site = request.getfixturevalue(fixture)
    found = count(scene, template, room / "counted")
    assert found
    points = range(1, 2 * len(found) + 1)
    for point in points[::step]:
        crash(scene, template, room / f"point-{point}", point, last=point == points[-1])
    kinds = json.dumps({kind: 2 * found.count(kind) for kind in sorted(set(found))})
    with capsys.disabled():
        print(f"\n{name}: {len(points[::step])} of {len(points)} crash points, all reached: {kinds}")
