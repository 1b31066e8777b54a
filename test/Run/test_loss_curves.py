"""Fifty steps of every model of the zoo: the losses are JAX's.

Each step takes the state that the last one made, so what is wrong by a little in
one of them grows.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import steps

from hetero import zoo

STEPS = 50
# Of these few are quick to compile.
QUICK = ("mlp",)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in zoo.names()]
)
def test_losses_are_those_of_jax(name: str, tmp_path: Path) -> None:
    case = steps.get(name)
    (tmp_path / "step.mlir").write_text(case.text)
    steps.save(tmp_path / "in.npz", case.arguments)
    command = [str(steps.tool("hetero-run")), "step.mlir", "--args=in.npz", f"--steps={STEPS}", "--opt-level=1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"^step \d+: loss (\S+)$", done.stdout, re.M)]
    expected = case.losses(STEPS)
    assert len(losses) == STEPS
    # The loss has to have moved, or nothing was compared.
    assert max(expected) - min(expected) > 1e-2
    # With 8 bits a number, what is not exact is a matter of proportion.
    tolerance = {"rtol": 1e-3} if name == "gpt_bf16" else {"rtol": 0, "atol": 1e-3}
    np.testing.assert_allclose(losses, expected, **tolerance)
