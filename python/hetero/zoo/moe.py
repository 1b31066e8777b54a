"""A transformer whose layers route tokens to the best two of many experts."""

from __future__ import annotations

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp

from .gpt import Attention
from .gpt import Config as GPTConfig
from .step import Step
from .training import TrainState, adamw, state_roles, token_loss, tokens, updated


@dataclasses.dataclass(frozen=True)
class Config(GPTConfig):
    """A GPT's shape with its experts; `capacity` is in units of an even share."""

    experts: int = 4
    chosen: int = 2
    capacity: float = 1.25


SIZES = {
    "test": Config(layers=2, width=32, heads=4, vocabulary=64, length=16, batch=4),
    "paper": Config(layers=12, width=768, heads=12, vocabulary=50304, length=1024, batch=32, experts=32),
}


class Experts(nn.Module):
    """Dispatches tokens to experts with a fixed capacity, and combines."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        config = self.config
        count, width = x.shape[0] * x.shape[1], config.width
        capacity = int(config.capacity * config.chosen * count / config.experts)
        flat = x.reshape(count, width)
        gates = jax.nn.softmax(nn.Dense(config.experts, use_bias=False, name="router")(flat))
        weights, chosen = jax.lax.top_k(gates, config.chosen)
        weights = weights / weights.sum(-1, keepdims=True)
        # Each choice takes the next free slot of its expert, first choices first.
        onehot = jax.nn.one_hot(chosen.T.reshape(-1), config.experts, dtype=jnp.int32)
        slots = (jnp.cumsum(onehot, axis=0) - 1) * onehot
        slots = slots.sum(-1).reshape(config.chosen, count).T
        places = jax.nn.one_hot(slots, capacity) * (slots < capacity)[..., None]
        routes = jax.nn.one_hot(chosen, config.experts)
        combine = jnp.einsum("tk,tke,tkc->tec", weights, routes, places)
        dispatch = (combine > 0).astype(x.dtype)
        routed = jnp.einsum("tec,td->ecd", dispatch, flat)
        init = nn.initializers.lecun_normal(batch_axis=0)
        up = self.param("up", init, (config.experts, width, 4 * width))
        down = self.param("down", init, (config.experts, 4 * width, width))
        hidden = nn.gelu(jnp.einsum("ecd,edf->ecf", routed, up))
        y = jnp.einsum("tec,ecd->td", combine, jnp.einsum("ecf,efd->ecd", hidden, down))
        # The share of tokens times the share of probability of each expert.
        load = routes[:, 0].mean(0) * gates.mean(0)
        return y.reshape(x.shape), config.experts * load.sum()


class MoE(nn.Module):
    """A GPT with experts in the place of its feed-forward layers."""

    config: Config

    @nn.compact
    def __call__(self, ids: jax.Array, train: bool = False) -> tuple[jax.Array, jax.Array]:
        config = self.config
        embed = nn.Embed(config.vocabulary, config.width, name="wte")
        x = embed(ids) + nn.Embed(config.length, config.width, name="wpe")(jnp.arange(ids.shape[1]))
        balance = jnp.zeros(())
        for layer in range(config.layers):
            drop = nn.Dropout(config.dropout, deterministic=not train)
            x = x + drop(Attention(config, name=f"attention_{layer}")(nn.LayerNorm()(x), train))
            y, load = Experts(config, name=f"experts_{layer}")(nn.LayerNorm()(x))
            x, balance = x + drop(y), balance + load
        return embed.attend(nn.LayerNorm()(x)), balance / config.layers


def build(size: str, **changes: Any) -> Step:
    """The step `train_step(state, batch, rng)` with a load-balancing loss."""
    config = dataclasses.replace(SIZES[size], **changes)
    model = MoE(config)
    optimizer = adamw(1e-3, warmup=4, steps=1000)

    def init(key: jax.Array) -> tuple[TrainState]:
        params = model.init(key, jnp.zeros((config.batch, config.length), jnp.int32))["params"]
        return (TrainState.create(apply_fn=model.apply, params=params, tx=optimizer),)

    def inputs(key: jax.Array) -> tuple[Any, jax.Array]:
        batch = tokens(key, config.batch, config.length, config.vocabulary)
        return batch, jax.random.fold_in(key, 1)

    def train_step(state: TrainState, batch: Any, rng: jax.Array) -> Any:
        def loss_fn(params: Any) -> tuple[jax.Array, jax.Array]:
            rngs = {"dropout": jax.random.fold_in(rng, state.step)}
            logits, balance = state.apply_fn({"params": params}, batch["inputs"], True, rngs=rngs)
            return token_loss(logits, batch["labels"]) + 0.01 * balance, balance

        (loss, balance), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        return state.apply_gradients(grads=grads), {"loss": loss, "balance": balance}

    roles = state_roles(init)
    return Step(
        "moe", size, train_step, init, inputs,
        donate_argnums=(0,),
        argument_roles=(roles, "batch", "rng"),
        result_roles=(updated(roles), {"loss": "loss", "balance": "metric"}),
    )  # fmt: skip
