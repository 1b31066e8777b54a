#!/usr/bin/env python3
"""A process that compiles one step of the zoo and runs it when it is asked to.

    engines.py hetero|hetero-cubin|hetero-ptx|xla <folder> <threads>

The folder has what `prepare` wrote: step.mlir, the arguments and the model. A
request is a word on a line of standard input, and the answer is one JSON object
on a line of standard output:

    ready            -> {} when everything that is not timed is loaded
    compile          -> {"seconds", "cpu"}
    first <folder>   -> {"seconds", "cpu"}; writes the results there
    step             -> {"seconds", "cpu", "loss"}
    steps <n>        -> {"seconds", "cpu"} of n steps, the host's arrays given to
                        each and nobody waiting before the last one has ended
    memory           -> {"resident", "planned"}

`resident` are the bytes that the process had at most since the first step, less
what it had before it compiled; `planned` is what the engine itself says.
hetero-cubin and hetero-ptx run on a GPU, and so does xla with JAX_PLATFORMS=cuda.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), os.environ.get("HETERO_PYTHON") or str(ROOT / "build" / "python")]


def prepare(model: str, size: str, changes: dict[str, Any], folder: Path) -> None:
    """Writes the text of a step and warm arguments for it."""
    import jax

    from hetero import export, zoo

    step = zoo.get(model, size, **changes)
    lowered = step.lower()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "step.mlir").write_text(export.text(lowered))
    for index, leaf in enumerate(jax.tree.leaves(step.warm_args(seed=1))):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        np.save(folder / f"argument.{index}.npy", np.asarray(leaf))
    about = {"model": model, "size": size, "changes": changes, "kept": step.kept_arguments(lowered)}
    about["loss"] = step.roles.results.index("loss")
    (folder / "step.json").write_text(json.dumps(about))


def compile_text(text: str, threads: int, cuda_format: str = "") -> Any:
    """A step of `hetero._core` for one device; nothing is read from a cache."""
    from hetero import _core

    options = _core.Options()
    options.threads_per_rank = threads
    if cuda_format:
        from hetero.options import wheel_directories, wheel_toolkit

        options.device, options.cuda_format = "cuda", cuda_format
        options.cuda_library_directories = wheel_directories()
        options.cuda_toolkit = wheel_toolkit()
    return _core.compile(text, options)


class Engine:
    """What both engines have in common."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = json.loads((folder / "step.json").read_text())

    def argument(self, index: int) -> np.ndarray:
        """A flattened argument of the step."""
        return np.load(self.folder / f"argument.{index}.npy")

    def load(self) -> None:
        """Everything that is not to be timed or counted."""

    def compile(self) -> None:
        """From StableHLO to something that runs; nothing is read from a cache."""
        raise NotImplementedError

    def set_arguments(self) -> None:
        """Before the first step."""
        raise NotImplementedError

    def before_step(self) -> None:
        """What is done before each step, and is not timed."""

    def feed(self) -> None:
        """What is done before each of many steps, and is timed with them."""
        self.before_step()

    def start_step(self) -> None:
        """One step, which a device may still be at when this returns."""
        raise NotImplementedError

    def wait(self) -> None:
        """Returns when all steps have ended."""

    def step(self) -> None:
        """One step, its results complete."""
        self.start_step()
        self.wait()

    def result(self, index: int) -> np.ndarray:
        """A result of the last step."""
        raise NotImplementedError

    def num_results(self) -> int:
        """How many there are."""
        raise NotImplementedError

    def planned(self) -> int:
        """The bytes that a step needs, as the engine counts them."""
        raise NotImplementedError


class Hetero(Engine):
    """This project, through the module that its Python package uses."""

    def __init__(self, folder: Path, threads: int, cuda_format: str = "") -> None:
        super().__init__(folder)
        from hetero import _core  # noqa: F401  (counts as an import)

        self.threads, self.cuda_format = threads, cuda_format

    def compile(self) -> None:
        text = (self.folder / "step.mlir").read_text()
        self.compiled = compile_text(text, self.threads, self.cuda_format)
        self.arguments, self.results = self.compiled.arguments, self.compiled.results

    def set_arguments(self) -> None:
        state = {result.updates for result in self.results}
        self.others = []
        for index, original in enumerate(self.about["kept"]):
            data = np.ascontiguousarray(self.argument(original)).reshape(-1).view(np.uint8)
            if index in state:
                self.compiled.set_argument(index, data)
            else:
                self.others.append((index, data))

    def before_step(self) -> None:
        for index, data in self.others:
            self.compiled.set_argument(index, data)

    def start_step(self) -> None:
        self.compiled.step()

    def wait(self) -> None:
        # On the CPU a step has ended when it returns.
        if self.cuda_format:
            self.compiled.synchronize()

    def result(self, index: int) -> np.ndarray:
        names = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "ui32": "uint32", "i1": "bool"}
        result = self.results[index]
        array = np.empty(tuple(result.shape), names[result.element])
        self.compiled.get_result(index, array.reshape(-1).view(np.uint8))
        return array

    def num_results(self) -> int:
        return len(self.results)

    def planned(self) -> int:
        return self.compiled.peak_bytes


class Xla(Engine):
    """XLA through jax.jit with the state donated, on JAX's first device."""

    def __init__(self, folder: Path, threads: int) -> None:
        super().__init__(folder)
        import jax

        from hetero import zoo

        self.jax = jax
        self.zoo = zoo

    def load(self) -> None:
        self.zoo_step = self.zoo.get(self.about["model"], self.about["size"], **self.about["changes"])
        self.lowered = self.zoo_step.lower()
        self.device = self.jax.devices()[0]
        self.fed: list[tuple[int, np.ndarray]] | None = None

    def compile(self) -> None:
        self.compiled = self.lowered.compile()

    def set_arguments(self) -> None:
        shapes, tree = self.jax.tree.flatten(self.zoo_step.args)
        leaves = []
        for index, shape in enumerate(shapes):
            # A copy: JAX may take the memory of NumPy's arrays as it is.
            leaf = self.jax.numpy.array(self.argument(index), copy=True)
            if self.jax.dtypes.issubdtype(shape.dtype, self.jax.dtypes.prng_key):
                leaf = self.jax.random.wrap_key_data(leaf)
            leaves.append(leaf)
        self.args = self.jax.tree.unflatten(tree, leaves)

    def start_step(self) -> None:
        self.outputs = self.compiled(*self.args)
        before = self.jax.tree.leaves(self.args)
        self.args = self.zoo_step.feed_back(self.args, self.outputs)
        if self.fed is None:
            # What is not state comes from the host.
            after = self.jax.tree.leaves(self.args)
            self.fed = [(i, self.argument(i)) for i, leaf in enumerate(after) if leaf is before[i]]

    def feed(self) -> None:
        """Gives the next step what is not state, as a program that trains does."""
        leaves, tree = self.jax.tree.flatten(self.args)
        for index, value in self.fed or ():
            if not self.jax.dtypes.issubdtype(leaves[index].dtype, self.jax.dtypes.prng_key):
                leaves[index] = self.jax.device_put(value, self.device)
        self.args = self.jax.tree.unflatten(tree, leaves)

    def wait(self) -> None:
        self.jax.block_until_ready(self.outputs)

    def result(self, index: int) -> np.ndarray:
        return np.asarray(self.jax.tree.leaves(self.outputs)[index])

    def num_results(self) -> int:
        return len(self.jax.tree.leaves(self.outputs))

    def planned(self) -> int:
        # The CPU has no such counts.
        if counts := self.device.memory_stats():
            return counts["peak_bytes_in_use"]
        found = self.compiled.memory_analysis()
        return (
            found.argument_size_in_bytes + found.output_size_in_bytes
            - found.alias_size_in_bytes + found.temp_size_in_bytes
        )  # fmt: skip


def resident(field: str) -> int:
    """VmRSS, what the process has, or VmHWM, the most it had, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"error: no {field} in /proc/self/status")


def forget_peak() -> None:
    """VmHWM begins anew, without what the heap keeps of the past."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def timed(work: Callable[[], None]) -> dict[str, float]:
    """Wall and CPU seconds, of all threads."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}


def first(engine: Engine, target: Path) -> dict[str, float]:
    """The first step, whose results are written to be compared."""
    engine.set_arguments()
    engine.before_step()
    took = timed(engine.step)
    target.mkdir(parents=True, exist_ok=True)
    for index in range(engine.num_results()):
        np.save(target / f"result.{index}.npy", engine.result(index))
    forget_peak()
    return took


def step(engine: Engine) -> dict[str, float]:
    """One more step."""
    engine.before_step()
    return timed(engine.step) | {"loss": float(engine.result(engine.about["loss"]))}


def steps(engine: Engine, count: int) -> dict[str, float]:
    """Many steps, one after the other."""

    def work() -> None:
        for _ in range(count):
            engine.feed()
            engine.start_step()
        engine.wait()

    return timed(work)


def main() -> int:
    """Serves requests until there are no more."""
    kind, folder, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    # Answers alone go to the pipe.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    # XLA has as many threads as the process may use processors.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    name, _, cuda_format = kind.partition("-")
    engine = Hetero(folder, threads, cuda_format) if name == "hetero" else Xla(folder, threads)
    engine.load()
    base = resident("VmRSS")
    for line in sys.stdin:
        request, *rest = line.split()
        if request == "ready":
            answer = {}
        elif request == "compile":
            answer = timed(engine.compile)
        elif request == "first":
            answer = first(engine, Path(rest[0]))
        elif request == "step":
            answer = step(engine)
        elif request == "steps":
            answer = steps(engine, int(rest[0]))
        else:
            answer = {"resident": resident("VmHWM") - base, "planned": engine.planned()}
        print(json.dumps(answer), file=answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
