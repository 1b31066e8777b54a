"""Steps that couple samples are equal to JAX as well, or are refused with a reason."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable

import jax
import odd_steps
import plans
import pytest
import steps

# Sums in bfloat16 are rounded differently when they are divided.
TOLERANCE = {"loss_scaling": "2e-2"}
QUICK = [("mixed", 0), ("data", 1)]
SLOW = [(kind, seed) for kind in ("pipeline", "data", "tensor", "mixed") for seed in range(4)]


def lower(fn: Callable[..., Any]) -> tuple[str, list[Any], list[Any]]:
    """The text of a step, its arguments, and the results of JAX."""
    arguments = odd_steps.arguments()
    lowered = jax.jit(fn, donate_argnums=(0, 1)).lower(*arguments)
    kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    flat = steps.flatten(arguments)
    return lowered.as_text(), [flat[i] for i in kept], steps.flatten(jax.jit(fn)(*arguments))


def run(name: str, text: str, arguments: list[Any], expected: list[Any], directory: Path) -> str:
    (directory / "step.mlir").write_text(text)
    steps.save(directory / "in.npz", arguments)
    steps.save(directory / "expected.npz", expected)
    command = [
        steps.tool("hetero-run"), "step.mlir", "--args=in.npz", "--compare=expected.npz",
        "--opt-level=0", f"--rtol={TOLERANCE.get(name, '2e-5')}",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", odd_steps.STEPS)
@pytest.mark.parametrize(
    ("kind", "seed"),
    [*QUICK, *(pytest.param(*p, marks=pytest.mark.slow) for p in SLOW if p not in QUICK)],
)
def test_random_plan(name: str, kind: str, seed: int, tmp_path: Path) -> None:
    text, arguments, expected = lower(odd_steps.STEPS[name])
    step = plans.read(steps.form_layers(text, layers=3))
    planned = plans.apply(step, plans.random_plan(step, seed, kind))
    assert "results agree" in run(name, planned, arguments, expected, tmp_path)


def test_unsupported_operation(tmp_path: Path) -> None:
    """What cannot be compiled is named, with its place."""
    text, _, _ = lower(odd_steps.called_back)
    (tmp_path / "step.mlir").write_text(text)
    command = [steps.tool("hetero-run"), "step.mlir"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "error: stablehlo.custom_call with target 'xla_" in done.stderr
    assert "is not supported on the CPU" in done.stderr
