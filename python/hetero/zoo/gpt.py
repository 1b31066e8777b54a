"""GPT: unrolled or scanned layers, float32 or bfloat16 compute."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step
from .training import TrainState, adamw, state_roles, token_loss, tokens, updated


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of a GPT and of its batch."""

    layers: int
    width: int
    heads: int
    vocabulary: int
    length: int
    batch: int
    dropout: float = 0.1
    dtype: Any = jnp.float32
    scan: bool = False


SIZES = {
    "test": Config(layers=2, width=32, heads=4, vocabulary=64, length=16, batch=4),
    "paper": Config(layers=24, width=2048, heads=32, vocabulary=50304, length=1024, batch=32),
    "bench": Config(layers=12, width=768, heads=12, vocabulary=50304, length=512, batch=8),
}


class Attention(nn.Module):
    """Causal self-attention with separate projections."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        config = self.config
        dense = functools.partial(
            nn.DenseGeneral, features=(config.heads, config.width // config.heads), dtype=config.dtype
        )
        query, key, value = dense(name="query")(x), dense(name="key")(x), dense(name="value")(x)
        scale = (config.width // config.heads) ** -0.5
        scores = jnp.einsum("bqhd,bkhd->bhqk", query * scale, key).astype(jnp.float32)
        mask = nn.make_causal_mask(jnp.ones(x.shape[:2], jnp.int32), dtype=jnp.bool_)
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9)).astype(config.dtype)
        weights = nn.Dropout(config.dropout, deterministic=not train)(weights)
        heads = jnp.einsum("bhqk,bkhd->bqhd", weights, value)
        return nn.DenseGeneral(config.width, axis=(-2, -1), dtype=config.dtype, name="out")(heads)


class Block(nn.Module):
    """A pre-norm transformer layer."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        config = self.config
        norm = functools.partial(nn.LayerNorm, dtype=config.dtype)
        drop = functools.partial(nn.Dropout, config.dropout, deterministic=not train)
        x = x + drop()(Attention(config, name="attention")(norm()(x), train))
        hidden = nn.gelu(nn.Dense(4 * config.width, dtype=config.dtype, name="up")(norm()(x)))
        return x + drop()(nn.Dense(config.width, dtype=config.dtype, name="down")(hidden))


class ScanBlock(nn.Module):
    """A layer with the signature that `nn.scan` wants."""

    config: Config
    train: bool

    @nn.compact
    def __call__(self, x: jax.Array, _: None) -> tuple[jax.Array, None]:
        return Block(self.config, name="block")(x, self.train), None


class GPT(nn.Module):
    """Token and position embeddings, layers, and a head tied to the embedding."""

    config: Config

    @nn.compact
    def __call__(self, ids: jax.Array, train: bool = False) -> jax.Array:
        config = self.config
        embed = nn.Embed(config.vocabulary, config.width, dtype=config.dtype, name="wte")
        position = nn.Embed(config.length, config.width, dtype=config.dtype, name="wpe")
        x = embed(ids) + position(jnp.arange(ids.shape[1]))
        x = nn.Dropout(config.dropout, deterministic=not train)(x)
        if config.scan:
            layers = nn.scan(
                nn.remat(ScanBlock, prevent_cse=False),
                variable_axes={"params": 0},
                split_rngs={"params": True, "dropout": True},
                length=config.layers,
            )
            x, _ = layers(config, train, name="layers")(x, None)
        else:
            for layer in range(config.layers):
                x = Block(config, name=f"block_{layer}")(x, train)
        return embed.attend(nn.LayerNorm(dtype=config.dtype, name="norm")(x))


def build_step(name: str, size: str, config: Config) -> Step:
    """The step `train_step(state, batch, rng)` for a GPT of this shape."""
    model = GPT(config)
    optimizer = adamw(3e-3 if size == "test" else 2e-4, warmup=4, steps=1000)

    def init(key: jax.Array) -> tuple[TrainState]:
        ids = jnp.zeros((config.batch, config.length), jnp.int32)
        params = model.init(key, ids)["params"]
        return (TrainState.create(apply_fn=model.apply, params=params, tx=optimizer),)

    def inputs(key: jax.Array) -> tuple[Any, jax.Array]:
        batch = tokens(key, config.batch, config.length, config.vocabulary)
        return batch, jax.random.fold_in(key, 1)

    def train_step(state: TrainState, batch: Any, rng: jax.Array) -> Any:
        dropout_rng = jax.random.fold_in(rng, state.step)

        def loss_fn(params: Any) -> jax.Array:
            logits = state.apply_fn(
                {"params": params}, batch["inputs"], train=True, rngs={"dropout": dropout_rng}
            )
            return token_loss(logits, batch["labels"])

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        metrics = {"loss": loss, "grad_norm": optax.tree.norm(grads)}
        return state.apply_gradients(grads=grads), metrics

    roles = state_roles(init)
    return Step(
        name, size, train_step, init, inputs,
        donate_argnums=(0,),
        argument_roles=(roles, "batch", "rng"),
        result_roles=(updated(roles), {"loss": "loss", "grad_norm": "metric"}),
    )  # fmt: skip


def build(size: str, **changes: Any) -> Step:
    """GPT in float32."""
    return build_step("gpt", size, dataclasses.replace(SIZES[size], **changes))


def build_bf16(size: str, **changes: Any) -> Step:
    """GPT that computes in bfloat16 and keeps its weights in float32."""
    changes["dtype"] = jnp.bfloat16
    return build_step("gpt_bf16", size, dataclasses.replace(SIZES[size], **changes))


def build_scan(size: str, **changes: Any) -> Step:
    """GPT whose layers are a scan over stacked weights, with remat."""
    changes["scan"] = True
    return build_step("gpt_scan", size, dataclasses.replace(SIZES[size], **changes))
