"""`hetero.jit` means what `jax.jit` means."""

from __future__ import annotations

import functools

import hetero
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import jit_steps as steps


def both(fun, **keywords):
    return hetero.jit(fun, **keywords), jax.jit(fun, **keywords)


def test_results_equal_those_of_jax():
    ours, theirs = both(steps.sgd)
    steps.assert_close(
        ours(steps.parameters(), steps.batch()), theirs(steps.parameters(), steps.batch())
    )


@pytest.mark.parametrize("ranks", [2, 3])
def test_state_stays_on_the_devices(ranks, monkeypatch):
    """From the second call on only the batch is sent, and only the loss fetched."""
    step = hetero.jit(steps.sgd, cluster=steps.cluster(ranks), donate_argnums=0)
    reference = jax.jit(steps.sgd)
    state, expected = steps.parameters(), steps.parameters()
    program = step.program(state, steps.batch())
    fetched = []
    get_result = program.get_result
    monkeypatch.setattr(program, "get_result", lambda index: (fetched.append(index), get_result(index))[1])
    for seed in range(4):
        data = steps.batch(seed=seed)
        sent = program._find_arguments_to_set(jax.tree.leaves((state, data)))
        assert len(sent) == (5 if seed == 0 else 2)
        state, loss = step(state, data)
        expected, expected_loss = reference(expected, data)
        assert float(loss) == pytest.approx(float(expected_loss), rel=1e-5)
    assert fetched == [3] * 4
    steps.assert_close(state, expected)


def test_results_that_are_kept_survive_the_next_step():
    step, reference = both(steps.sgd)
    first, _ = step(steps.parameters(), steps.batch())
    second, _ = step(first, steps.batch())
    third, _ = step(first, steps.batch())
    expected, _ = reference(steps.parameters(), steps.batch())
    steps.assert_close(first, expected)
    steps.assert_close(second, reference(expected, steps.batch())[0])
    steps.assert_close(third, second, 0)


def test_donated_arrays_are_gone():
    step = hetero.jit(steps.sgd, donate_argnames="params")
    given = steps.parameters()
    first, _ = step(given, steps.batch())
    assert given["bias"].is_deleted()
    second, _ = step(first, steps.batch())
    assert first["bias"].is_deleted() and not second["bias"].is_deleted()
    with pytest.raises(RuntimeError, match=r"Array has been deleted with shape=float32\[8\]"):
        np.asarray(first["bias"])
    with pytest.raises(RuntimeError, match="deleted"):
        step(first, steps.batch())
    step(second, steps.batch())


def test_an_array_cannot_be_donated_and_used_as_well():
    step = hetero.jit(lambda a, b: (a - 0.1 * b, jnp.sum(a * b)), donate_argnums=0)
    a = jnp.arange(4.0)
    with pytest.raises(ValueError, match="donated, and given as another argument"):
        step(a, a)
    assert not a.is_deleted()


def test_static_arguments():
    def step(params, data, depth, scale=1.0):
        for _ in range(depth):
            params, loss = steps.sgd(params, data)
        return params, loss * scale

    for keywords in ({"static_argnums": 2}, {"static_argnames": "depth"}):
        ours, theirs = both(step, **keywords)
        for depth in (1, 2, 1):
            arguments = (steps.parameters(), steps.batch(), depth)
            steps.assert_close(ours(*arguments), theirs(*arguments))
        assert len(ours._executables) == 2
        # By name, as JAX allows for both.
        result = ours(steps.parameters(), steps.batch(), depth=1)
        steps.assert_close(result, theirs(steps.parameters(), steps.batch(), depth=1))
    with pytest.raises(TypeError, match="static_argnums"):
        hetero.jit(step)(steps.parameters(), steps.batch(), "two")


def test_new_shapes_and_types_make_new_programs():
    ours, theirs = both(steps.sgd)
    for size in (5, 7, 5):
        steps.assert_close(
            ours(steps.parameters(), steps.batch(size)), theirs(steps.parameters(), steps.batch(size))
        )
    assert len(ours._executables) == 2
    # The state moves from one program to the other.
    state, _ = ours(steps.parameters(), steps.batch(5))
    state, _ = ours(state, steps.batch(7))
    expected, _ = theirs(steps.parameters(), steps.batch(5))
    steps.assert_close(state, theirs(expected, steps.batch(7))[0])


def test_wrong_shapes_are_reported_by_jax():
    step = hetero.jit(steps.sgd)
    x, y = steps.batch()
    with pytest.raises(TypeError, match="dot_general|incompatible"):
        step(steps.parameters(), (x[:, :5], y))
    step(steps.parameters(), (x, y))


def test_numbers_are_weakly_typed():
    ours, theirs = both(steps.sgd)
    for rate in (0.1, 1, np.float32(0.5), jnp.asarray(0.25), np.float64(0.125)):
        steps.assert_close(
            ours(steps.parameters(), steps.batch(), rate),
            theirs(steps.parameters(), steps.batch(), rate),
        )
    with pytest.raises(OverflowError):
        ours(steps.parameters(), steps.batch(), 2**40)


def test_a_weakly_typed_counter():
    def step(state, data):
        params, loss = steps.sgd(state["params"], data)
        return {"params": params, "count": state["count"] + 1}, loss

    ours, theirs = both(step, donate_argnums=0)
    state = {"params": steps.parameters(), "count": 0}
    expected = {"params": steps.parameters(), "count": 0}
    for _ in range(3):
        state, _ = ours(state, steps.batch())
        expected, _ = theirs(expected, steps.batch())
    assert int(state["count"]) == 3
    # A number at first, then an array of the same weak type: one program.
    assert len(ours._executables) == 1
    assert jnp.asarray(state["count"]).weak_type == expected["count"].weak_type


@pytest.mark.parametrize("typed", [True, False])
def test_random_keys(typed):
    def step(params, key, data):
        key, used = jax.random.split(key)
        x = data[0] * jax.random.bernoulli(used, 0.8, data[0].shape)
        return *steps.sgd(params, (x, data[1])), key

    ours, theirs = both(step, donate_argnums=(0, 1))
    make = jax.random.key if typed else jax.random.PRNGKey
    state, key = steps.parameters(), make(3)
    expected, expected_key = steps.parameters(), make(3)
    for _ in range(3):
        state, loss, key = ours(state, key, steps.batch())
        expected, expected_loss, expected_key = theirs(expected, expected_key, steps.batch())
    assert key.dtype == expected_key.dtype
    if typed:
        key, expected_key = map(jax.random.key_data, (key, expected_key))
    np.testing.assert_array_equal(np.asarray(key), np.asarray(expected_key))
    steps.assert_close((state, loss), (expected, expected_loss))


def test_arguments_that_the_step_does_not_use():
    def step(params, unused, data, *, also_unused):
        return {**steps.sgd(params, data)[0]}, steps.loss_of(params, *data)

    ours, theirs = both(step)
    arguments = (steps.parameters(), np.zeros(3), steps.batch())
    steps.assert_close(
        ours(*arguments, also_unused=jax.random.key(0)),
        theirs(*arguments, also_unused=jax.random.key(0)),
    )
    ours_kept, theirs_kept = both(step, keep_unused=True)
    steps.assert_close(ours_kept(*arguments, also_unused=1), theirs_kept(*arguments, also_unused=1))


def test_as_a_decorator_and_a_method():
    @hetero.jit(donate_argnums=0)
    def step(params, data):
        """Trains."""
        return steps.sgd(params, data)

    assert step.__doc__ == "Trains." and step.__name__ == "step"

    class Trainer:
        rate = 0.1

        @functools.partial(hetero.jit, static_argnums=0)
        def step(self, params, data):
            return steps.sgd(params, data, self.rate)

    expected = jax.jit(steps.sgd)(steps.parameters(), steps.batch())
    steps.assert_close(step(steps.parameters(), steps.batch()), expected)
    steps.assert_close(Trainer().step(steps.parameters(), steps.batch()), expected)


def test_a_function_under_jax_jit():
    step = hetero.jit(jax.jit(steps.sgd, donate_argnums=0))
    given = steps.parameters()
    expected = jax.jit(steps.sgd)(steps.parameters(), steps.batch())
    steps.assert_close(step(given, steps.batch()), expected)
    assert given["bias"].is_deleted()


def test_lower_is_that_of_jax():
    ours, theirs = both(steps.sgd, donate_argnums=0)
    arguments = (steps.parameters(), steps.batch())
    assert ours.lower(*arguments).as_text() == theirs.lower(*arguments).as_text()
