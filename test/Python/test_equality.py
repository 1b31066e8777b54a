"""Training with `hetero.jit` is training with `jax.jit`: the zoo on 1 to 5 devices."""

from __future__ import annotations

from typing import Any

import hetero
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import jit_steps as steps
from hetero import zoo

PLANNERS = ("stages", "dp-proportional", "dp-even", "joint")

# What runs every time; the slow tests run all of it.
SAMPLE = [
    ("mlp", 1, "stages"),
    ("mlp", 3, "dp-even"),
    ("gpt", 2, "stages"),
    ("gpt", 3, "dp-proportional"),
    ("moe", 4, "stages"),
    ("bert", 5, "joint"),
]
MODELS = ("mlp", "gpt", "bert", "vit", "moe", "gpt_scan", "vgg19")
ALL = [
    (model, ranks, planner)
    for model in MODELS
    for ranks in (1, 2, 3, 4, 5)
    for planner in (PLANNERS if ranks > 1 else PLANNERS[:1])
    if (model, ranks, planner) not in SAMPLE
]


def cases() -> list[Any]:
    return [
        *(pytest.param(*case) for case in SAMPLE),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ALL),
    ]


def warm(state: Any, roles: tuple[str, ...]) -> Any:
    """The state as in the middle of training. At its start Adam divides by the
    square root of almost nothing, which makes steps of rounding errors where the
    true gradient is zero."""
    leaves, tree = jax.tree.flatten(state)
    random = np.random.default_rng(0)
    for index, (leaf, role) in enumerate(zip(leaves, roles)):
        if role == "optimizer_state" and leaf.ndim and jnp.issubdtype(leaf.dtype, jnp.floating):
            noise = 1e-2 * np.abs(random.standard_normal(leaf.shape))
            leaves[index] = jnp.asarray(noise, leaf.dtype)
    return jax.tree.unflatten(tree, leaves)


class Run:
    """A step of the zoo under `jax.jit` and under `hetero.jit`, from equal states."""

    def __init__(self, model: str, ranks: int, planner: str) -> None:
        self.step = zoo.get(model)
        self.count = len(self.step.donate_argnums)
        keywords = dict(donate_argnums=self.step.donate_argnums)
        self.ours = hetero.jit(
            self.step.fn, cluster=steps.cluster(ranks), planner=planner, **keywords
        )
        self.theirs = jax.jit(self.step.fn, **keywords)
        self.inputs = jax.jit(self.step.inputs)
        state = self.step.example_args()[: self.count]
        self.our_state = warm(state, self.step.roles.arguments)
        self.their_state = steps.copy(self.our_state)

    def train(self, seed: int = 0) -> tuple[Any, Any]:
        """One step of both; what they return besides the state."""
        inputs = self.inputs(jax.random.key(seed))
        ours = self.ours(*self.our_state, *inputs)
        theirs = self.theirs(*self.their_state, *steps.copy(inputs))
        self.our_state, self.their_state = ours[: self.count], theirs[: self.count]
        return ours[self.count :], theirs[self.count :]


@pytest.mark.parametrize("model, ranks, planner", cases())
def test_training(model, ranks, planner):
    """All of the state agrees after one step, the losses of twenty do."""
    run = Run(model, ranks, planner)
    steps.assert_close(*run.train())
    steps.assert_close(run.our_state, run.their_state)
    for seed in range(1, 20):
        ours, theirs = run.train(seed)
        for got, want in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            if not jax.dtypes.issubdtype(want.dtype, jax.dtypes.prng_key):
                np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-3)
