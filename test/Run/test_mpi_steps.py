"""hetero-run with one process for each rank: the same command line as with
threads gives the same bits, and only the first process speaks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import steps
from mpirun import Run, fail, needs_mpi

pytestmark = needs_mpi

CLUSTER = steps.ROOT / "examples/clusters/demo.yaml"


def prepare(directory: Path) -> list[str]:
    """A step with its arguments; the flags that run it on four ranks."""
    case = steps.get("mlp", batch=7)
    (directory / "step.mlir").write_text(case.text)
    steps.save(directory / "in.npz", case.arguments)
    steps.save(directory / "expected.npz", case.expected(3))
    return [
        "step.mlir", f"--cluster={CLUSTER}", "--planner=dp-even", "--args=in.npz",
        "--opt-level=1",
    ]  # fmt: skip


def test_same_bits_as_threads(tmp_path: Path) -> None:
    flags = [*prepare(tmp_path), "--steps=3", "--compare=expected.npz"]
    threads = subprocess.run(
        [steps.tool("hetero-run"), *flags, "--out=threads.npz"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert threads.returncode == 0, threads.stderr
    run = Run(
        4, *flags, "--transport=mpi", "--out=mpi.npz", "--trace=run.json", "--print-plan",
        program=steps.tool("hetero-run"), cwd=tmp_path,
    )  # fmt: skip
    code, _ = run.end(300)
    assert code == 0, run.text
    # Once, not by each process.
    assert run.text.count("step 3: loss") == 1
    assert run.text.count("results agree") == 1
    with np.load(tmp_path / "threads.npz") as a, np.load(tmp_path / "mpi.npz") as b:
        assert a.files == b.files
        for name in a.files:
            assert a[name].tobytes() == b[name].tobytes(), name
    # The trace has all ranks.
    assert set(re.findall(r'"pid":(\d)', (tmp_path / "run.json").read_text())) == set("0123")


def test_wrong_number_of_processes(tmp_path: Path) -> None:
    flags = [*prepare(tmp_path), "--transport=mpi"]
    run = Run(3, *flags, program=steps.tool("hetero-run"), cwd=tmp_path)
    code, _ = run.end(300)
    assert code == 1
    # The first process says it for all.
    problem = "the plan is for 4 ranks, but MPI has 3 processes; start it with mpirun -n 4"
    assert run.text.count(problem) == 1, run.text


def test_wrong_input(tmp_path: Path) -> None:
    """What is wrong for all processes is said once."""
    flags = [*prepare(tmp_path), "--transport=mpi", "--planner=magic"]
    run = Run(4, *flags, program=steps.tool("hetero-run"), cwd=tmp_path)
    code, _ = run.end(300)
    assert code == 1
    assert run.text.count("error: there is no planner 'magic'") == 1, run.text


@pytest.mark.parametrize("victim", [0, 2])
def test_killed_mid_step(victim: int, tmp_path: Path) -> None:
    flags = [*prepare(tmp_path), "--transport=mpi", "--steps=1000000"]
    run = Run(4, *flags, program=steps.tool("hetero-run"), cwd=tmp_path)
    run.wait_for("^step 5: loss", 300)
    time.sleep(0.05)
    os.kill(find_rank(victim, tmp_path), signal.SIGKILL)
    fail(run, rf"^error: rank {victim} is lost: process \d+ on '.*' has ended; rank \d ", 3)


def find_rank(rank: int, directory: Path) -> int:
    """The process that mpirun has made this rank, of the run in a directory."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            if (entry / "cwd").resolve() == directory.resolve() and (
                f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment
            ):
                return int(entry.name)
        except OSError:
            continue
    pytest.fail(f"there is no process of rank {rank}")
