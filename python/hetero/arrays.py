"""Results that stay on the devices until somebody looks at them.

A step returns `DeviceArray`s. One that is passed back as the argument that it
is the updated value of costs nothing: it is where it is needed. Looked at, it
becomes a `jax.Array` of this process once and is that from then on. What is
still alive when its memory is needed for the next step is fetched first, so
nobody sees the difference. Donated, it is gone, as in JAX.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from . import _jax


class Source(Protocol):
    """Where results come from."""

    def get_result(self, index: int) -> np.ndarray:
        """The result `index` of the last step."""

    def synchronize(self) -> None:
        """Waits for the devices."""


class DeviceArray:
    """A result on the devices of a step; use it as any array."""

    __slots__ = ("_source", "_index", "_aval", "_value", "_deleted", "__weakref__")

    # Before NumPy's own: `numpy_array * device_array` is ours.
    __array_priority__ = 100

    def __init__(self, source: Source, index: int, aval: Any) -> None:
        self._source: Source | None = source
        self._index = index
        self._aval = aval
        self._value: jax.Array | None = None
        self._deleted = False

    # What is known without looking.

    @property
    def shape(self) -> tuple[int, ...]:
        return self._aval.shape

    @property
    def dtype(self) -> np.dtype:
        return self._aval.dtype

    @property
    def weak_type(self) -> bool:
        return self._aval.weak_type

    @property
    def aval(self) -> Any:
        return self._aval

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def is_deleted(self) -> bool:
        """Whether it was donated or deleted."""
        return self._deleted

    def delete(self) -> None:
        """Gives it up; nothing may use it afterwards."""
        self._deleted = True
        self._source = self._value = None

    def block_until_ready(self) -> DeviceArray:
        """Waits for its step, which GPUs may still be at."""
        self._check()
        if self._source is not None and self._value is None:
            self._source.synchronize()
        return self

    def is_result(self, source: Source, index: int) -> bool:
        """Whether it is still the result `index` on the devices of `source`."""
        return self._source is source and self._index == index and not self._deleted

    # What takes a look.

    def fetch(self) -> jax.Array:
        """The value as an array of this process."""
        self._check()
        if self._value is None:
            assert self._source is not None
            self._value = _to_jax(self._source.get_result(self._index), self._aval)
        return self._value

    def leave_devices(self) -> None:
        """Keeps the value in this process: the memory on the devices goes away."""
        if not self._deleted:
            self.fetch()
        self._source = None

    def _check(self) -> None:
        if self._deleted:
            shape = ",".join(map(str, self.shape))
            raise RuntimeError(f"Array has been deleted with shape={self.dtype.name}[{shape}].")

    def __jax_array__(self) -> jax.Array:
        return self.fetch()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        value = np.asarray(self.fetch())
        if dtype is not None and value.dtype != dtype:
            return value.astype(dtype)
        return value.copy() if copy else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__dlpack__", "__dlpack_device__"):
            raise AttributeError(name)
        return getattr(self.fetch(), name)

    def __repr__(self) -> str:
        if self._deleted:
            return f"DeviceArray(deleted, shape={self.shape}, dtype={self.dtype})"
        return repr(self.fetch()).replace("Array(", "DeviceArray(", 1)

    def __reduce__(self) -> Any:
        return jnp.asarray, (np.asarray(self),)

    def __copy__(self) -> jax.Array:
        return self.fetch().copy()

    def __deepcopy__(self, memo: Any) -> jax.Array:
        return self.fetch().copy()


def _forward(name: str) -> Any:
    def method(self: DeviceArray, *args: Any) -> Any:
        args = tuple(arg.fetch() if isinstance(arg, DeviceArray) else arg for arg in args)
        return getattr(self.fetch(), name)(*args)

    method.__name__ = name
    return method


_BINARY = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor".split()
_FORWARDED = [
    *(f"__{name}__" for name in _BINARY),
    *(f"__r{name}__" for name in _BINARY),
    *(f"__{name}__" for name in "eq ne lt le gt ge".split()),
    *(f"__{name}__" for name in "neg pos abs invert round".split()),
    *(f"__{name}__" for name in "bool int float complex index".split()),
    *(f"__{name}__" for name in "getitem iter contains format str".split()),
]
for _name in _FORWARDED:
    setattr(DeviceArray, _name, _forward(_name))
# Arrays that compare element by element cannot be hashed.
DeviceArray.__hash__ = None  # type: ignore[assignment]


def _to_jax(value: np.ndarray, aval: Any) -> jax.Array:
    array = jnp.asarray(value)
    return _jax.weaken(array) if aval.weak_type else array


def introduce_to_flax() -> None:
    """Lets `flax.serialization` save results, if this process has it."""
    if (flax := sys.modules.get("flax.serialization")) is not None:
        flax.register_serialization_state(
            DeviceArray, lambda array: array.fetch(), lambda _, state: state, override=True
        )


class LiveResults:
    """The arrays of the last step that somebody still holds."""

    def __init__(self) -> None:
        self._arrays: list[weakref.ref[DeviceArray]] = []

    def replace(self, arrays: list[DeviceArray]) -> None:
        introduce_to_flax()
        self._arrays = [weakref.ref(array) for array in arrays]

    def leave_devices(self) -> None:
        """Fetches those that are not given up, before the next step."""
        for reference in self._arrays:
            if (array := reference()) is not None:
                array.leave_devices()
        self._arrays = []
