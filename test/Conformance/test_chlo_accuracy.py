"""Accuracy of what hetero-expand-chlo makes of each chlo op.

Programs of one op are expanded by hetero-opt and run by StableHLO's reference interpreter, which rounds every
operation correctly and keeps denormal numbers, so that all error is the expansion's own. f32, and the smaller types
that are computed in f32, are compared with scipy in float64; f64 with Inputs/chlo_reference.json, made in 60-digit
arithmetic. Bounds are units in the last place of the result's type; f16 and bf16 may only differ by how they round.
What is not a matter of rounding (integers, compositions) is run by XLA on the CPU.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import ml_dtypes
import numpy as np
import pytest
import scipy.special
from jax._src import compiler
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from oracle import find_hetero_opt

SEED = 20240229
SAMPLES = 400
SEPARATOR = "// -----"
DTYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128, "i1": np.bool_,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
}  # fmt: skip
REAL = ("f64", "f32", "bf16", "f16")
REFERENCE = json.loads((Path(__file__).parent / "Inputs" / "chlo_reference.json").read_text())


@pytest.fixture(autouse=True)
def wide_types() -> Iterator[None]:
    """64-bit types for these tests, and for no others of the process."""
    with jax.enable_x64(True):
        yield


# ---------------------------------------------------------------------------------------------------------------
# Programs


def tensor(values: np.ndarray) -> str:
    element = next(name for name, dtype in DTYPES.items() if values.dtype == dtype)
    return "tensor<" + "".join(f"{size}x" for size in values.shape) + element + ">"


def program(line: str, arguments: Sequence[np.ndarray], results: Sequence[str]) -> str:
    """A module whose function returns all results of `line`, written with %0, %1, .. for the arguments."""
    parameters = ", ".join(f"%{i}: {tensor(value)}" for i, value in enumerate(arguments))
    names = ", ".join(f"%r#{i}" for i in range(len(results)))
    return (
        f"func.func public @main({parameters}) -> ({', '.join(results)}) {{\n"
        f"  %r:{len(results)} = {line}\n  return {names} : {', '.join(results)}\n}}\n"
    )


def elementwise(op: str, arguments: Sequence[np.ndarray], result: str | None = None) -> str:
    result = result or tensor(arguments[0])
    names = ", ".join(f"%{i}" for i in range(len(arguments)))
    types = ", ".join(tensor(value) for value in arguments)
    return program(f"chlo.{op} {names} : {types} -> {result}", arguments, [result])


def expand(programs: Sequence[str]) -> list[str]:
    """All programs in one run of the tool."""
    run = subprocess.run(
        [find_hetero_opt(), "--hetero-expand-chlo", "--split-input-file", f"--output-split-marker={SEPARATOR}"],
        input=f"{SEPARATOR}\n".join(programs), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "chlo." not in run.stdout
    return run.stdout.split(SEPARATOR)


def run_xla(text: str, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    backend = jax.devices("cpu")[0].client
    with jax_mlir.make_ir_context():
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        devices = jax._src.lib.xla_client.DeviceList(tuple(backend.devices()[:1]))
        executable = backend.compile_and_load(ir.Module.parse(text), devices, options)
    buffers = [jax.device_put(value) for value in arguments]
    results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [np.asarray(result[0]) for result in results]


def run_interpreter(text: str, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Passes bf16 as bits and complex numbers as pairs, because nothing else gets through Python's buffers."""
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        kinds = [str(kind) for kind in module.body.operations[0].type.results]
    wrapper = Wrapper(kinds, arguments)
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(wrapper.text(text))
        values = [ir.DenseElementsAttr.get(value) for value in wrapper.inputs]
        results = [np.array(result) for result in stablehlo.eval_module(module, values)]
    return wrapper.unpack(results)


class Wrapper:
    """Calls a program from one whose arguments and results are numbers that both sides know."""

    def __init__(self, results: Sequence[str], arguments: Sequence[np.ndarray]) -> None:
        self.inputs: list[np.ndarray] = []
        self.lines: list[str] = []
        self.results = results
        names = []
        for i, value in enumerate(arguments):
            names.append(self._pack(i, value))
        types = ", ".join(tensor(value) for value in arguments)
        count = f":{len(results)}" if len(results) > 1 else ""
        self.lines.append(f"%r{count} = call @inner({', '.join(names)}) : ({types}) -> ({', '.join(results)})")
        self.returned: list[tuple[str, str]] = []
        for i, kind in enumerate(results):
            self._unpack(f"%r#{i}" if count else "%r", i, kind)

    def _add(self, value: np.ndarray) -> str:
        self.inputs.append(np.ascontiguousarray(value))
        return f"%a{len(self.inputs) - 1}"

    def _pack(self, i: int, value: np.ndarray) -> str:
        if value.dtype == ml_dtypes.bfloat16:
            bits = self._add(value.view(np.int16))
            self.lines.append(f"%x{i} = stablehlo.bitcast_convert {bits} : ({tensor(self.inputs[-1])}) -> {tensor(value)}")
        elif np.iscomplexobj(value):
            parts = self._add(value.real), self._add(value.imag)
            self.lines.append(f"%x{i} = stablehlo.complex {parts[0]}, {parts[1]} : {tensor(value)}")
        else:
            return self._add(value)
        return f"%x{i}"

    def _unpack(self, name: str, i: int, kind: str) -> None:
        if "bf16" in kind:
            bits = kind.replace("bf16", "i16")
            self.lines.append(f"%y{i} = stablehlo.bitcast_convert {name} : ({kind}) -> {bits}")
            self.returned.append((f"%y{i}", bits))
        elif "complex" in kind:
            part = kind.replace("complex<", "").replace(">>", ">")
            for half in ("real", "imag"):
                self.lines.append(f"%{half}{i} = stablehlo.{half} {name} : ({kind}) -> {part}")
                self.returned.append((f"%{half}{i}", part))
        else:
            self.returned.append((name, kind))

    def text(self, inner: str) -> str:
        body = "\n  ".join(self.lines)
        parameters = ", ".join(f"%a{i}: {tensor(value)}" for i, value in enumerate(self.inputs))
        names = ", ".join(name for name, _ in self.returned)
        types = ", ".join(kind for _, kind in self.returned)
        inner = inner.replace("func.func public @main", "func.func private @inner").strip()
        inner = inner.removeprefix("module {").removesuffix("}")
        main = f"func.func public @main({parameters}) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}"
        return f"module {{\n{main}\n{inner}\n}}"

    def unpack(self, values: list[np.ndarray]) -> list[np.ndarray]:
        results = []
        for kind in self.results:
            value = values.pop(0)
            if "bf16" in kind:
                value = value.astype(np.int16).view(ml_dtypes.bfloat16)
            elif "complex" in kind:
                # A sum would lose signs of zeros and make NaN of infinities.
                parts = np.stack([value, values.pop(0)], axis=-1)
                value = np.ascontiguousarray(parts).view(np.result_type(parts, np.complex64))[..., 0]
            results.append(value)
        return results


# ---------------------------------------------------------------------------------------------------------------
# Comparison


def ulps(got: np.ndarray, want: np.ndarray, rest: np.ndarray | float = 0.0) -> np.ndarray:
    """The distance of each number from want + rest, in units of the last place of that.

    At most half a unit where it is the nearest number of the type, infinity where only one is infinite or NaN.
    """
    info = ml_dtypes.finfo(got.dtype)
    with np.errstate(all="ignore"):
        nearest = want.astype(got.dtype).astype(np.float64)
        got = got.astype(np.float64)
        exponent = np.floor(np.log2(np.maximum(np.abs(want), float(info.tiny))))
        distance = np.abs((got - want) - rest) / np.exp2(exponent - info.nmant)
        same = (got == nearest) | (np.isnan(got) & np.isnan(nearest))
        return np.where(same, np.minimum(np.nan_to_num(distance), 0.5), np.nan_to_num(distance, nan=np.inf))


def assert_close(
    got: np.ndarray, want: np.ndarray, bound: float, arguments: Sequence[np.ndarray], rest: np.ndarray | float = 0.0
) -> None:
    error = ulps(got, want, rest)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (
        f"{error[worst]:.3g} ulps at {[value[worst] for value in arguments]}: {got[worst]}, expected {want[worst]}"
    )


def same_bits(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Equal including the sign of zeros; any NaN equals any other."""
    return (np.isnan(got) & np.isnan(want)) | ((got == want) & (np.signbit(got) == np.signbit(want)))


# ---------------------------------------------------------------------------------------------------------------
# Real functions of one operand


def uniform(low: float, high: float) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: rng.uniform(low, high, SAMPLES)


def spread(low: float, high: float, signed: bool = True) -> Callable[[np.random.Generator], np.ndarray]:
    """Evenly many in each order of magnitude."""

    def sample(rng: np.random.Generator) -> np.ndarray:
        magnitude = np.exp(rng.uniform(np.log(low), np.log(high), SAMPLES))
        return magnitude * rng.choice([-1.0, 1.0], SAMPLES) if signed else magnitude

    return sample


@dataclass(frozen=True)
class Function:
    """An op, what it computes, where, and how many units f32 and f64 results may be off."""

    op: str
    reference: Callable[[np.ndarray], np.ndarray]
    ranges: Sequence[Callable[[np.random.Generator], np.ndarray]]
    f32: float
    f64: float


FUNCTIONS = [
    Function("acos", np.arccos, [uniform(-1, 1), spread(1e-30, 1)], 3, 3),
    Function("acosh", np.arccosh, [uniform(1, 4), spread(1, 1e38, signed=False)], 3, 3),
    Function("asin", np.arcsin, [uniform(-1, 1), spread(1e-30, 1)], 3, 3),
    Function("asinh", np.arcsinh, [uniform(-4, 4), spread(1e-30, 1e38)], 3, 3),
    Function("atan", np.arctan, [uniform(-4, 4), spread(1e-30, 1e38)], 1, 1),
    Function("atanh", np.arctanh, [uniform(-1, 1), spread(1e-30, 1)], 3, 3),
    Function("bessel_i1e", scipy.special.i1e, [uniform(-20, 20), spread(1e-30, 1e30)], 6, 6),
    Function("cosh", np.cosh, [uniform(-4, 4), uniform(-89, 89)], 3, 3),
    Function("digamma", scipy.special.digamma, [uniform(1e-3, 12), spread(1e-30, 1e30, signed=False)], 6, 6),
    Function("erf", scipy.special.erf, [uniform(-5, 5), spread(1e-30, 10)], 6, 3),
    Function("erf_inv", scipy.special.erfinv, [uniform(-1, 1), spread(1e-30, 1)], 6, 6),
    Function("erfc", scipy.special.erfc, [uniform(-5, 9), uniform(-1, 1)], 6, 6),
    Function("lgamma", scipy.special.gammaln, [uniform(1e-3, 12), spread(1e-30, 1e30, signed=False)], 6, 6),
    Function("sinh", np.sinh, [uniform(-4, 4), uniform(-89, 89), spread(1e-30, 1)], 3, 3),
    Function("square", np.square, [spread(1e-18, 1e18)], 1, 1),
    Function("tan", np.tan, [uniform(-10, 10)], 1, 1),
]


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16"])
def test_real_functions(dtype: str, subtests: pytest.Subtests) -> None:
    inputs = []
    for function in FUNCTIONS:
        rng = np.random.default_rng(SEED)
        with np.errstate(over="ignore"):
            x = np.concatenate([part(rng) for part in function.ranges]).astype(DTYPES[dtype])
        inputs.append(x[np.isfinite(x) & (x != 0)])
    texts = expand([elementwise(function.op, [x]) for function, x in zip(FUNCTIONS, inputs, strict=True)])
    for function, x, text in zip(FUNCTIONS, inputs, texts, strict=True):
        with subtests.test(function.op), np.errstate(all="ignore"):
            want = function.reference(x.astype(np.float64))
            bound = function.f32 if dtype == "f32" else 1
            assert_close(run_interpreter(text, [x])[0], want, bound, [x])


def test_real_functions_in_f64(subtests: pytest.Subtests) -> None:
    functions = [function for function in FUNCTIONS if function.op in REFERENCE]
    rows = [np.array(REFERENCE[function.op]).T.copy() for function in functions]
    texts = expand([elementwise(function.op, [x]) for function, (x, _, _) in zip(functions, rows, strict=True)])
    for function, (x, want, rest), text in zip(functions, rows, texts, strict=True):
        with subtests.test(function.op):
            (got,) = run_interpreter(text, [x])
            if function.op in ("lgamma", "digamma"):
                # Where they cross zero on the negative side, their error is measured against 1.
                negative = x < 0
                error = np.abs((got - want) - rest)[negative] / np.maximum(1, np.abs(want[negative]))
                assert error.max() <= 8 * np.finfo(np.float64).eps
                x, got, want, rest = x[~negative], got[~negative], want[~negative], rest[~negative]
            assert_close(got, want, function.f64, [x], rest)


@pytest.mark.parametrize(
    ("op", "reference"), [("lgamma", scipy.special.gammaln), ("digamma", scipy.special.digamma)], ids=["lgamma", "digamma"]
)
def test_negative_arguments(op: str, reference: Callable[[np.ndarray], np.ndarray]) -> None:
    """Between the poles the functions cross zero: the error is measured against 1."""
    rng = np.random.default_rng(SEED)
    x = np.concatenate([rng.uniform(-12, 0, SAMPLES), rng.uniform(-150, 0, SAMPLES)]).astype(np.float32)
    x = x[np.abs(x - np.round(x)) > 1e-3]
    want = reference(x.astype(np.float64))
    (got,) = run_interpreter(expand([elementwise(op, [x])])[0], [x])
    error = np.abs(got - want) / np.maximum(1, np.abs(want))
    assert error.max() <= 8 * np.finfo(np.float32).eps, x[error.argmax()]


# ---------------------------------------------------------------------------------------------------------------
# Special values: infinities, zeros, poles, borders, denormal numbers; the same in f32 and f64

INF, NAN = np.inf, np.nan
LEAST = "the smallest denormal number"
SPECIAL: dict[str, list[tuple]] = {
    "acos": [(1.0, 0.0), (-1.0, np.pi), (0.0, np.pi / 2), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.5, NAN), (-3.0, NAN), (-INF, NAN), (NAN, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, np.pi / 2), (-1.0, -np.pi / 2), (2.0, NAN), (INF, NAN), (NAN, NAN), (LEAST, LEAST)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (LEAST, LEAST)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, np.pi / 2), (-INF, -np.pi / 2), (NAN, NAN), (LEAST, LEAST)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (NAN, NAN), (LEAST, LEAST)],
    "bessel_i1e": [(0.0, 0.0), (-0.0, -0.0), (INF, 0.0), (-INF, -0.0), (NAN, NAN)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (LEAST, 1.0)],
    "digamma": [(0.0, NAN), (-0.0, NAN), (-1.0, NAN), (-7.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (30.0, 1.0), (-30.0, -1.0), (LEAST, LEAST)],
    "erf_inv": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN), (LEAST, LEAST)],
    "erfc": [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (NAN, NAN), (30.0, 0.0), (-30.0, 2.0)],
    "lgamma": [(0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-1.0, INF), (-8.0, INF), (INF, INF), (-INF, INF), (NAN, NAN), (-1e30, INF)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (LEAST, LEAST)],
    "square": [(-0.0, 0.0), (-INF, INF), (NAN, NAN), (-3.0, 9.0)],
}  # fmt: skip
PREDICATES = {"is_inf": [False, True, True, False], "is_neg_inf": [False, False, True, False], "is_pos_inf": [False, True, False, False]}


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_special_values(dtype: str, subtests: pytest.Subtests) -> None:
    least = np.finfo(DTYPES[dtype]).smallest_subnormal

    def numbers(values: Sequence[object]) -> np.ndarray:
        return np.array([least if value is LEAST else value for value in values], DTYPES[dtype])

    inputs = {op: numbers([x for x, _ in table]) for op, table in SPECIAL.items()}
    texts = expand([elementwise(op, [x]) for op, x in inputs.items()])
    for (op, x), text in zip(inputs.items(), texts, strict=True):
        with subtests.test(op):
            (got,) = run_interpreter(text, [x])
            want = numbers([y for _, y in SPECIAL[op]])
            assert same_bits(got, want).all(), list(zip(x, got, want, strict=True))


@pytest.mark.parametrize("dtype", REAL)
def test_predicates(dtype: str) -> None:
    x = np.array([1, INF, -INF, NAN]).astype(DTYPES[dtype])
    texts = expand([elementwise(op, [x], "tensor<4xi1>") for op in PREDICATES])
    for (op, want), text in zip(PREDICATES.items(), texts, strict=True):
        assert run_xla(text, [x])[0].tolist() == want, op


# ---------------------------------------------------------------------------------------------------------------
# Functions of two operands


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16"])
def test_zeta(dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    x = (1 + np.exp(rng.uniform(-3, 3, SAMPLES))).astype(DTYPES[dtype])
    q = np.exp(rng.uniform(-2, 6, SAMPLES)).astype(DTYPES[dtype])
    want = scipy.special.zeta(x.astype(np.float64), q.astype(np.float64))
    (got,) = run_interpreter(expand([elementwise("zeta", [x, q])])[0], [x, q])
    assert_close(got, want, 4 if dtype == "f32" else 1, [x, q])


def test_zeta_in_f64() -> None:
    x, q, want, rest = np.array(REFERENCE["zeta"]).T.copy()
    (got,) = run_interpreter(expand([elementwise("zeta", [x, q])])[0], [x, q])
    assert_close(got, want, 4, [x, q], rest)


def test_zeta_of_negative_numbers() -> None:
    rng = np.random.default_rng(SEED)
    x = rng.integers(2, 7, SAMPLES).astype(np.float64)
    q = rng.uniform(-9, 0, SAMPLES)
    q = np.where(np.abs(q - np.round(q)) < 0.05, q + 0.1, q)
    (got,) = run_interpreter(expand([elementwise("zeta", [x, q])])[0], [x, q])
    want = scipy.special.zeta(x, q)
    # The terms of an odd power cancel.
    assert np.all(np.abs(got - want) <= 1e-13 * np.maximum(1, np.abs(want) + scipy.special.zeta(x, 1)))


@pytest.mark.parametrize("dtype", REAL)
def test_polygamma(dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    n = rng.integers(0, 9, SAMPLES).astype(DTYPES[dtype])
    x = np.exp(rng.uniform(-1, 5, SAMPLES)).astype(DTYPES[dtype])
    want = scipy.special.polygamma(n.astype(np.int64), x.astype(np.float64))
    (got,) = run_interpreter(expand([elementwise("polygamma", [n, x])])[0], [n, x])
    # The exponential of lgamma multiplies its error, for 8! by 10.
    assert_close(got, want, {"f64": 32, "f32": 32}.get(dtype, 1), [n, x])


ZETA = [
    (2, 0, INF), (2, -1, INF), (2.5, -1.5, NAN), (1, 2, INF), (0.5, 2, NAN), (-1, 2, NAN), (2, INF, 0), (2, -INF, INF),
    (NAN, 2, NAN), (2, NAN, NAN), (1000, 1, 1), (2, 1, np.pi**2 / 6),
]  # fmt: skip
POLYGAMMA = [
    (1, 0, INF), (1, -1, INF), (-1, 1, NAN), (1.5, 1, NAN), (3, INF, 0), (1, NAN, NAN), (NAN, 1, NAN), (0, -1, NAN),
    (1, 1, np.pi**2 / 6),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_special_values_of_two_operands(dtype: str) -> None:
    for op, table in {"zeta": ZETA, "polygamma": POLYGAMMA}.items():
        first, second, want = np.array(table, DTYPES[dtype]).T.copy()
        (got,) = run_interpreter(expand([elementwise(op, [first, second])])[0], [first, second])
        assert_close(got, want.astype(np.float64), 2, [first, second])


@pytest.mark.parametrize("dtype", REAL)
def test_next_after(dtype: str) -> None:
    kind = DTYPES[dtype]
    info = ml_dtypes.finfo(kind)
    rng = np.random.default_rng(SEED)
    edges = [0.0, -0.0, info.smallest_subnormal, -info.smallest_subnormal, info.tiny, info.max, -info.max, INF, -INF, NAN, 1, -1]
    x, y = (part.ravel() for part in np.meshgrid(np.array(edges, kind), np.array(edges, kind)))
    x = np.concatenate([x, rng.normal(size=100).astype(kind)])
    y = np.concatenate([y, rng.normal(size=100).astype(kind)])
    (got,) = run_interpreter(expand([elementwise("next_after", [x, y])])[0], [x, y])
    want = np.nextafter(x, y)
    # numpy keeps the first of two equal zeros, C and JAX the second.
    want = np.where(x == y, y, want)
    assert same_bits(got.astype(np.float64), want.astype(np.float64)).all()


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name.lstrip("u") in ("i8", "i16", "i32", "i64")])
def test_mulhi(dtype: str) -> None:
    kind = DTYPES[dtype]
    info = np.iinfo(kind)
    rng = np.random.default_rng(SEED)
    edges = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, info.max // 2], kind)
    x, y = (part.ravel() for part in np.meshgrid(edges, edges))
    x, y = (np.concatenate([part, rng.integers(info.min, info.max, 200, kind, endpoint=True)]) for part in (x, y))
    (got,) = run_xla(expand([elementwise("mulhi", [x, y])])[0], [x, y])
    assert got.tolist() == [(int(a) * int(b)) >> info.bits for a, b in zip(x, y, strict=True)]


# ---------------------------------------------------------------------------------------------------------------
# Complex functions

COMPLEX = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cosh": np.cosh, "sinh": np.sinh, "square": np.square, "tan": np.tan, "conj": np.conj,
}  # fmt: skip


def complex_samples(dtype: str, largest: float) -> np.ndarray:
    """Parts of all magnitudes, and around the branch points -1, 1, -i, i."""
    rng = np.random.default_rng(SEED)

    def part(low: float, high: float) -> np.ndarray:
        return np.exp(rng.uniform(np.log(low), np.log(high), SAMPLES)) * rng.choice([-1.0, 1.0], SAMPLES)

    wide = part(1e-30, largest) + 1j * part(1e-30, largest)
    near = part(1e-12, 1e-1) + 1j * part(1e-12, 1e-1) + rng.choice([1, -1, 1j, -1j], SAMPLES)
    return np.concatenate([wide, near]).astype(DTYPES[dtype])


@pytest.mark.parametrize("dtype", ["complex<f64>", "complex<f32>"])
def test_complex_functions(dtype: str, subtests: pytest.Subtests) -> None:
    bounded = {"cosh", "sinh", "tan"}
    inputs = {op: complex_samples(dtype, 80 if op in bounded else 1e15) for op in COMPLEX}
    texts = expand([elementwise(op, [z]) for op, z in inputs.items()])
    epsilon = np.finfo(DTYPES[dtype]).eps
    for (op, z), text in zip(inputs.items(), texts, strict=True):
        with subtests.test(op):
            (got,) = run_interpreter(text, [z])
            want = COMPLEX[op](z.astype(np.complex128))
            error = np.abs(got - want) / np.maximum(np.abs(want), np.finfo(DTYPES[dtype]).tiny)
            assert error.max() <= 8 * epsilon, (z[error.argmax()], got[error.argmax()], want[error.argmax()])


@pytest.mark.parametrize("dtype", ["complex<f64>", "complex<f32>"])
def test_complex_kernel(dtype: str) -> None:
    z = complex_samples(dtype, 1e15)
    (w,) = run_interpreter(expand([elementwise("_asin_acos_kernel", [z])])[0], [z])
    got = np.arctan2(z.real, w.real) + 1j * np.copysign(w.imag, z.imag)
    want = np.arcsin(z.astype(np.complex128))
    assert np.all(np.abs(got - want) <= 8 * np.finfo(DTYPES[dtype]).eps * np.abs(want))


# asin on both sides of its cuts, large and infinite numbers; real and imaginary parts
COMPLEX_SPECIAL: dict[str, list[tuple[complex, complex]]] = {
    "asin": [(complex(2, 0.0), np.arcsin(complex(2, 0.0))), (complex(2, -0.0), np.arcsin(complex(2, -0.0))), (complex(0.0, -0.0), complex(0.0, -0.0)), (complex(INF, 1), complex(np.pi / 2, INF))],
    "acos": [(complex(-2, 0.0), np.arccos(complex(-2, 0.0))), (complex(-2, -0.0), np.arccos(complex(-2, -0.0))), (complex(1, 0.0), complex(0.0, -0.0))],
    "acosh": [(complex(-2, 0.0), np.arccosh(complex(-2, 0.0))), (complex(-2, -0.0), np.arccosh(complex(-2, -0.0)))],
    "atan": [(complex(0.0, 2), np.arctan(complex(0.0, 2))), (complex(-0.0, 2), np.arctan(complex(-0.0, 2))), (complex(INF, 1), complex(np.pi / 2, 0.0))],
    "atanh": [(complex(2, 0.0), np.arctanh(complex(2, 0.0))), (complex(2, -0.0), np.arctanh(complex(2, -0.0))), (complex(1, 0.0), complex(INF, 0.0)), (complex(1e200, 1e200), complex(0.5e-200, np.pi / 2))],
    "sinh": [(complex(INF, 0.0), complex(INF, 0.0)), (complex(-0.0, 0.0), complex(-0.0, 0.0)), (complex(710, 1), np.sinh(complex(710, 1)))],
    "cosh": [(complex(INF, 0.0), complex(INF, 0.0)), (complex(-710, 1), np.cosh(complex(-710, 1)))],
    "square": [(complex(1e200, 1e200), complex(0.0, INF)), (complex(3, 4), complex(-7, 24))],
}  # fmt: skip


def test_complex_special_values(subtests: pytest.Subtests) -> None:
    inputs = {op: np.array([z for z, _ in table]) for op, table in COMPLEX_SPECIAL.items()}
    texts = expand([elementwise(op, [z]) for op, z in inputs.items()])
    for (op, z), text in zip(inputs.items(), texts, strict=True):
        with subtests.test(op):
            (got,) = run_interpreter(text, [z])
            want = np.array([w for _, w in COMPLEX_SPECIAL[op]])
            for a, b in ((got.real, want.real), (got.imag, want.imag)):
                assert (np.signbit(a) == np.signbit(b)).all(), list(zip(z, got, want, strict=True))
                np.testing.assert_allclose(a, b, rtol=1e-14)


# ---------------------------------------------------------------------------------------------------------------
# Compositions


def test_top_k_orders_as_jax() -> None:
    x = np.array([[1, NAN, -NAN, INF, -INF], [0.0, -0.0, 3, -0.0, 0.0]], np.float32)
    line = f"chlo.top_k(%0, k = 5) : {tensor(x)} -> ({tensor(x)}, tensor<2x5xi32>)"
    values, indices = run_xla(expand([program(line, [x], [tensor(x), "tensor<2x5xi32>"])])[0], [x])
    want_values, want_indices = jax.lax.top_k(x, 5)
    assert same_bits(values, np.asarray(want_values)).all()
    assert indices.tolist() == np.asarray(want_indices).tolist()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32", "ui8"])
def test_top_k(dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    x = rng.integers(0, 20, (4, 50)).astype(DTYPES[dtype])
    types = [tensor(x[:, :7]), "tensor<4x7xi32>"]
    line = f"chlo.top_k(%0, k = 7) : {tensor(x)} -> ({', '.join(types)})"
    values, indices = run_xla(expand([program(line, [x], types)])[0], [x])
    want = np.argsort(-x.astype(np.float64), axis=1, kind="stable")[:, :7]
    assert indices.tolist() == want.tolist()
    assert (values == np.take_along_axis(x, want, 1)).all()


def ragged_program(x: np.ndarray, w: np.ndarray, sizes: np.ndarray, numbers: str, shape: str) -> str:
    result = f"tensor<{shape}xf32>"
    line = (
        f'"chlo.ragged_dot"(%0, %1, %2) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}}> '
        f": ({tensor(x)}, {tensor(w)}, {tensor(sizes)}) -> {result}"
    )
    return program(line, [x, w, sizes], [result])


def split(sizes: np.ndarray) -> list[slice]:
    ends = np.cumsum(sizes)
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def test_ragged_dot_over_rows() -> None:
    """Batches with their own groups, rows that belong to none, a group without rows; NaN stays in its group."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(2, 11, 5)).astype(np.float32)
    w = rng.normal(size=(3, 2, 5, 7)).astype(np.float32)
    w[2, 0, 0, 0] = NAN
    sizes = np.array([[4, 0, 5], [3, 3, 5]], np.int32)
    numbers = (
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]"
    )
    (got,) = run_xla(expand([ragged_program(x, w, sizes, numbers, "2x11x7")])[0], [x, w, sizes])
    want = np.zeros((2, 11, 7), np.float32)
    for batch in range(2):
        for group, rows in enumerate(split(sizes[batch])):
            want[batch, rows] = x[batch, rows] @ w[group, batch]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("width", [3, 30])
def test_ragged_dot_over_contracting(width: int) -> None:
    """One product a group; with few columns rhs is masked, with many lhs is."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(2, 7, 11)).astype(np.float32)
    w = rng.normal(size=(11, 2, width)).astype(np.float32)
    sizes = np.array([4, 0, 5], np.int64)
    numbers = (
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [2]"
    )
    (got,) = run_xla(expand([ragged_program(x, w, sizes, numbers, f"3x2x7x{width}")])[0], [x, w, sizes])
    want = np.stack([np.einsum("bmk,kbn->bmn", x[:, :, rows], w[rows]) for rows in split(sizes)])
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_ragged_dot_over_batches() -> None:
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(4, 3, 5)).astype(np.float32)
    w = rng.normal(size=(4, 5, 2)).astype(np.float32)
    sizes = np.array([1, 3], np.int32)
    numbers = (
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]"
    )
    (got,) = run_xla(expand([ragged_program(x, w, sizes, numbers, "4x3x2")])[0], [x, w, sizes])
    np.testing.assert_allclose(got, x @ w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("reverse", [False, True])
def test_scan(reverse: bool) -> None:
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(2, 6)).astype(np.float32)
    start = rng.normal(size=(2,)).astype(np.float32)
    line = (
        f"chlo.scan(%0) inits (%1) dimension=1 attributes {{is_reverse = {str(reverse).lower()}}} {{\n"
        "  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):\n"
        "    %s = stablehlo.add %input, %carry : tensor<2xf32>\n"
        "    %t = chlo.square %s : tensor<2xf32> -> tensor<2xf32>\n"
        "    stablehlo.return %t, %s : tensor<2xf32>, tensor<2xf32>\n"
        "  } : (tensor<2x6xf32>, tensor<2xf32>) -> (tensor<2x6xf32>, tensor<2xf32>)"
    )
    text = program(line, [x, start], [tensor(x), tensor(start)])
    got, last = run_xla(expand([text])[0], [x, start])
    order = x[:, ::-1] if reverse else x
    sums = start[:, None] + np.cumsum(order, axis=1)
    np.testing.assert_allclose(got, (sums[:, ::-1] if reverse else sums) ** 2, rtol=1e-5)
    np.testing.assert_allclose(last, sums[:, -1], rtol=1e-5)


@pytest.mark.parametrize(("dims", "shape"), [("", (3,)), ("{broadcast_dimensions = array<i64: 0>} ", (2,))])
def test_broadcast(dims: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(SEED)
    x, y = rng.normal(size=(2, 3)), rng.normal(size=shape)
    line = f"chlo.broadcast_subtract %0, %1 {dims}: ({tensor(x)}, {tensor(y)}) -> {tensor(x)}"
    (got,) = run_xla(expand([program(line, [x, y], [tensor(x)])])[0], [x, y])
    assert (got == x - (y[:, None] if dims else y)).all()
