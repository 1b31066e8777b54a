"""A language model of LSTM layers, each a scan over time."""

from __future__ import annotations

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step
from .training import token_loss, tokens


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of the model and of its batch."""

    layers: int
    width: int
    vocabulary: int
    length: int
    batch: int


SIZES = {
    "test": Config(layers=2, width=24, vocabulary=48, length=12, batch=4),
    "paper": Config(layers=2, width=1500, vocabulary=10000, length=35, batch=64),
}


class LSTM(nn.Module):
    """Embedding, stacked LSTMs with dropout, and a linear head."""

    config: Config

    @nn.compact
    def __call__(self, ids: jax.Array, train: bool = False) -> jax.Array:
        x = nn.Embed(self.config.vocabulary, self.config.width)(ids)
        for _ in range(self.config.layers):
            x = nn.Dropout(0.3, deterministic=not train)(x)
            x = nn.RNN(nn.OptimizedLSTMCell(self.config.width))(x)
        return nn.Dense(self.config.vocabulary)(x)


def build(size: str, **changes: Any) -> Step:
    """The step `train_step(params, opt_state, rng, batch)`, which returns a new rng."""
    config = dataclasses.replace(SIZES[size], **changes)
    model = LSTM(config)
    optimizer = optax.chain(optax.clip(5.0), optax.rmsprop(1e-3))

    def init(key: jax.Array) -> tuple[Any, Any, jax.Array]:
        ids = jnp.zeros((config.batch, config.length), jnp.int32)
        params = model.init(key, ids)["params"]
        return params, optimizer.init(params), jax.random.key_data(key)

    def inputs(key: jax.Array) -> tuple[Any]:
        return (tokens(key, config.batch, config.length, config.vocabulary),)

    def train_step(params: Any, opt_state: Any, rng: jax.Array, batch: Any) -> Any:
        rng, dropout_rng = jax.random.split(rng)

        def loss_fn(params: Any) -> jax.Array:
            rngs = {"dropout": dropout_rng}
            logits = model.apply({"params": params}, batch["inputs"], train=True, rngs=rngs)
            return token_loss(logits, batch["labels"])

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        metrics = {"loss": loss, "perplexity": jnp.exp(loss)}
        return optax.apply_updates(params, updates), opt_state, rng, metrics

    return Step(
        "lstm", size, train_step, init, inputs,
        donate_argnums=(0, 1, 2),
        argument_roles=("parameter", "optimizer_state", "rng", "batch"),
        result_roles=(
            "updated_state", "updated_state", "updated_state", {"loss": "loss", "perplexity": "metric"},
        ),
    )  # fmt: skip
