"""Steps of the zoo, run by hetero-run, give what JAX gives.

State and moments are within 2e-5 of the scale of each tensor after one step. The
optimizer's state is warm (steps.py), so that parameters can be compared, too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import plans
import pytest
import steps

# Batches that do not divide.
MODELS = {
    "mlp": {"batch": 7},
    "gpt": {"batch": 5},
    "bert": {"batch": 5},
    "vit": {"batch": 5},
    "moe": {"batch": 5},
    "gpt_scan": {"batch": 5},
    "vgg19": {"batch": 3},
}
SEEDS = range(11)
ALL = [(m, k, s) for m in MODELS for k in ("pipeline", "data", "tensor", "mixed") for s in SEEDS]
SAMPLE = {
    ("mlp", "pipeline", 0),
    ("mlp", "data", 1),
    ("mlp", "tensor", 2),
    ("mlp", "mixed", 3),
    ("mlp", "mixed", 4),
    ("gpt", "pipeline", 0),
    ("gpt", "data", 0),
    ("gpt", "mixed", 1),
    ("bert", "mixed", 0),
    ("vit", "data", 0),
    ("gpt_scan", "pipeline", 0),
    ("vgg19", "mixed", 1),
}
CLUSTER = """
name: lab
nodes:
  - name: box
    devices: [1 x a100-40, 1 x t4]
    link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us}
  - name: tower
    devices: [1 x v100-16]
links:
  - {between: [box, tower], kind: ethernet, bandwidth: 10 Gb/s, latency: 30 us}
"""


PLANNERS = [
    "single",
    "fast-only",
    "even",
    "dp-even",
    "dp-proportional",
    "hap",
    "spmd",
    "cephalo",
    "harp",
    "stages",
    "joint",
]


def check(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


@pytest.mark.parametrize("name", MODELS)
def test_one_device(name: str, tmp_path: Path) -> None:
    """What JAX prints, in uneven microbatches."""
    case = steps.get(name, **MODELS[name])
    check(steps.run(case.text, case, tmp_path, "--microbatches=2"))


@pytest.mark.parametrize(
    ("name", "kind", "seed"),
    [pytest.param(*p, marks=() if p in SAMPLE else pytest.mark.slow) for p in ALL],
)
def test_random_plan(name: str, kind: str, seed: int, tmp_path: Path) -> None:
    """Any legal plan: stages, uneven samples, splits of parameters, uneven storage."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    plan = plans.random_plan(step, seed, kind)
    check(steps.run(plans.apply(step, plan), case, tmp_path))


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("transport", ["threads", "mpi"])
def test_planners(planner: str, transport: str, tmp_path: Path) -> None:
    """The real planners, on three unlike devices, in threads and in processes."""
    launcher: list[str] = []
    if transport == "mpi":
        if not shutil.which("mpirun"):
            pytest.skip("no mpirun")
        launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "3"]
    case = steps.get("mlp", **MODELS["mlp"])
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    flags = ["--cluster=cluster.yaml", f"--planner={planner}", f"--transport={transport}"]
    check(steps.run(case.text, case, tmp_path, *flags, launcher=launcher))


LONG = [("mlp", "mixed", 4), ("gpt", "pipeline", 0)]


@pytest.mark.parametrize(
    ("name", "kind", "seed"),
    [*LONG, *(pytest.param(n, "mixed", 0, marks=pytest.mark.slow) for n in MODELS)],
)
def test_twenty_steps(name: str, kind: str, seed: int, tmp_path: Path) -> None:
    """The state is fed back; the loss of each step is that of JAX."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    text = plans.apply(step, plans.random_plan(step, seed, kind))
    done = steps.run(text, case, tmp_path, "--rtol=1e30", steps=20)
    assert done.returncode == 0, done.stderr[-3000:]
    losses = [float(x) for x in re.findall(r"^step \d+: loss (\S+)$", done.stdout, re.M)]
    np.testing.assert_allclose(losses, case.losses(20), rtol=1e-3)


def test_two_steps_of_momentum(tmp_path: Path) -> None:
    """SGD amplifies nothing, so all of the state agrees after several steps, too."""
    case = steps.get("mlp", **MODELS["mlp"])
    step = plans.read(steps.layered("mlp", **MODELS["mlp"]))
    for seed in range(3):
        text = plans.apply(step, plans.random_plan(step, seed, "mixed"))
        check(steps.run(text, case, tmp_path / str(seed), steps=2))


def _dropout_step() -> tuple[str, list[np.ndarray], list[np.ndarray]]:
    """A step that returns its dropout mask, drawn for the whole batch."""

    def step(w, x, key):
        def loss_fn(w):
            hidden = x @ w
            mask = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.7, hidden.shape)
            return jnp.mean(jnp.where(mask, hidden / 0.7, 0.0) ** 2), mask

        (loss, mask), gradient = jax.value_and_grad(loss_fn, has_aux=True)(w)
        return w - 0.1 * gradient, loss, mask

    rng = np.random.default_rng(0)
    arguments = [
        rng.normal(size=(6, 10)).astype(np.float32),
        rng.normal(size=(7, 6)).astype(np.float32),
        np.array([3, 7], np.uint32),
    ]
    jitted = jax.jit(step, donate_argnums=0)
    text = jitted.lower(*arguments).as_text()
    return text, arguments, [np.asarray(result) for result in jax.jit(step)(*arguments)]


@pytest.mark.parametrize("seed", range(4))
def test_dropout_masks_are_equal(seed: int, tmp_path: Path) -> None:
    """Random numbers follow the sample, wherever it is computed: exactly."""
    text, arguments, expected = _dropout_step()
    step = plans.read(steps.form_layers(text, layers=2))
    text = plans.apply(step, plans.random_plan(step, seed, "data", ranks=3))
    (tmp_path / "step.mlir").write_text(text)
    steps.save(tmp_path / "in.npz", arguments)
    command = [steps.tool("hetero-run"), "step.mlir", "--args=in.npz", "--out=out.npz"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    results = list(np.load(tmp_path / "out.npz").values())
    assert np.array_equal(results[2], expected[2])
    np.testing.assert_allclose(results[0], expected[0], rtol=1e-6, atol=1e-7)
