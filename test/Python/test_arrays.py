"""Results of a step are arrays wherever an array can be."""

from __future__ import annotations

import copy
import pickle

import hetero
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import jit_steps as steps


@pytest.fixture(scope="module")
def step():
    return hetero.jit(steps.sgd)


@pytest.fixture
def result(step):
    """The new matrix of a step, and what JAX says it is."""
    state, _ = step(steps.parameters(), steps.batch())
    expected, _ = jax.jit(steps.sgd)(steps.parameters(), steps.batch())
    assert isinstance(state["first"], hetero.DeviceArray)
    return state["first"], expected["first"]


def test_what_is_known_without_looking(result):
    ours, theirs = result
    for name in ("shape", "dtype", "ndim", "size", "nbytes", "weak_type"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert len(ours) == len(theirs)
    assert jax.typeof(ours).str_short() == jax.typeof(theirs).str_short()


@pytest.mark.parametrize(
    "use",
    [
        np.asarray,
        jnp.asarray,
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: np.ones(8, np.float32) * x,
        lambda x: jnp.ones(8) * x,
        lambda x: x @ x.T,
        lambda x: x**2,
        lambda x: -x,
        lambda x: abs(x),
        lambda x: x > 0,
        lambda x: x[1:3, ::2],
        lambda x: x.at[0].set(1.0),
        lambda x: x.sum(axis=0),
        lambda x: x.astype(jnp.bfloat16),
        lambda x: jnp.linalg.norm(x),
        lambda x: np.add(x, x),
        lambda x: jax.device_put(x),
        lambda x: jax.device_get(x),
        lambda x: jax.jit(jnp.tanh)(x),
        lambda x: jax.jit(lambda y: y + x)(1.0),
        lambda x: jax.grad(lambda y: jnp.sum(y**2))(x),
        lambda x: jax.vmap(jnp.sum)(x),
        lambda x: jax.lax.scan(lambda c, y: (c + y, y), jnp.zeros(8), x),
        lambda x: jax.tree.map(lambda y: 2 * y, {"x": x}),
        lambda x: jnp.stack([x, x]),
        lambda x: list(x),
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: float(x[0, 0]),
        lambda x: jax.block_until_ready(x) + 0,
    ],
)
def test_uses(result, use):
    ours, theirs = result
    steps.assert_close(use(ours), use(theirs))


def test_scalars(step):
    _, loss = step(steps.parameters(), steps.batch())
    _, expected = jax.jit(steps.sgd)(steps.parameters(), steps.batch())
    assert float(loss) == pytest.approx(float(expected), rel=1e-6)
    assert f"{loss:.3f}" == f"{expected:.3f}"
    assert loss.item() == float(loss) and bool(loss) and loss < 1e9
    assert repr(loss).startswith("DeviceArray(")
    with pytest.raises(TypeError):
        len(loss)
    with pytest.raises(TypeError):
        hash(loss)


def test_a_deleted_array_says_so(result):
    ours, _ = result
    ours.delete()
    assert ours.is_deleted() and "deleted" in repr(ours)
    assert ours.shape == (6, 8)
    for use in (np.asarray, jnp.sum, lambda x: x + 1, jax.jit(jnp.sum)):
        with pytest.raises(RuntimeError, match="Array has been deleted"):
            use(ours)


def test_flax_saves_results(step):
    serialization = pytest.importorskip("flax.serialization")
    state, _ = step(steps.parameters(), steps.batch())
    saved = serialization.to_bytes(state)
    assert saved == serialization.to_bytes(jax.tree.map(np.asarray, state))
    steps.assert_close(serialization.from_bytes(steps.parameters(), saved), state)
    # A state of results is one to restore into as well.
    steps.assert_close(serialization.from_bytes(state, saved), state)
