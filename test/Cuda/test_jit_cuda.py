"""`hetero.jit(..., device="cuda")` means what `jax.jit` means, on the stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import standin  # noqa: E402
import steps  # noqa: E402
from standin import LIBRARY, needs_standin  # noqa: E402

SCRIPT = Path(__file__).with_name("jit_scenarios.py")
DEVICES = "sm_80:1GiB,sm_75:1GiB,sm_70:1GiB"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """That of the processes; kernels are compiled once for all of them."""
    cache = tmp_path_factory.mktemp("kernels")
    cache.chmod(0o700)
    return {
        **os.environ,
        **standin.environment(cache),
        "PYTHONPATH": os.pathsep.join([str(steps.ROOT / "python"), *filter(None, sys.path)]),
        "JAX_PLATFORMS": "cpu",
        "HETERO_CACHE": str(tmp_path_factory.mktemp("objects")),
        "HETERO_STANDIN": f"devices={DEVICES};seed=1",
    }


def run(
    scenario: str, environment: dict[str, str], launcher: tuple[str, ...] = (), **changes: str
) -> str:
    """What the process says that runs the scenario, which must end well."""
    done = subprocess.run(
        [*launcher, sys.executable, SCRIPT, scenario],
        capture_output=True, text=True, timeout=300, env={**environment, **changes},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("done\n") == 1 or launcher, done.stdout
    return done.stdout


@needs_standin
def test_state_stays_on_the_device(environment: dict[str, str], tmp_path: Path) -> None:
    counts = tmp_path / "counts"
    settings = f"{environment['HETERO_STANDIN']};counts={counts}"
    run("one_device", environment, HETERO_STANDIN=settings)
    assert "cuGraphLaunch" in counts.read_text()


@needs_standin
@pytest.mark.parametrize("scenario", ["plans", "results", "options"])
def test_scenarios(environment: dict[str, str], scenario: str) -> None:
    run(scenario, environment)


@needs_standin
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=[] if name == "mlp" else pytest.mark.slow)
        for name in ("mlp", "gpt", "bert", "vit", "moe", "gpt_scan", "lstm")
    ],
)
def test_models(environment: dict[str, str], model: str, ranks: int) -> None:
    run("model", environment, HETERO_TEST_MODEL=model, HETERO_TEST_RANKS=str(ranks))


@needs_standin
def test_processes(environment: dict[str, str]) -> None:
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    launcher = ("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2")
    run("mpi", environment, launcher, OMP_NUM_THREADS="1")


@needs_standin
def test_wheels_of_nvidia_are_found(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("cublas/lib/libcublas.so.13", "nccl/lib/libnccl.so.2"):
        file = tmp_path / "nvidia" / name
        file.parent.mkdir(parents=True)
        file.symlink_to(LIBRARY.resolve())
    run(
        "one_device", environment, HETERO_CUBLAS_LIBRARY="", HETERO_NCCL_LIBRARY="",
        HETERO_STANDIN="devices=sm_80:1GiB",
        PYTHONPATH=f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}",
    )  # fmt: skip


@needs_standin
def test_the_ptxas_of_nvidias_wheels_is_used(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("bin/ptxas", "nvvm/libdevice/libdevice.10.bc"):
        file = tmp_path / "nvidia" / "cuda_nvcc" / name
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    said = run(
        "cubins", environment, CUDA_HOME="", CUDA_PATH="", CUDA_ROOT="",
        PYTHONPATH=f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}",
    )  # fmt: skip
    assert f"'{tmp_path}/nvidia/cuda_nvcc/bin/ptxas --help' does not say" in said, said


@needs_standin
def test_devices_are_listed(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "hetero", "devices"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert "device 1: Stand-in sm_75 1024MiB, sm_75, 1 GiB, GPU-" in done.stdout, done.stderr
    hidden = environment | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=hidden)
    assert done.returncode == 1 and "error: there is no CUDA device" in done.stderr, done.stderr


@needs_standin
def test_too_few_devices(environment: dict[str, str]) -> None:
    said = run("refused", environment, CUDA_VISIBLE_DEVICES="1")
    assert "rank 1 and rank 0 on" in said and "have the same GPU" in said, said


@needs_standin
def test_a_failure_is_told_and_the_next_call_begins_anew(environment: dict[str, str]) -> None:
    settings = f"{environment['HETERO_STANDIN']};fail=cuGraphLaunch@2"
    said = run("fails", environment, HETERO_STANDIN=settings)
    assert "cuGraphLaunch failed on device 0" in said, said
    assert "unknown error (CUDA_ERROR_UNKNOWN)" in said, said


def test_without_a_driver(environment: dict[str, str]) -> None:
    nothing = {"HETERO_CUDA_DRIVER_LIBRARY": "libno-cuda.so.1"}
    said = run("refused", environment, **nothing)
    assert "rank 0: there is no CUDA device" in said, said
    assert "'libno-cuda.so.1'" in said or "this build of hetero has no CUDA" in said, said


def test_unknown_words_are_named() -> None:
    import hetero

    for keyword, known in {"device": "cpu", "cuda_format": "cubin", "cuda_memory": "arena"}.items():
        with pytest.raises(ValueError, match=f"{keyword} is '{known}' or .*, not 'tpu'"):
            hetero.jit(lambda x: x, **{keyword: "tpu"})
