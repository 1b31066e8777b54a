"""The options of the compiler, from those that users give."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .clusters import Cluster, ClusterLike
from .core import core


def default_transport() -> str:
    """Processes that mpirun has started speak MPI."""
    for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        if int(os.environ.get(variable, "1")) > 1:
            return "mpi"
    return "threads"


def default_cache_directory() -> Path:
    """Where compiled kernels are kept: HETERO_CACHE, or beside other caches."""
    if "HETERO_CACHE" in os.environ:
        return Path(os.environ["HETERO_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hetero"


def make_options(
    cluster: ClusterLike = None,
    planner: str | None = None,
    schedule: str | None = None,
    microbatches: int | None = None,
    roles: tuple[str, ...] = (),
    transport: str | None = None,
    memory_caps: bool = True,
    threads_per_rank: int | None = None,
    cache_directory: str | os.PathLike | None = None,
) -> Any:
    """The options of the compiler from those of users, checked where that is cheap."""
    if microbatches is not None and microbatches < 1:
        raise ValueError(f"microbatches is at least 1, not {microbatches}")
    if threads_per_rank is not None and threads_per_rank < 1:
        raise ValueError(f"threads_per_rank is at least 1, not {threads_per_rank}")
    options = core.Options()
    described = Cluster.of(cluster)
    if described is not None:
        options.cluster_text = described.yaml
    options.planner = planner or ""
    options.schedule = schedule or ""
    options.microbatches = microbatches or 0
    options.roles = list(roles)
    options.transport = transport or default_transport()
    options.memory_caps = memory_caps
    options.threads_per_rank = threads_per_rank or 0
    if cache_directory is None:
        cache_directory = default_cache_directory()
    options.cache_directory = os.fspath(cache_directory)
    return options
