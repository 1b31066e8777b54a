"""hetero: training steps of JAX on whatever mix of devices there is.

    step = hetero.jit(train_step, cluster="cluster.yaml", donate_argnums=0)
    print(step.plan(state, batch))
    for batch in batches:
        state, loss = step(state, batch)

Nothing of JAX is imported before it is needed.
"""

import importlib
import pkgutil
from typing import Any

# The compiled module may lie elsewhere on the path, in the build directory.
__path__ = pkgutil.extend_path(__path__, __name__)

_PLACES = {
    "Cluster": "clusters",
    "CompileError": "_core",
    "DeviceArray": "arrays",
    "ExecutionError": "_core",
    "Plan": "plans",
    "jit": "steps",
    "plan": "steps",
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'hetero' has no attribute '{name}'")
    if _PLACES[name] == "_core":
        from .core import core as module
    else:
        module = importlib.import_module(f"hetero.{_PLACES[name]}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
