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
import os
import subprocess
import sys
from pathlib import Path

from figures import ROOT, Report, add_options, best, count_ops, gpt, growth

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


def peer_seconds(path: Path, repeats: int) -> float:
    """The best time that jaxlib needs to parse, verify and print `path`."""
    command = [sys.executable, "-c", PEER, str(path)]
    return min(float(subprocess.check_output(command)) for _ in range(repeats))


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
        path = gpt(SIZES[name], options.steps)
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
    add_options(parser, repeats=5)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), help="default: all")
    options = parser.parse_args()
    options.hetero_opt = Path(options.hetero_opt)
    if not options.hetero_opt.exists():
        print(f"error: no hetero-opt at {options.hetero_opt}: build it first", file=sys.stderr)
        return 1
    report = Report(BARS, options.json)
    measure(options, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
