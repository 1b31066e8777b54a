"""Every step of the zoo, compiled for the CPU, computes what JAX computes."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest
from kernel import difference, run

from hetero import export, zoo


def _arrays(tree: object) -> list[np.ndarray]:
    leaves = []
    for leaf in jax.tree.leaves(tree):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        leaves.append(np.asarray(leaf))
    return leaves


# Of each tensor's scale. In bf16, XLA keeps more bits between operations than the
# program says, so single roundings differ.
TOLERANCES = {"gpt_bf16": 1e-2}


@pytest.mark.parametrize("name", zoo.names())
def test_step(name: str, tmp_path: Path) -> None:
    step = zoo.get(name, "test")
    arguments = step.warm_args(seed=1)
    lowered = jax.jit(step.fn).lower(*arguments)
    kept = step.kept_arguments(lowered)
    expected = _arrays(lowered.compile()(*arguments))
    module = export.text(lowered)
    operands = _arrays(arguments)
    actual = run(module, [operands[i] for i in kept], tmp_path)
    assert len(actual) == len(expected)
    worst = {i: difference(a, e) for i, (a, e) in enumerate(zip(actual, expected, strict=True))}
    assert {i: d for i, d in worst.items() if d > TOLERANCES.get(name, 2e-5)} == {}


def test_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is compiled in parts; those in the cache compute the same bits."""
    step = zoo.get("gpt", "test")
    arguments = step.warm_args(seed=1)
    lowered = jax.jit(step.fn).lower(*arguments)
    operands = _arrays(arguments)
    kept = [operands[i] for i in step.kept_arguments(lowered)]
    alone = run(export.text(lowered), kept, tmp_path)
    objects = tmp_path / "objects"
    monkeypatch.setenv("HETERO_CACHE", str(objects))
    first = run(export.text(lowered), kept, tmp_path)
    names = sorted(path.name for path in objects.iterdir())
    assert len(names) > 1
    again = run(export.text(lowered), kept, tmp_path)
    assert sorted(path.name for path in objects.iterdir()) == names
    for a, b, c in zip(alone, first, again, strict=True):
        assert np.array_equal(a, b) and np.array_equal(b, c)
