#!/usr/bin/env python3
"""Compares steps of the zoo on this machine's first GPU with jax[cuda].

    .venv/bin/python benchmark/gpu.py                   # all models
    .venv/bin/python benchmark/gpu.py --models gpt --json > gpu.jsonl

Each model is compiled and run by processes of benchmark/engines.py: ours on the
GPU, JAX on the same GPU with its state donated, and JAX on the CPU, whose results
are the right ones. They take turns. JAX computes products in full precision, as we
do (JAX_DEFAULT_MATMUL_PRECISION=highest), and takes memory when it needs it
(XLA_PYTHON_CLIENT_PREALLOCATE=false).

step          seconds of a step among many: each gets its batch from the host, and
              nobody waits before the last one. That is what training takes.
latency       seconds of a step alone: the median, and the spread of the middle half.
compile       from StableHLO to a step that runs; neither reads a cache.
memory        the most bytes in use on the GPU, as each engine counts its own.
difference    the largest difference of a result of the first step from JAX on the
              CPU, relative to the largest magnitude in its tensor.
kernel        seconds of a step that an operation takes in which the most time goes,
              by events of the device (hetero-run --profile), and its share of all.

Ratios are ours to theirs: less is better. Without jax[cuda] they are null, nothing is
compared, and the exit code says so. On the stand-in (docs/Cuda.md) everything runs,
and no time means anything:

    HETERO_STANDIN=... benchmark/gpu.py --size test --format ptx
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

from cpu_step import Process, largest_difference, middle
from engines import prepare
from figures import ROOT, Report

# The size in the zoo and what is changed of it: what fits 16 GB, the least of
# data centers today, and keeps a large GPU busy.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "mlp": ("paper", dict(batch=1024)),
    "gpt": ("bench", dict(layers=12, width=1024, heads=16, vocabulary=32768, length=512, batch=8)),
    "bert": ("base", dict(layers=12, width=768, heads=12, vocabulary=16384, length=256, batch=16, dropout=0.1)),
    "vit": ("paper", dict(layers=12, width=768, heads=12, side=224, batch=16)),
    "moe": ("paper", dict(layers=8, width=512, heads=8, vocabulary=16384, length=256, batch=8, experts=8)),
    "resnet": ("paper", dict(side=224, batch=32)),
    "vgg19": ("paper", dict(side=224, batch=16)),
}

# What ratios must stay below: those of benchmark/cpu_step.py.
STEP_BAR, MEAN_BAR, COMPILE_BAR, MEMORY_BAR = 1.1, 0.85, 1.0, 1.0
# What the difference must stay below.
DIFFERENCE_BAR = 2e-5

PEER = "jax[cuda]"
PEER_ENVIRONMENT = dict(
    JAX_PLATFORMS="cuda",
    JAX_DEFAULT_MATMUL_PRECISION="highest",
    XLA_PYTHON_CLIENT_PREALLOCATE="false",
)


def tool(name: str) -> Path:
    """A program of the build directory, which HETERO_BIN may name."""
    return Path(os.environ.get("HETERO_BIN") or ROOT / "build" / "bin") / name


def find_device() -> str:
    """What our runtime calls the first GPU."""
    done = subprocess.run([tool("hetero-run"), "--list-devices"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    line = next(line for line in done.stdout.splitlines() if line.startswith("device 0: "))
    return line.removeprefix("device 0: ").split(",")[0]


def find_peer() -> str:
    """Why there is no jax[cuda] on this machine; nothing if there is."""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
    done = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices('cuda')"], capture_output=True, text=True, env=environment
    )
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason"])[-1]


def profile(folder: Path, form: str, steps: int = 3) -> dict[str, float]:
    """Seconds of a step by operation; the first step is not part of it."""
    with tempfile.TemporaryDirectory(prefix="gpu.") as scratch:
        path = Path(scratch, "profile.json")
        command = [tool("hetero-run"), folder / "step.mlir", "--device=cuda", f"--cuda-format={form}"]
        command += [f"--steps={steps + 1}", f"--profile={path}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"hetero-run --profile: {done.stderr.strip()}")
        events = json.loads(path.read_text())["traceEvents"]
    seconds: dict[str, float] = {}
    for event in events:
        if event.get("cat") == "operation" and event["args"]["step"] > 0:
            seconds[event["name"]] = seconds.get(event["name"], 0.0) + event["dur"] * 1e-6 / steps
    return dict(sorted(seconds.items(), key=lambda item: (-item[1], item[0])))


class Bench:
    """The measurements of one model."""

    def __init__(self, model: str, options: argparse.Namespace, report: Report, device: str) -> None:
        self.model, self.options, self.report, self.device = model, options, report, device
        size, changes = MODELS[model] if options.size == "bench" else ("test", {})
        label = ".".join([model, size, *(f"{key}{value}" for key, value in changes.items())])
        self.folder = options.folder / label
        if not (self.folder / "step.json").exists():
            print(f"lowering {model}", file=sys.stderr, flush=True)
            prepare(model, size, changes, self.folder)

    def add(self, name: str, value: float, unit: str, **more: Any) -> None:
        """A figure of this model and device."""
        self.report.add(f"{name}.{self.model}", value, unit, device=self.device, **more)

    def compare(self, name: str, ours: float, theirs: float | None, unit: str, bar: float | None, **more: Any) -> None:
        """A figure against the peer, which may be missing."""
        self.add(name, ours, unit, peer=PEER, peer_value=theirs, ratio_bar=bar, **more)

    def measure(self, has_peer: bool) -> float | None:
        """The figures; the ratio of the steps if there is one that counts."""
        threads = len(os.sched_getaffinity(0))
        kind = f"hetero-{self.options.format}"
        engines = {"ours": Process(kind, self.folder, threads), "right": Process("xla", self.folder, threads)}
        if has_peer:
            engines["peer"] = Process("xla", self.folder, threads, **PEER_ENVIRONMENT)
        scratch = Path(tempfile.mkdtemp(prefix="gpu."))
        try:
            ratio = self._measure(engines, scratch)
        finally:
            for engine in engines.values():
                engine.end()
            shutil.rmtree(scratch)
        operations = profile(self.folder, self.options.format)
        whole = sum(operations.values())
        for name, seconds in list(operations.items())[: self.options.kernels]:
            self.report.add(
                f"kernel.{self.model}.{name}", seconds, "s", device=self.device, share=round(seconds / whole, 4)
            )
        return ratio

    def _measure(self, engines: dict[str, Process], scratch: Path) -> float | None:
        # No process starts while another one compiles.
        for engine in engines.values():
            engine.ask("ready")
        compiled = {name: engine.ask("compile") for name, engine in engines.items()}
        for name, engine in engines.items():
            engine.ask(f"first {scratch / name}")
        difference = largest_difference(scratch / "ours", scratch / "right")
        self.add("difference", difference, "", bar=DIFFERENCE_BAR)
        ours, peer = engines["ours"], engines.get("peer")
        alone: dict[str, list[float]] = {"ours": [], "peer": []}
        among: dict[str, list[float]] = {"ours": [], "peer": []}
        count = self.options.steps
        for _ in range(self.options.rounds):
            for name, engine in (("ours", ours), ("peer", peer)):
                if engine:
                    among[name].append(engine.ask(f"steps {count}")["seconds"] / count)
                    alone[name] += [engine.ask("step")["seconds"] for _ in range(3)]
        mine, theirs = statistics.median(among["ours"]), None
        if peer:
            theirs = statistics.median(among["peer"])
        self.compare("step", mine, theirs, "s", STEP_BAR, **middle(among["ours"]))
        self.compare(
            "latency", statistics.median(alone["ours"]), statistics.median(alone["peer"]) if peer else None,
            "s", None, **middle(alone["ours"]),
        )  # fmt: skip
        self.compare("compile", compiled["ours"]["seconds"], compiled["peer"]["seconds"] if peer else None, "s", COMPILE_BAR)
        used = {name: engine.ask("memory")["planned"] / 1e9 for name, engine in engines.items()}
        self.compare("memory", used["ours"], used.get("peer"), "GB", MEMORY_BAR)
        return mine / theirs if theirs and difference <= DIFFERENCE_BAR else None


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS), help="default: all")
    parser.add_argument("--size", choices=["bench", "test"], default="bench", help="test: small ones, for the stand-in")
    parser.add_argument("--format", choices=["cubin", "ptx"], default="cubin", help="of our kernels (default: cubin)")
    parser.add_argument("--steps", type=int, default=20, help="that follow each other (default: 20)")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each engine (default: 5)")
    parser.add_argument("--kernels", type=int, default=10, help="operations to list (default: 10)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "benchmark" / "gpu", help="where the steps are kept"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    options = parser.parse_args()
    if min(options.steps, options.rounds) < 1 or options.kernels < 0:
        parser.error("--steps and --rounds are at least 1, --kernels at least 0")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    device, missing = find_device(), find_peer()
    report = Report({}, options.json)
    ratios, failed = [], False
    for model in options.models:
        try:
            ratios.append(Bench(model, options, report, device).measure(not missing))
        except RuntimeError as error:
            print(f"error: {model}: {error}", file=sys.stderr)
            failed = True
    if ratios and all(ratios) and not failed:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        report.add("step.mean", mean, "x", bar=MEAN_BAR, device=device)
    if not options.json and not missing:
        print(report.table())
    if missing:
        print(f"error: no {PEER} to compare with: {missing}", file=sys.stderr)
    is_standin = device.startswith("Stand-in")
    if is_standin:
        print(f"error: '{device}' is no GPU: its times mean nothing", file=sys.stderr)
    return 0 if report.ok and not (failed or missing or is_standin) else 1


if __name__ == "__main__":
    sys.exit(main())
