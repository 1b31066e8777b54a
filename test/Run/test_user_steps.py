"""Steps as users write them are equal to JAX on any number of devices, under any
planner, by `hetero.jit` and by `hetero-run`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Sequence

import batch_steps  # noqa: F401
import hetero
import jax
import numpy as np
import plans
import pytest
import steps
import training_steps  # noqa: F401
import unusual_steps  # noqa: F401
import user_steps

# Sums in half precision are rounded where they are divided, and XLA leaves out
# roundings between operations: without jit JAX differs as much from itself.
TOLERANCE = {"master_copies": 2e-2, "dynamic_loss_scale": 2e-2}
PLANNERS = ("single", "dp-even", "dp-proportional", "stages")
QUICK = {
    ("adversarial", 2, "dp-even"),
    ("distillation_with_adapters", 3, "dp-even"),
    ("hardest_samples", 3, "dp-proportional"),
    ("spectral_norm", 4, "stages"),
    ("bags_of_words", 2, "dp-even"),
    ("checkpointed_blocks", 3, "stages"),
    ("mixed_labels", 3, "dp-proportional"),
    ("checkpointed_batch_mean", 4, "harp"),
    ("checkpointed_statistics", 3, "joint"),
    ("memory_bank", 5, "dp-even"),
    ("low_rank_adapters", 4, "joint"),
    ("accumulation_by_reshape", 3, "dp-proportional"),
    ("master_copies", 2, "dp-even"),
}
ALL = [
    (name, ranks, planner)
    for number, name in enumerate(user_steps.STEPS)
    for ranks, planner in [(1, "single"), *((2 + (number + i) % 4, p) for i, p in enumerate(PLANNERS[1:]))]
]
ALL += sorted(QUICK - set(ALL))


def cluster(ranks: int) -> dict[str, Any]:
    """Devices of two kinds in two nodes."""
    link = {"kind": "memory", "bandwidth": "5 GB/s", "latency": "2 us"}
    nodes = [{"name": "left", "devices": [f"{(ranks + 1) // 2} x fast"], "link": link}]
    description = {
        "name": "test",
        "classes": {
            "fast": {"like": "cpu", "memory": "2 GiB", "peak": {"f32": "100 GFLOP/s"}},
            "slow": {"like": "cpu", "memory": "1 GiB", "peak": {"f32": "30 GFLOP/s"}},
        },
        "nodes": nodes,
    }
    if ranks > 1:
        nodes.append({"name": "right", "devices": [f"{ranks // 2} x slow"], "link": link})
        description["links"] = [{"between": ["left", "right"], "bandwidth": "1 Gb/s", "latency": "50 us"}]
    return description


def copy(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.copy() if hasattr(leaf, "copy") else leaf, tree)


def check(name: str, got: list[np.ndarray], want: list[np.ndarray]) -> None:
    """Every tensor is within the tolerance of its scale."""
    assert len(got) == len(want)
    for index, (ours, theirs) in enumerate(zip(got, want)):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, index
        if theirs.dtype.kind in "biu":
            assert np.array_equal(ours, theirs), index
            continue
        ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
        difference = np.abs(ours - theirs).max(initial=0.0)
        assert difference <= TOLERANCE.get(name, 2e-5) * np.abs(theirs).max(initial=0.0) + 1e-30, index


@pytest.mark.parametrize(
    ("name", "ranks", "planner"),
    [pytest.param(*c, marks=() if c in QUICK else pytest.mark.slow) for c in ALL],
)
def test_jit(name: str, ranks: int, planner: str) -> None:
    """One step, from JAX's functions and trees."""
    jax.config.update("jax_disable_most_optimizations", True)
    step = user_steps.STEPS[name]()
    ours = hetero.jit(step.fn, cluster=cluster(ranks), planner=planner, donate_argnums=step.donate)
    want = steps.flatten(jax.jit(step.fn)(*step.args))
    check(name, steps.flatten(jax.tree.map(_as_jax, ours(*copy(step.args)))), want)


def _as_jax(leaf: Any) -> Any:
    """Keys are keys, other results NumPy arrays."""
    is_key = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else np.asarray(leaf)


def test_devices_without_samples() -> None:
    """Microbatches of fewer samples than devices, with values beside the samples."""
    jax.config.update("jax_disable_most_optimizations", True)
    step = user_steps.STEPS["key_in_a_loop"]()
    ours = hetero.jit(step.fn, cluster=cluster(4), planner="dp-even", microbatches=3, donate_argnums=step.donate)
    want = steps.flatten(jax.jit(step.fn)(*step.args))
    check("key_in_a_loop", steps.flatten(jax.tree.map(_as_jax, ours(*copy(step.args)))), want)


def _losses(fn: Any, step: user_steps.UserStep) -> list[float]:
    """The first number beside the state, for twenty steps."""
    args, losses = list(copy(step.args)), []
    for _ in range(20):
        results = fn(*args)
        for index, argument in enumerate(step.donate):
            args[argument] = results[index]
        rest = jax.tree.leaves(results[len(step.donate) :])
        losses.append(float(next(leaf for leaf in rest if np.ndim(leaf) == 0)))
    return losses


LONG = {"momentum_contrast"}


@pytest.mark.parametrize(
    ("name", "ranks", "planner"),
    [
        pytest.param(name, 2 + i % 4, PLANNERS[1 + i % 3], marks=() if name in LONG else pytest.mark.slow)
        for i, name in enumerate(user_steps.STEPS)
    ],
)
def test_twenty_steps(name: str, ranks: int, planner: str) -> None:
    """The state stays on the devices; the loss of each step is that of JAX."""
    jax.config.update("jax_disable_most_optimizations", True)
    step = user_steps.STEPS[name]()
    ours = hetero.jit(step.fn, cluster=cluster(ranks), planner=planner, donate_argnums=step.donate)
    rtol = TOLERANCE.get(name, 1e-3)
    np.testing.assert_allclose(_losses(ours, step), _losses(jax.jit(step.fn), step), rtol=rtol)


RUNS = {("nesterov_with_schedule", "threads"), ("siamese_triplets", "mpi")}


@pytest.mark.parametrize(
    ("name", "transport"),
    [
        pytest.param(name, transport, marks=() if (name, transport) in RUNS else pytest.mark.slow)
        for name in user_steps.STEPS
        for transport in ("threads", "mpi")
    ],
)
def test_run(name: str, transport: str, tmp_path: Path) -> None:
    """One step, from the text that JAX exports, with arrays in files."""
    launcher: list[str] = []
    if transport == "mpi":
        if not shutil.which("mpirun"):
            pytest.skip("no mpirun")
        launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "3"]
    text = _export(name, tmp_path)
    (tmp_path / "cluster.yaml").write_text(json.dumps(cluster(3)))
    flags = ["--cluster=cluster.yaml", "--planner=dp-proportional", f"--transport={transport}"]
    _run(name, text, tmp_path, *flags, launcher=launcher)


def _export(name: str, directory: Path) -> str:
    """The text of a step, with arguments and what JAX computes from them in files."""
    jax.config.update("jax_disable_most_optimizations", True)
    step = user_steps.STEPS[name]()
    lowered = jax.jit(step.fn, donate_argnums=step.donate).lower(*step.args)
    kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    flat = steps.flatten(jax.tree.map(lambda leaf: jax.numpy.asarray(leaf), step.args))
    steps.save(directory / "in.npz", [flat[i] for i in kept])
    steps.save(directory / "expected.npz", steps.flatten(jax.jit(step.fn)(*step.args)))
    return lowered.as_text(debug_info=True)


def _run(name: str, text: str, directory: Path, *flags: str, launcher: Sequence[str] = ()) -> None:
    (directory / "step.mlir").write_text(text)
    command = [
        *launcher, str(steps.tool("hetero-run")), "step.mlir", "--args=in.npz", "--compare=expected.npz",
        "--opt-level=0", f"--rtol={TOLERANCE.get(name, 2e-5)}", *flags,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


# Plans are written for samples in front.
SAMPLES_INSIDE = {
    "time_major_with_class_weights",
    "accumulation_by_scan",
    "accumulation_by_reshape",
    "several_steps_in_one",
}
PLANS = {
    ("line_search", "data"),
    ("checkpointed_statistics", "mixed"),
    ("low_rank_adapters", "tensor"),
    ("key_in_a_loop", "pipeline"),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=() if (name, kind) in PLANS else pytest.mark.slow)
        for name in user_steps.STEPS
        if name not in SAMPLES_INSIDE
        for kind in ("pipeline", "data", "tensor", "mixed")
    ],
)
def test_plans_by_hand(name: str, kind: str, tmp_path: Path) -> None:
    """Any legal plan, as somebody may write it."""
    step = plans.read(steps.form_layers(_export(name, tmp_path), layers=5))
    for seed in range(2):
        _run(name, plans.apply(step, plans.random_plan(step, seed, kind)), tmp_path)
