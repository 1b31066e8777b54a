"""Results of every type, over microbatches and over devices: what cuBLAS and NCCL do
not reduce is combined by kernels of the runtime, on devices that are not there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import plans  # noqa: E402
import standin  # noqa: E402
import steps  # noqa: E402

SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "2"))

pytestmark = [standin.needs_standin, pytest.mark.usefixtures("libraries")]


def _step(w: jax.Array, v: jax.Array, x: jax.Array, y: jax.Array) -> tuple[Any, ...]:
    """A step that counts, and finds extremes and flags, beside its gradients."""

    def loss(w: jax.Array, v: jax.Array) -> tuple[jax.Array, jax.Array]:
        scores = jnp.tanh(x @ w) @ v
        return jnp.mean((scores - y[:, None].astype(jnp.float32)) ** 2), scores

    (value, scores), grads = jax.value_and_grad(loss, (0, 1), has_aux=True)(w, v)
    return (
        value,
        w - 0.1 * grads[0],
        v - 0.1 * grads[1],
        jnp.sum(jnp.argmax(scores, 1) == y),
        jnp.sum((y > 1).astype(jnp.int16), dtype=jnp.int16),
        jnp.sum(y.astype(jnp.uint8), dtype=jnp.uint8),
        jnp.sum(scores.astype(jnp.complex64)),
        jnp.max(scores),
        jnp.min(scores.astype(jnp.bfloat16)),
        jnp.max(y),
        jnp.min(y.astype(jnp.int8)),
        jnp.any(y == 3),
        jnp.all(y >= 0),
        jax.lax.reduce(y, np.int32(-1), jax.lax.bitwise_and, [0]),
        jax.lax.reduce(y, np.int32(0), jax.lax.bitwise_or, [0]),
    )


def _arguments() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.normal(size=(6, 8)).astype(np.float32),
        rng.normal(size=(8, 4)).astype(np.float32),
        rng.normal(size=(10, 6)).astype(np.float32),
        rng.integers(0, 4, 10).astype(np.int32),
    ]


def _check(text: str, directory: Path, monkeypatch: pytest.MonkeyPatch, *flags: str) -> str:
    """Runs it in several orders; what the stand-in was given in the last one."""
    arguments = _arguments()
    expected = [np.asarray(value) for value in jax.jit(_step)(*arguments)]
    (directory / "step.mlir").write_text(text)
    steps.save(directory / "in.npz", arguments)
    steps.save(directory / "expected.npz", expected)
    log = directory / "log"
    for seed in range(SEEDS):
        order = ("random", "lazy", "eager")[seed % 3]
        monkeypatch.setenv(
            "HETERO_STANDIN", f"devices=sm_80:1GiB,sm_75:1GiB;seed={seed};order={order};log={log}"
        )
        done = subprocess.run(
            [steps.tool("hetero-run"), "step.mlir", "--args=in.npz", "--compare=expected.npz",
             "--opt-level=0", "--device=cuda", "--cuda-format=ptx", *flags],
            cwd=directory, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, f"seed {seed}, {order}: {done.stderr[-3000:]}"
        assert "results agree" in done.stdout
    return log.read_text()


def _text() -> str:
    return jax.jit(_step, donate_argnums=(0, 1)).lower(*_arguments()).as_text()


def test_microbatches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In place, of batches of other sizes."""
    log = _check(_text(), tmp_path, monkeypatch, "--microbatches=3")
    assert "enter kernel 'combine'" in log


def test_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two ranks that have parts of the batch."""
    step = plans.read(steps.form_layers(_text(), 2))
    plan = plans.random_plan(step, 1, "data")
    log = _check(plans.apply(step, plan), tmp_path, monkeypatch)
    assert "enter kernel 'combine'" in log
