"""The model zoo: every step lowers, runs and learns, and says its roles."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from hetero import zoo

ROOT = Path(__file__).resolve().parents[2]
# Compiled by every run of the tests; the others with the marker `slow`.
QUICK = ("mlp", "gpt", "lstm")


@pytest.mark.parametrize("name", zoo.names())
def test_lowers_from_shapes(name: str) -> None:
    step = zoo.get(name, "test")
    lowered = step.lower()
    text = lowered.as_text()
    assert len(step.roles.arguments) == len(jax.tree.leaves(step.args))
    assert len(step.roles.results) == len(jax.tree.leaves(step.results))
    kept = step.kept_arguments(lowered)
    header = next(line for line in text.splitlines() if "@main" in line)
    assert header.count("%arg") == len(kept)
    # Every donated leaf is the first of a pair: its update has its type.
    donated = [leaf for i in step.donate_argnums for leaf in jax.tree.leaves(step.args[i])]
    assert header.count("tf.aliasing_output") == len(donated)


@pytest.mark.parametrize("name", zoo.names())
def test_roles_fit_the_arguments(name: str) -> None:
    step = zoo.get(name, "test")
    by_role: dict[str, list] = {}
    for role, leaf in zip(step.roles.arguments, jax.tree.leaves(step.args)):
        by_role.setdefault(role, []).append(leaf)
    assert all(jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating) for leaf in by_role["parameter"])
    assert len(by_role.get("rng", [])) <= 1
    assert by_role["batch"]
    assert step.roles.results.count("loss") == 1
    donated = sum(len(jax.tree.leaves(step.args[i])) for i in step.donate_argnums)
    assert step.roles.results.count("updated_state") == donated


def _losses(name: str, steps: int) -> list[float]:
    step = zoo.get(name, "test")
    args = step.example_args(seed=0)
    state = len(step.donate_argnums)
    run = step.jitted
    losses = []
    for _ in range(steps):
        results = run(*args)
        leaves = jax.tree.leaves(results)
        losses.append(float(leaves[step.roles.results.index("loss")]))
        args = (*results[:state], *args[state:])
    return losses


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in zoo.names()]
)
def test_runs_and_learns(name: str) -> None:
    losses = _losses(name, 8)
    assert all(math.isfinite(loss) for loss in losses)
    assert min(losses[-3:]) < losses[0]


def test_example_arguments_are_reproducible() -> None:
    step = zoo.get("mlp", "test")
    first, second, other = step.example_args(1), step.example_args(1), step.example_args(2)
    same = jax.tree.map(lambda a, b: bool((a == b).all()), first, second)
    assert all(jax.tree.leaves(same))
    assert not bool((first[2][0] == other[2][0]).all())


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.names())
def test_paper_size_lowers_without_weights(name: str) -> None:
    step = zoo.get(name, "paper")
    assert "@main" in step.lower().as_text()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("gpt", 1.3e9), ("bert", 3.4e8), ("vit", 3.0e8), ("resnet", 2.56e7), ("vgg19", 1.44e8)],
)
def test_paper_size_is_that_of_the_paper(name: str, parameters: float) -> None:
    step = zoo.get(name, "paper")
    leaves = zip(step.roles.arguments, jax.tree.leaves(step.args))
    count = sum(leaf.size for role, leaf in leaves if role == "parameter")
    assert count == pytest.approx(parameters, rel=0.03)


def test_layers_of_a_gpt_can_be_chosen() -> None:
    text = zoo.get("gpt", "bench", layers=3, width=64, heads=4).lower().as_text()
    assert "block_2" in text and "block_3" not in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zoo.get("gtp"), "no model 'gtp'; the models are bert, gpt"),
        (lambda: zoo.get("mlp", "bench"), "model 'mlp' has no size 'bench'; its sizes are test, paper"),
        (lambda: zoo.get("mlp", layers=2), "model 'mlp' has no layers to change"),
    ],
)
def test_errors_say_what_there_is(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "hetero.zoo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_command_lists_models() -> None:
    run = _command("--list")
    assert run.returncode == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == zoo.names()


def test_command_writes_every_form(tmp_path: Path) -> None:
    run = _command("--model", "mlp", "--out", str(tmp_path), "--debug-info", "--bytecode", "--artifact")
    assert run.returncode == 0, run.stderr
    assert "mlp.test: lowering the step" in run.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["mlp.test.debug.mlir", "mlp.test.jax_export", "mlp.test.mlir", "mlp.test.mlirbc"]
    assert "#loc" in (tmp_path / "mlp.test.debug.mlir").read_text()
    assert (tmp_path / "mlp.test.mlirbc").read_bytes().startswith(b"ML\xefR")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "error: name a model with --model, or see --list"),
        (("--model", "gtp"), 1, "error: no model 'gtp'"),
        (("--model", "mlp", "--layers", "3"), 1, "error: model 'mlp' has no layers to change"),
        (("--model", "mlp", "--out", "/dev/null/x"), 1, "error: "),
    ],
)
def test_command_errors(arguments: tuple[str, ...], code: int, message: str) -> None:
    run = _command(*arguments)
    assert run.returncode == code
    assert run.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in run.stderr
