"""Programs that divide single operations, as `spmd` and `hap` find them, give what JAX gives."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import mpirun
import numpy as np
import pytest
import steps
import test_planners

CASES = [
    ("mlp", "desk", "spmd"),
    ("mlp", "tower", "hap"),
    ("gpt", "far", "spmd"),
    *(pytest.param(m, c, p, marks=pytest.mark.slow) for m, c, p in [
        ("gpt", "tower", "spmd"), ("gpt", "desk", "hap"), ("moe", "far", "spmd"), ("moe", "room", "hap"),
        ("vit", "tower", "spmd"), ("vit", "far", "hap"), ("bert", "tower", "spmd"), ("vgg19", "pair", "spmd"),
        ("vgg19", "pair", "hap"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("model", "cluster", "planner"), CASES)
def test_programs(model: str, cluster: str, planner: str, tmp_path: Path) -> None:
    case = steps.get(model, **test_planners.MODELS[model])
    path = test_planners.write_cluster(model, cluster, tmp_path)
    text, errors = test_planners.plan(case.text, path, planner)
    assert text, errors
    assert re.search(r"hetero\.mesh @stage0 \(data = 1, tensor = [2-8]\)", text)
    assert "hetero.reshard" in text
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


# A link so slow that a gradient of 256 x 256 costs more than two factors of 4 x 256.
SLOW_LINK = """name: pair
classes:
  fast: {like: cpu, memory: 1 GiB, peak: {f32: 2 GFLOP/s}, bandwidth: 20 GB/s, overhead: 1 ns}
  slow: {like: cpu, memory: 1 GiB, peak: {f32: 1 GFLOP/s}, bandwidth: 10 GB/s, overhead: 1 ns}
nodes:
  - name: box
    devices: [1 x fast, 1 x slow]
    link: {kind: pcie, bandwidth: 1 GB/s, latency: 1 ns}
"""


def run(directory: Path, arguments: list[np.ndarray], expected: list[np.ndarray]) -> None:
    """hetero-run on step.mlir, compared."""
    steps.save(directory / "in.npz", arguments)
    steps.save(directory / "expected.npz", expected)
    command = [steps.tool("hetero-run"), "step.mlir", "--args=in.npz", "--compare=expected.npz"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr[-3000:]


def test_factor_broadcasting(tmp_path: Path) -> None:
    """Both factors of the gradient of %w are gathered, and every device computes all of it."""
    text = (steps.ROOT / "test/Transforms/Partition/partition-shardings.mlir").read_text()
    (tmp_path / "step.mlir").write_text(text)
    rng = np.random.default_rng(0)
    w, v, x = (rng.normal(size=size).astype(np.float32) for size in ((4, 6), (6, 6), (8, 4)))
    h = x @ w
    y = h @ v
    run(tmp_path, [w, v, x], [w - x.T @ y, v - h.T @ y])


def test_gathered_factor(tmp_path: Path) -> None:
    """A factor of a gradient is gathered, and no gradient of a matrix goes over the link."""

    def step(parameters, x, y):
        def loss(parameters):
            w, v = parameters
            return jnp.mean((jax.nn.softmax(jax.nn.softmax(x @ w) @ v) - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(parameters)
        return [p - 0.5 * g for p, g in zip(parameters, gradients)], value

    rng = np.random.default_rng(0)
    parameters = [rng.normal(size=(256, 256)).astype(np.float32) for _ in range(2)]
    x, y = (rng.normal(size=(4, 256)).astype(np.float32) for _ in range(2))
    jitted = jax.jit(step, donate_argnums=0)
    text = jitted.lower(parameters, x, y).as_text()
    (tmp_path / "cluster.yaml").write_text(SLOW_LINK)
    planned, errors = test_planners.plan(text, tmp_path / "cluster.yaml", "spmd")
    assert planned, errors
    moved = re.findall(r"hetero\.reshard %\w+ to <@stage0> .* : (tensor<\w+>)$", planned, re.M)
    assert "tensor<4x256xf32>" in moved
    assert not re.search(r"hetero\.reshard .* : tensor<256x256xf32>$", planned, re.M)
    (tmp_path / "step.mlir").write_text(planned)
    results, loss = jax.jit(step)(parameters, x, y)
    run(tmp_path, [*parameters, x, y], [np.asarray(a) for a in [*results, loss]])


def write_exchanges(directory: Path) -> None:
    """A step by hand whose values change from one split to another, with arguments and results."""
    text = (steps.ROOT / "test/Transforms/Partition/partition-exchanges.mlir").read_text()
    (directory / "step.mlir").write_text(text)
    rng = np.random.default_rng(0)
    w, x = (rng.normal(size=size).astype(np.float32) for size in ((4, 12), (8, 4)))
    y = np.sqrt(np.exp(-np.tanh(x @ w)))
    steps.save(directory / "in.npz", [w, x])
    steps.save(directory / "expected.npz", [w - x.T @ y, y.sum()])


def test_exchanges(tmp_path: Path) -> None:
    write_exchanges(tmp_path)
    command = [steps.tool("hetero-run"), "step.mlir", "--args=in.npz", "--compare=expected.npz"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr[-3000:]


@mpirun.needs_mpi
def test_exchanges_of_processes(tmp_path: Path) -> None:
    write_exchanges(tmp_path)
    ranks = mpirun.Run(2, "step.mlir", "--transport=mpi", "--args=in.npz", "--compare=expected.npz",
                       program=steps.tool("hetero-run"), cwd=tmp_path)  # fmt: skip
    assert ranks.end()[0] == 0, ranks.text
    assert "results agree" in ranks.text


def test_found_factor_broadcasting(tmp_path: Path) -> None:
    """Where state is on every device and links are slow, both factors of a wide gradient are gathered."""

    def step(parameters, x, y):
        def loss(parameters):
            s, w = parameters
            h = x
            for _ in range(4):
                h = jnp.tanh(h @ s)
                h = jnp.tanh(h @ h)
            return -jnp.mean(jax.nn.log_softmax(h.reshape(3, -1) @ w) * y)

        value, gradients = jax.value_and_grad(loss)(parameters)
        return [p - 0.5 * g for p, g in zip(parameters, gradients)], value

    rng = np.random.default_rng(0)
    parameters = [(0.1 * rng.normal(size=size)).astype(np.float32) for size in ((64, 64), (4096, 64))]
    x, y = (rng.normal(size=size).astype(np.float32) for size in ((3, 64, 64), (3, 64)))
    text = jax.jit(step, donate_argnums=0).lower(parameters, x, y).as_text()
    (tmp_path / "cluster.yaml").write_text(SLOW_LINK.replace("bandwidth: 1 GB/s", "bandwidth: 100 MB/s"))
    planned, errors = test_planners.plan(text, tmp_path / "cluster.yaml", "spmd", "state=replicated")
    assert planned, errors
    # Samples are divided, the gradient of w is computed whole from two whole factors, and nothing of its size moves.
    assert re.search(r"%arg2: tensor<3x64x64xf32> \{.*?split 0 : \[2, 1\]>", planned)
    gradient = re.search(r"dot_general (%\w+), (%\w+), contracting_dims = \[0\] x \[0\].* -> tensor<64x4096xf32>", planned)
    assert gradient and "hetero.sharding" not in gradient[0]
    assert not re.search(r"hetero\.reshard %\w+ to <@stage0> .* : tensor<(4096x64|64x4096)xf32>$", planned, re.M)
    assert re.search(r"hetero\.reshard %\w+ to <@stage0> .* : tensor<3x(4096|64x64)xf32>$", planned, re.M)
    (tmp_path / "step.mlir").write_text(planned)
    results, loss = jax.jit(step)(parameters, x, y)
    run(tmp_path, [*parameters, x, y], [np.asarray(a) for a in [*results, loss]])


# One class computes fast, the other reads fast.
UNLIKE = """name: pair
classes:
  core: {like: cpu, memory: 1 GiB, peak: {f32: 8 GFLOP/s}, bandwidth: 1 GB/s, overhead: 1 ns}
  wide: {like: cpu, memory: 1 GiB, peak: {f32: 2 GFLOP/s}, bandwidth: 8 GB/s, overhead: 1 ns}
nodes:
  - name: box
    devices: [1 x core, 1 x wide]
    link: {kind: pcie, bandwidth: 10 GB/s, latency: 1 us}
"""


@pytest.mark.parametrize("planner", ["spmd", "hap"])
def test_segments(planner: str, tmp_path: Path) -> None:
    """Layers that are bound by memory have other shares than those that compute."""

    def step(parameters, a, x, y):
        def loss(parameters):
            h = x
            for w in parameters[:2]:
                h = jnp.tanh(jnp.einsum("bij,bj->bi", a, h) * w)
            for w in parameters[2:]:
                h = jnp.tanh(h @ w)
            return jnp.mean((h - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(parameters)
        return [p - 0.5 * g for p, g in zip(parameters, gradients)], value

    rng = np.random.default_rng(0)
    sizes = [(64,), (64,), (64, 512), (512, 512), (512, 64)]
    parameters = [(0.1 * rng.normal(size=size)).astype(np.float32) for size in sizes]
    a, x, y = (rng.normal(size=size).astype(np.float32) for size in ((60, 64, 64), (60, 64), (60, 64)))
    text = jax.jit(step, donate_argnums=0).lower(parameters, a, x, y).as_text()
    (tmp_path / "cluster.yaml").write_text(UNLIKE)
    planned, errors = test_planners.plan(text, tmp_path / "cluster.yaml", planner)
    assert planned, errors
    # Most of what is bound by memory is on the second device, most of the rest on the first.
    shares = [int(m[1]) / (int(m[1]) + int(m[2])) for m in re.finditer(r"hetero\.sharding<.*: \[(\d+), (\d+)\]>", planned)]
    assert min(shares) < 0.45 and max(shares) > 0.75
    (tmp_path / "step.mlir").write_text(planned)
    results, loss = jax.jit(step)(parameters, a, x, y)
    run(tmp_path, [*parameters, a, x, y], [np.asarray(array) for array in [*results, loss]])
