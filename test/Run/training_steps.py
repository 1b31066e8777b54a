"""Steps with unusual optimizers, loops, precision and containers, and with second
derivatives."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from batch_steps import momentum, sgd
from flax import nnx
from user_steps import UserStep, _Mlp, _mlp_step, _train, _warm, cross_entropy, labels, normal, user_step


@user_step
def nnx_with_dropout_and_batch_norm() -> UserStep:
    """Flax nnx: a module, an optimizer and generators in one graph."""

    class Model(nnx.Module):
        def __init__(self, rngs):
            self.a = nnx.Linear(9, 12, use_bias=False, rngs=rngs)
            self.norm = nnx.BatchNorm(12, rngs=rngs)
            self.drop = nnx.Dropout(0.3, rngs=rngs)
            self.b = nnx.Linear(12, 4, rngs=rngs)

        def __call__(self, x):
            return self.b(self.drop(nnx.gelu(self.norm(self.a(x)))))

    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    graph, state = nnx.split((model, optimizer))
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    def step(state, x, y):
        model, optimizer = nnx.merge(graph, state)
        loss, gradients = nnx.value_and_grad(lambda m: cross_entropy(m(x), y))(model)
        optimizer.update(model, gradients)
        return nnx.state((model, optimizer)), loss

    return UserStep(step, (state, x, y))


@user_step
def dynamic_loss_scale() -> UserStep:
    """Half precision; the scale grows, and shrinks when a gradient overflows."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)
    state = {"params": params, "opt": momentum.init(params), "scale": jnp.float32(128.0), "good": jnp.int32(3)}

    def step(state, x, y):
        def loss_fn(params):
            half = jax.tree.map(lambda p: p.astype(jnp.float16), params)
            logits = jax.nn.relu(x.astype(jnp.float16) @ half["a"]) @ half["b"]
            return cross_entropy(logits.astype(jnp.float32), y) * state["scale"]

        loss, gradients = jax.value_and_grad(loss_fn)(state["params"])
        gradients = jax.tree.map(lambda g: g / state["scale"], gradients)
        finite = jnp.all(jnp.stack([jnp.isfinite(g).all() for g in jax.tree.leaves(gradients)]))
        updates, opt = momentum.update(gradients, state["opt"])
        pick = lambda new, old: jax.tree.map(lambda n, o: jnp.where(finite, n, o), new, old)  # noqa: E731
        params = pick(optax.apply_updates(state["params"], updates), state["params"])
        good = jnp.where(finite, state["good"] + 1, 0)
        scale = jnp.where(finite, jnp.where(good >= 4, state["scale"] * 2, state["scale"]), state["scale"] / 2)
        new = {"params": params, "opt": pick(opt, state["opt"]), "scale": scale, "good": good % 4}
        return new, loss / state["scale"]

    return UserStep(step, (state, x, y))


@user_step
def accumulation_by_scan() -> UserStep:
    """The user's own microbatches: a loop over parts of the batch."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 3, 5, 9), labels(3, 4, 3, 5)

    def loss_fn(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(params, state, x, y):
        def body(carry, batch):
            loss, gradients = jax.value_and_grad(loss_fn)(params, *batch)
            return jax.tree.map(jnp.add, carry, (loss, gradients)), None

        zero = (jnp.float32(0), jax.tree.map(jnp.zeros_like, params))
        (loss, gradients), _ = jax.lax.scan(body, zero, (x, y))
        gradients = jax.tree.map(lambda g: g / 3, gradients)
        updates, state = momentum.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss / 3

    return UserStep(step, (params, momentum.init(params), x, y), (0, 1))


@user_step
def accumulation_by_reshape() -> UserStep:
    """One flat batch that the step itself divides and scans over."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 14, 9), labels(3, 4, 14)

    def loss_fn(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(params, x, y):
        def body(carry, batch):
            loss, gradients = jax.value_and_grad(loss_fn)(params, *batch)
            return jax.tree.map(jnp.add, carry, (loss, gradients)), None

        zero = (jnp.float32(0), jax.tree.map(jnp.zeros_like, params))
        (loss, gradients), _ = jax.lax.scan(body, zero, (x.reshape(2, 7, 9), y.reshape(2, 7)))
        return sgd(params, gradients, 0.05), loss / 2

    return UserStep(step, (params, x, y))


@user_step
def several_steps_in_one() -> UserStep:
    """A loop over batches, with an update in each round."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 3, 5, 9), labels(3, 4, 3, 5)

    def loss_fn(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["a"]) @ params["b"], y)

    def step(params, state, x, y):
        def body(carry, batch):
            params, state = carry
            loss, gradients = jax.value_and_grad(loss_fn)(params, *batch)
            updates, state = momentum.update(gradients, state)
            return (optax.apply_updates(params, updates), state), loss

        (params, state), losses = jax.lax.scan(body, (params, state), (x, y))
        return params, state, losses.mean()

    return UserStep(step, (params, momentum.init(params), x, y), (0, 1))


@user_step
def physics_informed() -> UserStep:
    """Second derivatives by the inputs of each sample; a second set of points."""
    model = _Mlp((12, 12, 1))
    inside, edge = jnp.abs(normal(0, 11, 2)), jnp.abs(normal(1, 5, 2))
    params = model.init(jax.random.key(0), inside)

    def loss_fn(params, inside, edge):
        u = lambda p: model.apply(params, p)[0]  # noqa: E731
        laplacian = jax.vmap(lambda p: jnp.trace(jax.hessian(u)(p)))(inside)
        return ((laplacian - jnp.sin(inside[:, 0])) ** 2).mean() + (jax.vmap(u)(edge) ** 2).mean()

    def step(params, state, points):
        loss, gradients = jax.value_and_grad(loss_fn)(params, points["inside"], points["edge"])
        updates, state = momentum.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    return UserStep(step, (params, momentum.init(params), {"inside": inside, "edge": edge}), (0, 1))


@user_step
def muon() -> UserStep:
    """Gradients are made orthogonal by an iteration."""
    return _mlp_step(optax.contrib.muon(1e-2))


@user_step
def schedule_free() -> UserStep:
    return _mlp_step(optax.contrib.schedule_free_sgd(0.1))


@user_step
def prodigy() -> UserStep:
    optimizer = optax.contrib.prodigy(1.0)
    made = _mlp_step(optimizer)
    params, _, x, y = made.args
    return UserStep(made.fn, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def lookahead_with_noise() -> UserStep:
    """Noise in the gradients from a key in the optimizer's state."""
    optimizer = optax.chain(optax.add_noise(0.1, 0.5, jax.random.key(3)), optax.adaptive_grad_clip(0.1), momentum)
    made = _mlp_step(optimizer)
    params, _, x, y = made.args
    return UserStep(made.fn, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def injected_hyperparameters() -> UserStep:
    """The rate is part of the state; the step is skipped when it is not finite."""
    optimizer = optax.apply_if_finite(
        optax.inject_hyperparams(optax.sgd)(learning_rate=optax.cosine_decay_schedule(0.1, 20), momentum=0.9), 3
    )
    made = _mlp_step(optimizer)
    params, _, x, y = made.args
    return UserStep(made.fn, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def polyak_step_size() -> UserStep:
    """The step depends on the loss itself."""
    optimizer = optax.polyak_sgd()
    made = _mlp_step(momentum)
    params, _, x, y = made.args
    model = _Mlp()

    def step(params, state, x, y):
        loss, gradients = jax.value_and_grad(lambda p: cross_entropy(model.apply(p, x), y))(params)
        updates, state = optimizer.update(gradients, state, params, value=loss)
        return optax.apply_updates(params, updates), state, loss

    return UserStep(step, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def line_search() -> UserStep:
    """The loss is computed again and again inside of a loop."""
    optimizer = optax.chain(optax.sgd(1.0), optax.scale_by_backtracking_linesearch(5))
    made = _mlp_step(momentum)
    params, _, x, y = made.args
    model = _Mlp()

    def step(params, state, x, y):
        fn = lambda p: cross_entropy(model.apply(p, x), y)  # noqa: E731
        loss, gradients = jax.value_and_grad(fn)(params)
        updates, state = optimizer.update(gradients, state, params, value=loss, grad=gradients, value_fn=fn)
        return optax.apply_updates(params, updates), state, loss

    return UserStep(step, (params, optimizer.init(params), x, y), (0, 1))


@user_step
def speech_recognition() -> UserStep:
    """CTC with padding, over a recurrent network."""
    params = {"w": 0.3 * normal(0, 5, 8), "u": 0.3 * normal(1, 8, 8), "v": 0.3 * normal(2, 8, 6)}
    x, y = normal(3, 5, 9, 5), 1 + labels(4, 5, 5, 3)
    lengths, counts = jnp.asarray([9, 7, 9, 8, 6]), jnp.asarray([3, 2, 3, 1, 2])

    def loss_fn(params, x, lengths, y, counts):
        cell = lambda h, x: (jnp.tanh(x @ params["w"] + h @ params["u"]),) * 2  # noqa: E731
        _, h = jax.lax.scan(cell, jnp.zeros((x.shape[0], 8)), x.swapaxes(0, 1))
        logits = h.swapaxes(0, 1) @ params["v"]
        pad = lambda n, m: (jnp.arange(m) >= n[:, None]).astype(jnp.float32)  # noqa: E731
        return optax.ctc_loss(logits, pad(lengths, 9), y, pad(counts, 3)).mean()

    def step(params, x, lengths, y, counts):
        loss, gradients = jax.value_and_grad(loss_fn)(params, x, lengths, y, counts)
        return sgd(params, gradients), loss

    return UserStep(step, (params, x, lengths, y, counts))


@user_step
def carried_hidden_state() -> UserStep:
    """Truncated backpropagation: the state of each sample goes on in the next step."""
    params = {"w": 0.3 * normal(0, 5, 8), "u": 0.3 * normal(1, 8, 8), "v": 0.3 * normal(2, 8, 6)}
    x, y = normal(3, 5, 4, 5), labels(4, 6, 5, 4)

    def step(params, h, x, y):
        def loss_fn(params):
            cell = lambda h, x: (jnp.tanh(x @ params["w"] + h @ params["u"]),) * 2  # noqa: E731
            last, out = jax.lax.scan(cell, h, x.swapaxes(0, 1))
            return cross_entropy(out.swapaxes(0, 1) @ params["v"], y), last

        (loss, h), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        return sgd(params, gradients), h, loss

    return UserStep(step, (params, normal(5, 5, 8), x, y), (0, 1))


@user_step
def state_space() -> UserStep:
    """A selective state space by an associative scan."""
    params = {name: 0.3 * normal(i, 6, size) for i, (name, size) in enumerate({"b": 6, "c": 5, "d": 6}.items())}
    params["a"] = -jnp.abs(normal(3, 6))
    x, y = normal(4, 5, 8, 6), labels(5, 5, 5, 8)

    def loss_fn(params, x, y):
        rate = jax.nn.softplus(x @ params["d"])
        decay, entry = jnp.exp(rate * params["a"]), rate * (x @ params["b"])
        combine = lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1])  # noqa: E731, E741
        _, h = jax.lax.associative_scan(combine, (decay, entry), axis=1)
        return cross_entropy(h @ params["c"], y)

    return UserStep(_train(momentum, loss_fn), (params, momentum.init(params), x, y), (0, 1))


@user_step
def equilibrium() -> UserStep:
    """A fixed point, found until no sample moves; its gradient by the implicit rule."""
    params = {"w": 0.1 * normal(0, 8, 8), "u": 0.3 * normal(1, 5, 8), "v": 0.3 * normal(2, 8, 4)}
    x, y = normal(3, 7, 5), labels(4, 4, 7)
    f = lambda w, b, z: jnp.tanh(z @ w + b)  # noqa: E731

    def solve(g, z):
        move = lambda s: (g(s[0]), s[0], s[2] + 1)  # noqa: E731
        far = lambda s: (jnp.abs(s[0] - s[1]).max() > 1e-6) & (s[2] < 60)  # noqa: E731
        return jax.lax.while_loop(far, move, (g(z), z, 0))[0]

    @jax.custom_vjp
    def fixed(w, b):
        return solve(lambda z: f(w, b, z), jnp.zeros_like(b))

    def forward(w, b):
        z = fixed(w, b)
        return z, (w, b, z)

    def backward(saved, g):
        w, b, z = saved
        _, pull = jax.vjp(lambda z: f(w, b, z), z)
        u = solve(lambda u: pull(u)[0] + g, g)
        return jax.vjp(lambda w, b: f(w, b, z), w, b)[1](u)

    fixed.defvjp(forward, backward)

    def step(params, x, y):
        loss_fn = lambda p: cross_entropy(fixed(p["w"], x @ p["u"]) @ p["v"], y)  # noqa: E731
        loss, gradients = jax.value_and_grad(loss_fn)(params)
        return sgd(params, gradients), loss

    return UserStep(step, (params, x, y))


@user_step
def natural_gradient() -> UserStep:
    """Conjugate gradients with products of the Gauss-Newton matrix."""
    params = {"a": 0.3 * normal(0, 6, 8), "b": 0.3 * normal(1, 8, 3)}
    x, y = normal(2, 7, 6), normal(3, 7, 3)

    def step(params, x, y):
        out = lambda p: jnp.tanh(x @ p["a"]) @ p["b"]  # noqa: E731
        loss, gradients = jax.value_and_grad(lambda p: ((out(p) - y) ** 2).mean())(params)

        def product(v):
            _, jv = jax.jvp(out, (params,), (v,))
            back = jax.vjp(out, params)[1](2 * jv / y.size)[0]
            return jax.tree.map(lambda a, b: a + 0.1 * b, back, v)

        direction, _ = jax.scipy.sparse.linalg.cg(product, gradients, maxiter=4)
        return sgd(params, direction), loss

    return UserStep(step, (params, x, y))


class Named(NamedTuple):
    params: Any
    optimizer: Any
    step: Any
    key: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Batch:
    x: Any
    y: Any


@user_step
def named_tuple_and_dataclass() -> UserStep:
    """A typed key, a counter, a schedule by hand, accuracy of the top two."""
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    batch = Batch(normal(2, 7, 9), labels(3, 4, 7))
    optimizer = optax.adamw(1e-3)

    def step(state, batch):
        key, use = jax.random.split(state.key)

        def loss_fn(params):
            h = jax.nn.relu(batch.x @ params["a"])
            h = jnp.where(jax.random.bernoulli(use, 0.7, h.shape), h / 0.7, 0.0)
            logits = h @ params["b"]
            return cross_entropy(logits, batch.y), logits

        (loss, logits), gradients = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        updates, opt = optimizer.update(gradients, state.optimizer, state.params)
        rate = 0.1 * jnp.minimum(1.0, (state.step + 1) / 10)
        params = jax.tree.map(lambda p, u: p + rate * u, state.params, updates)
        top = (jax.lax.top_k(logits, 2)[1] == batch.y[:, None]).any(-1).mean()
        return Named(params, opt, state.step + 1, key), {"loss": loss, "top2": top, "logits": logits}

    state = Named(params, _warm(optimizer.init(params)), jnp.int32(4), jax.random.key(9))
    return UserStep(step, (state, batch))


@user_step
def wasserstein_with_penalty() -> UserStep:
    """WGAN-GP: a gradient by the inputs inside of the loss; five critic steps."""
    generator, critic = _Mlp((10, 6)), _Mlp((10, 1))
    noise, real = normal(0, 7, 3), normal(1, 7, 6)
    g, c = generator.init(jax.random.key(0), noise), critic.init(jax.random.key(1), real)

    def step(g, c, key, noise, real):
        def critic_loss(c, key):
            fake = generator.apply(g, noise)
            t = jax.random.uniform(key, (real.shape[0], 1))
            between = t * real + (1 - t) * fake
            slope = jax.vmap(jax.grad(lambda p: critic.apply(c, p)[0]))(between)
            penalty = ((jnp.linalg.norm(slope, axis=-1) - 1) ** 2).mean()
            return critic.apply(c, fake).mean() - critic.apply(c, real).mean() + 10 * penalty

        key, *uses = jax.random.split(key, 3)
        for use in uses:
            c_loss, gradients = jax.value_and_grad(critic_loss)(c, use)
            c = sgd(c, gradients, 0.01)
        g_loss, gradients = jax.value_and_grad(lambda g: -critic.apply(c, generator.apply(g, noise)).mean())(g)
        return sgd(g, gradients, 0.01), c, key, {"critic_loss": c_loss, "generator_loss": g_loss}

    return UserStep(step, (g, c, jax.random.key(5), noise, real), (0, 1, 2))


@user_step
def fake_quantization() -> UserStep:
    """Straight-through rounding, with ranges that follow the activations."""

    @jax.custom_vjp
    def quantize(x, scale):
        return jnp.clip(jnp.round(x / scale), -127, 127) * scale

    def forward(x, scale):
        return quantize(x, scale), (x, scale)

    def backward(saved, g):
        x, scale = saved
        inside = jnp.abs(x) <= 127 * scale
        return jnp.where(inside, g, 0.0), jnp.zeros_like(scale)

    quantize.defvjp(forward, backward)
    params = {"a": 0.3 * normal(0, 9, 12), "b": 0.3 * normal(1, 12, 4)}
    x, y = normal(2, 7, 9), labels(3, 4, 7)

    def step(params, ranges, x, y):
        def loss_fn(params):
            h = jax.nn.relu(x @ quantize(params["a"], jnp.abs(params["a"]).max() / 127))
            top = 0.9 * ranges + 0.1 * jnp.abs(h).max()
            h = quantize(h, top / 127)
            return cross_entropy(h @ params["b"], y), top

        (loss, ranges), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        return sgd(params, gradients), ranges, loss

    return UserStep(step, (params, jnp.float32(1.0), x, y), (0, 1))


@user_step
def partitioned_optimizers() -> UserStep:
    """Frozen, decayed and plain weights by label; unused parameters."""
    model = _Mlp()
    x, y = normal(1, 7, 9), labels(2, 5, 7)
    params = {"net": model.init(jax.random.key(0), x), "unused": normal(3, 4), "frozen": normal(4, 9)}
    marks = {"unused": "sgd", "frozen": "no"}
    marks["net"] = jax.tree.map(lambda p: "adam" if p.ndim > 1 else "sgd", params["net"])
    optimizer = optax.multi_transform(
        {"adam": optax.adamw(1e-3), "sgd": momentum, "no": optax.set_to_zero()}, marks
    )

    def loss_fn(params, x, y):
        return cross_entropy(model.apply(params["net"], x * params["frozen"]), y)

    return UserStep(_train(optimizer, loss_fn), (params, _warm(optimizer.init(params)), x, y), (0, 1))


@user_step
def nested_scan_transformer() -> UserStep:
    """nn.scan over checkpointed blocks, mixed precision, a loss in chunks over time."""

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, _):
            h = nn.RMSNorm()(x)
            h = nn.MultiHeadDotProductAttention(2, use_bias=False)(h, mask=nn.make_causal_mask(h[..., 0]))
            x = x + h
            return x + nn.Dense(8)(nn.silu(nn.Dense(16)(nn.RMSNorm()(x)))), None

    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(11, 8)(tokens)
            blocks = nn.scan(nn.remat(Block), variable_axes={"params": 0}, split_rngs={"params": True}, length=3)
            x, _ = blocks()(x, None)
            return nn.LayerNorm()(x)

    model, tokens = Model(), labels(0, 11, 5, 9)
    params = model.init(jax.random.key(0), tokens[:, :-1])

    def loss_fn(params, tokens):
        h = model.apply(params, tokens[:, :-1])
        table = params["params"]["Embed_0"]["embedding"]

        @jax.checkpoint
        def chunk(total, part):
            h, y = part
            logits = h @ table.T
            z = jax.nn.logsumexp(logits, -1)
            loss = z - jnp.take_along_axis(logits, y[..., None], -1)[..., 0] + 1e-3 * z**2
            return total + loss.sum(), None

        parts = (h.reshape(5, 2, 4, 8).swapaxes(0, 1), tokens[:, 1:].reshape(5, 2, 4).swapaxes(0, 1))
        return jax.lax.scan(chunk, jnp.float32(0), parts)[0] / tokens[:, 1:].size

    optimizer = optax.sgd(0.02, momentum=0.9)
    return UserStep(_train(optimizer, loss_fn), (params, optimizer.init(params), tokens), (0, 1))


@user_step
def key_in_a_loop() -> UserStep:
    """A recurrent network hands its key on, which the head then uses."""
    params = {"w": 0.3 * normal(0, 5, 8), "u": 0.3 * normal(1, 8, 8), "v": 0.3 * normal(2, 8, 6)}
    x, y = normal(3, 5, 4, 5), labels(4, 6, 5)

    def step(params, key, x, y):
        def loss_fn(params):
            def cell(carry, x):
                h, key = carry
                key, use = jax.random.split(key)
                h = jnp.tanh(x @ params["w"] + h @ params["u"])
                return (jnp.where(jax.random.bernoulli(use, 0.8, h.shape), h, 0.0), key), None

            (h, last), _ = jax.lax.scan(cell, (jnp.zeros((x.shape[0], 8)), key), x.swapaxes(0, 1))
            new, use = jax.random.split(last)
            mask = jax.random.bernoulli(use, 0.5, (8,))
            return cross_entropy(jnp.where(mask, 2 * h, 0.0) @ params["v"], y), new

        (loss, key), gradients = jax.value_and_grad(loss_fn, has_aux=True)(params)
        return sgd(params, gradients), key, loss

    return UserStep(step, (params, jax.random.key(6), x, y), (0, 1))


@user_step
def low_rank_adapters() -> UserStep:
    """LoRA: frozen weights that are larger than all that is trained, in layers."""
    frozen = [0.3 * normal(i, 8, 8) for i in range(3)]
    adapters = [{"a": 0.3 * normal(10 + i, 8, 2), "b": 0.3 * normal(20 + i, 2, 8)} for i in range(3)]
    x, y = normal(30, 7, 8), labels(31, 8, 7)

    def loss_fn(adapters, frozen, x, y):
        for w, p in zip(frozen, adapters):
            x = jnp.tanh(x @ w + x @ p["a"] @ p["b"])
        return cross_entropy(x, y)

    def step(adapters, state, frozen, x, y):
        loss, gradients = jax.value_and_grad(loss_fn)(adapters, frozen, x, y)
        updates, state = momentum.update(gradients, state)
        return optax.apply_updates(adapters, updates), state, loss

    return UserStep(step, (adapters, momentum.init(adapters), frozen, x, y), (0, 1))
