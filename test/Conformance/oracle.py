"""Both sides of the conformance tests: jaxlib's StableHLO and ours.

`Jaxlib` parses, verifies and prints a program with the dialects inside the
jaxlib wheel. `HeteroOpt` does the same with `hetero-opt`, many programs per
process. Both answer with a `Verdict`.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

MARKER = "// -----"
SOURCE_ROOT = Path(__file__).resolve().parents[2]

_ERROR = re.compile(r"^[^\n]*?:(\d+):\d+: error: (.*)$")
_UNKNOWN = re.compile(
    r"custom op '[\w.$-]+' is unknown|unregistered operation|dialect '?\w+'? not found"
    r"|with unregistered dialect|unregistered dialect"
)


@dataclass(frozen=True)
class Verdict:
    """What one side says about one program: its print, or its first error."""

    accepted: bool
    text: str
    crashed: bool = False

    @property
    def unknown(self) -> bool:
        """Whether the program was rejected for an op that is not registered."""
        return not self.accepted and bool(_UNKNOWN.search(self.text))


class Jaxlib:
    """The StableHLO, CHLO and Shardy dialects inside jaxlib."""

    def __init__(self) -> None:
        from jax._src.interpreters import mlir as jax_mlir
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import chlo, sdy, stablehlo

        self._ir = ir
        self._context = jax_mlir.make_ir_context()
        for dialect in (stablehlo, chlo, sdy):
            dialect.register_dialect(self._context)
        self._context.allow_unregistered_dialects = False
        self._load_quant()

    def _context_for(self, text: str) -> object:
        """The shared context, or a new one where resources would be renamed."""
        return Jaxlib()._context if "dense_resource" in text else self._context

    def _load_quant(self) -> None:
        """Makes the quant dialect known: only this call in the wheel loads it."""
        from jaxlib.mlir.dialects import stablehlo

        artifact = stablehlo.serialize_portable_artifact_str(
            "module {}", stablehlo.get_current_version()
        )
        with self._context:
            stablehlo.deserialize_portable_artifact(self._context, artifact)

    def check(self, text: str, generic: bool = False) -> Verdict:
        """Parses, verifies and prints `text`, in the generic form if asked."""
        with self._context_for(text):
            try:
                module = self._ir.Module.parse(text)
            except Exception as error:  # jaxlib raises MLIRError or ValueError
                return Verdict(False, _first_error(str(error)))
            return Verdict(True, self._print(module.operation, generic))

    def check_both(self, text: str) -> tuple[Verdict, Verdict]:
        """Like `check`, with the custom and the generic print of one parse."""
        with self._context_for(text):
            try:
                module = self._ir.Module.parse(text)
            except Exception as error:
                verdict = Verdict(False, _first_error(str(error)))
                return verdict, verdict
            return (
                Verdict(True, self._print(module.operation, False)),
                Verdict(True, self._print(module.operation, True)),
            )

    def bytecode(self, text: str) -> bytes:
        """The program as MLIR bytecode; `text` must be valid."""
        import io

        with self._context:
            module = self._ir.Module.parse(text)
            out = io.BytesIO()
            module.operation.write_bytecode(out)
            return out.getvalue()

    def op_names(self, dialect: str) -> list[str]:
        """The names of all ops of `dialect` (stablehlo, chlo or sdy)."""
        import importlib

        module = importlib.import_module(f"jaxlib.mlir.dialects._{dialect}_ops_gen")
        return sorted(
            {
                value.OPERATION_NAME
                for value in vars(module).values()
                if isinstance(value, type) and hasattr(value, "OPERATION_NAME")
            }
        )

    @staticmethod
    def _print(operation: object, generic: bool) -> str:
        return operation.get_asm(print_generic_op_form=generic).strip()  # type: ignore[attr-defined]


class JaxlibAsOpt:
    """jaxlib in the place of hetero-opt: tests the harness itself."""

    def __init__(self, jaxlib: Jaxlib) -> None:
        self._jaxlib = jaxlib

    def check_all(self, texts: Sequence[str], generic: bool = False) -> list[Verdict]:
        return [self._jaxlib.check(text, generic) for text in texts]

    def check_bytecode(self, data: bytes) -> Verdict:
        from jaxlib.mlir import ir

        with self._jaxlib._context:
            module = ir.Module.parse(data)
            return Verdict(True, self._jaxlib._print(module.operation, False))


class HeteroOpt:
    """`hetero-opt`, fed in batches of programs.

    A batch is one process. The split marker is printed after every program,
    also after a rejected one, so output chunk i belongs to input chunk i. When
    a process crashes or hangs, the batch is halved until the culprit is alone.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        batch: int = 400,
        timeout: float = 60.0,
    ) -> None:
        self.path = Path(path) if path else find_hetero_opt()
        self._batch = batch
        self._timeout = timeout

    def check_all(self, texts: Sequence[str], generic: bool = False) -> list[Verdict]:
        """The verdict on each program, in order."""
        verdicts: list[Verdict] = []
        for begin in range(0, len(texts), self._batch):
            verdicts += self._check_batch(texts[begin : begin + self._batch], generic)
        return verdicts

    def check_bytecode(self, data: bytes) -> Verdict:
        """The verdict on a module in bytecode."""
        with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
            file.write(data)
            file.flush()
            run = subprocess.run(
                [self.path, file.name],
                capture_output=True,
                text=True,
                timeout=self._timeout,
                check=False,
            )
        if run.returncode == 0:
            return Verdict(True, run.stdout.strip())
        return Verdict(False, _first_error(run.stderr), crashed=run.returncode != 1)

    def _check_batch(self, texts: Sequence[str], generic: bool) -> list[Verdict]:
        chunks, code, stderr = self._run(texts, generic)
        if code in (0, 1) and len(chunks) == len(texts):
            errors = _errors_by_chunk(texts, stderr)
            return [
                Verdict(True, chunk) if chunk else Verdict(False, errors.get(i, "rejected"))
                for i, chunk in enumerate(chunks)
            ]
        if len(texts) > 1:
            middle = len(texts) // 2
            return self._check_batch(texts[:middle], generic) + self._check_batch(
                texts[middle:], generic
            )
        why = "timeout" if code is None else f"exit code {code}"
        return [Verdict(False, f"crash ({why}): {_last_line(stderr)}", crashed=True)]

    def _run(self, texts: Sequence[str], generic: bool) -> tuple[list[str], int | None, str]:
        command = [
            str(self.path),
            "--split-input-file",
            f"--output-split-marker={MARKER}",
            "--mlir-disable-threading",
        ]
        if generic:
            command.append("--mlir-print-op-generic")
        try:
            run = subprocess.run(
                command,
                input=_join(texts).encode(),
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [], None, ""
        stdout = run.stdout.decode(errors="replace")
        chunks = [chunk.strip() for chunk in re.split(rf"^{MARKER}$", stdout, flags=re.M)]
        return chunks, run.returncode, run.stderr.decode(errors="replace")


def find_hetero_opt() -> Path:
    """HETERO_OPT, or build/bin/hetero-opt of this tree."""
    path = Path(os.environ.get("HETERO_OPT") or SOURCE_ROOT / "build/bin/hetero-opt")
    if not path.exists():
        raise FileNotFoundError(
            f"no hetero-opt at {path}: build it, or name it with HETERO_OPT or --hetero-opt"
        )
    return path


def _join(texts: Iterable[str]) -> str:
    # One blank line before each marker: the splitter wants it on its own line,
    # and _errors_by_chunk counts on the layout.
    return f"\n{MARKER}\n".join(texts) + "\n"


def _errors_by_chunk(texts: Sequence[str], stderr: str) -> dict[int, str]:
    """Maps the index of each rejected program to its first error."""
    owner: list[int] = []
    for i, text in enumerate(texts):
        owner += [i] * (text.count("\n") + 2)
    errors: dict[int, str] = {}
    for line in stderr.splitlines():
        match = _ERROR.match(line)
        if match and (number := int(match[1]) - 1) < len(owner):
            errors.setdefault(owner[number], match[2])
    return errors


def _first_error(text: str) -> str:
    match = re.search(r"error: (?:\"?-\"?:\d+:\d+: )?(.*)", text)
    return (match[1] if match else text).strip()[:300]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"
