#!/usr/bin/env python3
"""Runs everything there is on CUDA devices that are not there, in many orders.

  test/Cuda/campaign.py --kinds=zoo,ops --seeds=20
  test/Cuda/campaign.py --kinds=random --random=2000 --table=random.tsv
  test/Cuda/campaign.py --summary

Each case is compiled once, run on the CPU, and run on the stand-in once for each
seed, from which everything is drawn that CUDA leaves open (hetero-run-seeds). It
is right when all results of all runs are within 2e-5 of the scale of those of the
CPU; 16-bit floats are compared by their rounding.

The table gets a line for each case as soon as that is done, and cases that it has
are not run again. What the seventh column says: `ok`; `refused` with what the
compiler said, where CUDA does not have an operation; `none`, where there is no
plan; or what is wrong, with the seed.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Iterator

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "build/python")]
sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))

import numpy as np  # noqa: E402
import standin  # noqa: E402
from campaign_cases import (  # noqa: E402
    ROOT,
    Case,
    Program,
    mpi_cases,
    operation_cases,
    plan_cases,
    planner_cases,
    random_cases,
    steps,
    user_cases,
    zoo_cases,
)

# As many as a plan has at most, of five architectures.
DEVICES = ["sm_80:8GiB", "sm_75:4GiB", "sm_70:4GiB", "sm_90:8GiB", "sm_86:8GiB"]
KINDS = ("zoo", "ops", "random", "users", "plans", "planners", "mpi")
HEADER = "case\tranks\tresults\truns\tlargest\tseconds\toutcome"
ORDERS = ("random", "lazy", "eager")
# Of one run; the largest takes some seconds.
TIMEOUT = 600


@dataclasses.dataclass
class Outcome:
    """What a line of the table says."""

    name: str
    ranks: int = 0
    results: int = 0
    runs: int = 0
    largest: float = 0.0
    seconds: float = 0.0
    outcome: str = "ok"

    def line(self) -> str:
        text = re.sub(r"\s+", " ", self.outcome)[:2000]
        return f"{self.name}\t{self.ranks}\t{self.results}\t{self.runs}\t{self.largest:.2g}\t{self.seconds:.1f}\t{text}"

    @staticmethod
    def parse(line: str) -> Outcome:
        name, ranks, results, runs, largest, seconds, outcome = line.rstrip("\n").split("\t")
        return Outcome(name, int(ranks), int(results), int(runs), float(largest), float(seconds), outcome)

    @property
    def is_bad(self) -> bool:
        return not self.outcome.startswith(("ok", "refused", "none"))


def environment(cache: Path, **settings: object) -> dict[str, str]:
    """Where programs find the stand-in, and how it behaves."""
    cache.mkdir(parents=True, exist_ok=True)
    cache.chmod(0o700)
    words = [f"{key}={value}" for key, value in {"devices": ",".join(DEVICES), **settings}.items()]
    return {**os.environ, **standin.environment(cache), "HETERO_STANDIN": ";".join(words)}


def rotated(name: str) -> str:
    """The devices, of which another one is the first for another case."""
    begin = zlib.crc32(name.encode()) % len(DEVICES)
    return ",".join(DEVICES[begin:] + DEVICES[:begin])


def write(program: Program, directory: Path) -> None:
    (directory / "module.mlir").write_text(program.text)
    np.savez(directory / "in.npz", *program.arguments)


def _read(text: str, outcome: Outcome) -> None:
    """What hetero-run-seeds said."""
    for line in text.splitlines():
        if made := re.match(r"cpu (\d+) ranks, (\d+) results", line):
            outcome.ranks, outcome.results = int(made[1]), int(made[2])
        elif run := re.match(r"seed \d+ \w+ ok (\S+) ", line):
            outcome.runs += 1
            outcome.largest = max(outcome.largest, float(run[1]))
        elif line.startswith("seed ") and outcome.outcome == "ok":
            outcome.outcome = line


def run_threads(program: Program, outcome: Outcome, seeds: int, first: int, directory: Path, cache: Path) -> None:
    """All seeds in one process, which forks."""
    command = [steps.tool("hetero-run-seeds"), "module.mlir", "--args=in.npz", f"--seeds={seeds}"]
    command += [f"--first={first}", f"--timeout={TIMEOUT}", "--feed=odd", *program.flags]
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment(cache, devices=rotated(outcome.name)),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT * (seeds + 1),
    )
    _read(done.stdout, outcome)
    if outcome.outcome != "ok" or outcome.runs == seeds:
        return
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    if errors and done.returncode == 1:
        outcome.outcome = f"refused {errors[0][7:]}" if outcome.ranks else f"refused on the CPU: {errors[0][7:]}"
    else:
        outcome.outcome = f"ended with {done.returncode}: {done.stderr[-500:]}"


def run_processes(program: Program, outcome: Outcome, seeds: int, first: int, directory: Path, cache: Path) -> None:
    """A process for each rank, started anew for each seed."""
    run = [str(steps.tool("hetero-run")), "module.mlir", "--args=in.npz", "--opt-level=0", "--cache=objects"]
    flags = [flag for flag in program.flags if flag.startswith(("--steps", "--rtol", "--cuda-memory"))]
    done = subprocess.run([*run, *flags, "--out=cpu.npz"], cwd=directory, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        outcome.outcome = f"refused on the CPU: {done.stderr[-300:]}"
        return
    outcome.ranks = program.processes
    launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(program.processes)]
    more = ["--device=cuda", "--cuda-format=ptx", "--transport=mpi", "--compare=cpu.npz", "--patience=300"]
    for seed in range(first, first + seeds):
        settings = environment(cache, seed=seed, order=ORDERS[seed % 3])
        command = [*launcher, *run, *flags, *more]
        done = subprocess.run(command, cwd=directory, env=settings, capture_output=True, text=True, timeout=TIMEOUT)
        agreed = re.search(r"(\d+) results agree.*\n\s+(\S+)", done.stdout)
        if done.returncode or not agreed:
            outcome.outcome = f"seed {seed}: {done.stderr[-1000:]}"
            return
        outcome.runs += 1
        outcome.results = int(agreed[1])
        outcome.largest = max(outcome.largest, float(agreed[2]))


def run(case: Case, seeds: int, cache: Path, first: int = 0, flags: tuple[str, ...] = ()) -> Outcome:
    """One case in a directory of its own."""
    outcome, began = Outcome(case.name), time.monotonic()
    try:
        program = case.make()
        if isinstance(program, str):
            outcome.outcome = f"none {program}"
        else:
            with tempfile.TemporaryDirectory() as directory:
                program.flags = (*program.flags, *flags)
                write(program, Path(directory))
                runner = run_processes if program.processes else run_threads
                runner(program, outcome, seeds, first, Path(directory), cache)
    except subprocess.TimeoutExpired:
        outcome.outcome = "does not end"
    except Exception as error:  # What JAX does not lower is not our concern, but is said.
        outcome.outcome = f"none {type(error).__name__}: {error}"
    outcome.seconds = time.monotonic() - began
    return outcome


def cases(kind: str, options: argparse.Namespace, directory: Path) -> Iterator[Case]:
    """Those of a kind, in their order."""
    yield from {
        "zoo": zoo_cases,
        "ops": operation_cases,
        "random": lambda: random_cases(options.random, options.first_random),
        "users": user_cases,
        "plans": lambda: plan_cases(options.plans),
        "planners": lambda: planner_cases(directory),
        "mpi": mpi_cases,
    }[kind]()


def _weight(name: str) -> int:
    """How many programs a line of the table stands for."""
    span = re.fullmatch(r"random/(\d+)-(\d+)", name)
    return int(span[2]) - int(span[1]) + 1 if span else 1


def summary(table: Path) -> str:
    """Counts by kind, and what is wrong."""
    outcomes = read_table(table).values()
    divided = {outcome.name for outcome in outcomes if outcome.outcome.startswith("ok: divided")}
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        if outcome.name in divided:
            continue
        count, weight = counts[outcome.name.split("/")[0]], _weight(outcome.name)
        count["cases"] += weight
        count["bad" if outcome.is_bad else outcome.outcome.split()[0]] += weight
        count["runs"] += outcome.runs * weight
        count["seconds"] += int(outcome.seconds)
    lines = [
        f"{kind}: {c['cases']} cases, {c['ok']} right, {c['bad']} wrong, {c['refused']} refused, "
        f"{c['none']} without a program; {c['runs']} runs, {c['seconds']} s"
        for kind, c in counts.items()
    ]
    return "\n".join(lines + [f"wrong: {o.name}: {o.outcome[:400]}" for o in outcomes if o.is_bad])


def read_table(path: Path) -> dict[str, Outcome]:
    """The last line of each case."""
    if not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.count("\t") == 6 and line != HEADER]
    return {outcome.name: outcome for outcome in map(Outcome.parse, lines)}


class Table:
    """The file with a line for each case."""

    def __init__(self, path: Path) -> None:
        self.known = read_table(path)
        self.file = path.open("a")
        if self.file.tell() == 0:
            print(HEADER, file=self.file, flush=True)

    def add(self, outcome: Outcome) -> None:
        print(outcome.line(), file=self.file, flush=True)
        print(outcome.line()[:200], flush=True)
        self.known[outcome.name] = outcome


def run_case(case: Case, options: argparse.Namespace, table: Table) -> None:
    """Runs what the table lacks; a group that is wrong is looked at one by one."""
    known = table.known.get(case.name)
    if known and not (options.again and known.is_bad) and not known.outcome.startswith("ok: divided"):
        return
    flags = (f"--cuda-memory={options.memory}",)
    outcome = known if known and not known.is_bad else run(case, options.seeds, options.cache, options.first, flags)
    if case.divide and not outcome.outcome == "ok":
        for part in case.divide():
            run_case(part, options, table)
        outcome.outcome = "ok: divided"
    if outcome is not known:
        table.add(outcome)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"some of {', '.join(KINDS)} (default: all)")
    parser.add_argument("--only", default="", help="cases whose names match this regular expression")
    parser.add_argument("--seeds", type=int, default=20, help="runs of each case (default: 20)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--memory", choices=("arena", "pool"), default="arena", help="pool: each block has bounds of its own")
    parser.add_argument("--random", type=int, default=2000, help="how many random programs (default: 2000)")
    parser.add_argument("--first-random", type=int, default=0, help="the seed of the first (default: 0)")
    parser.add_argument("--plans", type=int, default=3, help="random plans of each model and kind (default: 3)")
    parser.add_argument("--table", type=Path, default=ROOT / "build/campaign.tsv", help="where the lines go")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/campaign-kernels", help="for compiled kernels")
    parser.add_argument("--again", action="store_true", help="run cases that were wrong once more")
    parser.add_argument("--summary", action="store_true", help="only say what the table has")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if not options.summary:
        table = Table(options.table)
        with tempfile.TemporaryDirectory() as directory:
            for kind in options.kinds.split(","):
                for case in cases(kind, options, Path(directory)):
                    if re.search(options.only, case.name):
                        run_case(case, options, table)
    print(summary(options.table))
    return any(outcome.is_bad for outcome in read_table(options.table).values())


if __name__ == "__main__":
    sys.exit(main())
