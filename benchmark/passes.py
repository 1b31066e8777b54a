#!/usr/bin/env python3
"""Times planning GPT steps of 1,000 to 10,000 lines for 8 unlike ranks, and compiling them.

The steps are unrolled GPTs with dropout and AdamW from the model zoo, kept in
build/benchmark. `passes` is hetero-opt from the text of JAX to verified rank
programs. `jit` is hetero-run at -O3 from the same text to the end of one step of
a narrow model, so that compiling is nearly all of it. Each is the wall time of
the whole process, best of several runs; `*_cpu` is its CPU time, which other
processes disturb less. The growth of a time is the exponent p of the fit
time = c * lines^p over all sizes, of CPU time.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from figures import ROOT, Report, add_options, best, gpt, growth

# Layers of each size, and the name that its figures carry.
SIZES = {"1k": 0, "2k": 1, "5k": 3, "10k": 7}

# What each figure must stay below.
BARS = {"passes.10k": 10.0, "jit.10k": 60.0, "passes.growth": 1.3, "jit.growth": 1.3}

# How the step is laid out: by the default planner, by samples alone, by layers alone.
PLANS = {
    "": "planner=stages",
    "_data": "planner=dp-proportional",
    "_pipeline": "planner=stages microbatches=8 max-stages=8",
}

CLUSTER = """name: eight
nodes:
  - name: fast
    devices: [4 x a100-40]
    link: {kind: nvlink, bandwidth: 100 GB/s, latency: 5 us}
  - name: slow
    devices: [2 x v100-16, 2 x t4]
    link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us}
links:
  - {between: [fast, slow], kind: ethernet, bandwidth: 10 Gb/s, latency: 30 us}
"""


def measure(options: argparse.Namespace, report: Report) -> None:
    """All figures, size by size."""
    options.steps.mkdir(parents=True, exist_ok=True)
    cluster = options.steps / "eight.yaml"
    cluster.write_text(CLUSTER)
    times: dict[str, list[tuple[int, float]]] = {"passes": [], "jit": []}
    for name in options.sizes or SIZES:
        wide = gpt(SIZES[name], options.steps)
        narrow = gpt(SIZES[name], options.steps, width=64, heads=4, length=32, batch=13, vocabulary=101)
        lines = len(wide.read_text().splitlines())
        report.add(f"lines.{name}", lines, "lines")
        for suffix, plan in PLANS.items():
            passes = [f"--hetero-plan-pipeline=cluster={cluster} {plan} partition=true"]
            passes += ["--hetero-select-collectives", "--hetero-verify"]
            done = best([str(options.bin / "hetero-opt"), str(wide), *passes, "-o", "/dev/null"], options.repeats)
            report.add(f"passes{suffix}.{name}", done.seconds, "s")
            if not suffix:
                report.add(f"passes_cpu.{name}", done.cpu, "s")
                report.add(f"passes_memory.{name}", done.memory, "GB")
                times["passes"].append((lines, done.cpu))
        flags = [f"--cluster={cluster}", "--planner=dp-proportional", "--opt-level=3", "--seed=1"]
        done = best([str(options.bin / "hetero-run"), str(narrow), *flags], 1)
        report.add(f"jit.{name}", done.seconds, "s")
        report.add(f"jit_cpu.{name}", done.cpu, "s")
        times["jit"].append((lines, done.cpu))
    for name, points in times.items():
        if len(points) > 1:
            report.add(f"{name}.growth", growth(points), "exp")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("HETERO_BIN") or ROOT / "build/bin")
    parser.add_argument("--bin", type=Path, default=default, help="default: HETERO_BIN, or build/bin")
    add_options(parser, repeats=3)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), help="default: all")
    options = parser.parse_args()
    for tool in ("hetero-opt", "hetero-run"):
        if not (options.bin / tool).exists():
            print(f"error: no {tool} in {options.bin}: build it first", file=sys.stderr)
            return 1
    report = Report(BARS, options.json)
    measure(options, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
