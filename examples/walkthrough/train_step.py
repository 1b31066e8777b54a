"""Prints the step of docs/Walkthrough.md as JAX lowers it."""

import jax
import jax.numpy as jnp


def train_step(params, batch):
    def loss_of(params):
        hidden = jnp.tanh(batch["x"] @ params["hidden"])
        return jnp.mean((hidden @ params["out"] - batch["y"]) ** 2)

    loss, gradients = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


params = {"hidden": f32(4096, 1024), "out": f32(1024, 4096)}
batch = {"x": f32(60, 4096), "y": f32(60, 4096)}
print(jax.jit(train_step, donate_argnums=0).lower(params, batch).as_text(), end="")
