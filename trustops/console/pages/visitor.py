"""Who looks at a page, and what they may do there. The one place of the pages that knows how somebody is signed in."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from trustops.console.doors import Need, admit
from trustops.console.people import office_of, who
from trustops.console.runs import Runs
from trustops.domain.approval import MAY_APPROVE, MAY_EDIT, MAY_EXPORT, Role
from trustops.domain.authenticity import ExecutionMode, Origin, declared_by, execution_mode
from trustops.operations.office import Office


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who signed in, with the office of their organisation and its runs. `csrf` is what a form of theirs carries."""

    office: Office
    runs: Runs
    person: str
    role: Role
    csrf: str

    @property
    def may_edit(self) -> bool:
        return self.role in MAY_EDIT

    @property
    def may_approve(self) -> bool:
        return self.role in MAY_APPROVE

    @property
    def may_export(self) -> bool:
        return self.role in MAY_EXPORT

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN

    @property
    def mode(self) -> str:
        """LIVE where a run that is started now would be live, else TEST or RECORDED: derived as a run's mode is, never stated."""
        return house_mode(self.office)


def visitor(request: Request) -> Visitor:
    """Whoever signed in. Raises Problem 401; the doors of the pages let nobody else in."""
    found = who(request)
    return Visitor(office_of(request), found.hosted.runs, found.person, found.role, found.form)


def approving(request: Request) -> Visitor:
    """Somebody who may approve, behind a door that lets in more. Raises Problem 403."""
    admit(who(request), Need.APPROVE)
    return visitor(request)


def house_mode(office: Office) -> str:
    """What a run would be whose calls the office's model serves now."""
    origin = declared_by(office.client)
    if origin is Origin.RECORDED:
        return "RECORDED"
    mode = execution_mode([origin], entry=office.entry, as_of_given=office.as_of is not None)
    return "LIVE" if mode is ExecutionMode.LIVE_AI else "TEST"
