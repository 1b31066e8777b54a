"""Plans of every planner, for mixed clusters, run and give what JAX gives.

A case is a model on a cluster. All planners plan it; what comes out is run once
for each different plan. A planner may find that nothing in its space fits the
memory of a cluster, and then says so; `joint` always finds something.
"""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import steps

# Batches that do not divide.
MODELS: dict[str, dict[str, Any]] = {
    "mlp": {"batch": 11},
    "gpt": {"batch": 7},
    "bert": {"batch": 5},
    "vit": {"batch": 5},
    "moe": {"batch": 5},
    "vgg19": {"batch": 5},
}
CLUSTERS = Path(__file__).resolve().parent / "Inputs/clusters"
NAMES = ("desk", "far", "pair", "room", "small", "tight", "tower")
SAMPLE = {("mlp", name) for name in NAMES} | {("gpt", "tight"), ("vgg19", "far")}
# Where every planner finds a plan.
ROOMY = ("desk", "far", "pair")
# It tries everything, so it gets few layers and devices.
EXHAUSTIVE = {("mlp", "pair"), ("gpt", "pair"), ("vit", "pair"), ("mlp", "small"), ("vgg19", "small")}


def planners() -> list[str]:
    """As the engine lists them."""
    command = [steps.tool("hetero-plan"), steps.ROOT / "examples/problems/gpt.yaml", "--planner=none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.stderr.strip().rpartition("there are: ")[2].split(", ")


def plan(text: str, cluster: Path, planner: str, *options: str) -> tuple[str, str]:
    """The step with a plan and a schedule, or nothing and the reason."""
    pipeline = " ".join([f"--hetero-plan-pipeline=cluster={cluster} planner={planner}", *options])
    command = [steps.tool("hetero-opt"), "-", pipeline]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    return done.stdout, done.stderr


@functools.lru_cache(maxsize=None)
def need(name: str) -> int:
    """The bytes that a step takes on one device, by its plan or by its kernels."""
    units = {"B": 1, "KB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20}
    case = steps.get(name, **MODELS[name])
    text, errors = plan(case.text, CLUSTERS / "one.yaml", "single", "microbatches=1")
    assert text, errors
    planned = re.findall(r"hetero\.share .* memory ([\d.]+) (\w+)", text)
    command = [steps.tool("hetero-run"), "-", "--memory", "--opt-level=0"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    used = re.findall(r"at most ([\d.]+) (\w+) (?:of .* )?in use", done.stdout)
    assert planned and used, done.stderr[-3000:]
    most = max(float(number) * units[unit] for number, unit in planned + used)
    # What convolutions take on the CPU beside their operands is in no plan.
    return int(most * (1.5 if "convolution" in text else 1))


def write_cluster(model: str, name: str, directory: Path) -> Path:
    """The cluster with memory in parts of what the model needs."""
    text = (CLUSTERS / f"{name}.yaml").read_text()
    text = re.sub(r"memory: ([\d.]+)x", lambda m: f"memory: {int(float(m[1]) * need(model))} B", text)
    path = directory / f"{name}.yaml"
    path.write_text(text)
    return path


def decisions(text: str) -> str:
    """A plan without its planner and predictions."""
    text = re.sub(r'planner "[^"]*"| gap [\d.]+| limited_by \[.*?\]', "", text)
    return re.sub(r" \w+ [\d.]+ [num]?s\b", "", text)


CASES = [(model, cluster) for model in MODELS for cluster in NAMES]


@pytest.mark.parametrize(
    ("model", "cluster"),
    [pytest.param(*case, marks=() if case in SAMPLE else pytest.mark.slow) for case in CASES],
)
def test_planners(model: str, cluster: str, tmp_path: Path) -> None:
    case = steps.get(model, **MODELS[model])
    path = write_cluster(model, cluster, tmp_path)
    plans: dict[str, str] = {}
    found = []
    for planner in planners():
        options = []
        if planner == "exhaustive":
            if (model, cluster) not in EXHAUSTIVE:
                continue
            options.append("max-layers=3")
        text, errors = plan(case.text, path, planner, *options)
        if not text:
            assert re.search(r"short of [\d.]+ \w+ of memory|no plan whose program fits", errors), errors
            continue
        found.append(planner)
        if decisions(text) in plans:
            continue
        plans[decisions(text)] = planner
        done = steps.run(text, case, tmp_path / planner)
        assert done.returncode == 0, f"{planner}: {done.stderr[-3000:]}"
        assert "results agree" in done.stdout, planner
    print(f"{model} on {cluster}: {len(plans)} different plans of {len(found)} planners")
    assert {"joint", "stages"} <= set(found)
    if cluster in ROOMY:
        assert set(planners()) - {"exhaustive"} <= set(found)
