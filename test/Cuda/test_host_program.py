"""What the host asks of CUDA while steps repeat, counted by the stand-in.

Runs of eight and of fourteen steps differ by six that a graph stands for: what
they ask for more is what a step asks for. Other ways to run the same steps give
the same bits. HETERO_STANDIN_SEEDS=20 tries as many orders of what CUDA leaves open.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import plans  # noqa: E402
import standin  # noqa: E402
import steps  # noqa: E402

DEVICES = "sm_80:1GiB,sm_75:1GiB,sm_70:1GiB,sm_90:1GiB"
FEW, MANY = 8, 14
SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "1"))
MODEL = {"batch": 7}
# What a step may ask for, as often as it likes: it orders streams, and looks
# whether the device has come as far.
ORDER = {
    "cuCtxSetCurrent",
    "cuEventRecord",
    "cuEventQuery",
    "cuStreamQuery",
    "cuStreamWaitEvent",
    "ncclCommGetAsyncError",
}

pytestmark = [standin.needs_standin, pytest.mark.usefixtures("libraries")]


def _plan(ranks: int, kind: str) -> str:
    """A planned step that has all of so many ranks."""
    step = plans.read(steps.layered("mlp", **MODEL))
    plan = plans.random_plan(step, 0, kind, ranks=ranks)
    assert {device for stage in plan.stages for device in stage.devices} == set(range(ranks))
    return plans.apply(step, plan)


def _run(
    text: str, path: Path, cache: Path, number: int, *flags: str, seed: int = 0
) -> dict[str, int]:
    """How often each entry point was called."""
    order = ("random", "lazy", "eager")[seed % 3]
    path.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HETERO_STANDIN", f"devices={DEVICES};seed={seed};order={order};counts={path / 'counts'}")
        done = steps.run(
            text, steps.get("mlp", **MODEL), path, "--device=cuda", "--cuda-format=ptx",
            f"--cache={cache / 'objects'}", "--out=out.npz", *flags, steps=number,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
    lines = [line for line in (path / "counts").read_text().splitlines() if line[0] != "["]
    return {name: int(count) for name, count in (line.split() for line in lines)}


def _results(path: Path) -> list[np.ndarray]:
    with np.load(path / "out.npz") as arrays:
        return [arrays[name] for name in arrays.files]


@pytest.mark.parametrize(("ranks", "kind"), [(2, "pipeline"), (2, "data"), (4, "mixed"), (4, "pipeline")])
def test_further_steps(ranks: int, kind: str, tmp_path: Path, cache: Path) -> None:
    """Each rank launches one graph for each of them, and the loss is read once."""
    text = _plan(ranks, kind)
    for seed in range(SEEDS):
        few = _run(text, tmp_path / f"few{seed}", cache, FEW, seed=seed)
        many = _run(text, tmp_path / f"many{seed}", cache, MANY, seed=seed)
        more = {name: many[name] - few.get(name, 0) for name in many}
        done = {name: count for name, count in more.items() if count and name not in ORDER}
        assert done == {"cuGraphLaunch": (MANY - FEW) * ranks, "cuMemcpyDtoHAsync": MANY - FEW}


@pytest.mark.parametrize("data", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_communicators(data: int, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four stages of GPT: each rank has one communicator for all its neighbours,
    and one for the ranks of its stage."""
    step = plans.read(steps.layered("gpt", batch=8))
    bounds = [step.layers * i // 4 for i in range(5)]
    stages = [
        plans.Stage((first, last - 1), [data * i + k for k in range(data)], data, 1, [[4 // data] * data])
        for i, (first, last) in enumerate(zip(bounds, bounds[1:]))
    ]
    text = plans.apply(step, plans.Plan([4, 4], stages, {}))
    case = steps.get("gpt", batch=8)
    devices = ",".join(["sm_80:4GiB"] * 4 * data)
    monkeypatch.setenv("HETERO_STANDIN", f"devices={devices};counts={tmp_path / 'counts'}")
    done = steps.run(
        text, case, tmp_path, "--device=cuda", "--cuda-format=ptx", f"--cache={cache / 'objects'}"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout
    made = re.findall(r"^ncclCommInitRank\w* (\d+)$", (tmp_path / "counts").read_text(), re.MULTILINE)
    ranks, of_messages, of_stages = 4 * data, 1, int(data > 1)
    assert sum(map(int, made)) == ranks * (of_messages + of_stages)


def test_ways_to_run(tmp_path: Path, cache: Path) -> None:
    """Without graphs, with memory from the driver and with state that is kept, the
    same kernels compute the same bits."""
    text = _plan(2, "pipeline")
    usual = _run(text, tmp_path / "usual", cache, FEW)
    plain = _run(text, tmp_path / "plain", cache, FEW, "--cuda-graphs=false")
    pool = _run(text, tmp_path / "pool", cache, FEW, "--cuda-memory=pool")
    _run(text, tmp_path / "kept", cache, FEW, "--donate=false")
    for other in ("plain", "pool", "kept"):
        for mine, theirs in zip(_results(tmp_path / "usual"), _results(tmp_path / other)):
            np.testing.assert_array_equal(mine, theirs, err_msg=other)
    assert usual["cuGraphLaunch"] > 0 and "cuMemAllocAsync" not in usual
    assert "cuGraphLaunch" not in plain and "cuGraphLaunch" not in pool
    assert pool["cuMemAllocAsync"] == pool["cuMemFreeAsync"] > 0


def test_times_of_the_device(tmp_path: Path, cache: Path) -> None:
    """The stand-in's clock ticks in whole microseconds, that of the host does not."""
    text = _plan(2, "pipeline")
    flags = ["--trace=trace.json", "--profile=profile.json", "--timeline=page.html"]
    _run(text, tmp_path, cache, 3, *flags)
    for name in ("trace", "profile"):
        events = json.loads((tmp_path / f"{name}.json").read_text())["traceEvents"]
        times = [event["dur"] for event in events if event["ph"] == "X"]
        assert len(times) > 50
        assert all(abs(time - round(time)) < 0.01 for time in times), times
        assert {event["pid"] for event in events if event.get("cat") == "call"} == {0, 1}
    assert "measured" in (tmp_path / "page.html").read_text()
