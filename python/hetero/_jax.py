"""Everything that the package uses of JAX beyond its public interface.

Three things have no public name. All are tried when they are needed, so that a
JAX that has moved them loses a convenience, not the package:

* which arguments `jax.jit` dropped because the step does not use them,
* how a type of ours is made an argument of JAX's own functions,
* how an array is given a weak type.
"""

from __future__ import annotations

from typing import Any

import jax


def kept_arguments(lowered: jax.stages.Lowered, count: int) -> tuple[int, ...]:
    """Which of the `count` flattened arguments the lowered module still has."""
    compile_args = getattr(getattr(lowered, "_lowering", None), "compile_args", {})
    return tuple(sorted(compile_args.get("kept_var_idx", range(count))))


def accept_as_array(cls: type) -> None:
    """JAX's functions take objects of `cls` that have `aval` and `__jax_array__`."""
    try:
        from jax._src import core, dtypes
        from jax._src.interpreters import pxla

        def shard(values: Any, shardings: Any, layouts: Any, copy_semantics: Any) -> Any:
            arrays = [value.__jax_array__() for value in values]
            return pxla.shard_args(shardings, layouts, copy_semantics, arrays)

        core.pytype_aval_mappings[cls] = lambda value: value.aval
        pxla.shard_arg_handlers[cls] = shard
        dtypes.canonicalize_value_handlers[cls] = lambda value, **_: value.__jax_array__()
    except (AttributeError, ImportError):
        pass  # Users then write jnp.asarray(result) where JAX asks for it.


def weaken(array: jax.Array) -> jax.Array:
    """`array` with a weak type: it takes the type of what it is combined with."""
    try:
        from jax._src.lax import lax

        return lax._convert_element_type(array, array.dtype, weak_type=True)
    except (AttributeError, ImportError):
        return array


def key_implementation(dtype: Any) -> str:
    """The name of the generator whose keys have the type `dtype`."""
    return dtype._impl.name
