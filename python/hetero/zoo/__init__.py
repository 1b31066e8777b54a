"""Training steps of real models, for tests and benchmarks.

    from hetero import zoo
    step = zoo.get("gpt", "test")
    text = step.lower().as_text()

`test` sizes run on a CPU in a second; `paper` sizes are those of the
literature and are lowered from shapes alone. See `python -m hetero.zoo --help`.
"""

from __future__ import annotations

from typing import Any, Callable

from . import bert, convnets, gpt, lstm, mlp, moe, vit
from .step import ARGUMENT_ROLES, RESULT_ROLES, Roles, Step

__all__ = ["ARGUMENT_ROLES", "RESULT_ROLES", "Roles", "Step", "get", "names", "sizes"]

# Each builder with its shapes by size.
_BUILDERS: dict[str, tuple[Callable[..., Step], dict[str, Any]]] = {
    "bert": (bert.build, bert.SIZES),
    "gpt": (gpt.build, gpt.SIZES),
    "gpt_bf16": (gpt.build_bf16, gpt.SIZES),
    "gpt_scan": (gpt.build_scan, gpt.SIZES),
    "lstm": (lstm.build, lstm.SIZES),
    "mlp": (mlp.build, mlp.SIZES),
    "moe": (moe.build, moe.SIZES),
    "resnet": (convnets.build_resnet, convnets.RESNET_SIZES),
    "unet": (convnets.build_unet, convnets.UNET_SIZES),
    "vgg19": (convnets.build_vgg19, convnets.VGG_SIZES),
    "vit": (vit.build, vit.SIZES),
}


def names() -> list[str]:
    """The names of all models."""
    return sorted(_BUILDERS)


def sizes(name: str) -> tuple[str, ...]:
    """The sizes of the model `name`."""
    return tuple(_lookup(name)[1])


def get(name: str, size: str = "test", **changes: Any) -> Step:
    """The training step of a model; `changes` replace parts of its shape."""
    builder, known = _lookup(name)
    if size not in known:
        raise ValueError(f"model '{name}' has no size '{size}'; its sizes are {', '.join(known)}")
    shape = known[size] if isinstance(known[size], dict) else vars(known[size])
    for change in changes:
        if change not in shape:
            raise ValueError(f"model '{name}' has no {change} to change; it has {', '.join(shape)}")
    return builder(size, **changes)


def _lookup(name: str) -> tuple[Callable[..., Step], dict[str, Any]]:
    if name not in _BUILDERS:
        raise ValueError(f"no model '{name}'; the models are {', '.join(names())}")
    return _BUILDERS[name]
