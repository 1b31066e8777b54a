"""What several steps of the zoo share: losses, optimizers, random batches."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

TrainState = train_state.TrainState

# The role of each member of a TrainState.
STATE_ROLES = {"step": "optimizer_state", "params": "parameter", "opt_state": "optimizer_state"}


def state_roles(init: Callable[[jax.Array], tuple[Any, ...]]) -> TrainState:
    """The prefix tree of roles for the TrainState that `init` makes."""
    (state,) = jax.eval_shape(init, jax.random.key(0))
    return state.replace(**STATE_ROLES)


def updated(state: TrainState) -> TrainState:
    """The prefix tree of roles for a TrainState among the results."""
    return state.replace(**dict.fromkeys(STATE_ROLES, "updated_state"))


def decay_mask(params: Any) -> Any:
    """Weight decay is for matrices, not for biases and scales."""
    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)


def adamw(learning_rate: float, warmup: int, steps: int) -> optax.GradientTransformation:
    """AdamW with clipping by global norm and a warmup-cosine schedule."""
    schedule = optax.warmup_cosine_decay_schedule(0.0, learning_rate, warmup, steps)
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=0.1, mask=decay_mask),
    )


def token_loss(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross entropy of integer labels, in float32."""
    logits = logits.astype(jnp.float32)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def accuracy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """The share of labels that are the most likely class."""
    return jnp.mean((jnp.argmax(logits, -1) == labels).astype(jnp.float32))


def tokens(key: jax.Array, batch: int, length: int, vocabulary: int) -> dict[str, jax.Array]:
    """A random batch for next-token prediction."""
    ids = jax.random.randint(key, (batch, length + 1), 0, vocabulary, jnp.int32)
    return {"inputs": ids[:, :-1], "labels": ids[:, 1:]}


def images(
    key: jax.Array, batch: int, side: int, classes: int, channels: int = 3
) -> tuple[jax.Array, jax.Array]:
    """A random batch of images with integer labels."""
    image_key, label_key = jax.random.split(key)
    pixels = jax.random.normal(image_key, (batch, side, side, channels), jnp.float32)
    return pixels, jax.random.randint(label_key, (batch,), 0, classes, jnp.int32)
