"""Schedules with the two halves of the backward apart give what JAX gives."""

from __future__ import annotations

from pathlib import Path

import plans
import pytest
import steps

MODELS = {"mlp": {"batch": 7}, "gpt": {"batch": 5}}


def zero_bubble(plan: plans.Plan) -> str:
    """All weight gradients at the end, as late as possible."""
    count = len(plan.microbatches)
    lines = [f"  hetero.schedule @order zero_bubble of @plan microbatches {count} {{"]
    for i in range(len(plan.stages)):
        ahead = min(count, len(plan.stages) - i)
        order = [f"forward {m}" for m in range(ahead)]
        for m in range(count):
            order.append(f"input_gradient {m}")
            if ahead + m < count:
                order.append(f"forward {ahead + m}")
        order += [f"weight_gradient {m}" for m in range(count)]
        order.append("update")
        lines.append(f"    hetero.stage_schedule {i} in_flight {count} [{', '.join(order)}]")
    return "\n".join([*lines, "  }", ""])


@pytest.mark.parametrize(
    ("name", "kind", "seed"),
    [("mlp", "pipeline", 0), ("gpt", "pipeline", 0), pytest.param("gpt", "mixed", 2, marks=pytest.mark.slow)],
)
def test_equal(name: str, kind: str, seed: int, tmp_path: Path) -> None:
    """Weight gradients wait until nothing else is left to do."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    plan = plans.random_plan(step, seed, kind)
    text = plans.apply(step, plan)
    text = text.replace("  func.func", zero_bubble(plan) + "  func.func", 1)
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


@pytest.mark.parametrize("name", MODELS)
def test_planned(name: str, tmp_path: Path) -> None:
    """A plan for zero_bubble gets the lists that hetero-schedule writes for it."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    text = plans.apply(step, plans.random_plan(step, 1, "pipeline"))
    text = text.replace(" predicted 1 ms", " schedule zero_bubble predicted 1 ms", 1)
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
