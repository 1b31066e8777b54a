"""The command `python -m hetero.zoo`: exports training steps as StableHLO."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

EPILOG = """\
examples:
  python -m hetero.zoo --list
  python -m hetero.zoo --model gpt --size test --out steps
  python -m hetero.zoo --model all --size paper --out steps --debug-info
  python -m hetero.zoo --model gpt --size bench --layers 96 --out steps   about 100,000 ops

<out>/<model>.<size>.mlir is the text, .debug.mlir the text with locations, .mlirbc the
bytecode and .jax_export the serialized jax.export artifact.
"""


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parse(arguments)
    # Nothing is computed unless a caller of the zoo asks for it: skip accelerators.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from hetero import zoo

    if options.list:
        for name in zoo.names():
            print(f"{name:<10} {', '.join(zoo.sizes(name))}")
        return 0
    if not options.model:
        print("error: name a model with --model, or see --list", file=sys.stderr)
        return 2
    chosen = zoo.names() if "all" in options.model else options.model
    changes = {
        name: getattr(options, name)
        for name in ("layers", "width", "heads", "length", "batch", "vocabulary", "dropout")
        if getattr(options, name) is not None
    }
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            _export(name, options, changes)
    except (ImportError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hetero.zoo",
        description="Export training steps of real models (Flax and Optax) as StableHLO.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="list models and sizes")
    parser.add_argument("--model", action="append", help="a model, or all (repeatable)")
    parser.add_argument("--size", default="test", help="test (default), paper, or bench for gpt")
    parser.add_argument("--out", type=Path, default=Path("."), help="directory (default: .)")
    parser.add_argument("--debug-info", action="store_true", help="also write text with locations")
    parser.add_argument("--bytecode", action="store_true", help="also write MLIR bytecode")
    parser.add_argument("--artifact", action="store_true", help="also write a jax.export artifact")
    parser.add_argument("--quiet", action="store_true", help="do not say what is being done")
    shape = parser.add_argument_group("shape of gpt", "each replaces a part of the size's shape")
    for name in ("layers", "width", "heads", "length", "batch", "vocabulary"):
        shape.add_argument(f"--{name}", type=int, metavar="N")
    shape.add_argument("--dropout", type=float, metavar="RATE")
    return parser.parse_args(arguments)


def _export(name: str, options: argparse.Namespace, changes: dict[str, Any]) -> None:
    from hetero import export, zoo

    label = f"{name}.{options.size}" + "".join(f".{key}{value}" for key, value in changes.items())
    began = time.monotonic()

    def say(what: str) -> None:
        if not options.quiet:
            print(f"[{time.monotonic() - began:5.1f} s] {label}: {what}", file=sys.stderr, flush=True)

    step = zoo.get(name, options.size, **changes)
    say("tracing the shapes of its state")
    step.args  # noqa: B018  (cached: traced here so that the progress tells)
    say("lowering the step")
    lowered = step.lower()
    base = options.out / label
    say("writing")
    text = export.text(lowered)
    base.with_name(f"{label}.mlir").write_text(text)
    if options.debug_info:
        base.with_name(f"{label}.debug.mlir").write_text(export.text(lowered, debug_info=True))
    if options.bytecode:
        base.with_name(f"{label}.mlirbc").write_bytes(export.bytecode(lowered))
    if options.artifact:
        say("exporting the artifact")
        data = export.artifact(step.fn, step.args, step.donate_argnums)
        base.with_name(f"{label}.jax_export").write_bytes(data)
    count = len(text.splitlines())
    say(f"done, {count} lines, {len(step.roles.arguments)} arguments")


if __name__ == "__main__":
    sys.exit(main())
