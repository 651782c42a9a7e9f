"""What an evaluation was made with: commit, data, prompts, skills, model, command (evaluation.md, "Report")."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import trustops
from trustops import roster
from trustops.domain.chain import digest, sha256
from trustops.evaluation.case import Case
from trustops.evaluation.running import About
from trustops.roster import shipped

LIMITATIONS = (
    "The offline provider quotes and classifies by rules: its figures are of rules quoting rules, not of a model.",
    "Rates of nought hold for cases drawn from the same families and grid; they say nothing of wordings outside them.",
    "Citation entailment compares numbers, versions and acronyms as words; it does not judge meaning.",
    "Judges, human raters and the capability dimensions are measured by suites of their own.",
)


def about(cases: Iterable[Case], *, command: str, model: str, real_model: bool = False) -> About:
    """What stands in the record beside the results. `model` is the profile's name."""
    table = roster.load()
    return About(
        git_commit=git_commit(shipped("golden").parent),
        dataset_version=dataset_version(cases),
        prompt_versions={name: f"{prompt.version}:{prompt.digest[:12]}" for name, prompt in sorted(table.prompts.items())},
        skill_versions={name: f"{skill.version}:{skill.digest[:12]}" for name, skill in sorted(table.skills.items())},
        model_profiles={"judged": model},
        commands=(command,),
        real_model=real_model,
        engine=f"inline, langgraph {_version('langgraph')}",
        product=trustops.__version__,
        limitations=LIMITATIONS,
    )


def dataset_version(cases: Iterable[Case]) -> str:
    """A digest of all cases and of the files that they lead to, so that two runs on other data are not compared unawares."""
    told = [case.model_dump(mode="json", exclude={"input"}) | {"input": _input(case)} for case in cases]
    return digest(told)[:16]


def _input(case: Case) -> object:
    """What is given; of a folder the digest of its files, since its path is this machine's."""
    folder = case.input.get("folder")
    if folder is None:
        return sha256(repr(sorted(case.input.items())).encode())
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and ".trustops" not in path.parts)
    return [(path.relative_to(folder).as_posix(), sha256(path.read_bytes())) for path in files]


def git_commit(root: Path) -> str:
    """The commit of a checkout, read from its files; empty where it is none. Not told: whether files were changed since."""
    git = root / ".git"
    if git.is_file():  # a linked worktree names its folder
        git = Path(git.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
    if not (git / "HEAD").is_file():
        return ""
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    common = git / "commondir"
    shared = (git / common.read_text(encoding="utf-8").strip()).resolve() if common.is_file() else git
    if (shared / name).is_file():
        return (shared / name).read_text(encoding="utf-8").strip()
    packed = shared / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
