#!/usr/bin/env python3
"""Times the synthesis of SPMD programs for whole training steps.

The steps are those of the zoo, lowered from shapes and kept in build/benchmark
as graphs of operations. For each graph and cluster `hetero-plan --graph` says
how long the search took, without reading files; the figure is the best of
several runs. Beside it stand what the program takes by the cost model, and
whether it is proven to be the best for its shares. Where no program fits, the
search takes longest, as it tries prices of memory; its time counts as well.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from figures import ROOT, Report, add_options, zoo_step

# Models and sizes of the zoo, and the clusters that each size is for.
SMALL = {"bert": "base", "vgg19": "paper", "gpt": "bench", "moe": "test", "vit": "paper"}
LARGE = dict.fromkeys(["bert", "gpt", "moe", "vit"], "paper")

# Fast and slow devices, each in a node of its own; and examples.
CLUSTERS = {"2+6": (2, 6), "16+48": (16, 48)}
EXAMPLES = ["aws-16", "aws"]

# What each figure must stay below.
BARS = {
    "synthesis.bert.2+6": 0.5,
    "synthesis.bert.16+48": 1.5,
    **{f"synthesis.{model}.{name}": 1.0 for model in ["bert", "vit"] for name in EXAMPLES},
    # Nothing fits, or hardly.
    **{f"synthesis.{model}.{name}": 4.0 for model in ["gpt", "moe"] for name in EXAMPLES},
}


def write_cluster(name: str, folder: Path) -> Path:
    """V100s and P100s at 10.4 Gb/s, or an example."""
    if name in EXAMPLES:
        return ROOT / "examples" / "clusters" / f"{name}.yaml"
    fast, slow = CLUSTERS[name]
    path = folder / f"cluster.{name}.yaml"
    path.write_text(
        f"name: \"{name}\"\nnodes:\n"
        f"  - {{name: fast, devices: [v100-16], count: {fast}}}\n"
        f"  - {{name: slow, devices: [p100], count: {slow}}}\n"
        "switches:\n"
        "  - {name: lan, joins: [fast, slow], link: {bandwidth: 10.4 Gb/s, latency: 10 us}}\n"
    )
    return path


def make_graph(model: str, size: str, folder: Path, tools: Path) -> Path:
    """The graph of a step; made if it is not there yet."""
    graph = folder / f"{model}.{size}.graph.yaml"
    if graph.exists():
        return graph
    step = zoo_step(model, size, folder)
    subprocess.run([str(tools / "hetero-translate"), "--graph", str(step), "-o", str(graph)], check=True)
    return graph


def synthesize(graph: Path, cluster: Path, tools: Path, repeats: int) -> tuple[float, dict | None]:
    """The best time of several searches, and the program if one fits."""
    command = [str(tools / "hetero-plan"), "--graph", "--timing", "--json", str(graph), f"--cluster={cluster}"]
    seconds = []
    for _ in range(repeats):
        run = subprocess.run(command, check=False, capture_output=True, text=True)
        taken = re.search(r"searched for ([0-9.]+) s", run.stderr)
        if taken is None:
            raise subprocess.CalledProcessError(run.returncode, command, run.stdout, run.stderr)
        seconds.append(float(taken.group(1)))
    if run.returncode != 0:
        print(f"{graph.name} on {cluster.name}: {run.stderr.strip()}", file=sys.stderr)
        return min(seconds), None
    return min(seconds), json.loads(run.stdout)


def measure(options: argparse.Namespace, report: Report) -> None:
    """All figures, model by model."""
    options.steps.mkdir(parents=True, exist_ok=True)
    for steps, clusters in ((SMALL, CLUSTERS), (LARGE, EXAMPLES)):
        for model in options.models or steps:
            if model not in steps:
                continue
            graph = make_graph(model, steps[model], options.steps, options.tools)
            with open(graph) as lines:
                report.add(f"ops.{model}.{steps[model]}", sum("rule:" in line for line in lines), "ops")
            for name in clusters:
                cluster = write_cluster(name, options.steps)
                seconds, program = synthesize(graph, cluster, options.tools, options.repeats)
                report.add(f"synthesis.{model}.{name}", seconds, "s")
                if program is None:
                    continue
                report.add(f"step.{model}.{name}", program["seconds"], "s")
                report.add(f"gap.{model}.{name}", 1 - program["bound_seconds"] / program["seconds"], "")
                report.add(f"whole_products.{model}.{name}", program["products"].get("whole", 0), "")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "bin", help="default: build/bin")
    add_options(parser, repeats=3)
    parser.add_argument("--models", nargs="+", choices=sorted({*SMALL, *LARGE}), help="default: all")
    options = parser.parse_args()
    if not (options.tools / "hetero-plan").exists():
        print(f"error: no hetero-plan in {options.tools}: build it first", file=sys.stderr)
        return 1
    report = Report(BARS, options.json)
    measure(options, report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
