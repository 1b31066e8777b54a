"""The same script under mpirun: each process is one device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import os, pathlib, sys
import hetero, jax, numpy as np
sys.path.insert(0, {here!r})
import jit_steps as steps

step = hetero.jit(steps.sgd, cluster=steps.cluster({ranks}), planner={planner!r}, donate_argnums=0)
reference = jax.jit(steps.sgd)
state, expected = steps.parameters(), steps.parameters()
for seed in range(5):
    state, loss = step(state, steps.batch(seed=seed))
    expected, expected_loss = reference(expected, steps.batch(seed=seed))
    steps.assert_close(loss, expected_loss)
# Every process gets the whole state.
steps.assert_close(state, expected)
# Standard output of several processes may be mixed: each has a file of its own.
said = pathlib.Path(__file__).with_name("said-" + os.environ["OMPI_COMM_WORLD_RANK"])
said.write_text("equal on " + str(step.program(state, steps.batch()).num_ranks))
"""


def mpirun(ranks, script):
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--allow-run-as-root"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sys.path]),
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [*command, sys.executable, script], capture_output=True, text=True, timeout=300,
        env=environment,
    )  # fmt: skip


@pytest.mark.parametrize("ranks, planner", [(2, "stages"), (3, "dp-proportional")])
def test_training_under_mpirun(tmp_path, ranks, planner):
    script = tmp_path / "train.py"
    here = str(Path(__file__).parent)
    script.write_text(SCRIPT.format(here=here, ranks=ranks, planner=planner))
    result = mpirun(ranks, script)
    assert result.returncode == 0, result.stdout + result.stderr
    assert not result.stdout.strip()
    said = {file.name: file.read_text() for file in tmp_path.glob("said-*")}
    assert said == {f"said-{rank}": f"equal on {ranks}" for rank in range(ranks)}


def test_a_wrong_number_of_processes(tmp_path):
    script = tmp_path / "train.py"
    here = str(Path(__file__).parent)
    script.write_text(SCRIPT.format(here=here, ranks=3, planner="dp-even"))
    result = mpirun(2, script)
    assert result.returncode != 0
    problem = "CompileError: the plan is for 3 ranks, but MPI has 2 processes; start it with mpirun -n 3"
    assert result.stderr.count("CompileError") == result.stderr.count(problem) >= 1
