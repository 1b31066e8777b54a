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

_BUILDERS: dict[str, tuple[Callable[..., Step], tuple[str, ...]]] = {
    "bert": (bert.build, tuple(bert.SIZES)),
    "gpt": (gpt.build, tuple(gpt.SIZES)),
    "gpt_bf16": (gpt.build_bf16, tuple(gpt.SIZES)),
    "gpt_scan": (gpt.build_scan, tuple(gpt.SIZES)),
    "lstm": (lstm.build, tuple(lstm.SIZES)),
    "mlp": (mlp.build, tuple(mlp.SIZES)),
    "moe": (moe.build, tuple(moe.SIZES)),
    "resnet": (convnets.build_resnet, tuple(convnets.RESNET_SIZES)),
    "unet": (convnets.build_unet, tuple(convnets.UNET_SIZES)),
    "vgg19": (convnets.build_vgg19, tuple(convnets.VGG_SIZES)),
    "vit": (vit.build, tuple(vit.SIZES)),
}


def names() -> list[str]:
    """The names of all models."""
    return sorted(_BUILDERS)


def sizes(name: str) -> tuple[str, ...]:
    """The sizes of the model `name`."""
    return _lookup(name)[1]


def get(name: str, size: str = "test", **changes: Any) -> Step:
    """The training step of a model; `changes` (GPT only) replace parts of its shape."""
    builder, known = _lookup(name)
    if size not in known:
        raise ValueError(f"model '{name}' has no size '{size}'; its sizes are {', '.join(known)}")
    if changes and not name.startswith("gpt"):
        raise ValueError(f"the shape of model '{name}' cannot be changed")
    return builder(size, **changes)


def _lookup(name: str) -> tuple[Callable[..., Step], tuple[str, ...]]:
    if name not in _BUILDERS:
        raise ValueError(f"no model '{name}'; the models are {', '.join(names())}")
    return _BUILDERS[name]
