"""Each call of CUDA, cuBLAS and NCCL fails once, and NCCL never comes to an end.

The stand-in does it. Whatever fails, the run ends soon with one sentence that
says on which rank and device, in what, and where in the step; nothing hangs, and
everything that the driver has given is given back (leaks=refuse).

How often a run makes each call is counted first, so that a call in the middle
and the last one are known to be made. HETERO_STANDIN_SEEDS=20 tries as many
orders of what CUDA leaves open.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import mpirun  # noqa: E402
import plans  # noqa: E402
import steps  # noqa: E402
from standin import LIBRARY, needs_standin  # noqa: E402

HEADER = steps.ROOT / "lib/Runtime/Cuda/CudaLibraries.h"
DEVICES = "sm_80:1GiB,sm_75:1GiB,sm_70:1GiB,sm_90:1GiB"
SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "1"))
STEPS = 6
# Seconds that the runtime has for what never ends; how much longer the run may
# take until it has ended: many times what it takes on an idle machine.
PATIENCE, MORE = 2, 60
# What the headers of the toolkit call otherwise.
RENAMED = {"cuGraphInstantiate": "cuGraphInstantiateWithFlags"}
# What is only called when something else has failed, and that.
AFTER = {
    "cuGetErrorName": "cuMemAlloc@1",
    "cuGetErrorString": "cuMemAlloc@1",
    "cublasGetStatusString": "cublasSetStream@3",
    "ncclGetErrorString": "ncclSend@2",
    "ncclCommAbort": "ncclSend@2",
}
# A plan and flags. What the runtime calls in another way of running, or only
# where NCCL is old.
USUAL = ("mixed",)
POOL = ("mixed", "--cuda-memory=pool")
TRACED = ("mixed", "--trace=trace.json")
EQUAL = ("data",)
WAYS = {
    "cuMemAllocAsync": POOL,
    "cuMemFreeAsync": POOL,
    "cuEventElapsedTime": TRACED,
    "ncclReduceScatter": EQUAL,
}
NEVER_CALLED = {"ncclCommInitRank"}
# What is called again and again while the host waits, and before.
POLLS = {"cuCtxSetCurrent", "cuEventQuery", "cuStreamQuery", "ncclCommGetAsyncError"}
# Transforms and factorizations, which these steps do not have.
ELSEWHERE = ("cufft", "cusolver")
ENDLESS = [
    "ncclSend", "ncclRecv", "ncclAllReduce", "ncclAllGather", "ncclReduce", "ncclBroadcast",
    "ncclReduceScatter", "ncclGroupEnd", "ncclCommInitRankConfig", "ncclCommFinalize",
]  # fmt: skip
SAMPLE = {
    "cuMemAlloc", "cuMemAllocHost", "cuLaunchKernel", "cuGraphInstantiate", "cuGraphLaunch",
    "cuEventQuery", "cuModuleLoadData", "cublasAxpyEx", "ncclGroupEnd", "ncclCommFinalize",
}  # fmt: skip

pytestmark = needs_standin


def _entry_points() -> list[str]:
    """All that the runtime looks up."""
    lists = re.findall(r"#define HETERO_\w+_FUNCTIONS\(F\)((?:.*\\\n)*.*\n)", HEADER.read_text())
    names = [name for text in lists for name in re.findall(r"F\((\w+)\)", text)]
    return [*names, "cublasGemmStridedBatchedEx"]


def _params(names: list[str]) -> list:
    return [pytest.param(n, marks=[] if n in SAMPLE else pytest.mark.slow) for n in names]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Steps with plans: two stages of two ranks each that divide data and tensors
    unevenly, and two ranks that divide some state evenly."""
    path = tmp_path_factory.mktemp("faults")
    path.chmod(0o700)
    for kind, ranks, batch in (("mixed", 4, 7), ("data", 2, 8)):
        step = plans.read(steps.layered("mlp", batch=batch))
        plan = plans.random_plan(step, 0, kind, ranks=ranks)
        assert len({device for stage in plan.stages for device in stage.devices}) == ranks
        (path / f"{kind}.mlir").write_text(plans.apply(step, plan))
        steps.save(path / f"{kind}.npz", steps.get("mlp", batch=batch).arguments)
    return path


def _environment(directory: Path, settings: str, library: Path = LIBRARY) -> dict[str, str]:
    return {
        "HETERO_STANDIN": f"devices={DEVICES};leaks=refuse;{settings}",
        "HETERO_PTX_CACHE": str(directory),
        **{f"HETERO_{n}_LIBRARY": str(library.resolve()) for n in ("CUDA_DRIVER", "CUBLAS", "NCCL")},
    }


def run(
    directory: Path, settings: str, plan: str, *flags: str, library: Path = LIBRARY
) -> subprocess.CompletedProcess[str]:
    """hetero-run on the stand-in, which ends."""
    environment = {**os.environ, **_environment(directory, settings, library)}
    command = [
        steps.tool("hetero-run"), f"{plan}.mlir", f"--args={plan}.npz", f"--steps={STEPS}",
        "--opt-level=0", "--device=cuda", "--cuda-format=ptx",
        f"--cache={directory / 'objects'}", f"--patience={PATIENCE}", *flags,
    ]  # fmt: skip
    return subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True,
        timeout=PATIENCE + MORE,
    )  # fmt: skip


def _count(directory: Path, settings: str, *way: str) -> tuple[subprocess.CompletedProcess[str], dict[str, int]]:
    """A run, and how often it has called what."""
    done = run(directory, f"{settings};counts={directory / 'counts'}", *way)
    lines = [line.split() for line in (directory / "counts").read_text().splitlines()]
    return done, {line[0]: int(line[1]) for line in lines if len(line) == 2}


@pytest.fixture(scope="module")
def counts(directory: Path) -> dict[tuple[str, ...], dict[str, int]]:
    """How often an undisturbed run calls what, for each way to run."""
    known = {}
    for way in (USUAL, POOL, TRACED, EQUAL):
        done, known[way] = _count(directory, "seed=0", *way)
        assert done.returncode == 0, done.stderr[-3000:]
    return known


def _check(done: subprocess.CompletedProcess[str], function: str, *parts: str) -> None:
    """One sentence of ours, and none of the stand-in's."""
    assert done.returncode == 1, f"{done.returncode}: {done.stderr[-3000:]}"
    errors = [line for line in done.stderr.splitlines() if re.search(r"\berror: ", line)]
    assert len(errors) == 1, done.stderr[-3000:]
    assert "hetero stand-in" not in done.stderr, done.stderr[-3000:]
    assert re.search(r"\brank \d", errors[0]), errors[0]
    for part in (function, *parts):
        assert re.search(part, errors[0]), f"no '{part}' in: {errors[0]}"


@pytest.mark.parametrize("name", _params(_entry_points()))
def test_call_fails(
    name: str, directory: Path, counts: dict[tuple[str, ...], dict[str, int]]
) -> None:
    """The first call, one in the middle and one of the last fail."""
    if name in NEVER_CALLED:
        pytest.skip("only where NCCL has nothing newer")
    if name.startswith(ELSEWHERE):
        pytest.skip("steps that need it are tested elsewhere")
    way = WAYS.get(name, USUAL)
    called = RENAMED.get(name, name)
    if name in AFTER:
        first = AFTER[name]
        done = run(directory, f"fail={first},{called}@1", *way)
        _check(done, first.split("@")[0], "on device")
        return
    number = counts[way][called]
    for call in sorted({1, (number + 1) // 2, number}):
        for seed in range(SEEDS):
            order = ("random", "lazy", "eager")[seed % 3]
            settings = f"seed={seed};order={order};fail={called}@{call}"
            done, made = _count(directory, settings, *way)
            # What looks whether the device is done is not called equally often
            # by each run.
            if done.returncode == 0 and name in POLLS:
                assert call > 1 and made[called] < call, f"call {call} of {number}, seed {seed}"
                continue
            device = "" if name in ("cuInit", "cuDeviceGetCount") else r"device \d|device '"
            _check(done, name, device)


@pytest.mark.parametrize("name", _params(ENDLESS))
def test_nccl_never_ends(
    name: str, directory: Path, counts: dict[tuple[str, ...], dict[str, int]]
) -> None:
    """It is said who waits for whom, with what and for how long; also in the
    middle of steps that are graphs."""
    way = WAYS.get(name, USUAL)
    number = counts[way][name]
    for call in sorted({1, number}):
        began = time.monotonic()
        done = run(directory, f"never={name}@{call}", *way)
        taken = time.monotonic() - began
        _check(done, "waits for", r"on device '.*' for \d+ s", "with rank|from rank|to rank")
        assert taken >= PATIENCE, done.stderr
        if not name.startswith("ncclComm"):
            _check(done, r"instruction \d+ \(\w+ .*\.mlir:\d+\)", "after '")


@pytest.mark.parametrize("kernel", [1, 100, pytest.param(700, marks=pytest.mark.slow)])
def test_kernel_faults(kernel: int, directory: Path) -> None:
    """The driver says it when it is asked for something else, and so do we."""
    done = run(directory, f"fault={kernel}", *USUAL)
    _check(done, "ILLEGAL_ADDRESS", "left by work that the device was given before", "on device")


@pytest.mark.parametrize("device", [0, 3])
def test_device_is_lost(device: int, directory: Path) -> None:
    """All its calls fail from the four hundredth on, in the middle of a step."""
    done = run(directory, f"lose={device}@400", *USUAL)
    _check(done, "CUDA_ERROR_DEVICE_UNAVAILABLE", f"on device {device}")


def _find(launcher: int, rank: int) -> int:
    """The process that mpirun has started for a rank."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent != launcher:
                continue
            variables = (path / "environ").read_bytes().split(b"\0")
        except OSError:  # It has ended meanwhile.
            continue
        if f"OMPI_COMM_WORLD_RANK={rank}".encode() in variables:
            return int(path.name)
    pytest.fail(f"no process of rank {rank}")


def _start(directory: Path, number: int, settings: str, at_one: str, *flags: str) -> mpirun.Run:
    """Four processes, of which rank 1 has settings of its own."""
    script = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && HETERO_STANDIN="$HETERO_STANDIN;$0"; exec "$@"'
    return mpirun.Run(
        4, "-c", script, at_one, steps.tool("hetero-run"), "mixed.mlir", "--args=mixed.npz",
        f"--steps={number}", "--opt-level=0", "--device=cuda", "--cuda-format=ptx",
        f"--cache={directory / 'objects'}", "--transport=mpi", *flags, program="sh",
        cwd=directory,
        # mpirun kills the others a second after one has ended, else.
        OMPI_MCA_odls_base_sigkill_timeout="3", **_environment(directory, settings),
    )  # fmt: skip


@mpirun.needs_mpi
@pytest.mark.parametrize(
    ("setting", "pattern"),
    [
        ("fail=cuStreamCreate@1", "error: rank 1: cuStreamCreate failed on device 1"),
        ("fail=cuLaunchKernel@50", r"error: rank 1: instruction \d+ \(call .*cuLaunchKernel failed on device 1"),
        ("fault=60", "error: rank 1: .*on device 1 .*ILLEGAL_ADDRESS"),
        ("never=ncclSend@3", r"error: rank \d waits for .* rank \d.* for \d+ s"),
        ("fail=cuMemFree@1", "error: rank 1: at the end: cuMemFree failed on device 1"),
    ],
)
@pytest.mark.slow
def test_one_process_fails(setting: str, pattern: str, directory: Path) -> None:
    """All of them say the first cause, on the rank where it was."""
    job = _start(directory, STEPS, "seed=1", setting, f"--patience={PATIENCE}")
    code, _ = job.end(PATIENCE + MORE)
    assert code != 0, job.text
    errors = [line for line in job.lines if "error: " in line]
    assert errors and all(re.search(pattern, line) for line in errors), job.text
    assert "hetero stand-in" not in job.text, job.text


@mpirun.needs_mpi
@pytest.mark.parametrize("victim", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_process_is_killed(victim: int, directory: Path) -> None:
    """In the middle of a run. The others say which rank was lost, and what they
    waited for."""
    job = _start(directory, 100000, "seed=1", "seed=2")
    job.wait_for("^step 5: loss")
    os.kill(_find(job.process.pid, victim), signal.SIGKILL)
    mpirun.fail(job, rf"^error: rank {victim} is lost: process \d+ on '.*' has ended; rank \d waits for", 3)
    assert "hetero stand-in" not in job.text, job.text


def _without(name: str, path: Path) -> Path:
    """The stand-in as it would be if it had no such entry point."""
    data = LIBRARY.resolve().read_bytes()
    copy = path / f"without-{name}.so"
    copy.write_bytes(data.replace(name.encode() + b"\0", name[:-1].encode() + b"_\0"))
    return copy


@pytest.mark.parametrize("name", ["ncclCommInitRankConfig", "ncclCommFinalize"])
def test_older_nccl(name: str, directory: Path) -> None:
    """Before 2.14 communicators block; all else is the same."""
    library = _without(name, directory)
    done = run(directory, f"seed=1;counts={directory / 'counts'}", *USUAL, library=library)
    assert done.returncode == 0, done.stderr[-3000:]
    called = (directory / "counts").read_text().split()
    assert name not in called
    assert ("ncclCommInitRank" in called) == (name == "ncclCommInitRankConfig")
    done = run(directory, "seed=1;fail=ncclSend@2", *USUAL, library=library)
    _check(done, "ncclSend", "on device")


def test_nothing_fails(directory: Path) -> None:
    """All is given back after a good end, too."""
    for way in (USUAL, POOL, TRACED, EQUAL):
        done = run(directory, "seed=5", *way)
        assert done.returncode == 0, done.stderr[-3000:]
