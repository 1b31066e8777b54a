"""What test_jit_cuda.py runs, each scenario in a process of its own: the stand-in
reads its settings once, and ends the process at a mistake.

    python jit_scenarios.py <scenario>

A scenario compares `hetero.jit(..., device="cuda")` with `jax.jit`, and prints what
the test looks for.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Python"))

import hetero  # noqa: E402
import jax  # noqa: E402
import jit_steps as steps  # noqa: E402
import numpy as np  # noqa: E402
from hetero import zoo  # noqa: E402

# The stand-in runs PTX.
cuda_jit = functools.partial(hetero.jit, device="cuda", cuda_format="ptx")


def train(step: Any, count: int = 4) -> tuple[Any, list[float]]:
    """The state after some steps, which must be that of JAX, and the losses."""
    reference = jax.jit(steps.sgd)
    state, expected = steps.parameters(), steps.parameters()
    losses = []
    for seed in range(count):
        state, loss = step(state, steps.batch(seed=seed))
        expected, expected_loss = reference(expected, steps.batch(seed=seed))
        steps.assert_close(loss, expected_loss)
        losses.append(float(loss))
    steps.assert_close(state, expected)
    return state, losses


def one_device() -> None:
    """State stays on the device; repeated steps are graphs."""
    step = cuda_jit(steps.sgd, donate_argnums=0)
    given = steps.parameters()
    state, loss = step(given, steps.batch())
    assert given["bias"].is_deleted()
    program = step.program(state, steps.batch())
    assert len(program._find_arguments_to_set(jax.tree.leaves((state, steps.batch())))) == 2
    assert loss.block_until_ready() is loss
    assert program.peak_bytes > 0
    train(step, 8)


def plans() -> None:
    """Devices of three architectures; each rank is one."""
    for ranks in (2, 3):
        step = cuda_jit(steps.sgd, cluster=steps.cluster(ranks), planner="stages", donate_argnums=0)
        train(step)
        assert step.program(steps.parameters(), steps.batch()).num_ranks == ranks


def results() -> None:
    """Those that are kept survive later steps, and states that return run again."""
    step, reference = cuda_jit(steps.sgd), jax.jit(steps.sgd)
    first, _ = step(steps.parameters(), steps.batch())
    second, _ = step(first, steps.batch())
    third, _ = step(first, steps.batch())
    expected, _ = reference(steps.parameters(), steps.batch())
    steps.assert_close(first, expected)
    steps.assert_close(second, reference(expected, steps.batch())[0])
    steps.assert_close(third, second, 0)
    # Another size of batch is another program, which takes the state over.
    again, _ = step(third, steps.batch(5))
    steps.assert_close(again, reference(reference(expected, steps.batch())[0], steps.batch(5))[0])
    assert isinstance(np.asarray(first["bias"]), np.ndarray)
    assert len(step._executables) == 2


def options() -> None:
    """They change where memory comes from and how work is entered, not a bit."""
    kinds = [{}, {"cuda_graphs": False}, {"cuda_memory": "pool"}]
    states = [train(cuda_jit(steps.sgd, donate_argnums=0, **kind), 6)[0] for kind in kinds]
    for state in states[1:]:
        steps.assert_close(state, states[0], 0)


def model() -> None:
    """A step of the zoo on a cluster, optimizer and random keys included."""
    step = zoo.get(os.environ["HETERO_TEST_MODEL"], "test")
    ranks = int(os.environ["HETERO_TEST_RANKS"])
    ours = cuda_jit(
        step.fn, cluster=steps.cluster(ranks), planner="stages", donate_argnums=step.donate_argnums
    )
    theirs = jax.jit(step.fn)
    args, expected = step.warm_args(seed=1), step.warm_args(seed=1)
    for _ in range(4):
        results, right = ours(*args), theirs(*expected)
        # State that is given back stays where it is.
        args, expected = step.feed_back(args, results), step.feed_back(expected, right)
    steps.assert_close(results, right, 1e-4)


def mpi() -> None:
    """A rank of several; standard output of several processes may be mixed."""
    ranks = int(os.environ["OMPI_COMM_WORLD_SIZE"])
    step = cuda_jit(steps.sgd, cluster=steps.cluster(ranks), planner="stages", donate_argnums=0)
    state, _ = train(step)
    assert step.program(state, steps.batch()).num_ranks == ranks


def refused() -> None:
    """The step cannot be compiled; says why."""
    try:
        cuda_jit(steps.sgd, cluster=steps.cluster(2), planner="stages")(steps.parameters(), steps.batch())
    except hetero.CompileError as error:
        print(error)


def cubins() -> None:
    """ptxas cannot be used; says which."""
    try:
        hetero.jit(steps.sgd, device="cuda")(steps.parameters(), steps.batch())
    except hetero.CompileError as error:
        print(error)


def fails() -> None:
    """A step fails once; the next call begins anew."""
    step = cuda_jit(steps.sgd)
    try:
        for seed in range(8):
            float(step(steps.parameters(), steps.batch(seed=seed))[1])
    except hetero.ExecutionError as error:
        print(error)
        train(step)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
