#!/usr/bin/env python3
"""Compares single kernels with what the machine and its libraries can do.

chain    element-wise operations that belong into one loop, against the time that
         the machine needs to move the same bytes: what it reads and writes at
         the speed of NumPy's `add`, on as many threads. Arrays are far larger
         than the caches.
gemm     products of matrices, plain, transposed and batched, against the library
         itself, called directly with as many threads.

Each kernel is a step of its own, compiled and run as all steps are. Ours and the
peer take turns, the peer in a process of its own; the figure is the median.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from typing import Any, Callable

import numpy as np
from engines import compile_text
from figures import Report

# How much slower than its peer a kernel may be: a fifth less bandwidth, and a
# twentieth more time.
CHAIN_BAR, GEMM_BAR = 1.25, 1.05

# Rows and columns of the arrays of a chain.
SHAPE = (4096, 4096)

# State and other arguments `a`, `b`, ...; the new state in terms of them.
CHAINS = {
    "triad": ("a", "b", ["%1 = stablehlo.multiply %a, %scale : T", "%2 = stablehlo.add %1, %b : T"], ["%2"]),
    "gelu": (
        "a", "b",
        [
            "%1 = stablehlo.multiply %a, %a : T", "%2 = stablehlo.multiply %1, %a : T",
            "%3 = stablehlo.multiply %2, %scale : T", "%4 = stablehlo.add %a, %3 : T",
            "%5 = stablehlo.tanh %4 : T", "%6 = stablehlo.add %5, %one : T",
            "%7 = stablehlo.multiply %6, %a : T", "%8 = stablehlo.add %7, %b : T",
        ],
        ["%8"],
    ),
    "adam": (
        "abc", "d",
        [
            "%1 = stablehlo.multiply %b, %decay : T", "%2 = stablehlo.multiply %d, %scale : T",
            "%m = stablehlo.add %1, %2 : T", "%3 = stablehlo.multiply %d, %d : T",
            "%4 = stablehlo.multiply %3, %scale : T", "%5 = stablehlo.multiply %c, %decay : T",
            "%v = stablehlo.add %4, %5 : T", "%6 = stablehlo.sqrt %v : T",
            "%7 = stablehlo.add %6, %scale : T", "%8 = stablehlo.divide %m, %7 : T",
            "%9 = stablehlo.multiply %8, %scale : T", "%p = stablehlo.subtract %a, %9 : T",
        ],
        ["%p", "%m", "%v"],
    ),
}  # fmt: skip

# Seconds between turns.
REST = 0.05

# Batch, rows, columns, depth; which side is stored transposed. The state is the
# left side where that is not, and rows or columns are the depth.
GEMMS = {
    "nn": (1, 2048, 1024, 2048, ""),
    "tn": (1, 2048, 1024, 2048, "a"),
    "nt": (1, 1024, 2048, 2048, "b"),
    "nn.narrow": (1, 512, 4096, 512, ""),
    "batched": (64, 128, 128, 128, ""),
    "batched.nt": (64, 128, 128, 128, "b"),
}


def step_text(state: dict[str, str], others: dict[str, str], body: list[str], new: list[str]) -> str:
    """A step with that new state, whose loss is the sum of a small batch."""
    arguments = [f"%{name}: {kind} {{hetero.role = #hetero.role<parameter>}}" for name, kind in state.items()]
    arguments += [f"%{name}: {kind} {{hetero.role = #hetero.role<hyper_parameter>}}" for name, kind in others.items()]
    arguments.append("%batch: tensor<8xf32> {hetero.role = #hetero.role<batch>}")
    kinds = list(state.values())
    results = ["tensor<f32> {hetero.role = #hetero.role<loss>}"]
    results += [f"{kind} {{hetero.role = #hetero.role<updated_state of {i}>}}" for i, kind in enumerate(kinds)]
    lines = [
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{",
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
        "%loss = stablehlo.reduce(%batch init: %zero) applies stablehlo.add across dimensions = [0]"
        " : (tensor<8xf32>, tensor<f32>) -> tensor<f32>",
        *body,
        f"return {', '.join(['%loss', *new])} : {', '.join(['tensor<f32>', *kinds])}",
        "}",
    ]
    return "\n".join(lines)


def chain_text(name: str) -> str:
    """The step of a chain."""
    state, others, body, new = CHAINS[name]
    kind = f"tensor<{SHAPE[0]}x{SHAPE[1]}xf32>"
    constants = {"scale": 0.01, "one": 1.0, "decay": 0.99}
    lines = [f"%{key} = stablehlo.constant dense<{value}> : {kind}" for key, value in constants.items()]
    lines += [line.replace(": T", f": {kind}") for line in body]
    return step_text(dict.fromkeys(state, kind), dict.fromkeys(others, kind), lines, new)


def gemm_shapes(name: str) -> tuple[list[int], list[int], list[int]]:
    """Of the two sides and of the product, with the batch where there is one."""
    batch, rows, columns, depth, transposed = GEMMS[name]
    outer = [batch] if batch > 1 else []
    left = outer + ([depth, rows] if transposed == "a" else [rows, depth])
    right = outer + ([columns, depth] if transposed == "b" else [depth, columns])
    return left, right, outer + [rows, columns]


def gemm_text(name: str) -> str:
    """The step whose new state is the product; the state is the side of its shape."""
    left, right, result = gemm_shapes(name)
    kinds = ["tensor<" + "x".join(map(str, shape)) + "xf32>" for shape in (left, right, result)]
    first = len(left) - 2
    contracted = (first if GEMMS[name][4] == "a" else first + 1, first + 1 if GEMMS[name][4] == "b" else first)
    batching = "batching_dims = [0] x [0], " if first else ""
    body = (
        f"%n = stablehlo.dot_general %a, %b, {batching}contracting_dims = [{contracted[0]}] x [{contracted[1]}]"
        f" : ({kinds[0]}, {kinds[1]}) -> {kinds[2]}"
    )
    if right == result:
        return step_text({"b": kinds[1]}, {"a": kinds[0]}, [body], ["%n"])
    return step_text({"a": kinds[0]}, {"b": kinds[1]}, [body], ["%n"])


class Ours:
    """A step that runs with random arguments."""

    def __init__(self, text: str, threads: int) -> None:
        self._step = compile_text(text, threads)
        rng = np.random.default_rng(0)
        self._data = []
        for argument in self._step.arguments:
            shape = tuple(argument.shape)
            # Products of such numbers stay as large as they are.
            values = rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[-1]))
            self._data.append(np.abs(values).reshape(-1).view(np.uint8))

    def seconds(self) -> float:
        """Of one step."""
        for index, data in enumerate(self._data):
            self._step.set_argument(index, data)
        began = time.perf_counter()
        self._step.step()
        return time.perf_counter() - began


class Peer:
    """The process that `serve` runs in."""

    def __init__(self, threads: int) -> None:
        command = [sys.executable, __file__, "--peer", f"--threads={threads}"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, *request: Any) -> float:
        """Of what `serve` knows."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def end(self) -> None:
        """Waits until the process is gone."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def make_stream(count: int, threads: int) -> Any:
    """Adds arrays of `count` floats on several threads."""
    a, b, c = (np.ones(count, np.float32) for _ in range(3))
    cuts = [count * i // threads for i in range(threads + 1)]
    pieces = [slice(low, high) for low, high in zip(cuts, cuts[1:])]

    def run() -> None:
        workers = [threading.Thread(target=np.add, args=(b[p], c[p], a[p])) for p in pieces[1:]]
        for worker in workers:
            worker.start()
        np.add(b[pieces[0]], c[pieces[0]], a[pieces[0]])
        for worker in workers:
            worker.join()

    return run


def make_gemm(name: str, threads: int) -> Any:
    """The product by the library: a batch is cut into threads, as one would by hand."""
    library = ctypes.CDLL(ctypes.util.find_library("openblas"))
    batch, rows, columns, depth, transposed = GEMMS[name]
    left, right, result = gemm_shapes(name)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape, np.float32) for shape in (left, right))
    c = np.zeros(result, np.float32)
    row_major, plain, turned = 101, 111, 112
    one, zero = ctypes.c_float(1), ctypes.c_float(0)

    def multiply(first: int, last: int) -> None:
        for i in range(first, last):
            matrices = [x[i] if batch > 1 else x for x in (a, b, c)]
            pointers = [ctypes.c_void_p(x.ctypes.data) for x in matrices]
            library.cblas_sgemm(
                row_major, turned if transposed == "a" else plain, turned if transposed == "b" else plain,
                rows, columns, depth, one, pointers[0], left[-1], pointers[1], right[-1],
                zero, pointers[2], result[-1],
            )  # fmt: skip

    library.openblas_set_num_threads(1 if batch > 1 else threads)
    cuts = [batch * i // threads for i in range(threads + 1)]

    def run() -> None:
        if batch == 1:
            return multiply(0, 1)
        workers = [threading.Thread(target=multiply, args=cut) for cut in zip(cuts[1:], cuts[2:])]
        for worker in workers:
            worker.start()
        multiply(*cuts[:2])
        for worker in workers:
            worker.join()

    return run


def serve(threads: int) -> None:
    """Answers requests with seconds: ["stream", floats] and ["gemm", name]."""
    known: dict[str, Any] = {}
    for line in sys.stdin:
        if line not in known:
            kind, what = json.loads(line)
            known[line] = make_stream(what, threads) if kind == "stream" else make_gemm(what, threads)
            known[line]()
        began = time.perf_counter()
        known[line]()
        print(time.perf_counter() - began, flush=True)


def compare(ours: Ours, peer: Peer, repeats: int, *request: Any) -> tuple[float, float]:
    """The medians of both, which take turns; the first turn does not count."""

    def rested(seconds: Callable[[], float]) -> float:
        # Threads of the library look for more work for some time.
        time.sleep(REST)
        return seconds()

    pairs = [(rested(ours.seconds), rested(lambda: peer.seconds(*request))) for _ in range(repeats + 1)][1:]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def measure(options: argparse.Namespace, report: Report) -> None:
    """All figures."""
    for name in CHAINS:
        if options.only and f"chain.{name}" not in options.only:
            continue
        peer = Peer(options.threads)
        count = SHAPE[0] * SHAPE[1]
        seconds, added = compare(Ours(chain_text(name), options.threads), peer, options.repeats, "stream", count)
        peer.end()
        state, others, _, new = CHAINS[name]
        moved = len(state) + len(others) + len(new)
        # `add` moves three arrays.
        report.add(f"chain.{name}", seconds, "s", "stream", added * moved / 3, ratio_bar=CHAIN_BAR)
        report.add(f"bandwidth.{name}", moved * 4 * count / seconds / 1e9, "GB/s", "stream", 12 * count / added / 1e9)
    for name, (batch, rows, columns, depth, _) in GEMMS.items():
        if options.only and f"gemm.{name}" not in options.only:
            continue
        peer = Peer(options.threads)
        seconds, called = compare(Ours(gemm_text(name), options.threads), peer, options.repeats, "gemm", name)
        peer.end()
        report.add(f"gemm.{name}", seconds, "s", "openblas", called, ratio_bar=GEMM_BAR)
        work = 2e-9 * batch * rows * columns * depth
        report.add(f"rate.{name}", work / seconds, "GFLOP/s", "openblas", work / called)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cpus = len(os.sched_getaffinity(0))
    names = [*(f"chain.{name}" for name in CHAINS), *(f"gemm.{name}" for name in GEMMS)]
    parser.add_argument("--only", nargs="+", choices=names, help="default: all")
    parser.add_argument("--threads", type=int, default=cpus, help=f"of each side (default: {cpus}, all)")
    parser.add_argument("--repeats", type=int, default=15, help="runs of each measurement (default: 15)")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        serve(options.threads)
        return 0
    report = Report({}, options.json)
    measure(options, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
