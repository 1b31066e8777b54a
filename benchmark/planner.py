#!/usr/bin/env python3
"""Times every planner, and compares the plans that they make.

Scale: a GPT of 100 to 100,000 operations (400 in a layer) on 64 devices of 4
classes, 50 layers on 4 to 4,096 devices, and on 64 devices of 1 to 8 classes;
the growth of a time is the exponent p of the fit time = c * size^p. Times are
those of the search alone, as hetero-plan states them; memory is that of the
whole process. A planner that takes longer than the limit is not asked about
anything larger.

Quality: the predicted step of every planner for each pair of a model and a
cluster in examples/suite.json, all by the same evaluation, with the certified
gap of the joint plan; then geometric means over all pairs of how much longer
the plans of each planner take than the joint ones. `released` is the best of
the published planners as their releases search, `extended` as they do here.

Speed: the searches that must not take long. Steps: planning whole training
steps of the zoo at paper size, from the text that JAX exports to the planned
module, with the time of the plan beside it. Schedules: what in-flight counts by
boundary (h1f1b) gain over 1f1b where a boundary takes half of a stage or more.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from figures import ROOT, Report, growth, zoo_step

PARTS = ("split", "speed", "steps", "schedules", "quality", "scale")
OPS_PER_LAYER = 400
OPS = (100, 1_000, 10_000, 100_000)
DEVICES = (4, 16, 64, 256, 1_024, 4_096)
CLASSES = (1, 2, 4, 8)
# What `released` and `extended` are the best of.
PUBLISHED = ("harp", "hap", "cephalo")
# Beyond these sizes an oracle has nothing to say.
ORACLES = {"exhaustive"}
CLASS_NAMES = ("a100-40", "v100-32", "a10g", "t4", "l4", "p40", "rtx3090", "rtx2080ti")

# What each figure must stay below.
BARS = {
    "split.batch128.devices8": 0.05,
    "split.batch2048.devices64": 1.0,
    "speed.layers32.devices512": 3.0,
    "speed.layers66.devices12": 0.5,
    "speed.layers50.devices1024": 10.0,
    "speed.layers50.devices1024.memory": 2.0,
    **{f"steps.{model}.aws-16": 4.0 for model in ("gpt", "bert", "vit", "moe")},
    **{f"steps.{model}.aws": 6.0 for model in ("gpt", "bert", "vit", "moe")},
    "gap.small.median": 8.0,
    "gap.large.median": 15.0,
    "gap.large.most": 15.0,
}
# What each figure must not fall below.
FLOORS = {
    "over_joint.even": 1.65,
    "over_joint.released": 1.25,
    "over_joint.extended": 1.05,
    "over_joint.least": 1.0,
    "h1f1b.over_1f1b": 1.2,
}
# Links between stages, in Gb/s.
SLOW_LINKS = (0.9, 0.75, 0.6, 0.5)
# Up to this many devices a cluster is small, and from this many on large.
SMALL, LARGE = 8, 64


def layer(name: str) -> str:
    """A block of hidden size 2048 with 512 tokens, in bf16."""
    return f"""  - name: {name}
    forward: {{work: {{bf16: {{sample: 54 GFLOP}}}}, bytes: {{fixed: 100 MB, sample: 150 MB}}, operations: 130}}
    backward: {{work: {{bf16: {{sample: 108 GFLOP}}}}, bytes: {{fixed: 200 MB, sample: 300 MB}}, operations: 260}}
    update: {{work: {{f32: {{fixed: 600 MFLOP}}}}, bytes: {{fixed: 1500 MB}}, operations: 10}}
    parameters: 100 MB
    optimizerState: 600 MB
    gradients: 100 MB
    saved: {{sample: 50 MB}}
    workspace: {{sample: 25 MB}}
    output: {{sample: 2 MB}}
    outputGradient: {{sample: 2 MB}}
    tensorDegrees: [2, 4, 8]
    tensorForward: {{sample: 4 MB}}
    tensorBackward: {{sample: 4 MB}}
"""


def write_problem(folder: Path, layers: int, batch: int) -> Path:
    """A problem of equal layers."""
    path = folder / f"problem.{layers}.{batch}.yaml"
    likes = "".join(f"  - {{name: block_{i}, like: 0}}\n" for i in range(1, layers))
    path.write_text(f"batch: {batch}\nlayers:\n{layer('block_0')}{likes}")
    return path


def write_cluster(folder: Path, devices: int, classes: int) -> Path:
    """Nodes of up to eight devices of one class, classes in equal parts."""
    path = folder / f"cluster.{devices}.{classes}.yaml"
    nodes = []
    for number, name in enumerate(CLASS_NAMES[:classes]):
        share = devices // classes + (number < devices % classes)
        size = min(8, share)
        link = "link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us}"
        if share >= size > 0:
            nodes.append(f"  - {{name: n{number}, count: {share // size}, devices: [{size} x {name}], {link}}}")
    members = ", ".join(line.split("name: ")[1].split(",")[0] for line in nodes)
    lan = f"  - {{name: lan, joins: [{members}], link: {{kind: ethernet, bandwidth: 25 Gb/s, latency: 30 us}}}}"
    path.write_text("name: made\nnodes:\n" + "\n".join(nodes) + "\nswitches:\n" + lan + "\n")
    return path


class Planner:
    """hetero-plan, called with a limit on time."""

    def __init__(self, program: Path, limit: float) -> None:
        self._program = program
        self.limit = limit

    def names(self) -> list[str]:
        """All planners."""
        command = [self._program, "--planner=?", ROOT / "examples/problems/gpt.yaml"]
        message = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        return message.rsplit("there are: ", 1)[1].strip().split(", ")

    def ask(self, name: str, problem: Path, cluster: Path, *flags: str) -> dict[str, Any] | None:
        """The plan with `search_seconds` and `memory`; none beyond the limit."""
        command = [self._program, problem, "--cluster", cluster, "--compare", name, "--json", "--timing", *flags]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.DEVNULL)
            watch = threading.Timer(self.limit, process.kill)
            watch.start()
            _, status, usage = os.wait4(process.pid, 0)
            watch.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode < 0:
                return None
            if process.returncode:
                raise SystemExit(f"error: exit code {process.returncode} from {' '.join(map(str, command))}")
            output.seek(0)
            answer = json.load(output)[0]
        return answer | {"memory": usage.ru_maxrss * 1024 / 1e9}


def scale(planner: Planner, names: list[str], folder: Path, report: Report) -> None:
    """Time and memory of every planner along each axis."""
    axes = {
        "ops": [(ops, max(1, ops // OPS_PER_LAYER), 64, 4) for ops in OPS],
        "devices": [(devices, 50, devices, 4) for devices in DEVICES],
        "classes": [(classes, 50, 64, classes) for classes in CLASSES],
    }
    for name in names:
        for axis, points in axes.items():
            times: list[tuple[int, float]] = []
            for size, layers, devices, classes in points:
                problem = write_problem(folder, layers, max(512, 2 * devices))
                answer = planner.ask(name, problem, write_cluster(folder, devices, classes))
                if answer is None:
                    report.add(f"{name}.{axis}.{size}", planner.limit, "s, at least")
                    break
                seconds = answer["search_seconds"]
                report.add(f"{name}.{axis}.{size}", seconds, "s")
                report.add(f"{name}.{axis}.{size}.memory", answer["memory"], "GB")
                times.append((size, max(seconds, 1e-5)))
            if len(times) > 1:
                report.add(f"{name}.{axis}.growth", growth(times), "exp")


def split(planner: Planner, folder: Path, report: Report) -> None:
    """The sizes that Cephalo's split must be fast for."""
    for batch, devices in ((128, 8), (2048, 64)):
        problem, cluster = write_problem(folder, 32, batch), write_cluster(folder, devices, 2)
        answers = [planner.ask("cephalo", problem, cluster) for _ in range(3)]
        best = min(answer["search_seconds"] for answer in answers if answer)
        report.add(f"split.batch{batch}.devices{devices}", best, "s")


def ask_all(planner: Planner, names: list[str], pair: dict[str, Any], *flags: str) -> dict[str, dict[str, Any]]:
    """The plans of those planners that have one."""
    problem = ROOT / f"examples/problems/{pair['problem']}.yaml"
    cluster = ROOT / f"examples/clusters/{pair['cluster']}.yaml"
    answers = {}
    for name in names:
        answer = planner.ask(name, problem, cluster, f"--batch={pair['batch']}", *flags)
        if answer is not None and "error" not in answer:
            answers[name] = answer
    return answers


def count_devices(cluster: str) -> int:
    """How many devices a cluster of the examples has."""
    total = 0
    text = (ROOT / f"examples/clusters/{cluster}.yaml").read_text().partition("nodes:")[2]
    for node in re.split(r"- \{?name:", text):
        devices = re.search(r"devices: \[(.*?)\]", node)
        number = re.search(r"count: (\d+)", node)
        for group in devices.group(1).split(",") if devices else ():
            many = re.match(r"\s*(\d+) x ", group)
            total += (int(many.group(1)) if many else 1) * (int(number.group(1)) if number else 1)
    return total


def mean(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def quality(planner: Planner, names: list[str], report: Report) -> None:
    """The steps of all planners over the suite, and how much longer they take than the joint plan."""
    ratios: dict[str, list[float]] = {}
    gaps: list[tuple[int, float]] = []
    for pair in json.loads((ROOT / "examples/suite.json").read_text()):
        name = f"{pair['cluster']}.{pair['problem']}"
        answers = ask_all(planner, names, pair)
        steps = {planner_name: answer["predicted_ps"] / 1e12 for planner_name, answer in answers.items()}
        for planner_name, step in steps.items():
            report.add(f"{name}.{planner_name}", step, "s")
        if "joint" not in steps:
            continue
        gaps.append((count_devices(pair["cluster"]), 100 * answers["joint"]["gap_millionths"] / 1e6))
        report.add(f"{name}.gap", gaps[-1][1], "%")
        released = ask_all(planner, [n for n in PUBLISHED if n in names], pair, "--as-released")
        steps["released"] = min((a["predicted_ps"] / 1e12 for a in released.values()), default=math.nan)
        steps["extended"] = min((steps[n] for n in PUBLISHED if n in steps), default=math.nan)
        for planner_name, step in steps.items():
            if not math.isnan(step):
                ratios.setdefault(planner_name, []).append(step / steps["joint"])
    for planner_name, values in ratios.items():
        unit = f"x in {len(values)} pairs"
        add_floor(report, f"over_joint.{planner_name}", mean(values), unit)
        report.add(f"over_joint.{planner_name}.least", min(values), "x")
    others = [min(values) for planner_name, values in ratios.items() if planner_name != "joint"]
    if others:
        add_floor(report, "over_joint.least", min(others), "x")
    small = sorted(gap for devices, gap in gaps if devices <= SMALL)
    large = sorted(gap for devices, gap in gaps if devices >= LARGE)
    if small:
        report.add("gap.small.median", small[len(small) // 2], "%")
    if large:
        report.add("gap.large.median", large[len(large) // 2], "%")
        report.add("gap.large.most", max(large), "%")


def add_floor(report: Report, name: str, value: float, unit: str) -> None:
    """A figure that must not fall below its floor, if it has one: the floor is the peer."""
    if name in FLOORS:
        report.add(name, value, unit, peer="floor", peer_value=FLOORS[name])
        if value < FLOORS[name] * (1 - 1e-9):
            report.ok = False
    else:
        report.add(name, value, unit)


def speed(planner: Planner, folder: Path, report: Report) -> None:
    """The searches of the joint planner that must not take long; the best of three."""
    clusters = ROOT / "examples/clusters"
    cases = {
        "layers32.devices512": (ROOT / "examples/problems/gpt-2.7b.yaml", clusters / "a100-v100-128-384.yaml", 1024),
        "layers66.devices12": (write_problem(folder, 66, 1024), clusters / "harp.yaml", 1024),
        "layers50.devices1024": (write_problem(folder, 50, 2048), write_cluster(folder, 1024, 4), 2048),
    }
    for name, (problem, cluster, batch) in cases.items():
        runs = [planner.ask("joint", problem, cluster, f"--batch={batch}") for _ in range(3)]
        answers = [answer for answer in runs if answer]
        if not answers:
            report.add(f"speed.{name}", planner.limit, "s, at least")
            continue
        report.add(f"speed.{name}", min(answer["search_seconds"] for answer in answers), "s")
        report.add(f"speed.{name}.memory", max(answer["memory"] for answer in answers), "GB")


def steps(tools: Path, folder: Path, report: Report) -> None:
    """Planning steps of the zoo at paper size with joint; the best of two."""
    for model in ("gpt", "bert", "vit", "moe"):
        step = zoo_step(model, "paper", folder)
        for cluster in ("aws-16", "aws"):
            planned = folder / f"{model}.{cluster}.planned.mlir"
            file = ROOT / "examples" / "clusters" / f"{cluster}.yaml"
            command = [str(tools / "hetero-opt"), str(step), f"--hetero-plan-pipeline=cluster={file}", "-o", str(planned)]
            seconds = []
            for _ in range(2):
                began = time.perf_counter()
                done = subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
                seconds.append(time.perf_counter() - began)
            report.add(f"steps.{model}.{cluster}", min(seconds), "s" if done.returncode == 0 else "s, nothing fits")
            if done.returncode != 0:
                continue
            plan = subprocess.run(
                [str(tools / "hetero-translate"), "--plan", str(planned)], check=True, capture_output=True, text=True
            ).stdout
            amount, unit = re.search(r"^predicted: ([0-9.]+) (\w+)$", plan, re.MULTILINE).groups()
            units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
            report.add(f"steps.{model}.{cluster}.predicted", float(amount) * units[unit], "s")


def schedules(planner: Planner, folder: Path, report: Report) -> None:
    """Two nodes behind a link that takes half to one and a half times as long as a stage."""
    problem = write_problem(folder, 24, 64)
    # Half of the layers in each node, whatever that takes.
    pins = [f"    - {{layer: {layer}, devices: [{devices}]}}\n" for layer, devices in ((11, "0, 1"), (12, "2, 3"))]
    problem.write_text(problem.read_text() + "constraints:\n  pins:\n" + "".join(pins))
    ratios = []
    for bandwidth in SLOW_LINKS:
        cluster = folder / f"slow.{bandwidth}.yaml"
        cluster.write_text(
            "name: slow\nnodes:\n"
            "  - {name: a, count: 2, devices: [2 x a100-40], link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us}}\n"
            f"links:\n  - {{between: [a_0, a_1], kind: ethernet, bandwidth: {bandwidth} Gb/s, latency: 200 us}}\n"
        )
        steps = {}
        for kind in ("1f1b", "h1f1b"):
            answer = planner.ask("stages", problem, cluster, f"--schedule={kind}", "--microbatches=64")
            if answer is None or "error" in answer:
                return
            steps[kind] = answer
        stage = max(s["forward_ps"] + s["backward_ps"] for s in steps["1f1b"]["stages"])
        boundary = max(s["boundary_ps"] for s in steps["1f1b"]["stages"])
        ratios.append(steps["1f1b"]["predicted_ps"] / steps["h1f1b"]["predicted_ps"])
        report.add(f"h1f1b.{bandwidth}Gbps", ratios[-1], "x", boundary_over_stage=round(boundary / stage, 3))
    add_floor(report, "h1f1b.over_1f1b", mean(ratios), f"x in {len(ratios)} cases")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("HETERO_PLAN", ROOT / "build" / "bin" / "hetero-plan")
    parser.add_argument("--hetero-plan", type=Path, default=default, help="default: HETERO_PLAN, or build/bin")
    parser.add_argument("--planners", nargs="+", help="default: all")
    parser.add_argument("--parts", nargs="+", choices=PARTS, help="default: all")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one search (default: 60)")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    options = parser.parse_args()
    if not Path(options.hetero_plan).exists():
        print(f"error: no hetero-plan at {options.hetero_plan}: build it first", file=sys.stderr)
        return 1
    planner = Planner(options.hetero_plan, options.limit)
    names = options.planners or [name for name in planner.names() if name not in ORACLES]
    parts = options.parts or PARTS
    report = Report(BARS, options.json)
    with tempfile.TemporaryDirectory() as folder:
        if "split" in parts:
            split(planner, Path(folder), report)
        if "speed" in parts:
            speed(planner, Path(folder), report)
        if "steps" in parts:
            steps(Path(options.hetero_plan).parent, ROOT / "build" / "benchmark", report)
        if "schedules" in parts:
            schedules(planner, Path(folder), report)
        if "quality" in parts:
            quality(planner, names, report)
        if "scale" in parts:
            scale(planner, names, Path(folder), report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
