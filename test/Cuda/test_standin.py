"""Steps of the zoo on CUDA devices that are not there: the stand-in runs what the
compiler and the runtime make, adversarially, and the results are those of JAX.

Each case runs over several orders of everything that CUDA leaves open, drawn from
a seed. HETERO_STANDIN_SEEDS=20 tries that many instead of the sample.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import plans  # noqa: E402
import standin  # noqa: E402
import steps  # noqa: E402

FLAGS = ["--device=cuda", "--cuda-format=ptx"]
# As many as a random plan has at most, of five architectures.
DEVICES = "sm_80:8GiB,sm_75:4GiB,sm_70:4GiB,sm_90:8GiB,sm_86:8GiB"
SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "2"))
# Batches that do not divide. In 16 bits a sum is rounded in another order.
MODELS = {
    "mlp": {"batch": 7},
    "gpt": {"batch": 5},
    "bert": {"batch": 5},
    "vit": {"batch": 5},
    "moe": {"batch": 5},
    "gpt_scan": {"batch": 5},
    "vgg19": {"batch": 3},
}
SAMPLE = {
    ("mlp", "pipeline"),
    ("mlp", "data"),
    ("mlp", "tensor"),
    ("mlp", "mixed"),
    ("gpt", "mixed"),
}

pytestmark = [standin.needs_standin, pytest.mark.usefixtures("libraries")]


def _check(
    monkeypatch: pytest.MonkeyPatch, text: str, case: steps.Case, path: Path, *flags: str, **more
) -> None:
    for seed in range(SEEDS):
        order = ("random", "lazy", "eager")[seed % 3]
        monkeypatch.setenv("HETERO_STANDIN", f"devices={DEVICES};seed={seed};order={order}")
        kept = f"--cache={path / 'objects'}"
        done = steps.run(text, case, path / str(seed), *FLAGS, kept, *flags, **more)
        assert done.returncode == 0, f"seed {seed}, {order}: {done.stderr[-3000:]}"
        assert "results agree" in done.stdout


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in ("mlp", "gpt") else pytest.mark.slow) for n in MODELS]
)
def test_one_device(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels, library calls, memory and their order, in uneven microbatches."""
    case = steps.get(name, **MODELS[name])
    _check(monkeypatch, case.text, case, tmp_path, "--microbatches=2")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(n, k, marks=[] if (n, k) in SAMPLE else pytest.mark.slow)
        for n in MODELS
        for k in ("pipeline", "data", "tensor", "mixed")
    ],
)
def test_plans(name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Communication as well, between devices of four architectures."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    plan = plans.random_plan(step, 0, kind)
    _check(monkeypatch, plans.apply(step, plan), case, tmp_path)


def test_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rank in a process of its own, three steps."""
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    case = steps.get("mlp", batch=7)
    step = plans.read(steps.layered("mlp", batch=7))
    plan = plans.random_plan(step, 3, "mixed")
    text = plans.apply(step, plan)
    ranks = 1 + max(device for stage in plan.stages for device in stage.devices)
    launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks)]
    _check(monkeypatch, text, case, tmp_path, "--transport=mpi", launcher=launcher)
