"""Reads a portable artifact or bytecode from stdin and prints StableHLO text.

Run as a child of `hetero.artifact`: jaxlib ends the process on some damaged
files, and that must be an error, not the end of the caller. What is wrong with
the data goes to stderr, one line, and the exit code is 1.
"""

from __future__ import annotations

import sys

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


def make_context() -> ir.Context:
    """A context with the dialects that JAX uses, without importing JAX."""
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    return context


def text(data: bytes, debug_info: bool) -> str:
    """The module as text; raises what jaxlib raises."""
    context = make_context()
    with context:
        try:
            module = stablehlo.deserialize_portable_artifact(context, data)
        except Exception as portable_error:
            try:
                module = ir.Module.parse(data)
            except Exception:
                raise portable_error from None
        return module.operation.get_asm(enable_debug_info=debug_info)


def main() -> int:
    """`--debug-info` prints locations."""
    try:
        printed = text(sys.stdin.buffer.read(), "--debug-info" in sys.argv[1:])
    except Exception as error:  # jaxlib raises several kinds.
        lines = str(error).strip().splitlines()
        print(lines[0][:200] if lines else type(error).__name__, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(printed.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
