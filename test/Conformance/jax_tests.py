"""Programs of JAX's own tests, which its wheel carries.

Two collections: the harnesses, some 7,500 uses of its primitives with odd
shapes, dtypes and options, from which StableHLO's test data is made as well;
and the exports that earlier versions saved to see that they stay readable.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from typing import Any, Iterator

from program import Program

DATA = "jax._src.internal_test_util.export_back_compat_test_data"


def candidates(full: bool = True) -> Iterator[Program]:
    """All programs, or of the harnesses the first one of each group."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    yield from _saved()
    yield from _harnesses(full)


def _texts(value: Any) -> Iterator[str]:
    """The modules anywhere in a value of a data file."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str) and "func.func" in value:
        yield value


def _saved() -> Iterator[Program]:
    package = importlib.import_module(DATA)
    for info in pkgutil.walk_packages(package.__path__, f"{DATA}."):
        module = importlib.import_module(info.name)
        family = f"saved {info.name.rsplit('.', 1)[-1]}"
        values = [value for name, value in vars(module).items() if not name.startswith("__")]
        for text in _texts(values):
            yield Program(family, text)


def _harnesses(full: bool) -> Iterator[Program]:
    import jax
    import numpy as np
    from jax._src.internal_test_util import test_harnesses

    groups: set[str] = set()
    for harness in test_harnesses.all_harnesses:
        if not full and harness.group_name in groups:
            continue
        groups.add(harness.group_name)
        try:
            with jax.enable_x64(True):
                args = harness.dyn_args_maker(np.random.RandomState(0))
                text = jax.jit(harness.dyn_fun).lower(*args).as_text()
        except Exception:  # Some are there to see that they cannot be lowered.
            continue
        yield Program(f"harness {harness.group_name}", text)
