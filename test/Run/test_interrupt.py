"""SIGINT ends a run with a sentence, and nothing is written."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import steps

STEP = """
func.func @main(%w: tensor<8x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<16x8xf32>)
    -> (tensor<f32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<16x4xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
  %dw = stablehlo.dot_general %x, %one, contracting_dims = [0] x [0]
      : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %n = stablehlo.subtract %w, %dw : tensor<8x4xf32>
  return %loss, %n : tensor<f32>, tensor<8x4xf32>
}
"""


def test_interrupt(tmp_path: Path) -> None:
    (tmp_path / "step.mlir").write_text(STEP)
    command = [steps.tool("hetero-run"), "step.mlir", "--steps=1000000000", "--out=out.npz", "--trace=run.json"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs this in the background lets its children ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline().startswith("step 1: loss")
        process.send_signal(signal.SIGINT)
        # It goes on to write until it has noticed.
        for _ in process.stdout:
            pass
        message = process.stderr.read()
        assert process.wait(timeout=60) == 130
    lines = [line for line in message.splitlines() if line.startswith("error")]
    assert len(lines) == 1
    assert lines[0].startswith("error: interrupted in step ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step.mlir"]
