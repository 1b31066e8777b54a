"""Plans that divide layers along a model dimension give what JAX gives.

Which parameters are split, and along which dimension, is found by hetero-plan;
some tests ask for a number of parts, in others the planner chooses it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import steps

# Batches that do not divide. Vocabularies and widths that do, and do not.
MODELS: dict[str, dict[str, Any]] = {
    "mlp": {"batch": 7},
    "gpt": {"batch": 3},
    "bert": {"batch": 3},
    "moe": {"batch": 3},
    "vit": {"batch": 3},
}
# Links that cost next to nothing, so that parts pay for models of test size.
CLUSTER = """name: box
classes:
  slow: {{like: cpu, memory: 1 GiB, peak: {{f32: 1 GFLOP/s}}, bandwidth: 1 GB/s, overhead: 1 ns}}
  slower: {{like: cpu, memory: 1 GiB, peak: {{f32: 500 MFLOP/s}}, bandwidth: 1 GB/s, overhead: 1 ns}}
nodes:
  - name: left
    devices: [{left} x slow]
    link: {{kind: nvlink, bandwidth: 1000 GB/s, latency: 1 ns}}
  - name: right
    devices: [{right} x slower]
    link: {{kind: nvlink, bandwidth: 1000 GB/s, latency: 1 ns}}
links:
  - {{between: [left, right], kind: nvlink, bandwidth: 1000 GB/s, latency: 1 ns}}
"""


def plan(text: str, directory: Path, devices: tuple[int, int], options: str) -> str:
    """The step with a plan and a schedule."""
    cluster = directory / "cluster.yaml"
    cluster.write_text(CLUSTER.format(left=devices[0], right=devices[1]))
    command = [steps.tool("hetero-opt"), "-", f"--hetero-plan-pipeline=cluster={cluster} {options}"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def split_parameters(text: str) -> list[str]:
    """The splits of parameters along the tensor axis."""
    arguments = text[text.index("func.func") :].split(" -> ", 1)[0]
    return re.findall(r"role<parameter>, hetero\.sharding = (#hetero\.sharding<[^>]*>)", arguments)


def check(case: steps.Case, text: str, directory: Path) -> None:
    done = steps.run(text, case, directory)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


@pytest.mark.parametrize("name", MODELS)
def test_two_parts(name: str, tmp_path: Path) -> None:
    """Both halves of every stage, with pipeline and data parallelism beside it."""
    case = steps.get(name, **MODELS[name])
    text = plan(case.text, tmp_path, (2, 2), "tensor=2 microbatches=2")
    assert split_parameters(text)
    check(case, text, tmp_path)


@pytest.mark.parametrize("name", ["mlp", "gpt"])
def test_three_parts(name: str, tmp_path: Path) -> None:
    """Three parts of what has 4 heads and 128 columns are uneven."""
    case = steps.get(name, **MODELS[name])
    text = plan(case.text, tmp_path, (3, 1), "tensor=3")
    splits = split_parameters(text)
    sizes = [[int(n) for n in re.findall(r"\d+", s.split(":")[1])] for s in splits]
    assert any(len(set(parts)) > 1 for parts in sizes), splits
    check(case, text, tmp_path)


@pytest.mark.parametrize("name", ["mlp", "gpt", pytest.param("bert", marks=pytest.mark.slow)])
def test_planner_chooses(name: str, tmp_path: Path) -> None:
    """One sample cannot be shared, and links are fast: the planner divides layers."""
    case = steps.get(name, batch=1)
    text = plan(case.text, tmp_path, (4, 1), "planner=stages")
    assert re.search(r"hetero\.mesh @stage\d+ \(data = 1, tensor = [2-4]\)", text)
    assert split_parameters(text)
    check(case, text, tmp_path)


def test_user_shardings(tmp_path: Path) -> None:
    """Shardings of the user decide which dimension is split."""
    case = steps.get("mlp", **MODELS["mlp"])
    text = case.text
    kernel = re.search(r"(%arg\d+: tensor<(\d+)x(\d+)xf32>) \{([^}]*)tf\.aliasing_output", text)
    assert kernel
    sharding = 'sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, '
    text = text[: kernel.end(1)] + " {" + sharding + text[kernel.end(1) + 2 :]
    start = text.index("func.func")
    text = text[:start] + 'sdy.mesh @mesh = <["data"=2, "model"=2]>\n  ' + text[start:]
    planned = plan(text, tmp_path, (2, 2), "")
    half = int(kernel[2]) // 2
    shape = f"tensor<{kernel[2]}x{kernel[3]}xf32>"
    first = planned[planned.index(shape) :].split("}, %arg", 1)[0]
    assert f"hetero.sharding = #hetero.sharding<@stage0, tensor = split 0 : [{half}, {half}]>" in first
    check(case, planned, tmp_path)
