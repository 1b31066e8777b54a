#!/usr/bin/env python3
"""Times the simulator: stages by microbatches, for kinds of schedules.

Runs hetero-simulator-benchmark (target of that name), which simulates unequal
stages with slow boundaries, alone and with messages and reductions that share
cables. Each figure is the best CPU time of several runs, with that of building the
lists. The growth of a time is the exponent p of the fit time = c * instructions^p.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from figures import ROOT, Report, growth

STAGES = [4, 16, 64]
MICROBATCHES = [64, 256, 1024]
KINDS = ["gpipe", "1f1b", "h1f1b", "zero_bubble"]

# What each figure must stay below.
BARS = {f"simulate.{kind}.64x1024": 0.3 for kind in KINDS} | {
    "simulate.h1f1b.shared.64x1024": 0.3,
    "simulate.h1f1b.growth": 1.2,
    "simulate.h1f1b.shared.growth": 1.3,
}


def measure(binary: Path, repeats: int, report: Report) -> None:
    """All kinds and sizes."""
    for name in [*KINDS, "h1f1b.shared"]:
        kind, _, shared = name.partition(".")
        points: list[tuple[int, float]] = []
        for stages in STAGES:
            for microbatches in MICROBATCHES:
                command = [str(binary), str(stages), str(microbatches), kind, *([shared] if shared else [])]
                runs = [json.loads(subprocess.check_output(command)) for _ in range(repeats)]
                seconds = min(run["build"] + run["simulate"] for run in runs)
                points.append((runs[0]["instructions"], seconds))
                report.add(f"simulate.{name}.{stages}x{microbatches}", seconds, "s")
        report.add(f"simulate.{name}.growth", growth(points), "exp")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("HETERO_SIMULATOR_BENCHMARK", ROOT / "build" / "bin" / "hetero-simulator-benchmark")
    parser.add_argument("--binary", type=Path, default=default, help="default: build/bin/hetero-simulator-benchmark")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each measurement (default: 5)")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    options = parser.parse_args()
    if not Path(options.binary).exists():
        print(f"error: no {options.binary}: build hetero-simulator-benchmark first", file=sys.stderr)
        return 1
    report = Report(BARS, options.json)
    measure(Path(options.binary), options.repeats, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
