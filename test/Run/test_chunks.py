"""Stages with several runs of layers, as interleaved pipelines have them."""

from __future__ import annotations

from pathlib import Path

import plans
import pytest
import steps

MODELS = {"mlp": {"batch": 7}, "gpt": {"batch": 5}}


def interleave(step: plans.LayeredStep, meshes: list[str], devices: list[list[int]], chunks: int, count: int, scheduled: bool) -> str:
    """Layers dealt out in turn, and a schedule that does one chunk after the other, or a plan that asks for one."""
    stages = len(devices)
    runs = stages * chunks
    bounds = [step.layers * i // runs for i in range(runs + 1)]
    sizes = [step.batch // count + (i < step.batch % count) for i in range(count)]
    distinct = list(dict.fromkeys(sizes))
    lines = [f"hetero.mesh @stage{i}{meshes[i]} = {devices[i]}" for i in range(stages)]
    lines.append(
        f'  hetero.plan @plan of @{step.name} planner "hand" minimizes time batch {step.batch} '
        f"microbatches {sizes} predicted 1 ms {{"
    )
    for i in range(stages):
        mine = [(bounds[c * stages + i], bounds[c * stages + i + 1] - 1) for c in range(chunks)]
        layers = ", ".join(f"{a} to {b}" if b > a else f"{a}" for a, b in mine)
        data = len(devices[i]) if not meshes[i] else 1
        samples = [[n - n // 2, n // 2] if data == 2 else [n] for n in distinct]
        axes = "(data) " if meshes[i] else ""
        lines.append(f"    hetero.stage {i} on @stage{i} layers [{layers}] samples {axes}{samples} in_flight {runs * count}")
    if not scheduled:
        lines[stages] = lines[stages].replace(" predicted", " schedule interleaved predicted")
        start = step.head.rindex("func.func")
        head = step.head[:start] + "\n".join([*lines, "  }"]) + "\n  " + step.head[start:]
        return head + ", ".join(argument.text for argument in step.arguments) + step.tail
    lines.append(f"  }}\n  hetero.schedule @order interleaved of @plan microbatches {count} {{")
    for i in range(stages):
        order = [f"forward {m} chunk {c}" for c in range(chunks) for m in range(count)]
        order += [f"backward {m} chunk {c}" for c in reversed(range(chunks)) for m in range(count)]
        order = [text.replace(" chunk 0", "") for text in order]
        body = ", ".join([*order, "update"])
        lines.append(f"    hetero.stage_schedule {i} in_flight {runs * count} chunks {chunks} [{body}]")
    lines.append("  }")
    start = step.head.rindex("func.func")
    head = step.head[:start] + "\n".join(lines) + "\n  " + step.head[start:]
    return head + ", ".join(argument.text for argument in step.arguments) + step.tail


@pytest.mark.parametrize("scheduled", [True, False])
@pytest.mark.parametrize(
    ("name", "meshes", "devices", "chunks"),
    [
        ("mlp", ["", ""], [[0], [1]], 2),
        ("mlp", [""], [[0, 1]], 3),
        ("gpt", ["", ""], [[1, 2], [0]], 2),
        pytest.param("gpt", [" (data = 1, tensor = 2)", ""], [[0, 1], [2]], 2, marks=pytest.mark.slow),
    ],
)
def test_equal(name: str, meshes: list[str], devices: list[list[int]], chunks: int, scheduled: bool, tmp_path: Path) -> None:
    """Values that stay on a device, and ones that go around."""
    case = steps.get(name, **MODELS[name])
    step = plans.read(steps.layered(name, **MODELS[name]))
    text = interleave(step, meshes, devices, chunks, count=2, scheduled=scheduled)
    done = steps.run(text, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
