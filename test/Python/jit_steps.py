"""Small steps, clusters and comparisons that the tests of `hetero.jit` share."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def cluster(ranks: int) -> dict[str, Any]:
    """`ranks` devices in two nodes, the later ones slower, with a slow link between."""
    fast = (ranks + 1) // 2
    classes = {
        "fast": {"like": "cpu", "memory": "2 GiB", "peak": {"f32": "100 GFLOP/s"}},
        "slow": {"like": "cpu", "memory": "1 GiB", "peak": {"f32": "30 GFLOP/s"}},
    }
    link = {"kind": "memory", "bandwidth": "5 GB/s", "latency": "2 us"}
    nodes = [{"name": "left", "devices": [f"{fast} x fast"], "link": link}]
    description: dict[str, Any] = {"name": "test", "classes": classes, "nodes": nodes}
    if ranks > fast:
        nodes.append({"name": "right", "devices": [f"{ranks - fast} x slow"], "link": link})
        description["links"] = [
            {"between": ["left", "right"], "bandwidth": "1 Gb/s", "latency": "50 us"}
        ]
    else:
        del description["classes"]["slow"]
    return description


def loss_of(params: Any, x: jax.Array, y: jax.Array) -> jax.Array:
    """Two layers and a squared error."""
    hidden = jnp.tanh(x @ params["first"] + params["bias"])
    return jnp.mean((hidden @ params["second"] - y) ** 2)


def sgd(params: Any, batch: tuple[jax.Array, jax.Array], rate: Any = 0.1) -> tuple[Any, jax.Array]:
    """A step of gradient descent."""
    loss, gradients = jax.value_and_grad(loss_of)(params, *batch)
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients), loss


def parameters(seed: int = 0) -> dict[str, jax.Array]:
    """Parameters of `sgd`."""
    keys = jax.random.split(jax.random.key(seed), 3)
    return {
        "first": 0.3 * jax.random.normal(keys[0], (6, 8)),
        "bias": jnp.zeros(8),
        "second": 0.3 * jax.random.normal(keys[1], (8, 3)),
    }


def batch(size: int = 7, seed: int = 1) -> tuple[jax.Array, jax.Array]:
    """A batch of `sgd`."""
    keys = jax.random.split(jax.random.key(seed))
    return jax.random.normal(keys[0], (size, 6)), jax.random.normal(keys[1], (size, 3))


def copy(tree: Any) -> Any:
    """New arrays, which may be donated."""
    return jax.tree.map(lambda leaf: leaf.copy(), tree)


def assert_close(actual: Any, expected: Any, tolerance: float = 2e-5) -> None:
    """Every tensor agrees within `tolerance` of its scale."""
    pairs = zip(jax.tree.leaves_with_path(expected), jax.tree.leaves(actual), strict=True)
    for (path, want), got in pairs:
        where = jax.tree_util.keystr(path)
        want, got = np.asarray(want), np.asarray(got)
        assert got.dtype == want.dtype and got.shape == want.shape, where
        if want.dtype == bool or np.issubdtype(want.dtype, np.integer):
            np.testing.assert_array_equal(got, want, where)
            continue
        want, got = want.astype(np.float64), got.astype(np.float64)
        scale = np.abs(want).max(initial=0.0)
        difference = np.abs(got - want).max(initial=0.0)
        assert difference <= tolerance * scale + 1e-30, f"{where}: {difference} of {scale}"
