"""Reads what `jax.export` writes, as StableHLO text.

Three forms are read: a serialized `jax.export.Exported`, a StableHLO portable
artifact (its `mlir_module_serialized`), and plain MLIR bytecode of StableHLO.
The work is done by jaxlib, which knows every version of the format.

    python -m hetero.artifact step.jax_export -o step.mlir
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

BYTECODE_MAGIC = b"ML\xefR"


class ArtifactError(ValueError):
    """The data is no artifact, or one that this jaxlib cannot read."""


@dataclasses.dataclass(frozen=True)
class Artifact:
    """A step that was read from an artifact.

    `jax.export` drops the arguments that a function does not use:
    `kept_arguments[i]` is the flattened argument of the exported function that
    became argument i of `@main`, and `argument_count` the number that it had.
    Both are None where the artifact does not say.
    """

    text: str
    name: str | None = None
    platforms: tuple[str, ...] = ()
    kept_arguments: tuple[int, ...] | None = None
    argument_count: int | None = None

    def describe(self) -> dict[str, Any]:
        """Everything but the text."""
        fields = dataclasses.asdict(self)
        del fields["text"]
        return fields


def read(data: bytes, debug_info: bool = False) -> Artifact:
    """Reads an artifact in any of the three forms.

    Raises ArtifactError with the reason when `data` is none of them.
    """
    if not data:
        raise ArtifactError("the artifact is empty")
    if data.startswith(BYTECODE_MAGIC):
        return Artifact(_module_text(data, debug_info))
    return _read_exported(data, debug_info)


def _read_exported(data: bytes, debug_info: bool) -> Artifact:
    from jax import export as jax_export

    try:
        exported = jax_export.deserialize(bytearray(data))
        module = bytes(exported.mlir_module_serialized)
        kept = tuple(int(index) for index in exported.module_kept_var_idx)
        count = len(exported.in_avals)
    except ImportError as error:
        raise ArtifactError(f"cannot read a jax.export artifact: {_reason(error)}") from error
    except Exception as error:  # A flatbuffer that is none fails in many ways.
        raise ArtifactError(
            f"neither a jax.export artifact nor MLIR bytecode ({len(data)} bytes): {_reason(error)}"
        ) from error
    if any(index >= count for index in kept) or list(kept) != sorted(set(kept)):
        raise ArtifactError(f"kept arguments {list(kept)} do not fit {count} arguments")
    return Artifact(
        _module_text(module, debug_info),
        name=exported.fun_name,
        platforms=tuple(exported.platforms),
        kept_arguments=kept,
        argument_count=count,
    )


def _module_text(data: bytes, debug_info: bool) -> str:
    """The text of a portable artifact, or of StableHLO bytecode.

    jaxlib reads it in a process of its own, which damaged data may end.
    """
    command = [sys.executable, "-m", "hetero.artifact_reader"]
    if debug_info:
        command.append("--debug-info")
    path = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    run = subprocess.run(command, input=data, capture_output=True, env=environment, check=False)
    if run.returncode == 0:
        return run.stdout.decode()
    reason = f"it ended with signal {-run.returncode}"
    if run.returncode > 0:
        reason = (run.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
    raise ArtifactError(f"jaxlib cannot read the module ({len(data)} bytes): {reason}")


def _reason(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hetero.artifact", description="Turn a jax.export artifact into StableHLO text."
    )
    parser.add_argument("artifact", type=Path, help="serialized jax.export, portable artifact or bytecode")
    parser.add_argument("-o", "--output", type=Path, help="where the text goes (default: stdout)")
    parser.add_argument("--debug-info", action="store_true", help="print locations")
    parser.add_argument("--info", action="store_true", help="print what the artifact says of itself, as JSON")
    options = parser.parse_args(arguments)
    try:
        artifact = read(options.artifact.read_bytes(), options.debug_info)
    except (OSError, ArtifactError) as error:
        print(f"error: {options.artifact}: {error}", file=sys.stderr)
        return 1
    if options.info:
        print(json.dumps(artifact.describe()))
    if options.output:
        options.output.write_text(artifact.text)
    elif not options.info:
        print(artifact.text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
