"""The command `hetero`, clusters and plans as objects."""

from __future__ import annotations

import json
import subprocess

import hetero
import jax
import pytest
import jit_steps as steps
from hetero.__main__ import main


@pytest.fixture
def step_file(tmp_path):
    """A step as JAX prints it."""
    file = tmp_path / "step.mlir"
    lowered = jax.jit(steps.sgd, donate_argnums=0).lower(steps.parameters(), steps.batch())
    file.write_text(lowered.as_text(debug_info=True))
    return file


@pytest.fixture
def cluster_file(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text(hetero.Cluster.from_dict(steps.cluster(3)).yaml)
    return file


def test_clusters():
    cluster = hetero.Cluster.from_dict(steps.cluster(3))
    assert [d.device_class for d in cluster.devices] == ["fast", "fast", "slow"]
    assert [d.node for d in cluster.devices] == ["left", "left", "right"]
    # A quarter is reserved, as on every `cpu`.
    assert cluster.devices[2].memory == 768 * 2**20
    assert hetero.Cluster.from_yaml(cluster.yaml).yaml == cluster.yaml
    assert len(cluster) == 3 and "2 x fast, 1 x slow" in repr(cluster)


def test_a_plan_is_an_object_and_a_table():
    plan = hetero.plan(
        steps.sgd, steps.parameters(), steps.batch(), cluster=steps.cluster(3), planner="dp-even"
    )
    assert plan.batch == 7 and sum(plan.microbatches) == 7
    assert plan.predicted > 0
    devices = [device for stage in plan.stages for device in stage.devices]
    assert sorted(devices) == [0, 1, 2]
    for stage in plan.stages:
        assert stage.layers and len(stage.layers) == len(stage.layer_names)
        assert all(share.memory > 0 for share in stage.shares)
    table = str(plan)
    assert "fast" in table and "slow" in table and "stage" in table
    assert "hetero.plan" in plan.module


def test_a_plan_needs_only_shapes():
    shapes = jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype),
        (steps.parameters(), steps.batch()),
    )
    step = hetero.jit(steps.sgd, cluster=steps.cluster(2), donate_argnums=0)
    assert str(step.plan(*shapes)) == str(hetero.plan(step, *shapes))
    with pytest.raises(TypeError, match="a shape, not an array"):
        step(*shapes)


def test_the_plan_of_a_program_that_runs():
    step = hetero.jit(steps.sgd, cluster=steps.cluster(2), microbatches=2)
    before = str(step.plan(steps.parameters(), steps.batch()))
    step(steps.parameters(), steps.batch())
    assert str(step.plan(steps.parameters(), steps.batch())) == before
    assert len(step.plan(steps.parameters(), steps.batch()).microbatches) == 2


def test_the_command_plans(step_file, cluster_file, tmp_path, capsys):
    out = tmp_path / "planned.mlir"
    arguments = ["plan", str(step_file), "--cluster", str(cluster_file), "--out", str(out)]
    assert main(arguments) == 0
    assert "stage" in capsys.readouterr().out
    assert "hetero.plan" in out.read_text()


def test_the_command_lists_devices(cluster_file, capsys):
    assert main(["cluster", str(cluster_file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "test: 3 devices" and "slow of right, 0.75 GiB" in lines[3]


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda step, cluster: step.unlink(), "step.mlir"),
        (lambda step, cluster: step.write_text("func.func"), "step"),
        (lambda step, cluster: cluster.write_text("nodes: 3"), "cluster.yaml:1:8"),
    ],
)
def test_the_command_reports_mistakes(step_file, cluster_file, capsys, change, message):
    change(step_file, cluster_file)
    assert main(["plan", str(step_file), "--cluster", str(cluster_file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error


def test_a_timeline_and_a_trace_of_a_run(tmp_path):
    step = hetero.jit(steps.sgd, cluster=steps.cluster(2), planner="dp-even")
    program = step.program(steps.parameters(), steps.batch())
    program.trace()
    step(steps.parameters(), steps.batch())
    program.write_trace(tmp_path / "trace.json")
    program.write_timeline(tmp_path / "timeline.html")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events} == {0, 1}
    page = (tmp_path / "timeline.html").read_text()
    assert "<svg" in page and "predicted" in page and "measured" in page
    with pytest.raises(hetero.ExecutionError, match="cannot write"):
        program.write_timeline(tmp_path / "missing" / "timeline.html")


@pytest.mark.parametrize(
    "asked, flags",
    [
        ({}, ()),
        ({"planner": "stages", "max_stages": 1, "without": [2]}, ("--planner=stages", "--max-stages=1", "--without=2")),
        ({"state": "full", "schedule": "1f1b"}, ("--state=full", "--schedule=1f1b")),
        ({"planner": "spmd", "time_budget": 60, "effort": 1}, ("--planner=spmd", "--time-budget=60s")),
    ],
)
def test_python_and_the_tool_make_the_same_plan(asked, flags, step_file, cluster_file, hetero_opt, tmp_path):
    """They and the pass (test/Tools/same-plan.test) ask one driver."""
    step = hetero.jit(steps.sgd, cluster=cluster_file, donate_argnums=0, **asked)
    planned = tmp_path / "planned.mlir"
    step.plan(steps.parameters(), steps.batch()).save(planned)
    tools = hetero_opt.parent

    def run(*command):
        return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout

    by_tool = run(tools / "hetero-plan", step_file, "--cluster", cluster_file, "--yaml", *flags)
    assert run(tools / "hetero-translate", "--plan", planned) == by_tool


def test_options_of_plans_are_checked():
    with pytest.raises(ValueError, match="max_stages is at least 1, not 0"):
        hetero.jit(steps.sgd, max_stages=0)
    step = hetero.jit(steps.sgd, cluster=steps.cluster(3), donate_argnums=0, effort=200)
    with pytest.raises(Exception, match="effort is 200 and must be from 1 to 100"):
        step.plan(steps.parameters(), steps.batch())
