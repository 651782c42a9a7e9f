"""Honest answers that the rules block and near-lies that they let through, on the labelled set of tests/data/answers, by class.

Usage: python benchmarks/answers.py [--misses]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # a checkout that is not installed can be measured too

from tests.checks.labelled import Tried, cases, tried  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="print each case that ends otherwise than its label says")
    options = parser.parse_args()
    by_kind: dict[str, list[Tried]] = defaultdict(list)
    for case in cases():
        by_kind[case.kind].append(tried(case))
    everything = [one for found in by_kind.values() for one in found]
    for kind, found in [*by_kind.items(), ("ALL", everything)]:
        honest = [one for one in found if one.case.honest]
        lies = [one for one in found if not one.case.honest]
        blocked, leaving = [one for one in honest if not one.left], [one for one in lies if one.left]
        print(f"{kind:<12} honest blocked {len(blocked)}/{len(honest)}  near-lies that leave {len(leaving)}/{len(lies)}")
        if options.misses and kind != "ALL":
            for one in [*blocked, *leaving]:
                print(f"    {one.case.id} {one.case.attempt.question} => {one.case.attempt.text}")
                print("".join(f"        {line}\n" for line in one.codes), end="")
    return 1 if any(one.left and not one.case.honest for one in everything) else 0


if __name__ == "__main__":
    raise SystemExit(main())
