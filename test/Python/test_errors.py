"""Mistakes become exceptions that say what is wrong, and the process goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import hetero
import jax
import jax.numpy as jnp
import pytest
import jit_steps as steps

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def still_usable():
    """After each test the process can compile and run a step."""
    yield
    step = hetero.jit(steps.sgd, cluster=steps.cluster(2))
    expected = jax.jit(steps.sgd)(steps.parameters(), steps.batch())
    steps.assert_close(step(steps.parameters(), steps.batch()), expected)


def run(**keywords):
    return hetero.jit(steps.sgd, **keywords)(steps.parameters(), steps.batch())


def test_a_cluster_that_is_not_there():
    with pytest.raises(hetero.CompileError, match="nowhere.yaml"):
        hetero.jit(steps.sgd, cluster="nowhere.yaml")


def test_a_cluster_with_an_unknown_class(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text("nodes:\n  - name: box\n    devices: [2 x a1000]\n")
    with pytest.raises(hetero.CompileError, match=r"cluster.yaml:3:\d+: .*a1000"):
        hetero.jit(steps.sgd, cluster=file)


def test_a_cluster_of_the_wrong_type():
    with pytest.raises(TypeError, match="a cluster is a path"):
        hetero.jit(steps.sgd, cluster=3)


def test_a_cluster_that_is_too_small():
    small = steps.cluster(2)
    small["classes"]["fast"]["memory"] = small["classes"]["slow"]["memory"] = "100 B"
    with pytest.raises(hetero.CompileError, match="memory"):
        run(cluster=small)


def test_an_unknown_planner():
    with pytest.raises(hetero.CompileError, match="'wishful'.*stages"):
        run(cluster=steps.cluster(2), planner="wishful")


def test_an_unknown_schedule():
    with pytest.raises(hetero.CompileError, match="'later'"):
        run(cluster=steps.cluster(2), schedule="later")


def test_an_unknown_transport():
    with pytest.raises(hetero.CompileError, match="unknown transport 'pigeon'"):
        run(transport="pigeon")


def test_more_microbatches_than_samples():
    with pytest.raises(hetero.CompileError, match="microbatches"):
        run(cluster=steps.cluster(2), microbatches=8)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        run(microbatches=0)


def test_a_step_without_state():
    with pytest.raises(hetero.CompileError, match="state"):
        hetero.jit(lambda x: jnp.sum(x**2), cluster=steps.cluster(2))(jnp.ones(4))


def test_a_type_that_cannot_run():
    step = hetero.jit(lambda w, x: (w - x, jnp.sum((w * x).astype(jnp.float32))), donate_argnums=0)
    w = jnp.ones(4, jnp.float8_e4m3fn)
    with pytest.raises(hetero.CompileError, match="f8E4M3FN"):
        step(w, w + w)


def test_an_error_names_the_place_in_the_source():
    def calls_python(w, x):
        return w - jax.pure_callback(lambda y: y, x, x), jnp.sum(w * x)

    with pytest.raises(hetero.CompileError, match=r"test_errors.py:\d+:\d+: "):
        step = hetero.jit(calls_python, donate_argnums=0, cluster=steps.cluster(2))
        step(jnp.ones(4), jnp.ones(4))


INTERRUPTED = """
import os, signal, threading
import hetero, jax, numpy as np
from hetero import zoo

# A script in the background of a shell starts with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
step = zoo.get("gpt")
ours = hetero.jit(step.fn, cluster={cluster!r}, donate_argnums=step.donate_argnums,
                  cache_directory={cache!r})
phases = []

def interrupt(phase):
    if not phases:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    phases.append(phase)

ours._progress = interrupt
try:
    ours(*step.example_args())
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
metrics = ours(*step.example_args())[-1]
print("ran", np.asarray(metrics["loss"]).shape)
"""


def test_an_interrupted_compilation(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.format(cluster=steps.cluster(2), cache=str(tmp_path / "cache")))
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, env=environment()
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["interrupted", "ran ()"]


@pytest.mark.parametrize("first", ["jax", "hetero"])
def test_two_compilers_in_one_process(first):
    """jaxlib has an LLVM of its own; neither disturbs the other."""
    parts = {
        "jax": "import jax.numpy as jnp; print(float(jax.jit(jnp.sum)(jnp.arange(5.0))))",
        "hetero": "run = hetero.jit(lambda w, x: (w - x, jnp.sum(w * x)));"
        "print(float(run(jnp.ones(4), jnp.ones(4))[1]))",
    }
    order = [first, *(part for part in parts if part != first), first]
    lines = ["import hetero.core"] if first == "hetero" else ["import jax"]
    lines += ["import hetero, jax, jax.numpy as jnp", *(parts[part] for part in order)]
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent("\n".join(lines))],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )
    assert result.returncode == 0, result.stderr
    expected = {"jax": "10.0", "hetero": "4.0"}
    assert result.stdout.split() == [expected[part] for part in order]


def environment():
    """With the package of this process."""
    path = os.pathsep.join([str(ROOT / "python"), *sys.path])
    return {**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}


@pytest.fixture
def handled_signal():
    """Tests in the background of a shell start with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_between_steps(handled_signal):
    step = hetero.jit(steps.sgd)
    state, _ = step(steps.parameters(), steps.batch())
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        step(state, steps.batch())
    step(state, steps.batch())
