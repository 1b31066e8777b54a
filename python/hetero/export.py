"""Writes a lowered step in the forms that hetero reads."""

from __future__ import annotations

import io
from typing import Any

import jax
from jax import export as jax_export


def text(lowered: jax.stages.Lowered, debug_info: bool = False) -> str:
    """StableHLO as text; with `debug_info` it names arguments and source places."""
    return lowered.as_text(debug_info=debug_info)


def bytecode(lowered: jax.stages.Lowered) -> bytes:
    """StableHLO as MLIR bytecode, locations included."""
    module = lowered.compiler_ir("stablehlo")
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    return out.getvalue()


def artifact(fn: Any, args: tuple[Any, ...], donate_argnums: tuple[int, ...] = ()) -> bytes:
    """A `jax.export` artifact of `fn`, for `hetero.artifact.read`.

    The artifact takes and returns flat lists of arrays: `jax.export` does not
    serialize the containers of Flax and Optax.
    """
    leaves, tree = jax.tree.flatten(args)
    counts = [len(jax.tree.leaves(arg)) for arg in args]
    donated = [
        index
        for argnum in donate_argnums
        for index in range(sum(counts[:argnum]), sum(counts[: argnum + 1]))
    ]

    def flat(*arrays: Any) -> list[Any]:
        arrays = [
            jax.random.wrap_key_data(array) if _is_key(leaf) else array
            for array, leaf in zip(arrays, leaves)
        ]
        return jax.tree.leaves(fn(*jax.tree.unflatten(tree, arrays)))

    flat.__name__ = getattr(fn, "__name__", "step")
    shapes = [jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf for leaf in leaves]
    return jax_export.export(jax.jit(flat, donate_argnums=donated))(*shapes).serialize()


def _is_key(leaf: Any) -> bool:
    return jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
