"""The options of the compiler, from those that users give."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any, Sequence

from .clusters import Cluster, ClusterLike
from .core import core


def default_transport() -> str:
    """Processes that mpirun has started speak MPI."""
    for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        if int(os.environ.get(variable, "1")) > 1:
            return "mpi"
    # srun --mpi=pmix says how many there are in a variable of its own.
    if "PMIX_RANK" in os.environ and int(os.environ.get("SLURM_STEP_NUM_TASKS", "1")) > 1:
        return "mpi"
    return "threads"


def default_cache_directory() -> Path:
    """Where compiled kernels are kept: HETERO_CACHE, or beside other caches."""
    if "HETERO_CACHE" in os.environ:
        return Path(os.environ["HETERO_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hetero"


def _find_in_wheels(pattern: str) -> list[Path]:
    """What NVIDIA's wheels have, which jax[cuda] needs."""
    spec = importlib.util.find_spec("nvidia")
    places = spec.submodule_search_locations if spec else None
    return [path for place in places or () for path in sorted(Path(place).glob(pattern))]


def wheel_directories() -> list[str]:
    """Where NVIDIA's wheels have cuBLAS and NCCL."""
    return [os.fspath(path) for path in _find_in_wheels("*/lib")]


def wheel_toolkit() -> str:
    """Where NVIDIA's wheels have ptxas and libdevice, unless the environment says another place."""
    if any(os.environ.get(name) for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH")):
        return ""
    for path in _find_in_wheels("*/nvvm/libdevice/libdevice.10.bc"):
        if (path.parents[2] / "bin" / "ptxas").exists():
            return os.fspath(path.parents[2])
    return ""


def make_request(
    planner: str = "joint",
    schedule: str | None = None,
    microbatches: int | Sequence[int] | None = None,
    state: str | Sequence[str] = (),
    tensor: int | None = None,
    max_stages: int | None = None,
    without: Sequence[int] = (),
    effort: int = 1,
    time_budget: str | float | None = None,
) -> Any:
    """What is asked of a plan; the driver of the planners checks the rest."""
    for name, value in dict(microbatches=microbatches, tensor=tensor, max_stages=max_stages).items():
        if isinstance(value, int) and value < 1:
            raise ValueError(f"{name} is at least 1, not {value}")
    request = core.PlanRequest()
    request.planner = planner or "joint"
    request.schedule = schedule or "auto"
    request.microbatches = [microbatches] if isinstance(microbatches, int) else list(microbatches or ())
    request.state = [state] if isinstance(state, str) else list(state)
    request.tensor = tensor or 0
    request.max_stages = max_stages or 0
    request.without = list(without)
    request.effort = effort
    if time_budget is not None:
        request.time_budget = time_budget if isinstance(time_budget, str) else f"{time_budget} s"
    return request


def make_options(
    cluster: ClusterLike = None,
    roles: tuple[str, ...] = (),
    transport: str | None = None,
    device: str = "cpu",
    cuda_format: str = "cubin",
    cuda_memory: str = "arena",
    cuda_graphs: bool = True,
    memory_caps: bool = True,
    threads_per_rank: int | None = None,
    cache_directory: str | os.PathLike | None = None,
    **plan: Any,
) -> Any:
    """The options of the compiler from those of users; `plan` goes to make_request."""
    if threads_per_rank is not None and threads_per_rank < 1:
        raise ValueError(f"threads_per_rank is at least 1, not {threads_per_rank}")
    choices = dict(
        device=(device, ("cpu", "cuda")),
        cuda_format=(cuda_format, ("cubin", "ptx")),
        cuda_memory=(cuda_memory, ("arena", "pool")),
    )
    for name, (value, known) in choices.items():
        if value not in known:
            raise ValueError(f"{name} is {known[0]!r} or {known[1]!r}, not {value!r}")
    options = core.Options()
    described = Cluster.of(cluster)
    if described is not None:
        options.cluster_text = described.yaml
    options.plan = make_request(**plan)
    options.roles = list(roles)
    options.transport = transport or default_transport()
    options.device = device
    options.cuda_format = cuda_format
    options.cuda_memory = cuda_memory
    options.cuda_graphs = cuda_graphs
    if device == "cuda":
        options.cuda_library_directories = wheel_directories()
        options.cuda_toolkit = wheel_toolkit()
    options.memory_caps = memory_caps
    options.threads_per_rank = threads_per_rank or 0
    if cache_directory is None:
        cache_directory = default_cache_directory()
    options.cache_directory = os.fspath(cache_directory)
    return options
