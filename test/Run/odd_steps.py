"""Training steps that couple samples, branch, loop or scale in unusual ways."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

BATCH, FEATURES, WIDTH, CLASSES = 6, 8, 12, 5

STEPS: dict[str, Callable[..., Any]] = {}


def _step(fn: Callable[..., Any]) -> Callable[..., Any]:
    STEPS[fn.__name__] = fn
    return fn


def _forward(params: Any, x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ params["a"] + params["b"]) @ params["c"]


def _cross_entropy(logits: jax.Array, y: jax.Array) -> jax.Array:
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)[:, 0]


def _sgd(params: Any, momentum: Any, gradients: Any) -> tuple[Any, Any]:
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum


def _train(loss_fn: Callable[..., Any], params: Any, momentum: Any, *rest: Any) -> Any:
    loss, gradients = jax.value_and_grad(loss_fn)(params, *rest)
    return *_sgd(params, momentum, gradients), loss


@_step
def masked_mean(params, momentum, x, y, key):
    """A loss that is divided by a sum over the batch."""

    def loss_fn(params):
        mask = (y % 2).astype(jnp.float32)
        return jnp.sum(_cross_entropy(_forward(params, x), y) * mask) / jnp.maximum(mask.sum(), 1.0)

    return _train(loss_fn, params, momentum)


@_step
def weight_penalty(params, momentum, x, y, key):
    """A term of the loss that does not depend on samples."""

    def loss_fn(params):
        penalty = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(params))
        return _cross_entropy(_forward(params, x), y).mean() + 1e-2 * penalty

    return _train(loss_fn, params, momentum)


@_step
def contrastive(params, momentum, x, y, key):
    """Every sample is compared with every other."""

    def loss_fn(params):
        a = _forward(params, x)
        b = _forward(params, jnp.roll(x, 1, axis=1))
        logits = a @ b.T
        labels = jnp.arange(x.shape[0])
        return (_cross_entropy(logits, labels) + _cross_entropy(logits.T, labels)).mean()

    return _train(loss_fn, params, momentum)


@_step
def private_gradients(params, momentum, x, y, key):
    """The gradient of each sample is clipped; noise is added to the sum."""

    def loss_fn(params, x, y):
        return _cross_entropy(_forward(params, x[None]), y[None])[0]

    losses, gradients = jax.vmap(jax.value_and_grad(loss_fn), (None, 0, 0))(params, x, y)
    norms = jnp.sqrt(sum(jnp.sum(g**2, axis=range(1, g.ndim)) for g in jax.tree.leaves(gradients)))
    factor = 1.0 / jnp.maximum(norms, 1.0)
    total = jax.tree.map(lambda g: jnp.einsum("b,b...->...", factor, g), gradients)
    noise = jax.random.normal(jax.random.wrap_key_data(key), params["a"].shape)
    total["a"] = total["a"] + 0.1 * noise
    return *_sgd(params, momentum, total), losses.mean()


@_step
def mixup(params, momentum, x, y, key):
    """Samples are mixed with others in random order."""
    order = jax.random.permutation(jax.random.wrap_key_data(key), x.shape[0])

    def loss_fn(params):
        logits = _forward(params, 0.7 * x + 0.3 * x[order])
        return (0.7 * _cross_entropy(logits, y) + 0.3 * _cross_entropy(logits, y[order])).mean()

    return _train(loss_fn, params, momentum)


@_step
def batch_statistics(params, momentum, x, y, key):
    """Features are normalized over the batch."""

    def loss_fn(params):
        hidden = x @ params["a"]
        hidden = (hidden - hidden.mean(0)) / jnp.sqrt(hidden.var(0) + 1e-3) + params["b"]
        return _cross_entropy(jnp.tanh(hidden) @ params["c"], y).mean()

    return _train(loss_fn, params, momentum)


@_step
def own_accumulation(params, momentum, x, y, key):
    """The user loops over parts of the batch."""

    def loss_fn(params, x, y):
        return _cross_entropy(_forward(params, x), y).sum() / BATCH

    def body(carry, part):
        loss, gradients = jax.value_and_grad(loss_fn)(params, *part)
        return jax.tree.map(jnp.add, carry, (loss, gradients)), None

    zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, params))
    parts = (x.reshape(2, -1, FEATURES), y.reshape(2, -1))
    (loss, gradients), _ = jax.lax.scan(body, zero, parts)
    return *_sgd(params, momentum, gradients), loss


@_step
def loss_scaling(params, momentum, x, y, key):
    """Half precision with a scaled loss; updates with an infinite gradient are skipped."""

    def loss_fn(params):
        half = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), params)
        logits = _forward(half, x.astype(jnp.bfloat16)).astype(jnp.float32)
        return 128.0 * _cross_entropy(logits, y).mean()

    loss, gradients = jax.value_and_grad(loss_fn)(params)
    gradients = jax.tree.map(lambda g: g / 128.0, gradients)
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(gradients)]))
    new, new_momentum = _sgd(params, momentum, gradients)
    keep = lambda new, old: jnp.where(finite, new, old)  # noqa: E731
    return jax.tree.map(keep, new, params), jax.tree.map(keep, new_momentum, momentum), loss / 128.0


@_step
def branch_and_loop(params, momentum, x, y, key):
    """A branch on the state, and a loop whose length depends on the data."""

    def loss_fn(params):
        hidden = jax.lax.cond(
            params["b"].sum() > 0, lambda h: jnp.tanh(h), lambda h: jax.nn.relu(h) * 0.5, x @ params["a"]
        )
        hidden = jax.lax.fori_loop(0, 3, lambda i, h: jnp.sin(h) + 0.1 * i, hidden)
        return _cross_entropy(hidden @ params["c"], y).mean()

    return _train(loss_fn, params, momentum)


@_step
def along_the_batch(params, momentum, x, y, key):
    """Sums and orders that run along the batch."""

    def loss_fn(params):
        logits = _forward(params, x)
        order = jnp.argsort(logits[:, 0])
        running = jnp.cumsum(logits, axis=0) / (1.0 + jnp.arange(x.shape[0])[:, None])
        return _cross_entropy(running, y).mean() + 0.1 * jnp.mean(logits[order][0] ** 2)

    return _train(loss_fn, params, momentum)


@_step
def frequencies(params, momentum, x, y, key):
    """Fourier transforms along the features."""

    def loss_fn(params):
        spectrum = jnp.fft.rfft(x @ params["a"] + params["b"], axis=-1)
        return _cross_entropy(jnp.fft.irfft(spectrum * 0.9, axis=-1) @ params["c"], y).mean()

    return _train(loss_fn, params, momentum)


def called_back(params, momentum, x, y, key):
    """Python within the step, which compiled code cannot call."""

    def loss_fn(params):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        seen = jax.lax.stop_gradient(jax.pure_callback(lambda a: a * 2, shape, x))
        return _cross_entropy(_forward(params, seen), y).mean()

    return _train(loss_fn, params, momentum)


@_step
def many_results(params, momentum, x, y, key):
    """Results of every kind: of each sample, of the batch, and gradients."""

    def loss_fn(params):
        logits = _forward(params, x)
        return _cross_entropy(logits, y).mean(), logits

    (loss, logits), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
    new, momentum = _sgd(params, momentum, gradients)
    top = jax.lax.top_k(logits, 2)
    accuracy = jnp.mean((jnp.argmax(logits, -1) == y).astype(jnp.float32))
    worst = jnp.max(_cross_entropy(logits, y))
    metrics = {"loss": loss, "accuracy": accuracy, "worst": worst, "gradient": gradients["b"]}
    return new, momentum, metrics, top, logits.astype(jnp.bfloat16)


def arguments(seed: int = 0) -> tuple[Any, ...]:
    """Parameters, warm momentum, a batch and a key."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32) * 0.4

    params = {"a": normal(FEATURES, WIDTH), "b": normal(WIDTH), "c": normal(WIDTH, CLASSES)}
    momentum = {name: normal(*value.shape) for name, value in params.items()}
    y = rng.integers(0, CLASSES, BATCH).astype(np.int32)
    return params, momentum, normal(BATCH, FEATURES), y, np.array([1, 2], np.uint32)
