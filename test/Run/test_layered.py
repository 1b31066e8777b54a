"""Layered schedules: each layer is gathered, computed for all microbatches, and reduced by itself."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import plans
import pytest
import steps
import test_planners

MODELS = {"mlp": {"batch": 7}, "gpt": {"batch": 5}, "moe": {"batch": 5}, "gpt_scan": {"batch": 5}}
CASES = [(name, seed) for name in MODELS for seed in range(6)]
SAMPLE = {("mlp", 0), ("mlp", 1), ("mlp", 2), ("gpt", 0)}


def layer(text: str) -> str:
    """A plan of one stage with every layer by itself."""
    last = int(re.findall(r"layers \[0 to (\d+)\]", text)[0])
    count = len(re.findall(r"\d+", re.findall(r"microbatches \[(.*?)\] predicted", text)[0]))
    runs = ", ".join(str(i) for i in range(last + 1))
    text = text.replace(f"layers [0 to {last}]", f"layers [{runs}]", 1)
    text = text.replace("in_flight 1", f"in_flight {count * (last + 1)} state full", 1)
    return text.replace(" predicted 1 ms", " schedule layered predicted 1 ms", 1)


@pytest.mark.parametrize(
    ("name", "seed"),
    [pytest.param(*case, marks=() if case in SAMPLE else pytest.mark.slow) for case in CASES],
)
def test_random_plan(name: str, seed: int, tmp_path: Path) -> None:
    """Uneven samples, also none, and state that is stored in any rows."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    plan = plans.random_plan(step, seed, "data")
    # Members without samples have to gather and reduce all the same.
    if seed % 2:
        first = plan.stages[0]
        samples = [[sum(sizes), *([0] * (len(sizes) - 1))] for sizes in first.samples]
        plan = dataclasses.replace(plan, stages=[dataclasses.replace(first, samples=samples)])
    done = steps.run(layer(plans.apply(step, plan)), case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


@pytest.mark.parametrize("model", ["mlp", pytest.param("gpt", marks=pytest.mark.slow)])
def test_cephalo(model: str, tmp_path: Path) -> None:
    """The planner makes such plans where it may divide all state."""
    case = steps.get(model, **test_planners.MODELS[model])
    path = test_planners.write_cluster(model, "tower", tmp_path)
    options = ["state=full", "microbatches=3"]
    text, errors = test_planners.plan(case.text, path, "cephalo", *options)
    assert text, errors
    assert "schedule layered" in text
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
