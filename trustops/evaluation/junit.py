"""The record as JUnit XML, for build servers: a suite a testsuite, a gate a test of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Tree

TEXT = str.maketrans({chr(code): " " for code in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)})
"""Characters that XML cannot hold."""


def junit(told: Mapping[str, Any]) -> bytes:
    """The document as XML. A case that could not be played is an error, a gate without a figure too: a build must not go green on it."""
    root = Tree.Element("testsuites", name="trustops eval", time=str(told["seconds"]))
    for suite in told["suites"]:
        _suite(root, suite, [case for case in told["cases"] if case["suite"] == suite])
    gates = Tree.SubElement(root, "testsuite", name="gates", tests=str(len(told["gates"]) + bool(told["stopped"])))
    for gate in told["gates"]:
        test = Tree.SubElement(gates, "testcase", name=gate["metric"], classname="gates")
        if gate["state"] != "PASSED":
            _problem(test, "failure" if gate["state"] == "FAILED" else "error", f"{gate['value']}: {gate['why']}")
    if told["stopped"]:
        _problem(Tree.SubElement(gates, "testcase", name="complete", classname="gates"), "error", told["stopped"])
    counts = {kind: str(len(root.findall(f".//{kind}"))) for kind in ("failure", "error", "skipped")}
    root.set("tests", str(len(root.findall(".//testcase"))))
    root.set("failures", counts["failure"])
    root.set("errors", counts["error"])
    Tree.indent(root)
    body: bytes = Tree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _suite(root: Tree.Element, name: str, cases: list[Mapping[str, Any]]) -> None:
    bad = {kind: sum(case["outcome"] == kind for case in cases) for kind in ("FAILED", "ERROR", "SKIPPED")}
    numbers = {"failures": bad["FAILED"], "errors": bad["ERROR"], "skipped": bad["SKIPPED"], "tests": len(cases)}
    suite = Tree.SubElement(root, "testsuite", {"name": name} | {key: str(value) for key, value in numbers.items()})
    for case in cases:
        test = Tree.SubElement(suite, "testcase", name=case["case_id"], classname=f"{name}.{case['dimension']}", time=str(case["seconds"]))
        kind = {"FAILED": "failure", "ERROR": "error", "SKIPPED": "skipped"}.get(case["outcome"])
        if kind:
            _problem(test, kind, case["cause"])


def _problem(test: Tree.Element, kind: str, why: str) -> None:
    clean = str(why).translate(TEXT)
    Tree.SubElement(test, kind, message=clean[:400]).text = clean
