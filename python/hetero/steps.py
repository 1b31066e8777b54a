"""`hetero.jit`: a training step that runs on a cluster.

A call goes through three stages, each of them once for a kind of arguments:

    signature   the tree, the static values and the types of the arguments
    executable  what `jax.jit` lowers for it, compiled for the cluster
    run         the arrays go to the devices unless they are there already

See `hetero.jit` for what users see and hetero/arrays.py for what they get.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from typing import Any, Callable, Iterable, Iterator, Sequence

import jax
import numpy as np

from . import _jax, export
from .arrays import DeviceArray, LiveResults
from .clusters import ClusterLike
from .core import core
from .options import make_options
from .plans import Plan
from .signatures import Signature, StaticArguments, aval_of, is_key

_jax.accept_as_array(DeviceArray)


def jit(
    fun: Callable[..., Any] | None = None,
    *,
    cluster: ClusterLike = None,
    planner: str = "joint",
    schedule: str | None = None,
    microbatches: int | Sequence[int] | None = None,
    state: str | Sequence[str] = (),
    tensor: int | None = None,
    max_stages: int | None = None,
    without: Sequence[int] = (),
    effort: int = 1,
    time_budget: str | float | None = None,
    roles: str | Iterable[str] = (),
    transport: str | None = None,
    device: str = "cpu",
    cuda_format: str = "cubin",
    cuda_memory: str = "arena",
    cuda_graphs: bool = True,
    memory_caps: bool = True,
    threads_per_rank: int | None = None,
    cache_directory: str | os.PathLike | None = None,
    progress: Callable[[str], None] | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    inline: bool = False,
) -> Any:
    """Makes a function run a training step on a cluster.

        step = hetero.jit(train_step, cluster="cluster.yaml", donate_argnums=0)
        state, loss = step(state, batch)

    The step is traced, planned and compiled on the first call with arguments
    of new shapes, types or static values. Results are arrays that stay on the
    devices; state that is donated and passed back moves nowhere.

    * `cluster`: a cluster.yaml, a mapping, a `hetero.Cluster`; one device without.
    * `planner`, `schedule`, `microbatches` (how many, or the sizes), `state`,
      `tensor`, `max_stages`, `without` (devices), `effort`, `time_budget`
      ("5s", or seconds): as of the pass hetero-plan; the planner chooses what
      is not given.
    * `roles`: what arguments and results are to training, where that cannot be
      inferred: ["arg3=batch", "result0=loss"] (see hetero-infer-roles), or
      one text with commas.
    * `transport`: "threads" or "mpi"; "mpi" is the default under mpirun, where
      each process has one rank and all of them make the same calls.
    * `device`: what the ranks run on: this machine's processors ("cpu"), or
      "cuda", a GPU each. Steps on GPUs go on when the call has returned; a
      look at a result, or its `block_until_ready`, waits.
    * `cuda_format` ("cubin" by ptxas, or "ptx" for the driver to compile),
      `cuda_memory` ("arena", or "pool" for tools that watch memory) and
      `cuda_graphs` (whether steps that repeat become graphs): as of hetero-run.
    * `threads_per_rank`: threads of each device; without, its share of the
      processors.
    * `memory_caps`: a device never uses more memory than the cluster says.
    * `progress`: is told what is being done while compiling.

    The other keywords are those of `jax.jit` and mean the same (`keep_unused`
    makes no difference: what the step does not use stays where it is). Without
    `fun` the result is a decorator.
    """
    options = dict(
        cluster=cluster,
        planner=planner,
        schedule=schedule,
        microbatches=microbatches,
        state=state,
        tensor=tensor,
        max_stages=max_stages,
        without=without,
        effort=effort,
        time_budget=time_budget,
        roles=tuple(roles.split(",") if isinstance(roles, str) else roles),
        transport=transport,
        device=device,
        cuda_format=cuda_format,
        cuda_memory=cuda_memory,
        cuda_graphs=cuda_graphs,
        memory_caps=memory_caps,
        threads_per_rank=threads_per_rank,
        cache_directory=cache_directory,
    )
    keywords = dict(
        static_argnums=static_argnums,
        static_argnames=static_argnames,
        donate_argnums=donate_argnums,
        donate_argnames=donate_argnames,
        inline=inline,
    )
    if fun is None:
        return lambda function: Step(function, make_options(**options), progress, keywords)
    return Step(fun, make_options(**options), progress, keywords)


def plan(
    fun: Callable[..., Any],
    *args: Any,
    cluster: ClusterLike = None,
    planner: str = "joint",
    schedule: str | None = None,
    microbatches: int | None = None,
    **kwargs: Any,
) -> Plan:
    """The plan for a step with such arguments (arrays or their shapes).

        print(hetero.plan(train_step, state, batch, cluster="cluster.yaml"))

    `fun` is a function, one under `jax.jit` or one of `hetero.jit`, whose own
    options then count: `hetero.jit` has more of them than these. `kwargs` go to
    the function.
    """
    if isinstance(fun, Step):
        return fun.plan(*args, **kwargs)
    step = jit(fun, cluster=cluster, planner=planner, schedule=schedule, microbatches=microbatches)
    return step.plan(*args, **kwargs)


class Step:
    """A step under `hetero.jit`."""

    def __init__(
        self,
        fun: Callable[..., Any],
        options: Any,
        progress: Callable[[str], None] | None,
        keywords: dict[str, Any],
    ) -> None:
        # One that is under jax.jit already keeps the keywords that it has there.
        given = any(value is not None and value is not False for value in keywords.values())
        if given or not hasattr(fun, "lower"):
            self._jitted = jax.jit(fun, **{k: v for k, v in keywords.items() if v is not None})
        else:
            self._jitted = fun
        functools.update_wrapper(self, fun)
        self._options = options
        self._progress = progress
        self._static = StaticArguments(
            fun, keywords["static_argnums"], keywords["static_argnames"]
        )
        self._executables: dict[Any, StepExecutable] = {}
        self._lock = threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            signature = self._static.sign(args, kwargs)
            return self._get_executable(signature).run(signature.leaves)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> jax.stages.Lowered:
        """What `jax.jit` lowers for such arguments."""
        return self._trace(self._static.sign(args, kwargs)).lower()

    def plan(self, *args: Any, **kwargs: Any) -> Plan:
        """The plan for such arguments, arrays or shapes."""
        signature = self._static.sign(args, kwargs)
        if signature.key in self._executables:
            return self._executables[signature.key].plan
        source = export.text(self._trace(signature).lower(), debug_info=True)
        return Plan(core.plan(source, self._options, self._progress))

    def program(self, *args: Any, **kwargs: Any) -> StepExecutable:
        """What runs such arguments; it is compiled if it is new."""
        with self._lock:
            return self._get_executable(self._static.sign(args, kwargs))

    def clear_cache(self) -> None:
        """Forgets what is compiled; results keep it as long as they need it."""
        with self._lock:
            self._executables.clear()

    def _get_executable(self, signature: Signature) -> StepExecutable:
        executable = self._executables.get(signature.key)
        if executable is None or executable.has_failed:
            executable = StepExecutable(self._trace(signature), self._options, self._progress)
            self._executables[signature.key] = executable
        return executable

    def _trace(self, signature: Signature) -> jax.stages.Traced:
        args, kwargs = signature.shapes()
        return self._jitted.trace(*args, **kwargs)


class StepExecutable:
    """A step that is compiled for one signature, with its state on the devices."""

    def __init__(
        self,
        traced: jax.stages.Traced,
        options: Any,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        lowered = traced.lower()
        infos = jax.tree.leaves(lowered.args_info)
        self.kept = _jax.kept_arguments(lowered, len(infos))
        self._donated = [infos[index].donated for index in self.kept]
        self._out_infos, self._out_tree = jax.tree.flatten(traced.out_info)
        self._out_avals = [aval_of(info) for info in self._out_infos]
        source = export.text(lowered, debug_info=True)
        self._executable = core.compile(source, options, progress)
        self._types = [_numpy_type(tensor) for tensor in self._executable.arguments]
        self._result_types = [_numpy_type(tensor) for tensor in self._executable.results]
        # By argument: the result that becomes it after each step.
        self._updated_by = {
            tensor.updates: index
            for index, tensor in enumerate(self._executable.results)
            if tensor.updates is not None
        }
        self._live = LiveResults()
        self._started = False
        self.has_failed = False
        if len(self._types) != len(self.kept) or len(self._result_types) != len(self._out_avals):
            raise core.CompileError(
                f"the compiled step has {len(self._types)} arguments and "
                f"{len(self._result_types)} results, the lowered one {len(self.kept)} and "
                f"{len(self._out_avals)}"
            )

    @property
    def plan(self) -> Plan:
        """What the planner has decided."""
        return Plan(self._executable.plan)

    @property
    def num_ranks(self) -> int:
        """How many devices take part."""
        return self._executable.num_ranks

    @property
    def peak_bytes(self) -> int:
        """The most memory that was in use on a device of this process."""
        return self._executable.peak_bytes

    @property
    def programs(self) -> str:
        """The programs of the ranks as MLIR."""
        return self._executable.programs

    def trace(self, on: bool = True) -> None:
        """Records from now on what the ranks do."""
        self._executable.set_tracing(on)

    def write_trace(self, path: str | os.PathLike) -> None:
        """Writes what was recorded as a Chrome trace, which Perfetto opens."""
        self._executable.write_trace(os.fspath(path))

    def write_timeline(self, path: str | os.PathLike) -> None:
        """Writes a page that shows the plan's schedule and the last step that was recorded."""
        self._executable.write_timeline(os.fspath(path))

    def get_result(self, index: int) -> np.ndarray:
        """The result `index` of the last step."""
        shape, dtype = self._result_types[index]
        value = np.empty(shape, dtype)
        with self._marking_failures():
            self._executable.get_result(index, _bytes(value))
        return value

    def synchronize(self) -> None:
        """Waits until the devices have done all steps that were called."""
        with self._marking_failures():
            self._executable.synchronize()

    @contextlib.contextmanager
    def _marking_failures(self) -> Iterator[None]:
        """Steps on GPUs may fail after their call has returned."""
        try:
            yield
        except core.ExecutionError:
            self.has_failed = True
            raise

    def run(self, leaves: Sequence[Any]) -> Any:
        """One step with all flattened arguments, those included that it does not use."""
        arguments = [leaves[index] for index in self.kept]
        values = self._find_arguments_to_set(arguments)
        donated = self._find_donated(arguments)
        # Before anything of the last step is overwritten; what is donated need
        # not be fetched.
        for array in donated:
            if isinstance(array, DeviceArray):
                array.delete()
        self._live.leave_devices()
        try:
            for index, value in values.items():
                self._executable.set_argument(index, _bytes(value))
            self._executable.step()
        except BaseException:
            self.has_failed = True
            raise
        finally:
            for array in donated:
                if not array.is_deleted():
                    array.delete()
        self._started = True
        return self._make_results()

    def _find_arguments_to_set(self, arguments: list[Any]) -> dict[int, np.ndarray]:
        """The arguments that have to go to the devices, as they go there."""
        values = {}
        for index, argument in enumerate(arguments):
            if isinstance(argument, DeviceArray):
                if argument.is_deleted():
                    argument.fetch()  # Raises.
                result = self._updated_by.get(index)
                if self._started and result is not None and argument.is_result(self, result):
                    continue
            values[index] = self._to_numpy(index, argument)
        return values

    def _to_numpy(self, index: int, argument: Any) -> np.ndarray:
        if is_key(argument):
            argument = jax.random.key_data(argument)
        shape, dtype = self._types[index]
        if isinstance(argument, (bool, int, float, complex)):
            return np.asarray(argument, dtype)
        if isinstance(argument, jax.ShapeDtypeStruct):
            raise TypeError(f"argument {index} is a shape, not an array")
        value = np.asarray(argument)
        if value.dtype != dtype:
            value = value.astype(dtype)
        if value.shape != shape:
            raise ValueError(f"argument {index} has the shape {value.shape}, not {shape}")
        return value

    def _find_donated(self, arguments: list[Any]) -> list[Any]:
        """What is gone after the step: nothing else of it may be an argument."""
        donated: list[Any] = []
        for argument, gone in zip(arguments, self._donated):
            if not isinstance(argument, (jax.Array, DeviceArray)):
                continue
            if any(other is argument for other in donated):
                raise ValueError(
                    "an array is donated, and given as another argument as well; "
                    f"it has the shape {argument.shape} and the type {argument.dtype}"
                )
            if gone:
                donated.append(argument)
        return donated

    def _make_results(self) -> Any:
        results: list[Any] = []
        for index, (info, aval) in enumerate(zip(self._out_infos, self._out_avals)):
            if jax.dtypes.issubdtype(info.dtype, jax.dtypes.prng_key):
                # Keys are small, and JAX's functions take no others than its own.
                implementation = _jax.key_implementation(info.dtype)
                results.append(jax.random.wrap_key_data(self.get_result(index), impl=implementation))
            else:
                results.append(DeviceArray(self, index, aval))
        self._live.replace([result for result in results if isinstance(result, DeviceArray)])
        return jax.tree.unflatten(self._out_tree, results)


_NUMPY_TYPES = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "ui8": "uint8",
    "ui16": "uint16",
    "ui32": "uint32",
    "ui64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
}


def _numpy_type(tensor: Any) -> tuple[tuple[int, ...], np.dtype]:
    return tuple(tensor.shape), jax.numpy.dtype(_NUMPY_TYPES[tensor.element])


def _bytes(array: np.ndarray) -> np.ndarray:
    """The memory of `array`, row by row."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
