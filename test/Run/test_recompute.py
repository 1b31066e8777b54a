"""Stages that compute their forward again give what JAX gives, dropout included."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import plans
import pytest
import steps

MODELS = {"mlp": {"batch": 7}, "gpt": {"batch": 5}, "moe": {"batch": 5}, "gpt_scan": {"batch": 5}}
CASES = [("mlp", "mixed", 3), ("gpt", "single", 0), ("gpt", "mixed", 1), ("gpt", "pipeline", 0)]
MORE = [("moe", "mixed", 0), ("gpt_scan", "data", 0), ("gpt", "tensor", 0), ("mlp", "mixed", 4)]


def recompute(text: str) -> str:
    """The plan with `recompute` on every stage."""
    text, count = re.subn(r"(hetero\.stage \d+ on .* in_flight \d+)", r"\1 recompute", text)
    assert count
    return text


def outputs(text: str, directory: Path) -> int:
    """How many values leave the units of the forward."""
    path = directory / "planned.mlir"
    path.write_text(text)
    command = [steps.tool("hetero-opt"), path, "--hetero-partition"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    units = re.findall(r"func\.func private @stage\d+_forward\w*\(.*?\) -> (\([^\n]*\)|\S+)", done.stdout)
    assert units
    return sum(unit.count("tensor<") for unit in units)


@pytest.mark.parametrize(
    ("name", "kind", "seed"),
    [*CASES, *(pytest.param(*more, marks=pytest.mark.slow) for more in MORE)],
)
def test_equal(name: str, kind: str, seed: int, tmp_path: Path) -> None:
    """Any plan may recompute; less is kept then."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    text = plans.apply(step, plans.random_plan(step, seed, kind))
    again = recompute(text)
    assert outputs(again, tmp_path) < outputs(text, tmp_path)
    done = steps.run(again, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


def test_instruction(tmp_path: Path) -> None:
    """A schedule may say when a stage recomputes; it does so in the backward."""
    case = steps.get("mlp", **MODELS["mlp"])
    step = plans.read(steps.layered("mlp", **MODELS["mlp"]))
    plan = plans.random_plan(step, 0, "single")
    count = len(plan.microbatches)
    order = ", ".join(f"forward {i}, recompute {i}, backward {i}" for i in range(count))
    schedule = (
        f'  hetero.schedule @order "1f1b" of @plan microbatches {count} {{\n'
        f"    hetero.stage_schedule 0 in_flight 1 [{order}, update]\n  }}\n"
    )
    text = recompute(plans.apply(step, plan))
    text = text.replace("  func.func", schedule + "  func.func", 1)
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
