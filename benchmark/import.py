#!/usr/bin/env python3
"""Times reading, printing and importing GPT steps of 1,000 to 100,000 ops.

The steps are unrolled GPTs with dropout and AdamW from the model zoo, lowered
from shapes and kept in build/benchmark. Each figure of hetero-opt is the best
of several runs of the whole process, start to end. The peer is jaxlib, which
parses, verifies and prints the same file in a fresh process; its figure leaves
the start of Python out. The growth of a time is the exponent p of the fit
time - start = c * ops^p over all sizes, where start is the time for an empty
module; it is fitted to CPU time, which other processes disturb less.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]

# Layers of each size, and the name that its figures carry.
SIZES = {"1k": 0, "2k": 1, "10k": 7, "30k": 24, "100k": 96}

# What each figure must stay below.
BARS = {
    "parse_print.10k": 0.5,
    "import.10k": 2.0,
    "import.100k": 10.0,
    "import_memory.100k": 2.0,
    "parse_print.growth": 1.15,
    "import.growth": 1.15,
}

PEER = """
import resource, sys, time
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo
context = ir.Context()
registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context.append_dialect_registry(registry)
context.load_all_available_dialects()
for dialect in (stablehlo, chlo, sdy):
    dialect.register_dialect(context)
text = open(sys.argv[1]).read()
began = time.perf_counter()
with context:
    printed = ir.Module.parse(text).operation.get_asm()
open("/dev/null", "w").write(printed)
print(time.perf_counter() - began)
"""


class Run(NamedTuple):
    """One run of a process: wall and CPU seconds, and its peak memory in GB."""

    seconds: float
    cpu: float
    memory: float


def run(command: list[str]) -> Run:
    """Runs `command`, which must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"error: exit code {process.returncode} from {' '.join(command)}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9)


def best(command: list[str], repeats: int) -> Run:
    """The least time of several runs, and their largest memory."""
    runs = [run(command) for _ in range(repeats)]
    return Run(min(r.seconds for r in runs), min(r.cpu for r in runs), max(r.memory for r in runs))


def peer_seconds(path: Path, repeats: int) -> float:
    """The best time that jaxlib needs to parse, verify and print `path`."""
    command = [sys.executable, "-c", PEER, str(path)]
    return min(float(subprocess.check_output(command)) for _ in range(repeats))


def step(name: str, layers: int, folder: Path) -> Path:
    """The text of a step; lowered if it is not there yet."""
    path = folder / f"gpt.bench.layers{layers}.mlir"
    if not path.exists():
        print(f"lowering a GPT of {layers} layers ({name})", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "hetero.zoo", "--model", "gpt", "--size", "bench"]
        command += ["--layers", str(layers), "--out", str(folder), "--quiet"]
        path_list = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path_list))}
        subprocess.run(command, check=True, env=environment)
    return path


def count_ops(path: Path) -> int:
    """The number of operations in the text: results, returns and calls."""
    with open(path) as lines:
        return sum(" = " in line or line.lstrip().startswith(("return", "stablehlo.return")) for line in lines)


def growth(points: list[tuple[int, float]]) -> float:
    """The exponent of the power law that fits the points best."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    return covariance / sum((x - mean_x) ** 2 for x in xs)


class Report:
    """Collects figures and prints them as they come."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        self.ok = True

    def add(self, name: str, value: float, unit: str, peer: str = "", peer_value: float = 0.0) -> None:
        """One figure, with its bar if it has one."""
        figure: dict[str, Any] = {"name": name, "value": round(value, 4), "unit": unit}
        if peer:
            figure |= {"peer": peer, "peer_value": round(peer_value, 4), "ratio": round(value / peer_value, 3)}
        if name in BARS:
            figure |= {"bar": BARS[name], "ok": value <= BARS[name]}
            self.ok &= value <= BARS[name]
        print(json.dumps(figure) if self._json else self._line(figure), flush=True)

    @staticmethod
    def _line(figure: dict[str, Any]) -> str:
        text = f"{figure['name']:<24}{figure['value']:>12} {figure['unit']:<4}"
        if "peer" in figure:
            text += f"  {figure['peer']} {figure['peer_value']} ({figure['ratio']} of it)"
        if "bar" in figure:
            text += f"  bar {figure['bar']}: {'ok' if figure['ok'] else 'MISSED'}"
        return text


def measure(options: argparse.Namespace, report: Report) -> None:
    """All figures, size by size."""
    options.steps.mkdir(parents=True, exist_ok=True)
    opt = str(options.hetero_opt)
    empty = options.steps / "empty.mlir"
    empty.write_text("module {}\n")
    start = best([opt, str(empty), "-o", "/dev/null"], 2 * options.repeats)
    report.add("start", start.seconds, "s")
    reads: list[tuple[int, float]] = []
    imports: list[tuple[int, float]] = []
    for name in options.sizes or SIZES:
        path = step(name, SIZES[name], options.steps)
        ops = count_ops(path)
        repeats = 2 if ops > 50_000 else options.repeats
        report.add(f"ops.{name}", ops, "ops")
        read = best([opt, str(path), "-o", "/dev/null"], repeats)
        report.add(f"parse_print.{name}", read.seconds, "s", "jaxlib", peer_seconds(path, repeats))
        report.add(f"parse_print_memory.{name}", read.memory, "GB")
        imported = best([opt, "--hetero-import", str(path), "-o", "/dev/null"], repeats)
        report.add(f"import.{name}", imported.seconds, "s")
        report.add(f"import_cpu.{name}", imported.cpu, "s")
        report.add(f"import_memory.{name}", imported.memory, "GB")
        reads.append((ops, max(read.cpu - start.cpu, 1e-4)))
        imports.append((ops, max(imported.cpu - start.cpu, 1e-4)))
    if len(reads) > 1:
        report.add("parse_print.growth", growth(reads), "exp")
        report.add("import.growth", growth(imports), "exp")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("HETERO_OPT", ROOT / "build" / "bin" / "hetero-opt")
    parser.add_argument("--hetero-opt", type=Path, default=default, help="default: HETERO_OPT, or build/bin")
    parser.add_argument("--steps", type=Path, default=ROOT / "build" / "benchmark", help="where the steps are kept")
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), help="default: all")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each measurement (default: 5)")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    options = parser.parse_args()
    options.hetero_opt = Path(options.hetero_opt)
    if not options.hetero_opt.exists():
        print(f"error: no hetero-opt at {options.hetero_opt}: build it first", file=sys.stderr)
        return 1
    report = Report(options.json)
    measure(options, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
