"""BERT trained on masked tokens."""

from __future__ import annotations

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step
from .training import TrainState, adamw, state_roles, updated


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of a BERT and of its batch."""

    layers: int
    width: int
    heads: int
    vocabulary: int
    length: int
    batch: int
    dropout: float = 0.1


SIZES = {
    "test": Config(layers=2, width=32, heads=4, vocabulary=64, length=16, batch=4),
    "base": Config(layers=12, width=768, heads=12, vocabulary=30522, length=128, batch=256, dropout=0.0),
    "paper": Config(layers=24, width=1024, heads=16, vocabulary=30522, length=512, batch=64),
}


class Layer(nn.Module):
    """A post-norm transformer layer."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, mask: jax.Array, train: bool) -> jax.Array:
        config = self.config
        attention = nn.MultiHeadDotProductAttention(
            num_heads=config.heads, dropout_rate=config.dropout, deterministic=not train
        )(x, x, x, mask=mask)
        drop = nn.Dropout(config.dropout, deterministic=not train)
        x = nn.LayerNorm(epsilon=1e-12)(x + drop(attention))
        hidden = nn.gelu(nn.Dense(4 * config.width)(x), approximate=False)
        return nn.LayerNorm(epsilon=1e-12)(x + drop(nn.Dense(config.width)(hidden)))


class Bert(nn.Module):
    """Embeddings, layers, and the head that predicts masked tokens."""

    config: Config

    @nn.compact
    def __call__(self, batch: Any, train: bool = False) -> jax.Array:
        config = self.config
        words = nn.Embed(config.vocabulary, config.width, name="words")
        positions = nn.Embed(config.length, config.width, name="positions")
        segments = nn.Embed(2, config.width, name="segments")
        ids = batch["input_ids"]
        x = words(ids) + positions(jnp.arange(ids.shape[1])) + segments(batch["token_type_ids"])
        x = nn.Dropout(config.dropout, deterministic=not train)(nn.LayerNorm(epsilon=1e-12)(x))
        mask = nn.make_attention_mask(batch["attention_mask"], batch["attention_mask"])
        for layer in range(config.layers):
            x = Layer(config, name=f"layer_{layer}")(x, mask, train)
        x = nn.LayerNorm(epsilon=1e-12)(nn.gelu(nn.Dense(config.width)(x), approximate=False))
        bias = self.param("bias", nn.initializers.zeros, (config.vocabulary,))
        return words.attend(x) + bias


def build(size: str, **changes: Any) -> Step:
    """The step `train_step(state, batch, rng)`; labels below zero do not count."""
    config = dataclasses.replace(SIZES[size], **changes)
    model = Bert(config)
    optimizer = adamw(1e-3 if size == "test" else 1e-4, warmup=4, steps=10000)

    def inputs(key: jax.Array) -> tuple[Any, jax.Array]:
        ids_key, mask_key, rng = jax.random.split(key, 3)
        shape = (config.batch, config.length)
        ids = jax.random.randint(ids_key, shape, 1, config.vocabulary, jnp.int32)
        masked = jax.random.bernoulli(mask_key, 0.15, shape)
        batch = {
            "input_ids": jnp.where(masked, 0, ids),
            "token_type_ids": jnp.zeros(shape, jnp.int32),
            "attention_mask": jnp.ones(shape, jnp.int32),
            "labels": jnp.where(masked, ids, -100),
        }
        return batch, rng

    def init(key: jax.Array) -> tuple[TrainState]:
        batch, _ = inputs(key)
        params = model.init(key, batch)["params"]
        return (TrainState.create(apply_fn=model.apply, params=params, tx=optimizer),)

    def train_step(state: TrainState, batch: Any, rng: jax.Array) -> Any:
        def loss_fn(params: Any) -> tuple[jax.Array, jax.Array]:
            logits = state.apply_fn({"params": params}, batch, train=True, rngs={"dropout": rng})
            labels = batch["labels"]
            weights = (labels >= 0).astype(jnp.float32)
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, jnp.maximum(labels, 0))
            count = jnp.maximum(weights.sum(), 1.0)
            hits = (jnp.argmax(logits, -1) == labels) * weights
            return (losses * weights).sum() / count, hits.sum() / count

        (loss, hits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        return state.apply_gradients(grads=grads), {"loss": loss, "accuracy": hits}

    roles = state_roles(init)
    return Step(
        "bert", size, train_step, init, inputs,
        donate_argnums=(0,),
        argument_roles=(roles, "batch", "rng"),
        result_roles=(updated(roles), {"loss": "loss", "accuracy": "metric"}),
    )  # fmt: skip
