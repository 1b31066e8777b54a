"""When two calls of a step run the same program."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, Sequence

import jax

from .arrays import DeviceArray


def is_key(value: Any) -> bool:
    """Whether it is an array of typed random keys."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def aval_of(value: Any) -> Any:
    """Shape and type of a value, as JAX traces it."""
    if isinstance(value, DeviceArray):
        return value.aval
    if isinstance(value, jax.ShapeDtypeStruct) or not hasattr(value, "aval"):
        return jax.typeof(value)
    return value.aval


class StaticArguments:
    """Which arguments of a function are values of its program, as in `jax.jit`."""

    def __init__(
        self,
        fun: Callable[..., Any],
        argnums: int | Sequence[int] | None,
        argnames: str | Iterable[str] | None,
    ) -> None:
        numbers = () if argnums is None else (argnums,) if isinstance(argnums, int) else argnums
        names = () if argnames is None else (argnames,) if isinstance(argnames, str) else argnames
        self._numbers, self._names = set(numbers), set(names)
        parameters = _positional(fun)
        # Given in one way, an argument may be passed in the other.
        if argnames is None:
            for number in self._numbers:
                if -len(parameters) <= number < len(parameters):
                    self._names.add(parameters[number])
        if argnums is None:
            self._numbers |= {parameters.index(name) for name in self._names if name in parameters}

    def sign(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
        """What a call with these arguments is."""
        numbers = {number % len(args) if number < 0 and args else number for number in self._numbers}
        positions = [(i, arg) for i, arg in enumerate(args) if i in numbers]
        named = [(name, kwargs[name]) for name in sorted(kwargs) if name in self._names]
        dynamic = (
            tuple(arg for i, arg in enumerate(args) if i not in numbers),
            {name: value for name, value in kwargs.items() if name not in self._names},
        )
        return Signature(dynamic, tuple(positions), tuple(named))


class Signature:
    """A call: `key` is equal for calls that run the same program, `leaves` are its arrays."""

    def __init__(
        self,
        dynamic: tuple[tuple[Any, ...], dict[str, Any]],
        positions: tuple[tuple[int, Any], ...],
        named: tuple[tuple[str, Any], ...],
    ) -> None:
        self.leaves, self._tree = jax.tree.flatten(dynamic)
        self._positions, self._named = positions, named
        self._avals = tuple(_checked_aval(leaf) for leaf in self.leaves)
        self.key = (
            self._tree,
            # 1, 1.0 and True are equal, but not the same program.
            tuple((place, type(value), value) for place, value in (*positions, *named)),
            tuple((aval.shape, aval.dtype, aval.weak_type) for aval in self._avals),
            _configuration(),
        )

    def shapes(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with shapes in the place of arrays, to be lowered."""
        shapes = [
            jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
            for aval in self._avals
        ]
        args, kwargs = jax.tree.unflatten(self._tree, shapes)
        args = list(args)
        for position, value in self._positions:
            args.insert(position, value)
        return tuple(args), {**kwargs, **dict(self._named)}


def _checked_aval(leaf: Any) -> Any:
    try:
        return aval_of(leaf)
    except TypeError as error:
        raise TypeError(
            f"an argument of the step is a {type(leaf).__name__}, which is no array and no "
            "number; name it in static_argnums if it is part of the program"
        ) from error


def _configuration() -> tuple[Any, ...]:
    """Settings of JAX that change what is traced."""
    config = jax.config
    return (
        config.jax_enable_x64,
        config.jax_default_matmul_precision,
        config.jax_default_prng_impl,
        config.jax_threefry_partitionable,
        config.jax_numpy_dtype_promotion,
    )


def _positional(fun: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    return [parameter.name for parameter in parameters if parameter.kind in kinds]
