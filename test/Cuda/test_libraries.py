"""Fourier transforms and factorizations on CUDA devices that are not there: cuFFT,
cuSOLVER and cuBLAS of the stand-in give what JAX computes on the CPU.
HETERO_STANDIN_SEEDS=20 tries that many orders instead of the sample.

The cases are those of the CPU's tests. A family is one step, whose results are
the new values of its state, so that hetero-run takes it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Sequence

import pytest

TEST = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(TEST / folder) for folder in ("Conversion", "Conversion/StablehloToLinalg", "Run")
]

import cases  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.scipy as jsp  # noqa: E402
import numpy as np  # noqa: E402
import op_cases  # noqa: E402
import plans  # noqa: E402
import standin  # noqa: E402
import steps  # noqa: E402
from kernel import run_all, tool  # noqa: E402

SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "2"))
pytestmark = [standin.needs_standin, pytest.mark.usefixtures("libraries")]


@pytest.fixture(autouse=True)
def devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETERO_STANDIN", "devices=sm_80:1GiB")


def _run(text: str, arguments: Sequence[np.ndarray], directory: Path, *flags: str) -> Any:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "step.mlir").write_text(text)
    np.savez(directory / "in.npz", *arguments)
    command = [
        tool("hetero-run"), "step.mlir", "--args=in.npz", "--out=out.npz", "--opt-level=0",
        "--device=cuda", "--cuda-format=ptx", *flags,
    ]  # fmt: skip
    return subprocess.run(
        [str(word) for word in command], cwd=directory, capture_output=True, text=True, timeout=600
    )


def _results(directory: Path) -> list[np.ndarray]:
    with np.load(directory / "out.npz") as found:
        return [found[name] for name in found.files]


def _step(function: Callable[..., Any], old: Sequence[np.ndarray], arguments: Sequence[np.ndarray]) -> str:
    """A step that replaces its state by what the function gives."""

    def step(state: list[Any], *rest: Any) -> Any:
        loss = sum(jnp.sum(jnp.abs(value)).astype(jnp.float32) for value in state)
        return loss, jax.tree.leaves(function(*rest))

    jitted = jax.jit(step, donate_argnums=(0,), keep_unused=True)
    return jitted.lower(list(old), *arguments).as_text()


def _check(
    group: list[cases.Case], directory: Path, monkeypatch: pytest.MonkeyPatch, steps: int = 3
) -> None:
    """All cases as one step, over orders of what CUDA leaves open."""
    expected = cases.reference(group)
    function, arguments = cases._merge(group)
    with jax.enable_x64(True):
        old = [np.zeros_like(value) for value in expected.results]
        text = _step(function, old, arguments)
    roles = [f"--role=result{i + 1}=updated_state:{i}" for i in range(len(old))]
    for seed in range(SEEDS):
        order = ("random", "lazy", "eager")[seed % 3]
        monkeypatch.setenv("HETERO_STANDIN", f"devices=sm_80:1GiB;seed={seed};order={order}")
        kept = f"--cache={directory / 'objects'}"
        done = _run(text, [*old, *arguments], directory / str(seed), *roles, kept, f"--steps={steps}")
        assert done.returncode == 0, f"seed {seed}, {order}: {done.stderr[-3000:]}"
        found = expected.parts(_results(directory / str(seed))[1:])
        wrong = {
            case.name: message
            for case, part, right in zip(
                group, found, expected.parts(expected.results), strict=True
            )
            if (message := cases.outcome(case, part, right))
        }
        assert not wrong, f"seed {seed}, {order}: {wrong}"


def _family(name: str, dtype: str) -> list[cases.Case]:
    with jax.enable_x64(True):
        return [case for case in op_cases.FAMILIES[name]() if case.name.endswith(f"-{dtype}")]


@pytest.mark.parametrize(
    ("family", "dtype"),
    [
        pytest.param(family, dtype, marks=[] if (family, dtype) in sample else pytest.mark.slow)
        for sample in [{("fft", "complex64"), ("linear_algebra", "float32")}]
        for family in ("fft", "linear_algebra")
        for dtype in ("float32", "float64", "complex64", "complex128")
    ],
)
def test_functions(
    family: str, dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _check(_family(family, dtype), tmp_path, monkeypatch)


def _operation(body: str, *types: str) -> str:
    """A function of operands %0, %1, ... of some types; the last is its result's."""
    operands = ", ".join(f"%{i}: tensor<{type}>" for i, type in enumerate(types[:-1]))
    return (
        f"func.func @main({operands}) -> tensor<{types[-1]}> {{\n"
        f"  %result = {body}\n  return %result : tensor<{types[-1]}>\n}}\n"
    )


def _reflected(left: bool, transposed: bool, type: str) -> str:
    letter = "c" if type.startswith("complex") else "s"
    name = f"lapack_{letter}{'unmqr' if letter == 'c' else 'ormqr'}_ffi"
    shape = "2x5x3" if left else "2x3x5"
    types = [f"2x5x4x{type}", f"2x4x{type}", f"{shape}x{type}"]
    return _operation(
        f"stablehlo.custom_call @{name}(%0, %1, %2) {{mhlo.backend_config = "
        f"{{left = {str(left).lower()}, transpose = {str(transposed).lower()}}}}} : "
        f"({', '.join(f'tensor<{t}>' for t in types)}) -> tensor<{types[-1]}>",
        *types,
        types[-1],
    )


# What JAX's functions above do not ask for.
OPERATIONS = {
    f"{name}-{left}-{flag}-{type}": make(left, flag, type)
    for type in ("f32", "complex<f32>")
    for left in (False, True)
    for flag in (False, True)
    for name, make in {
        "ormqr": _reflected,
        "cholesky": lambda left, flag, type: _operation(
            f"stablehlo.cholesky %0, lower = {str(left).lower()} : tensor<3x4x4x{type}>",
            f"3x4x4x{type}",
            f"3x4x4x{type}",
        ),
    }.items()
}


def _arguments(text: str) -> list[np.ndarray]:
    types = re.findall(r"%\d: tensor<([\dx]+)x(f32|complex<f32>)>", text)
    dtypes = {"f32": np.float32, "complex<f32>": np.complex64}
    made = [
        op_cases.array(tuple(map(int, shape.split("x"))), dtypes[dtype], seed=7)
        for shape, dtype in types
    ]
    if "cholesky" in text:
        # One of the three has no factor.
        made[0] = made[0] @ np.swapaxes(made[0], -1, -2).conj()
        made[0] *= np.array([1, -1, 1], made[0].dtype)[:, None, None]
    return made


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, tmp_path: Path) -> None:
    """Single operations, compared with the CPU's code for them."""
    text = OPERATIONS[name]
    arguments = _arguments(text)
    (expected,) = run_all([text], [arguments], tmp_path)
    (right,) = expected
    # The result is the new value of a state that nothing else uses.
    shape = re.search(r"-> (tensor<[^\n]*>) \{", text)[1]
    step = (
        text.replace("@main(", f"@main(%old: {shape}, ", 1)
        .replace(f"-> {shape} {{", f"-> (tensor<f32>, {shape}) {{", 1)
        .replace("return %result : ", "%loss = stablehlo.constant dense<0.0> : tensor<f32>\n"
                 "  return %loss, %result : tensor<f32>, ")
    )  # fmt: skip
    flags = ["--role=result1=updated_state:0"]
    done = _run(step, [np.zeros_like(right), *arguments], tmp_path, *flags)
    assert done.returncode == 0, done.stderr[-3000:]
    message = cases.error(_results(tmp_path)[1], right, cases.Case(name, print, arguments, True))
    assert not message, message


def _solve(a: jax.Array) -> jax.Array:
    return jsp.linalg.solve_triangular(a, a, trans="T")


@pytest.mark.parametrize(
    ("function", "is_graph"),
    [
        (lambda a: jnp.fft.irfft2(jnp.fft.rfft2(a)), True),
        (_solve, True),
        (jnp.linalg.cholesky, False),
        (jsp.linalg.hessenberg, False),
    ],
    ids=["fft", "triangular_solve", "cholesky", "hessenberg"],
)
def test_graphs(
    function: Callable[..., Any], is_graph: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps that repeat become graphs, unless they call cuSOLVER, which the stand-in
    does not let anybody capture, or the host. All of them allocate once."""
    counts = tmp_path / "counts"
    monkeypatch.setenv("HETERO_STANDIN", f"devices=sm_80:1GiB;counts={counts}")
    operand = op_cases._definite(4, np.float32)
    right = np.asarray(function(operand))
    role = "--role=result1=updated_state:0"
    text = _step(function, [right], [operand])
    done = _run(text, [np.zeros_like(right), operand], tmp_path, role, "--steps=12")
    assert done.returncode == 0, done.stderr[-3000:]
    message = cases.error(_results(tmp_path)[1], right, cases.Case("", print, [], True))
    assert not message, message
    calls = dict(line.split() for line in counts.read_text().splitlines() if line[0] != "[")
    assert int(calls.get("cuGraphLaunch", 0)) > 5 if is_graph else "cuGraphLaunch" not in calls
    assert calls["cuMemAlloc"] == "1"


def _training(w: jax.Array, v: jax.Array, k: jax.Array, x: jax.Array, y: jax.Array) -> Any:
    """A step with waves in its model and a factor in its loss."""

    def loss(w: jax.Array, v: jax.Array, k: jax.Array) -> jax.Array:
        waves = jnp.fft.irfft(jnp.fft.rfft(x) * w, n=8)
        factor = jnp.linalg.cholesky(k @ k.T + 4 * jnp.eye(8))
        z = jsp.linalg.solve_triangular(factor, jnp.tanh(waves @ v).T, lower=True).T
        return jnp.mean((z - y) ** 2) + jnp.log(jnp.diag(factor)).sum()

    value, grads = jax.value_and_grad(loss, (0, 1, 2))(w, v, k)
    return value, *[old - 0.1 * new for old, new in zip((w, v, k), grads, strict=True)]


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[] if k == "mixed" else pytest.mark.slow) for k in plans.KINDS],
)
def test_plans(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between devices of several architectures, as parts of plans."""
    shapes = [(5,), (8, 8), (8, 8), (10, 8), (10, 8)]
    arguments = [op_cases.array(shape, seed=i) for i, shape in enumerate(shapes)]
    steps.save(tmp_path / "expected.npz", [np.asarray(v) for v in jax.jit(_training)(*arguments)])
    text = jax.jit(_training, donate_argnums=(0, 1, 2)).lower(*arguments).as_text()
    layered = plans.read(steps.form_layers(text, 3))
    planned = plans.apply(layered, plans.random_plan(layered, 1, kind))
    devices = ",".join(f"{chip}:1GiB" for chip in ("sm_80", "sm_75", "sm_70", "sm_90", "sm_86"))
    monkeypatch.setenv("HETERO_STANDIN", f"devices={devices};seed=1")
    done = _run(planned, arguments, tmp_path, "--compare=expected.npz")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


def _everything(a: jax.Array) -> jax.Array:
    """Calls each library, and each routine of the stand-in that f32 has but two."""
    factor = jnp.linalg.cholesky(a)
    _, singular, _ = jnp.linalg.svd(a[:, :2], full_matrices=False)
    q, r = jnp.linalg.qr(a)
    waves = jnp.fft.irfft(jnp.fft.rfft(_solve(factor)))
    return waves + singular.sum() + q @ r + jnp.linalg.eigh(a)[0] + jnp.linalg.det(a)


@pytest.mark.slow
def test_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call of the libraries fails once: first and last of each function."""
    counts = tmp_path / "counts"
    operand = op_cases._definite(4, np.float32)
    text = _step(_everything, [operand], [operand])
    flags = ["--role=result1=updated_state:0", f"--cache={tmp_path / 'objects'}"]

    def run(more: str) -> Any:
        monkeypatch.setenv("HETERO_STANDIN", f"devices=sm_80:1GiB{more}")
        return _run(text, [operand, operand], tmp_path, *flags)

    done = run(f";counts={counts}")
    assert done.returncode == 0, done.stderr[-3000:]
    calls = dict(line.split() for line in counts.read_text().splitlines() if line[0] != "[")
    names = [
        name
        for name in calls
        if name.startswith(("cufft", "cusolver", "cublasS")) and not name.endswith("Destroy")
    ]
    assert len(names) > 20
    for name in names:
        for number in {1, int(calls[name])}:
            done = run(f";fail={name}@{number}")
            assert done.returncode == 1, f"{name}@{number}"
            assert re.search(rf"error: rank 0: .*'step'.*: {name} failed: CU", done.stderr), (
                f"{name}@{number}: {done.stderr[-3000:]}"
            )


@pytest.mark.parametrize(
    ("library", "function"), [("cuFFT", jnp.fft.rfft), ("cuSOLVER", jnp.linalg.cholesky)]
)
def test_libraries_are_loaded_when_they_are_needed(
    library: str, function: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says which one; others do not matter."""
    for name in ("CUFFT", "CUSOLVER"):
        monkeypatch.setenv(f"HETERO_{name}_LIBRARY", "/nowhere/lib.so")
    operand = np.eye(4, dtype=np.float32)
    old = [np.asarray(function(operand))]
    role = "--role=result1=updated_state:0"
    done = _run(_step(function, old, [operand]), [*old, operand], tmp_path / "with", role)
    assert done.returncode == 1
    sentence = f"needs a library that is not there: {library} '/nowhere/lib.so' cannot be loaded"
    assert sentence in done.stderr
    old = [operand]
    done = _run(_step(jnp.sin, old, [operand]), [*old, operand], tmp_path / "without", role)
    assert done.returncode == 0, done.stderr[-3000:]
