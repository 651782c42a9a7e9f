"""playbooks: what people change again and again becomes a proposal; a person accepts it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, By, SignIn, Workspace, acting
from trustops.cli.screen import emit, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trustops.operations.playbooks import Proposal

Playbook = Annotated[str, typer.Argument(help="The playbook, as `trustops playbooks list` names it.")]


def playbooks_learn(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """Propose playbooks from approved answers and edits. Nothing that an agent is told changes."""
    from trustops import assembly
    from trustops.operations.playbooks import learn

    made = learn(assembly.office(workspace))
    if as_json:
        emit({"proposed": [_told(each) for each in made]})
        return
    _say(made)
    say(f"{len(made)} new proposals in playbooks/; none is active before somebody accepts it." if made else "Nothing new was learned.")


def playbooks_list(workspace: Workspace = HERE, as_json: AsJson = False) -> None:
    """The playbooks that were proposed, each with how it stands."""
    from trustops import assembly
    from trustops.operations.playbooks import proposals

    found = proposals(assembly.office(workspace))
    if as_json:
        emit({"playbooks": [_told(each) for each in found]})
        return
    _say(found)
    if not found:
        say("There are no playbooks. `trustops playbooks learn` proposes some from approved edits.")


def playbooks_accept(
    name: Playbook,
    by: By,
    without_comparison: Annotated[str, typer.Option("--without-comparison", help="Why it is let in uncompared; goes on record.")] = "",
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Let a playbook in, as an admin. It needs a comparison that is not worse, or a reason to do without."""
    from trustops.operations.playbooks import accept

    made = accept(acting(workspace, sign_in), name, by=by, without_comparison=without_comparison)
    if as_json:
        emit({"accepted": name, "digest": made.skill.digest, "by": by, "without_comparison": without_comparison or None})
        return
    say(f"{name} is a skill of this workspace now ({made.skill.digest[:12]}), let in by {by}.")
    say("The Answer seat is told it from the next run on.")


def playbooks_reject(
    name: Playbook,
    by: By,
    reason: Annotated[str, typer.Option("--reason", help="What is wrong with it.")],
    workspace: Workspace = HERE,
    sign_in: SignIn = False,
    as_json: AsJson = False,
) -> None:
    """Say no to a playbook, as an admin. The same words are not proposed again."""
    from trustops.operations.playbooks import reject

    made = reject(acting(workspace, sign_in), name, by=by, reason=reason)
    if as_json:
        emit(_told(made))
    else:
        say(f"{name} is rejected by {by}: {reason}")


def _say(found: Sequence[Proposal]) -> None:
    for each in found:
        say(f"{each.skill.name}  {each.state}  shown by {len(each.shown_by)} of {each.of} edits")
        say(f"  {each.skill.guidance.splitlines()[-1]}")


def _told(proposal: Proposal) -> dict[str, Any]:
    skill = proposal.skill
    return {
        "name": skill.name,
        "version": skill.version,
        "state": proposal.state,
        "digest": skill.digest,
        "text": skill.guidance,
        "agents": list(skill.agents),
        "shown_by": list(proposal.shown_by),
        "of": proposal.of,
    }
