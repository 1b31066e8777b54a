"""Trains a small GPT on characters of this project's own pages, on a cluster.

    python examples/char_gpt.py --cluster examples/clusters/demo.yaml

The step is ordinary JAX; `hetero.jit` is the line that changes. With `--compare`
the same training runs under `jax.jit` beside it, and every loss is compared.
Under `mpirun -n 4` each process is one device.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import hetero
import jax
import numpy as np
from hetero import zoo

ROOT = Path(__file__).resolve().parents[1]


def read_text() -> str:
    """The prose of the repository."""
    return "".join(page.read_text() for page in sorted(ROOT.glob("docs/*.md")))


def batches(ids: np.ndarray, batch: int, length: int, seed: int):
    """Random places of the text, and what comes one character later."""
    random = np.random.default_rng(seed)
    while True:
        starts = random.integers(0, len(ids) - length - 1, batch)
        rows = np.stack([ids[start : start + length + 1] for start in starts])
        yield {"inputs": rows[:, :-1], "labels": rows[:, 1:]}


def main() -> int:
    """The command line."""
    options = parse()
    text = read_text()
    characters = sorted(set(text))
    ids = np.array([characters.index(c) for c in text], np.int32)
    model = zoo.get(
        "gpt", "test", vocabulary=len(characters), layers=options.layers, width=options.width,
        length=options.length, batch=options.batch,
    )  # fmt: skip
    is_first = leads()

    def say(*message: object, **how: object) -> None:
        if is_first:
            print(*message, **how, flush=True)

    train_step = hetero.jit(
        model.fn,
        cluster=options.cluster,
        planner=options.planner,
        donate_argnums=0,
        progress=lambda phase: say(f"    {phase}"),
    )
    state, _, key = model.example_args(seed=0)
    data = batches(ids, options.batch, options.length, seed=1)
    say(f"{len(text)} characters, {len(characters)} different ones")
    program = train_step.program(state, next(data), key)
    say(f"\n{program.plan}\n")

    reference = jax.jit(model.fn) if options.compare else None
    expected_state = jax.tree.map(lambda leaf: leaf.copy(), state)
    worst = 0.0
    seconds = 0.0
    for number in range(options.steps):
        batch = next(data)
        if number + 1 == options.steps:
            program.trace()
        began = time.monotonic()
        state, metrics = train_step(state, batch, key)
        loss = float(metrics["loss"])
        seconds += time.monotonic() - began
        line = f"step {number + 1:3}   loss {loss:.5f}"
        if reference is not None:
            expected_state, expected = reference(expected_state, batch, key)
            difference = abs(loss - float(expected["loss"])) / abs(float(expected["loss"]))
            worst = max(worst, difference)
            line += f"   JAX {float(expected['loss']):.5f}   difference {difference:.1e}"
        if not np.isfinite(loss):
            say(line)
            return 1
        if number < 3 or (number + 1) % options.every == 0 or number + 1 == options.steps:
            say(line)
    say(f"\n{seconds / options.steps * 1e3:.1f} ms a step on {program.num_ranks} devices")
    if options.timeline and is_first:
        program.write_timeline(options.timeline)
        say(f"timeline: {options.timeline}")
    if reference is None:
        return 0
    say(f"largest difference from plain JAX: {worst:.1e} of the loss")
    return 0 if worst < 1e-3 else 1


def leads() -> bool:
    """Whether this process speaks for all that mpirun has started."""
    return os.environ.get("OMPI_COMM_WORLD_RANK", "0") == "0"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cluster", default=str(ROOT / "examples/clusters/demo.yaml"))
    parser.add_argument("--planner", default="joint")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=10, help="steps between two lines")
    parser.add_argument("--compare", action="store_true", help="train with plain JAX as well")
    parser.add_argument("--timeline", metavar="FILE", help="write a page about the last step")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--batch", type=int, default=16)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
