"""PTX of programs, what they launch, and the tools that run it without a device."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [
    str(ROOT / "test" / "Conversion"),
    str(ROOT / "test" / "Conversion" / "StablehloToLinalg"),
]

import jax  # noqa: E402
import op_cases  # noqa: E402
import op_programs  # noqa: E402
from cases import Case  # noqa: E402
from kernel import result_types, tool  # noqa: E402

from hetero import export, zoo  # noqa: E402

# Families of functions that libraries carry out: test/Cuda/test_libraries.py.
BY_LIBRARIES = {"fft", "linear_algebra"}

SIZE = 40  # Programs of a module.


def _run(command: list[object], text: str) -> str:
    done = subprocess.run(
        [str(word) for word in command], input=text, capture_output=True, text=True, timeout=1800
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:] + done.stdout[-4000:])
    return done.stdout


def import_text(module: str) -> str:
    """What the pipeline begins with."""
    return _run([tool("hetero-opt"), "-", "--hetero-import"], module)


def _unescape(text: str) -> str:
    """The characters of a string of MLIR."""
    return re.sub(
        r'\\([0-9A-Fa-f]{2}|[nt"\\])',
        lambda match: chr(int(match[1], 16))
        if len(match[1]) == 2
        else {"n": "\n", "t": "\t"}.get(match[1], match[1]),
        text,
    )


def images(imported: str, architecture: str, form: str = "ptx") -> list[str]:
    """The texts of an imported program's modules for a device: as PTX or llvm."""
    pipeline = f"--hetero-cuda-pipeline=arch={architecture} format={form}"
    out = _run([tool("hetero-opt"), "-", pipeline], imported)
    found = re.findall(rf'@\w*{architecture}\w*\("((?:[^"\\]|\\.)*)"', out)
    return [_unescape(text).rstrip("\0") for text in found]


def launches(imported: str, directory: Path, architecture: str) -> str:
    """What an imported program asks of its device, line by line."""
    path = directory / "imported.mlir"
    path.write_text(imported)
    return _run([tool("hetero-record-cuda"), path, "format=ptx", f"arch={architecture}"], "")


def step(name: str) -> str:
    """One step of the zoo."""
    made = zoo.get(name, "test")
    return export.text(jax.jit(made.fn).lower(*made.example_args(seed=1)))


def functions(family: str) -> list[list[Case]]:
    """The functions of a family, in groups for one module."""
    with jax.enable_x64(True):
        made = list(op_cases.FAMILIES[family]())
    return [made[begin : begin + SIZE] for begin in range(0, len(made), SIZE)]


def lower(group: list[Case]) -> str:
    """One module for the functions of a group."""
    ends = np.cumsum([len(case.arguments) for case in group])

    def everything(*arguments: object) -> list[object]:
        return [
            case.function(*arguments[end - len(case.arguments) : end])
            for case, end in zip(group, ends, strict=True)
        ]

    arguments = [argument for case in group for argument in case.arguments]
    with jax.enable_x64(True):
        return jax.jit(everything, keep_unused=True).lower(*arguments).as_text()


def programs() -> Iterator[tuple[str, list[op_programs.Program]]]:
    """Programs of one operation each, by family, in groups for one module."""
    for family in [op_programs.elementwise, op_programs.compares, op_programs.converts]:
        made = family()
        for begin in range(0, len(made), SIZE):
            yield f"{family.__name__}-{begin}", made[begin : begin + SIZE]


def replay(ptx: str, script: str, directory: Path, *flags: str) -> str:
    """Runs the launches of a script; what is said about that."""
    (directory / "module.ptx").write_text(ptx)
    (directory / "script").write_text(script)
    return _run([tool("hetero-ptx-run"), *flags, directory / "module.ptx", directory / "script"], "")


def _approximate(text: str) -> list[str]:
    """Kernels of LLVM IR with quotients by sqrt.approx.

    NVPTX makes one instruction of 1 / sqrt.approx only where it finds the 1 beside it, which the
    IR does not tell: one rounding more or less.
    """
    kernels = re.findall(r"^define ptx_kernel void @(\w+)\((.*?)^}", text, re.MULTILINE | re.DOTALL)
    return [name for name, body in kernels if "sqrt.approx" in body and "fdiv" in body]


def against(imported: str, directory: Path, architecture: str) -> list[str]:
    """The flags that have each launch carried out by the host image as well."""
    path = directory / "module.ll"
    (text,) = images(imported, architecture, "llvm")
    path.write_text(text)
    return [f"--against={path}", f"--approximate={','.join(_approximate(text))}"]


def evaluate(
    module: str,
    arguments: list[np.ndarray],
    directory: Path,
    architecture: str,
    *flags: str,
    twice: bool = False,
) -> list[np.ndarray] | None:
    """The results of @main, or None if they need more than launches of kernels.

    The memory of arguments is named first, then that of results. Twice is by the host image as
    well, with the same bits.
    """
    imported = import_text(module)
    log = launches(imported, directory, architecture).splitlines()
    log = log[: log.index("synchronize")]
    extent = len(arguments)
    named = {f"m{number}" for number in range(extent)}
    # What constants are written is not said.
    written = {line.split()[1] for line in log if line.startswith("write ")}
    constants = any(line.startswith("write ") for line in log[: log.index("step 0")])
    if constants or not written <= named or any(re.match(r"gemm |read ", line) for line in log):
        return None
    script = []
    for number, argument in enumerate(arguments):
        path = directory / f"argument{number}"
        path.write_bytes(np.ascontiguousarray(argument).tobytes())
        script.append(f"input m{number} {path}")
    script += [
        line
        for line in log
        if not (line.startswith(("allocate ", "write ")) and line.split()[1] in named)
    ]
    types = result_types(module)
    script += [f"output m{extent + i} {directory / f'result{i}'}" for i in range(len(types))]
    texts = images(imported, architecture)
    if len(texts) != 1:
        return None
    if twice:
        flags = (*flags, *against(imported, directory, architecture))
    replay(texts[0], "\n".join(script) + "\n", directory, *flags)
    results = []
    for i, (shape, dtype) in enumerate(types):
        data = (directory / f"result{i}").read_bytes()
        count = int(np.prod(shape, dtype=np.int64))
        results.append(np.frombuffer(data[: count * dtype.itemsize], dtype).reshape(shape))
    return results
