"""Every step of the zoo is compiled for CUDA devices: whole, and divided by plans."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import pytest
from kernel import ROOT, import_step, tool

from hetero import export, zoo

sys.path.insert(0, str(ROOT / "test" / "Run"))
import plans  # noqa: E402

ARCHITECTURES = "sm_80,sm_90"
HOMES = [os.environ.get("CUDA_HOME"), "/usr/local/cuda"]

pytestmark = pytest.mark.skipif(
    not shutil.which("ptxas")
    and not any(home and Path(home, "bin", "ptxas").exists() for home in HOMES),
    reason="there is no ptxas",
)


def _export(name: str) -> str:
    step = zoo.get(name, "test")
    return export.text(jax.jit(step.fn).lower(*step.example_args(seed=1)))


def _opt(module: str, *flags: str) -> str:
    done = subprocess.run(
        [tool("hetero-opt"), "-", *flags], input=module, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def _compile(module: str) -> None:
    """Compiles, and looks at what came out: cubins for both, and nothing left to lower."""
    text = _opt(module, f"--hetero-cuda-pipeline=arch={ARCHITECTURES}")
    for architecture in ARCHITECTURES.split(","):
        assert f'@image_{architecture}("\\7FELF' in text
    assert "hetero_cuda_launch" in text
    # Operations; sdy.mesh has an attribute stablehlo.mesh.
    assert not re.search(r"%\S+ = \"?stablehlo\.", text)
    assert "gpu.launch_func" not in text


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("mlp", "gpt") else pytest.mark.slow)
        for name in zoo.names()
    ],
)
def test_step(name: str) -> None:
    _compile(import_step(_export(name)))


@pytest.mark.parametrize("kind", plans.KINDS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "mlp" else pytest.mark.slow)
        for name in zoo.names()
        if name not in ("lstm", "resnet", "unet")
    ],
)
def test_units(name: str, kind: str) -> None:
    """The units of a partitioned step, which may communicate in between."""
    layered = plans.read(_opt(_export(name), "--hetero-import", "--hetero-form-layers"))
    plan = plans.random_plan(layered, seed=7, kind=kind)
    _compile(_opt(plans.apply(layered, plan), "--hetero-partition"))
