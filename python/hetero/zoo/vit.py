"""The vision transformer."""

from __future__ import annotations

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step
from .training import TrainState, accuracy, adamw, images, state_roles, updated


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of a ViT and of its batch."""

    layers: int
    width: int
    heads: int
    patch: int
    side: int
    classes: int
    batch: int
    dropout: float = 0.1


SIZES = {
    "test": Config(layers=2, width=32, heads=4, patch=4, side=16, classes=8, batch=4),
    "paper": Config(layers=24, width=1024, heads=16, patch=16, side=224, classes=1000, batch=64),
}


class Encoder(nn.Module):
    """A pre-norm transformer layer."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        config = self.config
        drop = nn.Dropout(config.dropout, deterministic=not train)
        attention = nn.MultiHeadDotProductAttention(num_heads=config.heads, deterministic=True)
        x = x + drop(attention(nn.LayerNorm()(x)))
        hidden = drop(nn.gelu(nn.Dense(4 * config.width)(nn.LayerNorm()(x))))
        return x + drop(nn.Dense(config.width)(hidden))


class ViT(nn.Module):
    """Patches, a class token, layers, and a linear head."""

    config: Config

    @nn.compact
    def __call__(self, pixels: jax.Array, train: bool = False) -> jax.Array:
        config = self.config
        patch = (config.patch, config.patch)
        x = nn.Conv(config.width, patch, strides=patch, padding="VALID", name="patches")(pixels)
        x = x.reshape(x.shape[0], -1, config.width)
        token = self.param("class_token", nn.initializers.zeros, (1, 1, config.width))
        x = jnp.concatenate([jnp.tile(token, (x.shape[0], 1, 1)), x], axis=1)
        x = x + self.param("positions", nn.initializers.normal(0.02), (1, *x.shape[1:]))
        x = nn.Dropout(config.dropout, deterministic=not train)(x)
        for layer in range(config.layers):
            x = Encoder(config, name=f"encoder_{layer}")(x, train)
        return nn.Dense(config.classes, name="head")(nn.LayerNorm()(x)[:, 0])


def build(size: str, **changes: Any) -> Step:
    """The step `train_step(state, images, labels, rng)` with label smoothing."""
    config = dataclasses.replace(SIZES[size], **changes)
    model = ViT(config)
    optimizer = adamw(1e-3, warmup=4, steps=10000)

    def init(key: jax.Array) -> tuple[TrainState]:
        shape = (config.batch, config.side, config.side, 3)
        params = model.init(key, jnp.zeros(shape))["params"]
        return (TrainState.create(apply_fn=model.apply, params=params, tx=optimizer),)

    def inputs(key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        pixels, labels = images(key, config.batch, config.side, config.classes)
        return pixels, labels, jax.random.fold_in(key, 1)

    def train_step(state: TrainState, pixels: jax.Array, labels: jax.Array, rng: jax.Array) -> Any:
        def loss_fn(params: Any) -> tuple[jax.Array, jax.Array]:
            rngs = {"dropout": jax.random.fold_in(rng, state.step)}
            logits = state.apply_fn({"params": params}, pixels, train=True, rngs=rngs)
            targets = optax.smooth_labels(jax.nn.one_hot(labels, config.classes), 0.1)
            return optax.softmax_cross_entropy(logits, targets).mean(), logits

        (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        metrics = {"loss": loss, "accuracy": accuracy(logits, labels)}
        return state.apply_gradients(grads=grads), metrics

    roles = state_roles(init)
    return Step(
        "vit", size, train_step, init, inputs,
        donate_argnums=(0,),
        argument_roles=(roles, "batch", "batch", "rng"),
        result_roles=(updated(roles), {"loss": "loss", "accuracy": "metric"}),
    )  # fmt: skip
