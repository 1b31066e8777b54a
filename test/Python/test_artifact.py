"""Artifacts of jax.export become StableHLO text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import export as jax_export

from hetero import artifact, export, zoo

SHAPE = jax.ShapeDtypeStruct((2, 3), jnp.float32)


def _exported(fn=lambda a, unused, b: a + b) -> jax_export.Exported:  # noqa: ANN001
    return jax_export.export(jax.jit(fn))(SHAPE, SHAPE, SHAPE)


def test_reads_serialized_export() -> None:
    result = artifact.read(_exported().serialize())
    assert "stablehlo.add" in result.text
    assert result.platforms == ("cpu",)


def test_maps_kept_arguments() -> None:
    """The second argument is not used and not in the module."""
    result = artifact.read(_exported().serialize())
    assert result.kept_arguments == (0, 2)
    assert result.argument_count == 3
    assert result.text.count("%arg1: tensor") == 1 and "%arg2: tensor" not in result.text


def test_reads_portable_artifact() -> None:
    result = artifact.read(_exported().mlir_module_serialized)
    assert "stablehlo.add" in result.text
    assert result.kept_arguments is None


def test_reads_bytecode_with_locations() -> None:
    step = zoo.get("mlp", "test")
    data = export.bytecode(step.lower())
    assert "#loc" not in artifact.read(data).text
    assert "#loc" in artifact.read(data, debug_info=True).text


def test_reads_a_step_of_the_zoo() -> None:
    step = zoo.get("gpt", "test")
    result = artifact.read(export.artifact(step.fn, step.args, step.donate_argnums))
    assert result.argument_count == len(step.roles.arguments)
    assert len(result.kept_arguments) == result.argument_count
    donated = len(jax.tree.leaves(step.args[0]))
    assert result.text.count("tf.aliasing_output") + result.text.count("jax.buffer_donor") == donated


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the artifact is empty"),
        (b"garbage", "neither a jax.export artifact nor MLIR bytecode"),
        (b"\0" * 64, "neither a jax.export artifact nor MLIR bytecode"),
        (b"ML\xefR", "jaxlib cannot read the module"),
        (b"ML\xefR\x0dStableHLO_v1.0.0\0" + b"\xff" * 40, "jaxlib cannot read the module"),
    ],
)
def test_bad_input_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(artifact.ArtifactError, match=message):
        artifact.read(data)


@pytest.mark.parametrize("place", [22, 280])
def test_input_that_ends_jaxlib_is_an_error(place: int) -> None:
    """With one of these bytes changed, jaxlib 0.10.2 aborts."""
    data = bytearray(_exported().mlir_module_serialized)
    data[place] ^= 0x81
    with pytest.raises(artifact.ArtifactError, match="jaxlib cannot read the module"):
        artifact.read(bytes(data))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_truncated_input_is_an_error(share: float) -> None:
    for data in (_exported().serialize(), _exported().mlir_module_serialized):
        with pytest.raises(artifact.ArtifactError):
            artifact.read(bytes(data[: int(share * len(data))]))


def test_command(tmp_path: Path) -> None:
    source, target = tmp_path / "step.jax_export", tmp_path / "step.mlir"
    source.write_bytes(_exported().serialize())
    command = [sys.executable, "-m", "hetero.artifact", str(source), "-o", str(target), "--info"]
    environment = {"PYTHONPATH": str(Path(artifact.__file__).parents[1]), "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["kept_arguments"] == [0, 2]
    assert "stablehlo.add" in target.read_text()
    source.write_bytes(b"garbage")
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(f"error: {source}: neither")
