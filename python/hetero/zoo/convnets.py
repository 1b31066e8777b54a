"""Convolutional networks: ResNet with batch norm, VGG19, and a U-Net."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from .step import Step
from .training import accuracy, decay_mask, images


@dataclasses.dataclass(frozen=True)
class Config:
    """The shape of a network and of its batch; `stages` depends on the kind."""

    stages: tuple[int, ...]
    width: int
    side: int
    classes: int
    batch: int
    hidden: int = 0


RESNET_SIZES = {
    "test": Config(stages=(1, 1), width=8, side=32, classes=8, batch=4),
    "paper": Config(stages=(3, 4, 6, 3), width=64, side=224, classes=1000, batch=256),
}
VGG_SIZES = {
    "test": Config(stages=(2, 2, 4, 4, 4), width=4, side=32, classes=8, batch=4, hidden=32),
    "paper": Config(stages=(2, 2, 4, 4, 4), width=64, side=224, classes=1000, batch=64, hidden=4096),
}
UNET_SIZES = {
    "test": Config(stages=(1, 2), width=8, side=16, classes=3, batch=2),
    "paper": Config(stages=(1, 2, 4, 8), width=64, side=256, classes=21, batch=16),
}


class Bottleneck(nn.Module):
    """The residual block of ResNet-50."""

    width: int
    stride: int

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        conv = functools.partial(nn.Conv, use_bias=False)
        norm = functools.partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        y = nn.relu(norm()(conv(self.width, (1, 1))(x)))
        y = nn.relu(norm()(conv(self.width, (3, 3), strides=self.stride)(y)))
        y = norm(scale_init=nn.initializers.zeros)(conv(4 * self.width, (1, 1))(y))
        if x.shape != y.shape:
            x = norm()(conv(4 * self.width, (1, 1), strides=self.stride)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    """A stem, stages of bottlenecks, average pooling and a linear head."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, train: bool = False) -> jax.Array:
        x = nn.Conv(self.config.width, (7, 7), strides=2, use_bias=False, name="stem")(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
        x = nn.max_pool(x, (3, 3), strides=(2, 2), padding="SAME")
        for stage, blocks in enumerate(self.config.stages):
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                x = Bottleneck(self.config.width * 2**stage, stride)(x, train)
        return nn.Dense(self.config.classes, name="head")(x.mean(axis=(1, 2)))


class VGG(nn.Module):
    """Stages of 3x3 convolutions with max pooling, then dense layers."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array, train: bool = False) -> jax.Array:
        for stage, convolutions in enumerate(self.config.stages):
            for _ in range(convolutions):
                x = nn.relu(nn.Conv(self.config.width * min(2**stage, 8), (3, 3))(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)
        for _ in range(2):
            x = nn.relu(nn.Dense(self.config.hidden)(x))
            x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(self.config.classes)(x)


class UNet(nn.Module):
    """Down by strided convolutions, up by transposed ones, with skips."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        skips = []
        for factor in self.config.stages:
            x = self.double(x, self.config.width * factor)
            skips.append(x)
            x = nn.Conv(x.shape[-1], (3, 3), strides=2)(x)
        x = self.double(x, 2 * self.config.width * self.config.stages[-1])
        for skip in reversed(skips):
            x = nn.ConvTranspose(skip.shape[-1], (2, 2), strides=(2, 2))(x)
            x = self.double(jnp.concatenate([x, skip], axis=-1), skip.shape[-1])
        return nn.Conv(self.config.classes, (1, 1))(x)

    def double(self, x: jax.Array, width: int) -> jax.Array:
        """Two convolutions with group norm."""
        for _ in range(2):
            x = nn.silu(nn.GroupNorm(num_groups=min(8, width))(nn.Conv(width, (3, 3))(x)))
        return x


def build_resnet(size: str, **changes: Any) -> Step:
    """The step `train_step(params, batch_stats, opt_state, images, labels)`."""
    config = dataclasses.replace(RESNET_SIZES[size], **changes)
    model = ResNet(config)
    optimizer = optax.chain(
        optax.add_decayed_weights(1e-4, mask=decay_mask),
        optax.sgd(optax.cosine_decay_schedule(0.1, 10000), momentum=0.9, nesterov=True),
    )

    def init(key: jax.Array) -> tuple[Any, Any, Any]:
        variables = model.init(key, jnp.zeros((config.batch, config.side, config.side, 3)))
        params = variables["params"]
        return params, variables["batch_stats"], optimizer.init(params)

    def inputs(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        return images(key, config.batch, config.side, config.classes)

    def train_step(params: Any, batch_stats: Any, opt_state: Any, pixels: Any, labels: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            variables = {"params": params, "batch_stats": batch_stats}
            logits, changes = model.apply(variables, pixels, train=True, mutable=["batch_stats"])
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
            return losses.mean(), (logits, changes["batch_stats"])

        (loss, (logits, stats)), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        metrics = {"loss": loss, "accuracy": accuracy(logits, labels)}
        return optax.apply_updates(params, updates), stats, opt_state, metrics

    return Step(
        "resnet", size, train_step, init, inputs,
        donate_argnums=(0, 1, 2),
        argument_roles=("parameter", "model_state", "optimizer_state", "batch", "batch"),
        result_roles=(
            "updated_state", "updated_state", "updated_state", {"loss": "loss", "accuracy": "metric"},
        ),
    )  # fmt: skip


def build_vgg19(size: str, **changes: Any) -> Step:
    """The step `train_step(params, opt_state, batch, rng, learning_rate)`."""
    config = dataclasses.replace(VGG_SIZES[size], **changes)
    model = VGG(config)
    optimizer = optax.trace(decay=0.9)

    def init(key: jax.Array) -> tuple[Any, Any]:
        params = model.init(key, jnp.zeros((config.batch, config.side, config.side, 3)))["params"]
        return params, optimizer.init(params)

    def inputs(key: jax.Array) -> tuple[Any, jax.Array, jax.Array]:
        pixels, labels = images(key, config.batch, config.side, config.classes)
        rate = jnp.asarray(0.01, jnp.float32)
        return {"image": pixels, "label": labels}, jax.random.fold_in(key, 1), rate

    def train_step(params: Any, opt_state: Any, batch: Any, rng: jax.Array, learning_rate: jax.Array) -> Any:
        def loss_fn(params: Any) -> jax.Array:
            logits = model.apply({"params": params}, batch["image"], train=True, rngs={"dropout": rng})
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = jax.tree.map(lambda p, u: p - learning_rate * u, params, updates)
        return params, opt_state, {"loss": loss}

    return Step(
        "vgg19", size, train_step, init, inputs,
        donate_argnums=(0, 1),
        argument_roles=("parameter", "optimizer_state", "batch", "rng", "hyper_parameter"),
        result_roles=("updated_state", "updated_state", {"loss": "loss"}),
    )  # fmt: skip


def build_unet(size: str, **changes: Any) -> Step:
    """The step `train_step(state, batch)` with the state in a dictionary."""
    config = dataclasses.replace(UNET_SIZES[size], **changes)
    model = UNet(config)
    optimizer = optax.adam(1e-3)

    def init(key: jax.Array) -> tuple[Any]:
        params = model.init(key, jnp.zeros((config.batch, config.side, config.side, 3)))["params"]
        return ({"params": params, "opt_state": optimizer.init(params)},)

    def inputs(key: jax.Array) -> tuple[Any]:
        pixels, _ = images(key, config.batch, config.side, config.classes)
        mask = jax.random.randint(key, pixels.shape[:3], 0, config.classes, jnp.int32)
        return ({"image": pixels, "mask": mask},)

    def train_step(state: Any, batch: Any) -> Any:
        def loss_fn(params: Any) -> jax.Array:
            logits = model.apply({"params": params}, batch["image"])
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["mask"]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state["params"])
        updates, opt_state = optimizer.update(grads, state["opt_state"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "opt_state": opt_state}, loss

    return Step(
        "unet", size, train_step, init, inputs,
        donate_argnums=(0,),
        argument_roles=({"params": "parameter", "opt_state": "optimizer_state"}, "batch"),
        result_roles=("updated_state", "loss"),
    )  # fmt: skip
