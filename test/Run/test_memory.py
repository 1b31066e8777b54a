"""What the check of memory promises is what a program uses.

hetero-verify says how much each rank needs, from the rank programs alone. The
devices count what kernels and buffers take when these programs run.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import steps
import test_planners

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20}
# A model, a cluster and a planner: one device, pipelines with microbatches, samples, state and
# tensors that are divided.
CASES = [
    ("mlp", "pair", "single"),
    ("mlp", "far", "spmd"),
    ("gpt", "pair", "single"),
    ("gpt", "desk", "joint"),
    ("gpt", "far", "cephalo"),
    ("vgg19", "pair", "dp-even"),
]
# Of what is used, the most that a promise is above it.
MARGIN = 1.15


def promised(partitioned: Path) -> dict[int, int]:
    """The most bytes of each rank by hetero-verify."""
    command = [steps.tool("hetero-opt"), partitioned, "--hetero-verify=remarks=true", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    found = re.findall(r"rank (\d+) needs the most memory here: (\d+) bytes", done.stderr)
    return {int(rank): int(number) for rank, number in found}


def used(output: str) -> dict[int, float]:
    """The most bytes of each rank by the devices, to four digits."""
    found = re.findall(r"rank (\d+) \(.*\): at most ([\d.]+) (\w+)", output)
    return {int(rank): float(number) * UNITS[unit] for rank, number, unit in found}


@pytest.mark.parametrize("model, cluster, planner", CASES)
def test_promise(model: str, cluster: str, planner: str, tmp_path: Path) -> None:
    case = steps.get(model, **test_planners.MODELS[model])
    path = test_planners.write_cluster(model, cluster, tmp_path)
    text, errors = test_planners.plan(case.text, path, planner)
    assert text, errors
    partitioned = tmp_path / "ranks.mlir"
    done = steps.run(text, case, tmp_path, "--memory", f"--emit-partitioned={partitioned}", steps=2)
    assert done.returncode == 0, done.stderr[-3000:]
    needs, uses = promised(partitioned), used(done.stdout)
    assert needs and needs.keys() <= uses.keys()
    for rank, need in needs.items():
        assert uses[rank] <= need * 1.0005, f"rank {rank} uses more than it was promised"
        assert need <= uses[rank] * MARGIN, f"rank {rank} was promised too much"
