#!/usr/bin/env python3
"""Writes the problems of the suite: transformers, layer by layer.

    examples/problems/generate.py [--check]

A problem is made of the configuration of a model below and, for the classes of
devices that it was measured on, of the times in measured.json. What is not
measured is counted:

  work        2 FLOP for each parameter and token, and 4 S^2 H for attention;
              the backward takes twice as much
  saved       S H (34 + 5 heads S / H) bytes for 2-byte elements (Korthikanti et
              al., Reducing Activation Recomputation, 2022), twice that for f32
  state       Adam with 16 bytes for each parameter: in f32 parameter, gradient
              and two moments; in f16 also a copy of the parameter in f32
  measured    a block as it was measured; the head in proportion to its
              parameters; the embedding a fiftieth of a block
  a100-slow   an A100 that is slowed to 127 of its 312 TFLOP/s

--check fails if a file is not what would be written.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Model(NamedTuple):
    hidden: int
    blocks: int
    heads: int
    block_parameters: int
    parameters: int
    vocabulary: int = 0
    tokens: int = 512
    element: str = "f32"

    @property
    def size(self) -> int:
        return 4 if self.element == "f32" else 2


# Hidden size, blocks and parameters as published with the measured times;
# heads and vocabulary from the papers of the models.
MODELS = {
    "gpt-1.3b": Model(2048, 24, 32, 50358272, 1414123520, 50257),
    "gpt-2.7b": Model(2560, 32, 32, 78676480, 2774553600, 50257),
    "gpt-6.7b": Model(4096, 32, 32, 201379840, 6855204864, 50257),
    "bert-large": Model(1024, 24, 16, 12596224, 406174720, 30522),
    "bert-xlarge": Model(1536, 36, 24, 28331520, 1176494592, 30522),
    "vit-h": Model(1280, 32, 16, 19677440, 631406081, tokens=577),
    "vit-g": Model(1664, 48, 16, 38361728, 1842992010, tokens=577),
    "vit-e": Model(1792, 56, 16, 67926784, 3805654282, tokens=577),
    "llama-tiny": Model(2048, 22, 32, 51384320, 1331783680, 32000),
    "llama-3b": Model(3200, 26, 32, 123910400, 3536246400, 32000),
    "llama-7b": Model(4096, 32, 32, 202383360, 6878924800, 32000),
    "llama-7b-f16": Model(4096, 32, 32, 202383360, 6878924800, 32000, element="f16"),
    "mistral-7b": Model(4096, 32, 32, 218112000, 7382241280, 32000),
    "llama-13b-f16": Model(5120, 40, 40, 317204480, 13191500800, 32000, element="f16"),
    "llama-33b-f16": Model(6656, 60, 52, 535049216, 32757271040, 32000, element="f16"),
}
BATCH = 64
SLOW_A100 = 312 / 127


def cost(element: str, work: int, fixed: int, sample: int, operations: int) -> str:
    return (
        f"{{work: {{{element}: {{sample: {work} FLOP}}}}, "
        f"bytes: {{fixed: {fixed} B, sample: {sample} B}}, operations: {operations}}}"
    )


def measured(name: str, factor: float) -> list[str]:
    """The tables of a layer that takes `factor` times as long as a block."""
    tables = json.loads((HERE / "measured.json").read_text())["times"][name]
    if "a100-40" in tables:
        fast = tables["a100-40"]
        tables["a100-slow"] = {
            "samples": fast["samples"],
            "forward": [time * SLOW_A100 for time in fast["forward"]],
            "backward": [time * SLOW_A100 for time in fast["backward"]],
        }
    lines = ["    measured:"]
    for device, table in sorted(tables.items()):
        samples = ", ".join(str(number) for number in table["samples"])
        phases = "".join(
            f", {phase}: [" + ", ".join(f"{time * factor:.4g} ms" for time in table[phase]) + "]"
            for phase in ("forward", "backward")
        )
        lines.append(f"      {device}: {{samples: [{samples}]{phases}}}")
    return lines


def layer(
    model: Model, name: str, parameters: int, work: int, saved: int, output: int, operations: int
) -> list[str]:
    size, element = model.size, model.element
    moments = parameters * (8 if size == 4 else 12)
    stored = parameters * size
    return [
        f"  - name: {name}",
        f"    forward: {cost(element, work, stored, 2 * saved, operations)}",
        f"    backward: {cost(element, 2 * work, 2 * stored, 4 * saved, 2 * operations)}",
        f"    update: {{work: {{f32: {{fixed: {12 * parameters} FLOP}}}}, "
        f"bytes: {{fixed: {2 * moments + 3 * stored} B}}, operations: 12}}",
        f"    parameters: {stored} B",
        f"    optimizerState: {moments} B",
        f"    gradients: {stored} B",
        f"    saved: {{sample: {saved} B}}",
        f"    workspace: {{sample: {saved // 2} B}}",
        f"    output: {{sample: {output} B}}",
        f"    outputGradient: {{sample: {output} B}}",
    ]


def divided(forward: int, backward: int) -> list[str]:
    """What is summed over the parts of a layer, as Megatron divides it."""
    return [
        "    tensorDegrees: [2, 4, 8]",
        f"    tensorForward: {{sample: {forward} B}}",
        f"    tensorBackward: {{sample: {backward} B}}",
    ]


def block(model: Model, name: str, parameters: int) -> list[str]:
    tokens, hidden = model.tokens, model.hidden
    states = tokens * hidden * model.size
    saved = (34 * tokens * hidden + 5 * model.heads * tokens**2) * model.size // 2
    work = 2 * model.block_parameters * tokens + 4 * tokens**2 * hidden
    return [
        *layer(model, name, parameters, work, saved, states, 40),
        *divided(2 * states, 2 * states),
    ]


def problem(name: str, model: Model) -> str:
    tokens, hidden, size = model.tokens, model.hidden, model.size
    states = tokens * hidden * size
    rest = model.parameters - model.blocks * model.block_parameters
    lines = [
        f"# {name}: {model.blocks} blocks, hidden size {hidden}, {tokens} tokens, {model.element},",
        "# with Adam. Written by generate.py, which says how.",
        f"batch: {BATCH}",
        "layers:",
    ]
    first = 0
    if model.vocabulary:
        lines += layer(model, "embed", rest // 2, tokens * hidden, states, states, 4)
        lines += divided(states, 0)
        lines += measured(name, 0.02)
        lines += block(model, "block_0", model.block_parameters)
        first = 1
    else:
        lines += block(model, "block_0", model.block_parameters + rest)
    lines += measured(name, 1)
    for i in range(1, model.blocks):
        # The first block of a model without vocabulary has the other parameters.
        if not model.vocabulary and i == 1:
            lines += block(model, "block_1", model.block_parameters) + measured(name, 1)
            first = 1
        else:
            lines.append(f"  - {{name: block_{i}, like: {first}}}")
    if model.vocabulary:
        logits = tokens * model.vocabulary * size
        work = 2 * tokens * hidden * model.vocabulary
        lines += layer(model, "head", rest - rest // 2, work, 2 * logits + states, 4, 8)
        lines += divided(4 * tokens, states)
        lines += measured(name, model.vocabulary / (12 * hidden))
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    wrong = []
    for name, model in MODELS.items():
        file, text = HERE / f"{name}.yaml", problem(name, model)
        if check and (not file.exists() or file.read_text() != text):
            wrong.append(file.name)
        if not check:
            file.write_text(text)
    if wrong:
        print(f"not what generate.py writes: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
