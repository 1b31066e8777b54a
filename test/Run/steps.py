"""Steps of the zoo with inputs, and what JAX computes from them."""

from __future__ import annotations

import dataclasses
import functools
import os
import subprocess
from pathlib import Path
from typing import Any, Sequence

import jax
import numpy as np

from hetero import export, zoo

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> Path:
    """A program of the build directory, which HETERO_BIN may name."""
    return Path(os.environ.get("HETERO_BIN") or ROOT / "build/bin") / name


def flatten(tree: Any) -> list[np.ndarray]:
    """The leaves as NumPy arrays; keys as their data."""
    leaves = []
    for leaf in jax.tree.leaves(tree):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        leaves.append(np.asarray(leaf))
    return leaves


@dataclasses.dataclass
class Case:
    """A step as text, its arguments in order, and a way to ask JAX."""

    text: str
    arguments: list[np.ndarray]
    kept: tuple[int, ...]
    step: zoo.Step
    tree: Any
    compiled: Any

    def expected(self, steps: int = 1) -> list[np.ndarray]:
        """The results of the last of several steps, updated state fed back."""
        args = self.tree
        for _ in range(steps):
            results = self.compiled(*args)
            args = self.step.feed_back(args, results)
        return flatten(results)

    def losses(self, steps: int) -> list[float]:
        """The loss of each step."""
        index = self.step.roles.results.index("loss")
        args, losses = self.tree, []
        for _ in range(steps):
            results = self.compiled(*args)
            args = self.step.feed_back(args, results)
            losses.append(float(flatten(results)[index]))
        return losses


@functools.lru_cache(maxsize=None)
def get(name: str, seed: int = 1, **changes: Any) -> Case:
    """A step of the zoo with warm state and a random batch."""
    jax.config.update("jax_disable_most_optimizations", True)
    step = zoo.get(name, "test", **changes)
    args = step.warm_args(seed=seed)
    lowered = jax.jit(step.fn).lower(*args)
    kept = step.kept_arguments(lowered)
    flat = flatten(args)
    donated = step.lower()
    return Case(export.text(donated), [flat[i] for i in kept], kept, step, args, lowered.compile())


def form_layers(text: str, layers: int) -> str:
    """The text of a step after import and hetero-form-layers."""
    passes = ["--hetero-import", f"--hetero-form-layers=max-layers={layers}"]
    command = [tool("hetero-opt"), "-", *passes]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    return done.stdout


@functools.lru_cache(maxsize=None)
def layered(name: str, layers: int = 6, **changes: Any) -> str:
    """A step of the zoo with layers."""
    return form_layers(get(name, **changes).text, layers)


def save(path: Path, arrays: list[np.ndarray]) -> Path:
    """Writes arrays in order; names do not matter."""
    np.savez(path, *arrays)
    return path


def run(
    text: str,
    case: Case,
    directory: Path,
    *flags: str,
    steps: int = 1,
    launcher: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """hetero-run on a module with the arguments of a case, compared with JAX."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "step.mlir").write_text(text)
    save(directory / "in.npz", case.arguments)
    save(directory / "expected.npz", case.expected(steps))
    # Compiling takes longer than running, so it is not optimized.
    command = [
        *launcher, str(tool("hetero-run")), "step.mlir", "--args=in.npz", "--compare=expected.npz",
        f"--steps={steps}", "--opt-level=0", *flags,
    ]  # fmt: skip
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=900)
