"""Training steps as users write them, in JAX, Flax and Optax, with prime batches.

Each name in `STEPS` makes a `UserStep`. Nothing in them is made for hetero.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


@dataclasses.dataclass
class UserStep:
    """A function, its arguments, and which of them are donated."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    donate: tuple[int, ...] = (0,)


STEPS: dict[str, Callable[[], UserStep]] = {}


def user_step(make: Callable[[], UserStep]) -> Callable[[], UserStep]:
    STEPS[make.__name__] = make
    return make


def normal(seed: int, *shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def labels(seed: int, classes: int, *shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).integers(0, classes, shape).astype(np.int32))


def _warm(state: Any, seed: int = 5) -> Any:
    """Moments as in the middle of training: at the start Adam and its kin make
    steps out of rounding errors where the true gradient is zero."""
    random = np.random.default_rng(seed)

    def warm(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype") or not jnp.issubdtype(leaf.dtype, jnp.floating) or not leaf.ndim:
            return leaf
        return jnp.asarray(0.02 + 0.1 * np.abs(random.standard_normal(leaf.shape)), leaf.dtype)

    return jax.tree.map(warm, state)


def _train(optimizer: optax.GradientTransformation, loss_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The usual step: (params, optimizer state, *batch) to the same and the loss."""

    def step(params: Any, state: Any, *batch: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_fn)(params, *batch)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step


def cross_entropy(logits: jax.Array, y: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


class _Mlp(nn.Module):
    widths: tuple[int, ...] = (16, 16, 5)

    @nn.compact
    def __call__(self, x):
        for width in self.widths[:-1]:
            x = nn.gelu(nn.Dense(width)(x))
        return nn.Dense(self.widths[-1])(x)


def _mlp_step(optimizer: optax.GradientTransformation, batch: int = 7) -> UserStep:
    model = _Mlp()
    x, y = normal(1, batch, 9), labels(2, 5, batch)
    params = model.init(jax.random.key(0), x)
    fn = _train(optimizer, lambda p, x, y: cross_entropy(model.apply(p, x), y))
    return UserStep(fn, (params, _warm(optimizer.init(params)), x, y), (0, 1))



@user_step
def lion() -> UserStep:
    return _mlp_step(optax.lion(1e-3, weight_decay=1e-2))


@user_step
def adafactor() -> UserStep:
    return _mlp_step(optax.adafactor(1e-2, min_dim_size_to_factor=8), batch=11)


@user_step
def lamb() -> UserStep:
    return _mlp_step(optax.lamb(1e-2, weight_decay=1e-2))


@user_step
def rmsprop() -> UserStep:
    return _mlp_step(optax.rmsprop(1e-2, momentum=0.9, centered=False))


@user_step
def nesterov_with_schedule() -> UserStep:
    schedule = optax.warmup_cosine_decay_schedule(0.0, 0.1, 3, 10)
    optimizer = optax.chain(
        optax.clip_by_global_norm(0.5), optax.add_decayed_weights(1e-3), optax.sgd(schedule, 0.9, True)
    )
    return _mlp_step(optimizer, batch=13)


@user_step
def every_second_step() -> UserStep:
    """Optax's own accumulation: the update is behind a branch."""
    multi = optax.MultiSteps(optax.sgd(0.1, momentum=0.9), every_k_schedule=2)
    return _mlp_step(multi.gradient_transformation(), batch=5)


@user_step
def everything_in_one_state() -> UserStep:
    """A TrainState with masked decay, clipping, a schedule, smoothed labels,
    running averages of parameters and a dictionary of metrics."""
    model = _Mlp()
    x, y = normal(1, 7, 9), labels(2, 5, 7)
    params = model.init(jax.random.key(0), x)
    mask = jax.tree.map(lambda leaf: leaf.ndim > 1, params)
    schedule = optax.linear_schedule(1e-3, 1e-4, 100)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1, mask=mask))

    class State(train_state.TrainState):
        average: Any

    state = State.create(apply_fn=model.apply, params=params, tx=optimizer, average=params)
    state = state.replace(opt_state=_warm(state.opt_state))

    def step(state, batch):
        def loss_fn(params):
            logits = state.apply_fn(params, batch["x"])
            labels = optax.smooth_labels(jax.nn.one_hot(batch["y"], 5), 0.1)
            return optax.softmax_cross_entropy(logits, labels).mean(), logits

        (loss, logits), gradients = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        state = state.apply_gradients(grads=gradients)
        average = optax.incremental_update(state.params, state.average, 0.01)
        confusion = jnp.zeros((5, 5), jnp.int32).at[batch["y"], logits.argmax(-1)].add(1)
        metrics = {
            "loss": loss,
            "accuracy": (logits.argmax(-1) == batch["y"]).mean(),
            "gradient_norm": optax.global_norm(gradients),
            "confusion": confusion,
        }
        return state.replace(average=average), metrics

    return UserStep(step, (state, {"x": x, "y": y}))



@user_step
def lstm() -> UserStep:
    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(17, 8)(tokens)
            x = nn.RNN(nn.OptimizedLSTMCell(12))(x)
            return nn.Dense(17)(x)

    model, tokens = Model(), labels(1, 17, 5, 7)
    params = model.init(jax.random.key(0), tokens)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.5, momentum=0.9))

    def loss_fn(params, tokens):
        return cross_entropy(model.apply(params, tokens[:, :-1]), tokens[:, 1:])

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), tokens), (0, 1))


@user_step
def gru_with_lengths() -> UserStep:
    """Sequences of unequal length; the state stops at the end of each."""
    width, features = 10, 6
    params = {
        "gates": 0.3 * normal(1, features + width, 2 * width),
        "new": 0.3 * normal(2, features + width, width),
        "out": 0.3 * normal(3, width, 3),
    }
    x, lengths, y = normal(4, 11, 5, features), 1 + labels(5, 5, 11), labels(6, 3, 11)
    optimizer = optax.sgd(0.1, momentum=0.9)

    @jax.checkpoint
    def cell(params, h, x):
        r, z = jnp.split(jax.nn.sigmoid(jnp.concatenate([x, h], -1) @ params["gates"]), 2, -1)
        new = jnp.tanh(jnp.concatenate([x, r * h], -1) @ params["new"])
        return (1 - z) * h + z * new

    def loss_fn(params, x, lengths, y):
        def body(h, inputs):
            t, x = inputs
            h = jnp.where((t < lengths)[:, None], cell(params, h, x), h)
            return h, None

        times = jnp.arange(x.shape[1])
        h, _ = jax.lax.scan(body, jnp.zeros((x.shape[0], width)), (times, x.swapaxes(0, 1)))
        return cross_entropy(h @ params["out"], y)

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, lengths, y), (0, 1))


@user_step
def policy_gradient() -> UserStep:
    """Trajectories come time-major; returns are summed backwards in time."""
    model = _Mlp((12, 4))
    x, actions, rewards = normal(1, 6, 5, 3), labels(2, 3, 6, 5), normal(3, 6, 5)
    params = model.init(jax.random.key(0), x)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, actions, rewards):
        outputs = model.apply(params, x)
        logits, values = outputs[..., :3], outputs[..., 3]

        def body(later, reward):
            later = reward + 0.9 * later
            return later, later

        _, returns = jax.lax.scan(body, jnp.zeros(x.shape[1]), rewards, reverse=True)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]
        advantage = jax.lax.stop_gradient(returns - values)
        return -(chosen * advantage).mean() + 0.5 * ((returns - values) ** 2).mean()

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, actions, rewards), (0, 1))



@user_step
def batch_norm() -> UserStep:
    """Convolutions with running averages of the statistics of the batch."""

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            for width, stride in ((6, 1), (8, 2)):
                skip = nn.Conv(width, (1, 1), (stride, stride))(x)
                x = nn.Conv(width, (3, 3), (stride, stride), use_bias=False)(x)
                x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)) + skip
            x = nn.max_pool(x, (2, 2), (2, 2))
            return nn.Dense(5)(x.mean((1, 2)))

    model = Model()
    images = jnp.asarray(np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3)).astype(np.uint8))
    y = labels(1, 5, 5)
    variables = model.init(jax.random.key(0), jnp.zeros((1, 8, 8, 3)), True)
    optimizer = optax.sgd(0.1, momentum=0.9)
    state = {**variables, "optimizer": optimizer.init(variables["params"])}

    def step(state, images, y):
        x = images.astype(jnp.float32) / 127.5 - 1.0

        def loss_fn(params):
            logits, new = model.apply(
                {"params": params, "batch_stats": state["batch_stats"]}, x, True, mutable=["batch_stats"]
            )
            return cross_entropy(logits, y), new["batch_stats"]

        (loss, statistics), gradients = jax.value_and_grad(loss_fn, has_aux=True)(state["params"])
        updates, new = optimizer.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "batch_stats": statistics, "optimizer": new}, loss

    return UserStep(step, (state, images, y))


@user_step
def group_norm_with_augmentation() -> UserStep:
    """Each image is flipped and cropped at random; the key is part of the state."""

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            x = nn.relu(nn.GroupNorm(num_groups=2)(nn.Conv(6, (3, 3))(x)))
            x = nn.avg_pool(x, (2, 2), (2, 2)).reshape(x.shape[0], -1)
            x = nn.Dropout(0.3, deterministic=not train)(x)
            return nn.Dense(4)(x)

    model, images, y = Model(), normal(0, 7, 10, 10, 3), labels(1, 4, 7)
    params = model.init(jax.random.key(0), jnp.zeros((1, 8, 8, 3)), False)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def augment(key, image):
        flip, corner = jax.random.split(key)
        image = jnp.where(jax.random.bernoulli(flip), image[:, ::-1], image)
        y, x = jax.random.randint(corner, (2,), 0, 3)
        return jax.lax.dynamic_slice(image, (y, x, 0), (8, 8, 3))

    def step(state, images, labels):
        key, crop, drop = jax.random.split(state["key"], 3)
        x = jax.vmap(augment)(jax.random.split(crop, images.shape[0]), images)

        def loss_fn(params):
            return cross_entropy(model.apply(params, x, True, rngs={"dropout": drop}), labels)

        loss, gradients = jax.value_and_grad(loss_fn)(state["params"])
        updates, new = optimizer.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "optimizer": new, "key": key}, loss

    state = {"params": params, "optimizer": optimizer.init(params), "key": jax.random.key(7)}
    return UserStep(step, (state, images, y))


@user_step
def variational_autoencoder() -> UserStep:
    """Several outputs, transposed convolutions, noise from a key in the batch."""

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            h = nn.relu(nn.Conv(4, (3, 3), (2, 2))(x)).reshape(x.shape[0], -1)
            mean, spread = jnp.split(nn.Dense(6)(h), 2, -1)
            z = mean + jnp.exp(0.5 * spread) * jax.random.normal(key, mean.shape)
            h = nn.relu(nn.Dense(3 * 3 * 4)(z)).reshape(-1, 3, 3, 4)
            return nn.ConvTranspose(1, (3, 3), (2, 2))(h), mean, spread

    model, x = Model(), normal(0, 5, 6, 6, 1)
    params = model.init(jax.random.key(0), x, jax.random.key(1))
    optimizer = optax.adam(1e-3)

    def step(params, state, x, key):
        def loss_fn(params):
            image, mean, spread = model.apply(params, x, key)
            error = jnp.sum((image - x) ** 2, (1, 2, 3))
            divergence = -0.5 * jnp.sum(1 + spread - mean**2 - jnp.exp(spread), -1)
            return (error + divergence).mean(), (image, mean, error)

        (loss, outputs), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss, outputs

    return UserStep(step, (params, _warm(optimizer.init(params)), x, jax.random.key(3)), (0, 1))



def _rotary(x: jax.Array) -> jax.Array:
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] / 100.0 ** (jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


@user_step
def rotary_attention() -> UserStep:
    """Grouped queries, a causal mask, RMS norms, a gated network; padding is masked."""
    width, heads, groups, size = 16, 4, 2, 4
    params = {
        "embedding": 0.5 * normal(0, 19, width),
        "q": 0.2 * normal(1, width, heads, size),
        "k": 0.2 * normal(2, width, groups, size),
        "v": 0.2 * normal(3, width, groups, size),
        "o": 0.2 * normal(4, heads, size, width),
        "up": 0.2 * normal(5, width, 2 * 24),
        "down": 0.2 * normal(6, 24, width),
        "scale": jnp.ones((2, width)),
    }
    tokens = labels(7, 19, 5, 8).at[1:3, 6:].set(0)
    optimizer = optax.adamw(1e-3)

    def norm(x, scale):
        return x * jax.lax.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale

    def loss_fn(params, tokens):
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        x = params["embedding"][inputs]
        h = norm(x, params["scale"][0])
        q = _rotary(jnp.einsum("btd,dhk->bthk", h, params["q"]))
        k = _rotary(jnp.einsum("btd,dhk->bthk", h, params["k"])).repeat(heads // groups, 2)
        v = jnp.einsum("btd,dhk->bthk", h, params["v"]).repeat(heads // groups, 2)
        scores = jnp.einsum("bthk,bshk->bhts", q, k) / jnp.sqrt(size)
        causal = jnp.tril(jnp.ones((inputs.shape[1],) * 2, bool))
        scores = jnp.where(causal & (inputs != 0)[:, None, None, :], scores, -1e30)
        attended = jnp.einsum("bhts,bshk->bthk", jax.nn.softmax(scores), v)
        x = x + jnp.einsum("bthk,hkd->btd", attended, params["o"])
        gate, up = jnp.split(norm(x, params["scale"][1]) @ params["up"], 2, -1)
        x = x + (jax.nn.silu(gate) * up) @ params["down"]
        logits = x @ params["embedding"].T
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
        weights = (targets != 0).astype(jnp.float32)
        return (losses * weights).sum() / weights.sum()

    return UserStep(_train(optimizer, loss_fn), (params, _warm(optimizer.init(params)), tokens), (0, 1))


@user_step
def top_k_routing() -> UserStep:
    """Two experts of five for each sample, with a loss that balances them."""
    experts, width, hidden = 5, 8, 12
    params = {
        "router": 0.5 * normal(0, width, experts),
        "up": 0.3 * normal(1, experts, width, hidden),
        "down": 0.3 * normal(2, experts, hidden, width),
        "head": 0.3 * normal(3, width, 4),
    }
    x, y = normal(4, 11, width), labels(5, 4, 11)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, y):
        probabilities = jax.nn.softmax(x @ params["router"])
        weights, chosen = jax.lax.top_k(probabilities, 2)
        weights = weights / weights.sum(-1, keepdims=True)
        gates = jnp.zeros_like(probabilities).at[jnp.arange(x.shape[0])[:, None], chosen].set(weights)
        h = jax.nn.relu(jnp.einsum("bd,edh->ebh", x, params["up"]))
        x = x + jnp.einsum("ebh,ehd,be->bd", h, params["down"], gates)
        balance = experts * jnp.sum(probabilities.mean(0) * (gates > 0).mean(0))
        return cross_entropy(x @ params["head"], y) + 0.01 * balance

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, y), (0, 1))



@user_step
def bags_of_words() -> UserStep:
    """Words of all samples in one list, with the sample that each belongs to."""
    params = {"table": 0.5 * normal(0, 23, 6), "out": 0.5 * normal(1, 6, 3)}
    words, owners, y = labels(2, 23, 29), jnp.sort(labels(3, 7, 29)), labels(4, 3, 7)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, words, owners, y):
        sums = jax.ops.segment_sum(params["table"][words], owners, num_segments=y.shape[0])
        counts = jax.ops.segment_sum(jnp.ones(words.shape), owners, num_segments=y.shape[0])
        return cross_entropy(sums / jnp.maximum(counts, 1.0)[:, None] @ params["out"], y)

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), words, owners, y), (0, 1))


@user_step
def segment_max_per_sample() -> UserStep:
    """Segments inside of each sample, by scatter in a vmap."""
    params = {"w": 0.5 * normal(0, 4, 6), "out": 0.5 * normal(1, 18, 3)}
    x, segments, y = normal(2, 5, 9, 4), labels(3, 3, 5, 9), labels(4, 3, 5)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, segments, y):
        def pool(h, segments):
            return jax.ops.segment_sum(h, segments, num_segments=3).reshape(-1)

        h = jax.vmap(pool)(jnp.tanh(x @ params["w"]), segments)
        return cross_entropy(h @ params["out"], y)

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, segments, y), (0, 1))


@user_step
def graph_convolution() -> UserStep:
    """Nodes of one graph are the batch; edges are another list."""
    params = {"self": 0.5 * normal(0, 5, 8), "other": 0.5 * normal(1, 5, 8), "out": 0.5 * normal(2, 8, 3)}
    x, edges, y = normal(3, 13, 5), labels(4, 13, 31, 2), labels(5, 3, 13)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, edges, y):
        messages = (x @ params["other"])[edges[:, 0]]
        received = jax.ops.segment_sum(messages, edges[:, 1], num_segments=x.shape[0])
        return cross_entropy(jax.nn.relu(x @ params["self"] + received) @ params["out"], y)

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, edges, y), (0, 1))


@user_step
def vector_quantization() -> UserStep:
    """A codebook that is no parameter but an average of what is assigned to it."""
    params = {"encode": 0.5 * normal(0, 6, 4), "decode": 0.5 * normal(1, 4, 6)}
    books = {"codes": normal(2, 7, 4), "counts": jnp.ones(7), "sums": normal(3, 7, 4)}
    x = normal(4, 13, 6)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def step(params, state, books, x):
        def loss_fn(params):
            z = x @ params["encode"]
            distance = ((z[:, None] - books["codes"]) ** 2).sum(-1)
            chosen = distance.argmin(-1)
            code = books["codes"][chosen]
            image = (z + jax.lax.stop_gradient(code - z)) @ params["decode"]
            commitment = ((z - jax.lax.stop_gradient(code)) ** 2).mean()
            return ((image - x) ** 2).mean() + 0.25 * commitment, (z, chosen)

        (loss, (z, chosen)), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        picks = jax.nn.one_hot(chosen, 7)
        counts = 0.9 * books["counts"] + 0.1 * picks.sum(0)
        sums = 0.9 * books["sums"] + 0.1 * picks.T @ z
        books_new = {"codes": sums / (counts + 1e-3)[:, None], "counts": counts, "sums": sums}
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, books_new, loss, chosen

    return UserStep(step, (params, optimizer.init(params), books, x), (0, 1, 2))



@user_step
def adversarial() -> UserStep:
    """A generator and a discriminator, each with an optimizer of its own."""
    generator, critic = _Mlp((10, 6)), _Mlp((10, 1))
    noise, real = normal(0, 7, 3), normal(1, 7, 6)
    params = {
        "generator": generator.init(jax.random.key(0), noise),
        "critic": critic.init(jax.random.key(1), real),
    }
    optimizers = {"generator": optax.adam(1e-3, b1=0.5), "critic": optax.rmsprop(1e-3)}
    states = {name: _warm(optimizers[name].init(params[name])) for name in params}

    def step(params, states, noise, real):
        def critic_loss(p):
            fake = generator.apply(params["generator"], noise)
            return (
                jax.nn.softplus(-critic.apply(p, real)).mean() + jax.nn.softplus(critic.apply(p, fake)).mean()
            )

        def generator_loss(p, c):
            return jax.nn.softplus(-critic.apply(c, generator.apply(p, noise))).mean()

        new, new_states, losses = {}, {}, {}

        def update(name, loss_fn, *rest):
            losses[name], gradients = jax.value_and_grad(loss_fn)(params[name], *rest)
            updates, new_states[name] = optimizers[name].update(gradients, states[name])
            new[name] = optax.apply_updates(params[name], updates)

        update("critic", critic_loss)
        update("generator", generator_loss, new["critic"])
        return new, new_states, losses

    return UserStep(step, (params, states, noise, real), (0, 1))


@user_step
def siamese_triplets() -> UserStep:
    """One network three times; distances are clipped."""
    model = _Mlp((12, 6))
    anchors, near, far = normal(0, 5, 8), normal(1, 5, 8), normal(2, 5, 8)
    params = model.init(jax.random.key(0), anchors)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, anchors, near, far):
        a, p, n = (jnp.tanh(model.apply(params, x)) for x in (anchors, near, far))
        distance = lambda a, b: jnp.sum((a - b) ** 2, -1)  # noqa: E731
        return jnp.maximum(distance(a, p) - distance(a, n) + 0.5, 0.0).mean()

    args = (params, optimizer.init(params), anchors, near, far)
    return UserStep(_train(optimizer, loss_fn), args, (0, 1))


@user_step
def clip_with_temperature() -> UserStep:
    """Two towers, unit vectors, every pair of the batch, a learned temperature."""
    left, right = _Mlp((10, 6)), _Mlp((6,))
    a, b = normal(0, 7, 5), normal(1, 7, 9)
    params = {
        "left": left.init(jax.random.key(0), a),
        "right": right.init(jax.random.key(1), b),
        "temperature": jnp.asarray(1.0),
    }
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, a, b):
        u, v = left.apply(params["left"], a), right.apply(params["right"], b)
        u, v = (z / jnp.linalg.norm(z, axis=-1, keepdims=True) for z in (u, v))
        logits = jnp.exp(params["temperature"]) * u @ v.T
        labels = jnp.arange(logits.shape[0])
        return 0.5 * (cross_entropy(logits, labels) + cross_entropy(logits.T, labels))

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), a, b), (0, 1))


@user_step
def distillation_with_adapters() -> UserStep:
    """A frozen teacher and a frozen base; only adapters of low rank are trained."""
    base, teacher = 0.3 * normal(0, 9, 6), _Mlp((12, 6))
    x = normal(1, 7, 9)
    frozen = {"base": base, "teacher": teacher.init(jax.random.key(0), x)}
    params = {"a": 0.3 * normal(2, 9, 2), "b": 0.3 * normal(3, 2, 6)}
    optimizer = optax.adam(1e-2)

    def step(params, state, frozen, x, temperature):
        def loss_fn(params):
            student = x @ (frozen["base"] + params["a"] @ params["b"])
            target = jax.nn.softmax(teacher.apply(frozen["teacher"], x) / temperature)
            return optax.softmax_cross_entropy(student / temperature, target).mean()

        loss, gradients = jax.value_and_grad(loss_fn)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    args = (params, _warm(optimizer.init(params)), frozen, x, jnp.asarray(2.0))
    return UserStep(step, args, (0, 1))


@user_step
def sharpness_aware() -> UserStep:
    """The gradient is taken at a point that another gradient leads to."""
    model = _Mlp((12, 5))
    x, y = normal(0, 7, 9), labels(1, 5, 7)
    params = model.init(jax.random.key(0), x)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def step(params, state, x, y):
        loss_fn = lambda p: cross_entropy(model.apply(p, x), y)  # noqa: E731
        loss, gradients = jax.value_and_grad(loss_fn)(params)
        norm = optax.global_norm(gradients) + 1e-6
        there = jax.tree.map(lambda p, g: p + 0.05 * g / norm, params, gradients)
        updates, state = optimizer.update(jax.grad(loss_fn)(there), state)
        return optax.apply_updates(params, updates), state, loss

    return UserStep(step, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def learning_to_learn() -> UserStep:
    """Each sample is a task: a step of its own inside, and a gradient through it."""
    model = _Mlp((8, 1))
    x, y = normal(0, 5, 6, 1), normal(1, 5, 6, 1)
    params = model.init(jax.random.key(0), x)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, y):
        error = lambda p, x, y: ((model.apply(p, x) - y) ** 2).mean()  # noqa: E731

        def task(x, y):
            inner = jax.grad(error)(params, x[:3], y[:3])
            return error(jax.tree.map(lambda p, g: p - 0.1 * g, params, inner), x[3:], y[3:])

        return jax.vmap(task)(x, y).mean()

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, y), (0, 1))


@user_step
def q_learning() -> UserStep:
    """A target network that is replaced every few steps; clipped errors with weights."""
    model = _Mlp((12, 4))
    x, actions, rewards, after = normal(0, 11, 5), labels(1, 4, 11), normal(2, 11), normal(3, 11, 5)
    done = labels(4, 2, 11).astype(bool)
    weights = jnp.abs(normal(5, 11))
    params = model.init(jax.random.key(0), x)
    optimizer = optax.adam(1e-3)
    state = {
        "params": params,
        "target": model.init(jax.random.key(1), x),
        "optimizer": _warm(optimizer.init(params)),
        "step": jnp.asarray(6, jnp.int32),
    }

    def step(state, x, actions, rewards, after, done, weights):
        def loss_fn(params):
            best = model.apply(state["target"], after)[jnp.arange(11), model.apply(params, after).argmax(-1)]
            target = jax.lax.stop_gradient(rewards + 0.9 * jnp.where(done, 0.0, best))
            error = model.apply(params, x)[jnp.arange(11), actions] - target
            return (weights * optax.huber_loss(error)).sum() / weights.sum(), jnp.abs(error)

        (loss, priorities), gradients = jax.value_and_grad(loss_fn, has_aux=True)(state["params"])
        updates, new = optimizer.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        count = state["step"] + 1
        target = jax.lax.cond(count % 7 == 0, lambda: params, lambda: state["target"])
        return {"params": params, "target": target, "optimizer": new, "step": count}, loss, priorities

    return UserStep(step, (state, x, actions, rewards, after, done, weights))



@user_step
def master_copies() -> UserStep:
    """Parameters in bfloat16 beside copies in float32, which the optimizer updates."""
    x, y = normal(0, 7, 8), labels(1, 5, 7)
    master = {"a": 0.3 * normal(2, 8, 16), "b": 0.3 * normal(3, 16, 5)}
    optimizer = optax.sgd(0.1, momentum=0.9)
    half = lambda tree: jax.tree.map(lambda p: p.astype(jnp.bfloat16), tree)  # noqa: E731

    def step(params, master, state, x, y):
        def loss_fn(params):
            h = jax.nn.relu(x.astype(jnp.bfloat16) @ params["a"])
            return cross_entropy((h @ params["b"]).astype(jnp.float32), y)

        loss, gradients = jax.value_and_grad(loss_fn)(params)
        gradients = jax.tree.map(lambda g: g.astype(jnp.float32), gradients)
        updates, state = optimizer.update(gradients, state)
        master = optax.apply_updates(master, updates)
        return half(master), master, state, loss

    return UserStep(step, (half(master), master, optimizer.init(master), x, y), (0, 1, 2))


@user_step
def diffusion() -> UserStep:
    """A random time and noise for each sample; the key advances in the state."""
    model = _Mlp((16, 6))
    x = normal(0, 11, 6)
    params = model.init(jax.random.key(0), jnp.zeros((1, 14)))
    optimizer = optax.adamw(1e-3)

    def step(params, state, key, x):
        key, times, noises = jax.random.split(key, 3)
        t = jax.random.uniform(times, (x.shape[0],))
        noise = jax.random.normal(noises, x.shape)

        def loss_fn(params):
            alpha = jnp.cos(0.5 * jnp.pi * t)[:, None] ** 2
            noisy = jnp.sqrt(alpha) * x + jnp.sqrt(1 - alpha) * noise
            angle = t[:, None] * 10.0 ** jnp.arange(4)
            inputs = jnp.concatenate([noisy, jnp.sin(angle), jnp.cos(angle)], -1)
            return ((model.apply(params, inputs) - noise) ** 2).mean()

        loss, gradients = jax.value_and_grad(loss_fn)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, key, loss

    return UserStep(step, (params, _warm(optimizer.init(params)), jax.random.key(2), x), (0, 1, 2))


@user_step
def hardest_samples() -> UserStep:
    """Only the samples with the largest losses, and their median, count."""
    model = _Mlp((12, 5))
    x, y = normal(0, 11, 9), labels(1, 5, 11)
    params = model.init(jax.random.key(0), x)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params, x, y):
        losses = optax.softmax_cross_entropy_with_integer_labels(model.apply(params, x), y)
        worst, _ = jax.lax.top_k(losses, 4)
        return worst.mean() + 0.1 * jnp.median(losses)

    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), x, y), (0, 1))


@user_step
def spectral_norm() -> UserStep:
    """A vector in the state that follows the largest singular value."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 5)}
    vectors = {"a": normal(2, 12), "b": normal(3, 5)}
    x, y = normal(4, 7, 9), labels(5, 5, 7)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def normalize(w, v):
        u = w @ v
        u = u / (jnp.linalg.norm(u) + 1e-6)
        v = w.T @ u
        v = v / (jnp.linalg.norm(v) + 1e-6)
        u, v = jax.lax.stop_gradient((u, v))
        return w / (u @ w @ v), v

    def step(params, vectors, state, x, y):
        def loss_fn(params):
            a, va = normalize(params["a"], vectors["a"])
            b, vb = normalize(params["b"], vectors["b"])
            return cross_entropy(jax.nn.elu(x @ a) @ b, y), {"a": va, "b": vb}

        (loss, new), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), new, state, loss

    return UserStep(step, (params, vectors, optimizer.init(params), x, y), (0, 1, 2))


@user_step
def random_walk() -> UserStep:
    """Langevin dynamics: noise of the shape of each parameter, no optimizer."""
    params = {"w": 0.3 * normal(0, 9, 5), "b": jnp.zeros(5)}
    x, y = normal(1, 7, 9), labels(2, 5, 7)

    def step(params, key, x, y, rate):
        loss, gradients = jax.value_and_grad(lambda p: cross_entropy(x @ p["w"] + p["b"], y))(params)
        key, use = jax.random.split(key)
        leaves, tree = jax.tree.flatten(params)
        keys = jax.tree.unflatten(tree, list(jax.random.split(use, len(leaves))))
        move = lambda p, g, k: p - rate * g + jnp.sqrt(2 * rate) * jax.random.normal(k, p.shape)  # noqa: E731
        return jax.tree.map(move, params, gradients, keys), key, {"loss": loss}

    return UserStep(step, (params, jax.random.PRNGKey(0), x, y, 0.01), (0, 1))
