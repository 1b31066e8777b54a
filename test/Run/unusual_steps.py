"""More steps as users write them: recomputation, conditions, parameters and
labels in unusual places."""

from __future__ import annotations

import flax.linen as nn
import jax
import jax.flatten_util
import jax.numpy as jnp
import optax
from user_steps import UserStep, cross_entropy, labels, normal, user_step


@user_step
def mixed_labels() -> UserStep:
    """Mixup: two labels for each sample. The scatters start from the same zeros."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y, z = normal(2, 7, 9), labels(3, 4, 7), labels(4, 4, 7)

    def loss_fn(params, x, y, z):
        logits = jax.nn.gelu(x @ params["a"]) @ params["b"]
        return 0.7 * cross_entropy(logits, y) + 0.3 * cross_entropy(logits, z)

    def step(params, x, y, z):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y, z)
        counts = [jnp.zeros(4, jnp.int32).at[labels].add(1) for labels in (y, z)]
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss, counts

    return UserStep(step, (params, x, y, z), (0,))


@user_step
def checkpointed_blocks() -> UserStep:
    """Norms and dropout under nn.remat: one barrier holds parameters, keys,
    activations and gradients."""

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            h = nn.Dense(6)(nn.gelu(nn.Dense(12)(nn.LayerNorm()(x))))
            return x + nn.Dropout(0.3, deterministic=False)(h)

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            for _ in range(3):
                x = nn.remat(Block)()(x)
            return nn.Dense(4)(x)

    model, x, y = Model(), normal(0, 7, 6), labels(1, 4, 7)
    key = jax.random.PRNGKey(2)
    params = model.init({"params": key, "dropout": key}, x)

    def step(params, key, x, y):
        use, key = jax.random.split(key)
        loss_fn = lambda p: cross_entropy(model.apply(p, x, rngs={"dropout": use}), y)  # noqa: E731
        loss, gradients = jax.value_and_grad(loss_fn)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), key, loss

    return UserStep(step, (params, key, x, y), (0, 1))


@user_step
def flat_parameters() -> UserStep:
    """All parameters in one vector, as line searches want them."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    vector, unravel = jax.flatten_util.ravel_pytree(params)
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    def loss_fn(vector, x, y):
        params = unravel(vector)
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(vector, moment, x, y):
        loss, gradient = jax.value_and_grad(loss_fn)(vector, x, y)
        moment = 0.9 * moment + gradient
        return vector - 0.1 * moment, moment, loss

    return UserStep(step, (vector, jnp.zeros_like(vector), x, y), (0, 1))


@user_step
def latent_for_each_sample() -> UserStep:
    """A parameter with as many rows as there are samples."""
    params = {"z": normal(0, 7, 5), "w": 0.4 * normal(1, 5, 6)}
    optimizer = optax.sgd(0.1, momentum=0.9)

    def step(params, state, x):
        loss_fn = lambda p: jnp.mean((jnp.tanh(p["z"] @ p["w"]) - x) ** 2)  # noqa: E731
        loss, gradients = jax.value_and_grad(loss_fn)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    return UserStep(step, (params, optimizer.init(params), normal(2, 7, 6)), (0, 1))


@user_step
def complex_features() -> UserStep:
    """Gradients of complex numbers, also where a device has no samples."""
    params = {"w": 0.5 * normal(0, 6, 8), "v": 0.5 * normal(1, 8, 4)}
    x, y = normal(2, 7, 6), labels(3, 4, 7)

    def loss_fn(params, x, y):
        z = jnp.exp(1j * (x @ params["w"])) @ params["v"].astype(jnp.complex64)
        return cross_entropy(jnp.abs(z) + z.real, y)

    def step(params, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss

    return UserStep(step, (params, x, y), (0,))


@user_step
def skipped_steps() -> UserStep:
    """The update is left out when the loss is not finite."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(params, state, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)

        def update():
            updates, new = optimizer.update(gradients, state)
            return optax.apply_updates(params, updates), new

        new = jax.lax.cond(jnp.isfinite(loss), update, lambda: (params, state))
        return *new, loss

    return UserStep(step, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def time_major_with_class_weights() -> UserStep:
    """Samples along the second dimension of the input and the first one of the
    labels; a table that has nothing to do with them."""
    params = {"w": 0.3 * normal(0, 6, 8), "u": 0.3 * normal(1, 8, 8), "v": 0.3 * normal(2, 8, 4)}
    x, y, weights = normal(3, 5, 7, 6), labels(4, 4, 7), jnp.arange(1.0, 5.0)

    def loss_fn(params, x, y, weights):
        cell = lambda h, x: (jnp.tanh(x @ params["w"] + h @ params["u"]), None)  # noqa: E731
        h, _ = jax.lax.scan(cell, jnp.zeros((x.shape[1], 8)), x)
        losses = optax.softmax_cross_entropy_with_integer_labels(h @ params["v"], y)
        return (losses * weights[y]).sum() / weights[y].sum()

    def step(params, batch):
        loss, gradients = jax.value_and_grad(loss_fn)(params, *batch)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss

    return UserStep(step, (params, (x, y, weights)), (0,))
