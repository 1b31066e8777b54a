"""Which libraries, which GPUs: old and new drivers and devices, and processes that
see one GPU or all, on the stand-in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import standin  # noqa: E402
import steps  # noqa: E402

STANDIN = standin.LIBRARY.resolve()
# As a driver of CUDA 12 has it: without the names that came later.
OLDER = steps.tool("../lib/libhetero-cuda-standin-12.so").resolve()
RUN = steps.tool("hetero-run")

pytestmark = standin.needs_standin

STEP = """\
func.func @main(%w: tensor<16x16xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<64x16xf32>)
    -> (tensor<f32>, tensor<16x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<64x16xf32>
  %t = stablehlo.tanh %y : tensor<64x16xf32>
  %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<64x16xf32>, tensor<f32>) -> tensor<f32>
  %dw = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0]
    : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
  %n = stablehlo.subtract %w, %dw : tensor<16x16xf32>
  return %loss, %n : tensor<f32>, tensor<16x16xf32>
}
"""

PAIR = """\
nodes:
  - name: box
    devices: [2 x t4]
    link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us}
"""


def environment(settings: str, library: Path | None = STANDIN, **changes: str) -> dict[str, str]:
    """That of a process; without `library` cuBLAS and NCCL are searched for."""
    values = {name: value for name, value in os.environ.items() if not name.startswith("HETERO_")}
    values |= {"HETERO_STANDIN": settings, "HETERO_CUDA_DRIVER_LIBRARY": str(library or STANDIN)}
    if library:
        values |= {"HETERO_CUBLAS_LIBRARY": str(library), "HETERO_NCCL_LIBRARY": str(library)}
    return values | changes


def list_devices(settings: str, library: Path | None = STANDIN, **changes: str) -> str:
    """What hetero-run finds, or why it does not."""
    done = subprocess.run(
        [RUN, "--list-devices"], capture_output=True, text=True, timeout=60,
        env=environment(settings, library, **changes),
    )  # fmt: skip
    assert done.stderr.count("error: ") == (done.returncode != 0), done.stderr
    return done.stdout + done.stderr


def test_devices_are_listed() -> None:
    said = list_devices("devices=sm_80:16GiB,sm_70:8GiB").splitlines()
    assert said[0].endswith("libhetero-cuda-standin.so: CUDA 13.0"), said
    assert said[3].startswith("device 0: Stand-in sm_80 16384MiB, sm_80, 16 GiB, GPU-"), said
    assert said[4].startswith("device 1: Stand-in sm_70 8192MiB, sm_70, 8 GiB, GPU-"), said


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("devices=sm_80:1GiB;driver=11.8", "it is of CUDA 11.8, and CUDA 12.0 or later is needed"),
        (
            "devices=sm_80:1GiB;driver=12.4;libraries=13",
            "the driver is of CUDA 12.4, which runs no libraries of CUDA 13",
        ),
        (
            "devices=sm_80:1GiB,sm_70:1GiB;libraries=13",
            "a device is sm_70, for which libraries of CUDA 13 have no code",
        ),
        ("devices=sm_80:1GiB;nccl-version=2.8", "it is NCCL 2.8.0, and 2.10.0 or later is needed"),
    ],
)
def test_what_does_not_fit_is_told(settings: str, expected: str) -> None:
    assert expected in list_devices(settings)


def test_what_is_missing_is_named() -> None:
    said = list_devices("", HETERO_CUDA_DRIVER_LIBRARY="/nowhere/libcuda.so.1")
    assert "there is no CUDA device: the CUDA driver '/nowhere/libcuda.so.1' cannot be loaded" in said
    said = list_devices("", CUDA_VISIBLE_DEVICES="")
    assert "(CUDA_ERROR_NO_DEVICE); CUDA_VISIBLE_DEVICES is ''" in said
    said = list_devices("", HETERO_NCCL_LIBRARY="libm.so.6")
    assert "NCCL 'libm.so.6' cannot be used: it has no function 'ncclGetVersion'" in said


@pytest.mark.parametrize("settings", ["devices=sm_80:1GiB;driver=12.4", "devices=sm_80:1GiB,sm_61:1GiB"])
def test_libraries_of_cuda_12_are_found(settings: str, tmp_path: Path) -> None:
    """The driver, or a device, is too old for those of CUDA 13, which are there as well."""
    for name in ("libcublas.so.12", "libnccl.so.2"):
        (tmp_path / name).symlink_to(OLDER)
    (tmp_path / "libcublas.so.13").symlink_to(STANDIN)
    said = list_devices(settings, None, HETERO_CUDA_LIBRARY_PATH=f"/nowhere:{tmp_path}")
    assert "libcublas.so.12" in said or str(OLDER) in said, said
    # Without them the message says which are needed, and why no others are.
    said = list_devices(settings, None, CUDA_HOME="", CUDA_PATH="", CUDA_ROOT="")
    if "libcublas.so.12" in said and "error" in said:
        assert "no cuBLAS of CUDA 12 was found: install it, or name it with HETERO_CUBLAS_LIBRARY" in said
        assert "libraries of CUDA 13" in said


def test_nccl_of_another_cuda_is_refused(tmp_path: Path) -> None:
    """What it was built for is in its file; nothing else of the file counts here."""
    fake = tmp_path / "libnccl.so.2"
    fake.write_bytes(OLDER.read_bytes() + b"\0NCCL version 2.28.9+cuda13.0\0")
    both = {"HETERO_CUBLAS_LIBRARY": str(STANDIN), "HETERO_NCCL_LIBRARY": str(fake)}
    said = list_devices("devices=sm_70:1GiB", None, **both)
    assert f"NCCL '{fake}' cannot be used: a device is sm_70, for which" in said
    assert "device 0" in list_devices("devices=sm_75:1GiB", None, **both)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A step, a cluster of two, and what the processors make of them."""
    path = tmp_path_factory.mktemp("reach")
    (path / "step.mlir").write_text(STEP)
    (path / "pair.yaml").write_text(PAIR)
    subprocess.run([RUN, "step.mlir", "--steps=5", "--out=expected.npz"], cwd=path, check=True, timeout=60)
    (path / "kernels").mkdir(mode=0o700)
    return path


def run(
    folder: Path, values: dict[str, str], *flags: str, shell: str = "", ranks: int = 0, form: str = "ptx"
) -> subprocess.CompletedProcess[str]:
    """Five steps on GPUs, compared; as processes after `shell`, if there are `ranks`."""
    command = [str(RUN), "step.mlir", "--device=cuda", f"--cuda-format={form}", "--steps=5"]
    command += ["--compare=expected.npz", *flags]
    if ranks:
        command = [
            *("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks)),
            *("sh", "-c", f'{shell} exec "$@"', "sh", *command, "--transport=mpi"),
        ]  # fmt: skip
    values = values | {"HETERO_PTX_CACHE": str(folder / "kernels"), "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=values)


def test_an_older_driver_runs_steps(folder: Path) -> None:
    """It lacks names of functions, and reads no newer PTX."""
    done = run(folder, environment("devices=sm_90:1GiB;driver=12.0", OLDER), "--profile=p.json")
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr


@pytest.mark.skipif(not shutil.which("ptxas"), reason="no ptxas")
@pytest.mark.parametrize("device", ["sm_60", "sm_70", "sm_130"])
def test_devices_that_ptxas_does_not_know(folder: Path, device: str) -> None:
    """They get PTX though cubins are asked for: their own, or of the newest that is known."""
    done = run(folder, environment(f"devices={device}:1GiB"), form="cubin")
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr


def test_devices_that_are_too_old(folder: Path) -> None:
    done = run(folder, environment("devices=sm_52:1GiB"))
    assert "error: a device is sm_52; kernels can be compiled for sm_60 and later" in done.stderr


PAIRED = ["--cluster=pair.yaml", "--planner=dp-even"]

needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")


@needs_mpi
@pytest.mark.parametrize(
    "visible",
    [
        "",
        "export CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK;",
        # Both see the same two, in another order.
        "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then export CUDA_VISIBLE_DEVICES=1,0; fi;",
    ],
    ids=["all", "one", "reversed"],
)
def test_each_process_has_a_gpu_of_its_own(folder: Path, visible: str) -> None:
    values = environment("devices=sm_80:1GiB,sm_70:1GiB")
    done = run(folder, values, *PAIRED, shell=visible, ranks=2)
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr


@needs_mpi
def test_two_processes_cannot_share_a_gpu(folder: Path) -> None:
    values = environment("devices=sm_80:1GiB,sm_70:1GiB", CUDA_VISIBLE_DEVICES="1")
    done = run(folder, values, *PAIRED, ranks=2)
    assert done.returncode != 0
    problem = (
        r"error: rank 1 and rank 0 on '[^']*' have the same GPU, Stand-in sm_70 1024MiB \(GPU-[-0-9a-f]*\): "
        "each rank needs one of its own, and the GPUs that rank 1 sees, 1, are all taken"
    )
    assert done.stderr.count("error: rank") == len(re.findall(problem, done.stderr)) >= 1, done.stderr


@needs_mpi
def test_a_process_without_a_gpu_is_named(folder: Path) -> None:
    values = environment("devices=sm_80:1GiB")
    hide = "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then export CUDA_VISIBLE_DEVICES=; fi;"
    done = run(folder, values, *PAIRED, shell=hide, ranks=2)
    assert done.returncode != 0
    assert "error: rank 1: there is no CUDA device: cuInit failed" in done.stderr, done.stderr


@needs_mpi
def test_versions_of_nccl_are_equal(folder: Path) -> None:
    other = 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then HETERO_STANDIN="$HETERO_STANDIN;nccl-version=2.21"; fi;'
    done = run(folder, environment("devices=sm_80:1GiB,sm_80:1GiB"), *PAIRED, shell=other, ranks=2)
    assert done.returncode != 0
    assert re.search(
        r"error: rank 0 on '[^']*' has NCCL 2[.0-9]*, and rank 1 on '[^']*' has NCCL 2.21.0: all ranks need the same",
        done.stderr,
    ), done.stderr


def test_a_rank_alone_needs_no_nccl(folder: Path) -> None:
    """The device is too old for the NCCL of the build; without a message it runs."""
    values = environment("devices=sm_70:1GiB,sm_70:1GiB", None, HETERO_CUBLAS_LIBRARY=str(STANDIN))
    done = subprocess.run([RUN, "--list-devices"], capture_output=True, text=True, timeout=60, env=values)
    if "NCCL: no NCCL of CUDA 12 was found" not in done.stdout:
        pytest.skip("there is an NCCL for old devices")
    done = run(folder, values)
    assert done.returncode == 0 and "results agree" in done.stdout, done.stderr
    done = run(folder, values, *PAIRED)
    assert done.returncode != 0 and "error: rank 0: no NCCL of CUDA 12 was found" in done.stderr, done.stderr


def test_more_ranks_than_gpus(folder: Path) -> None:
    done = run(folder, environment("devices=sm_80:1GiB"), *PAIRED)
    assert done.returncode != 0
    assert "rank 1 and rank 0 on" in done.stderr and "have the same GPU" in done.stderr, done.stderr


@needs_mpi
def test_processes_need_one_kind_of_device(folder: Path) -> None:
    """They exchange other things from the start on; none of them aborts."""
    command = [RUN, "step.mlir", *PAIRED, "--transport=mpi"]
    cuda = ["--device=cuda", "--cuda-format=ptx"]
    launcher = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
    done = subprocess.run(
        [*launcher, "-n", "1", *command, *cuda, ":", "-n", "1", *command],
        cwd=folder, env=environment("devices=sm_80:1GiB,sm_70:1GiB"), capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "all processes need the same step, plan, options and kind of device" in done.stderr, done.stderr
    assert "terminate called" not in done.stderr, done.stderr
