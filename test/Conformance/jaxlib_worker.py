"""Reads, verifies and prints programs with jaxlib, in a process of its own.

Run as a child of `oracle.Jaxlib`: on some invalid programs jaxlib crashes, or
takes all memory and minutes, and that must cost one program, not the whole run.
The protocol is pickles on stdin and stdout: a list of programs in, one answer
per program out.
"""

from __future__ import annotations

import io
import pickle
import resource
import signal
import sys
from typing import NamedTuple

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


# Limits of one program: CPU seconds, to which its length adds, and bytes.
SECONDS = 3.0
MEMORY = 6 << 30


class Answer(NamedTuple):
    """The prints of a valid program and its bytecode if asked, or the error."""

    accepted: bool
    custom: str
    generic: str = ""
    bytecode: bytes = b""


def make_context() -> ir.Context:
    """A context with the dialects that JAX uses, and with quant."""
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    context.enable_multithreading(False)
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    context.allow_unregistered_dialects = False
    # Only this call in the wheel makes the quant dialect known to a context.
    version = stablehlo.get_current_version()
    with context:
        artifact = stablehlo.serialize_portable_artifact_str("module {}", version)
        stablehlo.deserialize_portable_artifact(context, artifact)
    return context


def answer(context: ir.Context, source: str | bytes, want_bytecode: bool) -> Answer:
    """What jaxlib says about one program."""
    # A second module with a resource of the same name would see it renamed.
    if isinstance(source, str) and "dense_resource" in source:
        context = make_context()
    with context:
        try:
            operation = ir.Module.parse(source).operation
        except Exception as error:  # MLIRError or ValueError
            return Answer(False, str(error))
        bytecode = io.BytesIO()
        if want_bytecode:
            operation.write_bytecode(bytecode)
        return Answer(
            True,
            operation.get_asm().strip(),
            operation.get_asm(print_generic_op_form=True).strip(),
            bytecode.getvalue(),
        )


def limit_memory() -> None:
    """Makes a program that asks for far too much memory end this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    limit_memory()
    context = make_context()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            sources, want_bytecode = pickle.load(requests)
        except EOFError:
            return
        for source in sources:
            # Unhandled, the signal ends the process.
            signal.setitimer(signal.ITIMER_PROF, SECONDS + len(source) * 1e-5)
            pickle.dump(tuple(answer(context, source, want_bytecode)), answers)
            answers.flush()


if __name__ == "__main__":
    main()
