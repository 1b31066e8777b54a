"""Steps whose objective or state looks at the whole batch: statistics, pairs of
samples, queues and tables that samples are written to."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from user_steps import UserStep, _Mlp, _train, _warm, cross_entropy, labels, normal, user_step

momentum = optax.sgd(0.1, momentum=0.9)


def sgd(params: Any, gradients: Any, rate: float = 0.1) -> Any:
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)


@user_step
def checkpointed_batch_mean() -> UserStep:
    """A checkpointed layer returns a mean over the batch, which is squared."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    @jax.checkpoint
    def layer(w, x):
        h = jnp.tanh(x @ w)
        return h, h.mean(0)

    def loss_fn(params, x, y):
        h, mean = layer(params["a"], x)
        return cross_entropy(h @ params["b"], y) + (mean**2).sum()

    def step(params, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
        return sgd(params, gradients), loss

    return UserStep(step, (params, x, y))


@user_step
def checkpointed_batch_norm() -> UserStep:
    """Batch norm under nn.remat, statistics returned."""

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.BatchNorm(use_running_average=False, momentum=0.9)(nn.Dense(8, use_bias=False)(x))
            return nn.relu(x)

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            for _ in range(2):
                x = nn.remat(Block)()(x)
            return nn.Dense(4)(x)

    model, x, y = Model(), normal(0, 11, 6), labels(1, 4, 11)
    variables = model.init(jax.random.key(0), x)

    def step(variables, x, y):
        def loss_fn(params):
            out, new = model.apply({**variables, "params": params}, x, mutable=["batch_stats"])
            return cross_entropy(out, y), new

        (loss, new), gradients = jax.value_and_grad(loss_fn, has_aux=True)(variables["params"])
        return {"params": sgd(variables["params"], gradients), **new}, loss

    return UserStep(step, (variables, x, y))


@user_step
def checkpointed_statistics() -> UserStep:
    """Two checkpointed layers, each with a statistic of the batch that the next uses."""
    params = {"a": 0.4 * normal(0, 9, 8), "b": 0.4 * normal(1, 8, 8), "c": 0.4 * normal(2, 8, 4)}
    x, y = normal(3, 7, 9), labels(4, 4, 7)

    @jax.checkpoint
    def layer(w, x, scale):
        h = jax.nn.gelu(x @ w) * scale
        return h, jnp.sqrt((h**2).mean(0) + 1e-3), h.max()

    def loss_fn(params, x, y):
        h, scale, top = layer(params["a"], x, jnp.ones(8))
        h, scale, other = layer(params["b"], h, 1 / scale)
        return cross_entropy(h @ params["c"], y) + 0.1 * jnp.log(scale).sum() + 0.01 * top * other

    def step(params, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
        return sgd(params, gradients), loss

    return UserStep(step, (params, x, y))


@user_step
def two_views() -> UserStep:
    """SimCLR: both views in one list, each against all others."""
    model = _Mlp((12, 6))
    a, b = normal(0, 7, 9), normal(1, 7, 9)
    params = model.init(jax.random.key(0), a)

    def loss_fn(params, a, b):
        z = model.apply(params, jnp.concatenate([a, b]))
        z = z / jnp.linalg.norm(z, axis=-1, keepdims=True)
        n = a.shape[0]
        similarity = z @ z.T / 0.5
        similarity = jnp.where(jnp.eye(2 * n, dtype=bool), -1e9, similarity)
        return cross_entropy(similarity, jnp.roll(jnp.arange(2 * n), n))

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), a, b), (0, 1))


@user_step
def barlow_twins() -> UserStep:
    """Correlations over the batch, squared."""
    params = {"a": 0.3 * normal(2, 9, 12), "b": 0.3 * normal(3, 12, 6)}
    a, b = normal(0, 7, 9), normal(1, 7, 9)

    def loss_fn(params, a, b):
        z = [jnp.tanh(v @ params["a"]) @ params["b"] for v in (a, b)]
        z = [(v - v.mean(0)) / (v.std(0) + 1e-4) for v in z]
        c = z[0].T @ z[1] / a.shape[0]
        on = ((jnp.diagonal(c) - 1) ** 2).sum()
        return on + 0.005 * ((c**2).sum() - (jnp.diagonal(c) ** 2).sum())

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), a, b), (0, 1))


@user_step
def momentum_contrast() -> UserStep:
    """MoCo: a queue of keys that the batch is written into, an averaged encoder."""
    model = _Mlp((12, 6))
    a, b = normal(0, 7, 9), normal(1, 7, 9)
    params = model.init(jax.random.key(0), a)
    state = {
        "params": params, "slow": model.init(jax.random.key(1), a), "opt": momentum.init(params),
        "queue": normal(3, 21, 6), "at": jnp.int32(14),
    }  # fmt: skip

    def step(state, a, b):
        slow = optax.incremental_update(state["params"], state["slow"], 0.01)
        k = model.apply(slow, b)
        k = k / jnp.linalg.norm(k, axis=-1, keepdims=True)

        def loss_fn(params):
            q = model.apply(params, a)
            q = q / jnp.linalg.norm(q, axis=-1, keepdims=True)
            logits = jnp.concatenate([(q * k).sum(-1, keepdims=True), q @ state["queue"].T], 1) / 0.2
            return cross_entropy(logits, jnp.zeros(a.shape[0], jnp.int32))

        loss, gradients = jax.value_and_grad(loss_fn)(state["params"])
        updates, opt = momentum.update(gradients, state["opt"])
        queue = jax.lax.dynamic_update_slice(state["queue"], k, (state["at"], 0))
        return {
            "params": optax.apply_updates(state["params"], updates), "slow": slow, "opt": opt,
            "queue": queue, "at": (state["at"] + a.shape[0]) % 21,
        }, loss  # fmt: skip

    return UserStep(step, (state, a, b))


@user_step
def memory_bank() -> UserStep:
    """The features of each sample are written to its row of a table."""
    params = {"w": 0.3 * normal(0, 9, 6)}
    x, rows = normal(1, 7, 9), jnp.asarray([3, 11, 0, 8, 5, 19, 2])

    def step(params, bank, x, rows):
        def loss_fn(params):
            z = jnp.tanh(x @ params["w"])
            return cross_entropy(z @ bank.T, rows), z

        (loss, z), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        return sgd(params, gradients), bank.at[rows].set(0.5 * bank[rows] + 0.5 * z), loss

    return UserStep(step, (params, normal(2, 20, 6), x, rows), (0, 1))


@user_step
def sparse_embedding_update() -> UserStep:
    """Only the rows that were looked up are updated, by scatter."""
    params = {"table": 0.5 * normal(0, 23, 6), "out": 0.5 * normal(1, 6, 3)}
    words, y = labels(2, 23, 7, 4), labels(3, 3, 7)

    def step(params, words, y):
        rows = params["table"][words]
        loss_fn = lambda rows, out: cross_entropy(rows.mean(1) @ out, y)  # noqa: E731
        loss, (g, h) = jax.value_and_grad(loss_fn, (0, 1))(rows, params["out"])
        return {"table": params["table"].at[words].add(-0.1 * g), "out": params["out"] - 0.1 * h}, loss

    return UserStep(step, (params, words, y))


@user_step
def private_gradients() -> UserStep:
    """DP-SGD: the gradient of each sample is clipped, noise is added to the sum."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    def loss_fn(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(params, key, x, y):
        key, use = jax.random.split(key)
        losses, gradients = jax.vmap(jax.value_and_grad(loss_fn), (None, 0, 0))(params, x, y)
        norms = jax.vmap(optax.global_norm)(gradients)
        scale = jnp.minimum(1.0, 0.5 / norms)
        total = jax.tree.map(lambda g: jnp.einsum("b,b...->...", scale, g), gradients)
        leaves, tree = jax.tree.flatten(total)
        keys = jax.random.split(use, len(leaves))
        noisy = [g + 0.1 * jax.random.normal(k, g.shape) for g, k in zip(leaves, keys)]
        gradients = jax.tree.map(lambda g: g / x.shape[0], jax.tree.unflatten(tree, noisy))
        return sgd(params, gradients), key, losses.mean(), (norms > 0.5).mean()

    return UserStep(step, (params, jax.random.key(4), x, y), (0, 1))


@user_step
def swapped_assignments() -> UserStep:
    """SwAV: codes by Sinkhorn's iteration over the batch."""
    params = {"w": 0.5 * normal(0, 9, 6), "c": 0.5 * normal(1, 6, 5)}
    a, b = normal(2, 7, 9), normal(3, 7, 9)

    def codes(scores):
        q = jnp.exp(jax.lax.stop_gradient(scores) / 0.5)
        q = q / q.sum()

        def body(_, q):
            q = q / (5 * q.sum(0, keepdims=True))
            return q / (q.shape[0] * q.sum(1, keepdims=True))

        q = jax.lax.fori_loop(0, 3, body, q)
        return q / q.sum(1, keepdims=True)

    def loss_fn(params, a, b):
        p = [jnp.tanh(v @ params["w"]) @ params["c"] for v in (a, b)]
        loss = lambda s, t: -(codes(t) * jax.nn.log_softmax(s / 0.1)).sum(-1).mean()  # noqa: E731
        return loss(p[0], p[1]) + loss(p[1], p[0])

    def step(params, a, b):
        loss, gradients = jax.value_and_grad(loss_fn)(params, a, b)
        return sgd(params, gradients), loss

    return UserStep(step, (params, a, b))


@user_step
def whitened_features() -> UserStep:
    """Cholesky of the covariance of the batch."""
    params = {"w": 0.3 * normal(0, 9, 4), "o": 0.3 * normal(1, 4, 5)}
    x, y = normal(2, 11, 9), labels(3, 5, 11)

    def loss_fn(params, x, y):
        h = x @ params["w"]
        h = h - h.mean(0)
        root = jnp.linalg.cholesky(h.T @ h / x.shape[0] + 0.1 * jnp.eye(4))
        white = jax.scipy.linalg.solve_triangular(root, h.T, lower=True).T
        return cross_entropy(white @ params["o"], y)

    def step(params, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
        return sgd(params, gradients), loss

    return UserStep(step, (params, x, y))


@user_step
def expert_choice() -> UserStep:
    """Each expert takes the samples that fit it best."""
    params = {"r": 0.5 * normal(0, 8, 3), "w": 0.3 * normal(1, 3, 8, 8), "o": 0.3 * normal(2, 8, 4)}
    x, y = normal(3, 11, 8), labels(4, 4, 11)

    def loss_fn(params, x, y):
        scores = jax.nn.softmax(x @ params["r"])
        gates, chosen = jax.lax.top_k(scores.T, 4)
        out = jax.nn.relu(jnp.einsum("ecd,edf->ecf", x[chosen], params["w"])) * gates[..., None]
        x = x + jnp.zeros_like(x).at[chosen.reshape(-1)].add(out.reshape(-1, 8))
        return cross_entropy(x @ params["o"], y)

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), x, y), (0, 1))


@user_step
def retrieval_with_in_batch_negatives() -> UserStep:
    """Ranks of the right answers, by sorting the scores of the batch."""
    params = {"q": 0.3 * normal(0, 9, 6), "d": 0.3 * normal(1, 9, 6)}
    q, d = normal(2, 7, 9), normal(3, 7, 9)

    def step(params, q, d):
        def loss_fn(params):
            scores = (q @ params["q"]) @ (d @ params["d"]).T
            return cross_entropy(scores, jnp.arange(q.shape[0])), scores

        (loss, scores), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        order = jnp.argsort(-scores, 1)
        rank = jnp.argmax(order == jnp.arange(q.shape[0])[:, None], 1)
        return sgd(params, gradients), {"loss": loss, "mrr": (1 / (1 + rank)).mean(), "median": jnp.median(rank)}

    return UserStep(step, (params, q, d))


@user_step
def long_chain_of_batch_norms() -> UserStep:
    """Four layers with statistics of the batch, each of which waits for the last."""
    params = [{"w": 0.5 * normal(i, 6, 6), "g": jnp.ones(6)} for i in range(4)]
    x, y = normal(7, 7, 6), labels(8, 6, 7)

    def loss_fn(params, x, y):
        for p in params:
            x = x @ p["w"]
            x = jax.nn.relu((x - x.mean(0)) * jax.lax.rsqrt(x.var(0) + 1e-5) * p["g"]) + 0.1 * x
        return cross_entropy(x, y)

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), x, y), (0, 1))


@user_step
def mixup_of_the_batch() -> UserStep:
    """Each sample is mixed with another one of the batch, by a permutation."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    def step(params, key, x, y):
        key, mix, order = jax.random.split(key, 3)
        share = jax.random.beta(mix, 0.4, 0.4)
        other = jax.random.permutation(order, x.shape[0])
        x = share * x + (1 - share) * x[other]
        targets = share * jax.nn.one_hot(y, 4) + (1 - share) * jax.nn.one_hot(y[other], 4)
        loss_fn = lambda p: optax.softmax_cross_entropy(jnp.tanh(x @ p["a"]) @ p["b"], targets).mean()  # noqa: E731
        loss, gradients = jax.value_and_grad(loss_fn)(params)
        return sgd(params, gradients), key, loss

    return UserStep(step, (params, jax.random.key(4), x, y), (0, 1))


@user_step
def streaming_metrics() -> UserStep:
    """Counts, a running mean and variance of the inputs, extremes, a histogram."""
    params = {"w": 0.3 * normal(0, 9, 4)}
    x, y = normal(1, 7, 9), labels(2, 4, 7)
    metrics = {
        "count": jnp.int32(5), "mean": normal(3, 9), "m2": jnp.abs(normal(4, 9)), "max": normal(5, 9),
        "confusion": labels(6, 9, 4, 4), "histogram": labels(7, 9, 10),
    }  # fmt: skip

    def step(params, metrics, x, y):
        def loss_fn(params):
            logits = (x - metrics["mean"]) / jnp.sqrt(metrics["m2"] / metrics["count"] + 1e-3) @ params["w"]
            return cross_entropy(logits, y), logits

        (loss, logits), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        n, b = metrics["count"], x.shape[0]
        delta = x.mean(0) - metrics["mean"]
        new = {
            "count": n + b,
            "mean": metrics["mean"] + delta * b / (n + b),
            "m2": metrics["m2"] + ((x - x.mean(0)) ** 2).sum(0) + delta**2 * n * b / (n + b),
            "max": jnp.maximum(metrics["max"], x.max(0)),
            "confusion": metrics["confusion"].at[y, logits.argmax(-1)].add(1),
            "histogram": metrics["histogram"] + jnp.histogram(logits, 10, (-3.0, 3.0))[0].astype(jnp.int32),
        }
        return sgd(params, gradients), new, loss

    return UserStep(step, (params, metrics, x, y), (0, 1))


@user_step
def semi_supervised() -> UserStep:
    """FixMatch: labelled samples, and three times as many without labels."""
    model = _Mlp((12, 4))
    x, y, weak, strong = normal(0, 5, 9), labels(1, 4, 5), normal(2, 15, 9), normal(3, 15, 9)
    params = model.init(jax.random.key(0), x)

    def loss_fn(params, x, y, weak, strong):
        guess = jax.lax.stop_gradient(jax.nn.softmax(model.apply(params, weak)))
        sure = (guess.max(-1) > 0.3).astype(jnp.float32)
        losses = optax.softmax_cross_entropy_with_integer_labels(model.apply(params, strong), guess.argmax(-1))
        return cross_entropy(model.apply(params, x), y) + (losses * sure).mean()

    def step(params, state, batch):
        loss, gradients = jax.value_and_grad(loss_fn)(params, **batch)
        updates, state = momentum.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    batch = {"x": x, "y": y, "weak": weak, "strong": strong}
    return UserStep(step, (params, momentum.init(params), batch), (0, 1))


@user_step
def multi_task() -> UserStep:
    """Learned weights of tasks, NaN labels that are missing, per-task counts."""
    params = {"a": 0.3 * normal(0, 9, 12), "heads": 0.3 * normal(1, 3, 12), "log_sigma": 0.1 * normal(2, 3)}
    x = normal(3, 11, 9)
    y = jnp.where(labels(5, 3, 11, 3) == 0, jnp.nan, normal(4, 11, 3))

    def loss_fn(params, x, y):
        out = jnp.tanh(x @ params["a"]) @ params["heads"].T
        known = ~jnp.isnan(y)
        errors = jnp.where(known, (out - jnp.nan_to_num(y)) ** 2, 0.0).sum(0) / jnp.maximum(known.sum(0), 1)
        total = (errors * jnp.exp(-2 * params["log_sigma"]) + params["log_sigma"]).sum()
        return total, errors

    def step(params, state, x, y):
        (loss, errors), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y)
        updates, state = momentum.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss, errors

    return UserStep(step, (params, momentum.init(params), x, y), (0, 1))


@user_step
def proximal_policy() -> UserStep:
    """PPO: advantages normalized over the batch, clipped ratios, an entropy."""
    model = _Mlp((12, 5))
    x, actions, old, returns = normal(0, 13, 6), labels(1, 4, 13), -jnp.abs(normal(2, 13)), normal(3, 13)
    params = model.init(jax.random.key(0), x)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4, eps=1e-5))

    def step(params, state, rollout):
        def loss_fn(params):
            out = model.apply(params, rollout["x"])
            logits, values = out[:, :4], out[:, 4]
            log = jax.nn.log_softmax(logits)
            chosen = jnp.take_along_axis(log, rollout["actions"][:, None], 1)[:, 0]
            advantage = rollout["returns"] - jax.lax.stop_gradient(values)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            ratio = jnp.exp(chosen - rollout["old"])
            clipped = jnp.clip(ratio, 0.8, 1.2)
            policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
            value = 0.5 * ((values - rollout["returns"]) ** 2).mean()
            entropy = -(jnp.exp(log) * log).sum(-1).mean()
            kl = ((ratio - 1) - jnp.log(ratio)).mean()
            aux = {"policy": policy, "value": value, "entropy": entropy, "kl": kl}
            return policy + 0.5 * value - 0.01 * entropy, aux

        (loss, aux), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, {"loss": loss, **aux}

    rollout = {"x": x, "actions": actions, "old": old, "returns": returns}
    return UserStep(step, (params, _warm(optimizer.init(params)), rollout), (0, 1))


@user_step
def segmentation() -> UserStep:
    """A small U-Net: strided and transposed convolutions, skips, a Dice loss over the batch."""

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            a = nn.relu(nn.Conv(4, (3, 3))(x))
            b = nn.relu(nn.Conv(6, (3, 3), (2, 2))(a))
            c = nn.relu(nn.Conv(6, (3, 3), kernel_dilation=(2, 2))(b))
            up = nn.ConvTranspose(4, (2, 2), (2, 2))(c)
            up = jax.image.resize(up, x.shape[:3] + (4,), "bilinear")
            return nn.Conv(1, (1, 1))(jnp.concatenate([a, up], -1))[..., 0]

    model = Net()
    x, mask = normal(0, 5, 8, 8, 2), labels(1, 2, 5, 8, 8)
    params = model.init(jax.random.key(0), x)

    def loss_fn(params, x, mask):
        p, m = jax.nn.sigmoid(model.apply(params, x)), mask.astype(jnp.float32)
        dice = 1 - 2 * (p * m).sum() / (p.sum() + m.sum() + 1e-6)
        return dice + optax.sigmoid_focal_loss(model.apply(params, x), m, gamma=2.0).mean()

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), x, mask), (0, 1))
