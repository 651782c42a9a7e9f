"""Harm: something fails, and a person sees nothing of it, finds half of it in the books, or needs more than the one documented command.

The table of failures is the one in docs/operations.md: each row is broken here, what it says is seen is looked for, its command is typed.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Ended, Terminal, rows
from tests.conftest import AT
from tests.console.conftest import serving
from tests.counts import sampled
from tests.docs.pages import ROOT, text
from trustops import assembly
from trustops.domain.authenticity import EntryPoint
from trustops.domain.errors import TrustOpsError, Unavailable
from trustops.operations.answering import prepare, run_review
from trustops.operations.approving import approve
from trustops.operations.editing import edit_answer
from trustops.operations.exporting import export
from trustops.operations.office import Office
from trustops.ports import StoredReview
from trustops.team.seat import Allowance
from trustops.testing.failing import Malformed, Silent, Slow

SOON_S = 0.1
REF = "K-3"


@dataclass
class Scene:
    """The small organisation, reviewed, with K-2 approved; what a failure leaves behind, and what must not change."""

    folder: Path
    type_in: Terminal
    seen: str = ""
    after: int = 0

    @contextmanager
    def office(self, **changes: Any) -> Iterator[tuple[Office, StoredReview]]:
        made = assembly.office(self.folder, entry=EntryPoint.EVALUATION)
        review = made.ledger.latest_review()
        assert review is not None
        try:
            yield replace(made, **changes), review
        finally:
            made.ledger.close()  # type: ignore[attr-defined]
            made.index.close()  # type: ignore[attr-defined]

    def rerun(self, change: Callable[[Office], Office], ref: str = REF) -> None:
        """Another attempt at one question with something broken; what a person then sees of it."""
        with self.office() as (office, review):
            broken = change(office)
            asyncio.run(run_review(broken, prepare(broken, review, only=[ref], as_of=AT, watch=lambda *_: None), lambda *_: None))
            run = office.ledger.runs(review.id)[-1]
            assert (run.state, office.ledger.events(run.id)[-1].kind) == ("FINISHED", "run_finished")
            assert office.ledger.latest_records(review.id)[ref].run == run.id
        self.seen = self.typed("show", ref).out + self.typed("status").out

    def refused(self, deed: Callable[[], object]) -> None:
        """A person's deed that fails: what it says, with the books as they were."""
        before = rows(self.folder)
        with pytest.raises(TrustOpsError) as told:
            deed()
        assert rows(self.folder) == before, "something of a refused deed is in the books"
        self.seen = str(told.value)

    def typed(self, *words: str) -> Ended:
        return self.type_in(*words, "-w", self.folder)

    def decided(self) -> dict[str, Any]:
        """What people decided, and where the other questions stand."""
        with self.office() as (office, review):
            ledger = office.ledger
            return {
                "approvals": dict(ledger.latest_approvals(review.id)),
                "audit": ledger.audit(),
                "answers": {ref: answer for ref, answer in ledger.latest_answers(review.id).items() if ref not in (REF, "K-1")},
                "records": {ref: record for ref, record in ledger.latest_records(review.id).items() if ref not in (REF, "K-1")},
            }


def timeout_of(seat: str) -> Callable[[Scene], None]:
    def break_(scene: Scene) -> None:
        scene.rerun(lambda office: replace(office, client=Slow([seat], office.client), allowances={seat: Allowance(SOON_S)}))

    return break_


def invalid(scene: Scene) -> None:
    scene.rerun(lambda office: replace(office, client=Malformed(["answer"], office.client)))


def silent(scene: Scene) -> None:
    scene.rerun(lambda office: replace(office, client=Silent(["reviewer"], office.client)))


class Deaf:
    """An index whose searches fail."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, query: str, *, limit: int = 10) -> Any:
        raise OSError(5, "the index cannot be read")


def skill(scene: Scene) -> None:
    scene.rerun(lambda office: replace(office, index=Deaf(office.index)))


def source(scene: Scene) -> None:
    path = scene.folder / "snapshots" / "disk-encryption.json"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")
    scene.rerun(lambda office: office, ref="K-1")
    path.write_text(whole, encoding="utf-8")  # the job writes a whole file again


def disconnect(scene: Scene) -> None:
    with scene.office() as (office, review):
        run = office.ledger.runs(review.id)[-1].id
    with serving(assembly.office(scene.folder)) as service:
        before = rows(scene.folder)  # whoever watches holds a token by now
        with service.client.sse(f"/v1/runs/{run}/events") as stream:
            scene.after = int(next(iter(stream)).id or 0)  # and the line breaks
        scene.seen = service.client.get(f"/v1/runs/{run}").text
        assert rows(scene.folder) == before


def rollback(scene: Scene) -> None:
    with scene.office() as (office, review):
        append = office.ledger.append_audit

        def full(kind: str, **rest: Any) -> Any:
            append(kind, **rest)
            raise Unavailable("the disk is full: nothing was written", where="kestrel.db", remedy="Make room, then try again.")

        office.ledger.append_audit = full  # type: ignore[method-assign]
        scene.refused(lambda: approve(office, review, REF, 1, by="Ana"))


class Stuck:
    """Files that reach the disk and cannot be renamed."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def waiting(self) -> Iterator[Any]:
        with self._inner.waiting() as files:
            files.place = self._refuse
            yield files

    def _refuse(self) -> None:
        raise OSError(28, "No space left on device")


def half_exported(scene: Scene) -> None:
    out = scene.folder / "out"
    with scene.office() as (office, review), pytest.raises((TrustOpsError, OSError)):
        export(replace(office, bundles=Stuck(office.bundles)), review, out, to="Customer")
    assert [path for path in out.iterdir() if not path.name.startswith(".")] == [], "a file without all of its record"
    scene.seen = scene.typed("status").out


def overtaken(scene: Scene) -> None:
    with scene.office() as (office, review):
        text = office.ledger.latest_answers(review.id)[REF].text
        asyncio.run(edit_answer(office, review, REF, by="Bo", text=f"{text}"))
        scene.refused(lambda: approve(office, review, REF, 1, by="Ana"))


FAILURES: dict[str, Callable[[Scene], None]] = {
    **{f"{seat} timeout": timeout_of(seat) for seat in ("commander", "policy", "control", "answer", "reviewer")},
    "invalid structured output": invalid,
    "empty reply of the reviewer": silent,
    "skill failure": skill,
    "collector failure": source,
    "SSE disconnect": disconnect,
    "approval rolled back": rollback,
    "export half written": half_exported,
    "version conflict": overtaken,
}
ON_A_RUN = frozenset(FAILURES) - {"SSE disconnect", "approval rolled back", "export half written", "version conflict"}
"""Failures that leave a decided attempt behind: the books hold it whole, and nothing else is touched."""
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `(trustops [^`]+)` \|$", re.MULTILINE)


def documented() -> dict[str, tuple[list[str], str]]:
    """The rows of docs/operations.md, "Failures, row by row": what is seen, word for word, and the command."""
    page = text(ROOT / "docs" / "operations.md").split("## Failures, row by row", 1)[1].split("\n## ", 1)[0]
    return {name.strip(): (re.findall(r"`([^`]+)`", seen), command) for name, seen, _, command in ROW.findall(page)}


def test_the_documented_failures_are_those_that_are_broken_here() -> None:
    assert set(documented()) == set(FAILURES)


def standing(scene: Scene, ref: str) -> dict[str, Any]:
    return dict(scene.typed("show", ref, "--json").json)


OF_ONE_KIND = {f"{seat} timeout" for seat in ("policy", "control", "answer")}


@pytest.mark.parametrize("name", sampled(FAILURES, FAILURES.keys() - OF_ONE_KIND))
def test_a_failure_is_seen_leaves_nothing_half_written_and_one_command_mends_it(kestrel: Path, type_in: Terminal, name: str) -> None:
    seen, command = documented()[name]
    scene = Scene(kestrel, type_in)
    assert scene.typed("approve", "K-2@1", "--by", "Ana").code == 0
    before = scene.decided()
    FAILURES[name](scene)
    assert seen, "the page says nothing of what is seen"
    assert [words for words in seen if words not in " ".join(scene.seen.split())] == [], scene.seen
    if name in ON_A_RUN:
        assert scene.decided() == before
        ref = "K-1" if name == "collector failure" else REF
        broken = standing(scene, ref)
        assert (broken["status"], broken["approval"], broken["export_gate"]["state"]) == ("BLOCKED", "LOCKED", "BLOCKED")
    with scene.office() as (office, review):
        run = office.ledger.runs(review.id)[-1].id
    said = (
        command.replace("RUN", run).replace("REF", REF).replace("--after N", f"--after {scene.after}").replace("DIR", str(kestrel / "out"))
    )
    mended = scene.typed(*[word for word in shlex.split(said)[1:] if word])
    assert mended.code == 0, mended.err
    check(name, scene, mended)


def check(name: str, scene: Scene, mended: Ended) -> None:
    """What the one command brought about."""
    if name in ON_A_RUN:
        case = standing(scene, "K-1" if name == "collector failure" else REF)
        assert not [f["code"] for f in case["findings"] if "UNAVAILABLE" in f["code"]]
        assert case["status"] == "AWAITING_APPROVAL"
    elif name == "SSE disconnect":
        numbers = [int(line.split()[0]) for line in mended.out.splitlines() if line.split() and line.split()[0].isdigit()]
        assert numbers == list(range(scene.after + 1, scene.after + 1 + len(numbers)))
        assert "run_finished" in mended.out
    elif name == "export half written":
        assert len(list((scene.folder / "out").glob("bundle-*.zip"))) == 1
        assert rows(scene.folder)["exports"] == 1
        assert "not all its files" not in scene.typed("status").out
    else:
        assert standing(scene, REF)["approval"] == "APPROVED"
