"""Lying models against the rules: how many of N generated lies leave, by class, and how many true answers stay.

Usage: python benchmarks/adversarial.py [--drafts N] [--seed S] [--show K] [--kind CLASS] [--blocked]
`--show` prints K slips of each class with draft and citations; `--blocked` prints the true answers that the rules block.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from tests.adversarial.attacks import DECLARED  # noqa: E402
from tests.adversarial.houses import outcomes  # noqa: E402
from tests.adversarial.judge import Outcome  # noqa: E402


def main() -> int:
    options = _options()
    begun = time.perf_counter()
    lies: dict[str, list[Outcome]] = defaultdict(list)
    true: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes(options.drafts, options.seed):
        if options.kind in ("", outcome.attempt.kind):
            (true if outcome.attempt.true else lies)[outcome.attempt.kind].append(outcome)
    _table("lies that leave", lies, options.show, left=True)
    _table("true answers that stay blocked", true, options.show if options.blocked else 0, left=False)
    print(f"{time.perf_counter() - begun:.1f} s, seed {options.seed}")
    return 1 if any(o.left for kind, found in lies.items() for o in found if kind not in DECLARED) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drafts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=2)
    parser.add_argument("--kind", default="")
    parser.add_argument("--blocked", action="store_true")
    return parser.parse_args()


def _table(title: str, found: dict[str, list[Outcome]], show: int, *, left: bool) -> None:
    hits = {kind: [o for o in all_ if o.left is left] for kind, all_ in found.items()}
    total, of = sum(map(len, hits.values())), sum(map(len, found.values()))
    print(f"\n{title}: {total}/{of}")
    for kind, slips in sorted(hits.items(), key=lambda item: -len(item[1])):
        print(f"  {len(slips):5d}/{len(found[kind]):<5d} {kind}")
        for outcome in slips[:: max(1, len(slips) // max(show, 1))][:show]:
            _print(outcome)


def _print(outcome: Outcome) -> None:
    attempt = outcome.attempt
    print(f"        Q {attempt.question}")
    print(f"        {attempt.determination.value}: {attempt.text[:160]!r} {attempt.pivot!r} {attempt.parts or ''}")
    for line in outcome.cited or outcome.codes:
        print(f"          - {line}")


if __name__ == "__main__":
    raise SystemExit(main())
