#!/usr/bin/env python3
"""Compares steps of the zoo on this machine with XLA's CPU backend.

Each model is compiled and run by three processes of benchmark/engines.py with
the same threads: ours, XLA through jax.jit with its state donated, and the same
XLA with a heap that keeps what is freed (`KEEP`), because XLA otherwise asks the
system for new pages in every step. They take steps in turns, so that whatever
else the machine does disturbs all of them.

step          seconds of a step: the median, and the spread of the middle half.
              The first step is not part of it.
step_reuse    the same against XLA that keeps its pages.
step_cpu      the time that all threads together spend on a step: what is left to
              look at on a machine that does other things as well.
compile       from StableHLO to a step that runs; compile_cpu is that of all
              threads. Ours reads the text, which JAX has in memory; neither reads
              a cache.
memory        the most that the process had resident while it took steps, less
              what it had after its imports: arguments, results, temporaries and
              code, and whatever the allocator holds.
planned       the bytes that the engines count: ours at the peak of a step, XLA's
              arguments, results and temporaries by its memory analysis.
difference    the largest difference of a result of the first step, relative to
              the largest magnitude in its tensor.
loss_difference
              the largest difference of two losses of the steps, relative to the
              largest of them: one that has come close to 0 has few digits left.
              The speed of a step that is wrong does not count for the mean.

Ratios are ours to theirs: less is better.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from engines import prepare
from figures import ROOT, Report

# The size in the zoo and what is changed of it.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt": ("bench", dict(layers=8, width=512, heads=8, vocabulary=16384, length=128, batch=8)),
    "bert": ("base", dict(layers=4, width=512, heads=8, vocabulary=8192, length=128, batch=8, dropout=0.1)),
    "vit": ("paper", dict(layers=6, width=384, heads=6, side=128, batch=16)),
    "moe": ("paper", dict(layers=4, width=256, heads=4, vocabulary=8192, length=128, batch=4, experts=8)),
    "resnet": ("paper", dict(side=64, batch=8)),
    "vgg19": ("paper", dict(side=64, batch=4, hidden=1024)),
}

# What ratios must stay below.
STEP_BAR, MEAN_BAR, COMPILE_BAR, MEMORY_BAR = 1.1, 0.85, 1.0, 1.0
# What the difference must stay below, and that of losses.
DIFFERENCE_BAR, LOSS_BAR = 2e-5, 1e-3

# A heap in one piece that grows and never shrinks.
KEEP = ":".join(
    f"glibc.malloc.{key}={value}"
    for key, value in dict(mmap_max=0, arena_max=1, trim_threshold=1 << 40, top_pad=1 << 26).items()
)


class Process:
    """An engine in a process of its own; see engines.py."""

    def __init__(self, kind: str, folder: Path, threads: int, tunables: str = "", **more: str) -> None:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_COMPILATION_CACHE": "false"}
        if tunables:
            environment["GLIBC_TUNABLES"] = tunables
        environment |= more
        command = [sys.executable, str(ROOT / "benchmark" / "engines.py"), kind, str(folder), str(threads)]
        self.kind = kind
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, request: str) -> dict[str, float]:
        """What the engine answers."""
        assert self._process.stdin and self._process.stdout
        print(request, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.kind} ended at '{request}'")
        return json.loads(answer)

    def end(self) -> None:
        """Waits until the process is gone."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def largest_difference(ours: Path, theirs: Path) -> float:
    """Of all results, each relative to its scale; infinite where one is not finite."""
    largest = 0.0
    for path in sorted(theirs.glob("result.*.npy")):
        expected, actual = np.load(path), np.load(ours / path.name)
        if expected.shape != actual.shape or expected.dtype != actual.dtype:
            return math.inf
        if not np.issubdtype(expected.dtype, np.floating):
            largest = max(largest, 0.0 if np.array_equal(expected, actual) else math.inf)
            continue
        scale = float(np.max(np.abs(expected), initial=0.0)) or 1.0
        difference = float(np.max(np.abs(actual - expected), initial=0.0)) / scale
        largest = max(largest, difference if math.isfinite(difference) else math.inf)
    return largest


def middle(values: list[float]) -> dict[str, float]:
    """The quartiles."""
    if len(values) < 2:
        return {"low": values[0], "high": values[0]}
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"low": round(low, 4), "high": round(high, 4)}


def measure_model(model: str, options: argparse.Namespace, report: Report) -> dict[str, float]:
    """The figures of one model; the ratios of its steps."""
    size, changes = MODELS[model]
    label = ".".join([model, *(f"{key}{value}" for key, value in changes.items())])
    folder = options.folder / label
    if not (folder / "step.json").exists():
        print(f"lowering {model}", file=sys.stderr, flush=True)
        prepare(model, size, changes, folder)
    scratch = Path(tempfile.mkdtemp(prefix="cpu_step."))
    engines = {
        "ours": Process("hetero", folder, options.threads),
        "xla": Process("xla", folder, options.threads),
        "xla_reuse": Process("xla", folder, options.threads, KEEP),
    }
    try:
        return _measure(model, engines, scratch, options, report)
    finally:
        for engine in engines.values():
            engine.end()
        shutil.rmtree(scratch)


def _measure(
    model: str,
    engines: dict[str, Process],
    scratch: Path,
    options: argparse.Namespace,
    report: Report,
) -> dict[str, float]:
    # No process starts while another one compiles.
    for engine in engines.values():
        engine.ask("ready")
    compiled = {name: engine.ask("compile") for name, engine in engines.items()}
    for name, engine in engines.items():
        engine.ask(f"first {scratch / name}")
    difference = largest_difference(scratch / "ours", scratch / "xla")
    report.add(f"difference.{model}", difference, "", bar=DIFFERENCE_BAR)
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in engines}
    order = list(engines)
    for number in range(options.steps):
        for name in order[number % 3 :] + order[: number % 3]:
            taken[name].append(engines[name].ask("step"))
    largest = max(abs(step["loss"]) for step in taken["xla"])
    apart = max(
        abs(a["loss"] - b["loss"]) / max(largest, 1e-6) for a, b in zip(taken["ours"], taken["xla"])
    )
    report.add(f"loss_difference.{model}", apart, "", bar=LOSS_BAR)
    memory = {name: engine.ask("memory") for name, engine in engines.items()}
    seconds = {name: [step["seconds"] for step in steps] for name, steps in taken.items()}
    cpu = {name: statistics.median(step["cpu"] for step in steps) for name, steps in taken.items()}
    median = {name: statistics.median(values) for name, values in seconds.items()}
    for name, peer in (("step", "xla"), ("step_reuse", "xla_reuse")):
        report.add(
            f"{name}.{model}", median["ours"], "s", peer, median[peer],
            ratio_bar=STEP_BAR if name == "step" else None,
            **middle(seconds["ours"]),
            **{f"peer_{key}": value for key, value in middle(seconds[peer]).items()},
        )  # fmt: skip
    report.add(f"step_cpu.{model}", cpu["ours"], "s", "xla", cpu["xla"])
    ours, xla = compiled["ours"], compiled["xla"]
    report.add(
        f"compile.{model}", ours["seconds"], "s", "xla", xla["seconds"], ratio_bar=COMPILE_BAR
    )
    report.add(f"compile_cpu.{model}", ours["cpu"], "s", "xla", xla["cpu"])
    for name, field, bar in (("memory", "resident", MEMORY_BAR), ("planned", "planned", None)):
        ours_bytes, xla_bytes = memory["ours"][field] / 1e9, memory["xla"][field] / 1e9
        report.add(f"{name}.{model}", ours_bytes, "GB", "xla", xla_bytes, ratio_bar=bar)
    if not (difference <= DIFFERENCE_BAR and apart <= LOSS_BAR):
        return {}
    return {name: median["ours"] / median[name] for name in ("xla", "xla_reuse")}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS), help="default: all")
    parser.add_argument("--steps", type=int, default=9, help="timed steps of each engine (default: 9)")
    cpus = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=cpus, help=f"of each engine (default: {cpus}, all)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "benchmark" / "cpu_step", help="where the steps are kept"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    options = parser.parse_args()
    if options.steps < 1 or not 1 <= options.threads <= cpus:
        parser.error(f"--steps is at least 1, --threads 1 to {cpus}")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    report = Report({}, options.json)
    ratios = []
    for model in options.models:
        try:
            ratios.append(measure_model(model, options, report))
        except RuntimeError as error:
            print(f"error: {model}: {error}", file=sys.stderr)
            ratios.append({})
    whole = all(ratios)
    for name, key, bar in (("step", "xla", MEAN_BAR), ("step_reuse", "xla_reuse", None)):
        if whole:
            report.add(f"{name}.mean", math.exp(statistics.fmean(math.log(r[key]) for r in ratios)), "x", bar=bar)
    if not options.json:
        print(report.table())
    return 0 if report.ok and whole else 1


if __name__ == "__main__":
    sys.exit(main())
