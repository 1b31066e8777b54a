"""A multi-layer perceptron trained by SGD with momentum, without dropout."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step

SIZES = {
    "test": {"batch": 16, "inputs": 12, "widths": (32, 32), "classes": 4},
    "paper": {"batch": 1024, "inputs": 784, "widths": (4096, 4096, 4096), "classes": 10},
}


class MLP(nn.Module):
    """Dense layers with ReLU between them."""

    widths: tuple[int, ...]
    classes: int

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for width in self.widths:
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(self.classes)(x)


def build(size: str, **changes: Any) -> Step:
    """The step `train_step(params, opt_state, batch)`."""
    config = {**SIZES[size], **changes}
    model = MLP(config["widths"], config["classes"])
    optimizer = optax.sgd(0.05, momentum=0.9)
    shape = (config["batch"], config["inputs"])

    def init(key: jax.Array) -> tuple[Any, Any]:
        params = model.init(key, jnp.zeros(shape))["params"]
        return params, optimizer.init(params)

    def inputs(key: jax.Array) -> tuple[Any]:
        x_key, y_key = jax.random.split(key)
        x = jax.random.normal(x_key, shape)
        return ((x, jax.random.randint(y_key, shape[:1], 0, config["classes"])),)

    def train_step(params: Any, opt_state: Any, batch: Any) -> Any:
        def loss_fn(params: Any) -> jax.Array:
            x, y = batch
            logits = model.apply({"params": params}, x)
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return Step(
        "mlp", size, train_step, init, inputs,
        donate_argnums=(0, 1),
        argument_roles=("parameter", "optimizer_state", "batch"),
        result_roles=("updated_state", "updated_state", "loss"),
    )  # fmt: skip
