"""A training step of the zoo: the function, its shapes, its roles."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Callable

import jax
import numpy as np

from .._jax import kept_arguments

# What an argument or a result is to training; the importer infers the same.
ARGUMENT_ROLES = (
    "parameter",
    "optimizer_state",
    "model_state",
    "batch",
    "rng",
    "hyper_parameter",
)
RESULT_ROLES = ("loss", "metric", "updated_state")


@dataclasses.dataclass(frozen=True)
class Roles:
    """One role per flattened argument and per flattened result."""

    arguments: tuple[str, ...]
    results: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Step:
    """A training step as users write it: `fn(*state, *inputs) -> results`.

    `init(key)` makes the leading arguments, those that training updates, and
    `inputs(key)` the others. Neither runs unless `example_args` is called: the
    shapes come from `jax.eval_shape`, so a step of any size lowers without
    memory for its weights.

    `argument_roles` and `result_roles` are prefix trees of the arguments and
    results: one role may stand for a whole subtree.
    """

    name: str
    size: str
    fn: Callable[..., Any]
    init: Callable[[jax.Array], tuple[Any, ...]]
    inputs: Callable[[jax.Array], tuple[Any, ...]]
    donate_argnums: tuple[int, ...]
    argument_roles: tuple[Any, ...]
    result_roles: Any

    @functools.cached_property
    def args(self) -> tuple[Any, ...]:
        """The arguments as trees of `jax.ShapeDtypeStruct`."""
        key = jax.eval_shape(lambda: jax.random.key(0))
        state = jax.eval_shape(self.init, key)
        return (*state, *jax.eval_shape(self.inputs, key))

    @functools.cached_property
    def results(self) -> Any:
        """The results as a tree of `jax.ShapeDtypeStruct`."""
        return jax.eval_shape(self.fn, *self.args)

    @property
    def jitted(self) -> Any:
        """`fn` under `jax.jit` with its state donated."""
        return jax.jit(self.fn, donate_argnums=self.donate_argnums)

    def lower(self) -> jax.stages.Lowered:
        """Lowers the step from shapes."""
        return self.jitted.lower(*self.args)

    def example_args(self, seed: int = 0) -> tuple[Any, ...]:
        """Concrete arguments: initialised weights and a random batch."""
        state_key, input_key = jax.random.split(jax.random.key(seed))
        return (*jax.jit(self.init)(state_key), *jax.jit(self.inputs)(input_key))

    def warm_args(self, seed: int = 0) -> tuple[Any, ...]:
        """As example_args, with optimizer state that is not zero.

        Adam divides by it, and would turn the rounding of a gradient that is
        truly zero (the bias of keys) into a full update.
        """
        rng = np.random.default_rng(seed)
        leaves, tree = jax.tree.flatten(self.example_args(seed))
        for index, role in enumerate(self.roles.arguments):
            leaf = leaves[index]
            if role == "optimizer_state" and jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating):
                values = 0.01 + 0.02 * rng.random(leaf.shape)
                leaves[index] = jax.numpy.asarray(values, leaf.dtype)
        return jax.tree.unflatten(tree, leaves)

    def feed_back(self, args: tuple[Any, ...], results: Any) -> tuple[Any, ...]:
        """The arguments of the next step: donated ones are replaced by results, in order."""
        leaves, tree = jax.tree.flatten(args)
        counts = [len(jax.tree.leaves(arg)) for arg in args]
        state = [
            index
            for argnum in self.donate_argnums
            for index in range(sum(counts[:argnum]), sum(counts[: argnum + 1]))
        ]
        new = jax.tree.leaves(results)
        updated = [leaf for leaf, role in zip(new, self.roles.results) if role == "updated_state"]
        assert len(state) == len(updated)
        for index, leaf in zip(state, updated):
            leaves[index] = leaf
        return jax.tree.unflatten(tree, leaves)

    @functools.cached_property
    def roles(self) -> Roles:
        """The role of each flattened argument and result."""
        return Roles(
            _flatten_roles(self.argument_roles, self.args, ARGUMENT_ROLES),
            _flatten_roles(self.result_roles, self.results, RESULT_ROLES),
        )

    def kept_arguments(self, lowered: jax.stages.Lowered) -> tuple[int, ...]:
        """The flattened arguments that the lowered module still has.

        `jax.jit` drops the arguments that the step does not use.
        """
        return kept_arguments(lowered, len(self.roles.arguments))


def _flatten_roles(prefix: Any, tree: Any, allowed: tuple[str, ...]) -> tuple[str, ...]:
    roles = tuple(jax.tree.leaves(jax.tree.broadcast(prefix, tree)))
    for role in roles:
        if role not in allowed:
            raise ValueError(f"role '{role}' is none of {', '.join(allowed)}")
    return roles
