"""serve and watch: the service, and a run's events as they happen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustops.cli.options import HERE, AsJson, Workspace
from trustops.cli.screen import say

if TYPE_CHECKING:
    from trustops.console.watching import Source

DEMO = Path("trustops-demo")


def serve(
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="0 takes a free one.", min=0, max=65535)] = 8700,
    certificate: Annotated[Path | None, typer.Option("--certificate", help="TLS: the certificate with its chain, PEM.")] = None,
    key: Annotated[Path | None, typer.Option("--key", help="TLS: its private key, PEM.")] = None,
    workspaces: Annotated[list[Path] | None, typer.Option("--workspace", "-w", help="A workspace; may be given again.")] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="The demo organisation, in the folder of -w or trustops-demo; made where it is not there.")
    ] = False,
) -> None:
    """Serve the API and the console. It takes up runs that were left behind. SIGTERM or Ctrl+C drains: what is in work is ended, the rest
    waits for the next start. Several workspaces are several organisations, each with its own people; [service] is the first one's."""
    from trustops import assembly, settings
    from trustops.console.server import Place, host_offices

    folders = [_demo((workspaces or [DEMO])[0])] if demo else workspaces or [HERE]
    service = settings.load(folders[0]).service
    place = Place(host, port, certificate, key, service.trusted_proxies, service.hosts)
    host_offices([assembly.office(folder, durable=True) for folder in folders], place, say)


def _demo(folder: Path) -> Path:
    """A workspace of the demo organisation: the one that is there, or a new one."""
    from trustops.operations.founding import found

    if not (folder / "trustops.toml").exists():
        made = found(folder, name="", demo=True)
        say(f"Made the demo workspace {made.workspace}. Its questionnaire to upload: {made.questionnaire}")
    return folder


def watch(
    run: Annotated[str, typer.Argument(help="A run, such as R-0123456789ab.1.")],
    after: Annotated[int, typer.Option("--after", help="Begin behind the event of this number.", min=0)] = 0,
    server: Annotated[
        str | None, typer.Option("--server", "--url", help="A service, such as http://127.0.0.1:8700; else the workspace's ledger.")
    ] = None,
    workspace: Workspace = HERE,
    as_json: AsJson = False,
) -> int:
    """Print a run's events, one a line, until it ends. A service wants TRUSTOPS_TOKEN. Exit 0 where it finished, 1 where it failed, was
    cancelled or was left behind."""
    from trustops import settings
    from trustops.domain.record import TERMINAL_EVENTS

    told = settings.environment(settings.variables())
    service = server if server is not None else told.trustops_server or settings.load(workspace).server.url
    token = told.trustops_token.get_secret_value() if told.trustops_token else ""
    last, state = "", ""
    with closing(_source(service, token, workspace)) as source:
        for event in source.events(run, after):
            say(json.dumps(event, ensure_ascii=False) if as_json else _line(event))
            last = event["kind"]
        state = source.state(run) if last not in TERMINAL_EVENTS else ""
    if state == "RUNNING":
        say(f"{run}: no process works on this run any more. `trustops resume {run}` goes on, `trustops cancel {run}` ends it.")
    return 0 if last == "run_finished" or state == "FINISHED" else 1


def _source(service: str, token: str, workspace: Path) -> Source:
    """Where the events come from: a service over HTTP, or the ledger itself."""
    from trustops.console.watching import Local, Remote

    if service:
        return Remote(service, token=token)
    from trustops import assembly
    from trustops.operations.resuming import left_behind

    office = assembly.office(workspace, durable=True)
    return Local(office.ledger, lambda seen: left_behind(office, seen))


def _line(event: Mapping[str, Any]) -> str:
    """One event for a person. Findings quote foreign text, so what would steer a terminal is shown as its number."""
    told = f"{event['seq']:>5}  {event['kind']:<15} {event['question']:<10} {' '.join(_pairs(event['data']))}".rstrip()
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in told)


def _pairs(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if value not in (None, "", []):
            yield f"{key}={', '.join(map(str, value)) if isinstance(value, list) else value}"
