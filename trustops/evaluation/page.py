"""The report as one HTML file: no script, no outside address, readable in print. Whatever stands in a report is text here, never markup."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from trustops.evaluation import charts
from trustops.evaluation.gate import SIGNS

Told = Mapping[str, Any]
SAID = {
    "PASSED": "Every case passed, and every gate that was judged holds.",
    "FAILED": "A case or a gate failed.",
    "INCOMPLETE": "Something could not be measured: this is not a pass.",
}


def page(told: Told) -> str:
    """The whole file."""
    body = [_gates(told), _delta(told), _failed(told), _cases(told), _metrics(told), _about(told)]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_t(told['verdict'])} · {_t(told['evaluation_run_id'])}</title>"
        f"<style>{_style()}</style></head><body>{_head(told)}<main>{''.join(body)}</main></body></html>\n"
    )


@cache
def _style() -> str:
    return files("trustops.evaluation").joinpath("page.css").read_text(encoding="utf-8")


def _t(value: object) -> str:
    return escape(str(value), quote=True)


def _tag(word: str) -> str:
    return f'<span class="tag {_t(word)}">{_t(word.replace("_", " "))}</span>'


N = "\0"
"""Before a cell that is a number."""


def _row(first: str, *cells: str) -> str:
    """A table row of markup; cells that begin with N stand to the right."""
    made = "".join(f"<td class=n>{cell[1:]}</td>" if cell.startswith(N) else f"<td>{cell}</td>" for cell in cells)
    return f"<tr><th>{first}</th>{made}</tr>"


def _note(text: object) -> str:
    """Small print beneath a cell."""
    return f'<br><span class="small soft">{_t(text)}</span>' if text else ""


def _words(name: str) -> str:
    return name.replace("_", " ").lower()


def _table(head: Iterable[str], rows: Iterable[str], numbers: frozenset[int] = frozenset()) -> str:
    cells = "".join(f"<th{' class=n' if at in numbers else ''}>{_t(name)}</th>" for at, name in enumerate(head))
    return f'<div class="table"><table><thead><tr>{cells}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _head(told: Told) -> str:
    stopped = f"<p>It stopped before its end: {_t(told['stopped'])}.</p>" if told["stopped"] else ""
    real = "a real model" if told["real_model"] else "scripted and offline seats"
    figures = {figure["name"]: figure for figure in told["metrics"]}
    tiles = [
        ("cases passed", f"{told['passed']} of {len(told['cases'])}", f"{told['failed']} failed, {told['skipped']} skipped"),
        ("gates that hold", f"{sum(g['state'] == 'PASSED' for g in told['gates'])} of {len(told['gates'])}", "a missing figure is no pass"),
        *(_tile(figures.get(name), label) for name, label in TILES),
        ("time", f"{told['seconds']:.0f} s", _t(told["engine"])),
    ]
    shown = "".join(
        f'<div class="tile"><span class="soft small">{name}</span><b>{value}</b><span class="soft small">{note}</span></div>'
        for name, value, note in tiles
    )
    what = "Release check" if told["kind"] == "release" else "Evaluation"
    verdict, date = _t(told["verdict"]), _t(told["date"][:16].replace("T", " "))
    return (
        f'<header><div><h1><span class="verdict {verdict}">{verdict}</span>{what} of TrustOps {_t(told["product"])}</h1>'
        f'<p class="soft">{date} UTC · {_t(told["execution_mode"])} with {real} · {_t(told["evaluation_run_id"])}</p>'
        f'<p>{SAID[told["verdict"]]} <span class="soft">Suites: {_t(", ".join(told["suites"]))}.</span></p>'
        f'{stopped}<div class="tiles">{shown}</div></div></header>'
    )


TILES = (
    ("blocking_finding_recall", "blocking finding recall"),
    ("false_pass_rate", "false passes"),
    ("unsupported_affirmative_export", "unsupported affirmative exports"),
)


def _tile(figure: Told | None, label: str) -> tuple[str, str, str]:
    if figure is None or figure["value"] is None:
        return label, "–", "not measured in this run"
    note = f"at most {100 * figure['bound']:.2f} % with 95 % confidence" if figure["bound"] is not None else _range(figure)
    return label, f"{_t(_plain(figure['numerator']))} of {_t(figure['denominator'])}", note


def _plain(number: object) -> str:
    text = str(number)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _range(figure: Told) -> str:
    if not figure["interval"]:
        return ""
    low, high = figure["interval"]
    return f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"


def _value(figure: Told) -> str:
    """The figure with numerator and denominator, as it is to be read."""
    if figure["value"] is None:
        return "–"
    value = float(figure["value"])
    if figure["sort"] in ("rate", "curve"):
        return f"{100 * value:.1f} % <span class=soft>({_t(_plain(figure['numerator']))}/{_t(figure['denominator'])})</span>"
    return f"{value:,.4g} {_t(figure['unit'])}" if figure["sort"] != "total" else f"{value:,.0f} {_t(figure['unit'])}"


def _gates(told: Told) -> str:
    if not told["gates"]:
        return '<h2>Gates</h2><p class="soft">No gate was judged: the suites that measure them were not run.</p>'
    rows = []
    for gate in told["gates"]:
        value = float(gate["value"]) if gate["value"] is not None else None
        look = {"PASSED": "good", "FAILED": "bad"}.get(gate["state"], "open")
        chart = charts.share(value, gate["interval"], look) if value is not None else ""
        bound = f"≤ {100 * gate['bound']:.2f} %" if gate["bound"] is not None else _range(gate).replace("95 % interval ", "")
        counted = f"{_plain(gate['numerator'])}/{gate['denominator']}"
        wanted = f"{SIGNS[gate['wanted']]} {gate['threshold']}"
        blocks = f"release blocker: {gate['blocks_release']}" if gate["blocks_release"] else ""
        authority = _t(_words(gate["authority"]))
        state = _tag(gate["state"]) + _note(gate["why"])
        rows.append(_row(_t(gate["metric"]) + _note(blocks), state, N + _t(counted), chart, N + bound, N + _t(wanted), authority))
    head = ("metric", "state", "counted", "", "95 % bound or interval", "wanted", "least authority")
    return f"<h2>Gates</h2>{_table(head, rows, frozenset({2, 4, 5}))}"


def _delta(told: Told) -> str:
    delta = told.get("delta")
    if delta is None:
        return ""
    lists = [
        ("broken", [f"<code>{_t(case['case_id'])}</code> {_t(case['cause'])}" for case in delta["broken"]]),
        ("mended", [f"<code>{_t(name)}</code>" for name in delta["mended"]]),
        ("new", [f"{len(delta['new'])} cases"] if delta["new"] else []),
        ("gone", [f"<code>{_t(name)}</code>" for name in delta["gone"]]),
        ("figures", [f"{_t(m['name'])}: {_t(_short(m['before']))} → {_t(_short(m['after']))}" for m in delta["metrics"]]),
        ("gates", [f"{_t(g['metric'])}: {_t(g['before'])} → {_t(g['after'])}" for g in delta["gates"]]),
        ("made with", [f"{_t(name)}: {_t(_short(a))} → {_t(_short(b))}" for name, (a, b) in delta["made_with"].items()]),
    ]
    shown = "".join(f"<dt>{name}</dt><dd>{'<br>'.join(rows)}</dd>" for name, rows in lists if rows)
    shown = shown or "<dt>nothing</dt><dd>Every case and figure is as before.</dd>"
    return f'<h2>Against {_t(delta["before"])}</h2><div class="card"><dl>{shown}</dl></div>'


def _short(value: object) -> str:
    if value is None:
        return "not measured"
    try:
        return f"{float(str(value)):.4g}"
    except ValueError:
        return str(value)[:60]


def _failed(told: Told) -> str:
    bad = [case for case in told["cases"] if case["outcome"] in ("FAILED", "ERROR")]
    skipped = [case for case in told["cases"] if case["outcome"] == "SKIPPED"]
    if not bad and not skipped:
        return '<h2>Failed cases</h2><div class="card soft">None.</div>'
    shown = "".join(_case(case) for case in (*bad, *skipped))
    return f"<h2>Failed cases</h2>{shown}"


def _case(case: Told) -> str:
    steps = "".join(
        _row(_t(step["name"]), _t(step["expected"]), _t(step["actual"]), _tag("PASSED" if step["ok"] else "FAILED"))
        for step in case.get("steps", ())
    )
    table = _table(("expectation", "expected", "came", ""), [steps]) if steps else ""
    dossier = case.get("dossier") or {}
    held = f"<h3>Case file</h3><pre>{_t(json.dumps(dossier, ensure_ascii=False, indent=1, default=str))}</pre>" if dossier else ""
    trace = f'<p class="small soft">trace {_t(case["trace"])}</p>' if case["trace"] else ""
    name = _t(case["case_id"])
    head = f"{_tag(case['outcome'])} <code>{name}</code> {_t(case['title'])}{_note(case['cause'])}"
    return f'<details id="{name}"><summary>{head}</summary>{table}{trace}{held}</details>'


def _cases(told: Told) -> str:
    seats = next((figure for figure in told["metrics"] if figure["name"] == "latency_per_agent" and figure["points"]), None)
    title = "<h3>Model call by seat: median / 95th percentile</h3>"
    latency = f'<div class="card">{title}{charts.seats(seats["points"], seats["unit"])}</div>' if seats else ""
    rows = [
        _row(f"<code>{_t(c['case_id'])}</code>", _t(c["title"]), _t(c["suite"]), _tag(c["outcome"]), f"{N}{c['seconds']:.1f} s")
        for c in told["cases"]
    ]
    every = f"<details><summary>All {len(rows)} cases</summary>{_table(('case', '', 'suite', '', 'time'), rows, frozenset({4}))}</details>"
    return (
        f'<h2>Cases</h2><div class="two"><div class="card"><h3>By suite</h3>{charts.outcomes(told["by_suite"])}</div>'
        f'<div class="card"><h3>By level</h3>{charts.outcomes(told["by_level"])}</div>{latency}</div><p></p>{every}'
    )


def _metrics(told: Told) -> str:
    rows, area = [], ""
    for figure in told["metrics"]:
        if figure["area"] != area:
            area = figure["area"]
            rows.append(f'<tr class="area"><th colspan="5">{_t(area)}</th></tr>')
        is_share = figure["sort"] in ("rate", "curve") and figure["value"] is not None
        chart = charts.share(float(figure["value"]), figure["interval"], "") if is_share else ""
        defined = figure["counted"] + (f" / {figure['among']}" if figure["among"] else "")
        authority = _t(_words(figure["authority"] or ""))
        rows.append(_row(_t(figure["name"]) + _note(defined), N + _value(figure), chart, _tag(figure["state"]), authority))
    return f"<h2>Metrics</h2>{_table(('metric', 'value', '', 'state', 'authority'), rows, frozenset({1}))}"


def _about(told: Told) -> str:
    pairs = {
        "commit": told["git_commit"] or "not a checkout",
        "data": told["dataset_version"],
        "command": " ".join(told["commands"]),
        "model": ", ".join(f"{seat}: {name}" for seat, name in told["model_profiles"].items()),
        "prompts": ", ".join(f"{name} {version}" for name, version in told["prompt_versions"].items()),
        "skills": ", ".join(f"{name} {version}" for name, version in told["skill_versions"].items()),
    }
    shown = "".join(f"<dt>{name}</dt><dd><code>{_t(value)}</code></dd>" for name, value in pairs.items())
    limits = "".join(f"<li>{_t(limit)}</li>" for limit in told["known_limitations"])
    return f'<h2>Made with</h2><div class="card"><dl>{shown}</dl></div><footer><h3>Known limitations</h3><ul>{limits}</ul></footer>'
