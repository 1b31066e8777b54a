"""Runs a function of StableHLO text with hetero-run-kernel and with jaxlib."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np

ROOT = Path(__file__).resolve().parents[2]

DTYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}


def tool(name: str) -> Path:
    """A program of the build directory, which HETERO_BIN may name."""
    return Path(os.environ.get("HETERO_BIN") or ROOT / "build/bin") / name


def parse_type(text: str) -> tuple[tuple[int, ...], np.dtype]:
    """`tensor<2x3xf32>` as shape and dtype."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)([^x].*)>", text)
    if not match:
        raise ValueError(f"not a static tensor type: {text}")
    shape = tuple(int(size) for size in match[1].split("x") if size)
    return shape, np.dtype(DTYPES[match[2]])


def result_types(module: str) -> list[tuple[tuple[int, ...], np.dtype]]:
    """The types of the results of @main."""
    header = re.search(r"func\.func (?:public )?@main\((.*?)\{\n", module, re.S)
    if not header:
        raise ValueError("the module has no @main")
    signature = header[1]
    results = signature[signature.rindex(" -> ") :]
    return [parse_type(text) for text in re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", results)]


def pack(values: list[np.ndarray]) -> bytes:
    """The bytes of arrays, each aligned to 64."""
    parts = []
    for value in values:
        data = np.ascontiguousarray(value).tobytes()
        parts.append(data + bytes(-len(data) % 64))
    return b"".join(parts)


def _unpack(module: str, data: bytes) -> tuple[list[np.ndarray], bytes]:
    """The results of a module at the beginning of `data`, and what follows."""
    results = []
    for shape, dtype in result_types(module):
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        results.append(np.frombuffer(data[:size], dtype).reshape(shape))
        data = data[size + -size % 64 :]
    return results, data


def run_all(
    modules: list[str], arguments: list[list[np.ndarray]], directory: Path, count: int = 1
) -> list[list[np.ndarray] | str]:
    """For each module the results of @main, or what is wrong with it.

    One process runs them; a module that ends it is blamed, and the others go on
    in the next one.
    """
    found: list[list[np.ndarray] | str] = []
    while len(found) < len(modules):
        rest = modules[len(found) :]
        (directory / "modules.mlir").write_text("// -----\n".join(rest))
        operands = b"".join(pack(values) for values in arguments[len(found) :])
        (directory / "operands.bin").write_bytes(operands)
        command = [tool("hetero-run-kernel"), "modules.mlir", "operands.bin", "results.bin", str(count)]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=600)
        if done.returncode > 0:
            raise RuntimeError(f"hetero-run-kernel ended with {done.returncode}:\n{done.stderr[-4000:]}")
        data = (directory / "results.bin").read_bytes()
        for module, line in zip(rest, done.stdout.splitlines(), strict=False):
            if line == "ok":
                values, data = _unpack(module, data)
                found.append(values)
            else:
                found.append(line or "not compiled, and no reason given")
        if done.returncode < 0:
            found.append(f"ended the process with signal {-done.returncode}")
    return found


def run(module: str, arguments: list[np.ndarray], directory: Path, count: int = 1) -> list[np.ndarray]:
    """The results of @main."""
    (found,) = run_all([module], [arguments], directory, count)
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


def run_jax(module: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """The results of @main by jaxlib's compiler for the CPU."""
    import jax
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    with jax_mlir.make_ir_context():
        parsed = ir.Module.parse(module)
        text = jax_mlir.module_to_bytecode(parsed)
    # Each operation rounds to its type, as the program says.
    options = xla_client.CompileOptions()
    options.env_option_overrides = [("xla_allow_excess_precision", False)]
    backend = jax.devices("cpu")[0].client
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    executable = backend.compile_and_load(text, devices, options)
    with jax.enable_x64(True):
        buffers = [jax.device_put(argument, jax.devices("cpu")[0]) for argument in arguments]
    outputs = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [np.asarray(output[0]) for output in outputs]


def import_step(module: str) -> str:
    """What `hetero-opt --hetero-import` makes of a module."""
    done = subprocess.run(
        [tool("hetero-opt"), "-", "--hetero-import"],
        input=module,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    return done.stdout


def difference(actual: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the scale of the expected tensor.

    Infinite where one is NaN or infinite and the other is not; for integers and
    booleans 0 if equal.
    """
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    if expected.size == 0:
        return 0.0
    if expected.dtype.kind in "biu":
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, e = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(e)
    if not np.array_equal(finite, np.isfinite(a)):
        return float("inf")
    if not np.array_equal(a[~finite], e[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = np.abs(e[finite]).max()
    error = np.abs(a[finite] - e[finite]).max()
    return 0.0 if error == 0 else float(error / max(scale, np.finfo(np.float32).tiny))
